"""A record's condition taken apart again: its clauses, and those that speak of the fault itself."""

import ast
import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

_HEADER: Final = re.compile(r"(?:async )?for |while |except\b|case ")
_OPENING, _CLOSING, _QUOTES = "([{", ")]}", "\"'"


class Kind(enum.Enum):
    TEST = "test"  # an expression that holds
    FOR = "for"
    EXCEPT = "except"
    CASE = "case"
    OPAQUE = "opaque"  # not an expression that Python can parse on its own


@dataclass(frozen=True)
class Clause:
    """One thing that holds where the error is raised. node: of a test; of a `for`, the target and the iterable."""

    kind: Kind
    text: str
    node: ast.expr | None = None
    target: ast.expr | None = None

    @property
    def negative(self) -> bool:
        """Whether it says that something does not hold: an earlier check that was passed, or another branch."""
        return isinstance(self.node, ast.UnaryOp) and isinstance(self.node.op, ast.Not)

    @property
    def trivial(self) -> bool:
        """Whether it holds always: `while True`, `else` of `if False`."""
        inner = self.node.operand if isinstance(self.node, ast.UnaryOp) else self.node
        return self.kind is Kind.TEST and isinstance(inner, ast.Constant) and bool(inner.value) is not self.negative


@dataclass(frozen=True)
class Guard:
    """All clauses, outermost first."""

    clauses: tuple[Clause, ...]

    @cached_property
    def fault(self) -> tuple[Clause, ...]:
        """The last clauses: the one next to the raise, with the branches of the same subject that were not taken."""
        last = self.clauses[-1:]
        if not last or not last[0].negative or (subject := _subject(last[0])) is None:
            return last
        start = len(self.clauses) - 1
        while start and _subject(self.clauses[start - 1]) == subject:
            start -= 1
        return self.clauses[start:]

    @cached_property
    def setting(self) -> tuple[Clause, ...]:
        """What else must hold, without earlier checks that were passed."""
        before = self.clauses[: len(self.clauses) - len(self.fault)]
        return tuple(clause for clause in before if not clause.negative)

    @cached_property
    def passed(self) -> int:
        """How many earlier checks were passed on the way."""
        return len(self.clauses) - len(self.fault) - len(self.setting)


@lru_cache(maxsize=4096)
def read_guard(condition: str | None) -> Guard:
    """The guard in a record's `condition`."""
    clauses = (_clause(text) for text in _split(condition)) if condition else ()
    return Guard(tuple(clause for clause in clauses if not clause.trivial))


def _clause(text: str) -> Clause:
    if not _HEADER.match(text):
        return _test(text)
    if text.startswith(("for ", "async for ")):
        target, iterable = _for_parts(text)
        return Clause(Kind.FOR, text, iterable, target) if iterable and target else Clause(Kind.OPAQUE, text)
    if text.startswith("while "):
        return _test(text.removeprefix("while "))
    return Clause(Kind.EXCEPT if text.startswith("except") else Kind.CASE, text)


def _test(text: str) -> Clause:
    node = _expression(text)
    return Clause(Kind.TEST, text, node) if node is not None else Clause(Kind.OPAQUE, text)


def _for_parts(text: str) -> tuple[ast.expr | None, ast.expr | None]:
    try:
        loop = ast.parse(f"{text.removeprefix('async ')}: pass").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None, None
    return (loop.target, loop.iter) if isinstance(loop, ast.For) else (None, None)


def _expression(text: str) -> ast.expr | None:
    try:
        node = ast.parse(f"({text})", mode="eval").body
        return _Plain().visit(node) if ":=" in text else node
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Plain(ast.NodeTransformer):
    """`(a := b)` read as `b`: the name means nothing to a reader."""

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:  # the name is ast's
        return self.visit(node.value)  # type: ignore[no-any-return]  # of ast.NodeTransformer


def _split(condition: str) -> Iterator[str]:
    """The clauses: parts between ` and ` outside of brackets and strings."""
    depth, start, at = 0, 0, 0
    while at < len(condition):
        character = condition[at]
        if character in _QUOTES:
            at = _string_end(condition, at)
            continue
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth == 0 and condition.startswith(" and ", at):
            yield condition[start:at].strip()
            start = at = at + 5
            continue
        at += 1
    yield condition[start:].strip()


def _string_end(text: str, start: int) -> int:
    quote = text[start] * (3 if text.startswith(text[start] * 3, start) else 1)
    at = start + len(quote)
    while at < len(text) and not text.startswith(quote, at):
        at += 2 if text[at] == "\\" else 1
    return at + len(quote)


def _subject(clause: Clause) -> str | None:
    """What a negative clause tests, and how: clauses with the same subject are branches on one value."""
    if not clause.negative:
        return None
    assert isinstance(clause.node, ast.UnaryOp)
    match clause.node.operand:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()]):
            return f"== {ast.unparse(left)}"
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, _]):
            return f"isinstance {ast.unparse(subject)}"
    return None

"""Code that a caller can run, where the guard speaks only of what the caller passes."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pipeline.explain.derived.guard import Clause, Guard, Kind
from pipeline.record import Record

if TYPE_CHECKING:
    from pipeline.evidence.pack import Evidence

_PURE_LISTED: Final = """
abs all any bool callable complex dict enumerate float frozenset getattr hasattr int isinstance issubclass len
list map max min object range reversed round set slice sorted str sum tuple type zip bytes None True False
"""
_PURE: Final = frozenset(_PURE_LISTED.split())
_IMPORTS: Final = {
    "np": "import numpy as np",
    "jnp": "import jax.numpy as jnp",
    "jax": "import jax",
    "math": "import math",
    "operator": "import operator",
    **{
        name: f"from collections.abc import {name}"
        for name in ("Sequence", "Mapping", "Callable", "Iterable", "Hashable", "Iterator", "Collection")
    },
}
_PUBLIC_NAMES: Final = {
    "dtypes.issubdtype": "jnp.issubdtype",
    "Array": "jax.Array",
    "array.Array": "jax.Array",
    "core.Tracer": "jax.core.Tracer",
}
_HARMLESS: Final = re.compile(r"jit|export|set_module|api_boundary|implements|deprecat|overload|staticmethod|wraps")
_MAKERS: Final = frozenset({"__init__", "__new__"})
NEAREST = 3  # public names that can be the function itself
_BLOCKS: Final = ast.For | ast.While | ast.Try | ast.Match | ast.AsyncFor | ast.TryStar
_FRAGMENT = (12, 60)  # characters of fixed text that tell an error from others of its class


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A public function that is itself the one that raises. name: dotted. required, optional: its parameters."""

    name: str
    required: tuple[str, ...]
    required_by_name: tuple[str, ...]
    optional: tuple[str, ...]

    @property
    def parameters(self) -> frozenset[str]:
        return frozenset(self.required + self.required_by_name + self.optional)


def direct_call(evidence: Evidence) -> Call | None:
    """The public function around the raise, where the arguments in its guard are the caller's own."""
    name = own_name(evidence)
    if name is None or not evidence.qualname or not all(map(_HARMLESS.search, evidence.decorators)):
        return None
    owner, _, function = evidence.qualname.rpartition(".")
    if owner and function not in _MAKERS:
        return None
    definition = _definition(evidence.source, function)
    return None if definition is None else _call(name, definition, method=bool(owner))


def own_name(evidence: Evidence) -> str | None:
    """The public name of the enclosing function itself, or of the class that it makes."""
    if not evidence.qualname or "<locals>" in evidence.qualname:
        return None
    owner, _, function = evidence.qualname.rpartition(".")
    named = owner.rpartition(".")[2] if function in _MAKERS else function
    return next((name for name in evidence.public_api[:NEAREST] if name.rpartition(".")[2] == named), None)


def _call(name: str, definition: ast.FunctionDef, *, method: bool) -> Call:
    arguments = definition.args
    positional = [*arguments.posonlyargs, *arguments.args]
    optional_from = len(positional) - len(arguments.defaults)
    by_name = list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    optional = [*positional[optional_from:], *(argument for argument, default in by_name if default is not None)]
    return Call(
        name=name,
        required=tuple(a.arg for a in positional[:optional_from])[method:],
        required_by_name=tuple(argument.arg for argument, default in by_name if default is None),
        optional=tuple(a.arg for a in optional),
    )


@lru_cache(maxsize=2048)
def _definition(source: str, name: str) -> ast.FunctionDef | None:
    """The function of that name in a piece of source that may be indented."""
    for text in (source, f"if True:\n{source}"):
        try:
            nodes = ast.walk(ast.parse(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return next((node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == name), None)
    return None


def callers_guard(guard: Guard, call: Call | None, evidence: Evidence) -> Guard | None:
    """The guard in names that a caller has; None where it speaks of anything but unchanged arguments."""
    if call is None or not guard.clauses or any(c.kind is not Kind.TEST or c.node is None for c in guard.clauses):
        return None
    function = (evidence.qualname or "").rpartition(".")[2]
    if _leaves_early(evidence.source, function):
        return None
    usable = call.parameters - _rebound(evidence.source, function)
    clauses = []
    for clause in guard.clauses:
        assert clause.node is not None
        node = _Public().visit(ast.parse(ast.unparse(clause.node), mode="eval").body)
        if not _free(node) <= usable | _PURE | _IMPORTS.keys():
            return None
        clauses.append(Clause(clause.kind, ast.unparse(node), node))
    spoken = set().union(*(_free(c.node) for c in clauses if c.node))
    return Guard(tuple(clauses)) if spoken & usable else None


class _Public(ast.NodeTransformer):
    """Names of the library's inside by their public names."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:  # the name is ast's
        if public := _PUBLIC_NAMES.get(ast.unparse(node)):
            return ast.parse(public, mode="eval").body
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:  # the name is ast's
        return ast.parse(_PUBLIC_NAMES.get(node.id, node.id), mode="eval").body


def _free(node: ast.expr | None) -> set[str]:
    """Names that an expression takes from outside."""
    if node is None:
        return set()
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    bound = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    bound |= {a.arg for n in ast.walk(node) if isinstance(n, ast.arguments) for a in n.args}
    return {n.id for n in names} - bound


@lru_cache(maxsize=2048)
def _rebound(source: str, function: str) -> frozenset[str]:
    """Names that the function's body gives other values to."""
    definition = _definition(source, function)
    nodes = (node for statement in (definition.body if definition else ()) for node in ast.walk(statement))
    return frozenset(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store | ast.Del))


@lru_cache(maxsize=2048)
def _leaves_early(source: str, function: str) -> bool:
    """Whether a loop, a `try` or a `match` may return on the way to the raise, of which the guard does not tell."""
    definition = _definition(source, function)
    blocks = (n for n in ast.walk(definition) if isinstance(n, _BLOCKS)) if definition else ()
    return any(isinstance(node, ast.Return) for block in blocks for node in ast.walk(block))


def validation_code(guard: Guard | None, call: Call | None) -> str | None:
    """An assertion on the arguments that fails exactly where the function would raise this error."""
    if guard is None or call is None:
        return None
    wanted = _expectation(guard.fault)
    before = guard.clauses[: len(guard.clauses) - len(guard.fault)]
    lines = [f"# the arguments as they are passed to {call.name}"]
    if before:
        condition = " and ".join(_operand(clause) for clause in before)
        lines += [f"if {condition}:", f"    assert {wanted}"]
    else:
        lines.append(f"assert {wanted}")
    return _with_imports("\n".join(lines), [c.node for c in guard.clauses])


def _expectation(fault: Sequence[Clause]) -> str:
    """What must hold instead."""
    if len(fault) > 1:
        parts = [_operand(Clause(Kind.TEST, "", c.node.operand)) for c in fault if isinstance(c.node, ast.UnaryOp)]
        compared = [c.node.operand for c in fault if isinstance(c.node, ast.UnaryOp)]
        values = [c.comparators[0] for c in compared if isinstance(c, ast.Compare) and isinstance(c.ops[0], ast.Eq)]
        if len(values) == len(fault) and all(isinstance(value, ast.Constant) for value in values):
            assert isinstance(compared[0], ast.Compare)
            return f"{ast.unparse(compared[0].left)} in {ast.unparse(ast.Tuple(values, ast.Load()))}"
        return " or ".join(parts)
    node = fault[0].node
    assert node is not None
    return ast.unparse(_negated(node))


_OPPOSITE: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


def _negated(node: ast.expr) -> ast.expr:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return ast.Compare(left, [_OPPOSITE[type(op)]()], [right])
        case ast.BoolOp(op=op, values=values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            return ast.BoolOp(other, [_negated(value) for value in values])
    return ast.UnaryOp(ast.Not(), node)


def _operand(clause: Clause) -> str:
    assert clause.node is not None
    node = _negated(clause.node.operand) if isinstance(clause.node, ast.UnaryOp) else clause.node
    return f"({ast.unparse(node)})" if isinstance(node, ast.BoolOp | ast.IfExp | ast.Lambda) else ast.unparse(node)


def type_guard(guard: Guard | None) -> str | None:
    """A function that tells whether an argument is of a type that is accepted."""
    if guard is None or len(guard.clauses) != 1:
        return None
    match guard.clauses[0].node:
        case (
            ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name() as x, _])) as n
        ):
            body = f"def is_accepted_{x.id}({x.id}) -> bool:\n    return {ast.unparse(n.operand)}"
            return _with_imports(body, [n])
    return None


def _with_imports(body: str, nodes: Iterable[ast.expr | None]) -> str:
    used = set().union(*(_free(node) for node in nodes))
    imports = sorted({_IMPORTS[name] for name in used & _IMPORTS.keys()})
    return "\n".join([*imports, "", body]) if imports else body


def try_catch(record: Record, call: Call | None, guard: Guard) -> str | None:
    """A call that tells this error from others of its class; None where that cannot be written from the source."""
    raised = public_class(record)
    fragment = fixed_text(record)
    if call is None or raised is None or fragment is None or record.errorType == "assertion":
        return None
    spoken = set().union(*(_free(clause.node) for clause in guard.fault))
    by_name = [*call.required_by_name, *(name for name in call.optional if name in spoken)]
    arguments = [*call.required, *(f"{name}={name}" for name in by_name)]
    lines = [
        *sorted({f"import {module}" for module in (_module(call.name), _module(raised)) if module}),
        "",
        "try:",
        f"    result = {call.name}({', '.join(arguments)})",
        f"except {raised} as error:",
        f"    if {fragment!r} not in str(error):",
        f"        raise  # another {raised.rpartition('.')[2]}",
        "    result = None",
    ]
    return "\n".join(lines).lstrip("\n")


def _module(name: str) -> str:
    """The module part of a dotted public name."""
    parts = name.split(".")[:-1]
    return ".".join(_lower(parts))


def _lower(parts: Sequence[str]) -> Iterator[str]:
    for part in parts:
        if part[:1].isupper():
            return
        yield part


def public_class(record: Record) -> str | None:
    """The class by a name that a caller can write."""
    if record.errorClassPublic:
        return record.errorClassPublic.removeprefix("builtins.")
    return record.errorClass if record.errorClass and hasattr(builtins, record.errorClass) else None


def fixed_text(record: Record) -> str | None:
    """The longest piece of fixed text on one line of the message, cut at a word."""
    if len(record.messageVariants) != 1:
        return None
    text = record.errorMessage
    for hole in sorted(set(record.placeholders), key=len, reverse=True):
        text = text.replace(f"{{{hole}}}", "\n")
    fewest, most = _FRAGMENT
    piece = max((part.strip() for part in text.split("\n")), key=len)
    if len(piece) > most:
        piece = piece[: most + 1].rpartition(" ")[0] or piece[:most]
    return piece if len(piece) >= fewest and "{" not in piece and "…" not in piece else None

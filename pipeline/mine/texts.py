"""The sources of a program, and what can be seen in them without evaluating anything; each thing looked for once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tree_sitter import Node, Tree

from pipeline.mine.syntax import inside, occurrences, parse

_ARGUMENTS = re.compile(rb"\s*\(")
_BEFORE = re.compile(rb"((?:\w+\.)*)$")
_TOKENS = re.compile(
    rb"""\#[^\n]*|[rbfuRBFU]{0,2}+(?:\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')"""
    rb"""|\w++|[^\s]""",
    re.DOTALL,
)
CHANGES = re.compile(
    rb"\b(\w+)\.(?:append|extend|insert|add|update|write|setdefault)\(|\bnonlocal\s+(\w+)|^\s*(\w+)\[[^\]\n]*\]\s*=[^=]",
    re.MULTILINE,
)


@dataclass(eq=False, slots=True)
class Texts:
    """Sources in UTF-8, by path."""

    sources: Mapping[str, bytes]
    _trees: dict[tuple[str, int, int], Tree] = field(default_factory=dict)
    _calls: dict[tuple[str, str], tuple[tuple[int, str], ...]] = field(default_factory=dict)
    _spoken: dict[tuple[str, str], bool] = field(default_factory=dict)
    _mentioned: dict[tuple[str, str], bool] = field(default_factory=dict)
    _changed: dict[str, frozenset[bytes]] = field(default_factory=dict)

    def module(self, path: str) -> Node:
        """A whole file."""
        return self._tree(path, 0, len(self.sources[path]), self.sources[path])

    def statement(self, path: str, start: int, end: int) -> Node:
        """The statement or definition at these bytes of a file; its own places count from there."""
        return self._tree(path, start, end, self.sources[path][start:end]).named_children[0]

    def expression(self, path: str, start: int, end: int) -> Node | None:
        """The expression that stands at these bytes of a file; its own places count from one byte before."""
        root = self._tree(path, start, end, b"(" + self.sources[path][start:end] + b"\n)")
        statement = root.named_child(0)
        parens = statement.named_child(0) if statement is not None and not statement.is_error else None
        return next(iter(inside(parens)), None) if parens is not None else None

    def _tree(self, path: str, start: int, end: int, source: bytes) -> Node:
        tree = self._trees.get((path, start, end))
        if tree is None:
            tree = self._trees[path, start, end] = parse(source)
        return tree.root_node

    def calls(self, path: str, name: str) -> tuple[tuple[int, str], ...]:
        """Where a file calls something of that last name: the byte of the name, and the dotted name it is called by."""
        key = (path, name)
        if key not in self._calls:
            source, word = self.sources[path], name.encode()
            found = ((at, _called_as(source, at, at + len(word))) for at in occurrences(source, word))
            self._calls[key] = tuple((at, dotted) for at, dotted in found if dotted is not None)
        return self._calls[key]

    def speaks(self, path: str, name: str) -> bool:
        """Whether a file gives a literal text to something of that last name."""
        key = (path, name)
        if key not in self._spoken:
            source, length = self.sources[path], len(name.encode())
            self._spoken[key] = any(_given_text(source, at + length) for at, _ in self.calls(path, name))
        return self._spoken[key]

    def mentions(self, path: str, name: str) -> bool:
        """Whether a function of that name is handed around in a file, not only called."""
        key = (path, name)
        if key not in self._mentioned:
            source, word = self.sources[path], name.encode()
            self._mentioned[key] = any(
                not _ARGUMENTS.match(source, at + len(word)) and source[at - 1 : at] != b"."
                for at in occurrences(source, word)
            )
        return self._mentioned[key]

    def changes(self, path: str, name: str) -> bool:
        """Whether a file changes a container of that name in place."""
        if path not in self._changed:
            found = CHANGES.findall(self.sources[path])
            self._changed[path] = frozenset(part for row in found for part in row if part)
        return name.encode() in self._changed[path]


def _given_text(source: bytes, start: int) -> bool:
    """Whether an argument of the call whose arguments begin here begins with a literal text."""
    depth, before = 0, b""
    for token in _TOKENS.finditer(source, start):
        said = token[0]
        if said in b"([{":
            depth += 1
        elif said in b")]}":
            depth -= 1
            if depth <= 0:
                return False
        elif said[-1:] in b"\"'" and depth == 1 and before in (b"(", b",", b"="):
            return True
        if said[:1] != b"#":
            before = said
    return False


def _called_as(source: bytes, start: int, end: int) -> str | None:
    """The dotted name by which a word of a source is called; None where it is defined, or not called."""
    if not _ARGUMENTS.match(source, end) or source[max(0, start - 4) : start] == b"def ":
        return None
    line = source[max(0, source.rfind(b"\n", 0, start) + 1) : start]
    before = _BEFORE.search(line)
    return ((before[1] if before else b"") + source[start:end]).decode("utf-8", "replace")

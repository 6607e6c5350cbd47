"""Surroundings of a raise: its enclosing function and class, as the source has them."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from pipeline.mine.syntax import captures, inside, literal_text, node_text, query, string_prefix, words

MAX_LINES = 60
AFTER = 15  # lines after the raise that a long function is cut to
NEAR = range(-10, 3)  # lines, counted from the raise, that say what it depends on

_COMMENTS = query("(comment) @comment")
_SCOPES = query("(function_definition) @scope (class_definition) @scope")
_PARAMETERS = query(
    """(parameters [(identifier) @name
                    (default_parameter name: (identifier) @name)
                    (typed_default_parameter name: (identifier) @name)
                    (typed_parameter . [(identifier) @name
                                        (list_splat_pattern (identifier) @name)
                                        (dictionary_splat_pattern (identifier) @name)])
                    (list_splat_pattern (identifier) @name)
                    (dictionary_splat_pattern (identifier) @name)])"""
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What stands around one raise; all None or empty where there is no function (or class) around it.

    signature: white space collapsed. source: of the enclosing function (or the lines around), at most MAX_LINES.
    near: the code right at the raise, white space collapsed, comments left out.
    """

    signature: str | None
    docstring: str | None
    decorators: tuple[str, ...]
    class_docstring: str | None
    parameters: tuple[str, ...]
    source: str
    near: str


def read(source: bytes, root: Node, lines: Iterable[int]) -> dict[int, Surroundings]:
    """The surroundings of some lines (from 1) of one file."""
    scopes = sorted(captures(_SCOPES, root).get("scope", ()), key=lambda n: (n.start_byte, -n.end_byte))
    text = source.decode("utf-8", "replace").split("\n")
    code = [line.encode() for line in text]
    for comment in captures(_COMMENTS, root).get("comment", ()):
        row, column = comment.start_point
        code[row] = code[row][:column]
    return {line: _around(line, [n for n in scopes if _holds(n, line)], text, code) for line in lines}


def _holds(node: Node, line: int) -> bool:
    return node.start_point[0] < line <= node.end_point[0] + 1


def _around(line: int, scopes: list[Node], text: list[str], code: list[bytes]) -> Surroundings:
    function = scopes[-1] if scopes and scopes[-1].type == "function_definition" else None
    its = _lines(function) if function is not None else range(max(1, line - AFTER), min(line + AFTER, len(text)) + 1)
    cls = next((n for n in reversed(scopes) if n.type == "class_definition"), None)
    return Surroundings(
        signature=_signature(function),
        docstring=read_docstring(function),
        decorators=_decorators(function),
        class_docstring=read_docstring(cls),
        parameters=_parameters(function),
        source=textwrap.dedent("\n".join(text[n - 1] for n in _shown(its, line))).strip("\n"),
        near=" ".join(b" ".join(code[n - 1] for n in its if n - line in NEAR).decode("utf-8", "replace").split()),
    )


def _signature(function: Node | None) -> str | None:
    """The header of a function without its colon."""
    body = function.child_by_field_name("body") if function is not None else None
    if function is None or body is None:
        return None
    said = [words(c) for c in function.children if c.start_byte < body.start_byte and c.type not in (":", "comment")]
    return " ".join(said).replace(" (", "(", 1)


def _lines(function: Node) -> list[int]:
    """The lines of a function without those of its docstring."""
    said = _docstring_node(function)
    left_out = range(said.start_point[0] + 1, said.end_point[0] + 2) if said is not None else ()
    return [n for n in range(function.start_point[0] + 1, function.end_point[0] + 2) if n not in left_out]


def _shown(lines: Sequence[int], line: int) -> Sequence[int]:
    """All lines, or MAX_LINES of them around one where they are too many."""
    at = lines.index(line) if line in lines else 0
    first = max(0, min(at + AFTER + 1, len(lines)) - MAX_LINES) if len(lines) > MAX_LINES else 0
    return lines[first : first + MAX_LINES]


def _decorators(function: Node | None) -> tuple[str, ...]:
    outer = function.parent if function is not None else None
    if outer is None or outer.type != "decorated_definition":
        return ()
    return tuple(words(n).removeprefix("@").strip() for n in outer.named_children if n.type == "decorator")


def _parameters(function: Node | None) -> tuple[str, ...]:
    listed = function.child_by_field_name("parameters") if function is not None else None
    found = captures(_PARAMETERS, listed).get("name", []) if listed is not None else []
    return tuple(node_text(n) for n in sorted(found, key=lambda n: n.start_byte))


def read_docstring(definition: Node | None) -> str | None:
    """The docstring of a function or class, indentation removed."""
    said = _docstring_node(definition) if definition is not None else None
    value = literal_text(said) if said is not None else None
    return (inspect.cleandoc(value) or None) if value else None


def _docstring_node(definition: Node) -> Node | None:
    body = definition.child_by_field_name("body")
    first = next(iter(inside(body)), None) if body is not None else None
    said = inside(first) if first is not None and first.type == "expression_statement" else []
    return said[0] if len(said) == 1 and said[0].type == "string" and "f" not in string_prefix(said[0]) else None

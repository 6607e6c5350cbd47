"""Statements that tell by themselves what they raise: constants, given to a class that only the module can name."""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from pipeline.mine.syntax import inside, node_text, occurrences

_CONSTANTS = frozenset({"string", "concatenated_string", "integer", "float", "true", "false", "none"})
_USES = frozenset(
    {
        "argument_list",
        "as_pattern",
        "attribute",
        "call",
        "comparison_operator",
        "except_clause",
        "raise_statement",
        "return_statement",
        "tuple",
    }
)
"""What a name stands in where it is used, and not given a value. (The new name of `as` is in a target of its own.)"""


@dataclass(eq=False, slots=True)
class Alone:
    """Looks at the statements of one file. Nothing of what the code around them assigns has a part in these."""

    source: bytes
    root: Node
    _bound: dict[tuple[str, int], bool] = field(default_factory=dict)

    def tells(self, statement: Node, start: int, end: int) -> bool:
        """Whether that is so of a raise, or of an assert with a message, in the definition at these bytes."""
        parts = inside(statement)
        if statement.type == "assert_statement":
            return _is_constant(parts[1])
        raised = parts[0] if parts else None
        if raised is not None and raised.type == "call":
            listed = raised.child_by_field_name("arguments")
            if listed is None or listed.type != "argument_list" or not all(map(_is_constant, inside(listed))):
                return False
            raised = raised.child_by_field_name("function")
        name = _first_name(raised)
        return name is not None and not self._binds(name, start, end)

    def _binds(self, name: str, start: int, end: int) -> bool:
        """Whether the definition may give the name a value of its own."""
        key = (name, start)
        if key not in self._bound:
            word = name.encode()
            self._bound[key] = any(
                self._is_bound(start + at, len(word)) for at in occurrences(self.source[start:end], word)
            )
        return self._bound[key]

    def _is_bound(self, at: int, length: int) -> bool:
        node = self.root.descendant_for_byte_range(at, at + length)
        if node is None or node.type != "identifier":
            return node is None or node.type not in ("string_content", "comment")
        return node.parent is None or node.parent.type not in _USES


def _is_constant(node: Node) -> bool:
    if node.type == "string":
        return not any(child.type == "interpolation" for child in node.children)
    return node.type in _CONSTANTS and all(map(_is_constant, inside(node)))


def _first_name(node: Node | None) -> str | None:
    """`a` of `a.b.c`; None where it is something else."""
    while node is not None and node.type == "attribute":
        node = node.child_by_field_name("object")
    return node_text(node) if node is not None and node.type == "identifier" else None

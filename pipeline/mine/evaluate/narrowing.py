"""What tests, loops and inner functions tell of variables, from their form alone."""

from __future__ import annotations

from tree_sitter import Node

from pipeline.mine.evaluate.parameters import known
from pipeline.mine.evaluate.values import (
    Bind,
    Env,
    Many,
    Seq,
    Table,
    Union,
    Unknown,
    Value,
    union,
)
from pipeline.mine.syntax import node_text


def assigned_to(name: str, block: Node) -> list[Node]:
    """The expressions that a block's statements assign to a plain name."""
    out: list[Node] = []
    stack = [block]
    while stack:
        node = stack.pop()
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if node.type == "assignment" and left is not None and right is not None and node_text(left) == name:
            out.append(right)
        elif node.type.endswith(("_statement", "_clause", "block")):
            stack.extend(reversed(node.named_children))
    return out


def emptied(value: Value) -> Value:
    if isinstance(value, Seq) and all(isinstance(i, Many) for i in value.items):
        return Seq(value.kind, ())
    return value


def grown(value: Value, name: str) -> Value:
    """A variable that other code may have changed: a list has more items, a text is another one."""
    if isinstance(value, Seq) and value.kind == "list":
        return Seq("list", (*value.items, Many(Unknown(f"*{name}"))))
    if isinstance(value, Union):
        return union([grown(o, name) for o in value.options])
    if isinstance(value, Table):
        return Table(value.entries, whole=False)
    return value


def endless(node: Node) -> bool:
    test = node.child_by_field_name("condition")
    return test is not None and node_text(test) in ("True", "1")


def matches_all(case: Node) -> bool:
    patterns = [c for c in case.named_children if c.type == "case_pattern"]
    guarded = case.child_by_field_name("guard") is not None
    if guarded or len(patterns) != 1:
        return False
    said = node_text(patterns[0])
    return said == "_" or said.isidentifier()


_TRUE = known(Unknown("?"))


def truthy(test: Node, env: Env | None) -> Env | None:
    """Remembers what a test says of plain names, for texts that are empty only when their source is."""
    kind = test.type
    if kind in ("identifier", "attribute"):
        return Bind(f"?{node_text(test)}", _TRUE, env)
    if kind == "parenthesized_expression" and test.named_children:
        return truthy(test.named_children[0], env)
    if kind == "boolean_operator":
        operator = test.child_by_field_name("operator")
        if operator is not None and operator.type == "and":
            for side in (test.child_by_field_name("left"), test.child_by_field_name("right")):
                env = truthy(side, env) if side is not None else env
    return env


def falsy(test: Node, env: Env | None) -> Env | None:
    if test.type == "not_operator":
        argument = test.child_by_field_name("argument")
        return truthy(argument, env) if argument is not None else env
    return env

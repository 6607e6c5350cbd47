"""Speech: whether a function can return text at all, told from the form of its returns, without running it."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from pipeline.mine.evaluate.classes import is_exception
from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.parameters import read_parameters
from pipeline.mine.evaluate.scope import find
from pipeline.mine.evaluate.strings import METHODS
from pipeline.mine.evaluate.values import (
    Bound,
    Class,
    Function,
    Module,
    Seq,
    Table,
    Text,
    Union,
    Unknown,
    Value,
    options,
)
from pipeline.mine.syntax import inside, node_text


class Speech(enum.IntEnum):
    """What a function's outcome can say."""

    NOTHING = 0
    ARGUMENTS = 1  # only what its arguments say
    TEXT = 2


_TEXT = frozenset({"string", "concatenated_string", "lambda"})
_PARTS = frozenset({
    "parenthesized_expression", "conditional_expression", "boolean_operator", "tuple", "expression_list", "list",
    "named_expression", "dictionary", "pair", "list_splat", "generator_expression", "list_comprehension",
})  # fmt: skip
_DEFINITIONS = frozenset({"function_definition", "class_definition", "decorated_definition"})


def speech(machine: Machine, function: Function) -> Speech:
    """What a function can say, looked at once for each function."""
    key = function.frame.place(function.node)
    if key not in machine.speech:
        machine.speech[key] = Speech.NOTHING  # a circle of calls says nothing by itself
        machine.speech[key] = _Reader(machine, function).read()
    return Speech(machine.speech[key])


class _Form(NamedTuple):
    """What stands in a function: the expressions it returns or yields, those it assigns, the names it defines."""

    returned: tuple[Node, ...]
    assigned: dict[str, list[Node]]
    inner: frozenset[str]


@lru_cache(maxsize=2048)
def _form(function: Node) -> _Form:
    """The form of a function, nested ones left out; literal returns first, since they settle what it can say."""
    returned: list[Node] = []
    assigned: dict[str, list[Node]] = {}
    inner: set[str] = set()
    body = function.child_by_field_name("body")
    stack = [body] if body is not None and function.type != "lambda" else []
    while stack:
        node = stack.pop()
        kind = node.type
        if kind == "return_statement":
            returned += inside(node)[:1]
        elif kind == "expression_statement" and node.named_children:
            first = node.named_children[0]
            if first.type == "yield":
                returned += inside(first)[:1]
            _assign(first, assigned)
        elif kind in _DEFINITIONS:
            named = (node.child_by_field_name("definition") or node).child_by_field_name("name")
            if named is not None:
                inner.add(node_text(named))
        elif kind.endswith(("_statement", "_clause")) or kind == "block":
            stack.extend(node.named_children)
    return _Form(tuple(sorted(returned, key=lambda n: n.type not in _TEXT)), assigned, frozenset(inner))


def _assign(node: Node, assigned: dict[str, list[Node]]) -> None:
    if node.type not in ("assignment", "augmented_assignment"):
        return
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    for name in [left] if left.type == "identifier" else left.named_children:
        assigned.setdefault(node_text(name), []).append(right)


def _loudest(said: Iterable[Speech]) -> Speech:
    """The most that one of several says; those after one that says text are not looked at."""
    out = Speech.NOTHING
    for one in said:
        out = max(out, one)
        if out is Speech.TEXT:
            break
    return out


class _Reader:
    """Reads the returns of one function."""

    def __init__(self, machine: Machine, function: Function) -> None:
        self.machine = machine
        self.function = function
        self.parameters = {p.name for p in read_parameters(function.node)}
        self.form = _form(function.node)
        self.seen: set[str] = set()

    def read(self) -> Speech:
        body = self.function.node.child_by_field_name("body")
        if body is None:
            return Speech.NOTHING
        if self.function.node.type == "lambda":
            return self.expression(body)
        return _loudest(map(self.expression, self.form.returned))

    def expression(self, node: Node) -> Speech:
        kind = node.type
        if kind in _TEXT:
            return Speech.TEXT
        if kind == "identifier":
            return self.name(node_text(node))
        if kind == "call":
            return self.call(node)
        if kind in ("attribute", "subscript"):
            return self.reached(node)
        if kind == "binary_operator":
            sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
            return _loudest(self.expression(s) for s in sides if s is not None)
        if kind in _PARTS:
            return _loudest(map(self.expression, node.named_children))
        return Speech.NOTHING

    def name(self, name: str) -> Speech:
        if name in self.form.inner:
            return Speech.TEXT
        out = Speech.ARGUMENTS if name in self.parameters else Speech.NOTHING
        if name in self.seen:
            return out
        self.seen.add(name)
        if name in self.form.assigned:
            return max(out, _loudest(map(self.expression, self.form.assigned[name])))
        if name in self.parameters or find(self.function.env, name)[0]:
            return max(out, Speech.ARGUMENTS)
        return _says(self.machine, self.machine.global_value(self.function.frame.path, name))

    def call(self, node: Node) -> Speech:
        function, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or listed is None:
            return Speech.NOTHING
        member = function.child_by_field_name("attribute")
        owner = function.child_by_field_name("object")
        if member is not None and owner is not None and node_text(member) in METHODS:
            return _loudest(one(its) for one, its in ((self.expression, owner), (self.arguments, listed)))
        callee = self.callee(function)
        if callee is None:
            return Speech.NOTHING
        said = _loudest(_called(self.machine, c) for c in options(callee))
        return self.arguments(listed) if said is Speech.ARGUMENTS else said

    def arguments(self, listed: Node) -> Speech:
        values = (c.child_by_field_name("value") or c for c in listed.named_children)
        return _loudest(map(self.expression, values))

    def callee(self, function: Node) -> Value | None:
        root = function
        while root.type == "attribute":
            inner = root.child_by_field_name("object")
            if inner is None:
                return None
            root = inner
        if root.type != "identifier":
            return None
        name = node_text(root)
        if name in self.form.inner:
            return Text(("?",))
        if name in self.parameters and self.function.owner is not None and function.type == "attribute":
            return self.method(function)
        if name in self.parameters or name in self.form.assigned or find(self.function.env, name)[0]:
            return Text(("?",)) if function.type == "identifier" else None
        return self.machine.evaluate(function, None, self.function.frame)

    def method(self, function: Node) -> Value | None:
        """`self.name` of the function's own class."""
        owner, member = function.child_by_field_name("object"), function.child_by_field_name("attribute")
        if owner is None or member is None or owner.type != "identifier" or self.function.owner is None:
            return None
        return self.machine.attribute(self.function.owner, node_text(member), "", self.function.frame)

    def reached(self, node: Node) -> Speech:
        """An attribute or item: text where its root is the object itself or a global that holds text."""
        root = node
        while root.type in ("attribute", "subscript"):
            inner = root.child_by_field_name("object") or root.child_by_field_name("value")
            if inner is None:
                return Speech.NOTHING
            root = inner
        if root.type != "identifier":
            return Speech.NOTHING
        name = node_text(root)
        if name in self.parameters:
            return Speech.TEXT if self.function.owner is not None else Speech.NOTHING
        if name in self.form.assigned:
            return self.name(name)
        value = self.machine.evaluate(node, self.function.env, self.function.frame)
        return _says(self.machine, value)


def _says(machine: Machine, value: Value | None) -> Speech:
    """What a value that stands in the source says."""
    if isinstance(value, (Text, Function, Bound, Seq, Table)):
        return Speech.TEXT
    if isinstance(value, Class):
        return Speech.TEXT if is_exception(value) else Speech.NOTHING
    if isinstance(value, Union):
        return _loudest(_says(machine, o) for o in value.options)
    return Speech.NOTHING


def _called(machine: Machine, callee: Value) -> Speech:
    """What calling it says."""
    if isinstance(callee, Function):
        return speech(machine, callee)
    if isinstance(callee, Bound):
        return _called(machine, callee.function)
    if isinstance(callee, Class):
        return Speech.TEXT if is_exception(callee) else Speech.ARGUMENTS
    if isinstance(callee, (Unknown, Module)):
        return Speech.NOTHING
    return Speech.TEXT if isinstance(callee, Text) else Speech.ARGUMENTS

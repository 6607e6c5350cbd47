"""Truth: whether a test holds, where the values it speaks of are known."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.values import (
    Bound,
    Class,
    Const,
    Env,
    Frame,
    Function,
    Instance,
    Many,
    Module,
    Seq,
    Table,
    Text,
    Union,
    Value,
)
from pipeline.mine.syntax import inside, node_text
from pipeline.mine.template import fixed_text

_PLAIN = frozenset({
    "identifier", "attribute", "string", "concatenated_string", "integer", "float", "true", "false", "none", "tuple",
    "list", "set", "subscript",
})  # fmt: skip


def truth(machine: Machine, node: Node, env: Env | None, frame: Frame) -> bool | None:
    """Whether the test holds; None where that is not known. Calls nothing but isinstance and callable."""
    kind = node.type
    if kind == "parenthesized_expression" and node.named_children:
        return truth(machine, node.named_children[0], env, frame)
    if kind == "not_operator":
        argument = node.child_by_field_name("argument")
        verdict = truth(machine, argument, env, frame) if argument is not None else None
        return None if verdict is None else not verdict
    if kind == "boolean_operator":
        return _boolean(machine, node, env, frame)
    if kind == "comparison_operator":
        return _comparison(machine, node, env, frame)
    if kind == "call":
        return _call(machine, node, env, frame)
    if kind == "named_expression":
        value = node.child_by_field_name("value")
        return truth(machine, value, env, frame) if value is not None else None
    return truth_of(machine.evaluate(node, env, frame)) if kind in _PLAIN else None


def truth_of(value: Value) -> bool | None:
    """`bool(value)`, where it is known."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Text):
        known = fixed_text(value.template)
        return bool(known) if known is not None else True if any(isinstance(p, str) for p in value.template) else None
    if isinstance(value, (Function, Bound, Class, Module)):
        return True
    if isinstance(value, Seq):
        return True if any(not isinstance(i, Many) for i in value.items) else None if value.items else False
    if isinstance(value, Table) and value.whole:
        return bool(value.entries)
    if isinstance(value, Union):
        verdicts = {truth_of(o) for o in value.options}
        return verdicts.pop() if len(verdicts) == 1 else None
    if isinstance(value, Instance) and any(c.dotted == "builtins.BaseException" for c in value.cls.mro):
        return True
    return None


def _boolean(machine: Machine, node: Node, env: Env | None, frame: Frame) -> bool | None:
    sides = [node.child_by_field_name(f) for f in ("left", "right")]
    operator = node.child_by_field_name("operator")
    verdicts = [truth(machine, s, env, frame) if s is not None else None for s in sides]
    decisive = operator is not None and node_text(operator) == "or"
    if decisive in verdicts:
        return decisive
    return None if None in verdicts else not decisive


def _comparison(machine: Machine, node: Node, env: Env | None, frame: Frame) -> bool | None:
    if len(node.named_children) != 2:
        return None
    left, right = node.named_children
    sign = " ".join(node_text(c) for c in node.children if not c.is_named)
    test = _COMPARISONS.get(sign)
    if test is None or not _is_plain(left) or not _is_plain(right):
        return None
    if "is" in sign and right.type != "none":
        return None
    a = machine.evaluate(left, env, frame)
    if isinstance(a, Union):
        verdicts = {test(o, machine.evaluate(right, env, frame)) for o in a.options}
        return verdicts.pop() if len(verdicts) == 1 else None
    return test(a, machine.evaluate(right, env, frame))


def _is_plain(node: Node) -> bool:
    """Whether evaluating it runs nothing: names, literals, and `len(…)` of them."""
    if node.type == "call":
        function = node.child_by_field_name("function")
        return function is not None and node_text(function) == "len"
    return node.type in _PLAIN


def _is_none(value: Value, other: Value) -> bool | None:
    del other  # it is None: nothing else is compared by identity
    if isinstance(value, Const):
        return value.value is None
    return False if isinstance(value, (Text, Seq, Table, Function, Bound, Class, Instance, Module)) else None


def _equal(a: Value, b: Value) -> bool | None:
    if isinstance(a, Const) and isinstance(b, Const):
        return a.value == b.value
    if isinstance(a, Text) and isinstance(b, Text):
        known = fixed_text(a.template), fixed_text(b.template)
        return known[0] == known[1] if None not in known else None
    if {type(a), type(b)} == {Text, Const}:
        return False
    return None


def _within(a: Value, b: Value) -> bool | None:
    if isinstance(b, Seq):
        candidates = [i for i in b.items if not isinstance(i, Many)]
        whole = len(candidates) == len(b.items)
    elif isinstance(b, Table):
        candidates, whole = [k for k, _ in b.entries], b.whole
    else:
        return None
    verdicts = [_equal(a, c) for c in candidates]
    if True in verdicts:
        return True
    return False if whole and None not in verdicts else None


def _negated(test: Callable[[Value, Value], bool | None]) -> Callable[[Value, Value], bool | None]:
    def negated(a: Value, b: Value) -> bool | None:
        verdict = test(a, b)
        return None if verdict is None else not verdict

    return negated


_COMPARISONS: dict[str, Callable[[Value, Value], bool | None]] = {
    "is": _is_none,
    "is not": _negated(_is_none),
    "==": _equal,
    "!=": _negated(_equal),
    "in": _within,
    "not in": _negated(_within),
}

_TYPES: dict[str, tuple[type, ...]] = {"str": (Text,), "list": (Seq,), "tuple": (Seq,), "dict": (Table,)}


def _call(machine: Machine, node: Node, env: Env | None, frame: Frame) -> bool | None:
    function, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    arguments = inside(listed) if listed is not None else []
    name = node_text(function) if function is not None else ""
    if not arguments or arguments[0].type not in _PLAIN:
        return None
    if name == "callable" and len(arguments) == 1:
        value = machine.evaluate(arguments[0], env, frame)
        return (
            True if isinstance(value, (Function, Bound, Class)) else False if isinstance(value, (Text, Seq)) else None
        )
    if name == "isinstance" and len(arguments) == 2:
        return _isinstance(machine.evaluate(arguments[0], env, frame), node_text(arguments[1]))
    if name == "bool" and len(arguments) == 1:
        return truth(machine, arguments[0], env, frame)
    return None


def _isinstance(value: Value, name: str) -> bool | None:
    if isinstance(value, Text):
        return name == "str" if name in ("str", "int", "float", "list", "tuple", "dict", "bytes", "Exception") else None
    if isinstance(value, Seq) and name in ("str", "list", "tuple", "dict"):
        return name == value.kind
    return None

"""Operators: `+`, `%`, `*`, `and`, `or`, `not`, comparisons and conditional expressions."""

from __future__ import annotations

from tree_sitter import Node

from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.render import to_text
from pipeline.mine.evaluate.strings import percent
from pipeline.mine.evaluate.truth import truth_of
from pipeline.mine.evaluate.values import (
    Bind,
    Const,
    Env,
    Frame,
    Lazy,
    Many,
    Marker,
    Seq,
    Text,
    Union,
    Unknown,
    Value,
    options,
    union,
)
from pipeline.mine.syntax import inside, node_text, words
from pipeline.mine.template import Template, bounded, concat, repeat

FALSY = "falsy"  # why an Unknown is what it is: only a false value comes out of the left of `and`
MAX_ITEMS = 64  # elements of a literal list, entries of a literal dict that are looked at


def binary(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    left_node, right_node = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left_node is None or right_node is None or operator is None:
        return Unknown(words(node))
    sign = node_text(operator)
    if sign not in ("+", "%", "*", "|", "-", "//", "/"):
        return Unknown(words(node))
    left = _summed(machine, left_node, env, frame) if sign == "+" else machine.evaluate(left_node, env, frame)
    if sign == "%" and isinstance(left, Unknown):
        left = machine.widen(left)
    if isinstance(left, Unknown) and sign not in ("+", "*"):
        return Unknown(words(node))
    right = machine.evaluate(right_node, env, frame)
    return operate(machine, sign, left, right, (words(left_node), words(right_node)), words(node))


def _summed(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """The left side of a sum, its own sums added up one after the other: a long one must not nest."""
    spine: list[Node] = []
    while node.type == "binary_operator":
        operator, left = node.child_by_field_name("operator"), node.child_by_field_name("left")
        if operator is None or left is None or operator.type != "+":
            break
        spine.append(node)
        node = left
    value, source = machine.evaluate(node, env, frame), words(node)
    for one in reversed(spine):
        right = one.child_by_field_name("right")
        if right is None:
            return Unknown(words(one))
        value = operate(machine, "+", value, machine.evaluate(right, env, frame), (source, words(right)), words(one))
        source = ""
    return value


def operate(machine: Machine, sign: str, left: Value, right: Value, names: tuple[str, str], source: str) -> Value:
    """`left sign right`; `names` are the operands' sources."""
    if isinstance(left, Union) or (isinstance(right, Union) and sign != "%" and not isinstance(left, Text)):
        pairs = [(a, b) for a in options(left) for b in options(right)]
        if len(pairs) > 64:
            machine.hit("alternatives")
            return Unknown(source)
        return union([operate(machine, sign, a, b, names, source) for a, b in pairs])
    if sign == "%" and isinstance(left, Text):
        return _percent(machine, left.template, right, names[1], source)
    if sign == "+":
        return _add(machine, left, right, names, source)
    if sign == "*":
        return _times(left, right, source)
    if isinstance(left, Const) and isinstance(right, Const):
        return _arithmetic(sign, left.value, right.value, source)
    return Unknown(source)


def _percent(machine: Machine, template: Template, right: Value, name: str, source: str) -> Value:
    if isinstance(right, Union) and all(isinstance(o, Seq) and o.kind == "tuple" for o in right.options):
        return union([_percent(machine, template, o, name, source) for o in right.options])
    said = percent(template, right, name, machine.show)
    return Unknown(source) if said is None else Text(said)


def _add(machine: Machine, left: Value, right: Value, names: tuple[str, str], source: str) -> Value:
    if isinstance(left, Seq) or isinstance(right, Seq):
        return extended(left, right)
    if isinstance(left, Const) and isinstance(right, Const):
        return _arithmetic("+", left.value, right.value, source)
    if isinstance(left, Const) or isinstance(right, Const):
        return Unknown(source)
    if not isinstance(left, (Text, Marker)) and not isinstance(right, (Text, Marker)):
        return Unknown(source, may_be_empty=_can_be_empty(left) and _can_be_empty(right))
    both = [to_text(left, names[0], machine.show), to_text(right, names[1], machine.show)]
    return Text(bounded(concat(both), source))


def _can_be_empty(value: Value) -> bool:
    return isinstance(value, Unknown) and value.may_be_empty


def extended(left: Value, right: Value) -> Value:
    """A sequence and the items after it."""
    kind = left.kind if isinstance(left, Seq) else right.kind if isinstance(right, Seq) else "list"
    return Seq(kind, (*items_of(left), *items_of(right)))


def items_of(value: Value) -> tuple[Value | Many, ...]:
    """The elements of a value that is spliced into a sequence."""
    if isinstance(value, Seq):
        return value.items
    if isinstance(value, Marker):
        return (value,)
    if isinstance(value, Unknown):
        return (Many(Unknown(f"*{value.source}")),)
    return (Many(Unknown("")),)


def _times(left: Value, right: Value, source: str) -> Value:
    if isinstance(right, (Text, Seq)):
        left, right = right, left
    count = right.value if isinstance(right, Const) and isinstance(right.value, int) else None
    if isinstance(left, Text):
        if count is None:
            return Text(repeat(left.template))
        return Text(concat([left.template] * count)) if count * len(left.template) <= 400 else Unknown(source)
    if isinstance(left, Seq):
        if count is None:
            return Seq(left.kind, tuple(i if isinstance(i, Many) else Many(i) for i in left.items))
        return Seq(left.kind, left.items * count) if count * len(left.items) <= MAX_ITEMS else Unknown(source)
    if isinstance(left, Const) and isinstance(right, Const):
        return _arithmetic("*", left.value, right.value, source)
    return Unknown(source)


def _arithmetic(sign: str, left: object, right: object, source: str) -> Value:
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return (
            Const(left + right)
            if sign == "+" and isinstance(left, bytes) and isinstance(right, bytes)
            else Unknown(source)
        )
    try:
        if sign == "+":
            return Const(left + right)
        if sign == "-":
            return Const(left - right)
        if sign == "*" and abs(left) < 1e9 and abs(right) < 1e9:
            return Const(left * right)
        if sign in ("//", "/"):
            return Const(left // right if sign == "//" else left / right)
    except (ArithmeticError, ValueError):
        pass
    return Unknown(source)


def unary(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    argument = node.child_by_field_name("argument")
    value = machine.evaluate(argument, env, frame) if argument is not None else None
    if isinstance(value, Const) and isinstance(value.value, (int, float)) and node_text(node).startswith("-"):
        return Const(-value.value)
    return Unknown(words(node))


def test(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """A comparison or `not`."""
    verdict = machine.truth(node, env, frame)
    return Unknown(words(node)) if verdict is None else Const(verdict)


def boolean(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """`a or b`, `a and b`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return Unknown(words(node))
    first, sign = machine.evaluate(left, env, frame), node_text(operator)
    kept: list[Value] = []
    for option in options(first):
        verdict = truth_of(option)
        if verdict is not (sign == "and"):
            kept.append(option)
    if kept and all(truth_of(o) is (sign == "or") for o in options(first)):
        return first
    if sign == "and":
        kept = [Unknown(o.source, o.may_be_empty, why=FALSY) if isinstance(o, Unknown) else o for o in kept]
    else:
        kept = [o for o in kept if not (isinstance(o, Unknown) and o.why == FALSY)]
    return union([*kept, machine.evaluate(right, env, frame)])


def choice(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """`a if test else b`."""
    parts = inside(node)
    if len(parts) != 3:
        return Unknown(words(node))
    verdict = machine.truth(parts[1], env, frame)
    if verdict is not None:
        return machine.evaluate(parts[0] if verdict else parts[2], env, frame)
    held = known_true(parts[1], env)
    return union([machine.evaluate(parts[0], held, frame), machine.evaluate(parts[2], env, frame)])


def known_true(condition: Node, env: Env | None) -> Env | None:
    if condition.type in ("identifier", "attribute"):
        return Bind(f"?{node_text(condition)}", Lazy(lambda: Const(True), Const(True)), env)
    return env

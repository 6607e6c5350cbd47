"""Changes: a container after something was put into it, a variable after `+=`, and after a loop's rounds."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from pipeline.mine.evaluate.arguments import read_arguments
from pipeline.mine.evaluate.containers import fixed_key
from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.operators import extended, operate
from pipeline.mine.evaluate.render import MARK, to_text
from pipeline.mine.evaluate.values import (
    Const,
    Env,
    Frame,
    Many,
    Marker,
    Seq,
    Table,
    Text,
    Union,
    Unknown,
    Value,
    options,
    union,
)
from pipeline.mine.syntax import node_text, words
from pipeline.mine.template import EMPTY, Hole, Template, concat, either, repeat, text


def mutate(machine: Machine, value: Value, method: str, node: Node, env: Env | None, frame: Frame) -> Value:
    if isinstance(value, Union):
        return union([mutate(machine, o, method, node, env, frame) for o in value.options])
    if method == "[]":
        return _stored(machine, value, node, env, frame)
    listed = node.child_by_field_name("arguments")
    arguments, keywords = read_arguments(machine, listed, env, frame) if listed is not None else ((), ())
    if method == "write" and arguments and isinstance(value, (Text, Marker)):
        return operate(machine, "+", value, arguments[0], ("", "written"), "written")
    if method == "update" and isinstance(value, Table):
        return _updated(value, arguments, keywords)
    if not isinstance(value, (Seq, Marker)) or not arguments:
        return value
    if method == "extend":
        return extended(value, arguments[0])
    if method == "insert" and len(arguments) == 2:
        whole = Seq("list", (arguments[1],))
        at_front = arguments[0] == Const(0)
        return extended(whole, value) if at_front else extended(value, whole)
    if method in ("append", "add", "appendleft"):
        return extended(value, Seq("list", (arguments[0],)))
    return value


def _stored(machine: Machine, value: Value, target: Node, env: Env | None, frame: Frame) -> Value:
    keys = target.children_by_field_name("subscript")
    stored = target.parent.child_by_field_name("right") if target.parent is not None else None
    if isinstance(value, Table) and len(keys) == 1:
        key = machine.evaluate(keys[0], env, frame)
        new = machine.evaluate(stored, env, frame) if stored is not None else Unknown("")
        if fixed_key(key):
            kept = tuple((k, v) for k, v in value.entries if k != key)
            return Table((*kept, (key, new)), value.whole)
        return Table(value.entries, whole=False)
    return Unknown("") if isinstance(value, Seq) else value


def _updated(value: Table, arguments: Sequence[Value], keywords: Sequence[tuple[str, Value]]) -> Value:
    entries, whole = value.entries, value.whole
    for one in arguments:
        entries += one.entries if isinstance(one, Table) else ()
        whole &= isinstance(one, Table) and one.whole
    return Table((*entries, *((Text(text(k)), v) for k, v in keywords)), whole)


def augment(machine: Machine, value: Value, node: Node, env: Env | None, frame: Frame) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return Unknown("")
    sign = node_text(operator).removesuffix("=")
    names = (words(left), words(right))
    return operate(machine, sign, value, machine.evaluate(right, env, frame), names, words(left))


def rounds(machine: Machine, start: Value | None, ends: list[Value], marker: Marker) -> Value:
    """A variable at the head of a loop, from its value before and the values after a round."""
    added: list[Template] = []
    items: list[Value | Many] = []
    others: list[Value] = []
    mark = (Hole(f"{MARK}{marker.loop}:{marker.name}", may_be_empty=True),)
    for end in ends:
        if end == marker:
            continue
        if isinstance(end, Seq) and marker in end.items:
            items += [i if isinstance(i, Many) else Many(i) for i in end.items if i != marker]
        elif isinstance(end, Text) and end.template[:1] == mark and _free(end.template[1:], mark):
            added.append(end.template[1:])
        elif isinstance(end, Text) and not _free(end.template, mark):
            return Unknown(marker.name)
        else:
            others.append(end)
    values = ([start] if start is not None else []) + others
    if not added and not items:
        return union(values) if values else Unknown(marker.name)
    out: list[Value] = []
    for value in values or [Text(EMPTY)]:
        for option in options(value):
            if added and isinstance(option, Const):  # a sum, no text
                out.append(Unknown(marker.name))
            elif added and isinstance(option, Seq):
                out.append(extended(option, Seq("list", (Many(Unknown("")),))))
            elif items and isinstance(option, (Seq, Marker)):
                out.append(extended(option, Seq("list", tuple(items))))
            elif added and not isinstance(option, (Seq, Table)):
                before = to_text(option, marker.name, machine.show)
                out.append(Text(concat([before, repeat(either(added))])))
            else:
                out.append(option)
    return union(out)


def _free(template: Template, mark: Template) -> bool:
    return mark[0] not in template

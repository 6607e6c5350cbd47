"""Containers: lists, tuples, dicts and comprehensions, and what their items are."""

from __future__ import annotations

from tree_sitter import Node

from pipeline.mine.evaluate.arguments import inner
from pipeline.mine.evaluate.machine import Machine, Step
from pipeline.mine.evaluate.operators import MAX_ITEMS, items_of
from pipeline.mine.evaluate.values import (
    Bind,
    Caught,
    Class,
    Const,
    Env,
    Frame,
    Function,
    Lazy,
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
from pipeline.mine.syntax import inside, node_text, words
from pipeline.mine.template import cut, fixed_text, text

MAX_UNROLLED = 8  # elements over which a comprehension is written out


def sequence(kind: str) -> Step:
    def step(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
        items: list[Value | Many] = []
        children = inside(node)
        if len(children) > MAX_ITEMS:
            return Unknown(words(node))
        for child in children:
            if child.type == "list_splat":
                items.extend(items_of(inner(machine, child, env, frame)))
            elif node_text(child).startswith("*"):  # `*a.b` is read as an attribute of `*a`
                items.append(Many(Unknown(words(child))))
            else:
                items.append(machine.evaluate(child, env, frame))
        return Seq(kind, tuple(items))

    return step


def dictionary(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    entries: list[tuple[Value, Value]] = []
    whole = True
    pairs = inside(node)
    if len(pairs) > MAX_ITEMS:
        return Unknown(words(node))
    for pair in pairs:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if pair.type == "pair" and key is not None and value is not None:
            entries.append((machine.evaluate(key, env, frame), machine.evaluate(value, env, frame)))
            continue
        spread = inner(machine, pair, env, frame)
        if isinstance(spread, Table):
            entries.extend(spread.entries)
            whole &= spread.whole
        else:
            whole = False
    return Table(tuple(entries), whole)


def comprehension(kind: str) -> Step:
    def step(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
        body = node.child_by_field_name("body")
        clauses = [c for c in node.named_children if c.type in ("for_in_clause", "if_clause")]
        if body is None or not clauses:
            return Unknown(words(node))
        if len(clauses) == 1:
            written = _unrolled(machine, body, clauses[0], env, frame)
            if written is not None:
                return Seq(kind, written)
        for clause in clauses:
            left, right = clause.child_by_field_name("left"), clause.child_by_field_name("right")
            if left is not None and right is not None:
                source = Lazy(lambda right=right, env=env: machine.evaluate(right, env, frame))  # type: ignore[misc]  # a lambda's defaults
                env = bind_target(machine, left, source, env)
        return Seq(kind, (Many(machine.evaluate(body, env, frame)),))

    return step


def _unrolled(
    machine: Machine, body: Node, clause: Node, env: Env | None, frame: Frame
) -> tuple[Value | Many, ...] | None:
    """The elements one by one, where the comprehension runs over a few known ones."""
    left, right = clause.child_by_field_name("left"), clause.child_by_field_name("right")
    if left is None or right is None:
        return None
    source = machine.evaluate(right, env, frame)
    if not isinstance(source, Seq) or source.kind == "set" or len(source.items) > MAX_UNROLLED:
        return None
    out: list[Value | Many] = []
    for item in source.items:
        value = item.value if isinstance(item, Many) else item
        if isinstance(value, Marker):
            return None
        one = machine.evaluate(body, bind_value(machine, left, value, env), frame)
        out.append(Many(one) if isinstance(item, Many) else one)
    return tuple(out)


def bind_target(machine: Machine, target: Node, source: Lazy, env: Env | None) -> Env | None:
    """Binds a comprehension's target to any element of what it runs over."""
    said = words(target)
    whole = Lazy(lambda: machine.element(machine.force(source), said))
    if target.type == "identifier":
        return Bind(said, whole, env)
    for i, part in enumerate(c for c in inside(target)):
        its = node_text(part)
        env = Bind(its, Lazy(lambda i=i, its=its: machine.member(machine.force(whole), Const(i), its)), env)  # type: ignore[misc]  # a lambda's defaults
    return env


def bind_value(machine: Machine, target: Node, value: Value, env: Env | None) -> Env | None:
    return bind_target(machine, target, Lazy(lambda: Seq("tuple", (value,))), env)


def element_of(value: Value, source: str) -> Value:
    """What a loop over the value gives in any round."""
    if isinstance(value, Seq) and value.items:
        found = [i.value if isinstance(i, Many) else i for i in value.items]
        return union([Unknown(source) if isinstance(f, (Unknown, Marker)) else f for f in found])
    if isinstance(value, Table) and value.whole and value.entries:
        return union([k for k, _ in value.entries])
    if isinstance(value, Union):
        return union([element_of(o, source) for o in value.options])
    return Unknown(source)


def member_of(value: Value, key: Value, source: str) -> Value:
    """`value[key]`."""
    if isinstance(value, Union):
        return union([member_of(o, key, source) for o in value.options])
    if isinstance(key, Union) and isinstance(value, (Seq, Table)):
        return union([member_of(value, k, source) for k in key.options])
    if isinstance(value, Seq):
        return _item(value, key, source)
    if isinstance(value, Table):
        known = [v for k, v in value.entries if k == key]
        if known:
            return known[-1]
        if isinstance(key, (Text, Const)) and fixed_key(key):
            return Unknown(source)
        return union([v for _, v in value.entries]) if value.whole and value.entries else Unknown(source)
    if isinstance(value, Text) and isinstance(key, Const) and isinstance(key.value, int):
        whole = fixed_text(value.template)
        if whole is not None and -len(whole) <= key.value < len(whole):
            return Text(text(whole[key.value]))
    return Unknown(source)


def fixed_key(key: Value) -> bool:
    return isinstance(key, Const) or (isinstance(key, Text) and fixed_text(key.template) is not None)


def _item(value: Seq, key: Value, source: str) -> Value:
    many = any(isinstance(i, (Many, Marker)) for i in value.items)
    if isinstance(key, Const) and isinstance(key.value, int):
        before = [isinstance(i, (Many, Marker)) for i in value.items]
        index = key.value
        clear = not many or (index >= 0 and not any(before[: index + 1])) or (index < 0 and not any(before[index:]))
        if clear and -len(value.items) <= index < len(value.items):
            found = value.items[index]
            return found.value if isinstance(found, Many) else found
        if many:
            return element_of(value, source)
        return Unknown(source)
    if isinstance(key, Unknown) and not many and value.items:
        return union([i for i in value.items if not isinstance(i, Many)])
    return Unknown(source)


def subscript(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    owner, keys = node.child_by_field_name("value"), node.children_by_field_name("subscript")
    if owner is None or len(keys) != 1:
        return Unknown(words(node))
    value = machine.glance(owner, env, frame)
    if isinstance(value, (Unknown, Function, Caught)):
        return Unknown(words(node), may_be_empty=keys[0].type == "slice")
    value = machine.evaluate(owner, env, frame)  # worth the calls in it: it is something with items
    if keys[0].type == "slice":
        return union([_slice(machine, o, keys[0], words(node), env, frame) for o in options(value)])
    if isinstance(value, Class):
        return value  # a generic class with its arguments
    return machine.member(value, machine.evaluate(keys[0], env, frame), words(node))


def _slice(machine: Machine, value: Value, node: Node, source: str, env: Env | None, frame: Frame) -> Value:
    bounds: list[int | None] = [None, None, None]
    position = 0
    for child in node.children:
        if child.type == ":":
            position += 1
        elif child.is_named:
            known = machine.evaluate(child, env, frame)
            if not isinstance(known, Const) or not isinstance(known.value, int):
                return Unknown(source, may_be_empty=True)
            bounds[position] = known.value
    span = slice(*bounds)
    if isinstance(value, Text):
        left = cut(value.template, bounds)
        return Unknown(source, may_be_empty=True) if left is None else Text(left)
    if isinstance(value, Seq) and not any(isinstance(i, (Many, Marker)) for i in value.items):
        return Seq(value.kind, value.items[span])
    return Unknown(source, may_be_empty=True)

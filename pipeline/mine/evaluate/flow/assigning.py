"""Statements that assign, or change what is assigned."""

from __future__ import annotations

from tree_sitter import Node

from pipeline.mine.evaluate.flow.runner import Runner, State
from pipeline.mine.evaluate.narrowing import assigned_to, grown
from pipeline.mine.evaluate.parameters import known
from pipeline.mine.evaluate.run import Point
from pipeline.mine.evaluate.scope import find
from pipeline.mine.evaluate.values import (
    Bind,
    Const,
    Env,
    Frame,
    Function,
    Lazy,
    Unknown,
    Value,
    union,
)
from pipeline.mine.syntax import inside, node_text, words

_HARMLESS = frozenset({"print", "len", "warn", "info", "debug", "warning", "isinstance", "del"})
_MUTATORS = frozenset(
    {"append", "extend", "insert", "add", "update", "write", "appendleft", "setdefault", "writelines"}
)


def expression(runner: Runner, node: Node, env: Env | None) -> State:
    for child in node.named_children:
        kind = child.type
        if kind == "assignment":
            env = assignment(runner, child, env)
        elif kind == "augmented_assignment":
            env = augmented(runner, child, env)
        elif kind == "call":
            env = walrus(runner, child, env)
            runner.run.calls.append(Point(child, env, runner.frame))
            env = passed(runner, child, mutation(runner, child, env))
        elif kind == "yield":
            runner.run.yields.append(Point(child, env, runner.frame))
        elif kind == "ERROR":
            runner.statement(child, env)
        else:
            env = walrus(runner, child, env)
    return env


def assignment(runner: Runner, node: Node, env: Env | None) -> Env | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return env
    if right.type == "yield":
        runner.run.yields.append(Point(right, env, runner.frame))
    targets = [left]
    while right.type == "assignment":
        inner = right.child_by_field_name("left")
        targets += [inner] if inner is not None else []
        deeper = right.child_by_field_name("right")
        if deeper is None:
            return env
        right = deeper
    env = walrus(runner, right, env)
    value = runner.lazy(right, env)
    for target in reversed(targets):
        env = bind(runner, target, value, env, right)
    return env


def bind(runner: Runner, target: Node, value: Lazy, env: Env | None, source: Node | None) -> Env | None:
    kind = target.type
    if kind == "identifier":
        return Bind(node_text(target), value, env)
    if kind == "attribute":
        return Bind(named(runner, target), value, env)
    if kind in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"):
        return unpack(runner, target, value, env, source)
    if kind == "subscript":
        return store(runner, target, env)
    return env


def named(runner: Runner, target: Node) -> str:
    """The name that is assigned; a dotted one is noted, so that others need not be looked for."""
    name = node_text(target)
    if target.type == "attribute":
        runner.machine.dotted.add(name)
    return name


def unpack(runner: Runner, target: Node, value: Lazy, env: Env | None, source: Node | None) -> Env | None:
    names = inside(target)
    same_shape = source is not None and source.type in ("expression_list", "tuple", "list")
    parts = inside(source) if same_shape and source is not None else []
    before = env
    starred = any(n.type == "list_splat_pattern" for n in names)
    for i, name in enumerate(names):
        if len(parts) == len(names) and not starred:
            part = parts[i]
            env = bind(runner, name, runner.lazy(part, before), env, part)
        elif name.type == "list_splat_pattern":
            inner = name.named_children[0]
            env = bind(runner, inner, known(Unknown(node_text(inner), may_be_empty=True)), env, None)
        else:
            said = words(name)
            member = Lazy(lambda i=i, said=said: runner.machine.member(runner.machine.force(value), Const(i), said))  # type: ignore[misc]  # defaults of a lambda
            env = bind(runner, name, member, env, None)
    return env


def store(runner: Runner, target: Node, env: Env | None) -> Env | None:
    """`name[key] = value`: the container holds one more entry."""
    owner = target.child_by_field_name("value")
    if owner is None or owner.type not in ("identifier", "attribute"):
        return env
    name, before = named(runner, owner), env
    return Bind(
        name,
        Lazy(
            lambda: runner.machine.mutate(
                runner.machine.lookup(name, before, runner.frame), "[]", target, before, runner.frame
            )
        ),
        env,
    )


def augmented(runner: Runner, node: Node, env: Env | None) -> Env | None:
    left = node.child_by_field_name("left")
    if left is None or left.type not in ("identifier", "attribute"):
        return env
    name, before = named(runner, left), env
    return Bind(
        name,
        Lazy(
            lambda: runner.machine.augment(
                runner.machine.lookup(name, before, runner.frame), node, before, runner.frame
            )
        ),
        env,
    )


def mutation(runner: Runner, call: Node, env: Env | None) -> Env | None:
    """`name.append(…)` and friends: the list is another one afterwards."""
    function = call.child_by_field_name("function")
    if function is None or function.type != "attribute":
        return env
    owner, method = function.child_by_field_name("object"), function.child_by_field_name("attribute")
    if owner is None or method is None or owner.type not in ("identifier", "attribute"):
        return env
    if node_text(method) not in _MUTATORS:
        return env
    name, what, before = named(runner, owner), node_text(method), env
    return Bind(
        name,
        Lazy(
            lambda: runner.machine.mutate(
                runner.machine.lookup(name, before, runner.frame), what, call, before, runner.frame
            )
        ),
        env,
    )


def passed(runner: Runner, call: Node, env: Env | None) -> Env | None:
    """A list that is handed to a function may come back longer."""
    function, listed = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or listed is None or node_text(function).rpartition(".")[2] in _HARMLESS:
        return env
    for argument in listed.named_children:
        if argument.type == "identifier" and find(env, node_text(argument))[0]:
            env = grow(runner, node_text(argument), env)
    return env


def grow(runner: Runner, name: str, env: Env | None) -> Env | None:
    before = env
    return Bind(name, Lazy(lambda: grown(runner.machine.lookup(name, before, runner.frame), name)), env)


def rebound(runner: Runner, name: str, function: Function, body: Node, env: Env | None) -> Env | None:
    """A name that an inner function assigns to, with `nonlocal`: any of its values there, or the one before."""
    before, parent = env, runner.frame

    def values() -> Value:
        frame = Frame(parent.path, function.node, parent.base, parent=parent, owner=parent.owner)
        inner = runner.machine.open_call(function, before, frame)
        assigned = [runner.machine.evaluate(n, inner, frame) for n in assigned_to(name, body)]
        told = any(not isinstance(v, Const) for v in assigned)
        return union([runner.machine.lookup(name, before, parent), *assigned, *([] if told else [Unknown(name)])])

    return Bind(name, Lazy(values), env)


def walrus(runner: Runner, node: Node, env: Env | None) -> Env | None:
    """Binds what `:=` assigns inside an expression."""
    if not runner.walruses or b":=" not in (node.text or b""):
        return env
    stack = [node]
    while stack:
        current = stack.pop()
        if current.type == "named_expression":
            name, value = current.child_by_field_name("name"), current.child_by_field_name("value")
            if name is not None and value is not None:
                env = Bind(node_text(name), runner.lazy(value, env), env)
        if current.type not in ("lambda", "string"):
            stack.extend(reversed(current.named_children))
    return env

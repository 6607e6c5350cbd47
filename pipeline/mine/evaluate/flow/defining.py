"""Definitions inside a body: what they bind, and what they do to the variables around them."""

from __future__ import annotations

from tree_sitter import Node

from pipeline.mine.evaluate.flow.assigning import grow, rebound
from pipeline.mine.evaluate.flow.runner import Runner, State
from pipeline.mine.evaluate.scope import find
from pipeline.mine.evaluate.values import (
    Bind,
    Class,
    Env,
    Frame,
    Function,
    Lazy,
    Value,
)
from pipeline.mine.syntax import node_text
from pipeline.mine.texts import CHANGES


def define(runner: Runner, node: Node, env: Env | None) -> State:
    return defined(runner, node, (), env)


def defined(runner: Runner, node: Node, decorators: tuple[str, ...], env: Env | None) -> State:
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name_node is None or body is None:
        return env
    name = node_text(name_node)
    in_class = runner.frame.node is not None and runner.frame.node.type == "class_definition"
    owner = runner.frame.owner if in_class else None
    made: list[Value] = []
    holder = Lazy(lambda: made[0])
    closure = runner.frame.parent_env if in_class else Bind(name, holder, env)
    function = Function(name, node, runner.frame, closure, owner, decorators)
    made.append(function)
    runner.run.functions.append(holder)
    if env is not None and not in_class:
        env = changed(runner, function, body, env)
    if runner.deep and runner.enters(body):
        nested(runner, function, body)
    return Bind(name, holder, env)


def changed(runner: Runner, function: Function, body: Node, env: Env | None) -> Env | None:
    """What a function inside this one does to the variables around it, whenever it is called."""
    for found in dict.fromkeys(CHANGES.findall(body.text or b"")):
        name = (found[0] or found[1] or found[2]).decode("utf-8", "replace")
        if name and find(env, name)[0]:
            env = rebound(runner, name, function, body, env) if found[1] else grow(runner, name, env)
    return env


def nested(runner: Runner, function: Function, body: Node) -> None:
    parent = runner.frame
    frame = Frame(parent.path, function.node, parent.base, parent=parent, owner=function.owner or parent.owner)
    runner.within(frame).body(body, runner.machine.open_call(function, function.env, frame))


def klass(runner: Runner, node: Node, env: Env | None) -> State:
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    if name is None:
        return env
    made = Lazy(lambda: runner.machine.make_class(node, env, runner.frame))
    if runner.deep and body is not None and runner.enters(body):
        class_body(runner, node, body, env)
    return Bind(node_text(name), made, env)


def class_body(runner: Runner, node: Node, body: Node, env: Env | None) -> None:
    value = runner.machine.make_class(node, env, runner.frame)
    owner = value if isinstance(value, Class) else None
    frame = Frame(runner.frame.path, node, runner.frame.base, parent=runner.frame, owner=owner, parent_env=env)
    runner.within(frame).body(body, env)


def decorated(runner: Runner, node: Node, env: Env | None) -> State:
    inner = node.child_by_field_name("definition")
    if inner is None:
        return env
    if inner.type == "class_definition":
        return klass(runner, inner, env)
    names = tuple(node_text(c)[1:].strip() for c in node.named_children if c.type == "decorator")
    return defined(runner, inner, names, env)

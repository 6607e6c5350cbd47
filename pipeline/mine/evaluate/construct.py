"""Constructors: an object's attributes, and what an exception keeps as `args`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.mine.evaluate.arguments import read_arguments
from pipeline.mine.evaluate.classes import is_exception, own_member
from pipeline.mine.evaluate.flow.flow import Flow
from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.parameters import bind, read_parameters
from pipeline.mine.evaluate.run import Point
from pipeline.mine.evaluate.values import (
    Bind,
    Class,
    Env,
    Frame,
    Function,
    Instance,
    Join,
    Many,
    Seq,
    Value,
)
from pipeline.mine.syntax import node_text


def initialise(machine: Machine, instance: Instance) -> None:
    """Runs the constructor, once, to know the object's attributes and what an exception keeps as `args`."""
    if instance.attributes is not None:
        return
    instance.attributes = {}
    if instance.arguments is None:
        return
    instance.args = (instance.arguments,)  # BaseException.__new__ keeps them, whatever __init__ does
    _construct(machine, instance, 0, instance.arguments, instance.keywords)


def _construct(
    machine: Machine, instance: Instance, start: int, arguments: Sequence[Value], keywords: Sequence[tuple[str, Value]]
) -> bool:
    """Runs the first constructor from place `start` of the resolution order on; whether it set `args`."""
    for place in range(start, len(instance.cls.mro)):
        cls = instance.cls.mro[place]
        if cls.node is None:
            if is_exception(cls):
                instance.args = (tuple(arguments),)
                return True
            continue
        init = own_member(machine, cls, "__init__")
        if isinstance(init, Function):
            return _run_init(machine, instance, init, place, arguments, keywords)
        if not is_exception(cls) and _fields(machine, instance, cls, arguments, keywords):
            return False
    return False


def fields(cls: Class) -> list[str]:
    """The annotated names of a class body, in order: a dataclass's or named tuple's fields."""
    block = cls.node.child_by_field_name("body") if cls.node is not None else None
    names: list[str] = []
    for statement in block.named_children if block is not None else ():
        for node in statement.named_children if statement.type == "expression_statement" else ():
            left = node.child_by_field_name("left")
            if node.type == "assignment" and node.child_by_field_name("type") is not None and left is not None:
                names.append(node_text(left))
    return names


def _fields(
    machine: Machine,
    instance: Instance,
    cls: Class,
    arguments: Sequence[Value],
    keywords: Sequence[tuple[str, Value]],
) -> bool:
    """Gives the annotated fields of a dataclass or named tuple their values."""
    names = fields(cls)
    if not names or instance.attributes is None:
        return False
    instance.attributes.update(zip(names, arguments, strict=False))
    instance.attributes.update(keywords)
    return True


def _run_init(
    machine: Machine,
    instance: Instance,
    init: Function,
    place: int,
    arguments: Sequence[Value],
    keywords: Sequence[tuple[str, Value]],
) -> bool:
    block = init.node.child_by_field_name("body")
    if block is None or init.node.id in init.frame.chain or instance.cls.mro[place].busy:
        return False
    params = read_parameters(init.node)
    frame = Frame(init.frame.path, init.node, init.frame.base, init.frame, init.owner, inlined=True)
    env = bind(params, (instance, *arguments), keywords, init.env, lambda n: machine.evaluate(n, init.env, init.frame))
    machine.step(f"constructor of {instance.cls.mro[place].name}", init.node, frame)
    instance.cls.mro[place].busy = True
    try:
        run = Flow(machine, frame, deep=False).body(block, env)
        me = params[0].name if params else "self"
        kept = _super_calls(machine, instance, run.calls, place)
        _keep_attributes(machine, instance, run.end, env, me, frame)
    finally:
        instance.cls.mro[place].busy = False
    if kept:
        instance.args = tuple(kept)
    assigned = (instance.attributes or {}).get("args")
    if isinstance(assigned, Seq):
        instance.args = (tuple(v for v in assigned.items if not isinstance(v, Many)),)
    return bool(kept)


def _super_calls(machine: Machine, instance: Instance, calls: Sequence[Point], place: int) -> list[tuple[Value, ...]]:
    """Follows `super().__init__(…)` and `Base.__init__(self, …)`: the `args` they leave, of each path."""
    kept: list[tuple[Value, ...]] = []
    for node, env, frame in calls:
        function, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or listed is None or function.type != "attribute":
            continue
        owner, name = function.child_by_field_name("object"), function.child_by_field_name("attribute")
        if owner is None or name is None or node_text(name) != "__init__":
            continue
        arguments, keywords = read_arguments(machine, listed, env, frame)
        target = place + 1
        if not node_text(owner).startswith("super("):
            base = machine.class_of(machine.evaluate(owner, env, frame))
            if base is None or base not in instance.cls.mro or not arguments:
                continue
            target, arguments = instance.cls.mro.index(base), arguments[1:]
        if _construct(machine, instance, target, arguments, keywords):
            kept.extend(instance.args or ())
    return kept


def _keep_attributes(
    machine: Machine, instance: Instance, end: Env | None, start: Env | None, me: str, frame: Frame
) -> None:
    for name in dict.fromkeys(_assigned(end, start)):
        if name.startswith(f"{me}.") and instance.attributes is not None:
            instance.attributes[name[len(me) + 1 :]] = machine.lookup(name, end, frame)


def _assigned(env: Env | None, stop: Env | None) -> Iterator[str]:
    """The names assigned between two environments."""
    while env is not stop and env is not None:
        if isinstance(env, Bind):
            yield env.name
            env = env.parent
        elif isinstance(env, Join):
            for branch in env.branches:
                yield from _assigned(branch, env.base)
            env = env.base
        else:
            for end in env.ends:
                yield from _assigned(end, env)
            env = env.parent

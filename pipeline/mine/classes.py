"""Classes and objects: method resolution, members, what constructors keep, and what `str()` says of them."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence

from pipeline.mine.expression import read_arguments
from pipeline.mine.flow import Flow, Point
from pipeline.mine.machine import Machine
from pipeline.mine.parameters import bind, read_parameters
from pipeline.mine.render import hole, to_repr, to_text
from pipeline.mine.scope import Bind, Env, Join, find
from pipeline.mine.syntax import node_text
from pipeline.mine.template import EMPTY, MAX_OPTIONS, Template, concat, either, text
from pipeline.mine.values import (
    Bound,
    Class,
    Const,
    External,
    Frame,
    Function,
    Instance,
    Many,
    Seq,
    Super,
    Text,
    Unknown,
    Value,
    union,
)

MAX_OVERRIDES = 8  # classes whose own version of a member is looked at for an object that may be of a subclass


def linearise(bases: Sequence[Class], cls: Class) -> tuple[Class, ...]:
    """Python's method resolution order (C3); depth first where the bases contradict each other."""
    lists = [list(b.mro) for b in bases] + [list(bases)]
    out = [cls]
    while any(lists):
        lists = [x for x in lists if x]
        head = next((x[0] for x in lists if not any(x[0] in other[1:] for other in lists)), lists[0][0])
        out.append(head)
        lists = [[c for c in x if c is not head] for x in lists]
    return tuple(out)


def builtin_class(known: dict[str, Class], dotted: str) -> Class:
    """A class outside the tree; those of Python itself with their bases, without `object`."""
    if dotted not in known:
        name = dotted.rpartition(".")[2]
        real = getattr(builtins, name, None) if dotted == f"builtins.{name}" else None
        if isinstance(real, type) and real.__name__ != name:  # IOError is OSError
            return builtin_class(known, f"builtins.{real.__name__}")
        made = known[dotted] = Class(name, name, None, dotted)
        above = real.__mro__[1:-1] if isinstance(real, type) else ()
        made.mro = (made, *(builtin_class(known, f"builtins.{c.__name__}") for c in above))
    return known[dotted]


def is_exception(cls: Class) -> bool:
    return any(c.dotted == "builtins.BaseException" for c in cls.mro)


def namespace(machine: Machine, cls: Class) -> Env | None:
    """The environment at the end of the class body."""
    if cls.frame is None or cls.node is None:
        return None
    if cls.body is None:
        frame = Frame(
            cls.frame.path, cls.node, cls.frame.base, cls.frame, cls, parent_env=cls.env, depth=cls.frame.depth
        )
        block = cls.node.child_by_field_name("body")
        cls.body = frame
        if block is not None:
            Flow(machine, frame, deep=False).body(block, cls.env)
    return cls.body.final


def own_member(machine: Machine, cls: Class, name: str) -> Value | None:
    """What the class body itself binds a name to."""
    end = namespace(machine, cls)
    if end is None or cls.body is None or not find(end, name, cls.env)[0]:
        return None
    return machine.lookup(name, end, cls.body)


def member(machine: Machine, cls: Class, name: str, after: Class | None = None) -> tuple[Value, Class] | None:
    """A class's member by method resolution order (after `after`, for super()), and the class that has it."""
    order = cls.mro
    if after is not None:
        order = order[order.index(after) + 1 :] if after in order else ()
    for one in order:
        found = own_member(machine, one, name)
        if found is not None:
            return found, one
    return None


def overrides(machine: Machine, cls: Class, name: str) -> list[Value]:
    """What subclasses in the tree make of a member."""
    out: list[Value] = []
    seen: set[tuple[str, int]] = set()
    todo = [(cls.path or "", cls.definition)]
    while todo and len(out) < MAX_OVERRIDES:
        for key in machine.program.subclasses.get(todo.pop(0), ()):
            if key in seen:
                continue
            seen.add(key)
            todo.append(key)
            sub = machine.class_at(*key)
            found = own_member(machine, sub, name) if sub is not None else None
            if found is not None:
                out.append(found)
    return out


def bound_member(machine: Machine, found: Value, receiver: Value, cls: Class, source: str, frame: Frame) -> Value:
    """A class's member as it is seen through an object (or the class itself)."""
    if not isinstance(found, Function):
        return found
    kinds = {d.rpartition(".")[2].partition("(")[0] for d in found.decorators}
    if "staticmethod" in kinds:
        return found
    if "classmethod" in kinds:
        return Bound(found, (cls,))
    if isinstance(receiver, Class):
        return found
    if kinds & {"property", "cached_property"}:
        return machine.call(found, (receiver,), (), source, frame)
    return Bound(found, (receiver,))


def class_attribute(machine: Machine, cls: Class, name: str, source: str, frame: Frame) -> Value:
    if name == "__name__":
        return Text(text(cls.name))
    if name == "__qualname__":
        return Text(text(cls.qualname))
    found = member(machine, cls, name)
    if found is None:
        return Unknown(source)
    if any(c.dotted.startswith("enum.") for c in cls.mro) and not isinstance(found[0], Function):
        return Instance(cls, (found[0],), attributes={"value": found[0], "name": Text(text(name))})
    return bound_member(machine, found[0], cls, cls, source, frame)


def instance_attribute(machine: Machine, instance: Instance, name: str, source: str, frame: Frame) -> Value:
    initialise(machine, instance)
    known = (instance.attributes or {}).get(name)
    if known is not None:
        return known
    if name == "__class__" and instance.exact:
        return instance.cls
    if name == "args" and instance.args:
        return union([Seq("tuple", a) for a in instance.args])
    found = member(machine, instance.cls, name)
    versions = [] if found is None else [found[0]]
    if not instance.exact and instance.cls.path is not None:
        versions += overrides(machine, instance.cls, name)
    if not versions:
        return Unknown(source)
    return union([bound_member(machine, v, instance, instance.cls, source, frame) for v in versions])


def super_attribute(machine: Machine, value: Super, name: str, source: str, frame: Frame) -> Value:
    instance = value.instance
    cls = instance.cls if isinstance(instance, Instance) else instance if isinstance(instance, Class) else value.owner
    found = member(machine, cls, name, after=value.owner)
    if found is not None:
        return bound_member(machine, found[0], instance, cls, source, frame)
    if name == "__str__" and isinstance(instance, Instance):
        return Bound(External("errcat.exception_text"), (instance,))
    return Unknown(source)


# Constructors


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


def _fields(
    machine: Machine,
    instance: Instance,
    cls: Class,
    arguments: Sequence[Value],
    keywords: Sequence[tuple[str, Value]],
) -> bool:
    """Gives the annotated fields of a dataclass or named tuple their values."""
    block = cls.node.child_by_field_name("body") if cls.node is not None else None
    names: list[str] = []
    for statement in block.named_children if block is not None else ():
        for node in statement.named_children if statement.type == "expression_statement" else ():
            left = node.child_by_field_name("left")
            if node.type == "assignment" and node.child_by_field_name("type") is not None and left is not None:
                names.append(node_text(left))
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
    frame = Frame(
        init.frame.path, init.node, init.frame.base, init.frame, init.owner, depth=init.frame.depth + 1, inlined=True
    )
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


# Text


def raised_text(machine: Machine, instance: Instance) -> Template | None:
    """As `text_of`, for something raised: it is an exception, whatever the tree says of its class."""
    if is_exception(instance.cls) or member(machine, instance.cls, "__str__") is not None:
        return text_of(machine, instance)
    return exception_text(machine, instance)


def text_of(machine: Machine, instance: Instance) -> Template | None:
    """What `str(object)` says; None where that is not known."""
    if instance.exact or instance.cls.path is not None:
        found = member(machine, instance.cls, "__str__")
        if found is not None and isinstance(found[0], Function) and found[1].frame is not None:
            said = machine.call(Bound(found[0], (instance,)), (), (), "", found[1].frame)
            return None if isinstance(said, Unknown) else to_text(said, f"str({instance.cls.name})", machine.show)
    if not is_exception(instance.cls):
        return _other_text(machine, instance)
    return exception_text(machine, instance)


def _other_text(machine: Machine, instance: Instance) -> Template | None:
    found = member(machine, instance.cls, "__repr__")
    if found is not None and isinstance(found[0], Function) and found[1].frame is not None:
        said = machine.call(Bound(found[0], (instance,)), (), (), "", found[1].frame)
        return None if isinstance(said, Unknown) else to_text(said, instance.cls.name, machine.show)
    kinds = {c.dotted for c in instance.cls.mro}
    attributes = instance.attributes or {}
    if "name" in attributes and kinds & {"enum.Enum", "enum.Flag"} and not kinds & {"builtins.str", "builtins.int"}:
        return concat([text(f"{instance.cls.name}."), to_text(attributes["name"], "", machine.show)])
    if "value" in attributes and "enum.StrEnum" in kinds:
        return to_text(attributes["value"], "", machine.show)
    return None


def exception_text(machine: Machine, instance: Instance) -> Template | None:
    """What BaseException's and its built-in subclasses' `__str__` say of the arguments they keep."""
    initialise(machine, instance)
    if not instance.args:
        return None
    return either([_arguments_text(machine, instance.cls, a) for a in instance.args])


def _arguments_text(machine: Machine, cls: Class, args: tuple[Value, ...]) -> Template:
    args = tuple(machine.widen(a) for a in args)
    if any(isinstance(a, Unknown) and a.source.startswith("*") for a in args):
        return hole(", ".join(a.source for a in args if isinstance(a, Unknown)))
    kinds = {c.name for c in cls.mro if c.path is None}
    for kind, rule in _RULES.items():
        if kind in kinds:
            said = rule(machine, args)
            if said is not None:
                return said
    if not args:
        return EMPTY
    if len(args) == 1:
        return to_text(args[0], _source(args[0]), machine.show, limit=MAX_OPTIONS)
    return to_repr(Seq("tuple", args), ", ".join(_source(a) for a in args), machine.show)


def _source(value: Value) -> str:
    return value.source if isinstance(value, Unknown) else "value"


def _key_error(machine: Machine, args: tuple[Value, ...]) -> Template | None:
    return to_repr(args[0], _source(args[0]), machine.show) if len(args) == 1 else None


def _os_error(machine: Machine, args: tuple[Value, ...]) -> Template | None:
    if not 2 <= len(args) <= 5:
        return None
    parts = [
        text("[Errno "),
        to_text(args[0], "errno", machine.show),
        text("] "),
        to_text(args[1], "strerror", machine.show),
    ]
    for i, name in ((2, "filename"), (4, "filename2")):
        if i < len(args):
            shown = to_repr(args[i], name, machine.show)
            absent = isinstance(args[i], Const) and args[i] == Const(None)
            parts.append(EMPTY if absent else concat([text(": " if i == 2 else " -> "), shown]))
    return concat(parts)


def _decode_error(machine: Machine, args: tuple[Value, ...]) -> Template | None:
    return _codec_error(machine, args, "decode byte", "0x") if len(args) == 5 else None


def _encode_error(machine: Machine, args: tuple[Value, ...]) -> Template | None:
    return _codec_error(machine, args, "encode character", "'") if len(args) == 5 else None


def _codec_error(machine: Machine, args: tuple[Value, ...], what: str, before: str) -> Template:
    after = "'" if before == "'" else ""
    one = concat([text(f" {before}"), hole("object[start]"), text(f"{after} in position "), hole("start")])
    several = concat([text("s in position "), hole("start"), text("-"), hole("end - 1")])
    return concat([
        text("'"), to_text(args[0], "encoding", machine.show), text(f"' codec can't {what}"), either([one, several]),
        text(": "), to_text(args[4], "reason", machine.show),
    ])  # fmt: skip


def _group(machine: Machine, args: tuple[Value, ...]) -> Template | None:
    if len(args) != 2:
        return None
    inside = args[1]
    count: Template = either([concat([hole("len(exceptions)"), text(" sub-exceptions")]), text("1 sub-exception")])
    if isinstance(inside, Seq) and not any(isinstance(i, Many) for i in inside.items):
        n = len(inside.items)
        count = text(f"{n} sub-exception{'s' if n != 1 else ''}")
    return concat([to_text(args[0], "message", machine.show), text(" ("), count, text(")")])


def _syntax_error(machine: Machine, args: tuple[Value, ...]) -> Template | None:
    if len(args) != 2:
        return None
    place = concat([text(" ("), hole("filename"), text(", line "), hole("lineno"), text(")")])
    line = concat([text(" (line "), hole("lineno"), text(")")])
    return concat([to_text(args[0], "msg", machine.show), either([place, line, EMPTY])])


def _json_error(machine: Machine, args: tuple[Value, ...]) -> Template | None:
    if len(args) != 3:
        return None
    return concat([
        to_text(args[0], "msg", machine.show), text(": line "), hole("lineno"), text(" column "), hole("colno"),
        text(" (char "), to_text(args[2], "pos", machine.show), text(")"),
    ])  # fmt: skip


_RULES = {
    "KeyError": _key_error,
    "OSError": _os_error,
    "UnicodeDecodeError": _decode_error,
    "UnicodeEncodeError": _encode_error,
    "BaseExceptionGroup": _group,
    "SyntaxError": _syntax_error,
    "JSONDecodeError": _json_error,
}

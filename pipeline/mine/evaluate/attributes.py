"""Attributes: what `value.name` is, for objects, classes and `super()`."""

from __future__ import annotations

from pipeline.mine.evaluate.classes import is_exception, member, own_member
from pipeline.mine.evaluate.construct import fields, initialise
from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.parameters import read_parameters
from pipeline.mine.evaluate.render import renamed
from pipeline.mine.evaluate.strings import METHODS
from pipeline.mine.evaluate.values import (
    Bound,
    Caught,
    Class,
    Const,
    Env,
    External,
    Frame,
    Function,
    Instance,
    Method,
    Module,
    Seq,
    Super,
    Table,
    Text,
    Union,
    Unknown,
    Value,
    union,
)
from pipeline.mine.link import AssignmentRef, DefinitionRef
from pipeline.mine.template import text

MAX_OVERRIDES = 8  # classes whose own version of a member is looked at for an object that may be of a subclass


def overrides(machine: Machine, cls: Class, name: str) -> list[Value]:
    """What subclasses in the tree make of a member."""
    out: list[Value] = []
    seen: set[tuple[str, int]] = set()
    todo = [(cls.path or "", cls.definition)]
    while todo and len(out) < MAX_OVERRIDES:
        for key in machine.program.subclasses(*todo.pop(0)):
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
    if found is not None and _may_differ(machine, found[1], name, versions):
        versions.append(Unknown(source))
    return union([bound_member(machine, v, instance, instance.cls, source, frame) for v in versions])


def _may_differ(machine: Machine, cls: Class, name: str, versions: list[Value]) -> bool:
    """Whether objects can have another value than their class: it is assigned somewhere, or a field with a default."""
    if any(isinstance(v, (Function, Class)) for v in versions):
        return False
    if machine.program.is_stored(name):
        return True
    return name in fields(cls) and (_has_fields(machine, cls) or any(isinstance(v, Const) for v in versions))


def _has_fields(machine: Machine, cls: Class) -> bool:
    """Whether it is a dataclass or a named tuple."""
    told: tuple[str, ...] = ()
    if cls.path is not None and cls.definition >= 0:
        told = machine.program.facts[cls.path].definitions[cls.definition].decorators
    return any("dataclass" in d for d in told) or any(c.name == "NamedTuple" for c in cls.mro)


def super_attribute(machine: Machine, value: Super, name: str, source: str, frame: Frame) -> Value:
    instance = value.instance
    cls = instance.cls if isinstance(instance, Instance) else instance if isinstance(instance, Class) else value.owner
    found = member(machine, cls, name, after=value.owner)
    if found is not None:
        return bound_member(machine, found[0], instance, cls, source, frame)
    if name == "__str__" and isinstance(instance, Instance):
        return Bound(External("errcat.exception_text"), (instance,))
    return Unknown(source)


def attribute(machine: Machine, value: Value, name: str, source: str, frame: Frame) -> Value:
    if isinstance(value, Union):
        there = [o for o in value.options if not (isinstance(o, Const) and o.value is None)]  # None has none
        return union([attribute(machine, o, name, source, frame) for o in there])
    if isinstance(value, Module):
        return _module_attribute(machine, value, name, source)
    if isinstance(value, External):
        return _external_attribute(machine, value, name)
    if isinstance(value, Class):
        return class_attribute(machine, value, name, source, frame)
    if isinstance(value, Instance):
        if name in ("with_traceback", "add_note") and is_exception(value.cls):
            return Method(value, name)
        return instance_attribute(machine, value, name, source, frame)
    if isinstance(value, Super):
        return super_attribute(machine, value, name, source, frame)
    if isinstance(value, Caught):
        return Method(value, name) if name == "with_traceback" else Unknown(source)
    return _other_attribute(value, name, source)


def _module_attribute(machine: Machine, value: Module, name: str, source: str) -> Value:
    ref = machine.program.member(value.dotted, name)
    known: Value | None
    if isinstance(ref, (DefinitionRef, AssignmentRef)):
        known = machine.global_value(value.path, name) or machine.meaning(ref, name)
    else:
        known = None if ref is None else machine.meaning(ref, name)
    return Unknown(source) if known is None else renamed(known, source)


def _external_attribute(machine: Machine, value: External, name: str) -> Value:
    if name == "__name__":
        return Text(text(value.name)) if machine.class_of(value) is not None else Unknown(f"{value.dotted}.__name__")
    return External(f"{value.dotted}.{name}")


def _other_attribute(value: Value, name: str, source: str) -> Value:
    if isinstance(value, Unknown):  # a method of a text that can be empty can give an empty one
        return Unknown(source, may_be_empty=value.may_be_empty and name in METHODS)
    if isinstance(value, Text) and (name in METHODS or name == "getvalue"):
        return Method(value, name)
    if isinstance(value, (Seq, Table)):
        return Method(value, name)
    if isinstance(value, Function) and name in ("__name__", "__qualname__") and value.name != "<lambda>":
        return Text(text(value.name))
    if isinstance(value, Bound) and name == "__name__" and isinstance(value.function, Function):
        return Text(text(value.function.name))
    if isinstance(value, Bound) and name == "func":
        return value.function
    return Unknown(source)


def superclass(machine: Machine, env: Env | None, frame: Frame) -> Value:
    """`super()` at a point of a method."""
    current: Frame | None = frame
    while current is not None and current.owner is not None and current.node is not None:
        outer = current.parent
        if (
            outer is None
            or outer.owner is not current.owner
            or outer.node is None
            or outer.node.type == "class_definition"
        ):
            params = read_parameters(current.node)
            if params:
                return Super(current.owner, machine.lookup(params[0].name, env, frame))
        current = outer
    return Unknown("super()")

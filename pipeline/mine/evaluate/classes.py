"""Classes and objects: method resolution, members, what constructors keep, and what `str()` says of them."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from pipeline.mine.evaluate.flow.flow import Flow
from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.scope import find
from pipeline.mine.evaluate.values import (
    Class,
    Env,
    Frame,
    Value,
)


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


def looks_like_class(name: str) -> bool:
    """Whether a name from outside the tree is written as classes are: capitals, but not only."""
    bare = name.lstrip("_")
    return bare[:1].isupper() and not bare.isupper()


def namespace(machine: Machine, cls: Class) -> Env | None:
    """The environment at the end of the class body."""
    if cls.frame is None or cls.node is None:
        return None
    if cls.body is None:
        frame = Frame(cls.frame.path, cls.node, cls.frame.base, cls.frame, cls, parent_env=cls.env)
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


# Constructors


# Text

"""What `str()` says of an object: `__str__`, and the rules of Python's own exceptions."""

from __future__ import annotations

from pipeline.mine.evaluate.classes import is_exception, member
from pipeline.mine.evaluate.construct import initialise
from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.render import hole, to_repr, to_text
from pipeline.mine.evaluate.values import (
    Bound,
    Class,
    Const,
    Function,
    Instance,
    Many,
    Seq,
    Unknown,
    Value,
)
from pipeline.mine.template import EMPTY, MAX_OPTIONS, Template, concat, either, text


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
    if not instance.args or (instance.keywords and instance.args == ((),) and _foreign(instance.cls)):
        return None
    return either([_arguments_text(machine, instance.cls, a) for a in instance.args])


def _foreign(cls: Class) -> bool:
    """Whether a class from outside the tree, and not Python's own, has a part in it."""
    return any(c.path is None and not c.dotted.startswith("builtins.") for c in cls.mro)


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
    if _foreign(cls) and len(args) > 1:  # its own constructor most likely keeps the first for its text
        first = to_text(args[0], _source(args[0]), machine.show, limit=MAX_OPTIONS)
        return either([first, to_repr(Seq("tuple", args), ", ".join(_source(a) for a in args), machine.show)])
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

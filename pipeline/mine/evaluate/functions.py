"""Python's own functions, as far as they make or change text."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from pipeline.mine.evaluate.containers import element_of
from pipeline.mine.evaluate.exceptions import exception_text
from pipeline.mine.evaluate.machine import Arguments, Keywords, Machine
from pipeline.mine.evaluate.render import formatted, hole, to_ascii, to_repr, to_text
from pipeline.mine.evaluate.strings import dedent, indent
from pipeline.mine.evaluate.truth import truth_of
from pipeline.mine.evaluate.values import (
    Bound,
    Caught,
    Const,
    Frame,
    Instance,
    Many,
    Seq,
    Table,
    Text,
    Unknown,
    Value,
    options,
    union,
)
from pipeline.mine.template import fixed_text, map_text, text


def _str(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    if not arguments:
        return Text(())
    if len(arguments) == 1 and not isinstance(arguments[0], (Unknown, Caught)):
        return _shown(arguments[0], source, lambda v: to_text(v, source, machine.show))
    return Unknown(source, may_be_empty=isinstance(arguments[0], Unknown) and arguments[0].may_be_empty)


def _shown(value: Value, source: str, show: Callable[[Value], tuple[object, ...]]) -> Value:
    said = union([Text(show(o)) for o in options(value)])  # type: ignore[arg-type]  # a template is a tuple of pieces
    return Unknown(source) if said == Text(hole(source)) else said


def _repr(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    if len(arguments) != 1 or isinstance(arguments[0], (Unknown, Caught)):
        return Unknown(source)
    return _shown(arguments[0], source, lambda v: to_repr(v, source, machine.show))


def _ascii(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    if len(arguments) != 1 or isinstance(arguments[0], (Unknown, Caught)):
        return Unknown(source)
    return _shown(arguments[0], source, lambda v: to_ascii(to_repr(v, source, machine.show)))


def _format(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    if not arguments or isinstance(arguments[0], Unknown):
        return Unknown(source)
    spec = fixed_text(arguments[1].template) if len(arguments) > 1 and isinstance(arguments[1], Text) else ""
    if spec is None:
        return Unknown(source)
    return _shown(arguments[0], source, lambda v: formatted(v, spec, source, machine.show))


def _type(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    value = arguments[0] if len(arguments) == 1 else None
    return value.cls if isinstance(value, Instance) and value.exact else Unknown(source)


def _sequence(kind: str) -> Callable[[Machine, Arguments, Keywords, str, Frame], Value]:
    def rule(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
        if not arguments:
            return Seq(kind, ())
        value = arguments[0]
        if isinstance(value, Table):
            value = Seq("list", tuple(k for k, _ in value.entries)) if value.whole else Unknown(source)
        return Seq(kind, value.items) if isinstance(value, Seq) else Unknown(source)

    return rule


def _sorted(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    value = arguments[0] if arguments else None
    if not isinstance(value, Seq) or not value.items:
        return Unknown(source)
    texts = [fixed_text(i.template) if isinstance(i, Text) else None for i in value.items]
    if not keywords and None not in texts:
        return Seq("list", tuple(Text(text(t)) for t in sorted(t for t in texts if t is not None)))
    return Seq("list", (Many(element_of(value, source)),))


def _map(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    if len(arguments) != 2:
        return Unknown(source)
    items = arguments[1].items if isinstance(arguments[1], Seq) else (Many(Unknown("")),)
    out: list[Value | Many] = []
    for item in items[:16]:
        value = item.value if isinstance(item, Many) else item
        one = machine.call(arguments[0], (value,), (), source, frame)
        out.append(Many(one) if isinstance(item, Many) else one)
    return Seq("generator", tuple(out))


def _filter(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    value = arguments[-1] if arguments else None
    return Seq("generator", (Many(element_of(value, source)),)) if isinstance(value, Seq) else Unknown(source)


def _enumerate(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    value = arguments[0] if arguments else None
    element = element_of(value, "") if isinstance(value, (Seq, Table)) else Unknown("")
    return Seq("generator", (Many(Seq("tuple", (Unknown(""), element))),))


def _zip(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    if any(isinstance(a, Unknown) and a.source.startswith("*") for a in arguments):
        return Unknown(source)
    return Seq("generator", (Many(Seq("tuple", tuple(element_of(a, "") for a in arguments))),))


def _getattr(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    if len(arguments) < 2 or not isinstance(arguments[1], Text):
        return Unknown(source)
    name = fixed_text(arguments[1].template)
    found = machine.attribute(arguments[0], name, source, frame) if name else Unknown(source)
    return union([found, arguments[2]]) if len(arguments) > 2 else found


def _dict(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    if arguments and not isinstance(arguments[0], Table):
        return Unknown(source)
    base = arguments[0] if arguments else Table(())
    assert isinstance(base, Table)
    named = tuple((Text(text(k)), v) for k, v in keywords if k != "**")
    return Table((*base.entries, *named), base.whole and all(k != "**" for k, _ in keywords))


def _bool(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    verdict = truth_of(arguments[0]) if arguments else False
    return Unknown(source) if verdict is None else Const(verdict)


def _len(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    value = arguments[0] if arguments else None
    if isinstance(value, Text):
        known = fixed_text(value.template)
        return Unknown(source) if known is None else Const(len(known))
    if isinstance(value, Seq) and value.kind != "set" and all(not isinstance(i, (Many, Unknown)) for i in value.items):
        return Const(len(value.items))
    return Unknown(source)


def _partial(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    return Bound(arguments[0], arguments[1:], keywords) if arguments else Unknown(source)


def _second(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    return arguments[1] if len(arguments) == 2 else Unknown(source)


def _first(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    return arguments[0] if arguments else Unknown(source)


def _over_text(change: Callable[[Text], Text]) -> Callable[[Machine, Arguments, Keywords, str, Frame], Value]:
    def rule(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
        changed = [
            change(o) if isinstance(o, Text) else Unknown(source, isinstance(o, Unknown) and o.may_be_empty)
            for o in options(arguments[0])
        ]
        return union(changed)

    return rule


def _indent(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    if len(arguments) == 2 and isinstance(arguments[0], Text) and isinstance(arguments[1], Text):
        prefix = fixed_text(arguments[1].template)
        if prefix is not None:
            return Text(indent(arguments[0].template, prefix))
    return Unknown(source)


def _chr(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    value = arguments[0] if arguments else None
    if isinstance(value, Const) and isinstance(value.value, int) and 0 <= value.value < 0xF0000:
        return Text(text(chr(value.value)))
    return Unknown(source)


def _stringio(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    return arguments[0] if arguments else Text(())


def _exception_text(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    """`super().__str__()` where no class of the tree has one."""
    instance = arguments[0]
    said = exception_text(machine, instance) if isinstance(instance, Instance) else None
    return Unknown(source) if said is None else Text(said)


FUNCTIONS: dict[str, Callable[[Machine, Arguments, Keywords, str, Frame], Value]] = {
    "builtins.str": _str,
    "builtins.repr": _repr,
    "builtins.ascii": _ascii,
    "builtins.format": _format,
    "builtins.type": _type,
    "builtins.list": _sequence("list"),
    "builtins.tuple": _sequence("tuple"),
    "builtins.set": _sequence("set"),
    "builtins.frozenset": _sequence("set"),
    "builtins.iter": _sequence("generator"),
    "builtins.reversed": _filter,
    "builtins.sorted": _sorted,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.getattr": _getattr,
    "builtins.dict": _dict,
    "builtins.bool": _bool,
    "builtins.len": _len,
    "builtins.chr": _chr,
    "functools.partial": _partial,
    "typing.cast": _second,
    "copy.copy": _first,
    "copy.deepcopy": _first,
    "textwrap.dedent": _over_text(lambda v: Text(dedent(v.template))),
    "inspect.cleandoc": _over_text(lambda v: Text(map_text(v.template, inspect.cleandoc))),
    "textwrap.indent": _indent,
    "io.StringIO": _stringio,
    "errcat.exception_text": _exception_text,
}

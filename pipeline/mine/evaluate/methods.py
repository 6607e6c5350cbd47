"""Methods of built-in values: of text, dicts, lists and exceptions."""

from __future__ import annotations

from pipeline.mine.evaluate.containers import fixed_key
from pipeline.mine.evaluate.machine import Arguments, Keywords, Machine
from pipeline.mine.evaluate.strings import METHODS, join, method, str_format
from pipeline.mine.evaluate.values import (
    Caught,
    Const,
    Frame,
    Instance,
    Method,
    Seq,
    Table,
    Text,
    Union,
    Unknown,
    Value,
    union,
)
from pipeline.mine.template import fixed_text, text


def method_call(
    machine: Machine, function: Method, arguments: Arguments, keywords: Keywords, source: str, frame: Frame
) -> Value:
    receiver, name = function.receiver, function.name
    if isinstance(receiver, Text):
        return _text_method(machine, receiver, name, arguments, keywords, source, frame)
    if isinstance(receiver, (Instance, Caught)):
        return receiver if name == "with_traceback" else Const(None) if name == "add_note" else Unknown(source)
    if isinstance(receiver, Table):
        return _table_method(machine, receiver, name, arguments, source)
    if isinstance(receiver, Seq) and name in ("copy", "__iter__"):
        return receiver
    return Unknown(source)


def _text_method(
    machine: Machine, receiver: Text, name: str, arguments: Arguments, keywords: Keywords, source: str, frame: Frame
) -> Value:
    if name in ("format", "format_map"):
        given = keywords
        if name == "format_map":
            table = arguments[0] if arguments else None
            entries = table.entries if isinstance(table, Table) else ()
            given = tuple((fixed_text(k.template) or "", v) for k, v in entries if isinstance(k, Text))
            arguments = ()

        def look(value: Value, kind: str, part: str) -> Value:
            if kind == ".":
                return machine.attribute(value, part, "", frame)
            key: Value = Const(int(part)) if part.isdigit() else Text(text(part))
            return machine.member(value, key, "")

        said = str_format(receiver.template, arguments, given, source, machine.show, look)
        return Unknown(source) if said is None else Text(said)
    if name == "join":
        return join(receiver, arguments[0], source, machine.show, filled=False) if arguments else Unknown(source)
    if name == "getvalue":
        return receiver
    if name not in METHODS:
        return Unknown(source)
    if any(isinstance(a, Union) for a in arguments):
        return Unknown(source)
    return method(name, receiver.template, arguments, source)


def _table_method(machine: Machine, receiver: Table, name: str, arguments: Arguments, source: str) -> Value:
    if name in ("get", "pop") and arguments:
        default = arguments[1] if len(arguments) > 1 else Const(None)
        if any(k == arguments[0] for k, _ in receiver.entries):
            return machine.member(receiver, arguments[0], source)
        if receiver.whole and fixed_key(arguments[0]) and all(fixed_key(k) for k, _ in receiver.entries):
            return default
        return union([machine.member(receiver, arguments[0], source), default])
    if name == "keys":
        return Seq("list", tuple(k for k, _ in receiver.entries)) if receiver.whole else Unknown(source)
    if name == "values":
        return Seq("list", tuple(v for _, v in receiver.entries)) if receiver.whole else Unknown(source)
    if name == "items":
        pairs = tuple(Seq("tuple", (k, v)) for k, v in receiver.entries)
        return Seq("list", pairs) if receiver.whole else Unknown(source)
    return receiver if name == "copy" else Unknown(source)

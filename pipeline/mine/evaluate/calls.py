"""Calls: functions of the tree run with their arguments; those of Python that make text are known here."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from pipeline.mine.evaluate.classes import is_exception, looks_like_class
from pipeline.mine.evaluate.flow.flow import Flow
from pipeline.mine.evaluate.functions import FUNCTIONS
from pipeline.mine.evaluate.machine import Arguments, Keywords, Machine
from pipeline.mine.evaluate.methods import method_call
from pipeline.mine.evaluate.operators import items_of
from pipeline.mine.evaluate.parameters import bind, known, read_parameters
from pipeline.mine.evaluate.run import Point
from pipeline.mine.evaluate.speech import Speech, speech
from pipeline.mine.evaluate.values import (
    Bind,
    Bound,
    Class,
    Const,
    External,
    Frame,
    Function,
    Instance,
    Many,
    Method,
    Seq,
    Table,
    Text,
    Union,
    Unknown,
    Value,
    options,
    union,
)
from pipeline.mine.syntax import inside, node_text

MAX_DEPTH = 6  # calls inside calls that are followed
AGAIN = "recursion"  # of a function inside itself: it gives nothing that the function does not give
MAX_UNION = 24  # alternatives of one call's outcome


def call(
    machine: Machine,
    function: Value,
    arguments: Sequence[Value],
    keywords: Sequence[tuple[str, Value]],
    source: str,
    frame: Frame,
) -> Value:
    """What the call gives; an Unknown named `source` where that is not known."""
    if isinstance(function, Union):
        return _each(machine, function, arguments, keywords, source, frame)
    if isinstance(function, Function):
        return run_function(machine, function, arguments, keywords, source, frame)
    if isinstance(function, Bound):
        given = (*function.arguments, *arguments)
        return call(machine, function.function, given, (*function.keywords, *keywords), source, frame)
    if isinstance(function, Class):
        return _construct(function, arguments, keywords, source)
    if isinstance(function, External):
        return _external(machine, function, tuple(arguments), tuple(keywords), source, frame)
    if isinstance(function, Method):
        return method_call(machine, function, tuple(arguments), tuple(keywords), source, frame)
    if isinstance(function, Instance):
        return _callable_object(machine, function, arguments, keywords, source, frame)
    return Unknown(source)


def _each(
    machine: Machine,
    function: Union,
    arguments: Sequence[Value],
    keywords: Sequence[tuple[str, Value]],
    source: str,
    frame: Frame,
) -> Value:
    if len(function.options) > MAX_UNION:
        machine.hit("callables")
        return Unknown(source)
    return union([call(machine, f, arguments, keywords, source, frame) for f in function.options])


def _construct(cls: Class, arguments: Sequence[Value], keywords: Sequence[tuple[str, Value]], source: str) -> Value:
    if any(c.dotted in ("enum.Enum", "enum.StrEnum", "enum.IntEnum", "enum.Flag") for c in cls.mro):
        return Unknown(source)
    if cls.path is None and not is_exception(cls) and not looks_like_class(cls.name):
        return Unknown(source)
    return Instance(cls, tuple(arguments), tuple(keywords))


def _callable_object(
    machine: Machine,
    instance: Instance,
    arguments: Sequence[Value],
    keywords: Sequence[tuple[str, Value]],
    source: str,
    frame: Frame,
) -> Value:
    target = machine.attribute(instance, "__call__", source, frame)
    return Unknown(source) if isinstance(target, Unknown) else call(machine, target, arguments, keywords, source, frame)


def run_function(
    machine: Machine,
    function: Function,
    arguments: Sequence[Value],
    keywords: Sequence[tuple[str, Value]],
    source: str,
    frame: Frame,
) -> Value:
    """Runs a function of the tree with these arguments; its returns are the alternatives."""
    body = function.node.child_by_field_name("body")
    key = hash((function.node.id, function.frame.path, function.frame.base))
    if body is None or not _plain(function):
        return Unknown(source)
    if machine.glancing():
        return Unknown(source)
    said, mute = speech(machine, function), not _speak(arguments, keywords)
    if said is Speech.NOTHING or (mute and (said is Speech.ARGUMENTS or key in machine.silent)):
        return Unknown(source)
    if machine.spent():
        return Unknown(source, may_be_empty=True, why="bound")
    call_key = (function, tuple(arguments), tuple(keywords))
    remembered = machine.outcomes.get(call_key)
    if remembered is not None:
        return _named(remembered, source)
    if key in frame.chain:
        machine.leave_open()
        return Unknown(source, why=AGAIN)
    if len(frame.chain) >= MAX_DEPTH:
        machine.hit("depth")
        return Unknown(source)
    before = machine.certainty()
    value = _outcome(machine, function, body, arguments, keywords, (*frame.chain, key))
    if before == machine.certainty():
        machine.outcomes[call_key] = value
        if mute and all(isinstance(o, (Unknown, Const)) for o in options(value)):
            machine.silent.add(key)
    return _named(value, source)


def _speak(arguments: Sequence[Value], keywords: Sequence[tuple[str, Value]]) -> bool:
    return any(map(_says, arguments)) or any(_says(v) for _, v in keywords)


def _says(value: Value | Many) -> bool:
    """Whether a value brings anything that can end in a text: text, a class, something to call."""
    if isinstance(value, Many):
        return _says(value.value)
    if isinstance(value, Seq):
        return any(map(_says, value.items))
    if isinstance(value, Table):
        return any(_says(v) for _, v in value.entries)
    if isinstance(value, Union):
        return any(map(_says, value.options))
    if isinstance(value, Instance):
        return value.exact
    return isinstance(value, (Text, Class, Function, Bound, Method))


def _outcome(
    machine: Machine,
    function: Function,
    body: Node,
    arguments: Sequence[Value],
    keywords: Sequence[tuple[str, Value]],
    chain: tuple[int, ...],
) -> Value:
    around = function.frame
    owner = function.owner or around.owner
    within = Frame(around.path, function.node, around.base, parent=around, owner=owner, inlined=True, chain=chain)
    machine.step(f"call of {function.name}", function.node, within)
    params = read_parameters(function.node)
    env = bind(params, arguments, keywords, function.env, lambda n: machine.evaluate(n, function.env, around))
    for name in varying(machine, function):  # what a function passes to itself is another value each time
        env = Bind(name, known(Unknown(name, may_be_empty=True)), env)
    if function.node.type == "lambda":
        return machine.evaluate(body, env, within)
    run = Flow(machine, within, deep=False).body(body, env)
    if run.yields:
        return Seq("generator", tuple(i for y in run.yields for i in _yielded(machine, y)))
    values: list[Value] = []
    for node, at, _ in run.returns:
        expression = next(iter(inside(node)), None)
        values.append(Const(None) if expression is None else machine.evaluate(expression, at, within))
    if run.alive:
        values.append(Const(None))
    new = [o for v in values for o in options(v) if not (isinstance(o, Unknown) and o.why == AGAIN)]
    return union(new or values) if values else Unknown("")


def varying(machine: Machine, function: Function) -> frozenset[str]:
    """The parameters that a function which calls itself passes on changed."""
    key = function.frame.place(function.node)
    if key not in machine.varying:
        text_of = function.node.text or b""
        called = re.search(rb"(?<!def )\b" + function.name.encode() + rb"\s*\(", text_of) is not None
        machine.varying[key] = _passed_on(function) if called and function.name != "<lambda>" else frozenset()
    return machine.varying[key]


def _passed_on(function: Function) -> frozenset[str]:
    params = [p.name for p in read_parameters(function.node) if not p.kind or p.kind == "kw"]
    out: set[str] = set()
    stack = list(function.node.named_children)
    while stack:
        node = stack.pop()
        stack.extend(node.named_children)
        callee = node.child_by_field_name("function") if node.type == "call" else None
        listed = node.child_by_field_name("arguments") if callee is not None else None
        if callee is None or listed is None or node_text(callee).rpartition(".")[2] != function.name:
            continue
        names = params[1:] if callee.type == "attribute" and function.owner is not None else params
        for place, argument in enumerate(inside(listed)):
            key, value = argument.child_by_field_name("name"), argument.child_by_field_name("value")
            name = node_text(key) if key is not None and argument.type == "keyword_argument" else ""
            name = name or (names[place] if place < len(names) else "")
            if name in params and node_text(value if value is not None else argument) != name:
                out.add(name)
    return frozenset(out)


def _yielded(machine: Machine, point: Point) -> tuple[Value | Many, ...]:
    """The elements that a `yield` gives, any number of times."""
    node = next(iter(inside(point.node)), None)
    if node is None:
        return (Many(Const(None)),)
    value = machine.evaluate(node, point.env, point.frame)
    if isinstance(value, Unknown) and value.why == AGAIN:
        return ()
    if not any(c.type == "from" for c in point.node.children):
        return (Many(value),)
    return tuple(i if isinstance(i, Many) else Many(i) for o in options(value) for i in items_of(o))


def _plain(function: Function) -> bool:
    """Whether calling it runs its body and gives what it returns."""
    if any(c.type == "async" for c in function.node.children):
        return False
    return not any(d.rpartition(".")[2].startswith("contextmanager") for d in function.decorators)


def _named(value: Value, source: str) -> Value:
    """A helper's value as its caller names it: what is not known there is the whole call here."""
    if isinstance(value, Unknown) and value.parameter is None:
        return Unknown(source, value.may_be_empty, why=value.why)
    if isinstance(value, Union):
        return union([_named(o, source) for o in value.options])
    return value


def _external(
    machine: Machine, function: External, arguments: Arguments, keywords: Keywords, source: str, frame: Frame
) -> Value:
    if function.dotted.startswith("builtins.str.") and arguments:  # str.upper(text)
        member = Method(arguments[0], function.name)
        return call(machine, member, arguments[1:], keywords, source, frame)
    rule = FUNCTIONS.get(function.dotted)
    if rule is not None:
        return rule(machine, arguments, keywords, source, frame)
    cls = machine.class_of(function)
    return Unknown(source) if cls is None else _construct(cls, arguments, keywords, source)

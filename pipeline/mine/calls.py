"""Calls: functions of the tree run with their arguments; those of Python that make text are known here."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence

from tree_sitter import Node

from pipeline.mine.classes import is_exception
from pipeline.mine.expression import element_of, items_of, operate
from pipeline.mine.flow import Flow, Point
from pipeline.mine.machine import Machine
from pipeline.mine.parameters import bind, known, read_parameters
from pipeline.mine.render import formatted, hole, to_ascii, to_repr, to_text
from pipeline.mine.scope import Bind
from pipeline.mine.speech import Speech, speech
from pipeline.mine.strings import METHODS, dedent, indent, join, method, str_format
from pipeline.mine.syntax import inside, node_text
from pipeline.mine.template import fixed_text, map_text, text
from pipeline.mine.truth import truth_of
from pipeline.mine.values import (
    Bound,
    Caught,
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

MAX_DEPTH = 6  # calls inside calls that are followed
AGAIN = "recursion"  # of a function inside itself: it gives nothing that the function does not give
MAX_UNION = 24  # alternatives of one call's outcome

Arguments = tuple[Value, ...]
Keywords = tuple[tuple[str, Value], ...]


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
        return _construct(machine, function, arguments, keywords, source)
    if isinstance(function, External):
        return _external(machine, function, tuple(arguments), tuple(keywords), source, frame)
    if isinstance(function, Method):
        return _method(machine, function, tuple(arguments), tuple(keywords), source, frame)
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


def _construct(
    machine: Machine, cls: Class, arguments: Sequence[Value], keywords: Sequence[tuple[str, Value]], source: str
) -> Value:
    if any(c.dotted in ("enum.Enum", "enum.StrEnum", "enum.IntEnum", "enum.Flag") for c in cls.mro):
        return Unknown(source)
    if cls.path is None and not is_exception(cls) and not _looks_like_class(cls.name):
        return Unknown(source)
    del machine
    return Instance(cls, tuple(arguments), tuple(keywords))


def _looks_like_class(name: str) -> bool:
    bare = name.lstrip("_")
    return bare[:1].isupper() and not bare.isupper()


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
    key = (function.frame.path, function.frame.base + function.node.start_byte)
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
        for place, argument in enumerate(c for c in inside(listed)):
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


# Methods of built-in values


def _method(
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
        found = machine.member(receiver, arguments[0], source)
        default = arguments[1] if len(arguments) > 1 else Const(None)
        known = any(k == arguments[0] for k, _ in receiver.entries)
        return found if known else union([found, default])
    if name == "keys":
        return Seq("list", tuple(k for k, _ in receiver.entries)) if receiver.whole else Unknown(source)
    if name == "values":
        return Seq("list", tuple(v for _, v in receiver.entries)) if receiver.whole else Unknown(source)
    if name == "items":
        pairs = tuple(Seq("tuple", (k, v)) for k, v in receiver.entries)
        return Seq("list", pairs) if receiver.whole else Unknown(source)
    return receiver if name == "copy" else Unknown(source)


# Python's own functions


def _external(
    machine: Machine, function: External, arguments: Arguments, keywords: Keywords, source: str, frame: Frame
) -> Value:
    if function.dotted.startswith("builtins.str.") and arguments:  # str.upper(text)
        member = Method(arguments[0], function.name)
        return call(machine, member, arguments[1:], keywords, source, frame)
    rule = _FUNCTIONS.get(function.dotted)
    if rule is not None:
        return rule(machine, arguments, keywords, source, frame)
    cls = machine.class_of(function)
    return Unknown(source) if cls is None else _construct(machine, cls, arguments, keywords, source)


def _str(machine: Machine, arguments: Arguments, keywords: Keywords, source: str, frame: Frame) -> Value:
    if not arguments:
        return Text(())
    if len(arguments) == 1 and not isinstance(arguments[0], (Unknown, Caught)):
        return _shown(arguments[0], source, lambda v: to_text(v, source, machine.show))
    return Unknown(source)


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
        changed = [change(o) if isinstance(o, Text) else Unknown(source) for o in options(arguments[0])]
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
    from pipeline.mine.classes import exception_text

    instance = arguments[0]
    said = exception_text(machine, instance) if isinstance(instance, Instance) else None
    return Unknown(source) if said is None else Text(said)


_FUNCTIONS: dict[str, Callable[[Machine, Arguments, Keywords, str, Frame], Value]] = {
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

__all__ = ["call", "items_of", "operate", "run_function"]

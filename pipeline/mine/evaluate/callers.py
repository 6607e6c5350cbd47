"""Callers: what the functions of the tree pass for a parameter of one of them."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from pipeline.mine.evaluate.arguments import read_arguments
from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.parameters import Param, bind, read_parameters
from pipeline.mine.evaluate.scope import find
from pipeline.mine.evaluate.values import (
    Bound,
    Class,
    Const,
    Env,
    Frame,
    Function,
    Instance,
    Lazy,
    Text,
    Union,
    Unknown,
    Value,
    options,
    union,
)
from pipeline.mine.link import DefinitionRef, ExternalRef
from pipeline.mine.syntax import node_text
from pipeline.mine.template import MAX_INLINE, fixed_text

MAX_CALLS = 40  # call sites looked at for one function
MAX_NESTED = 3  # callers' own parameters that are followed to their callers


def _itself(unknown: Unknown) -> Unknown:
    """The parameter as a plain unknown value."""
    return Unknown(unknown.source, unknown.may_be_empty)


_NO_TEXTS = frozenset({"none", "true", "false", "integer", "float", "tuple", "list", "dictionary"})  # defaults


class Call(NamedTuple):
    """A call of a function: its arguments, what is in force there, and what its callee already holds."""

    listed: Node
    env: Env | None
    frame: Frame
    first: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


class Callers:
    """What is passed to the functions of one program, worked out when first asked for."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._known: dict[tuple[str, int, str], list[Value] | None] = {}
        self._found: dict[tuple[str, int], tuple[tuple[str, int], ...] | None] = {}
        self._calls: dict[tuple[str, int, str, int], Call | None] = {}
        self._depth = 0

    def constant(self, unknown: Unknown) -> Value | None:
        """The parameter's few constant values, where every caller in the tree passes one; else None."""
        if not self._closed(unknown) or not self._spoken(unknown):
            return None
        passed = self._passed(unknown)
        if not passed:
            return None
        flat = list(dict.fromkeys(o for v in passed for o in options(v) if isinstance(o, (Text, Const, Class))))
        whole = all(_is_constant(o) for v in passed for o in options(v))
        if not whole or len(flat) > MAX_INLINE or not any(isinstance(o, (Text, Class)) for o in flat):
            return None
        return union(flat)

    def _spoken(self, unknown: Unknown) -> bool:
        """Whether anything of the function's name is given a literal text anywhere."""
        function = unknown.parameter.frame.node if unknown.parameter is not None else None
        if function is None or unknown.parameter is None:
            return False
        program, name = self.machine.program, _name_of(function) or ""
        if any(program.is_spoken(called) for called in (name, *(alias for _, alias in program.aliases(name)))):
            return True
        default = next((p.default for p in read_parameters(function) if p.name == unknown.parameter.name), None)
        return default is not None and default.type not in _NO_TEXTS

    def _closed(self, unknown: Unknown) -> bool:
        """Whether all its calls can be expected to stand in the tree, as calls."""
        parameter = unknown.parameter
        name = _name_of(parameter.frame.node) if parameter is not None else None
        if parameter is None or name is None:
            return False
        frame = parameter.frame
        inside = (
            name.startswith("_") or _nested(frame) or (frame.owner is not None and frame.owner.name.startswith("_"))
        )
        return inside and not self.machine.program.mentions(frame.path, name)

    def passed(self, unknown: Unknown) -> Value:
        """Everything that the callers pass, and the parameter itself where a caller is not known."""
        values = self._passed(unknown)
        if not values:
            return unknown
        said: list[Value] = []
        for value in values:
            said.extend(_itself(unknown) if isinstance(option, Unknown) else option for option in options(value))
        if not self._closed(unknown):
            said.append(_itself(unknown))
        return union(said)

    def _passed(self, unknown: Unknown) -> list[Value] | None:
        """The parameter's value in each call; None where not all calls can be known."""
        parameter = unknown.parameter
        if parameter is None or parameter.frame.node is None or self._depth >= MAX_NESTED:
            return None
        node, frame = parameter.frame.node, parameter.frame
        key = (*frame.place(node), parameter.name)
        if key not in self._known:
            self._known[key] = None
            self._depth += 1
            try:
                sites = self._sites(node, frame)
                self._known[key] = None if sites is None else self._values(parameter.name, node, frame, sites)
            finally:
                self._depth -= 1
        return self._known[key]

    def _values(self, name: str, function: Node, frame: Frame, sites: tuple[tuple[str, int], ...]) -> list[Value]:
        out: list[Value] = []
        for path, offset in sites:
            call = self._call(function, frame, path, offset)
            if call is not None:
                out.append(self._argument(name, function, frame, call))
        return out

    def _private(self, name: str, frame: Frame) -> bool:
        """Whether only the tree itself can be expected to call it."""
        if name.startswith("__"):
            return False
        if name.startswith("_") or _nested(frame):
            return True
        if frame.owner is not None:
            return frame.owner.name.startswith("_")
        program = self.machine.program
        if not any(part.startswith("_") for part in program.module_name(frame.path).split(".")):
            return False
        ref = program.resolve(frame.path, name)
        return not (isinstance(ref, DefinitionRef) and program.public_name(ref.path, ref.indexes[0]) is not None)

    def _sites(self, node: Node, frame: Frame) -> tuple[tuple[str, int], ...] | None:
        """Where something of the function's name is called; None where outsiders can call it, or too many do."""
        key = frame.place(node)
        if key not in self._found:
            name = _name_of(node)
            self._found[key] = self._search(name, frame, node) if name and self._private(name, frame) else None
        return self._found[key]

    def _search(self, name: str, frame: Frame, node: Node) -> tuple[tuple[str, int], ...] | None:
        program = self.machine.program
        files = [(p, name) for p in ((frame.path,) if _nested(frame) else program.callers(name))]
        if not _nested(frame):
            files += program.aliases(name)
        sites: list[tuple[str, int]] = []
        for path, called in files:
            for at, dotted in program.calls(path, called):
                if self._may_be(dotted, path, frame, node):
                    sites.append((path, at))
            if len(sites) > MAX_CALLS:
                self.machine.hit("callers")
                return None
        return tuple(sites)

    def _may_be(self, dotted: str, path: str, frame: Frame, node: Node) -> bool:
        """Whether a dotted name in a file can be the function, as far as imports tell."""
        ref = self.machine.program.resolve_dotted(path, dotted)
        if isinstance(ref, DefinitionRef):
            definition = self.machine.program.facts[ref.path].definitions[ref.indexes[0]]
            return frame.owner is None and (ref.path, definition.start) == frame.place(node)
        return not isinstance(ref, ExternalRef)

    def _call(self, function: Node, frame: Frame, path: str, offset: int) -> Call | None:
        """The call at a byte of a file; None where it is of something else."""
        key = (*frame.place(function), path, offset)
        if key not in self._calls:
            self._calls[key] = None
            found = self._call_at(path, offset)
            if found is not None:
                self._calls[key] = self._confirmed(function, frame, *found)
        return self._calls[key]

    def _confirmed(self, function: Node, frame: Frame, call: Node, env: Env | None, where: Frame) -> Call | None:
        callee_node, listed = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if callee_node is None or listed is None:
            return None
        callees = options(self.machine.evaluate(callee_node, env, where))
        verdicts = [self._is(function, frame, o) for o in callees]
        if all(v is False for v in verdicts):
            return None
        mine = next((o for o, v in zip(callees, verdicts, strict=True) if v), None)
        first: tuple[Value, ...] = ()
        keywords: tuple[tuple[str, Value], ...] = ()
        if isinstance(mine, Bound):
            first, keywords = mine.arguments, mine.keywords
        elif frame.owner is not None and callee_node.type == "attribute":
            first = (Instance(frame.owner, exact=False),)
        self.machine.step("called by", call, where)
        return Call(listed, env, where, first, keywords)

    def _argument(self, name: str, function: Node, frame: Frame, call: Call) -> Value:
        """What one call passes for the parameter."""
        params = read_parameters(function)
        plain = _plain_argument(name, params, call)
        if plain is not None:
            return self.machine.evaluate(plain, call.env, call.frame)
        arguments, keywords = read_arguments(self.machine, call.listed, call.env, call.frame)
        given = (*call.first, *arguments)
        env = bind(params, given, (*call.keywords, *keywords), None, lambda n: self.machine.evaluate(n, None, frame))
        found, _ = find(env, name)
        return union([self.machine.force(f) for f in found if isinstance(f, Lazy)])

    def _is(self, function: Node, frame: Frame, callee: Value) -> bool | None:
        """Whether the callee is this function; None where it may be."""
        if isinstance(callee, Bound):
            return self._is(function, frame, callee.function)
        if isinstance(callee, Function):
            return callee.frame.place(callee.node) == frame.place(function)
        return None if isinstance(callee, Unknown) else False

    def _call_at(self, path: str, offset: int) -> tuple[Node, Env | None, Frame] | None:
        """The call at a byte of a file, and what is in force there."""
        facts = self.machine.program.facts[path]
        index = next((i for i, d in enumerate(facts.definitions) if d.start <= offset < d.end), -1)
        unit = self.machine.unit(path, index, whole=True)
        at = offset - unit.base
        point = None
        for candidate in unit.run.points:
            if candidate.node.start_byte <= at < candidate.node.end_byte:
                point = candidate
        if point is None:
            return None
        node: Node | None = point.node.descendant_for_byte_range(at, at + 1)
        while node is not None and node.type != "call":
            node = node.parent if node != point.node else None
        return (node, point.env, point.frame) if node is not None else None


def _name_of(function: Node | None) -> str | None:
    name = function.child_by_field_name("name") if function is not None else None
    return node_text(name) if name is not None else None


def _nested(frame: Frame) -> bool:
    """Whether a function stands inside another one, so that only that one's code can call it."""
    outer = frame.parent
    return outer is not None and outer.node is not None and outer.node.type == "function_definition"


def _plain_argument(name: str, params: tuple[Param, ...], call: Call) -> Node | None:
    """The expression a call passes for a parameter, where nothing is spread into its arguments."""
    positional: list[Node] = []
    for node in call.listed.named_children:
        if node.type in ("list_splat", "dictionary_splat", "for_in_clause"):
            return None
        if node.type == "keyword_argument":
            key = node.child_by_field_name("name")
            if key is not None and node_text(key) == name:
                return node.child_by_field_name("value")
        elif not node.is_extra:
            positional.append(node)
    names = [p.name for p in params if not p.kind]
    place = names.index(name) - len(call.first) if name in names else -1
    return positional[place] if 0 <= place < len(positional) else None


def _is_constant(value: Value) -> bool:
    if isinstance(value, Text):
        return fixed_text(value.template) is not None
    return isinstance(value, (Const, Class)) or (isinstance(value, Union) and all(map(_is_constant, value.options)))

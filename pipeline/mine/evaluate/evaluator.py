"""The evaluator: what a name, an attribute, a call can be anywhere in the linked program."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from pipeline.mine.consult import Consulted
from pipeline.mine.evaluate import attributes, calls, containers, exceptions, expression
from pipeline.mine.evaluate.callers import Callers
from pipeline.mine.evaluate.changes import augment, mutate, rounds
from pipeline.mine.evaluate.definitions import Definitions
from pipeline.mine.evaluate.machine import Closing
from pipeline.mine.evaluate.narrowing import grown
from pipeline.mine.evaluate.parameters import Param, literal_values, read_parameters
from pipeline.mine.evaluate.render import renamed
from pipeline.mine.evaluate.run import Unit
from pipeline.mine.evaluate.scope import find
from pipeline.mine.evaluate.truth import truth
from pipeline.mine.evaluate.values import (
    Bind,
    Carried,
    Class,
    Const,
    Env,
    External,
    Found,
    Frame,
    Function,
    Instance,
    Lazy,
    Marker,
    Module,
    Parameter,
    Seq,
    Table,
    Union,
    Unknown,
    Value,
    options,
    union,
)
from pipeline.mine.facts import Import
from pipeline.mine.link import AssignmentRef, DefinitionRef, ExternalRef, ModuleRef, Ref
from pipeline.mine.syntax import node_text, words
from pipeline.mine.template import Template

_WORD = re.compile(r"(?<![.\w])[A-Za-z_]\w*")
MAX_STEPS = 20_000  # expressions evaluated for one raise site
MAX_CALL_STEPS = 500  # those after which no further function is run for it
MAX_DEPTH = 120  # expressions inside expressions, calls included


class Look(NamedTuple):
    """Something looked up on the way to a template: what it is, where it stands, and its source words."""

    what: str
    path: str
    line: int
    source: str


@dataclass(eq=False)
class Evaluator:
    """Everything known of one linked program, worked out when first asked for."""

    program: Consulted
    hits: Counter[str] = field(default_factory=Counter)
    trace: dict[Look, None] | None = None  # what was looked up, each once, in order

    def __post_init__(self) -> None:
        self.flows: list[Closing] = []
        self._globals: dict[tuple[str, str], Value | None] = {}
        self._modules: dict[str, Frame] = {}
        self._carrying: dict[tuple[int, str], bool] = {}
        self.speech: dict[tuple[str, int], int] = {}
        self.varying: dict[tuple[str, int], frozenset[str]] = {}
        self.silent: set[int] = set()
        self.dotted: set[str] = set()
        self.outcomes: dict[tuple[object, ...], Value] = {}
        self._selves: dict[Class, Instance] = {}
        self._glances = 0
        self._marks = 0
        self._steps = 0
        self._limit = MAX_CALL_STEPS
        self._checked: frozenset[str] = frozenset()
        self._depth = 0
        self._callers = Callers(self)
        self._definitions = Definitions(self)

    def close(self) -> None:
        """Forget everything, at the end: it is full of circles, which else only Python's collector would find."""
        for flow in self.flows:
            flow.close()
        self._definitions.close()
        vars(self).clear()

    def begin(self, condition: str | None) -> None:
        """Starts on another raise site, with all bounds fresh.

        A parameter that the site's guard speaks of is being checked: what it should be is not what it is.
        """
        self._steps = 0
        self._limit = MAX_CALL_STEPS
        self._checked = frozenset(_WORD.findall(condition or ""))

    def hit(self, bound: str) -> None:
        self.hits[bound] += 1

    def certainty(self) -> tuple[int, int]:
        return self._marks, self.hits.total()

    def glance(self, node: Node, env: Env | None, frame: Frame) -> Value:
        self._glances += 1
        try:
            return self.evaluate(node, env, frame)
        finally:
            self._glances -= 1

    def part(self, node: Node, env: Env | None, frame: Frame) -> Value:
        before = self._limit
        self._limit = min(before, self._steps + max(0, before - self._steps) // 2)
        try:
            return self.evaluate(node, env, frame)
        finally:
            self._limit = before

    def leave_open(self) -> None:
        self._marks += 1

    def glancing(self) -> bool:
        if self._glances:
            self.leave_open()
        return self._glances > 0

    def spent(self) -> bool:
        if self._steps > self._limit:
            self.hit("steps")
        return self._steps > self._limit

    def step(self, what: str, node: Node, frame: Frame) -> None:
        if self.trace is not None:
            before = self.program.texts.sources[frame.path].count(b"\n", 0, frame.base + node.start_byte)
            self.trace[Look(what=what, path=frame.path, line=before + 1, source=words(node))] = None

    # Expressions

    def evaluate(self, node: Node, env: Env | None, frame: Frame) -> Value:
        self._steps += 1
        if self._steps > MAX_STEPS or self._depth > MAX_DEPTH:
            self.hit("steps" if self._steps > MAX_STEPS else "nesting")
            return Unknown(words(node), why="bound")
        self._depth += 1
        try:
            return expression.evaluate(self, node, env, frame)
        finally:
            self._depth -= 1

    def force(self, lazy: Lazy) -> Value:
        if lazy.value is not None:
            return lazy.value
        if lazy.running:
            return Unknown("")
        lazy.running = True
        marks = self._marks
        try:
            value = lazy.compute()
        finally:
            lazy.running = False
        if marks == self._marks and self._steps <= MAX_STEPS and self._depth <= MAX_DEPTH:
            lazy.value = value
        return value

    def truth(self, node: Node, env: Env | None, frame: Frame) -> bool | None:
        return truth(self, node, env, frame)

    def element(self, value: Value, source: str) -> Value:
        return containers.element_of(value, source)

    def member(self, value: Value, key: Value, source: str) -> Value:
        return containers.member_of(value, key, source)

    def show(self, instance: Instance) -> Template | None:
        return exceptions.text_of(self, instance)

    def call(
        self,
        function: Value,
        arguments: Sequence[Value],
        keywords: Sequence[tuple[str, Value]],
        source: str,
        frame: Frame,
    ) -> Value:
        return calls.call(self, function, arguments, keywords, source, frame)

    # Names

    def lookup(self, name: str, env: Env | None, frame: Frame) -> Value:
        found, _ = find(env, name)
        current = frame.parent
        while not found and current is not None:
            found, _ = find(current.final, name)
            current = current.parent
        if found:
            return self._assigned(name, found, frame)
        if "." in name:
            return Unknown(name)
        known = self.global_value(frame.path, name)
        return Unknown(name) if known is None else known

    def _assigned(self, name: str, found: list[Found], frame: Frame) -> Value:
        values = [self._carried(f, frame) if isinstance(f, Carried) else self._found(name, f) for f in found]
        return union(values)

    def _found(self, name: str, lazy: Lazy) -> Value:
        if self.trace is not None and lazy.place is not None:
            self.step(f"name {name}", *lazy.place)
        value = self.force(lazy)
        if lazy.passed:
            return value if not (isinstance(value, Unknown) and not value.source) else Unknown(name)
        return renamed(value, name)

    def _carried(self, carried: Carried, frame: Frame) -> Value:
        """What a loop's rounds make of a name: its value before, and what each round adds."""
        loop, name = carried.loop, carried.name
        key = (id(loop), name)
        if self._carrying.get(key):
            self._marks += 1
            return Marker(name, id(loop))
        self._carrying[key] = True
        try:
            ends: list[Value] = []
            for end in loop.ends:
                found, falls = find(end, name, loop)
                if found:
                    ends += options(self._assigned(name, found, frame))
                if falls:
                    ends.append(Marker(name, id(loop)))
        finally:
            self._carrying[key] = False
        before = find(loop.parent, name)[0]
        start = self._assigned(name, before, frame) if before else self.global_value(frame.path, name)
        return rounds(self, start, ends, Marker(name, id(loop)))

    def global_value(self, path: str, name: str) -> Value | None:
        key = (path, name)
        if key not in self._globals:
            self._globals[key] = None
            values = [self.meaning(ref, name) for ref in self.program.meanings(path, name)]
            known = [v for v in values if v is not None]
            self._globals[key] = union(known) if known else None
        return self._globals[key]

    def meaning(self, ref: Ref, name: str) -> Value | None:
        if isinstance(ref, ModuleRef):
            return Module(ref.path, ref.dotted)
        if isinstance(ref, ExternalRef):
            return External(ref.dotted)
        if isinstance(ref, DefinitionRef):
            return union([self._definitions.definition(ref.path, i) for i in ref.indexes])
        return self._assignments(ref, name)

    def _assignments(self, ref: AssignmentRef, name: str) -> Value:
        values: list[Value] = []
        for start, end in ref.spans[:8]:
            if start < 0:
                values.append(Unknown(name))
                continue
            node = self.program.texts.expression(ref.path, start, end)
            frame = Frame(ref.path, None, start - 1, self.module_frame(ref.path))
            if node is not None:
                self.step(f"global {name}", node, frame)
            value = Unknown(name) if node is None else renamed(self.evaluate(node, None, frame), name)
            values.append(grown(value, name) if self._changes(ref.path, name, value) else value)
        if self._rebound(ref.path, name, values):
            values.append(Unknown(name))
        return union(values) if len(ref.spans) <= 8 else Unknown(name)

    def _rebound(self, path: str, name: str, values: list[Value]) -> bool:
        """Whether a global is assigned anew while the program runs: by a `global` statement, or through its module."""
        if self.program.is_rebound(path, name):
            return True
        return all(isinstance(v, Const) for v in values) and self.program.is_stored(name)

    def _changes(self, path: str, name: str, value: Value) -> bool:
        """Whether a global container is filled later on: it starts empty, or the module changes it."""
        if isinstance(value, Table) or (isinstance(value, Seq) and value.kind in ("list", "set")):
            empty = not (value.entries if isinstance(value, Table) else value.items)
            return empty or self.program.changes(path, name)
        return False

    def module_frame(self, path: str) -> Frame:
        if path not in self._modules:
            self._modules[path] = Frame(path, None, 0)
        return self._modules[path]

    def imported(self, one: Import, frame: Frame) -> Value:
        ref = self.program.imported(frame.path, one)
        found = self.meaning(ref, one.name) if ref is not None else None
        return Unknown(one.name) if found is None else found

    # Definitions

    def unit(self, path: str, index: int, *, whole: bool = False) -> Unit:
        return self._definitions.unit(path, index, whole=whole)

    def class_at(self, path: str, index: int) -> Class | None:
        return self._definitions.class_at(path, index)

    def make_class(self, node: Node, env: Env | None, frame: Frame) -> Value:
        return self._definitions.make_class(node, env, frame)

    def class_of(self, value: Value) -> Class | None:
        return self._definitions.class_of(value)

    # Attributes

    def attribute(self, value: Value, name: str, source: str, frame: Frame) -> Value:
        return attributes.attribute(self, value, name, source, frame)

    def superclass(self, env: Env | None, frame: Frame) -> Value:
        return attributes.superclass(self, env, frame)

    # Changes

    def mutate(self, value: Value, method: str, node: Node, env: Env | None, frame: Frame) -> Value:
        return mutate(self, value, method, node, env, frame)

    def augment(self, value: Value, node: Node, env: Env | None, frame: Frame) -> Value:
        return augment(self, value, node, env, frame)

    # Parameters

    def open_call(self, function: Function, env: Env | None, frame: Frame) -> Env | None:
        params = read_parameters(function.node)
        kinds = {d.rpartition(".")[2].partition("(")[0] for d in function.decorators}
        for i, param in enumerate(params):
            me = i == 0 and function.owner is not None and "staticmethod" not in kinds
            env = Bind(param.name, self._open(param, function, frame, kinds, me=me), env)
        return env

    def _open(self, param: Param, function: Function, frame: Frame, kinds: set[str], *, me: bool) -> Lazy:
        if me and function.owner is not None:
            cls = function.owner
            classy = "classmethod" in kinds or function.name == "__new__"
            value: Value = cls if classy else self._selves.setdefault(cls, Instance(cls, exact=False))
            return Lazy(lambda: value, value, passed=True)
        if param.kind in ("*", "**"):
            return Lazy(lambda: Unknown(param.name, may_be_empty=True), passed=True)
        return Lazy(lambda: self._parameter(param, frame), passed=True)

    def _parameter(self, param: Param, frame: Frame) -> Value:
        empty = param.default is not None and node_text(param.default) in ('""', "''")
        unknown = Unknown(param.name, empty, Parameter(frame, param.name))
        known = literal_values(param.annotation) or self._callers.constant(unknown)
        if known is None:
            return unknown
        self.leave_open()
        return unknown if param.name in self._checked else known

    def widen(self, value: Value) -> Value:
        if isinstance(value, Union):
            return union([self.widen(o) for o in value.options])
        if isinstance(value, Unknown) and value.parameter is not None:
            return self._callers.passed(value)
        return value

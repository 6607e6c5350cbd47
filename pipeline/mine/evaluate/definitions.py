"""Definitions: the functions and classes of a program, and what stands in them, each made when first asked for."""

from __future__ import annotations

from tree_sitter import Node

from pipeline.mine.evaluate import classes
from pipeline.mine.evaluate.flow import defining
from pipeline.mine.evaluate.flow.flow import Flow
from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.run import Unit
from pipeline.mine.evaluate.values import Class, Env, External, Frame, Function, Value, options
from pipeline.mine.facts import Definition
from pipeline.mine.syntax import inside, node_text, words

_RAISING = (b"raise", b"assert")


class Definitions:
    """Those of one program."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._units: dict[tuple[str, int, bool], Unit] = {}
        self._functions: dict[tuple[str, int], Value] = {}
        self._classes: dict[tuple[str, int], Class | None] = {}
        self._made: dict[tuple[str, int], Class] = {}
        self._outside: dict[str, Class] = {}

    def close(self) -> None:
        """Let go of what classes lead to."""
        for cls in (*self._made.values(), *self._outside.values()):
            cls.node = cls.frame = cls.env = cls.body = None
            cls.mro = ()

    def unit(self, path: str, index: int, *, whole: bool = False) -> Unit:
        """The definition parsed and run, as if called by somebody unknown. index -1: the module's own code.

        whole: its inner functions that raise nothing run too.
        """
        key = (path, index, whole)
        if key not in self._units:
            facts, texts = self.machine.program.facts[path], self.machine.program.texts
            start = 0 if index < 0 else facts.definitions[index].start
            node = texts.module(path) if index < 0 else self._definition_node(path, index)
            frame = Frame(path, None, start, self.machine.module_frame(path))
            entered = () if index < 0 else None if whole else _RAISING
            flow = Flow(self.machine, frame, deep=True, entered=entered)
            self._units[key] = Unit(node, start, flow.run)
            if index < 0:
                flow.body(node, None)
            else:
                self._enter(flow, node, facts.definitions[index], path, index)
        return self._units[key]

    def _enter(self, flow: Flow, node: Node, definition: Definition, path: str, index: int) -> None:
        if definition.is_class:
            cls = self.class_at(path, index)
            body = node.child_by_field_name("body")
            if cls is not None and body is not None:
                defining.class_body(flow, node, body, None)
        else:
            defining.defined(flow, node, definition.decorators, None)

    def _definition_node(self, path: str, index: int) -> Node:
        definition = self.machine.program.facts[path].definitions[index]
        return self.machine.program.texts.statement(path, definition.start, definition.end)

    def definition(self, path: str, index: int) -> Value:
        """What a top-level definition binds its name to."""
        key = (path, index)
        if key not in self._functions:
            definition = self.machine.program.facts[path].definitions[index]
            cls = self.class_at(path, index) if definition.is_class else None
            if cls is not None:
                self._functions[key] = cls
            else:
                frame = Frame(path, None, definition.start, self.machine.module_frame(path))
                node = self._definition_node(path, index)
                self._functions[key] = Function(definition.name, node, frame, None, None, definition.decorators)
        return self._functions[key]

    def class_at(self, path: str, index: int) -> Class | None:
        """The class of a top-level definition."""
        key = (path, index)
        if key not in self._classes:
            self._classes[key] = None
            definition = self.machine.program.facts[path].definitions[index]
            if definition.is_class:
                frame = Frame(path, None, definition.start, self.machine.module_frame(path))
                node = self._definition_node(path, index)
                made = Class(
                    definition.name,
                    definition.name,
                    path,
                    f"{self.machine.program.module_name(path)}.{definition.name}",
                )
                made.node, made.frame, made.definition = node, frame, index
                self._classes[key] = made
                self._made[path, definition.start] = made
                self._inherit(made)
        return self._classes[key]

    def make_class(self, node: Node, env: Env | None, frame: Frame) -> Class:
        """The class that a definition inside a function makes."""
        key = frame.place(node)
        if key not in self._made:
            name_node = node.child_by_field_name("name")
            name = node_text(name_node) if name_node is not None else "?"
            made = Class(name, name, frame.path, f"{self.machine.program.module_name(frame.path)}.<locals>.{name}")
            made.node, made.frame, made.env = node, frame, env
            self._made[key] = made
            self._inherit(made)
        return self._made[key]

    def _inherit(self, cls: Class) -> None:
        cls.mro = (cls,)
        listed = cls.node.child_by_field_name("superclasses") if cls.node is not None else None
        bases: list[Class] = []
        for node in inside(listed) if listed is not None else ():
            if node.type == "keyword_argument" or cls.frame is None:
                continue
            value = self.machine.evaluate(node, cls.env, cls.frame)
            likely = [c for c in map(self.class_of, options(value)) if c is not None]
            found = likely[0] if likely else self.class_of(External(words(node).partition("[")[0]))
            if found is not None and found is not cls and cls not in found.mro:
                bases.append(found)
        cls.mro = classes.linearise(bases, cls)

    def class_of(self, value: Value) -> Class | None:
        """The value as a class, where it is one."""
        if isinstance(value, Class):
            return value
        if isinstance(value, External):
            real = classes.builtin_class(self._outside, value.dotted)
            if classes.is_exception(real):
                return real
            if not value.dotted.startswith("builtins.") and classes.looks_like_class(value.name):
                return real
        return None

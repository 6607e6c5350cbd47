"""Callers: what the functions of the tree pass for a parameter of one of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tree_sitter import Node

from pipeline.mine.expression import read_arguments
from pipeline.mine.parameters import bind, read_parameters
from pipeline.mine.scope import Env, find
from pipeline.mine.syntax import node_text
from pipeline.mine.template import MAX_INLINE, fixed_text
from pipeline.mine.values import (
    Bound,
    Class,
    Const,
    Frame,
    Function,
    Instance,
    Text,
    Union,
    Unknown,
    Value,
    options,
    union,
)

if TYPE_CHECKING:
    from pipeline.mine.evaluate import Evaluator

MAX_CALLS = 40  # call sites looked at for one function
MAX_NESTED = 3  # callers' own parameters that are followed to their callers


class Callers:
    """What is passed to the functions of one program, worked out when first asked for."""

    def __init__(self, machine: Evaluator):
        self.machine = machine
        self._known: dict[tuple[str, int], dict[str, list[Value]] | None] = {}
        self._depth = 0

    def constant(self, unknown: Unknown) -> Value | None:
        """The parameter's few constant values, where every caller in the tree passes one; else None."""
        passed = self._passed(unknown)
        if not passed:
            return None
        flat = list(dict.fromkeys(o for v in passed for o in options(v) if isinstance(o, (Text, Const, Class))))
        whole = all(_is_constant(o) for v in passed for o in options(v))
        if not whole or len(flat) > MAX_INLINE or not any(isinstance(o, (Text, Class)) for o in flat):
            return None
        return union(flat)

    def passed(self, unknown: Unknown) -> Value:
        """Everything that the callers pass, and the parameter itself where a caller is not known."""
        values = self._passed(unknown)
        if not values:
            return unknown
        said: list[Value] = []
        for value in values:
            for option in options(value):
                said.append(Unknown(unknown.source, unknown.may_be_empty) if isinstance(option, Unknown) else option)
        return union(said)

    def _passed(self, unknown: Unknown) -> list[Value] | None:
        parameter = unknown.parameter
        if parameter is None or parameter.frame.node is None or self._depth >= MAX_NESTED:
            return None
        node, frame = parameter.frame.node, parameter.frame
        key = (frame.path, frame.base + node.start_byte)
        if key not in self._known:
            self._known[key] = None
            self._depth += 1
            try:
                self._known[key] = self._calls(node, frame)
            finally:
                self._depth -= 1
        known = self._known[key]
        return None if known is None else known.get(parameter.name)

    def _calls(self, node: Node, frame: Frame) -> dict[str, list[Value]] | None:
        """The values of each parameter, one for each call; None where not all calls can be known."""
        name_node = node.child_by_field_name("name")
        if name_node is None:
            return None
        name = node_text(name_node)
        if not self._private(name, frame, node):
            return None
        sites = self._sites(name, frame)
        if sites is None:
            return None
        params = read_parameters(node)
        out: dict[str, list[Value]] = {p.name: [] for p in params}
        for path, offset in sites:
            env = self._bound(node, frame, path, offset, out)
            if env is None:
                continue
            for param in params:
                found, _ = find(env, param.name)
                out[param.name].append(union([self.machine.force(f) for f in found if not hasattr(f, "loop")]))
        return out

    def _private(self, name: str, frame: Frame, node: Node) -> bool:
        """Whether only the tree itself can be expected to call it."""
        if name.startswith("__"):
            return False
        if name.startswith("_") or (frame.parent is not None and frame.parent.node is not None and frame.owner is None):
            return True
        if frame.owner is not None:
            return frame.owner.name.startswith("_")
        dotted = self.machine.program.dotted[frame.path]
        if not any(part.startswith("_") for part in dotted.split(".")):
            return False
        for ref in (self.machine.program.resolve(frame.path, name),):
            index = getattr(ref, "indexes", (-1,))[0]
            if (frame.path, index) in self.machine.program.exported:
                return False
        del node
        return True

    def _sites(self, name: str, frame: Frame) -> list[tuple[str, int]] | None:
        program = self.machine.program
        nested = frame.parent is not None and frame.parent.node is not None and frame.owner is None
        files = (frame.path,) if nested else program.callers.get(name, ())
        pattern = re.compile(rb"\b" + name.encode() + rb"\s*\(")
        sites: list[tuple[str, int]] = []
        for path in files:
            for found in pattern.finditer(program.sources[path]):
                before = program.sources[path][: found.start()].rstrip()
                if not before.endswith(b"def"):
                    sites.append((path, found.start()))
                if len(sites) > MAX_CALLS:
                    self.machine.hit("callers")
                    return None
        return sites

    def _bound(self, function: Node, frame: Frame, path: str, offset: int, out: dict[str, list[Value]]) -> Env | None:
        """The parameters as one call binds them; None where the call is of something else."""
        found = self._call_at(path, offset)
        if found is None:
            return None
        call, env, where = found
        callee_node, listed = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if callee_node is None or listed is None:
            return None
        callee = self.machine.evaluate(callee_node, env, where)
        verdicts = [self._is(function, frame, o) for o in options(callee)]
        if not any(v is not False for v in verdicts):
            return None
        arguments, keywords = read_arguments(self.machine, listed, env, where)
        mine = next((o for o, v in zip(options(callee), verdicts, strict=True) if v), None)
        if isinstance(mine, Bound):
            arguments = (*mine.arguments, *arguments)
            keywords = (*mine.keywords, *keywords)
        elif mine is None or frame.owner is not None:
            arguments = self._unsure(callee_node, frame, arguments)
        params = read_parameters(function)
        del out
        return bind(params, arguments, keywords, None, lambda n: self.machine.evaluate(n, None, frame))

    def _unsure(self, callee: Node, frame: Frame, arguments: tuple[Value, ...]) -> tuple[Value, ...]:
        """The arguments of a call through an object that is not known: its method is taken to be this one."""
        if frame.owner is not None and callee.type == "attribute":
            return (Instance(frame.owner, exact=False), *arguments)
        return arguments

    def _is(self, function: Node, frame: Frame, callee: Value) -> bool | None:
        """Whether the callee is this function; None where it may be."""
        if isinstance(callee, Bound):
            return self._is(function, frame, callee.function)
        if isinstance(callee, Function):
            same = (callee.frame.path, callee.frame.base + callee.node.start_byte)
            return same == (frame.path, frame.base + function.start_byte)
        return None if isinstance(callee, Unknown) else False

    def _call_at(self, path: str, offset: int) -> tuple[Node, Env | None, Frame] | None:
        """The call at a byte of a file, and what is in force there."""
        facts = self.machine.program.facts[path]
        index = next((i for i, d in enumerate(facts.definitions) if d.start <= offset < d.end), -1)
        unit = self.machine.unit(path, index)
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


def _is_constant(value: Value) -> bool:
    if isinstance(value, Text):
        return fixed_text(value.template) is not None
    return isinstance(value, (Const, Class)) or (isinstance(value, Union) and all(map(_is_constant, value.options)))

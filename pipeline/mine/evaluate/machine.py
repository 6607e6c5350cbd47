"""What the parts of the evaluator need of each other: evaluate.py puts them together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from tree_sitter import Node

from pipeline.mine.consult import Consulted
from pipeline.mine.evaluate.run import Unit
from pipeline.mine.evaluate.values import Class, Env, Frame, Function, Instance, Lazy, Value
from pipeline.mine.facts import Import
from pipeline.mine.link import Ref
from pipeline.mine.template import Template

Arguments: TypeAlias = tuple[Value, ...]
Keywords: TypeAlias = tuple[tuple[str, Value], ...]
Step: TypeAlias = "Callable[[Machine, Node, Env | None, Frame], Value]"
"""How one form of expression is evaluated."""


class Closing(Protocol):
    """What holds on to much, in circles, until it is closed."""

    def close(self) -> None:
        """Let go of everything."""


class Machine(Protocol):
    """The evaluator, as its parts see it."""

    program: Consulted
    flows: list[Closing]  # all that were begun, to be closed at the end
    dotted: set[str]  # attributes of names (`self.text`) that are assigned anywhere
    outcomes: dict[tuple[object, ...], Value]  # what calls gave, by function and arguments
    varying: dict[tuple[str, int], frozenset[str]]  # parameters that recursive functions change; kept by calls.py
    silent: set[int]  # functions that say nothing unless they are given text, as running them has shown
    speech: dict[tuple[str, int], int]  # what functions can say, by path and place; kept by speech.py

    def evaluate(self, node: Node, env: Env | None, frame: Frame) -> Value:
        """What an expression can be."""

    def force(self, lazy: Lazy) -> Value:
        """The value of an assignment, worked out once."""

    def truth(self, node: Node, env: Env | None, frame: Frame) -> bool | None:
        """Whether a test holds; None where that is not known."""

    def lookup(self, name: str, env: Env | None, frame: Frame) -> Value:
        """What a name means at a point of a function."""

    def meaning(self, ref: Ref, name: str) -> Value | None:
        """What a reference of the linked program is."""

    def module_frame(self, path: str) -> Frame:
        """Where the code of a module runs."""

    def unit(self, path: str, index: int, *, whole: bool = False) -> Unit:
        """A top-level definition (-1: the module's own code), run as if called by somebody unknown.

        whole: its inner functions that raise nothing run too.
        """

    def imported(self, one: Import, frame: Frame) -> Value:
        """What an import binds."""

    def global_value(self, path: str, name: str) -> Value | None:
        """What a global name of a module is."""

    def call(
        self,
        function: Value,
        arguments: Sequence[Value],
        keywords: Sequence[tuple[str, Value]],
        source: str,
        frame: Frame,
    ) -> Value:
        """What a call gives; `source` names the hole where that is not known."""

    def attribute(self, value: Value, name: str, source: str, frame: Frame) -> Value:
        """`value.name`."""

    def element(self, value: Value, source: str) -> Value:
        """What a loop over the value gives in any round."""

    def member(self, value: Value, key: Value, source: str) -> Value:
        """`value[key]`."""

    def mutate(self, value: Value, method: str, node: Node, env: Env | None, frame: Frame) -> Value:
        """The container after `value.append(…)`, `value[key] = …` and the like."""

    def augment(self, value: Value, node: Node, env: Env | None, frame: Frame) -> Value:
        """The variable after `value += …`."""

    def make_class(self, node: Node, env: Env | None, frame: Frame) -> Value:
        """The class that a definition inside a function makes."""

    def open_call(self, function: Function, env: Env | None, frame: Frame) -> Env | None:
        """The environment of a function that nobody in particular called."""

    def widen(self, value: Value) -> Value:
        """A parameter's value as its callers pass it, where the whole text hangs on it."""

    def show(self, instance: Instance) -> Template | None:
        """What `str()` says of an object."""

    def class_of(self, value: Value) -> Class | None:
        """The value as a class, where it is one."""

    def class_at(self, path: str, index: int) -> Class | None:
        """The class of a top-level definition."""

    def glance(self, node: Node, env: Env | None, frame: Frame) -> Value:
        """What an expression can be without running the functions it calls."""

    def part(self, node: Node, env: Env | None, frame: Frame) -> Value:
        """As `evaluate`, for one of several parts of a text: it may use up half of the effort that is left."""

    def glancing(self) -> bool:
        """Whether this is only a glance, so that a call is not run."""

    def spent(self) -> bool:
        """Whether the effort for this raise site is used up, so that a call is not run; counts it."""

    def leave_open(self) -> None:
        """Notes that a value depends on where it is asked for, so that it is not kept."""

    def certainty(self) -> tuple[int, int]:
        """Changes whenever a bound is hit or a value is left open, so that what came of it must not be kept."""

    def superclass(self, env: Env | None, frame: Frame) -> Value:
        """`super()` at a point of a method."""

    def step(self, what: str, node: Node, frame: Frame) -> None:
        """Notes something that was looked up, and where it stands, for `errcat why`."""

    def hit(self, bound: str) -> None:
        """Counts a bound that was hit."""

"""What the steps of a flow need of the flow they are steps of: flow.py puts them together."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from tree_sitter import Node

from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.run import Run
from pipeline.mine.evaluate.values import Env, Frame, Lazy


class Dead:
    """Control does not come here."""


DEAD = Dead()
State: TypeAlias = Env | Dead | None
"""What is in force after a statement."""


class Runner(Protocol):
    """The flow, as its steps see it."""

    machine: Machine
    frame: Frame
    run: Run
    deep: bool  # nested functions run too
    breaks: list[list[Env | None]]  # what is in force at each `break`, for each loop around
    continues: list[list[Env | None]]
    last: Env | None  # what was in force where control was last
    walruses: bool  # whether any `:=` stands in the body

    def body(self, block: Node, env: Env | None) -> Run:
        """Runs a whole body."""

    def block(self, block: Node, env: Env | None) -> State:
        """Runs the statements of a block."""

    def statement(self, node: Node, env: Env | None) -> State:
        """Runs one statement."""

    def lazy(self, node: Node, env: Env | None) -> Lazy:
        """An expression, to be evaluated when it is asked for."""

    def within(self, frame: Frame) -> Runner:
        """The flow of a body inside this one; what raises there counts here."""

    def enters(self, body: Node) -> bool:
        """Whether a body inside this one is to run."""

"""What running a body brought: its returns, raises and statements, and what is in force at each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from pipeline.mine.evaluate.values import Env, Frame, Lazy, Loop, Unknown, Value


class Point(NamedTuple):
    """A statement that runs: its bytes in the unit, and what is in force before it."""

    node: Node
    env: Env | None
    frame: Frame


@dataclass(eq=False, slots=True)
class Run:
    """What running a body brought.

    returns: the expressions returned. yields: `yield` expressions. raises: raise and assert statements.
    points: every statement, outer ones first. calls: calls that stand as statements. alive: whether control can
    reach the end. loops: those it came through.
    functions: those it defines, which know themselves.
    """

    frame: Frame
    returns: list[Point] = field(default_factory=list)
    raises: list[Point] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    calls: list[Point] = field(default_factory=list)
    yields: list[Point] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    functions: list[Lazy] = field(default_factory=list)
    alive: bool = True
    end: Env | None = None

    def close(self) -> None:
        """Let go of everything."""
        for loop in self.loops:
            loop.ends.clear()
        for function in self.functions:
            function.compute, function.value = _nothing, None
        for its in (self.returns, self.raises, self.points, self.calls, self.yields, self.loops, self.functions):
            its.clear()
        self.end = self.frame.final = self.frame.parent_env = None


def _nothing() -> Value:
    return Unknown("")


class Unit(NamedTuple):
    """A parsed top-level definition (or a module): where it begins, and what running it brought."""

    node: Node
    base: int
    run: Run

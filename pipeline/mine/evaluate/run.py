"""What running a body brought: its returns, raises and statements, and what is in force at each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from pipeline.mine.evaluate.values import Env, Frame


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
    reach the end.
    """

    frame: Frame
    returns: list[Point] = field(default_factory=list)
    raises: list[Point] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    calls: list[Point] = field(default_factory=list)
    yields: list[Point] = field(default_factory=list)
    alive: bool = True
    end: Env | None = None


class Unit(NamedTuple):
    """A parsed top-level definition (or a module): where it begins, and what running it brought."""

    node: Node
    base: int
    run: Run

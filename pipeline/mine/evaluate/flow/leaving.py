"""Statements that end a way, or bring names from elsewhere."""

from __future__ import annotations

from tree_sitter import Node

from pipeline.mine.evaluate.flow.assigning import walrus
from pipeline.mine.evaluate.flow.runner import DEAD, Runner, State
from pipeline.mine.evaluate.run import Point
from pipeline.mine.evaluate.values import (
    Bind,
    Env,
    Lazy,
)
from pipeline.mine.facts import is_bare, read_import


def returned(runner: Runner, node: Node, env: Env | None) -> State:
    runner.run.returns.append(Point(node, env, runner.frame))
    return DEAD


def raised(runner: Runner, node: Node, env: Env | None) -> State:
    if not is_bare(node):
        runner.run.raises.append(Point(node, walrus(runner, node, env), runner.frame))
    return DEAD


def asserted(runner: Runner, node: Node, env: Env | None) -> State:
    env = walrus(runner, node, env)
    if len(node.named_children) > 1:
        runner.run.raises.append(Point(node, env, runner.frame))
    return env


def imports(runner: Runner, node: Node, env: Env | None) -> State:
    for one in read_import(node):
        env = Bind(one.name, Lazy(lambda one=one: runner.machine.imported(one, runner.frame), passed=True), env)  # type: ignore[misc]  # a lambda's default
    return env


def leave(runner: Runner, node: Node, env: Env | None) -> State:
    stack = runner.breaks if node.type == "break_statement" else runner.continues
    if stack:
        stack[-1].append(env)
    return DEAD

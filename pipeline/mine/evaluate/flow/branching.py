"""Statements that hold other statements: control takes one of several ways, or one way again and again."""

from __future__ import annotations

from tree_sitter import Node

from pipeline.mine.evaluate.flow.assigning import bind, walrus
from pipeline.mine.evaluate.flow.runner import DEAD, Dead, Runner, State
from pipeline.mine.evaluate.narrowing import emptied, endless, falsy, matches_all, truthy
from pipeline.mine.evaluate.parameters import known
from pipeline.mine.evaluate.scope import find, join
from pipeline.mine.evaluate.values import (
    Bind,
    Caught,
    Env,
    Lazy,
    Loop,
    Unknown,
)
from pipeline.mine.syntax import node_text, words


def conditional(runner: Runner, node: Node, env: Env | None) -> State:
    ends: list[Env | None] = []
    base, current = env, env
    for part in (node, *node.children_by_field_name("alternative")):
        test = part.child_by_field_name("condition")
        if test is None:
            body = part.child_by_field_name("body")
            state = runner.block(body, current) if body is not None else current
            return after(runner, ends, state, base)
        current = walrus(runner, test, current)
        block = part.child_by_field_name("consequence")
        verdict = runner.machine.truth(test, current, runner.frame) if runner.frame.inlined else None
        if block is not None and verdict is not False:
            state = runner.block(block, emptied_in(runner, test, truthy(test, current)))
            if verdict is True:
                return after(runner, ends, state, base)
            if not isinstance(state, Dead):
                ends.append(state)
        current = falsy(test, current)
    return after(runner, ends, current, base)


def emptied_in(runner: Runner, test: Node, env: Env | None) -> Env | None:
    """Inside `if not name:` a list of any length is an empty one."""
    argument = test.child_by_field_name("argument") if test.type == "not_operator" else None
    if argument is None or argument.type != "identifier" or not find(env, node_text(argument))[0]:
        return env
    name, before = node_text(argument), env
    return Bind(name, Lazy(lambda: emptied(runner.machine.lookup(name, before, runner.frame)), passed=True), env)


def after(runner: Runner, ends: list[Env | None], state: State, base: Env | None) -> State:
    if not isinstance(state, Dead):
        ends.append(state)
    return join(ends, base) if ends else DEAD


def loop(runner: Runner, node: Node, env: Env | None) -> State:
    body = node.child_by_field_name("body")
    if body is None:
        return env
    head = Loop(env)
    runner.run.loops.append(head)
    start: Env | None = head
    if node.type == "for_statement":
        start = loop_target(runner, node, head, env)
    else:
        test = node.child_by_field_name("condition")
        start = walrus(runner, test, head) if test is not None else head
    runner.breaks.append([])
    runner.continues.append([])
    state = runner.block(body, start)
    head.ends += runner.continues.pop() + ([] if isinstance(state, Dead) else [state])
    breaks = runner.breaks.pop()
    forever = node.type == "while_statement" and endless(node)
    last = node.child_by_field_name("alternative")
    after_test = head if node.type == "for_statement" else start
    done: State = DEAD if forever else after_test
    if last is not None and not forever:
        block = last.child_by_field_name("body")
        done = runner.block(block, after_test) if block is not None else after_test
    return after(runner, breaks, done, env)


def loop_target(runner: Runner, node: Node, head: Loop, env: Env | None) -> Env | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return head
    iterable = runner.lazy(right, env)
    said = words(left)
    item = Lazy(lambda: runner.machine.element(runner.machine.force(iterable), said))
    return bind(runner, left, item, head, None)


def attempt(runner: Runner, node: Node, env: Env | None) -> State:
    body = node.child_by_field_name("body")
    runner.last = env
    state = runner.block(body, env) if body is not None else env
    broken = join([env, runner.last], env) if runner.last is not env else env
    ends: list[Env | None] = []
    final: Node | None = None
    for part in node.named_children:
        if part.type in ("except_clause", "except_group_clause"):
            runner.last = broken
            end = handler(runner, part, broken)
            ends += [] if isinstance(end, Dead) else [end]
        elif part.type == "else_clause" and not isinstance(state, Dead):
            state = suite(runner, part, state)
        elif part.type == "finally_clause":
            final = part
    done = after(runner, ends, state, env)
    if final is not None:
        ended = suite(runner, final, broken if isinstance(done, Dead) else done)
        return DEAD if isinstance(done, Dead) else ended
    return done


def suite(runner: Runner, part: Node, env: Env | None) -> State:
    state: State = env
    for block in part.named_children:
        if block.type == "block" and not isinstance(state, Dead):
            state = runner.block(block, state)
    return state


def handler(runner: Runner, part: Node, env: Env | None) -> State:
    values = part.children_by_field_name("value")
    if len(values) == 1 and values[0].type == "as_pattern" and len(values[0].named_children) == 2:
        caught, alias = values[0].named_children
        name = node_text(alias)
        env = Bind(name, known(Caught(name, words(caught))), env)
    return suite(runner, part, env)


def context(runner: Runner, node: Node, env: Env | None) -> State:
    stack = [c for c in node.named_children if c.type == "with_clause"]
    while stack:
        item = stack.pop()
        if item.type == "as_pattern" and len(item.named_children) == 2:
            alias = item.named_children[1]
            target = alias.named_children[0] if alias.named_children else alias
            env = bind(runner, target, known(Unknown(words(target))), env, None)
        elif item.type in ("with_clause", "with_item", "tuple", "parenthesized_expression"):
            stack.extend(reversed(item.named_children))
    body = node.child_by_field_name("body")
    return runner.block(body, env) if body is not None else env


def matching(runner: Runner, node: Node, env: Env | None) -> State:
    body = node.child_by_field_name("body")
    ends: list[Env | None] = []
    total = False
    for case in body.named_children if body is not None else ():
        block = case.child_by_field_name("consequence")
        if case.type != "case_clause" or block is None:
            continue
        state = runner.block(block, captured(runner, case, env))
        ends += [] if isinstance(state, Dead) else [state]
        total |= matches_all(case)
    return after(runner, ends, DEAD if total else env, env)


def captured(runner: Runner, case: Node, env: Env | None) -> Env | None:
    """Binds the names that a case pattern captures; what they hold is not known."""
    stack = [c for c in case.named_children if c.type == "case_pattern"]
    while stack:
        node = stack.pop()
        if node.type == "dotted_name" and node.named_child_count == 1 and node_text(node) != "_":
            name = node_text(node)
            env = Bind(name, known(Unknown(name)), env)
        elif node.type == "as_pattern":
            alias = node.named_children[-1]
            env = Bind(node_text(alias), known(Unknown(node_text(alias))), env)
            stack.extend(node.named_children[:-1])
        elif node.type == "class_pattern":
            stack.extend(node.named_children[1:])
        elif node.type not in ("string", "concatenated_string"):
            stack.extend(node.named_children)
    return env

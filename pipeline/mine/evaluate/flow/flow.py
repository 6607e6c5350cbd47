"""Flow: runs a body's statements in order, without evaluating them, to know what is in force at each raise."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from pipeline.mine.evaluate.flow import assigning, branching, defining, leaving
from pipeline.mine.evaluate.flow.runner import DEAD, Dead, Runner, State
from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.run import Point, Run
from pipeline.mine.evaluate.values import (
    Env,
    Frame,
    Lazy,
)


class Flow:
    """Runs one body.

    deep: statements are noted, and nested functions and methods run too, as if called by somebody unknown;
    of these only the ones that hold one of the words `entered` (None: all of them).
    """

    def __init__(self, machine: Machine, frame: Frame, *, deep: bool, entered: tuple[bytes, ...] | None = None) -> None:
        self.machine = machine
        self.frame = frame
        self.run = Run(frame)
        machine.flows.append(self)
        self.deep = deep
        self.entered = entered
        self.breaks: list[list[Env | None]] = []
        self.continues: list[list[Env | None]] = []
        self.last: Env | None = None
        self.enough = -1
        self.walruses = True  # whether any `:=` stands in the body

    def close(self) -> None:
        """Let go of everything: what is in force at a point leads back here."""
        self.run.close()
        self.last = None
        self.breaks.clear()
        self.continues.clear()

    def body(self, block: Node, env: Env | None) -> Run:
        text = block.text or b""
        self.walruses = b":=" in text
        self.enough = self.last_of_interest(block.start_byte, text)
        state = self.block(block, env)
        self.run.alive = not isinstance(state, Dead)
        self.run.end = self.last if isinstance(state, Dead) else state
        self.frame.final = self.run.end
        return self.run

    def last_of_interest(self, start: int, text: bytes) -> int:
        """The byte after which no statement has a part in what this body raises (-1: all may have).

        A function inside sees what is assigned after it, too.
        """
        if not self.entered or b"def " in text or b"lambda" in text:
            return -1
        return start + max(map(text.rfind, self.entered))

    def block(self, block: Node, env: Env | None) -> State:
        state: State = env
        last = env
        for statement in block.named_children:
            if 0 <= self.enough < statement.start_byte and not self.breaks:  # in a loop, what follows counts too
                break
            if isinstance(state, Dead):
                if not self.deep:
                    return DEAD
                self.statement(statement, last)  # raises after a return still need an environment
                continue
            state = self.statement(statement, state)
            if not isinstance(state, Dead):
                self.last = last = state
        return state

    def statement(self, node: Node, env: Env | None) -> State:
        step = _STEPS.get(node.type)
        if step is None:
            for child in node.named_children if node.type == "ERROR" else ():
                self.statement(child, env)
            return env
        if self.deep:
            self.run.points.append(Point(node, env, self.frame))
        return step(self, node, env)

    def lazy(self, node: Node, env: Env | None) -> Lazy:
        return Lazy(lambda: self.machine.evaluate(node, env, self.frame), place=(node, self.frame))

    def within(self, frame: Frame) -> Flow:
        """The flow of a body inside this one; what raises there counts here."""
        inner = Flow(self.machine, frame, deep=True, entered=self.entered)
        inner.run.raises, inner.run.points = self.run.raises, self.run.points
        return inner

    def enters(self, body: Node) -> bool:
        if self.entered is None:
            return True
        text = body.text or b""
        return any(word in text for word in self.entered)


_STEPS: dict[str, Callable[[Runner, Node, Env | None], State]] = {
    "expression_statement": assigning.expression,
    "return_statement": leaving.returned,
    "raise_statement": leaving.raised,
    "assert_statement": leaving.asserted,
    "import_statement": leaving.imports,
    "import_from_statement": leaving.imports,
    "break_statement": leaving.leave,
    "continue_statement": leaving.leave,
    "if_statement": branching.conditional,
    "for_statement": branching.loop,
    "while_statement": branching.loop,
    "try_statement": branching.attempt,
    "with_statement": branching.context,
    "match_statement": branching.matching,
    "function_definition": defining.define,
    "class_definition": defining.klass,
    "decorated_definition": defining.decorated,
}

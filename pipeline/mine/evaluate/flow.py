"""Flow: runs a body's statements in order, without evaluating them, to know what is in force at each raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tree_sitter import Node

from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.narrowing import assigned_to, emptied, endless, falsy, grown, matches_all, truthy
from pipeline.mine.evaluate.parameters import known
from pipeline.mine.evaluate.run import Point, Run
from pipeline.mine.evaluate.scope import find, join
from pipeline.mine.evaluate.values import (
    Bind,
    Caught,
    Class,
    Const,
    Env,
    Frame,
    Function,
    Lazy,
    Loop,
    Unknown,
    Value,
    union,
)
from pipeline.mine.facts import is_bare, read_import
from pipeline.mine.syntax import inside, node_text, words
from pipeline.mine.texts import CHANGES


class Dead:
    """Control does not come here."""


DEAD = Dead()
State: TypeAlias = Env | Dead | None


_HARMLESS = frozenset({"print", "len", "warn", "info", "debug", "warning", "isinstance", "del"})
_MUTATORS = frozenset(
    {"append", "extend", "insert", "add", "update", "write", "appendleft", "setdefault", "writelines"}
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
        self.deep = deep
        self.entered = entered
        self.breaks: list[list[Env | None]] = []
        self.continues: list[list[Env | None]] = []
        self.last: Env | None = None
        self.enough = -1
        self.walruses = True  # whether any `:=` stands in the body

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

    # Simple statements

    def expression(self, node: Node, env: Env | None) -> State:
        for child in node.named_children:
            kind = child.type
            if kind == "assignment":
                env = self.assignment(child, env)
            elif kind == "augmented_assignment":
                env = self.augmented(child, env)
            elif kind == "call":
                env = self.walrus(child, env)
                self.run.calls.append(Point(child, env, self.frame))
                env = self.passed(child, self.mutation(child, env))
            elif kind == "yield":
                self.run.yields.append(Point(child, env, self.frame))
            elif kind == "ERROR":
                self.statement(child, env)
            else:
                env = self.walrus(child, env)
        return env

    def assignment(self, node: Node, env: Env | None) -> Env | None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return env
        if right.type == "yield":
            self.run.yields.append(Point(right, env, self.frame))
        targets = [left]
        while right.type == "assignment":
            inner = right.child_by_field_name("left")
            targets += [inner] if inner is not None else []
            deeper = right.child_by_field_name("right")
            if deeper is None:
                return env
            right = deeper
        env = self.walrus(right, env)
        value = self.lazy(right, env)
        for target in reversed(targets):
            env = self.bind(target, value, env, right)
        return env

    def lazy(self, node: Node, env: Env | None) -> Lazy:
        return Lazy(lambda: self.machine.evaluate(node, env, self.frame), place=(node, self.frame))

    def bind(self, target: Node, value: Lazy, env: Env | None, source: Node | None) -> Env | None:
        kind = target.type
        if kind == "identifier":
            return Bind(node_text(target), value, env)
        if kind == "attribute":
            return Bind(self.named(target), value, env)
        if kind in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"):
            return self.unpack(target, value, env, source)
        if kind == "subscript":
            return self.store(target, env)
        return env

    def named(self, target: Node) -> str:
        """The name that is assigned; a dotted one is noted, so that others need not be looked for."""
        name = node_text(target)
        if target.type == "attribute":
            self.machine.dotted.add(name)
        return name

    def unpack(self, target: Node, value: Lazy, env: Env | None, source: Node | None) -> Env | None:
        names = inside(target)
        same_shape = source is not None and source.type in ("expression_list", "tuple", "list")
        parts = inside(source) if same_shape and source is not None else []
        before = env
        starred = any(n.type == "list_splat_pattern" for n in names)
        for i, name in enumerate(names):
            if len(parts) == len(names) and not starred:
                part = parts[i]
                env = self.bind(name, self.lazy(part, before), env, part)
            elif name.type == "list_splat_pattern":
                inner = name.named_children[0]
                env = self.bind(inner, known(Unknown(node_text(inner), may_be_empty=True)), env, None)
            else:
                said = words(name)
                member = Lazy(lambda i=i, said=said: self.machine.member(self.machine.force(value), Const(i), said))  # type: ignore[misc]  # defaults of a lambda
                env = self.bind(name, member, env, None)
        return env

    def store(self, target: Node, env: Env | None) -> Env | None:
        """`name[key] = value`: the container holds one more entry."""
        owner = target.child_by_field_name("value")
        if owner is None or owner.type not in ("identifier", "attribute"):
            return env
        name, before = self.named(owner), env
        return Bind(
            name,
            Lazy(
                lambda: self.machine.mutate(
                    self.machine.lookup(name, before, self.frame), "[]", target, before, self.frame
                )
            ),
            env,
        )

    def augmented(self, node: Node, env: Env | None) -> Env | None:
        left = node.child_by_field_name("left")
        if left is None or left.type not in ("identifier", "attribute"):
            return env
        name, before = self.named(left), env
        return Bind(
            name,
            Lazy(lambda: self.machine.augment(self.machine.lookup(name, before, self.frame), node, before, self.frame)),
            env,
        )

    def mutation(self, call: Node, env: Env | None) -> Env | None:
        """`name.append(…)` and friends: the list is another one afterwards."""
        function = call.child_by_field_name("function")
        if function is None or function.type != "attribute":
            return env
        owner, method = function.child_by_field_name("object"), function.child_by_field_name("attribute")
        if owner is None or method is None or owner.type not in ("identifier", "attribute"):
            return env
        if node_text(method) not in _MUTATORS:
            return env
        name, what, before = self.named(owner), node_text(method), env
        return Bind(
            name,
            Lazy(
                lambda: self.machine.mutate(
                    self.machine.lookup(name, before, self.frame), what, call, before, self.frame
                )
            ),
            env,
        )

    def passed(self, call: Node, env: Env | None) -> Env | None:
        """A list that is handed to a function may come back longer."""
        function, listed = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if function is None or listed is None or node_text(function).rpartition(".")[2] in _HARMLESS:
            return env
        for argument in listed.named_children:
            if argument.type == "identifier" and find(env, node_text(argument))[0]:
                env = self.grown(node_text(argument), env)
        return env

    def grown(self, name: str, env: Env | None) -> Env | None:
        before = env
        return Bind(name, Lazy(lambda: grown(self.machine.lookup(name, before, self.frame), name)), env)

    def rebound(self, name: str, function: Function, body: Node, env: Env | None) -> Env | None:
        """A name that an inner function assigns to, with `nonlocal`: any of its values there, or the one before."""
        before, parent = env, self.frame

        def values() -> Value:
            frame = Frame(parent.path, function.node, parent.base, parent=parent, owner=parent.owner)
            inner = self.machine.open_call(function, before, frame)
            assigned = [self.machine.evaluate(n, inner, frame) for n in assigned_to(name, body)]
            told = any(not isinstance(v, Const) for v in assigned)
            return union([self.machine.lookup(name, before, parent), *assigned, *([] if told else [Unknown(name)])])

        return Bind(name, Lazy(values), env)

    def walrus(self, node: Node, env: Env | None) -> Env | None:
        """Binds what `:=` assigns inside an expression."""
        if not self.walruses or b":=" not in (node.text or b""):
            return env
        stack = [node]
        while stack:
            current = stack.pop()
            if current.type == "named_expression":
                name, value = current.child_by_field_name("name"), current.child_by_field_name("value")
                if name is not None and value is not None:
                    env = Bind(node_text(name), self.lazy(value, env), env)
            if current.type not in ("lambda", "string"):
                stack.extend(reversed(current.named_children))
        return env

    def returned(self, node: Node, env: Env | None) -> State:
        self.run.returns.append(Point(node, env, self.frame))
        return DEAD

    def raised(self, node: Node, env: Env | None) -> State:
        if not is_bare(node):
            self.run.raises.append(Point(node, self.walrus(node, env), self.frame))
        return DEAD

    def asserted(self, node: Node, env: Env | None) -> State:
        env = self.walrus(node, env)
        if len(node.named_children) > 1:
            self.run.raises.append(Point(node, env, self.frame))
        return env

    def imports(self, node: Node, env: Env | None) -> State:
        for one in read_import(node):
            env = Bind(one.name, Lazy(lambda one=one: self.machine.imported(one, self.frame), passed=True), env)  # type: ignore[misc]  # a lambda's default
        return env

    def leave(self, node: Node, env: Env | None) -> State:
        stack = self.breaks if node.type == "break_statement" else self.continues
        if stack:
            stack[-1].append(env)
        return DEAD

    # Compound statements

    def conditional(self, node: Node, env: Env | None) -> State:
        ends: list[Env | None] = []
        base, current = env, env
        for part in (node, *node.children_by_field_name("alternative")):
            test = part.child_by_field_name("condition")
            if test is None:
                body = part.child_by_field_name("body")
                state = self.block(body, current) if body is not None else current
                return self.after(ends, state, base)
            current = self.walrus(test, current)
            block = part.child_by_field_name("consequence")
            verdict = self.machine.truth(test, current, self.frame) if self.frame.inlined else None
            if block is not None and verdict is not False:
                state = self.block(block, self.emptied_in(test, truthy(test, current)))
                if verdict is True:
                    return self.after(ends, state, base)
                if not isinstance(state, Dead):
                    ends.append(state)
            current = falsy(test, current)
        return self.after(ends, current, base)

    def emptied_in(self, test: Node, env: Env | None) -> Env | None:
        """Inside `if not name:` a list of any length is an empty one."""
        argument = test.child_by_field_name("argument") if test.type == "not_operator" else None
        if argument is None or argument.type != "identifier" or not find(env, node_text(argument))[0]:
            return env
        name, before = node_text(argument), env
        return Bind(name, Lazy(lambda: emptied(self.machine.lookup(name, before, self.frame)), passed=True), env)

    def after(self, ends: list[Env | None], state: State, base: Env | None) -> State:
        if not isinstance(state, Dead):
            ends.append(state)
        return join(ends, base) if ends else DEAD

    def loop(self, node: Node, env: Env | None) -> State:
        body = node.child_by_field_name("body")
        if body is None:
            return env
        head = Loop(env)
        start: Env | None = head
        if node.type == "for_statement":
            start = self.loop_target(node, head, env)
        else:
            test = node.child_by_field_name("condition")
            start = self.walrus(test, head) if test is not None else head
        self.breaks.append([])
        self.continues.append([])
        state = self.block(body, start)
        head.ends += self.continues.pop() + ([] if isinstance(state, Dead) else [state])
        breaks = self.breaks.pop()
        forever = node.type == "while_statement" and endless(node)
        last = node.child_by_field_name("alternative")
        after_test = head if node.type == "for_statement" else start
        done: State = DEAD if forever else after_test
        if last is not None and not forever:
            block = last.child_by_field_name("body")
            done = self.block(block, after_test) if block is not None else after_test
        return self.after(breaks, done, env)

    def loop_target(self, node: Node, head: Loop, env: Env | None) -> Env | None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return head
        iterable = self.lazy(right, env)
        said = words(left)
        item = Lazy(lambda: self.machine.element(self.machine.force(iterable), said))
        return self.bind(left, item, head, None)

    def attempt(self, node: Node, env: Env | None) -> State:
        body = node.child_by_field_name("body")
        self.last = env
        state = self.block(body, env) if body is not None else env
        broken = join([env, self.last], env) if self.last is not env else env
        ends: list[Env | None] = []
        final: Node | None = None
        for part in node.named_children:
            if part.type in ("except_clause", "except_group_clause"):
                self.last = broken
                end = self.handler(part, broken)
                ends += [] if isinstance(end, Dead) else [end]
            elif part.type == "else_clause" and not isinstance(state, Dead):
                state = self.suite(part, state)
            elif part.type == "finally_clause":
                final = part
        done = self.after(ends, state, env)
        if final is not None:
            ended = self.suite(final, broken if isinstance(done, Dead) else done)
            return DEAD if isinstance(done, Dead) else ended
        return done

    def suite(self, part: Node, env: Env | None) -> State:
        state: State = env
        for block in part.named_children:
            if block.type == "block" and not isinstance(state, Dead):
                state = self.block(block, state)
        return state

    def handler(self, part: Node, env: Env | None) -> State:
        values = part.children_by_field_name("value")
        if len(values) == 1 and values[0].type == "as_pattern" and len(values[0].named_children) == 2:
            caught, alias = values[0].named_children
            name = node_text(alias)
            env = Bind(name, known(Caught(name, words(caught))), env)
        return self.suite(part, env)

    def context(self, node: Node, env: Env | None) -> State:
        stack = [c for c in node.named_children if c.type == "with_clause"]
        while stack:
            item = stack.pop()
            if item.type == "as_pattern" and len(item.named_children) == 2:
                alias = item.named_children[1]
                target = alias.named_children[0] if alias.named_children else alias
                env = self.bind(target, known(Unknown(words(target))), env, None)
            elif item.type in ("with_clause", "with_item", "tuple", "parenthesized_expression"):
                stack.extend(reversed(item.named_children))
        body = node.child_by_field_name("body")
        return self.block(body, env) if body is not None else env

    def matching(self, node: Node, env: Env | None) -> State:
        body = node.child_by_field_name("body")
        ends: list[Env | None] = []
        total = False
        for case in body.named_children if body is not None else ():
            block = case.child_by_field_name("consequence")
            if case.type != "case_clause" or block is None:
                continue
            state = self.block(block, self.captured(case, env))
            ends += [] if isinstance(state, Dead) else [state]
            total |= matches_all(case)
        return self.after(ends, DEAD if total else env, env)

    def captured(self, case: Node, env: Env | None) -> Env | None:
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

    # Definitions

    def define(self, node: Node, env: Env | None) -> State:
        return self.function(node, (), env)

    def function(self, node: Node, decorators: tuple[str, ...], env: Env | None) -> State:
        name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name_node is None or body is None:
            return env
        name = node_text(name_node)
        in_class = self.frame.node is not None and self.frame.node.type == "class_definition"
        owner = self.frame.owner if in_class else None
        made: list[Value] = []
        holder = Lazy(lambda: made[0])
        closure = self.frame.parent_env if in_class else Bind(name, holder, env)
        function = Function(name, node, self.frame, closure, owner, decorators)
        made.append(function)
        if env is not None and not in_class:
            env = self.changed(function, body, env)
        if self.deep and self.enters(body):
            self.nested(function, body)
        return Bind(name, holder, env)

    def enters(self, body: Node) -> bool:
        if self.entered is None:
            return True
        text = body.text or b""
        return any(word in text for word in self.entered)

    def changed(self, function: Function, body: Node, env: Env | None) -> Env | None:
        """What a function inside this one does to the variables around it, whenever it is called."""
        for found in dict.fromkeys(CHANGES.findall(body.text or b"")):
            name = (found[0] or found[1] or found[2]).decode("utf-8", "replace")
            if name and find(env, name)[0]:
                env = self.rebound(name, function, body, env) if found[1] else self.grown(name, env)
        return env

    def nested(self, function: Function, body: Node) -> None:
        parent = self.frame
        frame = Frame(parent.path, function.node, parent.base, parent=parent, owner=function.owner or parent.owner)
        inner = Flow(self.machine, frame, deep=True, entered=self.entered)
        inner.run.raises, inner.run.points = self.run.raises, self.run.points
        inner.body(body, self.machine.open_call(function, function.env, frame))

    def klass(self, node: Node, env: Env | None) -> State:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is None:
            return env
        made = Lazy(lambda: self.machine.make_class(node, env, self.frame))
        if self.deep and body is not None and self.enters(body):
            self.class_body(node, body, env)
        return Bind(node_text(name), made, env)

    def class_body(self, node: Node, body: Node, env: Env | None) -> None:
        value = self.machine.make_class(node, env, self.frame)
        owner = value if isinstance(value, Class) else None
        frame = Frame(self.frame.path, node, self.frame.base, parent=self.frame, owner=owner, parent_env=env)
        inner = Flow(self.machine, frame, deep=True, entered=self.entered)
        inner.run.raises, inner.run.points = self.run.raises, self.run.points
        inner.body(body, env)

    def decorated(self, node: Node, env: Env | None) -> State:
        inner = node.child_by_field_name("definition")
        if inner is None:
            return env
        if inner.type == "class_definition":
            return self.klass(inner, env)
        names = tuple(node_text(c)[1:].strip() for c in node.named_children if c.type == "decorator")
        return self.function(inner, names, env)


_STEPS: dict[str, Callable[[Flow, Node, Env | None], State]] = {
    "expression_statement": Flow.expression,
    "return_statement": Flow.returned,
    "raise_statement": Flow.raised,
    "assert_statement": Flow.asserted,
    "import_statement": Flow.imports,
    "import_from_statement": Flow.imports,
    "break_statement": Flow.leave,
    "continue_statement": Flow.leave,
    "if_statement": Flow.conditional,
    "for_statement": Flow.loop,
    "while_statement": Flow.loop,
    "try_statement": Flow.attempt,
    "with_statement": Flow.context,
    "match_statement": Flow.matching,
    "function_definition": Flow.define,
    "class_definition": Flow.klass,
    "decorated_definition": Flow.decorated,
}

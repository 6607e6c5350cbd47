"""Guards: what must hold for control to reach a statement, from the blocks around and above it."""

from __future__ import annotations

import enum

from tree_sitter import Node

from pipeline.mine.frozen import frozen
from pipeline.mine.syntax import words, words_before

_EXITS = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})
_NEEDS_PARENS = frozenset({"conditional_expression", "lambda", "named_expression"})


class Kind(enum.Enum):
    TRUE = "true"  # the expression holds
    FALSE = "false"  # it does not
    HEADER = "header"  # inside a `for`, `while`, `except` or `case` block


@frozen
class Clause:
    kind: Kind
    node: Node


def condition(clauses: tuple[Clause, ...]) -> str | None:
    """The clauses in source words, outermost first, joined by ` and `; None without any."""
    if not clauses:
        return None
    return " and ".join(_words(c, alone=len(clauses) == 1) for c in clauses)


def _words(clause: Clause, *, alone: bool) -> str:
    if clause.kind is Kind.HEADER:
        return words_before(clause.node, ":")
    said = words(clause.node)
    if clause.kind is Kind.FALSE:
        inner = said[1:-1] if clause.node.type == "parenthesized_expression" else said
        return f"not ({inner.strip()})"
    return f"({said})" if not alone and _is_loose(clause.node) else said


def _is_loose(node: Node) -> bool:
    """Whether the expression binds weaker than `and`."""
    if node.type == "boolean_operator":
        operator = node.child_by_field_name("operator")
        return operator is not None and operator.type == "or"
    return node.type in _NEEDS_PARENS


@frozen
class Arm:
    """One block of a compound statement: what leads into it, and its statements."""

    clauses: tuple[Clause, ...]
    block: Node


def arms(statement: Node) -> list[Arm]:
    """The blocks of a compound statement; [] for a simple one."""
    kind = statement.type
    if kind == "if_statement":
        return _if_arms(statement)
    if kind in ("for_statement", "while_statement"):
        return _loop_arms(statement)
    if kind == "try_statement":
        return _try_arms(statement)
    if kind == "with_statement":
        return _plain(statement.child_by_field_name("body"))
    if kind == "match_statement":
        return _match_arms(statement)
    return []


def _plain(block: Node | None) -> list[Arm]:
    return [Arm((), block)] if block is not None else []


def _if_arms(statement: Node) -> list[Arm]:
    out: list[Arm] = []
    before: tuple[Clause, ...] = ()
    for part in (statement, *statement.children_by_field_name("alternative")):
        test = part.child_by_field_name("condition")
        if test is None:
            body = part.child_by_field_name("body")
            out += [Arm(before, body)] if body is not None else []
            continue
        block = part.child_by_field_name("consequence")
        if block is not None:
            out.append(Arm((*before, Clause(Kind.TRUE, test)), block))
        before = (*before, Clause(Kind.FALSE, test))
    return out


def _loop_arms(statement: Node) -> list[Arm]:
    body = statement.child_by_field_name("body")
    out = [Arm((Clause(Kind.HEADER, statement),), body)] if body is not None else []
    last = statement.child_by_field_name("alternative")
    return out + (_plain(last.child_by_field_name("body")) if last is not None else [])


def _try_arms(statement: Node) -> list[Arm]:
    out: list[Arm] = _plain(statement.child_by_field_name("body"))
    for part in statement.named_children:
        if part.type in ("except_clause", "except_group_clause"):
            out += [Arm((Clause(Kind.HEADER, part),), b) for b in part.named_children if b.type == "block"]
        elif part.type in ("else_clause", "finally_clause"):
            out += [Arm((), b) for b in part.named_children if b.type == "block"]
    return out


def _match_arms(statement: Node) -> list[Arm]:
    body = statement.child_by_field_name("body")
    out = []
    for case in body.named_children if body is not None else ():
        block = case.child_by_field_name("consequence") if case.type == "case_clause" else None
        if block is not None:
            out.append(Arm((Clause(Kind.HEADER, case),), block))
    return out


def exits(statement: Node) -> bool:
    """Whether control never goes on to the statement after this one."""
    kind = statement.type
    if kind in _EXITS:
        return True
    if kind == "if_statement":
        last = statement.children_by_field_name("alternative")[-1:]
        closed = bool(last) and last[0].type == "else_clause"
        return closed and all(block_exits(a.block) for a in _if_arms(statement))
    if kind == "with_statement":
        return all(block_exits(a.block) for a in arms(statement))
    if kind == "try_statement":
        return _try_exits(statement)
    return False


def _try_exits(statement: Node) -> bool:
    parts = statement.named_children
    final = [p for p in parts if p.type == "finally_clause"]
    if final and any(block_exits(b) for b in final[0].named_children if b.type == "block"):
        return True
    body = statement.child_by_field_name("body")
    last = [b for p in parts if p.type == "else_clause" for b in p.named_children if b.type == "block"]
    through = any(block_exits(b) for b in (body, *last) if b is not None)
    handlers = [b for p in parts if p.type.startswith("except") for b in p.named_children if b.type == "block"]
    return through and all(block_exits(b) for b in handlers)


def block_exits(block: Node) -> bool:
    return any(exits(s) for s in block.named_children)


def after(statement: Node) -> tuple[Clause, ...]:
    """What is known once control has passed the statement, since some of its blocks leave."""
    if statement.type == "if_statement":
        return _after_if(statement)
    if statement.type == "try_statement":
        return _after_try(statement)
    return ()


def _after_if(statement: Node) -> tuple[Clause, ...]:
    out: list[Clause] = []
    blocks = _if_arms(statement)
    leaves = [block_exits(a.block) for a in blocks]
    for i, arm in enumerate(blocks):
        if not leaves[i]:
            closed = not arm.clauses or arm.clauses[-1].kind is Kind.FALSE or _has_else(statement)
            if all(leaves[i + 1 :]) and leaves[i + 1 :] and closed:
                out.append(arm.clauses[-1])
            break
        if arm.clauses and arm.clauses[-1].kind is Kind.TRUE:
            out.append(Clause(Kind.FALSE, arm.clauses[-1].node))
    return tuple(out)


def _has_else(statement: Node) -> bool:
    last = statement.children_by_field_name("alternative")[-1:]
    return bool(last) and last[0].type == "else_clause"


def _after_try(statement: Node) -> tuple[Clause, ...]:
    body = statement.child_by_field_name("body")
    if body is None or not block_exits(body):
        return ()
    through = [a for a in _try_arms(statement) if a.clauses and not block_exits(a.block)]
    return through[0].clauses if len(through) == 1 else ()

"""Expressions of Python in English: what holds, or what does not."""

import ast
import re
from collections.abc import Sequence
from typing import Final

from pipeline.explain.derived.guard import Clause, Guard, Kind

LONGEST = 200  # characters of code inside a sentence
_FLAG: Final = re.compile(r"(?:^|[._])(?:is|has|allow|use|enable|disable|should|needs|can|support|all|any)(?:_|$)")
_COMPARED: Final[dict[type[ast.cmpop], tuple[str, str]]] = {
    ast.Eq: ("is", "is not"),
    ast.NotEq: ("is not", "is"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.Lt: ("is less than", "is at least"),
    ast.LtE: ("is at most", "is more than"),
    ast.Gt: ("is more than", "is at most"),
    ast.GtE: ("is at least", "is less than"),
    ast.In: ("is in", "is not in"),
    ast.NotIn: ("is not in", "is in"),
}
_MEASURED: Final = {"shape": "shape", "dtype": "dtype", "ndim": "number of dimensions", "size": "size"}


def code(text: str) -> str:
    """Source inside of a sentence, on one line."""
    text = " ".join(text.split())
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


def holds(guard: Guard) -> str:
    """What holds where the error is raised, earlier checks left out."""
    return _conjoined([_clause(clause, alone=False) for clause in guard.setting], fault(guard, alone=not guard.setting))


def fault(guard: Guard, *, alone: bool = True) -> str:
    """What the check next to the raise has found."""
    alone = alone and len(guard.fault) == 1
    return _none_of(guard.fault) or _conjoined([_clause(clause, alone=alone) for clause in guard.fault])


def _conjoined(parts: Sequence[str], last: str | None = None) -> str:
    """Statements as one, some of which introduce the next: `for some x in xs,`."""
    said = ""
    joint = ""
    for part in (*parts, *([last] if last else ())):
        said += joint + part
        joint = " " if part.endswith(",") else ", and " if part.startswith("for ") else " and "
    return said.removesuffix(",")


def fails(clauses: Sequence[Clause]) -> str | None:
    """That one of these clauses, all tests, does not hold; None where that is hard to say."""
    if any(clause.node is None or clause.kind is not Kind.TEST for clause in clauses):
        return None
    if len(clauses) > 1:
        if not (values := _values(clauses)):
            return None
        subject, others = values
        return f"{code(subject)} is {_listed([code(value) for value in others], 'or')}"
    assert clauses[0].node is not None
    return phrase(clauses[0].node, yes=False)


def _clause(clause: Clause, *, alone: bool) -> str:
    match clause.kind:
        case Kind.TEST if clause.node is not None:
            return (
                phrase(clause.node) if alone or not _has_alternatives(clause.node) else f"either {phrase(clause.node)}"
            )
        case Kind.FOR if clause.node is not None and clause.target is not None:
            return f"for some {code(_source(clause.target))} in {code(_source(clause.node))},"
        case Kind.EXCEPT:
            caught = clause.text.removeprefix("except").removeprefix("*").strip().partition(" as ")[0]
            return f"{code(caught)} has been caught" if caught else "an exception has been caught"
        case Kind.CASE:
            pattern = clause.text.removeprefix("case ").strip()
            return "no other case of the match applies" if pattern == "_" else f"the value matches {code(pattern)}"
    return code(clause.text)


def _has_alternatives(node: ast.expr, *, yes: bool = True) -> bool:
    """Whether the words for it are `this or that`."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _has_alternatives(node.operand, yes=not yes)
    return isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) == yes


def _none_of(clauses: Sequence[Clause]) -> str | None:
    """Branches on one value of which none was taken: the value is none of theirs."""
    if len(clauses) < 2 or not (values := _values(clauses)):
        return None
    subject, others = values
    if isinstance(_inner(clauses[0]), ast.Call):
        return f"{code(subject)} is no instance of {_listed([code(value) for value in others], 'or')}"
    return f"{code(subject)} is none of {_listed([code(value) for value in others], 'and')}"


def _values(clauses: Sequence[Clause]) -> tuple[str, list[str]] | None:
    subject, values = "", []
    for clause in clauses:
        match _inner(clause):
            case ast.Compare(left=left, comparators=[right]):
                subject, value = _source(left), _source(right)
            case ast.Call(args=[tested, kind]):
                subject, value = _source(tested), _source(kind)
            case _:
                return None
        values.append(value)
    return subject, values


def _inner(clause: Clause) -> ast.expr | None:
    return clause.node.operand if isinstance(clause.node, ast.UnaryOp) else None


def phrase(node: ast.expr, *, yes: bool = True) -> str:
    """That an expression holds, or (yes=False) that it does not."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return phrase(operand, yes=not yes)
        case ast.BoolOp(op=op, values=values):
            return _joined(values, yes, "and" if isinstance(op, ast.And) == yes else "or")
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(left, op, right, yes)
        case ast.Call(func=function, args=arguments, keywords=[]):
            return _called(node, _source(function), arguments, yes)
        case ast.Constant(value=value):
            return "always" if bool(value) == yes else "never"
        case ast.Name() | ast.Attribute():
            return _truth(node, yes)
    return f"{code(_source(node))} {'holds' if yes else 'does not hold'}"


def _joined(values: Sequence[ast.expr], yes: bool, word: str) -> str:
    parts = [phrase(value, yes=yes) for value in values]
    mixed = any(isinstance(value, ast.BoolOp) for value in values)
    mixed = mixed or any(part.startswith("for ") for part in parts)
    if mixed or len(parts) > 2:
        return f"{', '.join(parts[:-1])}, {word} {parts[-1]}"
    return f" {word} ".join(parts)


def _truth(node: ast.expr, yes: bool) -> str:
    name = _source(node)
    if _FLAG.search(name):
        return f"{code(name)} is {'true' if yes else 'false'}"
    return f"{code(name)} is true (or not empty)" if yes else f"{code(name)} is false (or None, zero, empty)"


def _compared(left: ast.expr, op: ast.cmpop, right: ast.expr, yes: bool) -> str:
    if isinstance(op, ast.Eq | ast.NotEq):
        same = isinstance(op, ast.Eq) == yes
        if said := _measures(left, right, same):
            return said
    if isinstance(op, ast.In | ast.NotIn) and isinstance(right, ast.Tuple | ast.List | ast.Set) and right.elts:
        inside = isinstance(op, ast.In) == yes
        listed = _listed([code(_source(value)) for value in right.elts], "or" if inside else "and")
        return f"{code(_source(left))} is {'' if inside else 'none of '}{listed}"
    return f"{code(_source(left))} {_COMPARED[type(op)][not yes]} {code(_source(right))}"


def _measures(left: ast.expr, right: ast.expr, same: bool) -> str | None:
    """Shapes, dtypes, dimensions and lengths of two things, or of one and a number."""
    match left, right:
        case ast.Attribute(value=one, attr=attribute), ast.Attribute(value=other, attr=also) if (
            attribute == also and attribute in _MEASURED
        ):
            measure = _MEASURED[attribute]
            verb = f"have the same {measure}" if same else f"differ in {measure}"
            return f"{code(_source(one))} and {code(_source(other))} {verb}"
        case ast.Call(func=ast.Name(id="len"), args=[one]), ast.Call(func=ast.Name(id="len"), args=[other]):
            verb = "have the same length" if same else "differ in length"
            return f"{code(_source(one))} and {code(_source(other))} {verb}"
        case ast.Attribute(value=one, attr="ndim"), ast.Constant(value=int(number)):
            dimensions = f"{number} dimension{'s' * (number != 1)}"
            return f"{code(_source(one))} {'has' if same else 'does not have'} {dimensions}"
        case ast.Call(func=ast.Name(id="len"), args=[one]), ast.Constant(value=int(number)):
            return f"{code(_source(one))} {'has' if same else 'does not have'} length {number}"
    return None


def _called(node: ast.expr, function: str, arguments: list[ast.expr], yes: bool) -> str:
    verb = "is" if yes else "is not"
    match function.rpartition(".")[2], arguments:
        case "isinstance", [subject, kinds]:
            listed = [code(_source(kind)) for kind in _kinds(kinds)]
            return f"{code(_source(subject))} {verb} an instance of {_listed(listed, 'or')}"
        case "callable", [subject]:
            return f"{code(_source(subject))} {verb} callable"
        case "issubdtype", [subject, kind]:
            return f"{code(_source(subject))} {verb} a dtype of kind {code(_source(kind))}"
        case "hasattr", [subject, ast.Constant(value=str(name))]:
            return f"{code(_source(subject))} {'has' if yes else 'has no'} attribute {code(name)}"
        case ("any" | "all") as how, [ast.GeneratorExp(elt=test, generators=[loop])] if not loop.ifs:
            amount = "some" if (how == "any") == yes else "every"
            return f"for {amount} {code(_source(loop.target))} in {code(_source(loop.iter))}, {phrase(test, yes=yes)}"
    return f"{code(_source(node))} is {'true' if yes else 'false'}"


def _kinds(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Tuple):
        return node.elts
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_kinds(node.left), *_kinds(node.right)]
    return [node]


def _source(node: ast.AST) -> str:
    return ast.unparse(node)


def _listed(parts: Sequence[str], word: str) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def listed(parts: Sequence[str], word: str = "and") -> str:
    """`a, b and c`."""
    return _listed(parts, word)

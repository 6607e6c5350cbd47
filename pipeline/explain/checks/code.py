"""Whether the code of an explanation is Python that says what it does."""

import ast
import builtins
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pipeline.explain.checks.finding import Finding, Verdict
from pipeline.explain.explanation import CODE_FIELDS, Explanation

BEFORE, AFTER = "# before", "# after"
_ADMITS: Final = re.compile(
    r"#.*\b(?:still\s+(?:\w+\s+)?(?:captures?|raises?|fails?|errors?|wrong|broken|not)|same error|"
    r"does(?:n't| not) work|TODO|FIXME)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """A piece of code that parses. part: `before` or `after` of an example."""

    field: str
    text: str
    tree: ast.Module
    part: str | None = None

    @property
    def label(self) -> str:
        return f"the {self.part} part" if self.part else "the code"


def example_parts(example: str) -> tuple[str, str] | None:
    """What stands after `# before` and after `# after`; None where the two are not there once each, in this order."""
    lines = example.strip("\n").split("\n")
    marks = [number for number, line in enumerate(lines) if line.rstrip() in {BEFORE, AFTER}]
    if [lines[number].rstrip() for number in marks] != [BEFORE, AFTER] or marks[0] != 0:
        return None
    return "\n".join(lines[1 : marks[1]]), "\n".join(lines[marks[1] + 1 :])


def programs(explanation: Explanation) -> tuple[list[Program], list[Finding]]:
    """The code that parses, and what is wrong with the rest."""
    parsed: list[Program] = []
    findings: list[Finding] = []
    for field, part, text in _pieces(explanation):
        if part == "?":
            findings.append(_fault(field, f"it has to be a line `{BEFORE}`, code, a line `{AFTER}`, code"))
            continue
        findings += [_fault(field, f"{line.strip()[:60]!r} is not a comment in Python") for line in _slashes(text)]
        try:
            tree = _parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            where = f"line {error.lineno} of " if isinstance(error, SyntaxError) and error.lineno else ""
            said = error.msg if isinstance(error, SyntaxError) else str(error)
            findings.append(
                _fault(field, f"{where}{f'the {part} part' if part else 'the code'} does not parse: {said}")
            )
            continue
        parsed.append(Program(field=field, text=text, tree=tree, part=part))
    return parsed, findings


def _pieces(explanation: Explanation) -> Iterator[tuple[str, str | None, str]]:
    for field in CODE_FIELDS:
        text = getattr(explanation, field)
        if text is None:
            continue
        if field != "exampleFix":
            yield field, None, text
        elif (parts := example_parts(text)) is None:
            yield field, "?", text
        else:
            yield from ((field, part, code) for part, code in zip(("before", "after"), parts, strict=True))


def _parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape in a string is a warning of Python's, and no fault here
        return ast.parse(text)


def _slashes(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.lstrip().startswith("//")]


def _fault(field: str, detail: str) -> Finding:
    return Finding(check="syntax", field=field, detail=detail)


def syntax(program: Program) -> Iterator[Finding]:
    """Placeholders, empty code, and code that is not what its field is for."""
    if not [node for node in program.tree.body if not _is_docstring(node)]:
        yield _fault(program.field, f"{program.label} does nothing")
    for node in _loose_ellipses(program.tree):
        yield _fault(program.field, f"`...` in line {node.lineno} of {program.label} stands for something left out")
    if program.field == "typeGuard" and not _defines_a_function(program.tree):
        yield _fault(program.field, "it has to define a function")
    if program.field == "tryCatchPattern" and not any(
        isinstance(n, ast.Try | ast.TryStar) for n in ast.walk(program.tree)
    ):
        yield _fault(program.field, "it has no `try`")
    if program.field == "exampleFix":
        yield from _example_syntax(program)


def _example_syntax(program: Program) -> Iterator[Finding]:
    for node in ast.walk(program.tree):
        if isinstance(node, ast.If | ast.IfExp | ast.While) and isinstance(node.test, ast.Constant):
            never = not node.test.value
            if never or isinstance(node, ast.If | ast.IfExp):
                yield _fault(program.field, f"line {node.lineno} of {program.label} has a branch that never runs")
    if program.part == "after" and (admission := _ADMITS.search(program.text)):
        yield _fault(program.field, f"its after part says that it is no fix: {admission[0].strip()[:80]!r}")


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _loose_ellipses(tree: ast.Module) -> Iterator[ast.Constant]:
    """Every `...` that is not inside of a subscript."""
    inside = {
        id(node)
        for subscript in ast.walk(tree)
        if isinstance(subscript, ast.Subscript)
        for node in ast.walk(subscript.slice)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value is Ellipsis and id(node) not in inside:
            yield node


def _defines_a_function(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.FunctionDef) or (isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda))
        for node in tree.body
    )


def undefined(parts: list[Program]) -> Iterator[Finding]:
    """Functions that an example calls and nobody defines, in either part."""
    bound = set(dir(builtins)).union(*(_bound(program.tree) for program in parts))
    for program in parts:
        calls = [n for n in ast.walk(program.tree) if isinstance(n, ast.Call)]
        roots = {root for call in calls if (root := _root(call.func)) is not None and root not in bound}
        for name in sorted(roots):
            yield _fault(program.field, f"`{name}` in {program.label} is neither defined nor imported")


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _bound(tree: ast.Module) -> set[str]:
    out: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                out.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                out.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                out |= {alias.asname or alias.name.partition(".")[0] for alias in names}
            case ast.arg(arg=name):
                out.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                out.add(name)
    return out


def what_runs(tree: ast.Module) -> str:
    """The code as one text without comments, docstrings and branches that never run."""
    return ast.dump(_Running().visit(ast.parse(ast.unparse(tree))))


class _Running(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:  # the name is ast's
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:  # the name is ast's
        if isinstance(node.test, ast.Constant):
            return self.visit(node.body if node.test.value else node.orelse)  # type: ignore[no-any-return]  # of ast
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:  # the name is ast's
        if isinstance(node.test, ast.Constant):
            return [self.visit(statement) for statement in (node.body if node.test.value else node.orelse)]
        return self.generic_visit(node)


def doubt(check: str, field: str, detail: str) -> Finding:
    """Something that the source does not decide."""
    return Finding(check=check, field=field, detail=detail, verdict=Verdict.WARNING)

"""An import hook that lets every `raise EXPR` and `assert TEST, MESSAGE` of a package report what it is about to raise.

Nothing on disk changes: a module's syntax tree is rewritten while it is imported, and its line numbers stay.

    raise EXPR from CAUSE   ->   raise report(EXPR, line, end_line) from CAUSE
    raise EXPR.with_traceback(TB)   ->   raise report(EXPR, line, end_line).with_traceback(TB)
    assert TEST, MESSAGE    ->   assert TEST, report(MESSAGE, line, end_line, assertion=True)

In the second form the exception is seen before it is given a traceback, so that one that was raised before can be told.
"""

import ast
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

# Two underscores at both ends: a name without the last two would be mangled inside a class.
HOOK = "__errcat_report__"


class _Rewrite(ast.NodeTransformer):
    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        self.generic_visit(node)
        match node.exc:
            case None:
                pass
            case ast.Call(func=ast.Attribute(attr="with_traceback") as method):
                method.value = _reported(method.value, node)
            case value:
                node.exc = _reported(value, node)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        self.generic_visit(node)
        if node.msg is not None:
            node.msg = _reported(node.msg, node)
        return node


def _reported(value: ast.expr, statement: ast.Raise | ast.Assert) -> ast.Call:
    assertion = isinstance(statement, ast.Assert)
    facts = (statement.lineno, statement.end_lineno, assertion)
    call = ast.Call(func=ast.Name(id=HOOK, ctx=ast.Load()), args=[value, *map(ast.Constant, facts)], keywords=[])
    ast.copy_location(call, value)
    return ast.fix_missing_locations(call)


def instrument(source: bytes, path: str) -> CodeType:
    """The module's code with its raises and asserts reporting; SyntaxError where it is no Python."""
    tree = _Rewrite().visit(ast.parse(source, path))
    code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    return code


class _Loader(SourceFileLoader):
    def source_to_code(self, data: bytes, path: str) -> CodeType:  # type: ignore[override]  # the base also takes trees
        return instrument(data, path)


class Finder(MetaPathFinder):
    """Finds the modules of one package as usual, and loads them instrumented."""

    def __init__(self, package: str):
        self.package = package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != self.package:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def install(package: str) -> None:
    """Instruments what is imported of the package from now on."""
    if package in sys.modules:
        message = f"{package} is already imported"
        raise RuntimeError(message)
    sys.meta_path.insert(0, Finder(package))

"""The whole standard library as a crash corpus, held against what Python's own parser and compiler say of it."""

import ast
import sysconfig
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from laws import mined

if TYPE_CHECKING:
    from pipeline.catalogue import Catalogue

STDLIB = Path(sysconfig.get_path("stdlib"))
TESTS = {"test", "tests", "idle_test"}


def parsed(data: bytes) -> ast.Module | None:
    """Return the syntax tree, or None where this Python does not read the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(data)
        except (SyntaxError, ValueError):
            return None


def sites(module: ast.Module) -> "list[ast.Raise | ast.Assert]":
    return [
        node
        for node in ast.walk(module)
        if isinstance(node, ast.Raise) or (isinstance(node, ast.Assert) and node.msg is not None)
    ]


@pytest.fixture(scope="module")
def everything() -> dict[str, bytes]:
    """The files of the standard library, its own tests included (path -> bytes)."""
    paths = sorted(path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts)
    return {path.relative_to(STDLIB).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def truth(everything: dict[str, bytes]) -> "dict[str, list[ast.Raise | ast.Assert]]":
    """The raises and the asserts with a message of each file that is no test and that Python's parser reads."""
    modules = {path: parsed(data) for path, data in everything.items() if not TESTS & set(path.split("/"))}
    return {path: sites(module) for path, module in modules.items() if module is not None}


@pytest.fixture(scope="module")
def catalogue(everything: dict[str, bytes], truth: "dict[str, list[ast.Raise | ast.Assert]]") -> "Catalogue":
    """What those files can raise."""
    return mined.mine({path: everything[path] for path in truth}, workers=None)


def test_the_ledger_is_complete(catalogue: "Catalogue", truth: "dict[str, list[ast.Raise | ast.Assert]]") -> None:
    coverage = catalogue.coverage
    coverage.check()
    assert coverage.files == len(truth)
    assert coverage.skippedFiles == ()
    assert coverage.excluded == ()


def test_raises_are_as_many_as_python_parses(
    catalogue: "Catalogue", truth: "dict[str, list[ast.Raise | ast.Assert]]"
) -> None:
    count = Counter(type(node) for nodes in truth.values() for node in nodes)
    coverage = catalogue.coverage
    assert (coverage.raiseStatements, coverage.assertsWithMessage) == (count[ast.Raise], count[ast.Assert])
    bare = sum(isinstance(node, ast.Raise) and node.exc is None for nodes in truth.values() for node in nodes)
    assert coverage.bareRaises == bare


def test_every_exception_that_is_made_where_it_is_raised_is_a_record(
    catalogue: "Catalogue", truth: "dict[str, list[ast.Raise | ast.Assert]]"
) -> None:
    found = {(one.filePath, one.lineNumber, one.endLineNumber) for one in catalogue.records}
    written = {(path, node.lineno, node.end_lineno) for path, nodes in truth.items() for node in nodes}
    made = {
        (path, node.lineno, node.end_lineno)
        for path, nodes in truth.items()
        for node in nodes
        if isinstance(node, ast.Assert) or (isinstance(node.exc, ast.Call) and not is_with_traceback(node.exc))
    }
    assert made - found == set()
    assert found - written == set()


def is_with_traceback(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "with_traceback"


def test_everything_is_mined_without_a_crash(everything: dict[str, bytes]) -> None:
    """Also the library's tests, with their files that are broken on purpose; only nonsense is left out."""
    coverage = mined.mine(everything, workers=None).coverage
    coverage.check()
    assert coverage.files + len(coverage.skippedFiles) == len(everything)
    assert coverage.damagedFiles
    modules = {one.path: parsed(everything[one.path]) for one in coverage.excluded}
    left_out = [
        (path, node.lineno)
        for path, module in modules.items()
        for node in (sites(module) if module is not None else ())
        if (path, node.lineno) in {(one.path, one.line) for one in coverage.excluded}
        and not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Constant))
    ]
    assert left_out == []


def test_literal_messages_are_exact(catalogue: "Catalogue", truth: "dict[str, list[ast.Raise | ast.Assert]]") -> None:
    """A built-in class called with one literal says that literal, wherever it stands."""
    records = {(one.filePath, one.lineNumber): one for one in catalogue.records}
    wrong = []
    for path, nodes in truth.items():
        for node in nodes:
            literal = literal_said(node)
            record = records.get((path, node.lineno))
            if literal and record is not None and record.errorMessage != literal:
                wrong.append((path, node.lineno, literal, record.errorMessage))
    assert wrong == []


SAYS_ITS_ARGUMENT = ("ValueError", "TypeError", "RuntimeError", "NotImplementedError", "AttributeError", "IndexError")


def literal_said(node: "ast.Raise | ast.Assert") -> str | None:
    said: ast.expr | None = node.msg if isinstance(node, ast.Assert) else None
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and not node.exc.keywords:
        function, arguments = node.exc.func, node.exc.args
        if isinstance(function, ast.Name) and function.id in SAYS_ITS_ARGUMENT and len(arguments) == 1:
            said = arguments[0]
    if isinstance(said, ast.Constant) and isinstance(said.value, str) and said.value.isprintable():
        return said.value
    return None

"""Tests that provoke an error: what they expect, and whose error that is."""

from dataclasses import replace

import pytest
from conftest import make_record
from laws import mined

from pipeline.evidence import pack
from pipeline.evidence.runs import fixed_runs
from pipeline.evidence.tests import Expectation, find_expectations
from pipeline.record import Record
from pipeline.source.tree import SourceFile

PATH = "tests/a_test.py"


def test_file(source: str) -> SourceFile:
    return SourceFile(path=PATH, blob_id="0" * 40, data=source.encode())


test_file.__test__ = False  # type: ignore[attr-defined]  # a helper, whatever its name says


def expectations(source: str) -> list[Expectation]:
    return list(find_expectations(test_file(source)))


CLASS = "class T(Case):\n  def test_it(self):\n"
# name: (body of a test, classes it expects, fixed pieces of the text, code that provokes)
EXPECTED = {
    "a regex": (
        "with self.assertRaisesRegex(ValueError, r'axis .* out of bounds'):\n  f(1)",
        ("ValueError",),
        ("axis ", " out of bounds"),
        "f(1)",
    ),
    "a literal": (
        "with self.assertRaisesWithLiteralMatch(ValueError, 'axis (1) .* is bad'):\n  f(1)",
        ("ValueError",),
        ("axis (1) .* is bad",),
        "f(1)",
    ),
    "pytest": ("with pytest.raises(KeyError, match='no such key'):\n  f(1)", ("KeyError",), ("no such key",), "f(1)"),
    "a dotted class": (
        "with self.assertRaisesRegex(jax.errors.TracerError, 'leaked'):\n  f(1)",
        ("TracerError",),
        ("leaked",),
        "f(1)",
    ),
    "two classes": (
        "with pytest.raises((TypeError, ValueError), match='bad shape'):\n  f(1)",
        ("TypeError", "ValueError"),
        ("bad shape",),
        "f(1)",
    ),
    "a keyword": (
        "with self.assertRaisesRegex(ValueError, expected_regex='bad'):\n  f(1)",
        ("ValueError",),
        ("bad",),
        "f(1)",
    ),
    "a text of pieces": (
        "with self.assertRaisesRegex(ValueError, 'bad '\n    'shape'):\n  f(1)",
        ("ValueError",),
        ("bad shape",),
        "f(1)",
    ),
    "a sum": (
        "with self.assertRaisesRegex(ValueError, 'bad ' + name + ' given'):\n  f(1)",
        ("ValueError",),
        ("bad ", " given"),
        "f(1)",
    ),
    "an f-string": (
        "with self.assertRaisesRegex(ValueError, f'bad {name} given'):\n  f(1)",
        ("ValueError",),
        ("bad ", " given"),
        "f(1)",
    ),
    "escaped": (
        "with self.assertRaisesRegex(ValueError, re.escape('bad (1, 2)')):\n  f(1)",
        ("ValueError",),
        ("bad (1, 2)",),
        "f(1)",
    ),
    "a variable": (
        "msg = 'bad shape'\nwith self.assertRaisesRegex(ValueError, msg):\n  f(1)",
        ("ValueError",),
        ("bad shape",),
        "f(1)",
    ),
    "the variable's last value": (
        "msg = 'one'\nmsg = 'two'\nwith self.assertRaisesRegex(ValueError, msg):\n  f(1)\nmsg = 'three'",
        ("ValueError",),
        ("two",),
        "f(1)",
    ),
    "a lambda": ("self.assertRaisesRegex(ValueError, 'bad', lambda: f(1, 2))", ("ValueError",), ("bad",), "f(1, 2)"),
    "a call handed over": ("self.assertRaisesRegex(ValueError, 'bad', f, 1, x=2)", ("ValueError",), ("bad",), "f(1)"),
    "several lines": (
        "with self.assertRaisesRegex(ValueError, 'bad'):\n  x = g()\n  if x:\n    f(x)",
        ("ValueError",),
        ("bad",),
        "x = g()\nif x:\n  f(x)",
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_what_a_test_expects(name: str) -> None:
    body, classes, runs, code = EXPECTED[name]
    source = CLASS + "".join(f"    {line}\n" for line in body.splitlines())
    (found,) = expectations(source)
    assert (found.classes, found.runs, found.case.code, found.case.qualname) == (classes, runs, code, "T.test_it")
    assert found.case.line == 1 + next(i for i, line in enumerate(source.splitlines()) if "aises" in line)


@pytest.mark.parametrize(
    "body",
    [
        "with self.assertRaises(ValueError):\n  f(1)",
        "with pytest.raises(ValueError):\n  f(1)",
        "with self.assertRaisesRegex(ValueError, text_of(1)):\n  f(1)",
        "self.assertRaisesRegex(ValueError, 'bad')",
        "self.assertEqual(1, 2)",
    ],
)
def test_without_a_text_or_code_nothing_is_expected(body: str) -> None:
    assert expectations(body) == []


RUNS = {
    "plain text": ("plain text",),
    r"a\.b": ("a.b",),
    r"\(1, \[2\]\)": ("(1, [2])",),
    "a.*b": ("a", "b"),
    "ab?c": ("a", "c"),
    "a(b|c)d": ("a", "b", "c", "d"),
    "(?:a)*b": ("a", "b"),
    r"x\d+y": ("x", "y"),
    "[abc]d": ("d",),
    "[]x]d": ("d",),
    "a{2,3}b": ("b",),
    "{name} is": ("{name} is",),
    "^a$": ("a",),
    "a  b\\n c": ("a b c",),
    "a\\": ("a\\",),
    "": (),
}


@pytest.mark.parametrize("pattern", RUNS)
def test_fixed_pieces_of_a_pattern(pattern: str) -> None:
    assert fixed_runs(pattern) == RUNS[pattern]


def record(message: str, pattern: str, **changes: object) -> Record:
    return make_record(message, pattern, **changes)


AXIS = record("axis {x} is out of bounds for {x}", r"axis (.+?) is out of bounds for (.+?)", filePath="axis.py")
SHORT = record("bad", "bad", filePath="short.py")
DERIVED = record(
    "shapes {x} do not agree", "shapes (.+?) do not agree", errorClass="ShapeError", errorBases=["TypeError"]
)
# name: (class and regex of a test, records, index of the one it belongs to, or None)
BELONGS = {
    "the whole text": (("ValueError", "axis .* is out of bounds for .*"), [AXIS, SHORT], 0),
    "a part": (("ValueError", "is out of bounds"), [AXIS], 0),
    "the holes filled in": (("ValueError", "axis 5 is out of bounds for array of dimension 3"), [AXIS], 0),
    "another class": (("TypeError", "axis .* is out of bounds for .*"), [AXIS], None),
    "a base class": (("TypeError", "shapes .* do not agree"), [AXIS, DERIVED], 1),
    "any of several classes": (("(ValueError, TypeError)", "shapes .* do not agree"), [DERIVED], 0),
    "too short": (("ValueError", "bad"), [SHORT], None),
    "little of it": (("ValueError", "out of bounds for something quite different from an axis"), [AXIS], None),
    "two records alike": (("ValueError", "is out of bounds"), [AXIS, AXIS.model_copy(update={"qualname": "g"})], None),
}


@pytest.mark.parametrize("name", BELONGS)
def test_whose_error_a_test_provokes(name: str) -> None:
    from pipeline.evidence.tests import match_tests

    (cls, regex), records, owner = BELONGS[name]
    found = match_tests(
        expectations(f"def test(self):\n  with self.assertRaisesRegex({cls}, {regex!r}):\n    f(1)\n"),
        records,
        [() for _ in records],
    )
    assert [i for i, cases in enumerate(found) if cases] == ([] if owner is None else [owner])


def test_of_two_alike_the_one_whose_function_is_called() -> None:
    from pipeline.evidence.tests import match_tests

    source = "def test(self):\n  with self.assertRaisesRegex(ValueError, 'is out of bounds'):\n    jnp.take(x, 1)\n"
    found = match_tests(expectations(source), [AXIS, AXIS], [("jax.numpy.sort",), ("jax.numpy.take",)])
    assert [len(cases) for cases in found] == [0, 1]


def test_three_shortest_tests_at_most() -> None:
    from pipeline.evidence.tests import match_tests

    lines = [2, 1, 4, 3, 1]
    source = "".join(
        f"def test_{i}(self):\n  with self.assertRaisesRegex(ValueError, 'is out of bounds'):\n" + "    f(1)\n" * n
        for i, n in enumerate(lines)
    )
    (cases,) = match_tests(expectations(source), [AXIS], [()])
    assert [c.qualname for c in cases] == ["test_1", "test_4", "test_0"]


def test_tests_of_a_tree_reach_the_record() -> None:
    files = {"p/__init__.py": "", "p/m.py": "def f(x):\n  raise ValueError(f'axis {x} is out of bounds')\n"}
    source = (
        "class T:\n  def test_f(self):\n    with self.assertRaisesRegex(ValueError, 'is out of bounds'):\n      f(1)\n"
    )
    tree = replace(mined.tree(files), evidence=(test_file(source),))
    records = mined.mine(files).records
    (evidence,) = pack.collect(tree, records)
    (reference,) = pack.with_evidence(records[0], evidence).tests
    assert (reference.filePath, reference.lineNumber, reference.qualname) == (PATH, 3, "T.test_f")

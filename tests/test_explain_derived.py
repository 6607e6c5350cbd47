"""Explanations derived from the source alone."""

# ruff: noqa: E501  # a row of a table stays on one line

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, make_record

from pipeline import catalogue
from pipeline.evidence import pack
from pipeline.explain.checks.code import programs, syntax
from pipeline.explain.derived import derive
from pipeline.explain.derived.advice import advice, demands
from pipeline.explain.derived.docstring import parameter, summary
from pipeline.explain.derived.guard import read_guard
from pipeline.explain.derived.words import fails, holds
from pipeline.explain.explanation import Explanation, texts
from pipeline.explain.vocabulary import FEWEST, MOST, vocabulary
from pipeline.source.folder import read_folder
from pipeline.source.tree import SourceTree


@pytest.mark.parametrize(
    ("condition", "said", "otherwise"),
    [
        ("x is None", "`x` is `None`", "`x` is not `None`"),
        ("not isinstance(x, (int, float))", "`x` is not an instance of `int` or `float`", "`x` is an instance of `int` or `float`"),
        ("len(a) != len(b)", "`a` and `b` differ in length", "`a` and `b` have the same length"),
        ("a.shape != b.shape", "`a` and `b` differ in shape", "`a` and `b` have the same shape"),
        ("a.ndim != 2", "`a` does not have 2 dimensions", "`a` has 2 dimensions"),
        ("not (0 <= i < n)", "`0 <= i < n` does not hold", "`0 <= i < n` holds"),
        ("n < 0 or n > 3", "`n` is less than `0` or `n` is more than `3`", "`n` is at least `0` and `n` is at most `3`"),
        ("mode not in ('a', 'b')", "`mode` is none of `'a'` and `'b'`", "`mode` is `'a'` or `'b'`"),
        ("any(d < 0 for d in dims)", "for some `d` in `dims`, `d` is less than `0`", "for every `d` in `dims`, `d` is at least `0`"),
        ("not callable(f)", "`f` is not callable", "`f` is callable"),
        ("(k := f(x)) == 1", "`f(x)` is `1`", "`f(x)` is not `1`"),
        ("not (mode == 'a') and not (mode == 'b')", "`mode` is none of `'a'` and `'b'`", "`mode` is `'a'` or `'b'`"),
        ("not (early) and x == 'a and b'", "`x` is `'a and b'`", "`x` is not `'a and b'`"),
        ("use_it and x is None", "`use_it` is true and `x` is `None`", "`x` is not `None`"),
        ("for a, b in pairs and (a != b or a is None)", "for some `(a, b)` in `pairs`, either `a` is not `b` or `a` is `None`", "`a` is `b` and `a` is not `None`"),
        ("except KeyError as e", "`KeyError` has been caught", None),
        ("case _", "no other case of the match applies", None),
        ("while True and x", "`x` is true (or not empty)", "`x` is false (or None, zero, empty)"),
        ("for x in", "`for x in`", None),
    ],
)  # fmt: skip
def test_guards_in_words(condition: str, said: str, otherwise: str | None) -> None:
    guard = read_guard(condition)
    assert holds(guard) == said
    assert fails(guard.fault) == otherwise


def test_earlier_checks_are_counted() -> None:
    guard = read_guard("not (x is None) and y and not (z > 1) and w")
    assert (len(guard.fault), len(guard.setting), guard.passed) == (1, 1, 2)
    assert not read_guard(None).clauses


def test_advice_of_messages() -> None:
    message = "Bad {x}. Use `jnp.where` instead, e.g. with x. It must be 2D; got {n}\nDid you mean y? The end."
    assert list(advice([message, message])) == ["Use `jnp.where` instead, e.g. with x.", "Did you mean y?"]
    assert list(demands([message])) == ["It must be 2D; got {n}"]


def test_docstrings() -> None:
    text = """Does it. And more.

    Args:
      x: the :func:`~jax.numpy.array`, which
        goes on.
      y (int): other.
    Returns:
      z: no argument.
    """
    assert summary(text) == "Does it."
    assert parameter(text, "x") == "the `jax.numpy.array`, which goes on."
    assert parameter(text, "y") == "other."
    assert parameter(text, "nothing") is None
    assert (summary(None), parameter(None, "x")) == (None, None)


SOURCE = '''
import functools


def choose(a, mode="raise", *, size=None):
    """Chooses.

    Args:
      mode: how to choose.
    """
    if size is not None and not isinstance(size, int):
        raise TypeError(f"size must be an int, got {size!r}. Use int(size).")
    if mode == "raise":
        return 1
    elif mode == "wrap":
        return 2
    else:
        raise ValueError(f"mode={mode} not understood. Must be one of the modes")


def rebinding(x):
    x = list(x)
    if not x:
        raise ValueError("x is empty after all")


def looping(x):
    for y in (1, 2):
        if y == x:
            return y
    if x is None:
        raise ValueError("x is in none of them")


def typed(x):
    if not isinstance(x, str):
        raise TypeError("x has to be a string")


@functools.cache
def _inside(shape):
    if len(shape) != 2:
        raise NotImplementedError("only two dimensions are supported")


def outside(shape):
    return _inside(shape)


def bare():
    raise RuntimeError


def checked(x):
    assert x > 0, "positive"
'''


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Explanation]:
    """Explanations by function and class."""
    folder = tmp_path_factory.mktemp("tree")
    (folder / "pkg").mkdir()
    (folder / "pkg" / "__init__.py").write_text(SOURCE)
    tree = read_folder(folder, repo="o/pkg", under=None)
    records = catalogue.build(tree, analyzed_at=NOW).records
    return {
        (r.qualname or "", r.errorClass or ""): derive(pack.with_evidence(r, e), e, vocabulary())
        for r, e in zip(records, pack.collect(tree, records), strict=True)
    }


def test_a_derived_explanation(derived: dict[tuple[str, str], Explanation]) -> None:
    one = derived["choose", "ValueError"]
    assert one.documentation == (
        "`pkg.choose` raises `ValueError` when `mode` is none of `'raise'` and `'wrap'`. The argument to look at is "
        "`mode`. `mode` is documented as: “how to choose.” About `pkg.choose` its docstring says: “Chooses.”"
    )
    assert one.triggerScenarios is not None
    assert one.triggerScenarios.startswith("Calling `pkg.choose` so that `mode` is none of")
    assert one.solutions == (
        "Meet what the message says: “Must be one of the modes”",
        "Call `pkg.choose` so that `mode` is `'raise'` or `'wrap'`.",
    )
    assert one.commonSituations is None
    assert one.exampleFix is None
    assert one.preventionTips == ()
    assert one.tryCatchPattern is not None
    assert "except ValueError as error:" in one.tryCatchPattern
    assert "pkg.choose(a, mode=mode)" in one.tryCatchPattern
    advised = derived["choose", "TypeError"].solutions
    assert advised[0] == "The message advises: “Use int(size).”"


def runs(code: str, **values: Any) -> bool:
    try:
        exec(compile(code, "validation", "exec"), values)  # what the catalogue tells its readers to run
    except AssertionError:
        return False
    return True


def test_validation_fails_exactly_where_the_function_raises(derived: dict[tuple[str, str], Explanation]) -> None:
    space: dict[str, Any] = {}
    exec(SOURCE, space)
    cases: dict[tuple[str, str], list[dict[str, Any]]] = {
        ("choose", "ValueError"): [{"a": 1, "mode": m, "size": s} for m in ("raise", "wrap", "x") for s in (None, 1)],
        ("choose", "TypeError"): [{"a": 1, "mode": m, "size": s} for m in ("raise", "x") for s in (None, 1, "1")],
        ("typed", "TypeError"): [{"x": "a"}, {"x": 1}],
    }
    for (function, name), arguments in cases.items():
        code = derived[function, name].validationCode
        assert code is not None
        for values in arguments:
            try:
                space[function](**values)
                raised = None
            except (TypeError, ValueError) as error:
                raised = type(error).__name__
            assert runs(code, **values) == (raised != name), (function, values)


def test_no_validation_where_it_would_be_wrong(derived: dict[tuple[str, str], Explanation]) -> None:
    for function, name in (("rebinding", "ValueError"), ("looping", "ValueError"), ("_inside", "NotImplementedError")):
        assert derived[function, name].validationCode is None


def test_other_fields(derived: dict[tuple[str, str], Explanation]) -> None:
    assert derived["typed", "TypeError"].typeGuard == "def is_accepted_x(x) -> bool:\n    return isinstance(x, str)"
    assert derived["typed", "TypeError"].handlingStrategy == "type-guard"
    inside = derived["_inside", "NotImplementedError"]
    assert inside.handlingStrategy == "fallback"
    assert "The library has not implemented this case." in (inside.documentation or "")
    assert inside.triggerScenarios == (
        "Calling `pkg.outside`, which leads to `_inside`, where `shape` does not have length 2."
    )
    assert "It carries no message." in (derived["bare", "RuntimeError"].documentation or "")
    assert "fails an assertion when `x` is at most `0`" in (derived["checked", "AssertionError"].documentation or "")
    assert derived["checked", "AssertionError"].solutions == ()


def test_all_of_jax(jax_tree: SourceTree) -> None:
    """Every record of a real release is explained, twice the same, with code that parses and nothing left out."""
    records = catalogue.build(jax_tree, analyzed_at=NOW).records
    evidence = pack.collect(jax_tree, records)
    words = vocabulary()
    filled: Counter[str] = Counter()
    for record, its in zip(records, evidence, strict=True):
        one = derive(record, its, words)
        assert one == derive(record, its, words)
        parsed, findings = programs(one)
        assert not [*findings, *(finding for program in parsed for finding in syntax(program))], one
        assert FEWEST <= len(set(one.tags)) <= MOST
        assert set(one.tags) <= words.tags
        assert all(text.strip() == text for _, text in texts(one, tuple(Explanation.model_fields)))
        filled.update(name for name, value in one if value)
    total = len(records)
    assert filled["documentation"] == filled["tags"] == total
    assert filled["triggerScenarios"] > 0.95 * total
    assert filled["solutions"] > 0.5 * total
    assert filled["validationCode"] > 50


def test_vocabulary_holds_together() -> None:
    words = vocabulary()
    named = {tag for rule in words.tag_rules for tag in rule.gives} | set(words.fallback)
    assert named <= words.tags
    assert {tag for rule in words.article_rules for tag in rule.gives} <= words.articles
    assert all(re.fullmatch(r"[a-z0-9-]+", tag) for tag in words.tags)
    assert len(words.tags_of(make_record(filePath="other/x.py", errorClass="OddError"))) >= FEWEST


def test_code_of_guards_never_fails_to_parse() -> None:
    """Words about any expression of the standard library that stands in an `if`."""
    import os

    seen = 0
    for path in sorted(Path(os.__file__).parent.glob("*.py"))[:60]:
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.If):
                guard = read_guard(f"not (first) and ({ast.unparse(node.test)})")
                assert holds(guard)
                seen += 1
    assert seen > 500


def test_derived_needs_no_network_and_no_client() -> None:
    code = "import sys, pipeline.explain.derived, pipeline.explain.vocabulary; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""Patterns taken apart: what is read is what was written, and what is not of the dialect is refused."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.match import dialect
from pipeline.match.search import holds

texts = st.text(st.sampled_from("ab .*+?()[]{}|^$\\\n\té漢"), min_size=1, max_size=8)
gaps = st.sampled_from(["(.+?)", "(.*?)", "(?:.+?)", "(?:.*?)"])
leaves = texts.map(lambda text: re.sub(r"([\^$\\.*+?()\[\]{}|])", r"\\\1", text)) | gaps
patterns = st.recursive(
    st.lists(leaves, max_size=4).map("".join),
    lambda inner: st.tuples(
        inner, st.lists(inner, min_size=1, max_size=3).map("|".join), st.sampled_from(["", "?", "*"]), inner
    ).map(lambda p: f"{p[0]}(?:{p[1]}){p[2]}{p[3]}"),
    max_leaves=8,
)


@given(patterns)
def test_a_pattern_read_and_written_is_the_same(pattern: str) -> None:
    assert dialect.regex(dialect.parse(pattern)) == pattern


@given(patterns)
def test_holes_are_capture_groups(pattern: str) -> None:
    assert dialect.parse(pattern).holes == re.compile(pattern).groups


@given(patterns, st.text(st.sampled_from("ab .\n"), max_size=12))
def test_what_a_pattern_matches_has_its_fixed_runs_and_one_of_its_anchors(pattern: str, text: str) -> None:
    if holds(pattern, text) is None:
        return
    parts = dialect.parse(pattern)
    squeezed = dialect.squeezed(text)
    assert all(run in squeezed for run in dialect.runs(parts))
    anchors = dialect.anchors(parts)
    assert not anchors or any(anchor in squeezed for anchor in anchors)
    assert dialect.fixed(parts) <= len(squeezed)


@given(patterns)
def test_a_text_without_its_white_space_fits_the_squeezed_pattern(pattern: str) -> None:
    parts = dialect.parse(pattern)
    text = filled(parts)
    assert holds(pattern, text)
    assert holds(dialect.regex(parts, squeeze=True), dialect.squeezed(text))


def filled(parts: dialect.Sequence) -> str:
    """The text with `xy` in every hole, first options, and every optional part once."""
    return "".join(
        part.text
        if isinstance(part, dialect.Text)
        else "xy"
        if isinstance(part, dialect.Gap)
        else filled(part.options[0])
        for part in parts.parts
    )


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        ")",
        "a)",
        "(?:a",
        "a|b)",
        "(a)",
        "(?P<n>a)",
        "(?=a)",
        "a+",
        "a*",
        ".",
        "[ab]",
        "a{2}",
        "^a",
        "a$",
        "\\",
        "(?:a)+",
        "(.+)",
    ],
)
def test_what_is_not_of_the_dialect_is_refused(pattern: str) -> None:
    with pytest.raises(dialect.PatternError):
        dialect.parse(pattern)


def test_too_deep_a_nesting_is_refused() -> None:
    with pytest.raises(dialect.PatternError, match="nested too deep"):
        dialect.parse("(?:" * 100 + "a" + ")" * 100)


ANCHORS = [
    ("abc(.+?)defgh", {"defgh"}),
    ("(?:abc|defgh)(.+?)x", {"abc", "defgh"}),
    ("(?:abc|(.+?))(.+?)x", {"x"}),
    ("(?:abcdef)?x(.+?)", {"x"}),
    ("a b\nc(.+?)", {"abc"}),
    ("(.+?)", set()),
    ("", set()),
]


@pytest.mark.parametrize(("pattern", "anchors"), ANCHORS)
def test_anchors(pattern: str, anchors: set[str]) -> None:
    assert dialect.anchors(dialect.parse(pattern)) == anchors


TAILS = [
    ("x(.+?)\nSee http://a#(.+?)", "x(.+?)"),
    ("x\n\nSee http://a", "x"),
    ("x See http://a", "x See http://a"),
    ("(?:x)?\nSee http://a", "(?:x)?"),
]


@pytest.mark.parametrize(("pattern", "core"), TAILS)
def test_without_tail(pattern: str, core: str) -> None:
    assert dialect.regex(dialect.without_tail(dialect.parse(pattern), "\nSee http")) == core

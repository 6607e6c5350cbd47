"""Texts compared word by word, and guards by what they say."""

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import profiles

from pipeline.diff.guard import guard, same_guard
from pipeline.diff.wording import as_read
from pipeline.diff.words import Said, Words, compare_words

if TYPE_CHECKING:
    from pipeline.catalogue import Catalogue

profiles.load()

TEXTS = st.text(st.sampled_from("ab {}.x\n'é"), max_size=24)


def marked(words: tuple[Words, ...]) -> str:
    marks = {Said.BOTH: "{}", Said.OLD: "[-{}-]", Said.NEW: "{{+{}+}}"}
    return "".join(marks[piece.said].format(piece.text) for piece in words)


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("", "", ""),
        ("same words", "same words", "same words"),
        ("", "a text", "{+a text+}"),
        ("a text", "", "[-a text-]"),
        ("expected two arguments", "expected three arguments", "expected [-two-]{+three+} arguments"),
        ("bad shape", "bad shape {x.shape}", "bad shape{+ {x.shape}+}"),
        ("bad shape", "bad shape.", "bad shape{+.+}"),
        ("got {x}", "got {y}", "got [-{x}-]{+{y}+}"),
        ("got {d['a b']}", "got {d['a c']}", "got [-{d['a b']}-]{+{d['a c']}+}"),
        ("got {f({1: {2}})} here", "got {f({1: {3}})} here", "got [-{f({1: {2}})}-]{+{f({1: {3}})}+} here"),
        ("one two three", "four five three", "[-one two-]{+four five+} three"),
        ("f(a, b)", "f(c, d)", "f([-a, b-]{+c, d+})"),
        ("an unclosed { brace", "an unclosed { bracket", "an unclosed { [-brace-]{+bracket+}"),
        ("line one\nline two", "line one\nline three", "line one\nline [-two-]{+three+}"),
        ("größer", "kleiner", "[-größer-]{+kleiner+}"),
    ],
)
def test_words(old: str, new: str, shown: str) -> None:
    assert marked(compare_words(old, new)) == shown


@given(TEXTS, TEXTS)
def test_the_pieces_make_up_both_texts(old: str, new: str) -> None:
    words = compare_words(old, new)
    assert "".join(piece.text for piece in words if piece.said is not Said.NEW) == old
    assert "".join(piece.text for piece in words if piece.said is not Said.OLD) == new
    assert all(piece.text for piece in words)


@given(TEXTS)
def test_equal_texts_have_no_changed_piece(text: str) -> None:
    assert {piece.said for piece in compare_words(text, text)} <= {Said.BOTH}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (None, None, True),
        (None, "x", False),
        ("x", "x", True),
        ("f(x,y)<0", "f( x, y ) < 0", True),
        ("not (x)", "not x", True),
        ("not (x or y)", "not x or y", False),
        ("(x is None and y)", "x is None and y", True),
        ("(x or y) and z", "x or y and z", False),
        ("x == 'a'", 'x == "a"', True),
        ("x == 'a, b'", "x == 'a,b'", False),
        ("f(x, y, )", "f(x, y)", True),
        ("(x, )", "(x)", False),
        ("x in (1,)", "x in (1)", False),
        ("for x in f(y,z) and not (x)", "for x in f(y, z) and not x", True),
        ("for x in y and x", "for x in z and x", False),
        ("while a or b and c", "while a or b and d", False),
        ("while  a and not (b)", "while a and not b", True),
        ("except ValueError as e and (x or  y)", "except ValueError as e and (x or y)", True),
        ("case (a,  b) if a and b", "case (a, b) if a and b", True),
        ("for x in 'a and b' and (y)", "for x in 'a and b' and y", True),
        ("for x in (a and (b)) and y", "for x in (a and b) and y", True),
        ("for x in 'a' and y", "for x in 'a and y", False),
        ("x is 1", "x is  1", True),
        ("x == '\\d'", "x ==  '\\d'", True),
    ],
)
def test_guards(one: str | None, other: str | None, same: bool) -> None:
    assert same_guard(one, other) is same
    assert same_guard(other, one) is same


def test_a_guard_too_deep_to_read_is_compared_as_it_stands() -> None:
    deep = "(" * 10_000 + "x" + ")" * 10_000
    assert guard(deep) == deep


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("bad (.+?)", "bad (.*?)", True),
        ("bad (.+?)", "bad", False),
        ("(?:row|column) (.+?)", "(?:column|row) (.+?)", True),
        ("(?:row|column) (.+?)", "(?:column|page) (.+?)", False),
        ("(?:(.+?)|none)", "(.+?)", True),
        ("(?:a|b)?x", "(?:b|a|)x", True),
        ("(?:a)?x", "ax", False),
        ("(?:a, (?:.+?))*x", "(?:a, (?:.+?))x", False),
        ("(?:a (?:c|b)|(?:e|d))", "(?:(?:d|e)|a (?:b|c))", True),
        ("(?:a|a) x", "a x", True),
        ("\\(\\?:a\\|b\\)", "\\(\\?:b\\|a\\)", False),
        ("\\\\(?:a|b)", "\\\\(?:b|a)", True),
        ("", "", True),
    ],
)
def test_patterns_as_they_are_read(one: str, other: str, same: bool) -> None:
    assert (as_read(one) == as_read(other)) is same


def test_reading_keeps_every_text_of_jax_apart(jax_catalogue: "Catalogue") -> None:
    """What is read as the same differs in its holes and alternatives alone; and reading again changes nothing."""
    patterns = {v.messagePattern for record in jax_catalogue.records for v in record.messageVariants}
    assert {as_read(as_read(pattern)) for pattern in patterns} == {as_read(pattern) for pattern in patterns}
    plain = [pattern for pattern in patterns if "(" not in pattern.replace("\\(", "").replace("(.+?)", "")]
    assert len(plain) > 4_000
    assert all(as_read(pattern) == pattern for pattern in plain)

"""The pattern dialect: valid, and of one meaning, in Python's re, RE2 and JavaScript."""

import re
from typing import TYPE_CHECKING

import pytest
import re2
from laws import engines

if TYPE_CHECKING:
    from pipeline.catalogue import Catalogue

# The grammar of a pattern. An atom is a character that needs no escape, an escaped one, a hole, or a group.
CHARACTER = r"[^\^$\\.*+?()\[\]{}|]"
ESCAPE = r"\\[\^$\\.*+?()\[\]{}|]"
HOLE = r"\(\.[+*]\?\)"
SILENT_HOLE = r"\(\?:\.[+*]\?\)"
TOKEN = re.compile(rf"{HOLE}|{SILENT_HOLE}[?*]?|\(\?:|\)[?*]?|\||{ESCAPE}|{CHARACTER}", re.DOTALL)


def fault(pattern: str) -> str | None:
    """Return what in the pattern is not of the dialect, or None."""
    at, open_groups = 0, []
    while at < len(pattern):
        token = TOKEN.match(pattern, at)
        if token is None:
            return f"not of the dialect at {at}: {pattern[at : at + 20]!r}"
        if token[0] == "(?:":
            open_groups.append(at)
        elif token[0] in (")", ")?", ")*"):
            if not open_groups:
                return f"closes no group at {at}"
            start = open_groups.pop()
            if token[0] == ")*" and re.search(rf"(?<!\\){HOLE}", pattern[start:at]):
                return f"a repeated part captures, at {start}"
        elif token[0] == "|" and not open_groups:
            return f"alternatives outside a group at {at}"
        at = token.end()
    return f"a group is not closed, at {open_groups[-1]}" if open_groups else None


GOOD = (
    "",
    "a",
    r"a\.b",
    "(.+?)",
    "(.*?)x",
    "(?:a|b)",
    "(?:a)?",
    "(?:a(?:.+?), )*",
    "(?:|a)",
    r"\{\}",
    "a-b/c~`@ \n😀",
    "(?:(.+?)|b)",
)
BAD = (
    "a+",
    "a*",
    "[a]",
    "^a",
    "a$",
    "a.b",
    "(a)",
    "(?P<n>.+?)",
    "(?i)a",
    "(?=a)",
    r"(.+?)\1",
    r"\d",
    r"\-",
    r"\n",
    "a{2}",
    "(.+)",
    "(.*)",
    ".+?",
    "(?:a",
    "a)",
    "a|b",
    "(?:(.+?), )*",
    "(?:a)+",
    "(?:a)??",
    r"\b",
    "(.?)",
)


@pytest.mark.parametrize("pattern", GOOD)
def test_the_grammar_takes_the_dialect(pattern: str) -> None:
    assert fault(pattern) is None


@pytest.mark.parametrize("pattern", BAD)
def test_the_grammar_refuses_the_rest(pattern: str) -> None:
    assert fault(pattern) is not None


def patterns_of(catalogue: "Catalogue") -> list[str]:
    """Return all patterns of a catalogue, of records and of variants, once each."""
    found = [
        [one.messagePattern, *(variant.messagePattern for variant in one.messageVariants)] for one in catalogue.records
    ]
    return sorted({pattern for patterns in found for pattern in patterns})


@pytest.fixture(scope="module")
def patterns(jax_catalogue: "Catalogue") -> list[str]:
    """Every pattern of a release of jax."""
    return patterns_of(jax_catalogue)


def test_every_pattern_of_a_release_is_of_the_dialect(patterns: list[str]) -> None:
    assert len(patterns) > 2000
    assert [(pattern, fault(pattern)) for pattern in patterns if fault(pattern)] == []


def test_every_pattern_compiles_in_python(patterns: list[str]) -> None:
    for pattern in patterns:
        re.compile(pattern, re.DOTALL)


def test_every_pattern_compiles_in_re2(patterns: list[str]) -> None:
    refused = []
    for pattern in patterns:
        try:
            groups = engines.re2_compile(pattern).groups
        except re2.error as error:
            refused.append((pattern, str(error)))
            continue
        assert groups == engines.python_groups(pattern), pattern
    assert refused == []


def test_every_pattern_means_the_same_in_javascript(patterns: list[str]) -> None:
    """With `u` and without: both match the pattern's own text, holes filled in, and nothing longer."""
    if not engines.has_javascript():
        pytest.skip("node is not on this machine: patterns were not checked in JavaScript")
    questions = [(pattern, filled(pattern)) for pattern in patterns]
    answers = engines.javascript(questions)
    wrong = [
        (question, answer)
        for question, answer in zip(questions, answers, strict=True)
        if answer != [True, True, engines.python_groups(question[0])]
    ]
    assert wrong == []


def test_every_pattern_matches_its_own_text(patterns: list[str]) -> None:
    for pattern in patterns:
        text = filled(pattern)
        assert engines.re2_fullmatches(pattern, text), pattern


def test_groups_are_placeholders(jax_catalogue: "Catalogue") -> None:
    wrong = [
        (one.filePath, one.lineNumber, one.messagePattern, one.placeholders)
        for one in jax_catalogue.records
        if engines.python_groups(one.messagePattern) != len(one.placeholders)
    ]
    assert wrong == []


def filled(pattern: str) -> str:
    """Return a text that the pattern matches: holes filled in, first alternatives, optional and repeated parts once."""
    out = ""
    stack: list[tuple[str, bool]] = []  # per open group: the text before it, and whether its first alternative is over
    done = False
    for found in TOKEN.finditer(pattern):
        token = found[0]
        if token == "(?:":
            stack.append((out, done))
        elif token == "|":
            done = True
        elif token in (")", ")?", ")*"):
            done = stack.pop()[1]
        elif not done:
            out += "é 😀" if token.startswith("(") else token[-1]
    return out

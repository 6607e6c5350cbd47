"""What counts as related: tables of small cases, laws over any records, and the whole of jax 0.9.2."""

import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import make_record
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import dataset
from pipeline.pages.related import MOST, SAME_TITLE, relate
from pipeline.record import Record


def record(name: str, **changes: Any) -> Record:
    """A record that is known by a name: its id begins with it, in hexadecimal digits."""
    message = changes.pop("message", "")
    fields = {"qualname": name, "publicApi": (), "condition": None, "filePath": f"pkg/{name}/core.py"} | changes
    return make_record(message, re.escape(message), id=name.encode().hex().ljust(16, "0")[:16], **fields)


def names(related: Sequence[str]) -> list[str]:
    return [bytes.fromhex(one).rstrip(b"\0").decode() for one in related]


def filler(count: int = 60) -> list[Record]:
    """Records about other things, so that what the others share is rare among all."""
    return [record(f"x{n}", message=f"word{n}a word{n}b word{n}c", publicApi=(f"pkg.x{n}",)) for n in range(count)]


CASES: dict[str, tuple[list[Record], dict[str, list[str]]]] = {
    "nearly the same text, nearest first": (
        [
            record("a", message="matrix must be square for cholesky"),
            record("b", message="matrix must be square for cholesky update"),
            record("c", message="matrix must be square"),
            record("d", message="the axis is not bound"),
        ],
        {"a": ["b", "c"], "d": []},
    ),
    "one function": (
        [
            record("a", message="alpha is wrong", qualname="f", filePath="pkg/f.py", lineNumber=3),
            record("b", message="beta is missing", qualname="f", filePath="pkg/f.py", lineNumber=5),
            record("c", message="gamma is late", qualname="f", filePath="pkg/f.py", lineNumber=9),
            record("d", message="delta is odd", qualname="f", filePath="pkg/g.py"),
        ],
        {"a": ["b", "c"], "c": ["b", "a"], "d": []},
    ),
    "what the guard tests, within one function": (
        [
            record("a", message="one", qualname="f", filePath="f.py", condition="x and not isinstance(axis, int)"),
            record("b", message="two", qualname="f", filePath="f.py", condition="not (x) and shape is None"),
            record("c", message="three", qualname="f", filePath="f.py", condition="axis < 0"),
        ],
        {"a": ["c", "b"], "c": ["a", "b"]},
    ),
    "what the guard tests, of a handler the clause before": (
        [
            record("a", message="one", filePath="f.py", condition="spam_table and except KeyError as e"),
            record("b", message="two", filePath="f.py", condition="not (spam_table)"),
            record("c", message="three", filePath="f.py", condition="except KeyError as e"),
        ],
        {"a": ["b"], "c": []},
    ),
    "one public name": (
        [
            record("a", message="alpha", filePath="pkg/f.py", publicApi=("pkg.solve", "pkg.a")),
            record("b", message="beta", filePath="pkg/f.py", publicApi=("pkg.solve",)),
            record("c", message="gamma", filePath="pkg/f.py", publicApi=("pkg.c",)),
        ],
        {"a": ["b"], "b": ["a"], "c": []},
    ),
    "classes of its own, in one file": (
        [
            record("a", message="alpha", filePath="pkg/f.py", errorClass="OwnError", errorBases=("ValueError",)),
            record("b", message="beta", filePath="pkg/f.py", errorClass="OwnError", errorBases=("ValueError",)),
            record("c", message="gamma", filePath="pkg/f.py"),
        ],
        {"a": ["b"], "c": []},
    ),
    "nothing said: the functions of one class": (
        [
            record("a", qualname="Base.read", filePath="pkg/f.py", publicApi=("pkg.Base",)),
            record("b", qualname="Base.write", filePath="pkg/f.py", publicApi=("pkg.Base",)),
            record("c", qualname="Other.read", filePath="pkg/f.py", publicApi=("pkg.Other",)),
        ],
        {"a": ["b"], "b": ["a"], "c": []},
    ),
    "two that differ in nothing but the line are told once": (
        [
            record("a", message="not possible", qualname="f", filePath="f.py", lineNumber=1, condition="x"),
            record("b", message="not allowed", qualname="f", filePath="f.py", lineNumber=2, condition="y"),
            record("c", message="not allowed", qualname="f", filePath="f.py", lineNumber=3, condition="y"),
            record("d", message="not allowed", qualname="f", filePath="f.py", lineNumber=4, condition="z"),
        ],
        {"a": ["b", "d"], "b": ["d", "a"], "c": ["d", "a"]},
    ),
    "two classes at one statement": (
        [
            record("a", message="bad", qualname="f", filePath="f.py", lineNumber=1, errorClass="TypeError"),
            record("b", message="bad", qualname="f", filePath="f.py", lineNumber=1, errorClass="ValueError"),
        ],
        {"a": ["b"], "b": ["a"]},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_cases(case: str) -> None:
    records, expected = CASES[case]
    found = {one.id: names(one.related) for one in relate([*records, *filler()])}
    assert {name: found[record(name).id] for name in expected} == expected


def test_a_family_of_one_text_takes_three_places_and_leaves_the_others() -> None:
    family = [record(f"f{n}", message="must override", qualname=f"Base.f{n}", filePath="pkg/b.py") for n in range(20)]
    others = [
        record(f"o{n}", message=f"must override {word}", qualname=f"Base.o{n}", filePath="pkg/b.py")
        for n, word in enumerate(("spam", "eggs", "ham"))
    ]
    found = {one.id: one for one in relate([*family, *others, *filler()])}
    related = [found[one] for one in found[family[10].id].related]
    assert Counter(one.title for one in related)["must override"] == SAME_TITLE
    assert any(one.title != "must override" for one in related)


def test_a_large_function_and_a_large_family_are_compared_with_their_neighbours() -> None:
    many = [
        record(f"n{n}", message=f"w{n}", qualname="f", filePath="f.py", lineNumber=n + 1, endLineNumber=n + 1)
        for n in range(3_000)
    ]
    same = [record(f"s{n}", message="must override", filePath=f"{n:04}.py") for n in range(3_000)]
    started = time.process_time()
    found = {one.id: one for one in relate([*many, *same])}
    assert time.process_time() - started < 20  # all pairs of these would take minutes
    assert set(names(found[many[1500].id].related)) >= {"n1499", "n1501"}
    assert len(found[same[1500].id].related) == SAME_TITLE


WORDS = st.sampled_from(["axis", "shape", "must", "be", "square", "{x}", "got", "matrix"])
RECORDS = st.lists(
    st.builds(
        lambda words, function, line, error_class, api, condition, number: make_record(
            " ".join(words),
            re.escape(" ".join(words)),
            id=f"{number:016x}",
            qualname=function,
            lineNumber=line,
            endLineNumber=line,
            errorClass=error_class,
            publicApi=api,
            condition=condition,
        ),
        st.lists(WORDS, max_size=5),
        st.sampled_from([None, "f", "g", "C.f", "C.g"]),
        st.integers(1, 9),
        st.sampled_from([None, "ValueError", "OwnError"]),
        st.lists(st.sampled_from(["pkg.a", "pkg.b"]), max_size=2, unique=True),
        st.sampled_from([None, "axis < 0", "not (axis < 0) and shape", "except KeyError", "a[' and '] and (b and c)"]),
        st.integers(0, 10_000),
    ),
    max_size=30,
    unique_by=lambda one: one.id,
)


@settings(deadline=None)
@given(RECORDS, st.randoms(use_true_random=False))
def test_laws(records: list[Record], chance: random.Random) -> None:
    related = relate(records)
    assert [one.model_copy(update={"related": ()}) for one in related] == records  # nothing else changes, nor the order
    assert_sound(related)
    shuffled = chance.sample(related, len(related))
    assert relate(shuffled) == shuffled  # independent of the order, and of what `related` was before


def assert_sound(records: Sequence[Record]) -> None:
    by_id = {one.id: one for one in records}
    for one in records:
        assert len(set(one.related) - {one.id}) == len(one.related) <= MOST
        titles = Counter(by_id[other].title or by_id[other].errorClass for other in one.related)
        assert max(titles.values(), default=0) <= SAME_TITLE


def test_all_of_jax(jax_dataset: Path) -> None:
    records = list(dataset.read(jax_dataset).records())
    started = time.process_time()
    related = relate(records)
    assert time.process_time() - started < 5  # under one on an idle machine
    assert_sound(related)
    by_id = {one.id: one for one in related}
    pairs = {(one.id, other) for one in related for other in one.related}
    assert sum(pair[::-1] in pairs for pair in pairs) >= 0.85 * len(pairs)
    assert sum(bool(one.related) for one in related) >= 0.9 * len(related)
    assert all(reason(by_id[one], by_id[other]) for one, other in pairs)


def reason(one: Record, other: Record) -> str | None:
    """What a reader sees that two records have in common."""
    if (one.filePath, one.qualname) == (other.filePath, other.qualname):
        return "function"
    if set(one.publicApi) & set(other.publicApi):
        return "public name"
    if set(words(one.errorMessage)) & set(words(other.errorMessage)):
        return "words"
    if set(words(one.condition or "")) & set(words(other.condition or "")):
        return "guard"
    return "class" if one.errorClass == other.errorClass else None


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]{2,}", text.lower())

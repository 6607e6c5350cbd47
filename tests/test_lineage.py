"""Ids over many revisions: one error, one id, whatever became of it; and laws over chains made by chance."""

import re
from collections.abc import Sequence
from itertools import pairwise
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import mined

from pipeline.diff.lineage import Lineage, Past, When, carry, trace
from pipeline.record import MessageVariant, Record, fingerprint, read_record

_MARK = re.compile(r" *@(\w+)$", re.MULTILINE)
Marks = dict[int, str]


def revision(name: str, source: str) -> tuple[tuple[Record, ...], Marks]:
    """The records of a source at a revision, and the marks of its lines."""
    text = dedent(source).lstrip("\n")
    marks = {n: found[1] for n, line in enumerate(text.split("\n"), 1) if (found := _MARK.search(line))}
    records = mined.mine({"pkg/m.py": _MARK.sub("", text)}).records
    return tuple(record.model_copy(update={"revision": name}) for record in records), marks


def chain(sources: Sequence[str]) -> list[tuple[Lineage, Marks]]:
    """Revisions 1.0, 1.1, … one after the other."""
    done: list[tuple[Lineage, Marks]] = []
    for number, source in enumerate(sources):
        records, marks = revision(f"1.{number}", source)
        done.append((trace(records, [as_past(When.EARLIER, done[-1][0])] if done else ()), marks))
    return done


def ids(lineage: Lineage, marks: Marks) -> dict[str, str]:
    return {marks[record.lineNumber]: record.id for record in lineage.records}


def as_past(when: When, lineage: Lineage) -> Past:
    return Past(when=when, records=lineage.records, tombstones=lineage.tombstones)


A, B, C = (f'  if x.{n}:\n    raise ValueError("bad x")  @{n}\n' for n in "abc")
F, G = "def f(x):\n", "\n\ndef g(x):\n"
TEXT = '  if x.size:\n    raise ValueError("the size must be zero")'
CHAINS: dict[str, list[str]] = {
    "the first of two equal ones goes": [F + A + B, F + B],
    "the first of two equal ones goes and comes back": [F + A + B, F + B, F + A + B],
    "both go, both come back": [F + A + B, F, F + A + B],
    "reworded": [F + TEXT + "  @a\n", F + TEXT.replace("must be zero", "has to be zero") + "  @a\n"],
    "reworded, then moved, then another one in its first place": [
        F + TEXT + "  @a\n",
        F + TEXT.replace("must be", "has to be") + "  @a\n",
        G + TEXT.replace("must be", "has to be") + "  @a\n",
        F
        + "  if x.ndim:\n    raise ValueError('the size must be zero')  @b\n"
        + G
        + TEXT.replace("must be", "has to be")
        + "  @a\n",
    ],
    "reworded and back": [
        F + TEXT + "  @a\n",
        F + TEXT.replace("must be zero", "has to be zero") + "  @a\n",
        F + TEXT + "  @a\n",
    ],
    "gone, then the same text at another place": [F + TEXT + "  @a\n", F, G + TEXT + "  @a\n"],
    "gone, then something else where it was": [
        F + TEXT + "  @a\n",
        F,
        F + "  if x.size:\n    raise ValueError('wrong')  @b\n",
        F + TEXT + "  @a\n",
    ],
    "what says nothing comes back in its place": [
        F + "  if x.a:\n    raise OSError  @a\n",
        F,
        F + "  if x.a:\n    raise OSError  @a\n",
    ],
    "what says nothing does not come back elsewhere": [
        F + "  if x.a:\n    raise OSError  @a\n",
        F,
        G + "  if x.b:\n    raise OSError  @b\n",
    ],
}


@pytest.mark.parametrize("sources", CHAINS.values(), ids=CHAINS.keys())
def test_a_mark_has_one_id_and_an_id_one_mark(sources: list[str]) -> None:
    known: dict[str, str] = {}
    for lineage, marks in chain(sources):
        for mark, name in ids(lineage, marks).items():
            assert known.setdefault(mark, name) == name
    assert len(set(known.values())) == len(known)


def test_what_is_gone_keeps_its_last_form_and_comes_back_as_it_was() -> None:
    first, second, third, last = (
        lineage
        for lineage, _ in chain(
            [F, F + TEXT + "  @a\n", F + TEXT.replace("must be", "is not") + "  @a\n" + B, F + B + A]
        )
    )
    assert (first.records, first.tombstones, second.tombstones, third.tombstones) == ((), (), (), ())
    [there] = second.records
    assert (there.introducedIn, there.lastSeenIn) == ("1.1", None)
    reworded = next(r for r in third.records if "size" in r.errorMessage)
    assert reworded.id == there.id
    [stone] = last.tombstones
    assert stone == reworded.model_copy(update={"lastSeenIn": "1.2"})
    back = carry(revision("1.4", F + TEXT.replace("must be", "is not") + "  @a\n")[0], last.records, last.tombstones)
    assert [(r.id, r.introducedIn, r.lastSeenIn) for r in back.records] == [(there.id, there.introducedIn, None)]
    assert {s.lastSeenIn for s in back.tombstones} == {"1.3"}


def test_introduced_in_is_the_first_revision_of_a_chain_that_has_it() -> None:
    last, _ = chain([F + A, F + A + B, F + A + B + C])[-1]
    assert [r.introducedIn for r in last.records] == [None, "1.1", "1.2"]


def test_the_id_of_a_first_hash_becomes_an_alias_unless_it_is_another_errors() -> None:
    (one, marks), (two, _), (three, others) = chain([F + A + B, F + B, G + TEXT + "  @a\n" + F + B + A])
    a, b = ids(one, marks)["a"], ids(one, marks)["b"]
    assert [(r.id, r.aliases) for r in two.records] == [(b, ())]  # a first hash gives it the id of the one that is gone
    assert ids(three, others)["b"] == b
    [fresh] = revision("1.3", "class K:\n  def f(self, x):\n" + B.replace("  ", "    "))[0]
    [moved] = carry([fresh], two.records, two.tombstones).records
    assert (moved.id, moved.aliases) == (b, (fresh.id,))
    assert fresh.id not in {a, b}


def test_poorer_templates_of_an_older_errcat_cost_no_id() -> None:
    def poorer(record: Record) -> Record:
        said = {"errorMessage": "{message}", "messagePattern": "(.+?)"}
        return record.model_copy(
            update=said
            | {
                "errorClass": None,
                "fingerprint": fingerprint(None, "(.+?)"),
                "messageVariants": (MessageVariant(**said),),
                "id": record.id[::-1],
            }
        )

    records, _ = revision("1.0", F + A + B + TEXT + "  @t\n" + G + A.replace("bad x", "no good"))
    old = tuple(map(poorer, records))
    found = carry(records, old, ())
    assert [r.id for r in found.records] == [r.id for r in old]
    assert [r.aliases for r in found.records] == [(r.id,) for r in records]
    assert {r.introducedIn for r in found.records} == {None}


def test_a_revision_mined_before_its_predecessors_keeps_its_ids_and_they_take_them() -> None:
    sources = [
        F + A + TEXT + "  @t\n",
        F + A + TEXT.replace("must be", "is") + "  @t\n" + B,
        G + A + TEXT.replace("must be", "is") + "  @t\n" + B,
    ]
    (zero, zeros), (one, ones), (two, twos) = (revision(f"1.{n}", s) for n, s in enumerate(sources))
    last = trace(two, ())
    first = trace(zero, [as_past(When.LATER, last)])
    middle = trace(one, [as_past(When.EARLIER, first), as_past(When.LATER, last)])
    again = trace(two, [as_past(When.SAME, last), as_past(When.EARLIER, middle)])
    assert ids(again, twos) == ids(last, twos)
    assert ids(middle, ones).items() <= ids(last, twos).items()
    assert ids(first, zeros).items() <= ids(last, twos).items()
    assert first.tombstones == middle.tombstones == again.tombstones == ()
    assert {r.introducedIn for r in first.records} == {None}
    assert {m: r.introducedIn for r in middle.records for m in [ones[r.lineNumber]]} == {
        "a": None,
        "t": None,
        "b": "1.1",
    }


def test_two_names_of_one_error_end_as_its_id_and_an_alias() -> None:
    """Mined apart, two revisions gave it two ids; the one it has been published under stays, the other leads to it."""
    old, _ = revision("1.0", F + TEXT + "  @a\n")
    new, _ = revision("1.1", G + TEXT + "  @a\n")
    apart_old, apart_new = trace(old, ()), trace(new, ())
    [record] = trace(new, [as_past(When.SAME, apart_new), as_past(When.EARLIER, apart_old)]).records
    assert record.id == apart_new.records[0].id
    assert record.aliases == (apart_old.records[0].id,)


# Laws

TEXTS = ("bad x", "x must be positive", "x must be one of a, b and c")
raises = st.tuples(st.sampled_from(("x", "not x", "x > 3")), st.sampled_from(TEXTS))
bodies = st.dictionaries(st.sampled_from("fgh"), st.lists(raises, max_size=3), max_size=3)
chains = st.lists(bodies, min_size=2, max_size=4)


def source_of(functions: dict[str, list[tuple[str, str]]]) -> str:
    return "".join(
        f"def {name}(x):\n" + "".join(f"  if {g}:\n    raise ValueError({t!r})\n" for g, t in body) + "  return x\n"
        for name, body in functions.items()
    )


def names(lineage: Lineage) -> list[str]:
    return [name for record in (*lineage.records, *lineage.tombstones) for name in (record.id, *record.aliases)]


@settings(deadline=None, max_examples=40)
@given(chains)
def test_no_name_means_two_errors_and_none_is_forgotten(program: list[dict[str, list[tuple[str, str]]]]) -> None:
    done = [lineage for lineage, _ in chain(list(map(source_of, program)))]
    for lineage in done:
        assert len(set(names(lineage))) == len(names(lineage))
    for before, after in pairwise(done):
        assert set(names(before)) <= set(names(after))
        owners = {name: r.id for r in (*before.records, *before.tombstones) for name in (r.id, *r.aliases)}
        for record in (*after.records, *after.tombstones):
            known = {owners[name] for name in (record.id, *record.aliases) if name in owners}
            assert len(known) <= 1


@settings(deadline=None, max_examples=40)
@given(chains)
def test_a_chain_again_or_resumed_gives_the_same(program: list[dict[str, list[tuple[str, str]]]]) -> None:
    sources = list(map(source_of, program))
    done = [lineage for lineage, _ in chain(sources)]
    assert [lineage for lineage, _ in chain(sources)] == done
    before, last = done[-2:]
    stored = Lineage(
        records=tuple(read_record(r.model_dump_json()) for r in reversed(before.records)),
        tombstones=tuple(read_record(r.model_dump_json()) for r in before.tombstones),
    )
    fresh, _ = revision(f"1.{len(sources) - 1}", sources[-1])
    assert trace(fresh, [as_past(When.EARLIER, stored)]) == last
    assert trace(fresh, [as_past(When.SAME, last), as_past(When.EARLIER, stored)]) == last
    turned = trace(fresh[::-1], [as_past(When.EARLIER, stored)])
    assert (turned.records[::-1], turned.tombstones) == (last.records, last.tombstones)

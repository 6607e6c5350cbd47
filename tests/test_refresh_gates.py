"""Every gate: passed by what is good, and by nothing else."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import make_record, make_run, three_records

from pipeline import dataset
from pipeline.dataset.samples import Sample, draw
from pipeline.dataset.validation import Problem
from pipeline.errors import ErrcatError
from pipeline.manifest import Counts, Coverage, Exclusion, PathReason, count
from pipeline.match import index
from pipeline.record import Check, ExplainedBy, Record
from pipeline.refresh.descent import Descent
from pipeline.refresh.gates import level, whole
from pipeline.refresh.gates.descent import history
from pipeline.refresh.gates.ids import ids
from pipeline.refresh.gates.names import GATES, read_overrides
from pipeline.refresh.gates.samples import samples
from pipeline.refresh.gates.verdict import Verdict, overridden
from pipeline.refresh.gates.whole import foreign

OLD, NEW = "0" * 40, "1" * 40


@pytest.mark.parametrize(
    ("found", "passed", "figure"),
    [
        (Descent.FIRST, True, "nothing is published yet"),
        (Descent.SAME, True, "111111111111 is the published revision"),
        (Descent.LATER, True, "111111111111 comes after 000000000000"),
        (
            Descent.EARLIER,
            False,
            "111111111111 comes before 000000000000: the branch was forced back, or a release was",
        ),
        (Descent.UNRELATED, False, "000000000000 did not lead to 111111111111: history was rewritten"),
        (Descent.OTHER_KIND, False, "one of 000000000000 and 111111111111 is a release, the other a commit"),
    ],
)
def test_history(found: Descent, passed: bool, figure: str) -> None:
    verdict = history(found, published=OLD, revision=NEW)
    assert verdict.passed is passed
    assert verdict.figure.startswith(figure)


def coverage(**changes: Any) -> Coverage:
    fields = {
        "files": 200,
        "raiseStatements": 300,
        "bareRaises": 10,
        "assertsWithMessage": 20,
        "recordedRaises": 280,
        "recordedAsserts": 20,
        "reRaises": 20,
    }
    return Coverage(**{**fields, **changes})


def excluded(number: int) -> tuple[Exclusion, ...]:
    return tuple(Exclusion(statement="raise", path="a.py", line=n + 1, reason="why") for n in range(number))


def unread(number: int) -> tuple[PathReason, ...]:
    return tuple(PathReason(path=f"f{n}.py", reason="syntax") for n in range(number))


@pytest.mark.parametrize(
    ("ledger", "passed", "detail"),
    [
        (coverage(), True, ()),
        (coverage(damagedFiles=unread(2)), True, ()),
        (coverage(damagedFiles=unread(2), skippedFiles=unread(1)), False, ("f0.py: syntax",)),
        (coverage(excluded=excluded(3), recordedRaises=277), True, ()),
        (coverage(excluded=excluded(4), recordedRaises=276), False, ("a.py:1: why",)),
        (coverage(recordedRaises=279), False, ("coverage ledger: 300 raise statements found, 299 accounted for",)),
        (coverage(recordedAsserts=21), False, ("coverage ledger: 20 asserts with a message found, 21 accounted for",)),
    ],
)
def test_ledger(ledger: Coverage, passed: bool, detail: tuple[str, ...]) -> None:
    verdict = whole.ledger(ledger)
    assert verdict.passed is passed
    assert verdict.detail[:1] == detail


PATTERN_PROBLEM = Problem(file="records.jsonl", line=1, field="messageVariants[0].messagePattern", what="is no pattern")


def test_schema_and_patterns_share_the_problems_of_a_dataset() -> None:
    other = Problem(file="manifest.json", field="recordsSha256", what="is another")
    for problems, schema_passed, patterns_passed in (
        ([], True, True),
        ([other], False, True),
        ([PATTERN_PROBLEM], True, False),
        ([other, PATTERN_PROBLEM], False, False),
    ):
        assert whole.schema(problems).passed is schema_passed
        assert whole.patterns(problems, three_records()).passed is patterns_passed
    assert whole.schema([other]).detail == ("manifest.json: recordsSha256: is another",)


@pytest.mark.parametrize(
    "pattern", ["", "plain", r"a\.b", r"(.+?) and (.*?)", r"(?:a|b(?:c)?)(?:, (?:.+?))*", "a-b/c", r"\\"]
)
def test_patterns_of_the_dialect(pattern: str) -> None:
    assert foreign(pattern) is None
    assert compiles_in_javascript(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"a\-b",  # Python and RE2 take it, JavaScript with the flag u does not
        r"\d+",
        r"(?P<name>.+?)",
        r"(?=a)b",
        r"(a)",
        r"a{2}",
        r"[ab]",
        r"(?i:a)",
        r"\Z",
        "a{",
        "a}",
        r"(.+)",
        "a\\",
        "(?:" * 99 + ")" * 99,
    ],
)
def test_patterns_outside_of_the_dialect(pattern: str) -> None:
    assert foreign(pattern)
    verdict = whole.patterns([], [make_record("bad", pattern)])
    assert not verdict.passed
    assert pattern[:20] in verdict.detail[0]


def compiles_in_javascript(pattern: str) -> bool:
    """With and without the flag u, in an engine that follows the ECMAScript standard."""
    import regress

    for flags in ("", "u"):
        regress.Regex(pattern, flags)
    return True


def counts(records: int, unknown: int = 0) -> Counts:
    return count([]).model_copy(update={"records": records, "unknownTexts": unknown})


@pytest.mark.parametrize(
    ("now", "before", "passed"),
    [
        (0, None, False),
        (1, None, True),
        (5000, 5000, True),
        (4750, 5000, True),
        (4749, 5000, False),
        (9000, 5000, True),
        (8, 10, True),
        (7, 10, False),
        (0, 2, False),
    ],
)
def test_records(now: int, before: int | None, passed: bool) -> None:
    verdict = level.records(counts(now), counts(before) if before else None)
    assert verdict.passed is passed


@pytest.mark.parametrize(
    ("now", "before", "passed"),
    [
        ((5000, 500), None, True),
        ((5000, 551), None, False),
        ((5000, 50), (5000, 50), True),
        ((5000, 100), (5000, 50), True),
        ((5000, 101), (5000, 50), False),
        ((10, 3), (10, 1), True),
        ((10, 4), (10, 1), False),
        ((10, 3), (0, 0), False),
    ],
)
def test_unknown(now: tuple[int, int], before: tuple[int, int] | None, passed: bool) -> None:
    verdict = level.unknown(counts(*now), counts(*before) if before else None)
    assert verdict.passed is passed


def explained(number: int, **changes: Any) -> Record:
    by = changes.pop("by", ExplainedBy(writer="derived"))
    return make_record(f"bad {number}", f"bad {number}", documentation="It is.", explainedBy=by, **changes)


def test_explained() -> None:
    good = [explained(n) for n in range(98)]
    bare = [make_record(f"bare {n}", f"bare {n}") for n in range(3)]
    assert level.explained(good, 0).passed
    assert level.explained([*good, *bare[:2]], 0).passed
    assert not level.explained([*good, *bare], 0).passed
    assert level.explained([*good, *bare[:1]], 0).detail == (bare[0].id,)
    assert level.explained(good, 1).passed
    verdict = level.explained(good, 2)
    assert not verdict.passed
    assert verdict.detail == ("2 records have no answer of the model yet",)


def test_checks() -> None:
    failing = ExplainedBy(
        writer="openai",
        checks=(Check(name="names", verdict="failed", detail="no jax.no"), Check(name="x", verdict="failed")),
    )
    warned = ExplainedBy(writer="openai", checks=(Check(name="names", verdict="warning"),))
    good = [explained(n, by=warned) for n in range(95)]
    bad = [explained(n, by=failing, filePath="other.py") for n in range(6)]
    assert level.checks([*good, *bad[:5]]).passed
    verdict = level.checks([*good, *bad])
    assert not verdict.passed
    assert verdict.figure == "6 of 101 records failed a check (5.9 %)"
    assert verdict.detail[0].endswith(": names: no jax.no")


MOVED = {"filePath": "pkg/moved.py"}
FAR: dict[str, Any] = {"filePath": "pkg/far.py", "qualname": "g", "sourceCode": "def g():\n  raise TypeError('rather')"}
GONE = make_record("gone for good", "gone for good", filePath="pkg/old.py")


@pytest.mark.parametrize(
    ("before", "before_gone", "now", "now_gone", "wrong"),
    [
        ([], [], three_records(), [], None),
        (three_records(), [], three_records(), [], None),
        (three_records(), [], three_records()[:2], three_records()[2:], None),
        (three_records(), [], three_records()[:2], [], "is lost: KeyError"),
        ([], [GONE], [], [GONE], None),
        ([], [GONE], [], [], "is lost: ValueError 'gone for good'"),
        ([], [GONE], [GONE], [], None),
        ([GONE.model_copy(update={"aliases": ("f" * 16,)})], [], [GONE], [], "f" * 16 + " is lost: an alias"),
        ([GONE], [], [make_record("new", "new", aliases=(GONE.id,), filePath="pkg/old.py")], [], None),
        (
            [GONE],
            [],
            [make_record("rather: new, and far away {x}", "rather: new", id=GONE.id, **FAR)],
            [],
            "was ValueError 'gone for good' in pkg/old.py and is ValueError 'rather: new",
        ),
        (  # the function went to another file, and what it raises was reworded
            [GONE],
            [],
            [make_record("rather: new", "rather: new", id=GONE.id, **(FAR | {"sourceCode": GONE.sourceCode}))],
            [],
            None,
        ),
        ([GONE], [], [GONE.model_copy(update=MOVED)], [], None),
        ([GONE], [], [make_record("gone for bad", "gone for bad", id=GONE.id, qualname="other")], [], None),
        ([GONE], [], [GONE], [GONE], "is the id of two errors"),
        ([], [], [GONE, make_record("else", "else", aliases=(GONE.id,))], [], "is the id of two errors"),
    ],
)
def test_ids(
    before: list[Record], before_gone: list[Record], now: list[Record], now_gone: list[Record], wrong: str | None
) -> None:
    verdict = ids(before, before_gone, now, now_gone)
    assert verdict.passed is (wrong is None)
    if wrong:
        assert wrong in verdict.detail[0]


@pytest.fixture
def indexed(tmp_path: Path) -> Callable[[list[Record]], index.Index]:
    """The index of a dataset of some records."""

    def load(records: list[Record]) -> index.Index:
        folder = dataset.write(tmp_path / str(len(list(tmp_path.iterdir()))), records, make_run(len(records)))
        return index.load(folder)

    return load


def said(number: int, what: str = "expected a shape of rank {x}, got another") -> Record:
    message = f"operand {chr(97 + number)}{number}: {what}"
    return make_record(message, re.sub(r"\{x\}", "(.+?)", message), qualname=f"f{number}")


def test_samples(indexed: Callable[[list[Record]], index.Index]) -> None:
    old = [said(n) for n in range(20)]
    drawn, before = draw(old), indexed(old)
    assert len(drawn) == 20

    def verdict(now: list[Record], gone: tuple[str, ...] = ()) -> Verdict:
        names = {name: record.id for record in now for name in (record.id, *record.aliases)}
        return samples(drawn, before, indexed(now), names=names, gone=gone)

    def reworded(number: int) -> list[Record]:
        """So many of them say something that shares no word with what they said."""
        new = [said(n, "quite unlike before, it rains").model_copy(update={"id": old[n].id}) for n in range(number)]
        return [*new, *old[number:]]

    assert verdict(old).figure == "20 of 20 messages find their record (100.0 %)"
    assert verdict(reworded(2)).passed
    refused = verdict(reworded(5))
    assert not refused.passed
    assert refused.figure == "15 of 20 messages find their record (75.0 %)"
    assert old[0].id in {line.partition(":")[0] for line in refused.detail} | {r.id for r in old[5:]}
    gone = tuple(record.id for record in old[:5])
    assert verdict(old[5:], gone).figure == "15 of 15 messages find their record (100.0 %)"
    renamed = [old[0].model_copy(update={"id": "a" * 16, "aliases": (old[0].id,)}), *old[1:]]
    assert verdict(renamed).figure == "20 of 20 messages find their record (100.0 %)"


def test_samples_that_did_not_find_their_record_before_do_not_count(indexed: Callable[..., index.Index]) -> None:
    old = [said(n) for n in range(3)]
    foreign_sample = Sample(id="b" * 16, errorClass="ValueError", message="nothing that any of these says")
    verdict = samples(
        (*draw(old), foreign_sample), indexed(old), indexed(old), names={r.id: r.id for r in old}, gone=()
    )
    assert verdict.figure == "3 of 3 messages find their record (100.0 %)"


def test_overrides() -> None:
    assert read_overrides(("ids=they  were\nwrong", "records = half of it moved away = fine")) == {
        "ids": "they were wrong",
        "records": "half of it moved away = fine",
    }
    for given, said_so in (
        ("none=x", f"--override none=x: there is no gate 'none'. Gates: {', '.join(GATES)}"),
        ("ids", "--override ids gives no reason. Say why: --override 'ids=REASON'"),
        ("ids= ", "--override ids=  gives no reason. Say why: --override 'ids=REASON'"),
    ):
        with pytest.raises(ErrcatError) as raised:
            read_overrides((given,))
        assert str(raised.value) == said_so
    failed = Verdict(gate="ids", passed=False, figure="1", bound="none")
    assert overridden(failed, {"ids": "so"}).lets_through
    assert not overridden(failed, {"records": "so"}).lets_through
    assert overridden(failed.model_copy(update={"passed": True}), {"ids": "so"}).override is None


def test_a_verdict_is_json() -> None:
    verdict = Verdict(gate="ids", passed=False, figure="1", bound="none", detail=("a",), override="so")
    assert json.loads(verdict.model_dump_json()) == {
        "gate": "ids",
        "passed": False,
        "figure": "1",
        "bound": "none",
        "detail": ["a"],
        "override": "so",
    }

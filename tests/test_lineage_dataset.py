"""Datasets that follow each other: which one came before, what is written of it, what a user is shown."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import EPOCH, make_record, make_run, three_records

from pipeline import dataset
from pipeline.dataset.lookup import is_gone, look_up
from pipeline.dataset.validation import validate
from pipeline.manifest import History, Previous, Revision, Selection

ERRCAT = str(Path(sys.executable).parent / "errcat")
SHA = {n: f"{n}" * 40 for n in "abc"}
TIME = "2026-0{}-01T00:00:00.000Z"


def put(out: Path, revision: str, *, month: int | None = None, published: int = 1, **changes: Any) -> Path:
    """A dataset of a revision of a certain time."""
    fields = {"revision": revision, "revisionTime": TIME.format(month) if month else None, "repo": "o/r"}
    return dataset.write(out, [], make_run(0, **fields, datasetVersion=TIME.format(published), **changes))


PUBLISHED: dict[str, dict[str, Any]] = {
    "1.9": {"month": 3},
    "1.10rc1": {"month": 4},
    "1.10": {"month": 5},
    "1.9.1": {"month": 6},
    SHA["a"]: {"month": 4},
    SHA["b"]: {"month": 7},
    "tree-0123456789ab": {"published": 8},
    "tree-cccccccccccc": {"published": 9, "selection": Selection(limit=1)},
    "0.1": {"month": 1, "selection": Selection(only="x")},
}


@pytest.mark.parametrize(
    ("revision", "month", "expected"),
    [
        ("1.9", 3, ("1.9", None, SHA["a"])),
        ("1.9.0.1", None, (None, "1.9", "1.9.1")),  # versions, not times, order releases
        ("1.9.0.1", 9, (None, SHA["b"], "1.9.1")),
        ("1.10", 5, ("1.10", "1.10rc1", SHA["b"])),
        ("1.11", 6, (None, "1.10", SHA["b"])),
        ("2", 8, (None, SHA["b"], None)),
        ("2", None, (None, "1.10", None)),
        ("0.9", 1, (None, None, "1.9")),
        ("0.1", 1, ("0.1-partial", None, "1.9")),
        (SHA["a"], 4, (SHA["a"], "1.10rc1", "1.10")),
        (SHA["c"], 4, (None, SHA["a"], "1.10")),
        (SHA["c"], 2, (None, None, "1.9")),
        (SHA["c"], None, (None, None, None)),
        ("tree-ffffffffffff", None, (None, "tree-0123456789ab", None)),
        ("tree-cccccccccccc", None, ("tree-cccccccccccc-partial", "tree-0123456789ab", None)),
        ("nightly", 5, (None, None, None)),
    ],
)
def test_neighbours(tmp_path: Path, revision: str, month: int | None, expected: tuple[str | None, ...]) -> None:
    for name, how in PUBLISHED.items():
        put(tmp_path, name, **how)
    newest = Revision(
        name="9", revision="9", revisionTime=None, analyzedSha=None, records=0, added=0, removed=0, reworded=0
    )
    put(tmp_path, "history", history=History(revisions=(newest,)))
    found = dataset.neighbours(tmp_path, "o/r", revision, TIME.format(month) if month else None)
    names = tuple(one and one.path.name for one in (found.same, found.earlier, found.later))
    assert names == expected
    before = dataset.previous(tmp_path, "o/r", revision, TIME.format(month) if month else None)
    assert (before and before.path.name) == (expected[1] or expected[0])
    assert dataset.neighbours(tmp_path, "o/other", revision, None) == dataset.Neighbours()


def named(folder: Path) -> Previous:
    manifest = dataset.read(folder).manifest
    return Previous(
        revision=manifest.revision, datasetVersion=manifest.datasetVersion, recordsSha256=manifest.recordsSha256
    )


def test_a_chain_is_what_the_manifests_say(tmp_path: Path) -> None:
    first = put(tmp_path, "1")
    second = put(tmp_path, "2", previous=named(first))
    third = put(tmp_path, "3", previous=named(second))
    alone = put(tmp_path, "4")
    again = put(tmp_path, "5", previous=Previous(revision="5", datasetVersion=TIME.format(1), recordsSha256="0" * 64))
    one, two, three, four, five = map(dataset.read, (first, second, third, alone, again))
    assert dataset.chained(one, three)
    assert dataset.chained(three, one)
    assert not dataset.chained(three, three)
    assert not any(dataset.chained(other, four) for other in (one, two, three, five))
    (second / "manifest.json").unlink()
    assert not dataset.chained(one, three)


# Tombstones in a dataset


@pytest.fixture
def buried(tmp_path: Path) -> Path:
    """A dataset of three records, and two that are gone."""
    gone = [
        make_record("gone {x}", "gone (.+?)", revision="0.1", lastSeenIn="0.1", aliases=["a" * 16]),
        make_record("lost {x}", "lost (.+?)", revision="0.2", lastSeenIn="0.2"),
    ]
    return dataset.write(tmp_path / "out", three_records(), make_run(3), gone)


def test_tombstones_are_read_as_written(buried: Path) -> None:
    stones = list(dataset.read(buried).tombstones())
    assert [stone.id for stone in stones] == sorted(stone.id for stone in stones)
    assert {stone.errorMessage: stone.lastSeenIn for stone in stones} == {"gone {x}": "0.1", "lost {x}": "0.2"}
    assert validate(buried) == []
    (buried / "tombstones.jsonl").unlink()  # as an older errcat left it
    assert list(dataset.read(buried).tombstones()) == []
    assert list(map(str, validate(buried))) == ["tombstones.jsonl: is not there"]


def stones(change: Callable[[list[dict[str, Any]]], object]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        rows = [json.loads(line) for line in (folder / "tombstones.jsonl").read_bytes().splitlines()]
        change(rows)
        (folder / "tombstones.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    return damage


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (
            stones(lambda rows: rows[0].update(lastSeenIn=None)),
            "tombstones.jsonl:1: lastSeenIn: is null, but the record is gone",
        ),
        (
            stones(lambda rows: rows[0].update(id=three_records()[0].id)),
            "tombstones.jsonl:1: id: {} is another record's",
        ),
        (
            stones(lambda rows: rows[1].update(aliases=[three_records()[0].id])),
            "tombstones.jsonl:2: aliases: {} is another record's",
        ),
        (stones(lambda rows: rows.reverse()), "tombstones.jsonl:2: is out of order: id"),
        (
            stones(lambda rows: rows[0].update(repo="a/b")),
            "tombstones.jsonl:1: repo: a/b here, local/pkg in manifest.json",
        ),
        (
            stones(lambda rows: rows[1].update(messagePattern="(")),
            "tombstones.jsonl:2: fingerprint: is not that of errorClass and messagePattern",
        ),
        (stones(lambda rows: rows[0].pop("id")), "tombstones.jsonl:1: $: 'id' is a required property"),
    ],
)
def test_validate_finds_what_is_wrong_with_tombstones(
    buried: Path, damage: Callable[[Path], None], expected: str
) -> None:
    damage(buried)
    problems = list(map(str, validate(buried)))
    assert expected.format(three_records()[0].id) in problems


def test_look_up_finds_what_is_gone_after_what_is_there(buried: Path) -> None:
    found = dataset.read(buried)
    for name in ("a" * 16, "aaaa", "gone-x"):
        there, record = look_up([found], name)
        assert (record.errorMessage, is_gone(there, record)) == ("gone {x}", True)
    _, record = look_up([found], "bad-x")
    assert not is_gone(found, record)


# The command

FIRST = """\
def check(x):
    if x is None:
        raise ValueError(f"x must be given, not {x!r}")
    if x < 0:
        raise ValueError("x must not be negative")
    return x
"""
SECOND = """\
def check(x):
    return x


def check_given(x):
    if x is None:
        raise ValueError(f"x must be given, but is {x!r}")
    if x > 9:
        raise KeyError("x is too large")
    return x
"""

Errcat = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def errcat(tmp_path: Path) -> Errcat:
    """Runs errcat in a folder of its own; `repo` in it is a repository of one module."""
    (tmp_path / "repo").mkdir()

    def run(*arguments: object, source: str | None = None) -> subprocess.CompletedProcess[str]:
        if source is not None:
            (tmp_path / "repo" / "core.py").write_text(source)
        command = [ERRCAT, *map(str, arguments)]
        env = os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    return run


def made(shown: subprocess.CompletedProcess[str], where: Path) -> dataset.Dataset:
    assert shown.returncode == 0, shown.stderr
    return dataset.read(where / shown.stdout.splitlines()[0])


def test_errcat_dataset_carries_ids_on(errcat: Errcat, tmp_path: Path) -> None:
    one = made(errcat("dataset", "--tree", "repo", source=FIRST), tmp_path)
    two = made(errcat("dataset", "--tree", "repo", source=SECOND), tmp_path)
    assert (one.manifest.previous, two.manifest.previous) == (None, named(one.path))
    given, negative = one.records()
    reworded, large = two.records()
    assert reworded.id == given.id
    assert [stone.id for stone in two.tombstones()] == [negative.id]
    assert large.introducedIn == two.manifest.revision
    assert validate(two.path) == []
    [alias] = reworded.aliases
    shown = errcat("show", alias).stdout
    assert shown.startswith(f"{given.id} · local/repo {two.manifest.revision}")
    assert f"\nEarlier ids\n{alias}\n" in shown
    assert f"\nGone\nlast seen in {one.manifest.revision}\n" in errcat("show", negative.id).stdout
    assert "\nKnown since\n" + two.manifest.revision in errcat("show", large.id).stdout
    back = made(
        errcat("dataset", "--tree", "repo", source=FIRST + SECOND.replace("def check(x):\n    return x\n", "")),
        tmp_path,
    )
    assert negative.id in {record.id for record in back.records()}
    assert negative.id not in {stone.id for stone in back.tombstones()}


def test_the_same_revision_again_is_the_same(errcat: Errcat, tmp_path: Path) -> None:
    errcat("dataset", "--tree", "repo", source=FIRST)
    two = made(errcat("dataset", "--tree", "repo", source=SECOND), tmp_path)
    files = ("records.jsonl", "tombstones.jsonl")
    before = [(two.path / name).read_bytes() for name in files]
    again = made(errcat("dataset", "--tree", "repo"), tmp_path)
    assert [(again.path / name).read_bytes() for name in files] == before
    assert again.manifest.previous == two.manifest.previous


@pytest.mark.parametrize("selection", [("--only", "other.py"), ("--limit", "1")])
def test_a_partial_dataset_buries_only_what_is_gone(errcat: Errcat, tmp_path: Path, selection: tuple[str, str]) -> None:
    (tmp_path / "repo" / "other.py").write_text("def g():\n    raise OSError('no such thing')\n")
    one = made(errcat("dataset", "--tree", "repo", source=FIRST), tmp_path)
    two = made(errcat("dataset", "--tree", "repo", *selection, source=SECOND), tmp_path)
    assert len(list(two.records())) == 1
    gone = next(record for record in one.records() if "negative" in record.errorMessage)
    assert [stone.id for stone in two.tombstones()] == [gone.id]


def test_previous_is_what_is_named(errcat: Errcat, tmp_path: Path) -> None:
    one = made(errcat("dataset", "--tree", "repo", "--out", "there", source=FIRST), tmp_path)
    two = made(errcat("dataset", "--tree", "repo", "--previous", one.path, source=SECOND), tmp_path)
    assert two.manifest.previous == named(one.path)
    assert next(one.records()).id in {record.id for record in two.records()}


def test_a_damaged_dataset_before_is_not_passed_over(errcat: Errcat, tmp_path: Path) -> None:
    one = made(errcat("dataset", "--tree", "repo", source=FIRST), tmp_path)
    (one.path / "records.jsonl").write_text("{}\n")
    shown = errcat("dataset", "--tree", "repo", source=SECOND)
    assert shown.returncode == 2
    assert shown.stderr.startswith("errcat: error: output/local__repo/")
    assert shown.stderr.endswith(". Repair or remove it, or name another dataset with --previous\n")
    assert shown.stderr.count("\n") == 1

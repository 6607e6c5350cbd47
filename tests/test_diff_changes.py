"""What changed between two sources: a table, and the laws that every row keeps."""

import random
from collections import Counter
from functools import cache

import pytest
from diff_rows import ROWS, Row, Source
from laws import mined

from pipeline.diff.changes import Change, Diff, Kind, compare
from pipeline.record import Record

NAMES = [row.name for row in ROWS]
INDEX = {row.name: row for row in ROWS}
EITHER_WAY = {Kind.ADDED: Kind.REMOVED, Kind.REMOVED: Kind.ADDED}


def records(source: Source) -> tuple[Record, ...]:
    return mined.mine({"pkg/m.py": source} if isinstance(source, str) else source).records


@cache
def sides(name: str) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
    row = INDEX[name]
    return records(row.old), records(row.new)


def shown(change: Change, olds: dict[str, Record], news: dict[str, Record]) -> str:
    """A change as the table writes it."""
    old, new = change.old, change.new
    texts = list(dict.fromkeys(side.errorMessage for side in (old, new) if side))
    if Kind.REWORDED in change.kinds and old and new:
        texts = [old.errorMessage, new.errorMessage]
    parts = [
        "!" * change.breaking + "+".join(change.kinds),
        " -> ".join(texts[-1:] if Kind.REWORDED not in change.kinds else texts),
    ]
    if old and new and old.errorClass != new.errorClass and Kind.RECLASSED in change.kinds:
        parts.append(f"{old.errorClass} -> {new.errorClass}")
    if change.split_of:
        parts.append(f"< {olds[change.split_of].errorMessage}")
    if change.merged_into:
        parts.append(f"> {news[change.merged_into].errorMessage}")
    return " ".join(parts)


def told(diff: Diff, old: tuple[Record, ...], new: tuple[Record, ...]) -> list[str]:
    olds, news = ({record.id: record for record in side} for side in (old, new))
    return sorted(shown(change, olds, news) for change in diff.changes)


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_table(row: Row) -> None:
    old, new = sides(row.name)
    diff = compare(old, new)
    assert told(diff, old, new) == sorted(row.changes)
    assert diff.unchanged == row.unchanged


def test_the_table_is_long_enough_and_names_its_rows() -> None:
    assert len(ROWS) >= 60
    assert len(INDEX) == len(ROWS)
    kinds = {change.lstrip("!").split(" ")[0] for row in ROWS for change in row.changes}
    assert {*Kind} <= kinds


@pytest.mark.parametrize("name", NAMES)
def test_every_record_is_in_exactly_one_change_or_unchanged(name: str) -> None:
    old, new = sides(name)
    diff = compare(old, new)
    for side, count in (
        (old, Counter(c.old.id for c in diff.changes if c.old)),
        (new, Counter(c.new.id for c in diff.changes if c.new)),
    ):
        assert set(count.values()) <= {1}
        assert set(count) <= {record.id for record in side}
        assert len(count) + diff.unchanged == len(side)


@pytest.mark.parametrize("name", NAMES)
def test_a_catalogue_does_not_differ_from_itself(name: str) -> None:
    for side in sides(name):
        assert compare(side, side) == Diff(changes=(), unchanged=len(side))


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_records_does_not_matter(name: str) -> None:
    old, new = sides(name)
    expected = compare(old, new)
    chance = random.Random(name)
    for _ in range(3):
        assert compare(chance.sample(old, len(old)), chance.sample(new, len(new))) == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_other_way_round_added_is_removed(name: str) -> None:
    old, new = sides(name)
    there, back = compare(old, new), compare(new, old)
    assert there.unchanged == back.unchanged
    expected = Counter(
        (tuple(EITHER_WAY.get(kind, kind) for kind in c.kinds), c.new, c.old, c.merged_into, c.split_of)
        for c in there.changes
    )
    assert Counter((c.kinds, c.old, c.new, c.split_of, c.merged_into) for c in back.changes) == expected

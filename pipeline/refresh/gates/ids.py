"""The gate `ids`: an id once published means one error for ever."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from pipeline.diff.pair import pair
from pipeline.record import Record
from pipeline.refresh.gates.verdict import SHOWN, Verdict

ALIKE: Final = 0.5
"""Likeness of two texts, from which they can be one error whose place and class changed."""


def ids(
    before: Sequence[Record], before_gone: Sequence[Record], now: Sequence[Record], now_gone: Sequence[Record]
) -> Verdict:
    """None is lost without a tombstone, none is given to another error, and none has two.

    before_gone, now_gone: the tombstones of the published dataset and of the candidate.
    """
    meaning = {name: record for record in now for name in (record.id, *record.aliases)}
    buried = {name for record in now_gone for name in (record.id, *record.aliases)}
    earlier = {record.id: record for record in (*before_gone, *before)}
    lost = sorted(name for name in _names((*before, *before_gone)) if name not in meaning and name not in buried)
    reused = sorted(_unlike(tuple(earlier.values()), now, meaning))
    twice = sorted({*_repeated(now), *(record.id for record in now if record.id in buried)})
    wrong = [f"{name} is lost: {_told(earlier, name)}" for name in lost]
    wrong += [f"{name} was {_place(earlier[name])} and is {_place(meaning[name])}" for name in reused]
    wrong += [f"{name} is the id of two errors, or of one that is gone" for name in twice]
    return Verdict(
        gate="ids",
        passed=not wrong,
        figure=f"{len(earlier):,} ids published: {len(lost):,} lost, {len(reused):,} reused, {len(twice):,} doubled",
        bound="none",
        detail=tuple(wrong[:SHOWN]),
    )


def _names(records: Iterable[Record]) -> set[str]:
    return {name for record in records for name in (record.id, *record.aliases)}


def _repeated(records: Sequence[Record]) -> set[str]:
    seen: set[str] = set()
    repeated: set[str] = set()
    for record in records:
        for name in (record.id, *record.aliases):
            (repeated if name in seen else seen).add(name)
    return repeated


def _can_be(old: Record, new: Record) -> bool:
    """Whether these can be one error at two times: something of place, class or text is still the same.

    Where it is not, one whose function was renamed and whose text was reworded at once still can be.
    """
    if old.fingerprint == new.fingerprint or (old.filePath, old.qualname) == (new.filePath, new.qualname):
        return True
    alike = SequenceMatcher(None, old.errorMessage, new.errorMessage, autojunk=False).ratio() >= ALIKE
    return alike and (old.errorClass == new.errorClass or old.filePath == new.filePath or old.qualname == new.qualname)


def _unlike(old: Sequence[Record], now: Sequence[Record], meaning: Mapping[str, Record]) -> list[str]:
    """The ids whose records have nothing in common, and which a pairing that knows no ids would not give on either."""
    suspects = [record for record in old if record.id in meaning and not _can_be(record, meaning[record.id])]
    if not suspects:
        return []
    found = {(one.old.id, one.new.id) for one in pair(old, now, origins=False).pairs}
    return [record.id for record in suspects if (record.id, meaning[record.id].id) not in found]


def _told(earlier: Mapping[str, Record], name: str) -> str:
    return _place(earlier[name]) if name in earlier else "an alias"


def _place(record: Record) -> str:
    return f"{record.errorClass} {record.title or ''!r} in {record.filePath}"

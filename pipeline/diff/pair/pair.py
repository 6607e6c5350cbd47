"""Pairing two catalogues."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

from pipeline.diff.pair.pairing import Pair, Pairing, Why
from pipeline.record import Record

_KEYS: tuple[tuple[Why, Callable[[Record], Hashable]], ...] = (
    (Why.LINE, lambda r: (r.filePath, r.qualname, r.fingerprint, r.errorMessage, r.condition)),
    (Why.LINE, lambda r: (r.filePath, r.qualname, r.fingerprint)),
    (Why.TEXT, lambda r: (r.filePath, r.fingerprint)),
    (Why.TEXT, lambda r: (r.qualname, r.fingerprint)),
    (Why.PLACE, lambda r: (r.filePath, r.qualname, r.errorClass, r.condition)),
)


def pair(old: Sequence[Record], new: Sequence[Record], *, chained: bool = False) -> Pairing:
    """Who is who. chained: the ids of both come from one chain of datasets, so that equal ids are one error."""
    before, after = sorted(old, key=_order), sorted(new, key=_order)
    pairs: list[Pair] = []
    for why, key in (((Why.ID, lambda r: r.id),) if chained else ()) + _KEYS:
        groups: dict[Hashable, list[Record]] = defaultdict(list)
        for record in before:
            groups[key(record)].append(record)
        pairs += [Pair(old=groups[key(r)].pop(0), new=r, why=why) for r in after if groups[key(r)]]
        old_done, new_done = {p.old.id for p in pairs}, {p.new.id for p in pairs}
        before = [r for r in before if r.id not in old_done]
        after = [r for r in after if r.id not in new_done]
    pairs.sort(key=lambda p: _order(p.new))
    return Pairing(pairs=tuple(pairs), added=tuple(after), removed=tuple(before), split_from={}, merged_into={})


def _order(record: Record) -> tuple[str, int, str, str]:
    return record.filePath, record.lineNumber, record.errorClass or "", record.id

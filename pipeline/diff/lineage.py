"""Ids that last: each record takes the id of what it was before."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.diff.pair import pair
from pipeline.record import Record


@dataclass(frozen=True, kw_only=True, slots=True)
class Lineage:
    """The records, in their order, under ids that last; and what is gone, in its last form, sorted by id."""

    records: tuple[Record, ...]
    tombstones: tuple[Record, ...]


def carry(records: Sequence[Record], before: Sequence[Record], tombstones: Sequence[Record]) -> Lineage:
    """Carry ids forward from the dataset before, and from its tombstones."""
    pairing = pair(before, records)
    old = {p.new.id: p.old for p in pairing.pairs}
    carried = tuple(
        r.model_copy(update={"id": old[r.id].id, "introducedIn": old[r.id].introducedIn}) if r.id in old else r
        for r in records
    )
    present = {r.id for r in carried}
    gone = {t.id: t for t in tombstones if t.id not in present}
    for r in pairing.removed:
        gone[r.id] = r.model_copy(update={"lastSeenIn": r.revision})
    return Lineage(records=carried, tombstones=tuple(gone[i] for i in sorted(gone) if i not in present))

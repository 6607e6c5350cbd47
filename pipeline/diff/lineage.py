"""Ids that last: each record takes the id of what it was before, and no other one ever does."""

import enum
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, count

from pipeline.diff.pair import Pairing, Why, pair
from pipeline.diff.pair.table import order
from pipeline.diff.pair.traits import said, words
from pipeline.record import Record, first_id


@dataclass(frozen=True, kw_only=True, slots=True)
class Lineage:
    """The records, in their order, under ids that last; and what is gone, in its last form, sorted by id."""

    records: tuple[Record, ...]
    tombstones: tuple[Record, ...]


class When(enum.Enum):
    """Where a dataset stands to the revision that is mined."""

    SAME = "same"
    EARLIER = "earlier"
    LATER = "later"


@dataclass(frozen=True, kw_only=True, slots=True)
class Past:
    """A dataset of the repository: what it has published, of an earlier revision, of the same one or of a later one."""

    when: When
    records: Sequence[Record]
    tombstones: Sequence[Record] = ()


def carry(records: Sequence[Record], before: Sequence[Record], tombstones: Sequence[Record]) -> Lineage:
    """Carry ids forward from the dataset before and its tombstones.

    before: of an earlier revision, or of the same one.
    """
    if not (before or tombstones):
        return trace(records, ())
    same = bool(before) and bool(records) and before[0].revision == records[0].revision
    return trace(records, [Past(when=When.SAME if same else When.EARLIER, records=before, tombstones=tombstones)])


def trace(records: Sequence[Record], pasts: Sequence[Past]) -> Lineage:
    """Give each record the id under which the pasts know it, the first of them first; a new one gets a new id.

    records: all of a revision, under first ids. What an earlier dataset has and this revision has not becomes a
    tombstone; what is back takes the id of its tombstone. The id that a record would have had without a past becomes
    one of its aliases, unless it is another error's.
    """
    work = _Work(records=records, pasts=pasts)
    for past in pasts:
        work.take(past, pair(past.records, records, origins=False))
    work.revive()
    work.name_new()
    return work.finished()


@dataclass(kw_only=True)
class _Work:
    """Ids while they are given. A record is known by its first id.

    ids: first id -> id. forms: first id -> the old records that it was, the one that gave it the id first.
    since: first id -> introducedIn. used: every id and alias that any error has or had.
    """

    records: Sequence[Record]
    pasts: Sequence[Past]
    ids: dict[str, str] = field(default_factory=dict)
    forms: dict[str, list[Record]] = field(default_factory=dict)
    since: dict[str, str | None] = field(default_factory=dict)
    lost: dict[str, Record] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.used = {
            name for past in self.pasts for record in (*past.records, *past.tombstones) for name in _names(record)
        }

    def take(self, past: Past, pairing: Pairing) -> None:
        """Take the ids of a past, where none of a past before it is taken already."""
        taken = set(self.ids.values())
        removed = list(pairing.removed)
        for found in pairing.pairs:
            own = found.new.id
            if found.why is not Why.LINE and self._is_another(found.old, found.new):
                removed.append(found.old)
                continue
            if own not in self.ids and found.old.id not in taken:
                self.ids[own] = found.old.id
                self.forms[own] = [found.old]
            elif past.when is not When.LATER:
                self.forms.setdefault(own, []).append(found.old)
            if past.when is When.EARLIER or (past.when is When.SAME and own not in self.since):
                self.since[own] = found.old.introducedIn
        for record in removed if past.when is not When.LATER else ():
            if past.when is When.EARLIER or record.id not in self.lost:
                self.lost[record.id] = record.model_copy(update={"lastSeenIn": record.revision})

    def _is_another(self, old: Record, new: Record) -> bool:
        """Whether a record is not what it looks like, but exactly what a tombstone says, in the same place."""
        place = _place(new)
        return bool(words(new.messagePattern)) and place != _place(old) and place in self._buried

    @cached_property
    def _buried(self) -> set[Hashable]:
        return {_place(stone) for past in self.pasts for stone in past.tombstones}

    def revive(self) -> None:
        """What a tombstone says, in the place where it was said, is that error again."""
        taken = set(self.ids.values())
        stones = {
            stone.id: stone for past in reversed(self.pasts) for stone in past.tombstones if stone.id not in taken
        }
        open_ = [record for record in self.records if record.id not in self.ids]
        again = {said(record) for record in open_} & {said(stone) for stone in stones.values()}
        if not again:
            return
        buried = [stone for stone in stones.values() if said(stone) in again]
        for found in pair(buried, [record for record in open_ if said(record) in again], origins=False).pairs:
            if found.why in {Why.LINE, Why.TEXT} and _is_back(found.old, found.new):
                self.ids[found.new.id] = found.old.id
                self.forms[found.new.id] = [found.old]
                self.since[found.new.id] = found.old.introducedIn

    def name_new(self) -> None:
        """First ids for what has no past: of the first ordinal that no error has ever had."""
        new = [record for record in self.records if record.id not in self.ids]
        whens = {past.when for past in self.pasts}
        known_start = When.EARLIER in whens and When.SAME not in whens
        for record in sorted(new, key=lambda record: (record.id in self.used, order(record))):
            possible = chain((record.id,), _first_ids(record))
            self.ids[record.id] = next(name for name in possible if name not in self.used)
            self.used.add(self.ids[record.id])
        for record in self.records:
            self.since.setdefault(record.id, record.revision if known_start else None)

    def finished(self) -> Lineage:
        """The records and tombstones under their ids. No name means two of them."""
        gone = self._gone()
        named = [(record, self.ids[record.id], self._names_of(record)) for record in self.records]
        named += [(stone, stone.id, stone.aliases) for stone in gone]
        sinces = [{"introducedIn": self.since[record.id]} for record in self.records] + [{} for _ in gone]
        taken = {name for _, name, _ in named}
        aliases: list[list[str]] = [[] for _ in named]
        for place, (_, _, names) in enumerate(named):
            for name in names:
                if name not in taken:
                    aliases[place].append(name)
                    taken.add(name)
        for place, record in enumerate(self.records):
            if record.id not in taken and record.id not in self.used:
                aliases[place].append(record.id)
        done = tuple(
            record.model_copy(update={"id": name, "aliases": tuple(aliases[place])} | since)
            for place, ((record, name, _), since) in enumerate(zip(named, sinces, strict=True))
        )
        return Lineage(records=done[: len(self.records)], tombstones=done[len(self.records) :])

    def _names_of(self, record: Record) -> tuple[str, ...]:
        """What the records that it was have been published as, the oldest name first."""
        return tuple(name for form in self.forms.get(record.id, ()) for name in (*form.aliases, form.id))

    def _gone(self) -> list[Record]:
        """Tombstones: what an earlier dataset has lost now, or had lost before, in its last form."""
        forms = (form for own in self.ids for form in self.forms.get(own, ()))
        living = set(self.ids.values()) | {name for form in forms for name in _names(form)}
        pasts = [past for past in reversed(self.pasts) if past.when is not When.LATER]
        stones = {stone.id: stone for past in pasts for stone in past.tombstones} | self.lost
        return [stones[name] for name in sorted(stones) if name not in living]


def _names(record: Record) -> tuple[str, ...]:
    return (record.id, *record.aliases)


def _first_ids(record: Record) -> Iterator[str]:
    """Its first id for one ordinal after the other."""
    template = "\0".join(variant.errorMessage for variant in record.messageVariants)
    for ordinal in count():
        yield first_id(
            repo=record.repo,
            file_path=record.filePath,
            qualname=record.qualname,
            error_class=record.errorClass,
            template=template,
            ordinal=ordinal,
        )


def _is_back(stone: Record, record: Record) -> bool:
    """Whether a record that says the same is the one that was gone: what has no words must be in its old place."""
    if words(record.messagePattern):
        return True
    return _place(stone) == _place(record)


def _place(record: Record) -> Hashable:
    """What a record says, in which function, and below which line."""
    above = record.sourceCode.split("\n")[: record.lineNumber - record.sourceCodeStart]
    return (
        record.filePath,
        record.qualname,
        *said(record),
        next((line for line in reversed(above) if line.strip()), None),
    )

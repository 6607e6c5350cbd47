"""A chain of revisions, followed: each error under one id, from the first revision that has it to the last."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.diff.lineage import Past, When, trace
from pipeline.errors import SourceError
from pipeline.history import unit
from pipeline.history.ledger import together
from pipeline.history.published import Published
from pipeline.history.spread import Found, Gap
from pipeline.history.unit import Mined
from pipeline.manifest import Coverage
from pipeline.processes import no_collection
from pipeline.record import DatedText, Record


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """The errors of one class at one revision. added, removed, reworded: against the revision before, 0 without one."""

    error_class: str | None
    total: int = 0
    added: int = 0
    removed: int = 0
    reworded: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Revision:
    """A revision that was mined. tallies: one a class, sorted by its name. size: bytes of source."""

    name: str
    revision: str
    time: str | None
    sha: str | None
    size: int
    tallies: tuple[Tally, ...]

    def sum(self) -> Tally:
        """All classes together; error_class says nothing."""
        numbers = {n: sum(getattr(t, n) for t in self.tallies) for n in ("total", "added", "removed", "reworded")}
        return Tally(error_class=None, **numbers)


@dataclass(frozen=True, kw_only=True, slots=True)
class Chain:
    """What became of the errors. records: each in its newest form. seconds: of the stages of mining, and of ids."""

    records: tuple[Record, ...]
    revisions: tuple[Revision, ...]
    gaps: tuple[Gap, ...]
    coverage: Coverage
    seconds: dict[str, float]


@dataclass(kw_only=True, slots=True)
class _Span:
    """A text that an error had from one revision of the chain to another, by number."""

    text: tuple[str, str, tuple[str, ...]]
    first: int
    last: int


@dataclass(kw_only=True, slots=True)
class _Follower:
    """How far a chain has been followed."""

    now: Sequence[Record] = ()
    gone: Sequence[Record] = ()
    revisions: list[Revision] = field(default_factory=list)
    coverages: dict[str, Coverage] = field(default_factory=dict)
    spans: defaultdict[str, list[_Span]] = field(default_factory=lambda: defaultdict(list))
    seconds: Counter[str] = field(default_factory=Counter)

    def step(self, name: str, mined: Mined, published: Sequence[Record]) -> None:
        """Go on to the next revision. published: its records as they were published, under ids that are to stay."""
        started = time.perf_counter()
        pasts = [Past(when=When.SAME, records=published)] if published else []
        pasts += [Past(when=When.EARLIER, records=self.now, tombstones=self.gone)] if self.now or self.gone else []
        lineage = trace(mined.records, pasts)
        self.seconds.update({**mined.seconds, "ids": time.perf_counter() - started})
        number = len(self.revisions)
        after = {record.id: record for record in lineage.records}
        before = self._renamed({record.id: record for record in self.now}, after)
        reworded = {i for i in before.keys() & after.keys() if _text(before[i]) != _text(after[i])}
        assert len(after) == len(lineage.records), f"two errors under one id in {name}"
        self.revisions.append(
            Revision(
                name=name,
                revision=mined.revision,
                time=mined.revision_time,
                sha=mined.analyzed_sha,
                size=mined.size,
                tallies=tuple(_tallies(before if number else after, after, reworded)),
            )
        )
        for record in lineage.records:
            self._see(record, number)
        self.coverages[name] = mined.coverage
        self.now = lineage.records
        self.gone = [stone for stone in lineage.tombstones if stone.id in self.spans]  # not what was only published

    def _renamed(self, before: dict[str, Record], after: dict[str, Record]) -> dict[str, Record]:
        """The records of the revision before under the ids that they have from now on: some were published already."""
        ids = {
            name: new
            for new, record in after.items()
            if new not in before
            for name in record.aliases
            if name in before and name not in after
        }
        for old, new in ids.items():
            if old in self.spans:
                self.spans[new] = self.spans.pop(old)
        return {ids.get(name, name): record for name, record in before.items()}

    def _see(self, record: Record, number: int) -> None:
        spans, text = self.spans[record.id], _text(record)
        if spans and spans[-1].last == number - 1 and spans[-1].text == text:
            spans[-1].last = number
        else:
            spans.append(_Span(text=text, first=number, last=number))

    def records(self, moment: str) -> Iterator[Record]:
        """Every error that was met, with its life."""
        names = [revision.name for revision in self.revisions]
        for record in (*self.now, *self.gone):
            spans = self.spans[record.id]
            update = {
                "analyzedAt": moment,
                "introducedIn": names[spans[0].first] if spans[0].first else None,
                "lastSeenIn": names[spans[-1].last],
                "texts": tuple(_dated(span, names) for span in spans),
            }
            yield record.model_copy(update=update)


def follow(
    found: Iterable[Found | Gap], *, moment: str, published: Published = lambda _repo, _revision: iter(())
) -> Chain:
    """Follow a chain, revision by revision, as they come. moment: the time of analysis.

    An id that was published for an error stays: what it was before takes that too.
    SourceError: not one revision could be had.
    """
    follower = _Follower()
    gaps = []
    with no_collection():
        for one in found:
            if isinstance(one, Gap):
                gaps.append(one)
            else:
                mined = unit.unpack(one.result)
                follower.step(one.step.name, mined, tuple(published(mined.repo, mined.revision)))
    if not follower.revisions:
        reason = gaps[0].reason if gaps else "there is none"
        raise SourceError(f"no revision could be mined; the first: {reason}")
    return Chain(
        records=tuple(follower.records(moment)),
        revisions=tuple(follower.revisions),
        gaps=tuple(gaps),
        coverage=together(follower.coverages),
        seconds=dict(follower.seconds),
    )


def _text(record: Record) -> tuple[str, str, tuple[str, ...]]:
    return record.errorMessage, record.messagePattern, record.placeholders


def _dated(span: _Span, names: Sequence[str]) -> DatedText:
    message, pattern, placeholders = span.text
    return DatedText(
        errorMessage=message,
        messagePattern=pattern,
        placeholders=placeholders,
        from_=names[span.first],
        to=names[span.last],
    )


def _tallies(before: dict[str, Record], after: dict[str, Record], reworded: set[str]) -> Iterator[Tally]:
    counted = {
        "total": Counter(record.errorClass for record in after.values()),
        "added": Counter(after[i].errorClass for i in after.keys() - before.keys()),
        "removed": Counter(before[i].errorClass for i in before.keys() - after.keys()),
        "reworded": Counter(after[i].errorClass for i in reworded),
    }
    for name in sorted({name for one in counted.values() for name in one}, key=lambda name: name or ""):
        yield Tally(error_class=name, **{what: number[name] for what, number in counted.items()})

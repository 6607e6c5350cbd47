"""The steps of a candidate: its dataset, the verdicts on it, the changes, the pages. Each can be taken again."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pipeline import dataset
from pipeline.dataset import Dataset, staging
from pipeline.dataset.folder import SAMPLES
from pipeline.dataset.samples import Sample, draw, read_samples
from pipeline.errors import DatasetError
from pipeline.record import Record
from pipeline.refresh.candidate import Candidate
from pipeline.refresh.gates import ids, level, samples, whole
from pipeline.refresh.gates.names import GATES
from pipeline.refresh.gates.verdict import Verdict, unseen
from pipeline.refresh.log import Log
from pipeline.refresh.results import Compared, Made

if TYPE_CHECKING:
    from pipeline.explain.plan import Plan
    from pipeline.explain.store import Bought
    from pipeline.source.named import Named

MADE: Final = "made"
CHANGES: Final = "CHANGES.md"
CHANGES_JSON: Final = "changes.json"
PAGES: Final = "pages"

Progress = Callable[..., None]


@dataclass(frozen=True, kw_only=True)
class Sides:
    """The candidate's dataset, and the published one that it will follow. Records are read once, when asked for."""

    before: Dataset | None
    now: Dataset

    @cached_property
    def old(self) -> tuple[Record, ...]:
        return tuple(self.before.records()) if self.before else ()

    @cached_property
    def new(self) -> tuple[Record, ...]:
        return tuple(self.now.records())

    @cached_property
    def old_gone(self) -> tuple[Record, ...]:
        return tuple(self.before.tombstones()) if self.before else ()

    @cached_property
    def new_gone(self) -> tuple[Record, ...]:
        return tuple(self.now.tombstones())

    @cached_property
    def drawn(self) -> tuple[Sample, ...]:
        """The samples of the published dataset; drawn now where it was written by an errcat that drew none."""
        assert self.before is not None
        file = self.before.path / SAMPLES
        return read_samples(file.read_bytes(), str(file)) if file.is_file() else draw(self.old)


def make(
    candidate: Candidate,
    source: "Named",
    plan: "Plan",
    *,
    spending_since: str,
    home: Path,
    previous: Path | None,
    tool_version: str,
    log: Log,
    progress: Progress,
) -> Made:
    """Write the dataset. LedgerError where a statement is not accounted for; WriterError where no model can be asked.

    home: the folder of the repository; datasets that were made by hand there have their say while nothing is published.
    spending_since: what was paid since then, by a run that was interrupted, counts against the plan's limits.
    """
    from pipeline import build
    from pipeline.explain.budget import Cost
    from pipeline.mine.cache import shared_cache

    out = candidate.folder / MADE
    with log.step("source") as step:
        tree = source.read(progress)
        step.counts["files"] = len(tree.files)
    with log.step("mine") as step:
        prepared = build.prepare(
            tree,
            out=home.parent,
            now=candidate.begun.clock,
            tool_version=tool_version,
            previous=previous,
            follows=True,
            cache=shared_cache(),
            progress=progress,
        )
        step.counts["records"] = len(prepared.records)
    with log.step("explain") as step:
        earlier = _bought(plan, candidate.begun.since)
        built = build.complete(
            prepared,
            _within(plan, _bought(plan, spending_since)),
            out=out,
            source_seconds=log.seconds["source"],
            earlier=Cost(input=earlier.input, output=earlier.output, usd=earlier.usd),
            progress=progress,
        )
        written = built.written
        step.counts |= {**written.by, "carried": written.carried, "calls": written.calls, "usd": written.cost.usd}
    total = _bought(plan, candidate.begun.since)
    return Made(
        folder=str(built.folder.relative_to(candidate.folder)),
        records=len(written.records),
        explained=dict(written.by),
        carried=written.carried,
        left=dict(written.left),
        wanting=written.wanting,
        unmatched=written.unmatched,
        model=written.model,
        calls=total.answers,
        input=total.input,
        output=total.output,
        usd=total.usd,
        seconds=dict(dataset.read(built.folder).manifest.seconds),
    )


def _bought(plan: "Plan", since: str) -> "Bought":
    from pipeline.explain.store import Bought, Store, store_path

    if not plan.asks:
        return Bought()
    with closing(Store(store_path())) as store:
        return store.bought(since)


def _within(plan: "Plan", paid: "Bought") -> "Plan":
    """The plan with what is left of its limits."""
    usd, tokens = plan.max_usd, plan.max_tokens
    return replace(
        plan,
        max_usd=None if usd is None else max(0.0, usd - paid.usd),
        max_tokens=None if tokens is None else max(0, tokens - paid.input - paid.output),
    )


def judge(sides: Sides, history: Verdict, unanswered: int, progress: Progress) -> tuple[Verdict, ...]:
    """The verdicts of all gates."""
    from pipeline.dataset.validation import validate

    before = sides.before.manifest.counts if sides.before else None
    now = sides.now.manifest.counts
    problems = validate(sides.now.path, progress)
    first = (history, whole.ledger(sides.now.manifest.coverage), whole.schema(problems))
    try:
        _ = sides.new, sides.new_gone
    except DatasetError as error:
        return (*first, *(unseen(gate, error.what) for gate in GATES if gate not in {v.gate for v in first}))
    return (
        *first,
        whole.patterns(problems, sides.new),
        level.records(now, before),
        level.unknown(now, before),
        level.explained(sides.new, unanswered),
        level.checks(sides.new),
        ids.ids(sides.old, sides.old_gone, sides.new, sides.new_gone),
        _samples(sides),
    )


def _samples(sides: Sides) -> Verdict:
    from pipeline.match import index

    now = index.load(sides.now.path)
    before = index.load(sides.before.path) if sides.before else now
    drawn = sides.drawn if sides.before else draw(sides.new)
    names = {name: record.id for record in sides.new for name in (record.id, *record.aliases)}
    return samples.samples(drawn, before, now, names=names, gone=(record.id for record in sides.new_gone))


def compare(sides: Sides, *, seconds: Callable[[], float]) -> Compared:
    """Write what changed since the published dataset into the folder of the candidate's."""
    from pipeline import compare as comparing
    from pipeline.diff.accepted import Accepted
    from pipeline.diff.changes import compare as compare_records
    from pipeline.diff.comparison import summary
    from pipeline.diff.filter import Filter
    from pipeline.diff.form import Format
    from pipeline.diff.render import render
    from pipeline.refresh.newest import shown

    assert sides.before is not None
    old, new = (
        comparing.Side(
            repo=one.manifest.repo, revision=one.manifest.revision, name=shown(one.manifest.revision), records=records
        )
        for one, records in ((sides.before, sides.old), (sides.now, sides.new))
    )
    found = compare_records(old.records, new.records, chained=True)
    all_of_it = comparing.comparison(old, new, found, wanted=Filter(), accepted=Accepted(names={}))
    staging.write_bytes(sides.now.path / CHANGES, render(all_of_it, Format.MARKDOWN).encode())
    staging.write_bytes(sides.now.path / CHANGES_JSON, render(all_of_it, Format.JSON).encode())
    return Compared(
        before=old.name,
        counts={str(kind): number for kind, number in summary(all_of_it.changes).items()},
        breaking=sum(change.breaking for change in all_of_it.changes),
        unchanged=found.unchanged,
        seconds=round(seconds(), 3),
    )


def write_pages(now: Dataset, before: Dataset | None, base_url: str | None, progress: Progress) -> int:
    """Write the site into the folder of the dataset; how many files it has."""
    from pipeline.pages.build import build
    from pipeline.pages.site import load

    return build(load(now, previous=before, base_url=base_url), now.path / PAGES, progress=progress)

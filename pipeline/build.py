"""A dataset from a source tree: mined, with its evidence, explained, written."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline import catalogue, dataset
from pipeline.catalogue import Catalogue
from pipeline.diff.lineage import trace
from pipeline.evidence import pack
from pipeline.explain import command as explain
from pipeline.explain.budget import NOTHING, Cost
from pipeline.explain.plan import Plan
from pipeline.explain.write import Estimate, Written, estimate, write
from pipeline.manifest import Run, Selection
from pipeline.mine.cache import Cache
from pipeline.pages.related import relate
from pipeline.past import look_back
from pipeline.record import Record
from pipeline.source.tree import SourceTree

if TYPE_CHECKING:
    from pipeline.evidence.pack import Evidence

Progress = Callable[..., None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """Everything but the explanations: what a run would write, before anything is paid for.

    records: in the order of evidence, under ids that last. tombstones: what is gone. before: the records of what was
    published before, by id. seconds: wall time by stage.
    """

    tree: SourceTree
    mined: Catalogue
    records: tuple[Record, ...]
    tombstones: tuple[Record, ...]
    evidence: tuple["Evidence", ...]
    before: Mapping[str, Record]
    run: Run
    seconds: Mapping[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Built:
    """A dataset that was written, and who explained what in it."""

    folder: Path
    written: Written


def prepare(
    tree: SourceTree,
    *,
    out: Path,
    now: str,
    tool_version: str,
    only: str | None = None,
    limit: int | None = None,
    previous: Path | None = None,
    follows: bool = False,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Prepared:
    """Mine a tree, carry ids forward, and collect its evidence.

    previous: the dataset before; None: those nearest to the tree's revision under `out`. follows: what is made will be
    published after `previous`, be that of a later revision.
    """
    before = look_back(out, tree, previous, follows=follows)
    mined = catalogue.build(tree, analyzed_at=now, only=only, limit=limit, cache=cache, progress=progress)
    started = time.perf_counter()
    lineage = trace((*mined.records, *mined.left_out), before.pasts)
    traced = time.perf_counter()
    named = lineage.records[: len(mined.records)]
    evidence = pack.collect(tree, named, facts=mined.facts, progress=progress)
    records = tuple(relate([pack.with_evidence(record, its) for record, its in zip(named, evidence, strict=True)]))
    collected = time.perf_counter()
    run = Run(
        datasetVersion=now,
        repo=tree.repo,
        revision=tree.revision,
        revisionTime=tree.revision_time,
        analyzedSha=tree.analyzed_sha,
        selection=Selection(only=only, limit=limit) if only or limit else None,
        previous=before.previous,
        coverage=mined.coverage,
        toolVersion=tool_version,
    )
    seconds = {**mined.seconds, "ids": traced - started, "evidence": collected - traced}
    return Prepared(
        tree=tree,
        mined=mined,
        records=records,
        tombstones=lineage.tombstones,
        evidence=tuple(evidence),
        before=before.records,
        run=run,
        seconds=seconds,
    )


def cost(prepared: Prepared, plan: Plan) -> Estimate:
    """What explaining it would take."""
    return estimate(prepared.records, prepared.evidence, prepared.tree, plan=plan, previous=prepared.before)


def complete(
    prepared: Prepared,
    plan: Plan,
    *,
    out: Path,
    source_seconds: float = 0.0,
    earlier: Cost = NOTHING,
    progress: Progress | None = None,
) -> Built:
    """Explain it and write it under `out`. What a model answered is kept, whatever happens.

    earlier: what runs that were interrupted paid for this dataset.
    """
    started = time.perf_counter()
    written = write(
        prepared.records, prepared.evidence, prepared.tree, plan=plan, previous=prepared.before, progress=progress
    )
    seconds = {"source": source_seconds, **prepared.seconds, "explain": time.perf_counter() - started}
    run = explain.with_writing(prepared.run, plan, written, earlier).model_copy(
        update={"seconds": {stage: round(taken, 3) for stage, taken in seconds.items()}}
    )
    return Built(folder=dataset.write(out, written.records, run, prepared.tombstones), written=written)


def summary(mined: Catalogue) -> str:
    """One line on what was found."""
    coverage = mined.coverage
    parts = [
        f"records {len(mined.records):,}",
        f"raise statements {coverage.raiseStatements:,} (re-raises {coverage.reRaises:,})",
        f"asserts with a message {coverage.assertsWithMessage:,}",
        f"files {coverage.files:,}",
    ]
    named = {
        "excluded statements": len(coverage.excluded),
        "skipped files": len(coverage.skippedFiles),
        "damaged files": len(coverage.damagedFiles),
    }
    return ", ".join([*parts, *(f"{what} {number:,}" for what, number in named.items() if number)])

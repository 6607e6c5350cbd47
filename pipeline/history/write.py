"""The folders that a history, or a list of revisions, leaves: datasets like any other."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pipeline import dataset
from pipeline.history import chain, plot, table, unit
from pipeline.history.chain import Chain
from pipeline.history.spread import Found
from pipeline.history.unit import Mined
from pipeline.manifest import Gap, History, Revision, Run
from pipeline.record import Record

REVISION: Final = "history"
TABLE: Final = "history.parquet"
PLOT: Final = "history.svg"


def write_history(
    found: Chain, records: Sequence[Record], *, repo: str, out: Path, moment: str, tool_version: str
) -> Path:
    """Write the dataset of a chain, with its table and its plot; its folder. records: those of the chain."""
    newest = found.revisions[-1]
    run = Run(
        datasetVersion=moment,
        repo=repo,
        revision=REVISION,
        revisionTime=newest.time,
        analyzedSha=newest.sha,
        history=_told(found),
        coverage=found.coverage,
        toolVersion=tool_version,
        seconds={stage: round(taken, 3) for stage, taken in found.seconds.items()},
    )
    more = {TABLE: table.parquet(found.revisions), PLOT: plot.svg(repo, found.revisions).encode()}
    return dataset.write(out, records, run, more=more)


def _told(found: Chain) -> History:
    return History(
        revisions=tuple(_revision(one) for one in found.revisions),
        gaps=tuple(Gap(name=gap.step.name, reason=gap.reason) for gap in found.gaps),
    )


def _revision(one: chain.Revision) -> Revision:
    sums = one.sum()
    return Revision(
        name=one.name,
        revision=one.revision,
        revisionTime=one.time,
        analyzedSha=one.sha,
        records=sums.total,
        added=sums.added,
        removed=sums.removed,
        reworded=sums.reworded,
    )


def write_one(found: Found, *, out: Path, moment: str, tool_version: str) -> Path:
    """Write the dataset of one revision; its folder."""
    mined = unit.unpack(found.result)
    run = Run(
        datasetVersion=moment,
        repo=mined.repo,
        revision=mined.revision,
        revisionTime=mined.revision_time,
        analyzedSha=mined.analyzed_sha,
        coverage=mined.coverage,
        toolVersion=tool_version,
        seconds={stage: round(taken, 3) for stage, taken in mined.seconds.items()},
    )
    return dataset.write(out, list(_dated(mined, moment)), run)


def _dated(mined: Mined, moment: str) -> Iterator[Record]:
    for record in mined.records:
        yield record.model_copy(update={"analyzedAt": moment})

"""The job: from the newest revision to what is published, going on where an earlier run ended."""

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pipeline.errors import DatasetError
from pipeline.refresh.gates.names import Gate
from pipeline.refresh.lock import alone
from pipeline.refresh.log import Log
from pipeline.refresh.newest import Followed, Newest, look_up, shown
from pipeline.refresh.standing import CANDIDATES, Options, home_of, key_of, published_since
from pipeline.source.tree import utc_text

if TYPE_CHECKING:
    from pipeline.explain.plan import Plan

LOCK: Final = "lock"


class Ending(enum.Enum):
    """How a run ended; the value is its exit code."""

    DONE = 0
    REFUSED = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """text: for stdout, in Markdown."""

    ending: Ending
    text: str


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a run is asked to do.

    clock: the time that a new dataset will bear. tool: this errcat, to the byte. keep: how many publications stay.
    """

    followed: Followed
    out: Path
    options: Options
    plan: "Plan"
    keep: int
    overrides: Mapping[Gate, str]
    clock: str
    tool: str
    log: Log
    progress: Callable[..., None]

    @property
    def home(self) -> Path:
        """The folder of the repository."""
        return home_of(self.out, self.followed.repo)


def refresh(job: Job) -> Outcome:
    """Publish the newest revision if it is not published, and every gate is passed. BusyError: another run is at it.

    Whatever goes wrong, what was published before still is, and the next run goes on with what was done.
    """
    job.followed.check()
    with job.log.step("newest") as step:
        newest = look_up(job.followed, job.progress)
        step.counts["revision"] = newest.revision
    key = key_of(job.followed.repo, newest.revision, job.tool, job.options)
    try:
        return _nothing_to_do(job, newest, key) or _with_lock(job, newest, key)
    except OSError as error:
        what = f"cannot write {error.filename or job.home}: {error.strerror or error}"
        hint = "What is published is unchanged; make room, or give another --out, and run again: it goes on"
        raise DatasetError(what, hint=hint) from error


def _nothing_to_do(job: Job, newest: Newest, key: str) -> Outcome | None:
    since = published_since(job.home, key)
    if since is None:
        return None
    job.log.note("nothing to do", {"revision": newest.revision, "published": since})
    text = f"{job.followed.repo} {shown(newest.revision)} is published since {since}; nothing to do\n"
    return Outcome(ending=Ending.DONE, text=text)


def _with_lock(job: Job, newest: Newest, key: str) -> Outcome:
    lock = job.home / CANDIDATES / LOCK
    lock.parent.mkdir(parents=True, exist_ok=True)
    with alone(lock, run=job.log.run, since=utc_text(datetime.now(UTC))):
        if there := _nothing_to_do(job, newest, key):  # another run published it in the meantime
            return there
        from pipeline.refresh.run import Run

        told = Run(job, newest, key).go()
    return Outcome(ending=Ending.REFUSED if told.refused else Ending.DONE, text=told.text)

"""The datasets that a revision has to agree with: its own of an earlier run, the one before, the one after."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from packaging.version import InvalidVersion, Version

from pipeline.dataset.folder import Dataset, datasets, read
from pipeline.errors import DatasetError

_SHA: Final = re.compile("[0-9a-f]{40}")
_FOLDER: Final = "tree-"
_NONE: Final = Version("0")


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbours:
    """Datasets of one repository around a revision. same: of that very revision. None where there is none."""

    same: Dataset | None = None
    earlier: Dataset | None = None
    later: Dataset | None = None


def neighbours(out: Path, repo: str, revision: str, revision_time: str | None) -> Neighbours:
    """The datasets under `out` that are nearest to a revision.

    Releases are in the order of their versions, commits in that of their times, one among the others in that of
    times, too. A folder has no time: what was published last is before it, and it is before nothing. A partial
    dataset counts where there is no complete one of that very revision, and otherwise not at all.
    """
    there = [found for found in datasets(out) if found.manifest.repo == repo and not found.manifest.history]
    same = next((found for found in there if found.manifest.revision == revision), None)
    others = [found for found in there if found.manifest.revision != revision and not found.manifest.selection]
    if revision.startswith(_FOLDER):
        last = max(others, key=lambda found: (found.manifest.datasetVersion, found.manifest.revision), default=None)
        return Neighbours(same=same, earlier=last)
    here = _place(revision, revision_time)
    if here is None:
        return Neighbours(same=same)
    sides: dict[bool | None, list[tuple[_Place, Dataset]]] = {True: [], False: [], None: []}
    for found in others:
        if place := _place(found.manifest.revision, found.manifest.revisionTime):
            sides[place.is_before(here)].append((place, found))
    return Neighbours(
        same=same, earlier=_nearest(sides[True], here, last=True), later=_nearest(sides[False], here, last=False)
    )


def previous(out: Path, repo: str, revision: str, revision_time: str | None) -> Dataset | None:
    """The dataset under `out` of the nearest earlier revision, else of the same one. None where there is neither."""
    found = neighbours(out, repo, revision, revision_time)
    return found.earlier or found.same


def is_after(dataset: Dataset, revision: str, revision_time: str | None) -> bool:
    """Whether a dataset is known to be of a later revision than this one."""
    manifest = dataset.manifest
    newest = manifest.history.revisions[-1] if manifest.history else manifest
    there, here = _place(newest.revision, newest.revisionTime), _place(revision, revision_time)
    return bool(there and here and there.is_before(here) is False)


def chained(one: Dataset, other: Dataset) -> bool:
    """Whether ids were carried on from one of them to the other, as `previous` in the manifests says."""
    return _leads(one, other) or _leads(other, one)


def _leads(dataset: Dataset, goal: Dataset) -> bool:
    """Whether `goal` is among the datasets before, which stand beside it."""
    beside, at, wanted = dataset.path.resolve().parent, dataset, goal.path.resolve()
    seen: set[Path] = set()
    while (named := at.manifest.previous) is not None:
        folder = beside / named.revision.replace("/", "_")
        if folder == wanted:
            return folder != dataset.path.resolve()
        if folder in seen:
            return False
        seen.add(folder)
        try:
            at = read(folder)
        except DatasetError:
            return False
    return False


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """Where a revision stands among others. version: of a release. time: RFC 3339."""

    version: Version | None
    time: str | None

    def is_before(self, other: "_Place") -> bool | None:
        """None where it cannot be known. Of two commits of one second each may be the one before."""
        if self.version and other.version:
            return self.version < other.version
        return self.time <= other.time if self.time and other.time else None


def _place(revision: str, time: str | None) -> _Place | None:
    if _SHA.fullmatch(revision):
        return _Place(version=None, time=time)
    try:
        return _Place(version=Version(revision), time=time)
    except InvalidVersion:
        return None


def _nearest(rows: list[tuple[_Place, Dataset]], here: _Place, *, last: bool) -> Dataset | None:
    """The last (or else the first) of these in time; of releases, for a release, the last in version."""
    pick = max if last else min
    releases = [row for row in rows if row[0].version]
    if here.version and releases:
        end = pick(releases, key=lambda row: row[0].version or _NONE)
        rows = [end, *(row for row in rows if not row[0].version)]

    def order(row: tuple[_Place, Dataset]) -> tuple[str, bool, str]:
        alike = bool(row[0].version) == bool(here.version)  # of two of one moment it is nearer
        return row[0].time or "", alike == last, row[1].manifest.revision

    return pick(rows, key=order)[1] if rows else None

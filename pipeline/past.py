"""What a repository has published already, as far as a run carries it on: ids, tombstones, explanations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline import dataset
from pipeline.dataset import Dataset
from pipeline.diff.lineage import Past, When
from pipeline.errors import DatasetError
from pipeline.manifest import Previous
from pipeline.record import Record
from pipeline.source.tree import SourceTree


@dataclass(frozen=True, kw_only=True, slots=True)
class Before:
    """What was published before a run.

    pasts: for ids, the one that counts most first. previous: what the manifest is to name. records: by id, those that
    are gone among them; for explanations.
    """

    pasts: tuple[Past, ...]
    previous: Previous | None
    records: Mapping[str, Record]


def look_back(out: Path, tree: SourceTree, given: Path | None, *, follows: bool = False) -> Before:
    """The dataset that is given, or else those nearest to the tree's revision under `out`.

    follows: the one given is what was published before, be it of a later revision: what the tree has not is gone.
    DatasetError where one of them cannot be read: an id that is forgotten could be given to another error.
    """
    if given is not None:
        found = dataset.read(given)
        when = _when(found, tree)
        return _before([(When.EARLIER if follows and when is When.LATER else when, found)])
    around = dataset.neighbours(out, tree.repo, tree.revision, tree.revision_time)
    rows = [(When.SAME, around.same), (When.EARLIER, around.earlier), (When.LATER, around.later)]
    try:
        return _before([(when, found) for when, found in rows if found is not None])
    except DatasetError as error:
        hint = "Repair or remove it, or name another dataset with --previous"
        raise DatasetError(error.what, hint=hint) from None


def _when(found: Dataset, tree: SourceTree) -> When:
    if found.manifest.revision == tree.revision:
        return When.SAME
    return When.LATER if dataset.is_after(found, tree.revision, tree.revision_time) else When.EARLIER


def _before(found: Sequence[tuple[When, Dataset]]) -> Before:
    pasts = tuple(_past(when, one) for when, one in found)
    records = {
        record.id: record for past in reversed(pasts) for rows in (past.tombstones, past.records) for record in rows
    }
    by_when = dict(found)
    named = by_when.get(When.EARLIER) or by_when.get(When.SAME)
    return Before(pasts=pasts, previous=_named(named) if named else None, records=records)


def _past(when: When, found: Dataset) -> Past:
    """A dataset as a past. A history's newest revision lives; what it saw last before that is gone."""
    records, tombstones = tuple(found.records()), tuple(found.tombstones())
    if found.manifest.history:
        newest = found.manifest.history.revisions[-1].name
        tombstones += tuple(record for record in records if record.lastSeenIn != newest)
        records = tuple(record for record in records if record.lastSeenIn == newest)
    return Past(when=when, records=records, tombstones=tombstones)


def _named(found: Dataset) -> Previous:
    manifest = found.manifest
    return Previous(
        revision=manifest.revision, datasetVersion=manifest.datasetVersion, recordsSha256=manifest.recordsSha256
    )

"""Finding the one record that a user names by id, alias or slug."""

from collections.abc import Iterable

from pipeline.dataset.folder import Dataset
from pipeline.errors import DatasetError
from pipeline.record import Record

MOST_LISTED = 8


def look_up(datasets: Iterable[Dataset], name: str) -> tuple[Dataset, Record]:
    """The record of that id, alias or slug, in the first dataset that has one; what is gone comes after what is there.

    A beginning of an id, alias or slug will do. DatasetError where nothing begins so, or several records do.
    """
    searched = []
    for dataset in datasets:
        searched.append(str(dataset.path))
        found = _found((tuple(dataset.records()), tuple(dataset.tombstones())), name)
        if len(found) == 1:
            return dataset, found[0]
        if found:
            raise DatasetError(
                f"{name} names {len(found)} records of {dataset.path}: {_listed(found)}", hint="Give an id"
            )
    where = ", ".join(searched) or "no dataset"
    raise DatasetError(f"no id, alias or slug begins with {name!r} in {where}", hint="Name another --dataset, or --out")


def is_gone(dataset: Dataset, record: Record) -> bool:
    """Whether a record of a dataset is of an error that its revision, or the last one of its history, has no more."""
    history = dataset.manifest.history
    return record.lastSeenIn is not None and (history is None or record.lastSeenIn != history.revisions[-1].name)


def _found(rows: tuple[tuple[Record, ...], ...], name: str) -> list[Record]:
    """By the whole name, or else by its beginning; in the first of the rows that has some."""
    for fits in (lambda known: known == name, lambda known: known.startswith(name)):
        for records in rows:
            if found := [record for record in records if any(map(fits, _names(record)))]:
                return found
    return []


def _names(record: Record) -> tuple[str, ...]:
    return (record.id, *record.aliases, *([record.slug] if record.slug else ()))


def _listed(records: list[Record]) -> str:
    shown = ", ".join(f"{record.id} ({record.filePath}:{record.lineNumber})" for record in records[:MOST_LISTED])
    return f"{shown}, …" if len(records) > MOST_LISTED else shown

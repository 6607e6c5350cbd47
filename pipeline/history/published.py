"""What published datasets say of the errors of a history: their ids, their explanations and their evidence."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pipeline.dataset import datasets
from pipeline.explain.explanation import FIELDS
from pipeline.record import Record

Published = Callable[[str, str], Iterator[Record]]
"""The records of the dataset of a repository at a revision; none where there is no such dataset."""

_TAKEN: Final = (*FIELDS, "explainedBy", "verification", "publicApi", "tests", "docsUrl")


def published(out: Path) -> Published:
    """The complete datasets under a folder; reading one can raise DatasetError."""
    found = {(one.manifest.repo, one.manifest.revision): one for one in datasets(out) if not one.manifest.selection}

    def records(repo: str, revision: str) -> Iterator[Record]:
        one = found.get((repo, revision))
        return one.records() if one else iter(())

    return records


def with_explanations(records: Sequence[Record], said: Published) -> tuple[Record, ...]:
    """The records, each with what the dataset of its own revision says of it, where there is one."""
    wanted = defaultdict(set)
    for record in records:
        wanted[record.repo, record.revision].add(_key(record))
    explained = {
        _key(record): record
        for where, keys in sorted(wanted.items())
        for record in said(*where)
        if record.explainedBy and _key(record) in keys
    }
    return tuple(_explained(record, explained.get(_key(record))) for record in records)


def _key(record: Record) -> tuple[str, str, int, str | None, str]:
    """What a record is at its revision, whatever id it has there."""
    return record.revision, record.filePath, record.lineNumber, record.errorClass, record.messagePattern


def _explained(record: Record, by: Record | None) -> Record:
    return record.model_copy(update={name: getattr(by, name) for name in _TAKEN}) if by else record

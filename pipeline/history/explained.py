"""What published datasets say of the errors of a history: their explanations and their evidence."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pipeline.dataset import datasets
from pipeline.explain.explanation import FIELDS
from pipeline.record import Record

_TAKEN: Final = (*FIELDS, "explainedBy", "verification", "publicApi", "tests", "docsUrl")
Key = tuple[str, str, int, str | None, str]


def with_explanations(records: Sequence[Record], *, out: Path, repo: str) -> tuple[Record, ...]:
    """The records, each with what a dataset of its own revision under `out` says of it, where there is one."""
    wanted = {record.revision for record in records}
    said: dict[Key, Record] = {}
    for one in reversed(datasets(out)):  # of two of a revision, the newer one has the last word
        manifest = one.manifest
        if manifest.repo == repo and manifest.revision in wanted:
            said.update((_key(record), record) for record in one.records() if record.explainedBy)
    return tuple(_explained(record, said.get(_key(record))) for record in records)


def _key(record: Record) -> Key:
    """What a record is at its revision, whatever id it has there."""
    return record.revision, record.filePath, record.lineNumber, record.errorClass, record.messagePattern


def _explained(record: Record, by: Record | None) -> Record:
    return record.model_copy(update={name: getattr(by, name) for name in _TAKEN}) if by else record

"""Sources given as text, mined through the catalogue's front door."""

from collections.abc import Mapping, Sequence
from hashlib import sha1
from typing import TYPE_CHECKING

from pipeline import catalogue
from pipeline.source.tree import SourceFile, SourceTree

if TYPE_CHECKING:
    from pipeline.record import Record

ANALYZED_AT = "2026-01-01T00:00:00.000Z"


def blob_id(data: bytes) -> str:
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def tree(files: Mapping[str, bytes | str]) -> SourceTree:
    """Return a tree of these files (path -> content)."""
    encoded = {path: data.encode() if isinstance(data, str) else data for path, data in files.items()}
    return SourceTree(
        repo="local/law",
        revision="tree-000000000000",
        analyzed_sha=None,
        link_ref=None,
        revision_time=None,
        files=tuple(SourceFile(path=path, blob_id=blob_id(data), data=data) for path, data in sorted(encoded.items())),
    )


def mine(files: Mapping[str, bytes | str], *, workers: int | None = 1) -> catalogue.Catalogue:
    return catalogue.build(tree(files), analyzed_at=ANALYZED_AT, workers=workers)


def records_at(records: "Sequence[Record]", path: str, line: int) -> "list[Record]":
    return [record for record in records if (record.filePath, record.lineNumber) == (path, line)]

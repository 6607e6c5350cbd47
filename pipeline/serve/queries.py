"""Finding records by words, class, file and public name, a page at a time."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cached_property, lru_cache
from typing import Final

from pipeline.manifest import Manifest
from pipeline.record import Record
from pipeline.serve.schemas import Found, Page

CURSOR: Final = r"^(0|[1-9][0-9]{0,8})\.[0-9a-f]{8}\.[0-9a-f]{8}$"
_KEPT: Final = 256
"""Queries whose answers are kept, so that turning their pages costs nothing."""


class ChangedError(Exception):
    """The cursor comes from another dataset."""


class CursorError(ValueError):
    """The cursor comes from another query."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """What is looked for; None where it does not matter.

    words: all of them stand in the record's message, title, class, function, public names, path or id, in any case.
    error_class: last or public name of the class. file: a path, or a folder. api: a public name, or what it belongs to.
    """

    words: tuple[str, ...] = ()
    error_class: str | None = None
    file: str | None = None
    api: str | None = None


class Search:
    """The records of one dataset, ready to be searched."""

    def __init__(self, records: Sequence[Record], manifest: Manifest) -> None:
        self._records = records
        self._version = manifest.datasetVersion
        self._tag = _digest([manifest.datasetVersion, manifest.recordsSha256])
        self._find = lru_cache(maxsize=_KEPT)(self._found)

    def page(self, query: Query, *, cursor: str | None, limit: int) -> Page:
        """A page of the answer. ChangedError, CursorError where the cursor is not of this dataset and query."""
        digest = _digest(astuple(query))
        start = self._start(cursor, digest) if cursor else 0
        numbers = self._find(query)
        end = start + limit
        return Page(
            datasetVersion=self._version,
            total=len(numbers),
            errors=tuple(_shown(self._records[number]) for number in numbers[start:end]),
            nextCursor=f"{end}.{self._tag}.{digest}" if end < len(numbers) else None,
        )

    def _start(self, cursor: str, digest: str) -> int:
        start, tag, query = cursor.split(".")
        if tag != self._tag:
            raise ChangedError
        if query != digest:
            raise CursorError
        return int(start)

    def _found(self, query: Query) -> tuple[int, ...]:
        """Numbers of the records: first those with the words as they stand in the message, then with all in it."""
        numbers = [n for n, record in enumerate(self._records) if _fits(record, query)]
        if not query.words:
            return tuple(numbers)
        phrase = " ".join(query.words)
        ranked = []
        for number in numbers:
            message, everything = self._texts[number]
            if all(word in everything for word in query.words):
                rank = 0 if phrase in message else 1 if all(word in message for word in query.words) else 2
                ranked.append((rank, number))
        return tuple(number for _, number in sorted(ranked))

    @cached_property
    def _texts(self) -> list[tuple[str, str]]:
        """Of each record its message, and all that words are looked for in."""
        out = []
        for record in self._records:
            message = record.errorMessage.casefold()
            names = (record.errorClass, record.errorClassPublic, record.qualname, *record.publicApi)
            rest = (record.id, record.filePath, *(name for name in names if name))
            out.append((message, "\n".join((message, *rest)).casefold()))
        return out


def _fits(record: Record, query: Query) -> bool:
    return (
        (query.error_class is None or query.error_class in (record.errorClass, record.errorClassPublic))
        and (query.file is None or _belongs(record.filePath, query.file.rstrip("/"), "/"))
        and (query.api is None or any(_belongs(name, query.api, ".") for name in record.publicApi))
    )


def _belongs(name: str, to: str, sign: str) -> bool:
    return name == to or name.startswith(to + sign)


def _shown(record: Record) -> Found:
    return Found.model_validate({name: getattr(record, name) for name in Found.model_fields})


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:8]

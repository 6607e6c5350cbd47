"""The search index of a site: what search as you type looks in, and what it shows."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, Final

from pipeline.pages.match_index import compressed
from pipeline.record import Record

PATH: Final = "api/search-index.json.gz"
FORMAT: Final = 1
"""Grows whenever the modules in static/search/ must know of a change here."""


def files(records: Sequence[Record]) -> dict[str, bytes]:
    """The index of these records, by its path in the site."""
    return {PATH: compressed(table(records))}


def table(records: Iterable[Record]) -> dict[str, Any]:
    """The index as JSON. texts: what is said, each once, with everything that says it; names stand in lists once.

    root: the package that all public names begin with, which tells nothing apart; "" where there is none.

    A member is `[id, class, file, line, function, public names]`, all but id and line as numbers of their lists.
    """
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record.errorMessage or f"\0{record.id}", []).append(record)
    classes, paths, functions, public = Names(), Names(), Names(), Names()

    def member(record: Record) -> list[Any]:
        return [
            record.id,
            classes.number((record.errorClass or "", record.errorClassPublic or "")),
            paths.number(record.filePath),
            record.lineNumber,
            functions.number(record.qualname or ""),
            [public.number(name) for name in record.publicApi],
        ]

    texts = [
        {"said": list(_said(group)), "slug": group[0].slug, "members": [member(record) for record in group]}
        for group in groups.values()
    ]
    return {
        "format": FORMAT,
        "root": _root(public),
        "texts": texts,
        "classes": list(classes),
        "paths": list(paths),
        "functions": list(functions),
        "public": list(public),
    }


def _said(group: Iterable[Record]) -> Iterator[str]:
    """The main text that a group has in common, then the other variants of its records."""
    messages = (variant for record in group for variant in (record.errorMessage, *_variants(record)))
    return iter(dict.fromkeys(messages))


def _variants(record: Record) -> Iterator[str]:
    return (variant.errorMessage for variant in record.messageVariants)


def _root(names: Iterable[Hashable]) -> str:
    roots = {str(name).partition(".")[0] for name in names}
    return roots.pop() if len(roots) == 1 else ""


class Names:
    """Values that get numbers in the order in which they are first met."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def number(self, value: Hashable) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._numbers)

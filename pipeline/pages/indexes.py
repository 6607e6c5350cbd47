"""The records of a site by what people look for: id, slug, package, class, public name, article."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final

from pipeline.dataset.folder import order
from pipeline.pages.message import heading
from pipeline.pages.places import segments
from pipeline.record import Record

UNKNOWN: Final = "unknown"
"""Name of the class that the source does not tell."""
_ID: Final = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """Records under names of one kind, and the part of the path that each name's pages have."""

    records: Mapping[str, tuple[Record, ...]]
    parts: Mapping[str, str]

    @cached_property
    def largest(self) -> tuple[str, ...]:
        """The names, those with the most records first."""
        return tuple(sorted(self.records, key=lambda name: (-len(self.records[name]), name)))

    @cached_property
    def below(self) -> Mapping[str, tuple[str, ...]]:
        """The names that belong to a dotted name, in order."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for name in sorted(self.parts):
            found[owner(name)].append(name)
        return {name: tuple(its) for name, its in found.items()}


@dataclass(frozen=True, kw_only=True)
class Indexes:
    """Where everything is found. Records in each are in the dataset's order.

    known: records and tombstones by id and alias. slugs: ids of the records with that slug, then of what once had it.
    """

    known: Mapping[str, Record]
    slugs: Mapping[str, tuple[str, ...]]
    areas: Shelf
    classes: Shelf
    public: Shelf
    articles: Mapping[str, tuple[Record, ...]]
    headings: Mapping[str, str]


def index(records: Sequence[Record], tombstones: Sequence[Record], earlier: Sequence[Record]) -> Indexes:
    """The indexes of a site. earlier: records of the dataset before, whose slugs still lead somewhere."""
    ordered = sorted(records, key=order)
    known = {record.id: record for record in (*tombstones, *ordered)}
    aliases = {alias: record for record in (*tombstones, *ordered) for alias in record.aliases if alias not in known}
    known |= aliases
    public = _shelf(ordered, lambda record: record.publicApi)
    return Indexes(
        known=known,
        slugs=_slugs((*ordered, *tombstones, *earlier), known),
        areas=_shelf(ordered, lambda record: (area(record),)),
        classes=_shelf(ordered, lambda record: (record.errorClass or UNKNOWN,)),
        public=Shelf(records=public.records, parts=segments(_with_owners(public.records))),
        articles=_grouped(ordered, lambda record: (record.backgroundTag,) if record.backgroundTag else ()),
        headings={record.id: heading(record) for record in (*tombstones, *ordered)},
    )


def area(record: Record) -> str:
    """The package that a record is in: its folder, dotted where every part can be a name of Python."""
    folder = PurePosixPath(record.filePath).parent
    if all(part.isidentifier() for part in folder.parts):
        return ".".join(folder.parts) or "top level"
    return str(folder)


def owner(name: str) -> str:
    """What a public name belongs to; "" for a top-level one."""
    return name.rpartition(".")[0]


def _with_owners(names: Iterable[str]) -> set[str]:
    out: set[str] = set()
    for name in names:
        while name and name not in out:
            out.add(name)
            name = owner(name)  # noqa: PLW2901  # up to the top
    return out


def _shelf(records: Iterable[Record], names: Callable[[Record], Iterable[str]]) -> Shelf:
    found = _grouped(records, names)
    return Shelf(records=found, parts=segments(found))


def _grouped(records: Iterable[Record], names: Callable[[Record], Iterable[str]]) -> dict[str, tuple[Record, ...]]:
    found: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records:
        for name in names(record):
            found[name].append(record)
    return {name: tuple(found[name]) for name in sorted(found)}


def _slugs(records: Iterable[Record], known: Mapping[str, Record]) -> dict[str, tuple[str, ...]]:
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for record in records:
        if record.slug and record.id in known and not (_ID.fullmatch(record.slug) and record.slug in known):
            found[record.slug][known[record.id].id] = None
    return {slug: tuple(ids) for slug, ids in sorted(found.items())}

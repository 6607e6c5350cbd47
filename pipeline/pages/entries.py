"""A record in a list: what it is called, where it is, and how it differs from others that are called the same."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pipeline.pages import places
from pipeline.pages.plain import cut, visible
from pipeline.record import Record

CONDITION_LENGTH = 140


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A line of a list. when: the last part of its condition, only where others of the list are called the same."""

    path: str
    heading: str
    error_class: str
    place: str
    qualname: str | None
    when: str | None
    gone: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Entries under a heading. anchor: of the heading; path: of the page about what it names, if there is one."""

    name: str
    anchor: str
    entries: tuple[Entry, ...]


def entries(
    records: Sequence[Record], headings: Mapping[str, str], *, among: Iterable[str] = (), in_file: bool = False
) -> tuple[Entry, ...]:
    """The records as they are listed together.

    among: headings that stand beside the list. in_file: the list is of one file, which its entries need not name.
    """
    shared = Counter((*among, *(headings[record.id] for record in records)))
    return tuple(_entry(r, headings[r.id], is_shared=shared[headings[r.id]] > 1, in_file=in_file) for r in records)


def _entry(record: Record, heading: str, *, is_shared: bool, in_file: bool) -> Entry:
    file = PurePosixPath(record.filePath).name if in_file else record.filePath
    return Entry(
        path=places.error(record.id),
        heading=heading,
        error_class=visible(record.errorClass or "unknown class"),
        place=visible(f"{file}:{record.lineNumber}"),
        qualname=visible(record.qualname) if record.qualname else None,
        when=visible(cut(last_clause(record.condition), CONDITION_LENGTH)) if is_shared and record.condition else None,
        gone=record.lastSeenIn,
    )


def last_clause(condition: str | None) -> str:
    """The innermost of the conditions that are joined by ` and `."""
    depth, start = 0, 0
    text = condition or ""
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and text.startswith(" and ", at):
            start = at + len(" and ")
    return text[start:]


def by_file(records: Iterable[Record], headings: Mapping[str, str]) -> list[Group]:
    """Records grouped by their files, in order."""
    files: dict[str, list[Record]] = {}
    for record in records:
        files.setdefault(record.filePath, []).append(record)
    parts = places.segments(files)
    return [
        Group(name=visible(path), anchor=f"file-{parts[path]}", entries=entries(its, headings, in_file=True))
        for path, its in files.items()
    ]


def paged(groups: Iterable[Group], most: int) -> list[tuple[Group, ...]]:
    """The groups in pages of so many entries; a group that does not fit goes on on the next page."""
    pages: list[list[Group]] = [[]]
    room = most
    for group in groups:
        left = group.entries
        while left:
            if room == 0:
                pages.append([])
                room = most
            taken, left = left[:room], left[room:]
            pages[-1].append(Group(name=group.name, anchor=group.anchor, entries=taken))
            room -= len(taken)
    return [tuple(page) for page in pages]

"""What changed since the dataset before: an overview, a page for each kind of change, and the feed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipeline.diff.changes import Change, Diff
from pipeline.diff.comparison import summary
from pipeline.diff.kind import KINDS, Kind
from pipeline.pages import places
from pipeline.pages.plain import cut
from pipeline.pages.view.lists import MOST, numbered, pages
from pipeline.pages.view.template import page
from pipeline.record import Record

if TYPE_CHECKING:
    from pipeline.pages.site import Site

IN_FEED: Final = 50
"""Breaking changes that the feed tells one by one."""
SAYS: Final = {
    Kind.ADDED: "Errors that were not there before.",
    Kind.REMOVED: "Errors that are gone. Their pages stay.",
    Kind.REWORDED: "Errors that say something else now. Code that looks for their text must follow.",
    Kind.RECLASSED: "Errors of another class, or of a class with other bases. A handler may no longer catch them.",
    Kind.REGUARDED: "Errors that are raised under another condition.",
    Kind.MOVED: "Errors that another function or file raises now.",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A change as the page tells it. path: of the record's page, which what is gone may not have."""

    change: Change
    heading: str
    path: str | None


def overview(site: "Site", path: str, _: str, __: int) -> bytes:
    """How much changed, and what breaks code."""
    diff = _diff(site)
    kinds = [(kind, SAYS[kind], count, folder(kind)) for kind, count in summary(diff.changes).items()]
    breaking = [change for change in diff.changes if change.breaking]
    return page("changes.html.j2", site, path, diff=diff, kinds=kinds, breaking=_told(site, breaking[:MOST]))


def of_kind(site: "Site", path: str, key: str, number: int) -> bytes:
    """The changes of a kind."""
    found = of(_diff(site), Kind(key))
    numbers = [numbered(folder(Kind(key)).removesuffix(f"/{places.INDEX}"), n) for n in pages(len(found))]
    shown = _told(site, found[(number - 1) * MOST : number * MOST])
    return page(
        "changes_of_kind.html.j2",
        site,
        path,
        kind=key,
        says=SAYS[Kind(key)],
        count=len(found),
        changes=shown,
        number=number,
        numbers=numbers,
    )


def of(diff: Diff, kind: Kind) -> list[Change]:
    """The changes that are of this kind before all."""
    return [change for change in diff.changes if change.kind is kind]


def kinds(diff: Diff) -> Iterator[tuple[Kind, int]]:
    """Kinds of change and the numbers of their pages."""
    for kind in KINDS:
        if count := len(of(diff, kind)):
            yield from ((kind, number) for number in pages(count))


def folder(kind: Kind) -> str:
    """The first page of a kind of change."""
    return f"changes/{kind}/{places.INDEX}"


def feed(site: "Site", path: str, _: str, __: int) -> bytes:
    """The feed: what this dataset changed in a few words, and each change that breaks code."""
    diff = site.changes
    breaking = _told(site, [change for change in diff.changes if change.breaking][:IN_FEED]) if diff else []
    return page("feed.xml.j2", site, path, diff=diff, summary=summary(diff.changes) if diff else {}, breaking=breaking)


def _told(site: "Site", changes: Sequence[Change]) -> list[Told]:
    return [
        Told(change=change, heading=_heading(site, change.record), path=_path(site, change.record))
        for change in changes
    ]


def _heading(site: "Site", record: Record) -> str:
    return site.indexes.headings.get(record.id) or cut(record.errorMessage, 110) or record.errorClass or record.id


def _path(site: "Site", record: Record) -> str | None:
    return places.error(record.id) if record.id in site.indexes.known else None


def _diff(site: "Site") -> Diff:
    assert site.changes is not None
    return site.changes

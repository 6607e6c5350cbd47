"""Lists of records: by package, by class, by public name, by article; and the overviews of each."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipeline.pages import places, prose
from pipeline.pages.entries import Group, by_file, entries, paged
from pipeline.pages.indexes import Shelf, owner
from pipeline.pages.view.template import page
from pipeline.record import Record

if TYPE_CHECKING:
    from pipeline.pages.site import Site

MOST: Final = 200
"""Records on one page of a list."""
FIRST: Final = 25
"""Records below an article; all of them are on a list of their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A line of an overview: a name, its page, how many records it has, and what is worth knowing about them."""

    name: str
    path: str
    count: int
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Short:
    """A name among those that belong to the same; part: its folder beside this page."""

    name: str
    part: str
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """One page of a list. trail: the pages above it; below: names that belong to this one."""

    title: str
    kind: str
    count: int
    groups: tuple[Group, ...]
    number: int
    numbers: tuple[str, ...]
    trail: tuple[tuple[str, str], ...] = ()
    note: str = ""
    below: tuple[Row, ...] = ()


def numbered(folder: str, number: int) -> str:
    """The path of a page of a list that is in `folder`."""
    return f"{folder}/{places.INDEX}" if number == 1 else f"{folder}/{number}/{places.INDEX}"


def pages(count: int) -> range:
    """The numbers of the pages of a list of so many records."""
    return range(1, max(1, -(-count // MOST)) + 1)


def area(site: "Site", path: str, key: str, number: int) -> bytes:
    """The records of a package, by file."""
    shelf = site.indexes.areas
    groups = by_file(shelf.records[key], site.indexes.headings)
    note = f"Errors raised in {plural(len(groups), 'file')} of this package."
    return _listing(site, path, "areas", "Packages", key, shelf, groups, number, note)


def error_class(site: "Site", path: str, key: str, number: int) -> bytes:
    """The records of a class, by file."""
    shelf = site.indexes.classes
    records = shelf.records[key]
    groups = by_file(records, site.indexes.headings)
    return _listing(site, path, "classes", "Classes", key, shelf, groups, number, class_note(records))


def class_note(records: Sequence[Record]) -> str:
    """What is known of the class that these records raise."""
    public = next((record.errorClassPublic for record in records if record.errorClassPublic), None)
    bases = next((record.errorBases for record in records if record.errorBases), ())
    parts = [f"Public name: {public}." if public else "", f"Derived from {', '.join(bases)}." if bases else ""]
    return " ".join(filter(None, parts))


def public_name(site: "Site", path: str, key: str, number: int) -> bytes:
    """The records that a public name leads to, those nearest to it first; and the names that belong to it."""
    shelf = site.indexes.public
    records = shelf.records.get(key, ())
    nearest = [record for record in records if record.publicApi[0] == key]
    others = sorted((r for r in records if r.publicApi[0] != key), key=lambda record: record.publicApi.index(key))
    headings = site.indexes.headings
    groups = [
        Group(name="Raised on its own account", anchor="own", entries=entries(nearest, headings)),
        Group(name="Raised by what it calls", anchor="deeper", entries=entries(others, headings)),
    ]
    above = tuple((name, f"public-api/{shelf.parts[name]}/{places.INDEX}") for name in _owners(key))
    below = tuple(public_row(site, name) for name in shelf.below.get(key, ()))
    found = [group for group in groups if group.entries]
    return _listing(site, path, "public-api", "Public API", key, shelf, found, number, "", above, below)


def _owners(name: str) -> list[str]:
    """What a name belongs to, the outermost first."""
    above: list[str] = []
    while name := owner(name):
        above.insert(0, name)
    return above


def article_errors(site: "Site", path: str, key: str, number: int) -> bytes:
    """All records that refer to an article."""
    groups = by_file(site.indexes.articles[key], site.indexes.headings)
    shelf = Shelf(records=site.indexes.articles, parts={tag: f"{tag}/errors" for tag in site.indexes.articles})
    above = ((site.articles[key].title, places.article(key)),)
    return _listing(site, path, "background", "Articles", key, shelf, groups, number, "", above, title="Errors")


def _listing(
    site: "Site",
    path: str,
    folder: str,
    kind: str,
    key: str,
    shelf: Shelf,
    groups: Iterable[Group],
    number: int,
    note: str,
    above: tuple[tuple[str, str], ...] = (),
    below: tuple[Row, ...] = (),
    title: str | None = None,
) -> bytes:
    parts = paged(groups, MOST)
    own = f"{folder}/{shelf.parts[key]}"
    listing = Listing(
        title=title or key,
        kind=kind,
        count=len(shelf.records.get(key, ())),
        groups=parts[number - 1],
        number=number,
        numbers=tuple(numbered(own, n) for n in range(1, len(parts) + 1)),
        trail=((kind, f"{folder}/{places.INDEX}"), *above),
        note=note,
        below=below,
    )
    return page("listing.html.j2", site, path, listing=listing)


def article(site: "Site", path: str, key: str, _: int) -> bytes:
    """A background article, and the records that refer to it."""
    records = site.indexes.articles.get(key, ())
    first = sorted(records, key=lambda record: (_unreviewed(record), -len(record.publicApi)))[:FIRST]
    return page(
        "article.html.j2",
        site,
        path,
        article=site.articles[key],
        text=prose.article(site.articles[key].text),
        entries=entries(first, site.indexes.headings),
        count=len(records),
        all_of_them=f"background/{key}/errors/{places.INDEX}",
    )


def _unreviewed(record: Record) -> bool:
    return record.explainedBy is None or record.explainedBy.writer != "reviewed"


def areas(site: "Site", path: str, _: str, __: int) -> bytes:
    """All packages."""
    title, note = "Packages", "Errors by the package that raises them."
    return page("overview.html.j2", site, path, title=title, note=note, sections=[("", area_rows(site))])


def area_rows(site: "Site") -> list[Row]:
    """The packages, in order."""
    shelf = site.indexes.areas
    return [
        Row(
            name=name,
            path=f"areas/{shelf.parts[name]}/{places.INDEX}",
            count=len(records),
            note=plural(len({record.filePath for record in records}), "file"),
        )
        for name, records in shelf.records.items()
    ]


def classes(site: "Site", path: str, _: str, __: int) -> bytes:
    """All classes."""
    title, note = "Error classes", "Errors by the class of the exception, the most frequent first."
    return page("overview.html.j2", site, path, title=title, note=note, sections=[("", class_rows(site))])


def class_rows(site: "Site") -> list[Row]:
    """The classes, those with the most records first."""
    shelf = site.indexes.classes
    return [
        Row(
            name=name,
            path=f"classes/{shelf.parts[name]}/{places.INDEX}",
            count=len(shelf.records[name]),
            note=class_note(shelf.records[name]),
        )
        for name in shelf.largest
    ]


def public_api(site: "Site", path: str, _: str, __: int) -> bytes:
    """All public names that lead to an error, by what they belong to."""
    shelf = site.indexes.public
    groups: defaultdict[str, list[Short]] = defaultdict(list)
    for name, records in shelf.records.items():
        above = owner(name)
        groups[above].append(
            Short(name=name[len(above) + 1 :] if above else name, part=shelf.parts[name], count=len(records))
        )
    title, note = (
        "Public API",
        "Errors by the public name that leads to them: a function that you call, a class that you use.",
    )
    return page("public_api.html.j2", site, path, title=title, note=note, sections=sorted(groups.items()))


def public_rows(site: "Site") -> list[Row]:
    """The public names and what they belong to, in order."""
    return [public_row(site, name) for name in sorted(site.indexes.public.parts)]


def public_row(site: "Site", name: str) -> Row:
    """A public name. note: how many names belong to it."""
    shelf = site.indexes.public
    below = len(shelf.below.get(name, ()))
    return Row(
        name=name,
        path=f"public-api/{shelf.parts[name]}/{places.INDEX}",
        count=len(shelf.records.get(name, ())),
        note=plural(below, "name") + " below" if below else "",
    )


def articles(site: "Site", path: str, _: str, __: int) -> bytes:
    """All background articles."""
    title, note = "Background articles", "What many errors have in common, told once."
    return page("overview.html.j2", site, path, title=title, note=note, sections=[("", article_rows(site))])


def article_rows(site: "Site") -> list[Row]:
    """The articles, those that most records refer to first."""
    found = site.indexes.articles
    tags = sorted(site.articles, key=lambda tag: (-len(found.get(tag, ())), tag))
    return [Row(name=site.articles[tag].title, path=places.article(tag), count=len(found.get(tag, ()))) for tag in tags]


def plural(count: int, word: str) -> str:
    """`3 files`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"

"""Every path of a site and how it is made."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, TypeAlias

from pipeline.pages import machine, match_index, places, search_index
from pipeline.pages.indexes import Shelf
from pipeline.pages.view import changes, front, lists, record

if TYPE_CHECKING:
    from pipeline.pages.site import Site

View: TypeAlias = "Callable[[Site, str, str, int], bytes]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """A view, and what it shows: the name of the thing and the number of the page.

    is_listed: whether search engines should know the page.
    """

    view: View
    key: str = ""
    number: int = 1
    is_listed: bool = False

    def render(self, site: "Site", path: str) -> bytes:
        """The file."""
        return self.view(site, path, self.key, self.number)


def routes(site: "Site") -> Mapping[str, Route]:
    """The routes of a site by path, in an order that depends on its content only."""
    found = dict(_fixed(site))
    for part in (_errors, _lists, _articles, _changes, _files):
        found |= part(site)
    return found | dict(_sitemaps(site, sum(route.is_listed for route in found.values())))


def _fixed(site: "Site") -> Iterator[tuple[str, Route]]:
    for path, view in (
        (places.INDEX, front.home),
        (f"about/{places.INDEX}", front.about),
        (f"areas/{places.INDEX}", lists.areas),
        (f"classes/{places.INDEX}", lists.classes),
        (f"public-api/{places.INDEX}", lists.public_api),
    ):
        yield path, Route(view=view, is_listed=True)
    yield f"errors/{places.INDEX}", Route(view=front.errors)
    yield "api/index.json", Route(view=machine.every_error)
    yield "api/schema/3.json", Route(view=machine.schema)
    yield "feed.xml", Route(view=changes.feed)
    yield "llms.txt", Route(view=machine.llms)
    yield "robots.txt", Route(view=machine.robots)
    if site.base_url:
        yield "404.html", Route(view=front.missing)


def _errors(site: "Site") -> Iterator[tuple[str, Route]]:
    for name, shown in site.indexes.known.items():
        if name == shown.id:
            yield places.error(name), Route(view=record.record, key=name, is_listed=True)
        else:
            yield places.error(name), Route(view=record.redirect, key=shown.id)
        yield places.error_json(name), Route(view=machine.error, key=shown.id)
    for slug, ids in site.indexes.slugs.items():
        if len(ids) == 1:
            yield places.error(slug), Route(view=record.redirect, key=ids[0])
        else:
            yield places.error(slug), Route(view=record.namesakes, key=slug)


def _lists(site: "Site") -> Iterator[tuple[str, Route]]:
    indexes = site.indexes
    shelves: tuple[tuple[str, View, Shelf], ...] = (
        ("areas", lists.area, indexes.areas),
        ("classes", lists.error_class, indexes.classes),
        ("public-api", lists.public_name, indexes.public),
    )
    for folder, view, shelf in shelves:
        for name, part in shelf.parts.items():
            for number in lists.pages(len(shelf.records.get(name, ()))):
                yield (
                    lists.numbered(f"{folder}/{part}", number),
                    Route(view=view, key=name, number=number, is_listed=True),
                )


def _articles(site: "Site") -> Iterator[tuple[str, Route]]:
    if site.articles:
        yield f"background/{places.INDEX}", Route(view=lists.articles, is_listed=True)
    for tag in site.articles:
        yield places.article(tag), Route(view=lists.article, key=tag, is_listed=True)
        count = len(site.indexes.articles.get(tag, ()))
        for number in lists.pages(count) if count else ():
            path = lists.numbered(f"background/{tag}/errors", number)
            yield path, Route(view=lists.article_errors, key=tag, number=number, is_listed=True)


def _changes(site: "Site") -> Iterator[tuple[str, Route]]:
    if site.changes is None:
        return
    yield f"changes/{places.INDEX}", Route(view=changes.overview, is_listed=True)
    for kind, number in changes.kinds(site.changes):
        path = lists.numbered(f"changes/{kind}", number)
        yield path, Route(view=changes.of_kind, key=kind, number=number, is_listed=True)


def _files(_: "Site") -> Iterator[tuple[str, Route]]:
    yield match_index.PATH, Route(view=_match_index)
    yield search_index.PATH, Route(view=_search_index)
    for path in _under(files("pipeline.pages") / "static", "static"):
        yield path, Route(view=_static)


def _under(folder: Traversable, path: str) -> Iterator[str]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _under(entry, f"{path}/{entry.name}")
        elif not entry.name.startswith("."):
            yield f"{path}/{entry.name}"


def _static(_: "Site", path: str, __: str, ___: int) -> bytes:
    return files("pipeline.pages").joinpath(*path.split("/")).read_bytes()


def _match_index(site: "Site", path: str, _: str, __: int) -> bytes:
    return match_index.files(site.records, site.manifest)[path]


def _search_index(site: "Site", path: str, _: str, __: int) -> bytes:
    return search_index.files(site.records)[path]


def _sitemaps(site: "Site", listed: int) -> Iterator[tuple[str, Route]]:
    if not site.base_url:
        return
    count = machine.sitemaps(listed)
    yield "sitemap.xml", Route(view=machine.sitemap, number=0 if count > 1 else 1)
    for number in range(1, count + 1) if count > 1 else ():
        yield f"sitemap-{number}.xml", Route(view=machine.sitemap, number=number)

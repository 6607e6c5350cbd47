"""The home page, and the page about the catalogue itself."""

from collections import Counter
from typing import TYPE_CHECKING, Final

from pipeline.diff.comparison import summary
from pipeline.pages import match_index, places
from pipeline.pages.view import lists
from pipeline.pages.view.template import page

if TYPE_CHECKING:
    from pipeline.pages.site import Site

SHOWN: Final = 10
"""Lines of each list on the home page."""
WRITERS: Final = {
    "reviewed": "written and reviewed by a person",
    "openai": "written by a model from what the source says, then checked",
    "local": "written by a local model from what the source says, then checked",
    "derived": "put together from the source alone",
    "": "not explained",
}


def home(site: "Site", path: str, _: str, __: int) -> bytes:
    """The home page."""
    areas = sorted(lists.area_rows(site), key=lambda row: (-row.count, row.name))
    names = [row for row in lists.public_rows(site) if row.count]
    return page(
        "home.html.j2",
        site,
        path,
        match_index=match_index.PATH,
        areas=areas[:SHOWN],
        classes=lists.class_rows(site)[:SHOWN],
        names=sorted(names, key=lambda row: (-row.count, row.name))[:SHOWN],
        summary=summary(site.changes.changes) if site.changes else {},
        articles=lists.article_rows(site)[:SHOWN],
    )


def about(site: "Site", path: str, _: str, __: int) -> bytes:
    """What the catalogue covers, who explained what, and how a program reads it."""
    writers = Counter(record.explainedBy.writer if record.explainedBy else "" for record in site.records)
    written = [(count, WRITERS[name]) for name, count in writers.most_common()]
    executed = sum(record.verification is not None for record in site.records)
    return page("about.html.j2", site, path, written=written, executed=executed)


def errors(site: "Site", path: str, _: str, __: int) -> bytes:
    """What somebody finds who cuts off the id: the way to all errors."""
    return page("redirect.html.j2", site, path, target=f"{places.root(path)}areas/", heading="All errors")


def missing(site: "Site", path: str, _: str, __: int) -> bytes:
    """What a server shows where there is no page."""
    return page("missing.html.j2", site, path)

"""The site of a dataset: every path it has, and what is there, made when asked for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pipeline.dataset import Dataset, read
from pipeline.dataset.neighbours import neighbours
from pipeline.diff.changes import Diff, compare
from pipeline.errors import DatasetError
from pipeline.manifest import Manifest
from pipeline.pages import articles
from pipeline.pages.articles import Article
from pipeline.pages.indexes import Indexes, index
from pipeline.record import Record

if TYPE_CHECKING:
    from pipeline.pages.routes import Route


@dataclass(frozen=True, kw_only=True)
class Site:
    """What the pages are made from.

    before, changes: the dataset before and what changed since; None where there is none. base_url: where the site will
    be, with a slash at its end; without one nothing that needs a whole address is made (sitemap, canonical links).
    """

    manifest: Manifest
    records: tuple[Record, ...]
    tombstones: tuple[Record, ...]
    articles: Mapping[str, Article]
    before: Manifest | None
    changes: Diff | None
    indexes: Indexes
    base_url: str | None = None

    def paths(self) -> Iterator[str]:
        """Every path of the site, relative to its root."""
        return iter(self.routes)

    def render(self, path: str) -> bytes | None:
        """The file at a path; None where there is none. It depends on nothing but the site."""
        route = self.routes.get(path)
        return None if route is None else route.render(self, path)

    @cached_property
    def routes(self) -> "Mapping[str, Route]":
        """How each path is made."""
        from pipeline.pages.routes import routes

        return routes(self)

    @property
    def name(self) -> str:
        """What the catalogue is of, in a word."""
        return self.manifest.repo.partition("/")[2]


def load(dataset: Dataset, *, previous: Dataset | None = None, base_url: str | None = None) -> Site:
    """The site of a dataset. previous: the one before it; by default the one its manifest names, if it stands beside.

    DatasetError where `previous` is of another repository.
    """
    if previous and previous.manifest.repo != dataset.manifest.repo:
        hint = "Name an earlier dataset of the same repository"
        raise DatasetError(f"{previous.path} is of {previous.manifest.repo}, not {dataset.manifest.repo}", hint=hint)
    records = tuple(dataset.records())
    tombstones = tuple(dataset.tombstones())
    before = previous or predecessor(dataset)
    earlier = tuple(before.records()) if before else ()
    return Site(
        manifest=dataset.manifest,
        records=records,
        tombstones=tombstones,
        articles=articles.read(dataset.manifest.repo, {r.backgroundTag for r in (*records, *tombstones)}),
        before=before.manifest if before else None,
        changes=compare(earlier, records) if before else None,
        indexes=index(records, tombstones, earlier),
        base_url=base_url and base_url.rstrip("/") + "/",
    )


def predecessor(dataset: Dataset) -> Dataset | None:
    """The dataset that this one was made after. Where that was an earlier run of itself, the revision before."""
    manifest = dataset.manifest
    if manifest.previous is None:
        return None
    folder = dataset.path.absolute().parent
    if manifest.previous.revision == manifest.revision:
        return neighbours(folder.parent, manifest.repo, manifest.revision, manifest.revisionTime).earlier
    try:
        return read(folder / manifest.previous.revision.replace("/", "_"))
    except DatasetError:  # it does not stand there any more
        return None

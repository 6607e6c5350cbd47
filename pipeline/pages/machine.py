"""Files for programs: JSON, the sitemap, and what crawlers and language models are told."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from pipeline.pages import places
from pipeline.pages.view.template import page
from pipeline.record import json_schema

if TYPE_CHECKING:
    from pipeline.pages.site import Site

SITEMAP_LIMIT: Final = 50_000
"""Addresses in one file, as the protocol has it."""


def error(site: "Site", _: str, key: str, __: int) -> bytes:
    """A record in its envelope."""
    record = site.indexes.known[key].model_dump_json()
    return f'{{"record":{record},"datasetVersion":{json.dumps(site.manifest.datasetVersion)}}}\n'.encode()


def every_error(site: "Site", _: str, __: str, ___: int) -> bytes:
    """What the dataset is, and a line on each record."""
    rows = [
        {
            "id": record.id,
            "slug": record.slug,
            "title": record.title,
            "errorClass": record.errorClass,
            "filePath": record.filePath,
            "lineNumber": record.lineNumber,
            "fingerprint": record.fingerprint,
        }
        for record in site.records
    ]
    head = site.manifest.model_dump(
        mode="json", include={"schemaVersion", "datasetVersion", "repo", "revision", "analyzedSha", "counts"}
    )
    return _json(head | {"errors": rows})


def schema(_: "Site", __: str, ___: str, ____: int) -> bytes:
    """The JSON Schema of a record."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False).encode() + b"\n"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def sitemap(site: "Site", path: str, _: str, number: int) -> bytes:
    """The addresses of all pages; beyond what one file may hold, number 0 is the list of the files."""
    addresses = [f"{site.base_url}{places.link(target)}" for target in listed(site)]
    if number == 0:
        files = [f"{site.base_url}sitemap-{n}.xml" for n in range(1, sitemaps(len(addresses)) + 1)]
        return page("sitemap_index.xml.j2", site, path, files=files)
    shown = addresses[(number - 1) * SITEMAP_LIMIT : number * SITEMAP_LIMIT]
    return page("sitemap.xml.j2", site, path, addresses=shown)


def sitemaps(count: int) -> int:
    """How many files so many addresses take."""
    return max(1, -(-count // SITEMAP_LIMIT))


def listed(site: "Site") -> Iterator[str]:
    """Pages that a search engine should know: not those that only lead to others."""
    return (path for path, route in site.routes.items() if route.is_listed)


def robots(site: "Site", _: str, __: str, ___: int) -> bytes:
    """Everything may be read."""
    where = f"\nSitemap: {site.base_url}sitemap.xml\n" if site.base_url else ""
    return f"User-agent: *\nAllow: /\n{where}".encode()


def llms(site: "Site", path: str, _: str, __: int) -> bytes:
    """What a language model needs to find its way."""
    articles = sorted(site.articles.values(), key=lambda article: article.tag)
    return page("llms.txt.j2", site, path, base=site.base_url or "", articles=articles)

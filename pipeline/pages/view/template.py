"""Templates filled in: everything that was not made as HTML is escaped."""

import functools
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from pipeline.pages import places, search_index
from pipeline.pages.plain import visible

if TYPE_CHECKING:
    from jinja2 import Environment

    from pipeline.pages.site import Site

POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'"
)
"""The Content-Security-Policy of every page."""


def page(template: str, site: "Site", path: str, **values: Any) -> bytes:
    """The page at a path."""
    root = places.root(path)
    shown = (
        _environment()
        .get_template(template)
        .render(
            site=site,
            manifest=site.manifest,
            path=path,
            root=root,
            to=lambda target: root + places.link(target),
            policy=POLICY,
            shelves=_shelves(site),
            search_index=search_index.PATH,
            canonical=site.base_url + places.link(path) if site.base_url else None,
            **values,
        )
    )
    return shown.encode()


def _shelves(site: "Site") -> list[tuple[str, str]]:
    """What every page leads to: folders and their names."""
    shelves = [("areas", "Packages"), ("classes", "Classes"), ("public-api", "API")]
    if site.articles:
        shelves.append(("background", "Articles"))
    return [*shelves, ("changes", "Changes")] if site.changes else shelves


@functools.cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=PackageLoader("pipeline.pages"),
        autoescape=select_autoescape(disabled_extensions=("txt.j2",), default=True),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_printable,
        auto_reload=False,
    )
    environment.filters["number"] = lambda value: f"{value:,}"
    environment.filters["plural"] = lambda count, word: f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
    environment.filters["day"] = lambda time: time[:10]
    return environment


def _printable(value: object) -> object:
    """Any text but finished HTML without the characters that HTML forbids or nobody sees."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

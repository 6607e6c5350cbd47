"""The page of a record, and the pages that lead to it by another name."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from markupsafe import Markup

from pipeline.pages import code, places, prose
from pipeline.pages.articles import Article
from pipeline.pages.entries import Entry, entries
from pipeline.pages.excerpt import excerpt, shown
from pipeline.pages.indexes import UNKNOWN, area
from pipeline.pages.message import marked
from pipeline.pages.plain import cut, web_address
from pipeline.pages.view.template import page
from pipeline.record import Check, ExplainedBy, Record

if TYPE_CHECKING:
    from pipeline.pages.site import Site

_MARKER: Final = re.compile(r"^(?:#|//)\s*(before|after)\s*:?$", re.MULTILINE | re.IGNORECASE)
_GITHUB: Final = re.compile(r"https://github\.com/[^/]+/[^/]+/blob/(.+?)/")
_SHA: Final = re.compile("[0-9a-f]{40}")
_DESCRIPTION: Final = 200  # characters that a search engine shows
_VERDICTS: Final = {"passed": "passed", "warning": "with a warning", "failed": "failed"}
_BADGES: Final = {
    "reviewed": "reviewed by a person",
    "openai": "written by a model",
    "local": "written by a local model",
    "derived": "derived from the source",
    None: "not explained",
}
_QUOTED: Final = 600  # characters of a message in the text of an issue


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A page by name: a package, a class, a public name."""

    name: str
    path: str


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """What the template of a record shows that is not the record's own text."""

    heading: str
    description: str
    area: Place
    error_class: Place
    variants: tuple[Markup, ...]
    documentation: Markup | None
    triggers: Markup | None
    situations: Markup | None
    solutions: tuple[Markup, ...]
    prevention: tuple[Markup, ...]
    before: Markup | None
    after: Markup | None
    example: Markup | None
    condition: Markup | None
    validation: Markup | None
    type_guard: Markup | None
    try_except: Markup | None
    source: Markup
    guarded: bool
    source_url: str | None
    pinned_to: str | None
    public: tuple[Place, ...]
    tests: tuple[tuple[str, str | None], ...]
    docs_url: str | None
    related: tuple[Entry, ...]
    article: Article | None
    badge: str
    written: str
    checks: tuple[Check, ...]
    checked: str
    issue_url: str | None


def record(site: "Site", path: str, key: str, _: int) -> bytes:
    """The page of a record or a tombstone, by id."""
    shown = site.indexes.known[key]
    return page("record.html.j2", site, path, record=shown, view=_view(site, shown))


def _view(site: "Site", record: Record) -> View:
    indexes = site.indexes
    heading = indexes.headings[record.id]
    before, after, example = _example(record.exampleFix)
    source_url = web_address(record.githubUrl)
    pinned = _GITHUB.match(source_url or "")
    its_area, its_class = area(record), record.errorClass or UNKNOWN
    related = [indexes.known[other] for other in record.related if other in indexes.headings]
    checks = record.explainedBy.checks if record.explainedBy else ()
    source = excerpt(record)
    return View(
        heading=heading,
        description=cut(record.documentation or heading, _DESCRIPTION),
        area=Place(name=its_area, path=_page_of("areas", indexes.areas.parts.get(its_area))),
        error_class=Place(name=its_class, path=_page_of("classes", indexes.classes.parts.get(its_class))),
        variants=tuple(marked(variant) for variant in record.messageVariants),
        documentation=_prose(record.documentation),
        triggers=_prose(record.triggerScenarios),
        situations=_prose(record.commonSituations),
        solutions=tuple(map(prose.line, record.solutions)),
        prevention=tuple(map(prose.line, record.preventionTips)),
        before=before,
        after=after,
        example=example,
        condition=_code(record.condition),
        validation=_code(record.validationCode),
        type_guard=_code(record.typeGuard),
        try_except=_code(record.tryCatchPattern),
        source=shown(source),
        guarded=any(line.mark == "guard" for line in source),
        source_url=source_url,
        pinned_to=_ref(pinned[1]) if pinned else None,
        public=tuple(
            Place(name=name, path=_page_of("public-api", indexes.public.parts.get(name))) for name in record.publicApi
        ),
        tests=tuple(
            (
                f"{test.filePath}:{test.lineNumber} {test.qualname}",
                _test_url(source_url, pinned, test.filePath, test.lineNumber),
            )
            for test in record.tests
        ),
        docs_url=web_address(record.docsUrl),
        related=entries(related, indexes.headings, among=[heading]),
        article=site.articles.get(record.backgroundTag or ""),
        badge=_BADGES[record.explainedBy.writer if record.explainedBy else None],
        written=_written(record.explainedBy),
        checks=checks,
        checked=_checked(checks),
        issue_url=_issue_url(record, heading) if pinned else None,
    )


def _written(by: ExplainedBy | None) -> str:
    """Who wrote the explanation, in a sentence."""
    match by:
        case None:
            return "Not explained: the page shows what the source says."
        case ExplainedBy(writer="reviewed"):
            return "Written and reviewed by a person."
        case ExplainedBy(writer="derived"):
            return "Put together from the source alone, without a model. What the source does not say is left out."
        case _:
            where = "a local model" if by.writer == "local" else "a model"
            return (
                f"Written by {where}{f' ({by.model})' if by.model else ''} from what the source says, not by a person."
            )


def _checked(checks: Sequence[Check]) -> str:
    """How the checks went, in a few words."""
    verdicts = Counter[str](check.verdict for check in checks)
    return "Checks: " + ", ".join(f"{verdicts[v]} {word}" for v, word in _VERDICTS.items() if verdicts[v])


def _page_of(folder: str, part: str | None) -> str:
    """The page about a name; the folder's index where only what is gone had that name."""
    return f"{folder}/{part}/{places.INDEX}" if part else f"{folder}/{places.INDEX}"


def _prose(text: str | None) -> Markup | None:
    return prose.prose(text) if text else None


def _code(text: str | None) -> Markup | None:
    return code.snippet(text) if text else None


def _example(text: str | None) -> tuple[Markup | None, Markup | None, Markup | None]:
    """The example as code before and code after, or, where it is not marked so, in one."""
    if not text:
        return None, None, None
    parts = _MARKER.split(text)
    names = [part.lower() for part in parts[1::2]]
    if names == ["before", "after"] and not parts[0].strip():
        return code.snippet(parts[2].strip("\n")), code.snippet(parts[4].strip("\n")), None
    return None, None, code.snippet(text)


def _ref(ref: str) -> str:
    return ref[:10] if _SHA.fullmatch(ref) else ref


def _test_url(source: str | None, pinned: "re.Match[str] | None", path: str, line: int) -> str | None:
    return f"{pinned[0]}{quote(path)}#L{line}" if source and pinned else None


def _issue_url(record: Record, heading: str) -> str:
    """A new issue of the repository, with what is known of the error."""
    body = (
        f"Error: {record.errorClass or 'of unknown class'}\n"
        f"Message: {cut(record.errorMessage, _QUOTED) or '(none)'}\n"
        f"Raised at: {record.githubUrl}\n"
        f"Version: {record.repo} {record.revision}, record {record.id}\n\n"
        "What happened, and what did you expect?\n"
    )
    return f"https://github.com/{quote(record.repo)}/issues/new?" + urlencode({"title": heading, "body": body})


def redirect(site: "Site", path: str, key: str, _: int) -> bytes:
    """The page of another name of a record: it leads there."""
    target = places.root(path) + places.link(places.error(key))
    return page("redirect.html.j2", site, path, target=target, heading=site.indexes.headings[key])


def namesakes(site: "Site", path: str, key: str, _: int) -> bytes:
    """The records that share a slug."""
    found = [site.indexes.known[name] for name in site.indexes.slugs[key]]
    return page("namesakes.html.j2", site, path, entries=entries(found, site.indexes.headings), slug=key)

"""Texts from source and models that would like to be more than text: none of them is, on any page."""

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import pytest
from conftest import NOW, make_record, make_run
from pages_samples import broken, full_record, page

from pipeline import dataset
from pipeline.dataset import read
from pipeline.pages import prose
from pipeline.pages.site import Site, load
from pipeline.record import Check, ExplainedBy, MessageVariant, Record, TestReference, Verification

PAYLOADS = {
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "attribute": "' onmouseover='alert(1)' x='",
    "template": "{{ 7 * 7 }}{% raw %}${7*7}",
    "javascript": "javascript:alert(1)",
    "markdown link": "[click](javascript:alert(1)) ![x](https://evil.example/x.png) <https://evil.example>",
    "cdata": "]]><b>x</b><!--",
    "end of page": "</pre></code></textarea></title></body></html><style>*{color:red}</style>",
    "svg": "<svg/onload=alert(1)><math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
    "data": "data:text/html,<script>alert(1)</script>",
    "controls": "a\x00b\x1b[31mred\u202eevil\u2066\ufffe end",
    "entities": "&lt;script&gt; &#60;script&#62; &nosuch; &",
    "path": "../../../../etc/passwd",
    "fence": "```html\n<script>alert(1)</script>\n```\n\n# head\n\n<iframe src=//evil.example></iframe>",
}
OURS = {"static/site.js", "static/search/search.js", "static/match/paste.js"}
TAGS = {
    *("html", "head", "meta", "title", "link", "script", "body", "a", "header", "form", "label", "input", "div", "nav"),
    *("main", "footer", "p", "code", "time", "ol", "ul", "li", "h1", "h2", "h3", "section", "pre", "var", "details"),
    *("summary", "figure", "figcaption", "mark", "span", "strong", "em", "dl", "dt", "dd", "aside", "article"),
    *("noscript", "textarea", "button", "del", "ins", "blockquote"),
}  # fmt: skip


def planted(payload: str) -> list[Record]:
    """Records with the payload in every text that a source or a model can choose."""
    clean = payload.replace("\x00", "")
    slashless = clean.replace("/", "|")
    fields: dict[str, Any] = {
        "repo": f"org/{slashless}",
        "revision": clean,
        "slug": "planted",
        "title": clean,
        "errorMessage": f"{payload} {{{payload}}}",
        "messagePattern": "(.+?)",
        "messageVariants": (
            MessageVariant(errorMessage=f"{payload} {{{payload}}}", messagePattern="(.+?)"),
            MessageVariant(errorMessage=f"{{{payload}}}", messagePattern="(.+?)"),
        ),
        "placeholders": (payload,),
        "errorClass": clean,
        "errorClassPublic": clean,
        "errorBases": (clean,),
        "severity": clean,
        "filePath": clean,
        "qualname": clean,
        "sourceCode": f'"""\n{payload}\n"""\nraise E({payload}) # {payload}\nf"""{payload}',
        "lineNumber": 4,
        "endLineNumber": 4,
        "sourceCodeStart": 1,
        "sourceCodeEnd": 1 + f'"""\n{payload}\n"""\nraise E({payload}) # {payload}\nf"""{payload}'.count("\n"),
        "githubUrl": clean,
        "docsUrl": clean,
        "condition": payload,
        "literalLength": 5,
        "explainedBy": ExplainedBy(
            writer="local",
            model=payload,
            checks=(Check(name=payload, verdict="failed", detail=payload),),
        ),
        "verification": Verification(package=payload, python=payload, raised=False, fixed=False, executedAt=NOW),
        "tests": (TestReference(filePath=clean, lineNumber=1, qualname=payload),),
        "introducedIn": payload,
        "backgroundTag": clean,
        "publicApi": (clean, f"pkg.{clean}"),
    }
    prose_fields = (
        "documentation",
        "triggerScenarios",
        "commonSituations",
        "exampleFix",
        "validationCode",
        "typeGuard",
    )
    fields |= dict.fromkeys((*prose_fields, "tryCatchPattern"), payload)
    fields |= dict.fromkeys(("solutions", "preventionTips", "tags"), (payload, f"- {payload}"))
    one = full_record(**fields)
    other = one.model_copy(
        update={
            "id": "00000000000000f2",
            "aliases": (),
            "exampleFix": f"# before\n{payload}\n# after\n{payload}",
            "literalLength": None,
            "literalUnknownWhy": payload,
            "related": ("00000000000000f1",),
        }
    )
    return [one, other]


@pytest.fixture(params=PAYLOADS, scope="module")
def payload(request: pytest.FixtureRequest) -> str:
    return PAYLOADS[request.param]


@pytest.fixture(scope="module")
def site(payload: str, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site of them, with everything that can be said of a dataset said by the payload as well."""
    records = planted(payload)
    out = tmp_path_factory.mktemp("hostile")
    names = {"repo": records[0].repo, "revision": records[0].revision, "toolVersion": payload}
    old = make_record("bad", "bad", id="00000000000000f1", errorClass="KeyError", repo=records[0].repo, revision="0")
    old = old.model_copy(update={"qualname": records[0].qualname, "filePath": records[0].filePath})
    before = read(dataset.write(out / "before", [old], make_run(1, repo=records[0].repo, revision="0")))
    gone = records[0].model_copy(update={"id": "00000000000000e1", "aliases": (), "lastSeenIn": payload})
    now = make_run(2, **names)
    folder = dataset.write(out, records, now.model_copy(update={"revision": "1"}), [gone])
    built = load(read(folder), previous=before, base_url="https://errors.example/")
    manifest = built.manifest.model_copy(update=names)
    return Site(**{name: getattr(built, name) for name in built.__dataclass_fields__} | {"manifest": manifest})


class Alive(HTMLParser):
    """What on a page could do something that we did not mean."""

    def __init__(self, root: str) -> None:
        super().__init__()
        self.root = root
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        its = {name: value or "" for name, value in attrs}
        if tag not in TAGS:
            self.found.append(f"<{tag}>")
        if tag == "script" and its.get("src", "").removeprefix(self.root) not in OURS:
            self.found.append(f"script {its}")
        if tag == "link" and its.get("rel") == "stylesheet" and its["href"] != f"{self.root}static/site.css":
            self.found.append(f"style {its}")
        for name, value in its.items():
            if name.startswith("on") or name in {"style", "srcdoc", "formaction", "xlink:href"}:
                self.found.append(f"{name}={value}")
            if name in {"href", "src", "action"} and urlsplit(value).scheme not in {"", "http", "https"}:
                self.found.append(f"{name}={value}")
            if name in {"href", "src", "action"} and value.startswith(("//", "\\")):
                self.found.append(f"{name}={value}")

    def handle_comment(self, data: str) -> None:
        self.found.append(f"comment {data}")

    def handle_pi(self, data: str) -> None:
        self.found.append(f"instruction {data}")


def html_pages(site: Site) -> Iterator[tuple[str, str]]:
    for path in site.paths():
        if path.endswith(".html"):
            yield path, (site.render(path) or b"").decode()


def test_no_payload_is_alive_on_any_page(site: Site) -> None:
    seen = set()
    for path, text in html_pages(site):
        alive = Alive("../" * path.count("/") or "./")
        alive.feed(text)
        alive.close()
        assert (path, alive.found) == (path, [])
        seen.add(path.split("/")[0])
    assert {"index.html", "errors", "areas", "classes", "public-api", "changes", "about"} <= seen


def test_payloads_are_there_as_text(site: Site, payload: str) -> None:
    class Words(HTMLParser):
        said = ""

        def handle_data(self, data: str) -> None:
            self.said += data

    words = Words()
    words.feed((site.render("errors/00000000000000f1/index.html") or b"").decode())
    shown = payload.replace("\x00", r"\x00").replace("\x1b", r"\x1b").replace("\u202e", r"\u202e")
    shown = shown.replace("\u2066", r"\u2066").replace("\ufffe", r"\ufffe")
    assert f"{shown} {{{shown}}}" in words.said  # the message
    assert f"raise E({shown}) # {shown}".splitlines()[0] in words.said.replace("4raise", "raise")
    assert words.said.count(shown.split("\n")[0]) > 12


def test_links_lead_somewhere_whatever_things_are_called(site: Site) -> None:
    paths = list(site.paths())
    assert not [path for path in paths if {"..", "", "."} & set(path.split("/"))]
    assert list(broken({path: page(text) for path, text in html_pages(site)}, set(paths))) == []


def test_feed_sitemap_and_json_are_what_they_should_be(site: Site, payload: str) -> None:
    for path in ("feed.xml", "sitemap.xml"):
        ET.fromstring(site.render(path) or b"")
    shown = json.loads(site.render("api/errors/00000000000000f1.json") or b"")["record"]
    assert shown["documentation"] == payload
    json.loads(site.render("api/index.json") or b"")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`x` of `jax.numpy`", "<p><code>x</code> of <code>jax.numpy</code></p>\n"),
        ("the method __init__ and _x_", "<p>the method __init__ and _x_</p>\n"),
        (r"a \* b and \n", "<p>a \\* b and \\n</p>\n"),
        ("**really**", "<p><strong>really</strong></p>\n"),
        ("x[0] and y[1](z)", "<p>x[0] and y[1](z)</p>\n"),
        ("[x](javascript:y) [x](//y) [x](data:y)", "<p>[x](javascript:y) [x](//y) [x](data:y)</p>\n"),
        ("[a](https://b.c/?d&e)", '<p><a href="https://b.c/?d&amp;e" rel="nofollow noopener">a</a></p>\n'),
        ("a < b > c & d", "<p>a &lt; b &gt; c &amp; d</p>\n"),
        ("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"),
        ("`<script>`", "<p><code>&lt;script&gt;</code></p>\n"),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n"),
        ("&lt;b&gt;", "<p>&amp;lt;b&amp;gt;</p>\n"),
    ],
)  # fmt: skip
def test_prose(text: str, shown: str) -> None:
    assert prose.prose(text) == shown


def test_code_in_prose_is_highlighted_and_nothing_else(tmp_path: Path) -> None:
    shown = prose.prose("```python\nimport x\n```\n\n```\nimport y\n```")
    assert '<span class="k">import </span>x' in shown
    assert "<code>import y" in shown

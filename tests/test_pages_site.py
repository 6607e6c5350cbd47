"""The site of a real release, whole: links, anchors, HTML, JSON, sitemap, feed. And one with every kind of page."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from conftest import make_record, make_run
from jsonschema import Draft202012Validator
from justhtml import JustHTML
from pages_samples import Page, broken, everything, everything_site, page

from pipeline import dataset
from pipeline.cli import run
from pipeline.dataset import read
from pipeline.pages import build as building
from pipeline.pages.build import build
from pipeline.pages.site import Site, load
from pipeline.record import Record

BASE = "https://errors.example/some/sub/path/"
ATOM = "{http://www.w3.org/2005/Atom}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
SAMPLE = 25  # pages of each kind whose HTML is read by the strict parser


@pytest.fixture(scope="module")
def files(jax_site: Path) -> set[str]:
    return {str(path.relative_to(jax_site)) for path in jax_site.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def pages(jax_site: Path, files: set[str]) -> dict[str, Page]:
    return {path: page((jax_site / path).read_text()) for path in sorted(files) if path.endswith(".html")}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return everything_site(tmp_path_factory.mktemp("everything"))


def rendered(site: Site) -> dict[str, str]:
    return {path: (site.render(path) or b"").decode() for path in site.paths() if path.endswith(".html")}


def test_every_record_has_its_page_and_its_json(jax_dataset: Path, files: set[str]) -> None:
    ids = {record.id for record in read(jax_dataset).records()}
    assert len(ids) > 5_000
    assert not {f"errors/{name}/index.html" for name in ids} - files
    assert not {f"api/errors/{name}.json" for name in ids} - files


def test_every_link_and_anchor_of_a_release_leads_somewhere(pages: dict[str, Page], files: set[str]) -> None:
    assert sum(len(its.addresses) for its in pages.values()) > 200_000
    assert list(broken(pages, files)) == []


def test_pages_stay_small(jax_site: Path, jax_dataset: Path) -> None:
    sizes = sorted((jax_site / "errors" / r.id / "index.html").stat().st_size for r in read(jax_dataset).records())
    assert sizes[len(sizes) // 2] <= 30_000
    assert sizes[-1] <= 120_000


def test_html_of_a_release_is_valid(jax_site: Path, pages: dict[str, Page]) -> None:
    kinds = defaultdict(list)
    for path in pages:
        kinds[re.sub("[0-9a-f]{16}", "id", path).split("/")[0]].append(path)
    sample = [path for its in kinds.values() for path in its[:: max(1, len(its) // SAMPLE)]]
    assert len(sample) > 100
    assert [f"{path}: {fault}" for path in sample for fault in faults((jax_site / path).read_text())] == []


def test_html_of_every_kind_of_page_is_valid(small: Site) -> None:
    assert [f"{path}: {fault}" for path, text in rendered(small).items() for fault in faults(text)] == []


def faults(text: str) -> Iterable[str]:
    """What is wrong with a page: to a strict parser, and to the rules that a parser does not know."""
    for error in JustHTML(text, collect_errors=True, sanitize=False).errors:
        yield str(error)
    seen = Strict()
    seen.feed(text)
    yield from seen.faults
    if seen.headings != 1:
        yield f"{seen.headings} headings of the first level"


class Strict(HTMLParser):
    """Twice the same id or attribute, an attribute that runs or styles something, a label of nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.ids: set[str] = set()
        self.headings = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.headings += tag == "h1"
        names = [name for name, _ in attrs]
        self.faults += [f"<{tag} {name}> twice" for name in names if names.count(name) > 1]
        self.faults += [f"<{tag} {name}>" for name in names if name.startswith("on") or name == "style"]
        its = dict(attrs)
        if (name := its.get("id")) is not None:
            self.faults += [f"id {name} twice"] if name in self.ids else []
            self.ids.add(name)
        if tag == "style" or (tag == "script" and not its.get("src")):
            self.faults.append(f"inline {tag}")


def test_every_link_of_every_kind_of_page_leads_somewhere(small: Site) -> None:
    found = {path: page(text) for path, text in rendered(small).items()}
    assert list(broken(found, set(small.paths()))) == []


def test_nothing_is_found_beside_the_paths(small: Site) -> None:
    for path in (
        "",
        "/",
        "errors/",
        "errors/../index.html",
        "static/../site.py",
        "index.html/",
        "errors/nothing/index.html",
    ):
        assert small.render(path) is None


def test_paths_are_safe_on_any_file_system(small: Site, files: set[str]) -> None:
    paths = [*small.paths(), *files]
    assert [
        path
        for path in paths
        if not re.fullmatch(r"(?:[A-Za-z0-9_~-][A-Za-z0-9_.~-]*/)*[A-Za-z0-9_~-][A-Za-z0-9_.~-]*", path)
    ] == []
    assert len({path.casefold() for path in files}) == len(files)
    assert max(len(part) for path in paths for part in path.split("/")) <= 130


def test_json_is_valid_against_the_schema(jax_site: Path, jax_dataset: Path) -> None:
    schema = json.loads((jax_site / "api/schema/3.json").read_bytes())
    check = Draft202012Validator(schema)
    version = read(jax_dataset).manifest.datasetVersion
    for record in list(read(jax_dataset).records())[::50]:
        envelope = json.loads((jax_site / f"api/errors/{record.id}.json").read_bytes())
        assert set(envelope) == {"record", "datasetVersion"}
        assert envelope["datasetVersion"] == version
        assert list(check.iter_errors(envelope["record"])) == []
        assert Record.model_validate(envelope["record"]) == record
    listed = json.loads((jax_site / "api/index.json").read_bytes())
    assert [row["id"] for row in listed["errors"]] == [record.id for record in read(jax_dataset).records()]


def test_aliases_and_what_is_gone_have_json_too(small: Site) -> None:
    for name, shown in (("00000000000000aa", "00000000000000f1"), ("00000000000000e1", "00000000000000e1")):
        envelope = json.loads(small.render(f"api/errors/{name}.json") or b"")
        assert envelope["record"]["id"] == shown


def test_sitemap_has_every_page_but_those_that_lead_on(jax_site: Path, pages: dict[str, Page]) -> None:
    found = [node.text or "" for node in ET.parse(jax_site / "sitemap.xml").iter(f"{SITEMAP}loc")]
    assert len(found) == len(set(found))
    assert all(address.startswith(BASE) for address in found)
    texts = {path: (jax_site / path).read_text() for path in pages}
    wanted = {path for path, text in texts.items() if 'name="robots" content="noindex"' not in text}
    assert {address.removeprefix(BASE) for address in found} == {path.removesuffix("index.html") for path in wanted}
    assert "Sitemap: " + BASE + "sitemap.xml" in (jax_site / "robots.txt").read_text()
    for path in list(wanted)[::200]:
        assert f'<link rel="canonical" href="{BASE}{path.removesuffix("index.html")}">' in texts[path]


def test_without_an_address_there_is_nothing_that_needs_one(tmp_path: Path) -> None:
    site = everything_site(tmp_path, base_url=None)
    assert not {"sitemap.xml", "404.html"} & set(site.paths())
    assert site.render("robots.txt") == b"User-agent: *\nAllow: /\n"
    assert "canonical" not in rendered(site)["index.html"]


def test_a_large_sitemap_is_cut_in_files(small: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ET.fromstring(small.render("sitemap.xml") or b"")
    monkeypatch.setattr("pipeline.pages.machine.SITEMAP_LIMIT", 10)
    site = Site(**{name: getattr(small, name) for name in small.__dataclass_fields__})  # its routes are not made yet
    parts = [node.text or "" for node in ET.fromstring(site.render("sitemap.xml") or b"").iter(f"{SITEMAP}loc")]
    assert parts[0] == f"{BASE}sitemap-1.xml"
    found = [
        node.text
        for part in parts
        for node in ET.fromstring(site.render(part.removeprefix(BASE)) or b"").iter(f"{SITEMAP}loc")
    ]
    assert found == [node.text for node in whole.iter(f"{SITEMAP}loc")]


def test_feed_tells_what_broke(small: Site) -> None:
    feed = ET.fromstring(small.render("feed.xml") or b"")
    titles = [node.text for node in feed.iterfind(f"{ATOM}entry/{ATOM}title")]
    assert titles == ["some-org/pkg 1.1: 6 errors", "Reclassed: no such file: {path}"]
    links = [node.get("href") or "" for node in feed.iterfind(f"{ATOM}entry/{ATOM}link")]
    assert links == [f"{BASE}changes/", f"{BASE}errors/00000000000000f6/"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("changes/index.html", ["What changed since 1.0", "breaks handlers"]),
        ("changes/reworded/index.html", ["<del>isn&#39;t</del>", "<ins>is not</ins>"]),
        ("changes/reclassed/index.html", ["was <del>OSError</del>"]),
        ("changes/reguarded/index.html", ["<del>n &lt; 0</del>"]),
        ("changes/removed/index.html", ["a negative stride cannot be used"]),
        ("errors/00000000000000e1/index.html", ["This error is gone", "1.0 was the last that had it"]),
        ("errors/00000000000000aa/index.html", ['content="0; url=../../errors/00000000000000f1/"']),
        ("errors/the-sequence-isn-t-sorted/index.html", ['content="0; url=../../errors/00000000000000f3/"']),
        ("errors/a-negative-stride-cannot-be-used/index.html", ['content="0; url=../../errors/00000000000000e1/"']),
        ("errors/bad-x/index.html", ["2 errors of nearly the same text", ":107 in", ":102 in", "when <code>n &lt; 0"]),
        ("classes/unknown/index.html", ["1 error"]),
        ("areas/pkg._src/index.html", ["pkg/_src/core.py"]),
        ("public-api/pkg/index.html", ["Names that belong to it", "pkg.io"]),
        ("public-api/pkg.io.Reader.read/index.html", ["Raised by what it calls"]),
        ("background/tracing/index.html", ["Errors that this is the background of"]),
        ("errors/00000000000000f4/index.html", ["Error without a message, from setup.py", "raised without a message"]),
        ("errors/00000000000000f5/index.html", ["with a text that is known at run time only", "the result of a call"]),
    ],
)  # fmt: skip
def test_each_kind_of_page_says_what_it_is_for(small: Site, path: str, said: list[str]) -> None:
    text = (small.render(path) or b"").decode()
    assert [words for words in said if words not in text] == []


def test_a_record_has_all_its_sections_and_says_what_was_proved(small: Site) -> None:
    text = (small.render("errors/00000000000000f1/index.html") or b"").decode()
    sections = re.findall(r'<section id="([a-z-]+)"', text)
    assert sections == [
        *("message", "meaning", "when", "solutions", "example-fix", "source", "defensive-patterns", "situations"),
        *("public-api", "texts", "tests", "related"),
    ]
    for words in (
        "bad <var>{x}</var></pre>",
        "worse <var>{y}</var> and {}</pre>",
        '<mark class="raise"><a id="L107" href="#L107">107</a>',
        '<mark class="guard"><a id="L103" href="#L103" tabindex="-1">103</a>',
        "View on GitHub (pinned to v1.1)",
        "https://github.com/some-org/pkg/blob/v1.1/tests/test_core.py#L7",
        "Written by a model (some-model) from what the source says, not by a person.",
        "Checks: 1 passed, 1 with a warning",
        "pkg 1.1, Python 3.12.1",
        "raised this error, and the fix ran",
        "https://github.com/some-org/pkg/issues/new?title=bad+%7Bx%7D&amp;body=Error%3A+ValueError",
        'href="../../api/errors/00000000000000f1.json"',
        'href="../../background/tracing/"',
    ):  # fmt: skip
        assert words in text, words


def test_sections_without_content_are_absent(small: Site) -> None:
    text = (small.render("errors/00000000000000f3/index.html") or b"").decode()
    assert re.findall(r'<section id="([a-z-]+)"', text) == ["message", "source"]
    assert "nothing was executed to prove this page" in text
    assert "Not explained" in text


def test_the_same_site_comes_out_whatever_the_order_and_the_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "SMALL", 0)
    site = everything_site(tmp_path / "data")
    build(site, tmp_path / "one", workers=1)
    build(site, tmp_path / "two", workers=2)
    one, two = (
        {p.relative_to(d): p.read_bytes() for p in d.rglob("*") if p.is_file()}
        for d in (tmp_path / "one", tmp_path / "two")
    )
    assert one == two
    assert {str(path) for path in one} == set(site.paths())


def test_the_predecessor_is_found_beside_and_can_be_named(tmp_path: Path) -> None:
    site = everything_site(tmp_path)
    assert site.before is not None
    assert site.before.revision == "1.0"
    later = tmp_path / "some-org__pkg" / "1.1"
    (tmp_path / "some-org__pkg" / "1.0").rename(tmp_path / "elsewhere")
    assert load(read(later)).changes is None
    named = load(read(later), previous=read(tmp_path / "elsewhere"))
    assert named.changes == site.changes


def command(*arguments: str | Path) -> int:
    return run(["pages", *map(str, arguments)])


def test_the_command_writes_a_site_in_place_of_an_older_one(
    tmp_path: Path, written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(written, "--out", tmp_path / "site") == 0
    assert capsys.readouterr().out == f"{tmp_path / 'site'}\npages of 3 records, 0 that are gone\n"
    (tmp_path / "site" / "left over").touch()
    assert command(written, "--out", tmp_path / "site", "--base-url", BASE) == 0
    assert not (tmp_path / "site" / "left over").exists()
    assert (tmp_path / "site" / "sitemap.xml").exists()


@pytest.mark.parametrize(
    ("prepare", "arguments", "said"),
    [
        ("other", (), "site is in the way and is no site of errcat. Move it, or give another --out"),
        ("file", (), "site is in the way and is no site of errcat. Move it, or give another --out"),
        ("", ("--base-url", "errors.example"), "errors.example is no web address"),
        ("", ("--previous", "nowhere"), "no dataset at nowhere: it has no manifest.json"),
        ("", ("--previous", "foreign"), "is of some-org/pkg, not local/pkg. Name an earlier dataset of the same"),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_a_line_and_changes_nothing(
    tmp_path: Path,
    written: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    prepare: str,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    run_of = make_run(repo="some-org/pkg", revision="1.0")
    dataset.write(tmp_path / "foreign-out", [make_record(repo="some-org/pkg", revision="1.0")], run_of)
    (tmp_path / "foreign").symlink_to(tmp_path / "foreign-out/some-org__pkg/1.0")
    if prepare == "other":
        (tmp_path / "site" / "api" / "schema").mkdir(parents=True)
        (tmp_path / "site" / "mine.txt").write_text("kept")
        (tmp_path / "site" / "api/schema/3.json").write_text('{"$id": "urn:other"}')
    elif prepare == "file":
        (tmp_path / "site").write_text("kept")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    assert command(written, "--out", "site", *arguments) == 2
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_run_that_fails_leaves_the_old_site(tmp_path: Path, written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert command(written, "--out", tmp_path / "site") == 0
    kept = (tmp_path / "site" / "index.html").read_bytes()
    lines = (written / "records.jsonl").read_bytes().splitlines(keepends=True)
    (written / "records.jsonl").write_bytes(b"".join(lines[:2]) + b"{}\n")
    assert command(written, "--out", tmp_path / "site") == 2
    assert (tmp_path / "site" / "index.html").read_bytes() == kept
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_everything_has_a_record_of_each_kind() -> None:
    old, new, gone = everything()
    assert (len(old), len(new), len(gone)) == (6, 6, 1)
    empty = {name for name, value in dict(new[0]).items() if value in (None, (), "")}
    assert empty == {"errorCode", "httpStatus", "literalUnknownWhy", "lastSeenIn"}

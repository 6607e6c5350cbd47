"""The pages in a real browser: what it logs and asks for, accessibility, widths, dark, print, keyboard, plain files."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import NARROW, WIDE, Chromium, Visit, chromium, serving  # noqa: F401
from conftest import make_run
from pages_samples import everything_site
from test_pages_hostile import PAYLOADS, planted

from pipeline import dataset
from pipeline.dataset import read
from pipeline.pages.build import build
from pipeline.pages.site import load
from pipeline.record import Record

FULL = "errors/00000000000000f1/"
KINDS = {
    "home": "",
    "about": "about/",
    "packages": "areas/",
    "package": "areas/pkg._src/",
    "classes": "classes/",
    "class": "classes/ValueError/",
    "public names": "public-api/",
    "public name": "public-api/pkg.read/",
    "articles": "background/",
    "article": "background/tracing/",
    "changes": "changes/",
    "reworded": "changes/reworded/",
    "record": FULL,
    "silent record": "errors/00000000000000f4/",
    "record that is gone": "errors/00000000000000e1/",
    "namesakes": "errors/bad-x/",
    "missing": "404.html",
}
SHIFT = 0.01  # of the page's height, that things may move by while it loads


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("everything")
    build(everything_site(out), out / "site")
    return out / "site"


@pytest.fixture(scope="module")
def small(folder: Path) -> Iterator[str]:
    """A site with every kind of page."""
    with serving(folder) as root:
        yield root


@pytest.fixture(scope="module")
def release(jax_site: Path) -> Iterator[str]:
    """The site of a real release."""
    with serving(jax_site) as root:
        yield root


@pytest.fixture(scope="module")
def records(jax_dataset: Path) -> list[Record]:
    return list(read(jax_dataset).records())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (NARROW, True)], ids=["wide light", "narrow dark"])
def test_each_kind_of_page(chromium: Chromium, small: str, kind: str, size: tuple[int, int], dark: bool) -> None:  # noqa: F811
    with chromium.visit(small, size=size, dark=dark) as visit:
        visit.open(KINDS[kind])
        visit.check()
        assert visit.accessibility() == []
        assert visit.overflow == 0
        assert visit.shift <= SHIFT


def test_the_heaviest_pages_of_a_release(chromium: Chromium, release: str, records: list[Record]) -> None:  # noqa: F811
    longest = max(records, key=lambda record: len(record.errorMessage))
    most = max(records, key=lambda record: len(record.messageVariants))
    widest = max(records, key=lambda record: max(map(len, record.sourceCode.split("\n"))))
    reviewed = max(records, key=lambda record: len(record.exampleFix or ""))
    errors = [f"errors/{record.id}/" for record in (longest, most, widest, reviewed)]
    with chromium.visit(release, size=(320, 640)) as visit:
        for path in (*errors, "", "classes/ValueError/", "public-api/", "public-api/jax.lax/", "background/"):
            visit.open(path)
            visit.check()
            assert (path, visit.overflow) == (path, 0)
            assert (path, visit.shift <= SHIFT) == (path, True)
    with chromium.visit(release) as visit:
        for path in errors:
            assert visit.open(path).accessibility() == []


def test_dark_and_light_differ(chromium: Chromium, small: str) -> None:  # noqa: F811
    papers = []
    for dark in (False, True):
        with chromium.visit(small, dark=dark) as visit:
            papers.append(visit.open(FULL).page.evaluate("getComputedStyle(document.body).backgroundColor"))
    light, dim = [sum(map(int, re.findall(r"\d+", paper)[:3])) for paper in papers]
    assert light > 3 * 240
    assert dim < 3 * 40


def test_links_of_a_record_are_followed(chromium: Chromium, small: str) -> None:  # noqa: F811
    with chromium.visit(small) as visit:
        page = visit.open(FULL).page
        page.click("#related .entries a >> nth=1")
        page.wait_for_url("**/errors/00000000000000f3/")
        assert page.inner_text("h1") == "the sequence is not sorted"
        page.go_back()
        assert page.get_attribute("text=View on GitHub", "href") == (
            "https://github.com/some-org/pkg/blob/v1.1/pkg/_src/core.py#L101-L108"
        )
        visit.check()
        page.click("text=as JSON")
        page.wait_for_url("**/api/errors/00000000000000f1.json")
        assert '"id":"00000000000000f1"' in page.inner_text("body")


@pytest.mark.parametrize(
    ("path", "arrives"),
    [
        ("errors/00000000000000aa/", FULL),
        ("errors/the-sequence-isn-t-sorted/", "errors/00000000000000f3/"),
        ("errors/", "areas/"),
    ],
)
def test_other_names_lead_on(chromium: Chromium, small: str, path: str, arrives: str) -> None:  # noqa: F811
    with chromium.visit(small) as visit:
        visit.page.goto(small + path)
        visit.page.wait_for_url(small + arrives)
        visit.check()


@pytest.mark.parametrize(
    ("block", "copied"),
    [
        (".source pre", 'def read(x, axis):\n  """Reads x."""\n'),
        ("#message pre", "bad {x}"),
        (".fix.after pre", "read(2)"),
        ("#type-guard ~ figure pre", "def is_good(x):\n    return x > 1"),
    ],
)
def test_blocks_are_copied_as_they_are(chromium: Chromium, small: str, block: str, copied: str) -> None:  # noqa: F811
    with chromium.visit(small, permissions=["clipboard-read", "clipboard-write"]) as visit:
        page = visit.open(FULL).page
        button = page.locator(f"{block} + button").first
        button.click()
        page.locator("[role=status]", has_text="Copied").wait_for(state="attached")
        text: str = page.evaluate("navigator.clipboard.readText()")
        assert text.startswith(copied)
        assert not re.search(r"^10\d", text, re.MULTILINE)
        visit.check()


def focused(visit: Visit) -> dict[str, str]:
    """What has the focus, and whether one sees it."""
    found: dict[str, str] = visit.page.evaluate(
        """() => { const e = document.activeElement, s = getComputedStyle(e);
        return {tag: e.tagName, text: (e.getAttribute('aria-label') || e.textContent || e.id).trim().slice(0, 60),
                href: e.getAttribute('href') || '', outline: s.outlineStyle == 'none' ? '' : s.outlineWidth,
                inside: String(e.getBoundingClientRect().right <= innerWidth + 1)}; }"""
    )
    return found


def test_the_keyboard_reaches_everything_and_shows_where_it_is(chromium: Chromium, small: str) -> None:  # noqa: F811
    with chromium.visit(small, size=NARROW) as visit:
        page = visit.open(FULL).page
        page.keyboard.press("Tab")
        assert focused(visit)["text"] == "Skip to content"
        seen = []
        for _ in range(150):
            now = focused(visit)
            if now["tag"] == "BODY":
                break
            seen.append(now)
            page.keyboard.press("Tab")
        assert focused(visit)["tag"] == "BODY", "the focus is caught"
        assert [now for now in seen if not now["outline"]] == []
        reached = {now["text"] for now in seen}
        assert {"jax errors", "pkg errors"} & reached
        assert {"Copy: Error message", "Copy: Type guard", "107", "as JSON", "Tracing", "pkg.io.Reader.read"} <= reached
        wanted = page.eval_on_selector_all(
            "a[href]:not([tabindex='-1']), button, input, textarea, summary",
            "all => all.filter(e => e.checkVisibility() && getComputedStyle(e).visibility == 'visible').length",
        )
        assert len([now for now in seen if now["tag"] in {"A", "BUTTON", "INPUT", "TEXTAREA", "SUMMARY"}]) == wanted


def test_from_home_to_a_record_by_keyboard_only(chromium: Chromium, small: str) -> None:  # noqa: F811
    with chromium.visit(small) as visit:
        page = visit.open().page

        def go(text: str) -> None:
            for _ in range(80):
                page.keyboard.press("Tab")
                if focused(visit)["text"] == text:
                    break
            assert focused(visit)["text"] == text
            with page.expect_navigation(wait_until="load"):
                page.keyboard.press("Enter")

        go("Packages")
        go("pkg._src")
        go("bad {x}")
        assert page.url.endswith("errors/00000000000000f2/")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # to the content
        page.keyboard.press("Tab")
        assert focused(visit)["text"] == "Packages"
        assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
        visit.check()


def test_pages_can_be_read_without_scripts(chromium: Chromium, small: str) -> None:  # noqa: F811
    with chromium.visit(small, script=False) as visit:
        page = visit.page
        page.goto(small)
        assert "needs JavaScript" in page.inner_text("#paste")
        page.click("text=pkg._src")
        page.click("text=bad {x} >> nth=0")
        assert page.inner_text("#solutions h2") == "Solutions"
        assert visit.outside == []


def test_pages_can_be_read_as_plain_files(chromium: Chromium, folder: Path) -> None:  # noqa: F811
    with chromium.visit(folder.as_uri() + "/") as visit:
        page = visit.page
        page.goto((folder / "index.html").as_uri())
        assert page.evaluate("getComputedStyle(document.querySelector('.brand')).fontWeight") == "650"
        assert "errcat serve" in page.inner_text("#paste-answer")
        assert page.is_disabled("#paste-match")
        assert page.is_disabled("#search")
        page.click("text=pkg._src")
        page.wait_for_url("**/areas/pkg._src/index.html")
        page.click("text=bad {x} >> nth=0")
        page.wait_for_url("**/errors/*/index.html")
        assert page.inner_text("#solutions h2") == "Solutions"
        assert page.locator("button.copy").count() > 5
        assert visit.outside == []


def test_paper_shows_the_content_only(chromium: Chromium, small: str) -> None:  # noqa: F811
    with chromium.visit(small) as visit:
        page = visit.open(FULL).page
        page.emulate_media(media="print")
        assert not page.is_visible(".top")
        assert not page.is_visible("button.copy >> nth=0")
        assert page.is_visible("#source")
        assert page.evaluate("getComputedStyle(document.querySelector('.source pre')).whiteSpace") == "pre-wrap"


def test_anchors_of_sections_and_lines(chromium: Chromium, small: str) -> None:  # noqa: F811
    with chromium.visit(small, size=NARROW) as visit:
        for anchor in ("solutions", "try-except", "L104", "provenance"):
            visit.open(f"{FULL}#{anchor}")
            assert visit.page.eval_on_selector(f"#{anchor}", "e => e.matches(':target')")
            assert visit.page.evaluate("scrollY") > 0


def test_hostile_texts_do_nothing(chromium: Chromium, tmp_path: Path) -> None:  # noqa: F811
    payload = "\n".join(PAYLOADS.values()).replace("alert(1)", "window.alive=1")
    found = [record.model_copy(update={"repo": "org/pkg"}) for record in planted(payload)]
    run = make_run(2, repo="org/pkg", revision="1")
    build(load(read(dataset.write(tmp_path, found, run))), tmp_path / "site")
    with serving(tmp_path / "site") as root, chromium.visit(root) as visit:
        paths = [str(path.relative_to(tmp_path / "site")) for path in (tmp_path / "site").rglob("*.html")]
        assert len(paths) > 40
        for path in (
            FULL,
            "errors/00000000000000f2/",
            *[path for path in sorted(paths) if "pkg" in path][:6],
            "classes/",
            "",
        ):
            visit.open(path)
            visit.check()
            assert visit.page.evaluate("window.alive") is None
            assert visit.page.locator("iframe, svg, img, b, style, math").count() == 0

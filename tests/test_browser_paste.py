"""A paste on the home page, in a real browser."""

import gzip
import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import match_shapes
import pytest
from browser import NARROW, WIDE, Chromium, Visit, chromium, serving  # noqa: F401
from conftest import make_record, make_run

from pipeline import dataset
from pipeline.match.answer import answer
from pipeline.match.index import Index
from pipeline.match.index import load as load_index
from pipeline.pages import match_index, search_index
from pipeline.pages.build import build
from pipeline.pages.site import load
from pipeline.record import Record

if TYPE_CHECKING:
    from playwright.sync_api import Route

FIRST_LOAD = 100_000
ALIVE = '<img src="x" onerror="window.alive = 1"><script>window.alive = 1</script>'
ANSWER = "#paste-answer:not([aria-busy])"
AXIS = make_record(
    "the axis {axis} is not one of {names}",
    "the axis (.+?) is not one of (.+?)",
    id="00000000000000a1",
    placeholders=("axis", "names"),
    lineNumber=12,
    endLineNumber=12,
    qualname="pick",
    sourceCodeStart=11,
    sourceCodeEnd=12,
)
PLANTED = make_record(
    f"{ALIVE} of {{{ALIVE}}}",
    re.sub(r"([\\^$.*+?()\[\]{}|])", r"\\\1", ALIVE) + " of (.+?)",
    id="00000000000000b2",
    placeholders=(ALIVE,),
    filePath="pkg/planted.py",
)
SAID = "ValueError: the axis 3 is not one of ('batch', 'model')"


def records() -> list[Record]:
    equal = [
        make_record("it is not sorted", "it is not sorted", id=f"00000000000000c{n}", filePath=f"pkg/part{n}.py")
        for n in range(4)
    ]
    long = "cannot lower the primitive {name} for a device of this kind"
    cut = make_record(long, long.replace("{name}", "(.+?)"), id="00000000000000d0", filePath="pkg/lower.py")
    return [AXIS, PLANTED, cut, *equal]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A small site, served."""
    folder = tmp_path_factory.mktemp("small")
    written = dataset.write(folder / "out", records(), make_run(len(records())))
    build(load(dataset.read(written)), folder / "site")
    with serving(folder / "site") as address:
        yield address


@pytest.fixture
def home(chromium: Chromium, root: str) -> Iterator[Visit]:  # noqa: F811
    """The home page; what no page may do is checked at the end."""
    with chromium.visit(root) as visit:
        yield visit.open()
        visit.check()


def ask(visit: Visit, text: str) -> str:
    """What the page answers to a text."""
    visit.page.fill("#paste-text", text)
    visit.page.click("#paste-match")
    return told(visit)


def told(visit: Visit) -> str:
    visit.page.wait_for_selector(f"{ANSWER} h3, {ANSWER} > p:not(.note)")
    return visit.page.inner_text("#paste-answer")


def test_a_traceback_leads_to_the_page_of_its_error(home: Visit) -> None:
    said = ask(home, match_shapes.plain("ValueError", SAID.removeprefix("ValueError: ")))
    assert "ValueError pkg/core.py:12 · found by its whole message (score 0.45)" in said
    assert home.page.locator("#paste-answer pre.said var").all_inner_texts() == ["3", "('batch', 'model')"]
    assert home.page.locator("#paste-answer dt").all_inner_texts() == ["axis", "names"]
    assert home.page.locator("#paste-answer dd").all_inner_texts() == ["3", "('batch', 'model')"]
    home.page.click("#paste-answer h3 a")
    home.page.wait_for_url(f"**/errors/{AXIS.id}/")
    assert "the axis" in home.page.inner_text("h1")


ANSWERS = [
    # what is pasted, and what the page says of it
    (f"I get this:\n```\n{SAID}\n```\nWhat is wrong?", "the axis {axis} is not one of {names}"),
    ("ValueError: it is not sorted", "One of 4 with the same text: pkg/part1.py:2, pkg/part2.py:2, pkg/part3.py:2"),
    (
        "ValueError: cannot lower the primitive sort for a device of th...",
        "found by the beginning of its message, which",
    ),
    ("TypeError: 'int' object is not iterable", "This text is Python's own: look at the line of code"),
    ("IndexError: index 5 is out of bounds for axis 0 with size 3", "This text is NumPy's own"),
    ("XlaRuntimeError: INTERNAL: no such thing", "From XLA or jaxlib, not from Python code"),
    ("RuntimeError: nobody ever said this", "No record for this RuntimeError"),
    ("nobody ever said this", "No record for this text"),
    (">", "No error found in this text."),
]


def test_every_kind_of_answer(home: Visit) -> None:
    for text, expected in ANSWERS:
        assert expected in ask(home, text), text
        assert home.accessibility() == []


def test_what_led_to_the_error_is_told(home: Visit) -> None:
    first = match_shapes.plain("ValueError", "the axis 3 is not one of (4,)")
    tie = "\nDuring handling of the above exception, another exception occurred:\n\n"
    said = ask(home, first + tie + match_shapes.plain("RuntimeError", "nobody ever said this"))
    assert "Before it\nthe axis 3 is not one of (4,)\nValueError pkg/core.py:12" in said.replace("\n\n", "\n")


def test_nothing_pasted_or_recorded_is_alive(home: Visit) -> None:
    for text in (f"ValueError: {ALIVE} of {ALIVE}", f"{ALIVE}Error: {ALIVE}", f"XlaRuntimeError: INTERNAL: {ALIVE}"):
        assert "<img" in ask(home, text)
        assert home.page.locator("#paste-answer :is(img, script, iframe, object)").count() == 0
    assert "of " + ALIVE in ask(home, f"ValueError: {ALIVE} of {ALIVE}").replace("\n", "")
    assert home.page.evaluate("window.alive") is None


def test_keys_alone_are_enough(home: Visit) -> None:
    for _ in range(30):
        home.page.keyboard.press("Tab")
        if home.page.evaluate("document.activeElement.id") == "paste-text":
            break
    home.page.keyboard.insert_text(SAID)
    home.page.keyboard.press("Control+Enter")
    assert "the axis" in told(home)
    home.page.keyboard.press("Tab")  # the button
    home.page.keyboard.press("Tab")
    home.page.keyboard.press("Enter")
    home.page.wait_for_url(f"**/errors/{AXIS.id}/")


def paste(visit: Visit, text: str) -> str:
    """What the page answers to a text from the clipboard."""
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    visit.page.focus("#paste-text")
    visit.page.keyboard.press("Control+V")
    return told(visit)


def test_pasting_is_asking(home: Visit) -> None:
    assert "found by its whole message" in paste(home, SAID)


def test_a_large_paste_is_answered_and_not_laid_out(home: Visit) -> None:
    first = match_shapes.plain("ValueError", "the axis 3 is not one of (4,)")
    said = paste(home, "lorem ipsum dolor sit amet\n" * 40_000 + first)
    assert "the axis {axis} is not one of {names}" in said
    shown = home.page.input_value("#paste-text")
    assert shown.startswith("… 1,080,1")
    assert shown.endswith(first)
    assert len(shown) < 6_000
    assert "No record for this RuntimeError" in ask(home, "RuntimeError: another")


def test_nothing_is_loaded_before_it_is_wanted(chromium: Chromium, root: str) -> None:  # noqa: F811
    with chromium.visit(root) as visit:
        sizes: dict[str, int] = {}
        visit.page.on("response", lambda got: sizes.update({got.url.removeprefix(root): len(got.body())}))
        visit.open()
        first = dict(sizes)
        assert sum(first.values()) <= FIRST_LOAD
        assert not any("worker" in name or "vendor" in name or "api/" in name for name in first)
        ask(visit, SAID)
        assert {"static/match/worker.js", "static/vendor/re2js.js", match_index.PATH} <= set(sizes) - set(first)
        assert search_index.PATH not in sizes
        visit.check()


def test_a_text_without_end_is_given_up_with_a_word_and_the_next_one_answered(home: Visit) -> None:
    endless = (
        'self.onmessage = ({ data }) => { if ("load" in data) self.postMessage({ ready: true }); else for (;;); };'
    )
    home.page.route("**/worker.js", lambda route: route.fulfill(body=endless, content_type="text/javascript"))
    home.page.fill("#paste-text", SAID)
    home.page.click("#paste-match")
    home.page.wait_for_selector("text=No answer within 3 seconds, so it was given up. Paste the last traceback only.")
    home.page.unroute("**/worker.js")
    assert "the axis" in ask(home, SAID + " ")


def _gone(route: "Route") -> None:
    route.fulfill(status=404, body="not here")


def _silent(route: "Route") -> None:
    route.abort()


def _later(route: "Route") -> None:
    route.fulfill(body=json.dumps({"format": 99}))


def _broken(route: "Route") -> None:
    route.fulfill(body=b"\x1f\x8b" + b"broken" * 9)


@pytest.mark.parametrize(
    ("served", "expected"),
    [
        (_gone, "The index cannot be loaded: the server answered 404."),
        (_silent, "The index cannot be loaded: the server does not answer."),
        (_later, "The index is of another version than this page: load the page again."),
        (_broken, ""),
    ],
    ids=["missing", "silent", "later", "broken"],
)
def test_an_index_that_cannot_be_had(
    served: "Callable[[Route], None]",
    expected: str,
    chromium: Chromium,  # noqa: F811
    root: str,
) -> None:
    with chromium.visit(root) as visit:
        visit.page.route(f"**/{match_index.PATH}", served)
        visit.open()
        visit.page.fill("#paste-text", SAID)
        visit.page.click("#paste-match")
        visit.page.wait_for_selector(f"{ANSWER} .note")
        assert expected in visit.page.inner_text("#paste-answer") != ""
        visit.page.unroute(f"**/{match_index.PATH}")
        assert "the axis" in ask(visit, SAID)


def test_an_index_that_the_server_unpacks(chromium: Chromium, root: str) -> None:  # noqa: F811
    def unpacked(route: "Route") -> None:
        route.fulfill(body=gzip.decompress(route.fetch().body()))

    with chromium.visit(root) as visit:
        visit.page.route(f"**/{match_index.PATH}", unpacked)
        assert "the axis" in ask(visit.open(), SAID)
        visit.check()


# ---- a real release


@pytest.fixture(scope="module")
def release(jax_dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Index]]:
    """What a paste needs of the site of jax 0.9.2, served, and the index of the command line."""
    folder = tmp_path_factory.mktemp("jax")
    site = load(dataset.read(jax_dataset))
    for path in site.paths():
        if path == "index.html" or path.startswith("static/") or path == match_index.PATH:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(site.render(path) or b"")
    with serving(folder) as address:
        yield address, load_index(jax_dataset, cache=tmp_path_factory.mktemp("cache"))


REAL = [
    ("TypeError", "add got incompatible shapes for broadcasting: (512, 50, 1024), (1, 145, 1024)."),
    ("ValueError", "Need at least one array to concatenate."),
    ("jax.errors.TracerBoolConversionError", "Attempted boolean conversion of traced array with shape bool[]."),
    ("ValueError", "vmap got inconsistent sizes for array axes to be mapped:\n  * one axis had size 2: axis 0 of x"),
    ("TypeError", "mul got incompatible shapes for broadcasting: (2,), (3,)."),
    ("NotImplementedError", "Reverse-mode differentiation rule for 'x' not implemented"),
]


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_real_release_is_answered_as_on_the_command_line(
    size: tuple[int, int],
    chromium: Chromium,  # noqa: F811
    release: tuple[str, Index],
) -> None:
    root, index = release
    shapes = itertools.cycle(match_shapes.SHAPES.values())
    with chromium.visit(root, size=size) as visit:
        visit.open()
        for text in [next(shapes)(*error) for error in REAL]:
            said = ask(visit, text)
            expected = answer(text, index).matches
            assert expected, text
            links = visit.page.locator("#paste-answer :is(h3, li) > a").evaluate_all("links => links.map(a => a.href)")
            assert links == [f"{root}errors/{match.entry.id}/" for match in expected]
            assert all(f"(score {match.score:.2f})" in said for match in expected)
            assert visit.overflow == 0
        visit.check()

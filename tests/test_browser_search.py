"""Search as you type: what is found, under node, and how it is used, in a real browser."""

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from browser import NARROW, Chromium, Visit, chromium, serving  # noqa: F401
from browser_node import STATIC, node
from conftest import make_record, make_run

from pipeline import dataset
from pipeline.pages import search_index
from pipeline.pages.build import build
from pipeline.pages.site import load
from pipeline.record import Record

FIND = """
import { readFileSync } from "node:fs";
const { Index } = await import(process.argv[1]);
const [table, queries] = JSON.parse(readFileSync(0));
const index = new Index(table);
console.log(JSON.stringify(queries.map((query) => index.find(query))));
"""
ALIVE = '<img src="x" onerror="window.alive = 1">'


def find(records: Sequence[Record], queries: Sequence[str]) -> list[dict[str, Any]]:
    """What the module that searches finds, with what is marked in square brackets."""
    said = json.dumps([search_index.table(records), queries])
    module = (STATIC / "search" / "index.js").as_uri()
    found: list[dict[str, Any]] = json.loads(node("--input-type=module", "-e", FIND, module, said=said))
    for answer in found:
        for group in answer["groups"]:
            group["title"] = _marked(group["title"])
            group["errorClass"] = _marked(group["errorClass"])
            for member in group["members"]:
                member |= {name: _marked(member[name]) for name in ("errorClass", "place", "function", "public")}
    return found


def _marked(pieces: list[tuple[str, bool]]) -> str:
    return "".join(f"[{text}]" if marked else text for text, marked in pieces)


def record(message: str, number: int, **changes: Any) -> Record:
    return make_record(message, "", id=f"{number:016x}", filePath=f"pkg/part{number}.py", **changes)


RECORDS = [
    record(
        "the axis {axis} is not bound", 0xA1, publicApi=("pkg.numpy.take", "pkg.lax.gather"), qualname="gather_rule"
    ),
    record("cannot reshape {x} into {shape}", 0xA2, publicApi=("pkg.numpy.reshape",), qualname="Array.reshape"),
    record("cannot broadcast {x}", 0xA3, errorClass="TypeError", errorClassPublic="pkg.errors.ShapeMismatchError"),
    record("", 0xA4, errorClass="QuietError", qualname="Store.load"),
    record(f"{ALIVE} is not allowed", 0xA5),
    record("a naïve 漢字 axis", 0xA6),
    *(record("it is not sorted", 0xB0 + n, qualname=f"sort_{n}") for n in range(4)),
    record("it is not sorted", 0xB4, errorClass="KeyError", qualname="sorted_keys"),
]
FOUND = [
    # what is typed, and the first title and its class, marked
    ("axis bound", "the [axis] {[axis]} is not [bound]", "ValueError"),
    ("resha", "cannot [reshape] {x} into {shape}", "ValueError"),
    ("pkg.numpy.take", "the axis {axis} is not bound", "ValueError"),
    ("lax.gather", "the axis {axis} is not bound", "ValueError"),
    ("ShapeMismatchError", "cannot broadcast {x}", "[pkg.errors.ShapeMismatchError]"),
    ("pkg.errors.Shape", "cannot broadcast {x}", "[pkg.errors.ShapeMismatchError]"),
    ("pkg/part163.py", "cannot broadcast {x}", "pkg.errors.ShapeMismatchError"),
    ("pkg axis bound a", "the [axis] {[axis]} is not [bound]", "ValueError"),
    ("mismatch", "cannot broadcast {x}", "[pkg.errors.ShapeMismatchError]"),
    ("QuietError", "[QuietError] without a message", "[QuietError]"),
    ("part163.py", "cannot broadcast {x}", "pkg.errors.ShapeMismatchError"),
    ("Array.reshape", "cannot reshape {x} into {shape}", "ValueError"),
    (f"{0xA6:016x}", "a naïve 漢字 axis", "ValueError"),
    ("漢字", "a naïve [漢字] axis", "ValueError"),
    ("NAÏVE", "a [naïve] 漢字 axis", "ValueError"),
    ("broadcats", "cannot [broadcast] {x}", "pkg.errors.ShapeMismatchError"),
    ("cannot reshape (2, 3) into (4,)", "[cannot] [reshape] {x} [into] {shape}", "ValueError"),
    ("constructor __proto__ sorted", "it is not [sorted]", ""),
]


def test_what_is_found_and_marked() -> None:
    for (query, title, error_class), answer in zip(FOUND, find(RECORDS, [row[0] for row in FOUND]), strict=True):
        assert answer["groups"], query
        first = answer["groups"][0]
        assert (first["title"], first["errorClass"]) == (title, error_class), query


def test_nothing_is_found_for_nothing() -> None:
    for answer in find(RECORDS, ["", " ", "a", "(", "zzzzzz", "zzzzzz qqqqqq", "\ud800", "(.*)+" * 1000]):
        assert answer == {"groups": [], "found": 0, "isLoose": False}


def test_one_text_comes_once_with_what_sets_its_errors_apart() -> None:
    (answer,) = find(RECORDS, ["sorted keys"])
    (group,) = answer["groups"]
    assert (group["title"], group["errorClass"], group["more"]) == ("it is not [sorted]", "", 2)
    first = group["members"][0]
    assert (first["errorClass"], first["place"], first["function"]) == ("KeyError", "pkg/part180.py:2", "[sorted_keys]")
    assert [member["errorClass"] for member in group["members"]] == ["KeyError", "ValueError", "ValueError"]


def test_a_long_text_is_shown_from_its_beginning_and_around_what_was_found() -> None:
    long = "it begins here " + "and goes on " * 40 + "until the needle stands in the hay " + "for long " * 40
    for query, answer in zip(("begins", "needle"), find([record(long, 1)], ["begins", "needle"]), strict=True):
        title = answer["groups"][0]["title"]
        assert title.startswith("it [begins] here" if query == "begins" else "it begins here")
        assert f"[{query}]" in title
        assert len(title) < 160


def test_the_index_of_a_real_release_is_small_and_finds(jax_dataset: Path) -> None:
    records = list(dataset.read(jax_dataset).records())
    files = search_index.files(records)
    assert files == search_index.files(records)
    (data,) = files.values()
    assert len(data) <= 500_000
    table = json.loads(gzip.decompress(data))
    assert sum(len(text["members"]) for text in table["texts"]) == len(records)
    queries = [
        "TracerBoolConversionError",
        "incompatible shapes broadcasting",
        records[17].id,
        "lax_numpy.py concatenate",
    ]
    answers = find(records, queries)
    assert [bool(answer["groups"]) for answer in answers] == [True] * 4
    assert answers[0]["groups"][0]["errorClass"] == "[jax.errors.TracerBoolConversionError]"
    assert answers[1]["groups"][0]["title"].startswith("[Incompatible] [shapes] for [broadcasting]")
    assert records[17].id in {member["id"] for member in answers[2]["groups"][0]["members"]}


# ---- in a browser


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("small")
    written = dataset.write(folder / "out", RECORDS, make_run(len(RECORDS)))
    build(load(dataset.read(written)), folder / "site")
    with serving(folder / "site") as address:
        yield address


@pytest.fixture
def visit(chromium: Chromium, root: str) -> Iterator[Visit]:  # noqa: F811
    with chromium.visit(root) as visit:
        yield visit.open()
        visit.check()


def typed(visit: Visit, text: str, wanted: str) -> list[str]:
    """The options, once one of them or the note says what is wanted."""
    visit.page.locator("#search").press_sequentially(text)
    visit.page.locator("#search-results :is(.option, .heading, .note)", has_text=wanted).first.wait_for()
    return visit.page.locator("#search-results [role=option]").all_inner_texts()


def test_typing_finds_and_enter_opens(visit: Visit) -> None:
    assert "axis" in typed(visit, "axis bo", "is not bound")[0]
    assert visit.page.locator("#search-results mark").all_inner_texts() == ["axis", "axis", "bound"]
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url(f"**/errors/{0xA1:016x}/")


def test_keys_walk_through_the_options(visit: Visit) -> None:
    box = visit.page.locator("#search")
    assert len(typed(visit, "sorted", "it is not sorted")) == 4
    assert box.get_attribute("aria-expanded") == "true"
    assert box.get_attribute("aria-activedescendant") is None
    for key, number in (("ArrowDown", 0), ("ArrowDown", 1), ("ArrowUp", 0), ("ArrowUp", 3), ("ArrowDown", 0)):
        box.press(key)
        chosen = visit.page.locator("#search-results [aria-selected=true]")
        assert box.get_attribute("aria-activedescendant") == f"search-option-{number}" == chosen.get_attribute("id")
    box.press("Escape")
    assert box.get_attribute("aria-expanded") == "false"
    assert not visit.page.locator("#search-results").is_visible()
    assert box.input_value() == "sorted"
    box.press("ArrowDown")  # opens it again
    visit.page.locator("#search-results [role=option]").first.wait_for()
    box.press("ArrowUp")
    box.press("Enter")
    visit.page.wait_for_url("**/errors/it-is-not-sorted/")  # all that share the text


def test_a_click_opens_and_leaving_closes(visit: Visit) -> None:
    typed(visit, "reshape", "cannot reshape")
    visit.page.click("footer p")
    assert not visit.page.locator("#search-results").is_visible()
    visit.page.focus("#search")
    visit.page.locator("#search-results [role=option]", has_text="cannot reshape").click()
    visit.page.wait_for_url(f"**/errors/{0xA2:016x}/")
    assert typed(visit, "quiet", "without a message")  # from a page further down too
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url(f"**/errors/{0xA4:016x}/")


def test_what_is_typed_last_is_what_is_shown(visit: Visit) -> None:
    visit.page.locator("#search").press_sequentially("axis")
    visit.page.fill("#search", "broadcast")
    options = visit.page.locator("#search-results [role=option]")
    options.filter(has_text="cannot broadcast").wait_for()
    assert options.count() == 1
    visit.page.fill("#search", "")
    assert not visit.page.locator("#search-results").is_visible()


def test_when_nothing_is_found_it_says_so(visit: Visit) -> None:
    assert typed(visit, "zzzzzz", "Nothing found.") == []
    visit.page.fill("#search", "")
    assert typed(visit, "cannot reshape tomatoes into soup", "these say some")
    assert visit.page.locator("form [role=status]").inner_text().startswith("No error says all of these words")


def test_nothing_recorded_is_alive(visit: Visit) -> None:
    assert ALIVE in typed(visit, "allowed", "is not allowed")[0]
    assert visit.page.locator("#search-results img").count() == 0
    assert visit.page.evaluate("window.alive") is None


def test_it_is_accessible_and_fits(chromium: Chromium, root: str) -> None:  # noqa: F811
    for options in ({"dark": True}, {"dark": False}):
        with chromium.visit(root, size=NARROW, dark=options["dark"]) as visit:
            visit.open()
            assert search_index.PATH not in " ".join(visit.requests)
            typed(visit, "sorted", "it is not sorted")
            visit.page.keyboard.press("ArrowDown")
            assert visit.accessibility() == []
            assert visit.overflow == 0
            visit.check()


def test_an_index_that_cannot_be_had(chromium: Chromium, root: str) -> None:  # noqa: F811
    with chromium.visit(root) as visit:
        visit.page.route(f"**/{search_index.PATH}", lambda route: route.fulfill(status=503, body="later"))
        visit.open()
        typed(visit, "sorted", "The index cannot be loaded: the server answered 503.")
        visit.page.unroute(f"**/{search_index.PATH}")
        assert len(typed(visit, " ", "it is not sorted")) == 4

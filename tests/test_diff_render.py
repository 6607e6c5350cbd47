"""A comparison in its formats: what stands where, and that no text of an error can break out of its place."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import make_record
from hypothesis import given
from hypothesis import strategies as st
from laws import profiles
from markdown_it import MarkdownIt

from pipeline.diff import render as package
from pipeline.diff.changes import Change, compare
from pipeline.diff.comparison import Comparison
from pipeline.diff.form import Format
from pipeline.diff.kind import Kind
from pipeline.diff.render import document, render, said
from pipeline.record import MessageVariant, Record

profiles.load()

SCHEMA = Path(str(package.__file__)).with_name("diff.schema.json")
SIGNS = st.text(st.sampled_from("ab `*_[]()<>&|~@#$%\\{}.:,;/w\n\r\x1b\x00\u202eé-+!="), max_size=30)
COMMAND = re.compile(r"::warning (?P<properties>.*?)::(?P<data>.*)")  # as the runner reads a line


def record(text: str, **changes: Any) -> Record:
    pattern = re.sub(r"\\\{.*?\\\}", "(.+?)", re.escape(text))
    variants = [MessageVariant(errorMessage=text, messagePattern=pattern)]
    return make_record(text, pattern, **{"messageVariants": variants, "placeholders": [], **changes})


def comparison(old: list[Record], new: list[Record], **changes: Any) -> Comparison:
    diff = compare(old, new)
    fields = {
        "repo": "local/pkg",
        "before": "1.0",
        "after": "2.0",
        "old_name": "1.0",
        "new_name": "2.0",
        "changes": diff.changes,
        "unchanged": diff.unchanged,
        "files": frozenset(r.filePath for r in new),
    }
    return Comparison(**{**fields, **changes})


def added(text: str) -> Comparison:
    return comparison([], [record(text)])


OLD = [
    record(
        "the array is empty", filePath="pkg/core.py", lineNumber=4, qualname="f", condition="not x", publicApi=["pkg.f"]
    ),
    record("expected two rows", filePath="pkg/core.py", lineNumber=9, qualname="g", condition="len(x) != 2"),
    record(
        "no such key",
        filePath="pkg/sub/map.py",
        lineNumber=3,
        qualname="Map.get",
        errorBases=["Exception", "BaseException"],
    ),
    record("it was closed", filePath="pkg/sub/map.py", lineNumber=30, qualname="Map.close"),
]
NEW = [
    record(
        "the array is empty",
        filePath="pkg/core.py",
        lineNumber=4,
        qualname="f",
        condition="not x.size",
        publicApi=["pkg.f", "pkg.a", "pkg.b", "pkg.c"],
    ),
    record(
        "expected three rows",
        filePath="pkg/core.py",
        lineNumber=9,
        qualname="g",
        condition="len(x) != 2",
        githubUrl="https://github.com/local/pkg/blob/2.0/pkg/core.py#L1-L20",
    ),
    record(
        "no such key",
        filePath="pkg/sub/map.py",
        lineNumber=3,
        qualname="Map.get",
        errorClass="TypeError",
        errorBases=["Exception", "BaseException"],
    ),
    record("quite new", filePath="setup.py", lineNumber=1, qualname=None),
]

TEXT = """\
local/pkg: 1.0 -> 2.0
1 added, 1 removed, 1 reworded, 1 reclassed, 1 reguarded; breaking 1; unchanged 0

. (1)
  + added: ValueError at setup.py:1
      quite new

pkg (2)
  ~ reguarded: ValueError at core.py:4 in f
      the array is empty
      when: not x{+.size+}
      affects: pkg.f, pkg.a, pkg.b and 1 more
  ~ reworded: ValueError at core.py:9 in g
      expected [-two-]{+three+} rows

pkg/sub (2)
  ~ reclassed: BREAKING TypeError at map.py:3 in Map.get
      no such key
      class: ValueError -> TypeError
      breaking: no longer caught by except ValueError
  - removed: ValueError at map.py:30 in Map.close
      it was closed
"""

MARKDOWN = """\
## Errors: <code>1.0</code> to <code>2.0</code>

| change | errors |
|---|---|
| added | 1 |
| removed | 1 |
| reworded | 1 |
| reclassed | 1 |
| reguarded | 1 |
| unchanged | 0 |

### Breaking

- **reclassed** <code>ValueError -&gt; TypeError</code>: <code>no such key</code> (<code>pkg/sub/map.py:3</code>)
  - <code>no longer caught by except ValueError</code>

### <code>.</code>

- **added** <code>ValueError</code>: <code>quite new</code> (<code>setup.py:1</code>)

### <code>pkg</code>

- **reguarded** <code>ValueError</code>: <code>the array is empty</code> (<code>pkg/core.py:4</code>)
  - when <code>not x<ins>.size</ins></code>
  - affects <code>pkg.f, pkg.a, pkg.b and 1 more</code>
- **reworded** <code>ValueError</code>: <code>expected <del>two</del><ins>three</ins> rows</code> ([<code>pkg/core.py:9</code>](https://github.com/local/pkg/blob/2.0/pkg/core.py#L1-L20))

### <code>pkg/sub</code>

- **removed** <code>ValueError</code>: <code>it was closed</code> (<code>pkg/sub/map.py:30</code>)
"""

GITHUB = """\
::warning file=pkg/sub/map.py,line=3,endLine=3,title=Error reclassed (breaking)::TypeError: no such key%0Aclass: ValueError -> TypeError%0Abreaking: no longer caught by except ValueError
::warning file=pkg/core.py,line=4,endLine=4,title=Error reguarded::ValueError: the array is empty%0Awhen: not x{+.size+}%0Aaffects: pkg.f, pkg.a, pkg.b and 1 more
::warning file=pkg/core.py,line=9,endLine=9,title=Error reworded::ValueError: expected [-two-]{+three+} rows
::warning file=pkg/sub/map.py,title=Error removed::ValueError: it was closed%0Awas: pkg/sub/map.py:30 in Map.close
::warning file=setup.py,line=1,endLine=1,title=Error added::ValueError: quite new
"""  # noqa: E501  # an annotation is one line


def lines_as_raised(records: list[Record]) -> list[Record]:
    return [r.model_copy(update={"endLineNumber": r.lineNumber}) for r in records]


@pytest.mark.parametrize(
    ("form", "expected"), [(Format.TEXT, TEXT), (Format.MARKDOWN, MARKDOWN), (Format.GITHUB, GITHUB)]
)
def test_formats(form: Format, expected: str) -> None:
    shown = render(comparison(lines_as_raised(OLD), lines_as_raised(NEW)), form)
    assert shown == expected


def test_no_change_is_a_summary_or_nothing() -> None:
    same = comparison(OLD, OLD)
    assert render(same, Format.TEXT) == "local/pkg: 1.0 -> 2.0\nno changes; unchanged 4\n"
    assert render(same, Format.MARKDOWN).endswith("| unchanged | 4 |\n")
    assert render(same, Format.GITHUB) == ""


def test_the_summary_says_what_is_left_out() -> None:
    shown = comparison(OLD, OLD, filtered=2, accepted=1)
    assert said.figures(shown) == "no changes; unchanged 4; accepted 1; not asked for 2"
    assert "| accepted | 1 |" in render(shown, Format.MARKDOWN)


def test_colours_only_where_asked_for() -> None:
    shown = comparison(OLD, NEW)
    coloured = render(shown, Format.TEXT, colour=True)
    assert "\x1b" not in render(shown, Format.TEXT)
    assert re.sub(r"\x1b\[[\d;]+m", "", coloured) == render(shown, Format.TEXT)
    assert "\x1b[31m[-two-]\x1b[0m\x1b[32m{+three+}\x1b[0m" in coloured


def moved_and_split() -> Comparison:
    old, new = record("it was closed"), record("it was closed", filePath="pkg/other.py", qualname="g")
    more = record("it is", filePath="pkg/other.py", lineNumber=8)
    moved = Change(kind=Kind.MOVED, old=old, new=new)
    split = Change(kind=Kind.ADDED, breaking=True, old=None, new=more, split_of=old.id)
    merged = Change(kind=Kind.REMOVED, old=more, new=None, merged_into=old.id)
    return comparison([], [new, more], changes=(moved, split, merged))


def test_where_it_was_and_what_it_comes_from() -> None:
    shown = moved_and_split()
    origin = record("it was closed").id
    text = render(shown, Format.TEXT)
    assert "  ~ moved: ValueError at other.py:2 in g\n      it was closed\n      from: pkg/core.py:2 in f\n" in text
    assert (
        f"      breaking: not caught by what caught the error it was part of\n      note: split from {origin}\n" in text
    )
    assert f"      note: now part of {origin}\n" in text
    markdown = render(shown, Format.MARKDOWN)
    assert "<summary>1 moved, otherwise as they were</summary>" in markdown
    assert markdown.count("it was closed") == 1
    assert "was: pkg/core.py:2 in f" in render(shown, Format.GITHUB)


def test_why_it_breaks() -> None:
    old = record("it was closed", errorBases=["OSError", "_Mixin", "Exception", "BaseException"])
    known, base = {"errorBases": ["Exception", "BaseException"]}, "no longer caught by except OSError"
    for new, why in (
        (record("it was closed", **known), base),
        (record("it was closed", errorClass="TypeError", **known), "no longer caught by except ValueError"),
        (
            record("it was closed", errorClass=None),
            "of a class that the source does not tell, where it was a known one",
        ),
    ):
        (change,) = compare([old], [new]).changes
        assert said.why_breaking(change) == why


def test_a_removed_error_of_a_file_that_is_gone_has_no_file() -> None:
    gone = comparison([record("it was closed", filePath="pkg/gone.py")], [])
    assert render(gone, Format.GITHUB).startswith(
        "::warning title=Error removed::ValueError: it was closed%0Awas: pkg/gone.py:2 in f"
    )


def test_long_texts_are_cut_to_what_changed() -> None:
    long = "word " * 60
    old, new = record(f"{long}one {long}two"), record(f"{long}three {long}four")
    text = render(comparison([old], [new]), Format.TEXT)
    around = long[: said.AROUND]
    assert f"…{long[-said.AROUND :]}[-one-]{{+three+}} {around[: said.AROUND - 1]}…" in text
    assert all(len(line) < 300 for line in text.splitlines())


def test_a_text_that_is_not_known_is_said_to_be() -> None:
    unknown = record("{e}", literalLength=None, literalUnknownWhy="str of another error")
    assert "      (a text that the source does not tell)\n" in render(comparison([], [unknown]), Format.TEXT)
    assert "      (no text)\n" in render(comparison([], [record("")]), Format.TEXT)


def test_variants_that_come_and_go() -> None:
    def texts(*all_: str) -> Record:
        variants = [MessageVariant(errorMessage=text, messagePattern=text) for text in all_]
        return record(all_[0], messageVariants=variants)

    def shown(old: Record, new: Record) -> str:
        return render(comparison([old], [new]), Format.TEXT).split("\n      ", 1)[1]

    assert shown(texts("one row"), texts("one row", "a column")) == "{+a column+}\n"
    assert shown(texts("one row", "a column"), texts("one row")) == "[-a column-]\n"
    assert shown(texts("one row", "a column"), texts("two rows", "a column")) == "[-one row-]{+two rows+}\n"
    assert shown(texts("one", "two"), texts("one", "three", "four", "")).endswith("texts: 2 more new\n")


def test_json_is_as_its_schema_says() -> None:
    value = json.loads(render(comparison(OLD, NEW), Format.JSON))
    jsonschema.validate(value, document.json_schema(), cls=jsonschema.Draft202012Validator)
    assert list(value) == ["schemaVersion", "from", "to", "summary", "changes"]
    assert (value["schemaVersion"], value["from"], value["to"]) == (3, "1.0", "2.0")
    assert value["summary"] == dict.fromkeys(Kind, 1) | {"moved": 0}
    assert [c["kind"] for c in value["changes"]] == ["reguarded", "reworded", "reclassed", "removed", "added"]
    assert [c["breaking"] for c in value["changes"]] == [False, False, True, False, False]
    reworded = value["changes"][1]
    assert reworded["words"] == [
        {"said": "both", "text": "expected "},
        {"said": "old", "text": "two"},
        {"said": "new", "text": "three"},
        {"said": "both", "text": " rows"},
    ]
    assert Record.model_validate(reworded["new"]) == NEW[1]
    assert value["changes"][3]["new"] is None
    assert value["changes"][4]["old"] is None


@pytest.mark.parametrize(
    "wrong", [{"changes": None}, {"summary": {"renamed": 1}}, {"from": ""}, {"schemaVersion": 2}, {"to": None}]
)
def test_the_schema_refuses_what_is_wrong(wrong: dict[str, Any]) -> None:
    value = json.loads(render(comparison(OLD, NEW), Format.JSON)) | wrong
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, document.json_schema(), cls=jsonschema.Draft202012Validator)


def test_the_schema_in_the_package_is_the_one_of_the_models() -> None:
    assert json.loads(SCHEMA.read_text()) == document.json_schema(), "stale: write document.json_schema() to it"


@given(SIGNS)
def test_markdown_shows_the_text_and_nothing_else(text: str) -> None:
    shown = Shown()
    shown.feed(
        MarkdownIt("commonmark", {"html": True})
        .enable(["table", "strikethrough"])
        .render(render(added(text), Format.MARKDOWN))
    )
    assert " ".join(shown.items[0].split()) == " ".join(
        f"added ValueError: {said.visible(said.message(record(text)))} (pkg/core.py:2)".split()
    )
    assert shown.tags <= {"h2", "h3", "code", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "p", "strong"}


class Shown(HTMLParser):
    """The text of list items, and which tags there were."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag == "li":
            self.items.append("")

    def handle_data(self, data: str) -> None:
        if self.items:
            self.items[-1] += data


@given(SIGNS, SIGNS)
def test_an_annotation_is_one_line_that_reads_back(text: str, path: str) -> None:
    shown = comparison([], [record(text, filePath=f"p/{path}.py")])
    (line,) = render(shown, Format.GITHUB).rstrip("\n").split("\n")
    assert "\r" not in line
    found = COMMAND.fullmatch(line)
    assert found
    properties = dict(pair.split("=", 1) for pair in found["properties"].split(","))
    unescaped = {key: read_back(value) for key, value in properties.items()}
    assert unescaped == {"file": f"p/{path}.py", "line": "2", "endLine": "2", "title": "Error added"}
    assert read_back(found["data"]) == f"ValueError: {said.message(record(text))}"


def read_back(value: str) -> str:
    for sign, escape in ((":", "%3A"), (",", "%2C"), ("\r", "%0D"), ("\n", "%0A"), ("%", "%25")):
        value = value.replace(escape, sign)
    return value


@given(SIGNS)
def test_nothing_of_a_text_steers_the_terminal(text: str) -> None:
    shown = render(added(text), Format.TEXT)
    assert re.fullmatch(r"[^\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*", shown)
    assert len(shown.splitlines()) == 6

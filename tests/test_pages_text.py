"""What pages are made of: excerpts, messages with holes, headings, parts of paths, lists."""

import html
import re
from pathlib import Path

import pytest
from conftest import make_record
from hypothesis import given
from hypothesis import strategies as st
from pages_samples import full_record

from pipeline.dataset import read
from pipeline.pages import code
from pipeline.pages.entries import by_file, entries, last_clause, paged
from pipeline.pages.excerpt import excerpt
from pipeline.pages.indexes import area, index
from pipeline.pages.message import heading, marked
from pipeline.pages.places import link, root, segments
from pipeline.pages.plain import cut, visible, web_address
from pipeline.record import MessageVariant, Record

TAG = re.compile("<[^>]*>")


def of_source(source: str, condition: str | None = None, start: int = 1) -> Record:
    """A record whose raise is on the lines that end in `#R`."""
    lines = source.split("\n")
    raised = [n for n, line in enumerate(lines, start) if line.endswith("#R")]
    return make_record(
        sourceCode=source,
        sourceCodeStart=start,
        sourceCodeEnd=start + len(lines) - 1,
        lineNumber=raised[0],
        endLineNumber=raised[-1],
        condition=condition,
    )


@pytest.mark.parametrize(
    ("source", "condition", "guards"),
    [
        ("def f(x):\n  if x:\n    raise E #R", "x", [2]),
        ("def f(x):\n  if x:\n    pass\n  else:\n    raise E #R", "not (x)", [2, 4]),
        ("def f(x):\n  if x:\n    pass\n  elif y:\n    raise E #R", "not (x) and y", [2, 4]),
        ("def f(x):\n  if x:\n    return\n  raise E #R", "not (x)", [2]),
        ("def f(x):\n  if y:\n    g()\n  raise E #R", None, []),
        ("def f(x):\n  for n in x:\n    while n:\n      raise E #R", "for n in x and while n", [2, 3]),
        ("def f(x):\n  try:\n    g()\n  except K as e:\n    raise E #R", "except K as e", [4]),
        ("def f(x):\n  if (a and\n      b\n  ):\n    raise E #R", "a and b", [2, 3, 4]),
        ("def f(x):\n  match x:\n    case 1:\n      pass\n    case _:\n      raise E #R", "case _", [2, 5]),
        ("if a:\n  def f(x):\n    raise E #R", None, []),
        ("def f(x):\n  with x:\n    assert y, z #R", None, []),
        ("def f(x):\n  if x: return\n  if y: raise E #R", "not (x) and y", [2]),
        ("def f(x):\n  if x:\n    raise E( #R\n      'if y:') #R\n  if y:\n    pass", "x", [2]),
    ],
)
def test_guards_are_marked(source: str, condition: str | None, guards: list[int]) -> None:
    lines = excerpt(of_source(source, condition))
    assert [line.number for line in lines if line.mark == "guard"] == guards
    assert all(line.mark == "raise" for line in lines if line.html.endswith("R</span>"))


@pytest.mark.parametrize(
    "source",
    [
        'end of a docstring, don\'t\n  """\n  raise E #R',
        "end of a docstring, \"quoted\"\n  '''\n  raise E #R",
        'def f():\n  """A docstring."""\n  raise E #R\n\n  """which begins',
        "\nraise E #R\n",
        "raise E #R\n\n\n",
    ],
)
def test_an_excerpt_keeps_its_text_and_knows_where_a_string_ends(source: str) -> None:
    lines = excerpt(of_source(source, start=7))
    assert [html.unescape(TAG.sub("", line.html)) for line in lines] == source.split("\n")
    assert next(line for line in lines if line.mark).html.strip().startswith('<span class="k">raise')


def test_excerpts_of_a_release_keep_their_text(jax_dataset: Path) -> None:
    for record in list(read(jax_dataset).records())[::10]:
        lines = excerpt(record)
        assert "\n".join(html.unescape(TAG.sub("", line.html)) for line in lines) == record.sourceCode
        assert '<span class="k">' in next(line.html for line in lines if line.number == record.lineNumber)


@given(st.text())
def test_code_keeps_its_text(text: str) -> None:
    shown = "\n".join(code.lines(code.tokens(text)))
    told = "\n".join(re.split("\r\n|\r|\n", text))  # newlines as Pygments has them
    assert html.unescape(TAG.sub("", shown)).rstrip("\n") == visible(told).rstrip("\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("def f(self):", "<k>def </k><f>f</f>(self):"),
        ("x.type, type", "x.type, <b>type</b>"),
        ("f'a{b}\\n'", """<s>f'a</s><i>{</i>b<i>}\\n</i><s>'</s>"""),
        ("import a.b as c", "<k>import </k>a.b <k>as </k>c"),
        ("match = case", "match = case"),
        ("match x:", "<k>match </k>x:"),
        ("@a.b", "<d>@a</d>.b"),
        ("1e5 + .5 # no", "<m>1e5 </m>+ <m>.5 </m><c># no</c>"),
        ("x is not None", "x <k>is not </k><m>None</m>"),
        ('r"\\d" "" """x"""', '<s>r"\\d" "" """x"""</s>'),
    ],
)
def test_code_is_highlighted(text: str, shown: str) -> None:
    assert str(code.snippet(text)) == re.sub(r"<(\w)>", r'<span class="\1">', re.sub(r"</\w>", "</span>", shown))


@pytest.mark.parametrize(
    ("message", "pattern", "shown"),
    [
        ("bad {x}", "bad (.+?)", "bad <var>{x}</var>"),
        ("{x}{y[0]}", "(.+?)(.*?)", "<var>{x}</var><var>{y[0]}</var>"),
        ("literal {x} and {x}", r"literal \{x\} and (.+?)", "literal {x} and <var>{x}</var>"),
        ("{d['}']} of <{y}>", "(.+?) of <(.+?)>", "<var>{d['}']}</var> of &lt;<var>{y}</var>&gt;"),
        ("a{x}, {y} … end", "(?:a|b)(.+?)(?:, (?:.+?))* end", "a<var>{x}</var>, <var>{y}</var> … end"),
        ("no hole {x}", r"no hole \{x\}", "no hole {x}"),
        ("", "", ""),
    ],
)
def test_holes_are_told_from_braces(message: str, pattern: str, shown: str) -> None:
    assert str(marked(MessageVariant(errorMessage=message, messagePattern=pattern))) == shown


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        (make_record("bad {x}\n  of it"), "bad {x} of it"),
        (make_record("w" * 60 + " " + "v" * 60), "w" * 60 + "…"),
        (make_record("w" * 130), "w" * 110 + "…"),
        (make_record("", ""), "ValueError without a message, from f"),
        (make_record("", "", errorClass=None, qualname=None), "Error without a message, from pkg/core.py"),
        (
            make_record("{x}", "(.+?)", literalLength=None, literalUnknownWhy="it is passed in"),
            "ValueError with a text that is known at run time only, from f",
        ),
        (make_record("a\x1b[31m\u202e"), r"a\x1b[31m\u202e"),
    ],
)
def test_heading(record: Record, shown: str) -> None:
    assert heading(record) == shown


@given(st.text(), st.integers(min_value=4, max_value=80))
def test_a_cut_text_is_a_line_that_begins_like_it(text: str, most: int) -> None:
    found = cut(text, most)
    assert len(found) <= most + 1
    assert "\n" not in found
    assert " ".join(text.split()).startswith(found.removesuffix("…"))


@given(st.sets(st.text(), max_size=30))
def test_names_have_parts_of_their_own_on_any_file_system(names: set[str]) -> None:
    parts = segments(names)
    assert set(parts) == names
    assert len({part.casefold() for part in parts.values()}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]{0,120}", part) for part in parts.values())
    assert segments(sorted(names, reverse=True)) == parts


@pytest.mark.parametrize(("name", "part"), [("jax.lax.scan", "jax.lax.scan"), ("..", "~2e."), ("a/b c", "a~2fb~20c")])
def test_part_of_a_path(name: str, part: str) -> None:
    assert segments([name]) == {name: part}


@pytest.mark.parametrize(
    ("path", "up", "linked"),
    [("index.html", "./", ""), ("errors/x/index.html", "../../", "errors/x/"), ("404.html", "./", "404.html")],
)
def test_root_and_link(path: str, up: str, linked: str) -> None:
    assert (root(path), link(path)) == (up, linked)


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://a.b/c#d", True),
        ("http://a.b", True),
        ("javascript:alert(1)", False),
        (" https://a.b", False),
        ("https://a.b\n", False),
        ("//a.b", False),
        ("data:text/html,x", False),
        (None, False),
    ],
)
def test_only_addresses_of_the_web_are_linked(url: str | None, kept: bool) -> None:
    assert web_address(url) == (url if kept else None)


@pytest.mark.parametrize(
    ("condition", "last"),
    [
        ("a and b", "b"),
        ("a and f(b and c)", "f(b and c)"),
        ("not (a and b)", "not (a and b)"),
        ("band and for x in [y and z]", "for x in [y and z]"),
        (None, ""),
    ],
)
def test_last_clause(condition: str | None, last: str) -> None:
    assert last_clause(condition) == last


def test_records_that_are_called_the_same_say_how_they_differ() -> None:
    one = full_record()
    two = full_record(id="00000000000000f2", condition="a and b == 1", qualname="other", aliases=())
    alone = make_record("something else", "something else", condition="c")
    headings = {record.id: heading(record) for record in (one, two, alone)}
    listed = entries([one, two, alone], headings)
    assert [entry.when for entry in listed] == ["n < 0", "b == 1", None]
    assert [entry.qualname for entry in listed] == ["read", "other", "f"]
    assert entries([alone], headings, among=["something else"])[0].when == "c"


def test_a_long_list_is_cut_in_pages_that_miss_nothing() -> None:
    records = [make_record(f"bad {n}", f"bad {n}", filePath=f"pkg/{n // 7}.py") for n in range(40)]
    groups = by_file(records, {record.id: heading(record) for record in records})
    pages = paged(groups, 9)
    assert [sum(len(group.entries) for group in its) for its in pages] == [9, 9, 9, 9, 4]
    assert [entry.heading for its in pages for group in its for entry in group.entries] == [
        f"bad {n}" for n in range(40)
    ]
    assert [[group.name for group in its] for its in pages[:2]] == [["pkg/0.py", "pkg/1.py"], ["pkg/1.py", "pkg/2.py"]]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("jax/_src/lax/lax.py", "jax._src.lax"),
        ("setup.py", "top level"),
        ("my-app/a.py", "my-app"),
        ("a.b/c/d.py", "a.b/c"),
    ],
)
def test_area(path: str, name: str) -> None:
    assert area(make_record(filePath=path)) == name


def test_an_id_is_no_slug_of_another_and_aliases_lead_to_what_is_there() -> None:
    one = make_record("bad", "bad", id="00000000000000f1", aliases=("00000000000000aa", "00000000000000f2"))
    two = make_record("x", "x", id="00000000000000f2", slug="00000000000000f1")
    gone = make_record("y", "y", id="00000000000000e1", slug="bad", lastSeenIn="1")
    found = index([one, two], [gone], [two.model_copy(update={"slug": "x-before"})])
    assert {name: record.id[-2:] for name, record in found.known.items()} == {
        "00000000000000e1": "e1",
        "00000000000000f1": "f1",
        "00000000000000f2": "f2",
        "00000000000000aa": "f1",
    }
    assert found.slugs == {"bad": ("00000000000000f1", "00000000000000e1"), "x-before": ("00000000000000f2",)}

"""Pages of the documentation and lines of the change log that quote an error's text."""

import json

import pytest
from conftest import make_record

from pipeline.evidence.docs import Quote, find_quotes, page_url
from pipeline.source.tree import SourceFile

LEAKED = make_record(
    "Encountered an unexpected tracer {x}. Leaks are bad.", r"Encountered an unexpected tracer (.+?)\. Leaks are bad\."
)
SHORT = make_record("bad {x}", "bad (.+?)")
TEXT = "UnexpectedTracerError: Encountered an unexpected tracer Traced<x>. Leaks are bad."


def page(path: str, text: str) -> SourceFile:
    return SourceFile(path=path, blob_id="0" * 40, data=text.encode())


def notebook(*cells: object) -> str:
    return json.dumps({"cells": cells}, indent=1)


def quotes(file: SourceFile, repo: str = "jax-ml/jax") -> tuple[Quote, ...]:
    found, nothing = find_quotes([file], [LEAKED, SHORT], repo)
    assert nothing == ()
    return found


# name: (path, text of the page, line and words of its quote)
QUOTED = {
    "a page": ("docs/errors.md", f"# Errors\n\n{TEXT}\n", (3, TEXT)),
    "reStructuredText": ("docs/errors.rst", f"Errors\n======\n\n    {TEXT}\n", (4, TEXT)),
    "broken over lines": (
        "docs/errors.md",
        "It said: Encountered an\n   unexpected    tracer x\n",
        (1, "It said: Encountered an unexpected    tracer x"),
    ),
    "the change log": ("CHANGELOG.md", f"## 1.0\n* {TEXT}\n", (2, f"* {TEXT}")),
    "a notebook's words": ("docs/n.ipynb", notebook({"cell_type": "markdown", "source": ["# T\n", TEXT]}), (7, TEXT)),
    "a notebook's output": (
        "docs/n.ipynb",
        notebook({"source": ["f(x)"], "outputs": [{"output_type": "error", "evalue": TEXT}]}),
        (10, TEXT),
    ),
}


@pytest.mark.parametrize("name", QUOTED)
def test_a_quote_is_found(name: str) -> None:
    path, text, expected = QUOTED[name]
    (quote,) = quotes(page(path, text))
    assert (quote.path, quote.line, quote.text) == (path, *expected)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/errors.md", "an unexpected tracer"),
        ("docs/errors.md", "Encountered an unexpected value"),
        ("docs/errors.py", TEXT),
        ("docs/n.ipynb", "not JSON " + TEXT),
        ("docs/n.ipynb", "[]"),
        ("docs/errors.md", ""),
    ],
)
def test_what_is_no_quote(path: str, text: str) -> None:
    assert quotes(page(path, text)) == ()


def test_a_common_phrase_of_a_long_message_is_no_quote() -> None:
    long = make_record(
        "of the differentiated function {x}" + "y" * 200, "of the differentiated function (.+?)" + "y" * 200
    )
    assert find_quotes([page("docs/a.md", "one entry of the differentiated function here")], [long], "a/b") == [()]


def test_a_page_comes_before_the_change_log_and_three_are_enough() -> None:
    files = [page("CHANGELOG.md", TEXT), *(page(f"docs/{name}.md", TEXT) for name in "dcba")]
    (found,) = find_quotes(files, [LEAKED], "a/b")
    assert [q.path for q in found] == ["docs/a.md", "docs/b.md", "docs/c.md"]
    (found,) = find_quotes(files[:2], [LEAKED], "a/b")
    assert [q.path for q in found] == ["docs/d.md", "CHANGELOG.md"]


@pytest.mark.parametrize(
    ("path", "repo", "url"),
    [
        ("docs/errors.rst", "jax-ml/jax", "https://docs.jax.dev/en/latest/errors.html"),
        ("docs/export/shape_poly.md", "jax-ml/jax", "https://docs.jax.dev/en/latest/export/shape_poly.html"),
        ("CHANGELOG.md", "jax-ml/jax", None),
        ("docs/errors.rst", "local/jax", None),
    ],
)
def test_address_of_a_page(path: str, repo: str, url: str | None) -> None:
    assert page_url(path, repo) == url

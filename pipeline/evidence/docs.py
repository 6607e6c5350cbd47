"""Pages of the documentation and lines of the change log that quote the text of an error."""

from __future__ import annotations

import bisect
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ahocorasick

from pipeline.evidence.runs import fixed_runs
from pipeline.record import Record
from pipeline.source.selection import JAX
from pipeline.source.tree import SourceFile

MAX_QUOTES = 3
FEWEST = 25  # fixed characters that a page must quote in one piece
LONG = 45  # characters that tell an error whatever else it says
SHARE = 0.3  # of an error's fixed text that a shorter piece must be
MAX_TEXT = 240  # characters of a quote
COMMON = 8  # records that a piece of text may belong to

_SITE = "https://docs.jax.dev/en/latest/"
_SPACE = re.compile(r"\s+")
_PAGES = (".md", ".rst", ".ipynb")


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """A line that quotes an error's text. url: of its page on the documentation's site, or None."""

    path: str
    line: int
    text: str
    url: str | None


def find_quotes(files: Sequence[SourceFile], records: Sequence[Record], repo: str) -> list[tuple[Quote, ...]]:
    """The quotes of each record, in order of path and line; pages of the documentation before the change log."""
    out: list[dict[tuple[str, int], Quote]] = [{} for _ in records]
    pages = [f for f in files if f.path.endswith(_PAGES)]
    automaton = _automaton(records) if pages else None
    if automaton is None:
        return [() for _ in records]
    for file in sorted(pages, key=lambda f: (not f.path.startswith("docs/"), f.path)):
        page = _Page(file)
        for end, (length, owners) in automaton.iter(page.text):
            quote = page.quote(end - length + 1, end, page_url(file.path, repo))
            for i in owners:
                out[i].setdefault((quote.path, quote.line), quote)
    return [tuple(found.values())[:MAX_QUOTES] for found in out]


def page_url(path: str, repo: str) -> str | None:
    """Address of a page of the documentation; None where its site is not known."""
    stem, _, _ = path.rpartition(".")
    return f"{_SITE}{stem.removeprefix('docs/')}.html" if repo == JAX and path.startswith("docs/") else None


def _automaton(records: Sequence[Record]) -> Any | None:
    """An automaton of the records' long pieces of fixed text; None where there are none."""
    owners: dict[str, list[int]] = defaultdict(list)
    for i, record in enumerate(records):
        for piece in sorted({p for v in record.messageVariants for p in _telling(fixed_runs(v.messagePattern))}):
            owners[piece].append(i)
    kept = {piece: its for piece, its in owners.items() if len(its) <= COMMON}
    if not kept:
        return None
    automaton = ahocorasick.Automaton()
    for piece, its in kept.items():
        automaton.add_word(piece, (len(piece), its))
    automaton.make_automaton()
    return automaton


def _telling(runs: Sequence[str]) -> Iterator[str]:
    """The pieces of a text that are long, by themselves or for this text."""
    whole = sum(map(len, runs))
    for run in runs:
        piece = run.strip()
        if len(piece) >= FEWEST and (len(piece) >= LONG or len(piece) >= SHARE * whole):
            yield piece


class _Page:
    """The text of a page with white space collapsed, and where each of its lines begins in it."""

    def __init__(self, file: SourceFile) -> None:
        self.path = file.path
        text = file.data.decode("utf-8", "replace")
        lines = _notebook(text) if file.path.endswith(".ipynb") else enumerate(text.splitlines(), 1)
        self.lines = list(lines)
        self.starts: list[int] = []
        pieces: list[str] = []
        at = 0
        for _, line in self.lines:
            said = _SPACE.sub(" ", line).strip()
            self.starts.append(at)
            pieces.append(said)
            at += len(said) + 1 if said else 0
        self.text = " ".join(p for p in pieces if p)

    def quote(self, start: int, end: int, url: str | None) -> Quote:
        first = bisect.bisect_right(self.starts, start) - 1
        last = bisect.bisect_right(self.starts, end) - 1
        said = " ".join(line.strip() for _, line in self.lines[first : last + 1])
        return Quote(path=self.path, line=self.lines[first][0], text=said[:MAX_TEXT], url=url)


def _notebook(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a notebook's cells and outputs, with the line of the file where each stands."""
    try:
        cells = json.loads(text).get("cells", ())
    except (ValueError, AttributeError):
        return
    at, number = 0, 1
    for said in _strings(cells):
        for line in said.splitlines():
            found = text.find(json.dumps(line, ensure_ascii=False)[1:-1], at) if line.strip() else -1
            if found > at:
                number += text.count("\n", at, found)
                at = found
            yield number, line


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, dict):
        for key in ("source", "outputs", "text", "evalue"):
            yield from _strings(value.get(key))

"""The match index of a site: what the browser needs to answer a paste as `errcat match` does."""

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from pipeline.manifest import Manifest
from pipeline.match import dialect
from pipeline.match.index import Entry, Index, Variant, build, core
from pipeline.match.rivals import RIVALS, Rival
from pipeline.pages.match_rules import rules
from pipeline.record import Record

PATH: Final = "api/match-index.json.gz"
FORMAT: Final = 1
"""Grows whenever the modules in static/match/ must know of a change here."""
_FIELDS: Final = frozenset(
    {
        *("id", "errorClass", "errorClassPublic", "errorBases", "filePath", "lineNumber", "endLineNumber", "qualname"),
        *("errorMessage", "messagePattern", "messageVariants", "placeholders", "sourceCode", "sourceCodeStart"),
    }
)


def files(records: Sequence[Record], manifest: Manifest) -> dict[str, bytes]:
    """The index of these records, by its path in the site."""
    return {PATH: compressed(table(records, repo=manifest.repo, revision=manifest.revision))}


def compressed(value: object) -> bytes:
    """JSON, gzipped: the same bytes for the same value."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)


def table(records: Sequence[Record], *, repo: str, revision: str) -> dict[str, Any]:
    """The index as JSON: a column a field, which takes less room than a row a record."""
    rows = ((record.model_dump(mode="json", include=set(_FIELDS)), (0, 0)) for record in records)
    index = build(rows, repo=repo, revision=revision)
    kinds, kind = _kinds(index, records)
    return {
        "format": FORMAT,
        "repo": repo,
        "revision": revision,
        "rules": rules(),
        "kinds": kinds,
        "entries": _columns(index.entries, _ENTRY) | {"kind": kind, "pattern": _patterns(index)},
        "variants": _columns(index.variants, _VARIANT),
        "rivals": _columns(RIVALS, _RIVAL),
    }


def _kinds(index: Index, records: Sequence[Record]) -> tuple[list[list[Any]], list[int]]:
    """The classes that are raised, each with its public name and its bases once; and which of them each entry's is."""
    numbers: dict[tuple[str | None, str | None, frozenset[str]], int] = {}
    of = [
        numbers.setdefault((entry.error_class, record.errorClassPublic, entry.bases), len(numbers))
        for entry, record in zip(index.entries, records, strict=True)
    ]
    return [[name, public, sorted(bases)] for name, public, bases in numbers], of


def _patterns(index: Index) -> list[list[Any] | None]:
    first = {number: index.variants[own[0]].core for number, own in index.variants_of.items()}
    return [_pattern(entry, first.get(number)) for number, entry in enumerate(index.entries)]


def _pattern(entry: Entry, first: str | None) -> list[Any] | None:
    """The entry's pattern and what is left of it without an address at the end; None where both are its first text."""
    if entry.pattern == first:
        return None
    try:
        return [tree(dialect.parse(entry.pattern)), tree(core(entry.pattern))]
    except dialect.PatternError:
        return []


def tree(sequence: dialect.Sequence) -> list[Any]:
    """A pattern's parts: fixed text as it is, a gap as `(2 if hole) + least`, a choice as its mark and its options."""
    return [_part(part) for part in sequence.parts]


def _part(part: dialect.Text | dialect.Gap | dialect.Choice) -> Any:
    match part:
        case dialect.Text():
            return part.text
        case dialect.Gap():
            return 2 * part.hole + part.least
        case dialect.Choice():
            mark = "*" if part.repeat else "" if part.least else "?"
            return [mark, *map(tree, part.options)]


def _columns(rows: Iterable[Any], fields: dict[str, Callable[[Any], Any]]) -> dict[str, list[Any]]:
    kept = tuple(rows)
    return {name: [value(row) for row in kept] for name, value in fields.items()}


_ENTRY: Final[dict[str, Callable[[Entry], Any]]] = {
    "id": lambda entry: entry.id,
    "path": lambda entry: entry.path,
    "line": lambda entry: entry.line,
    "lines": lambda entry: entry.end_line - entry.line,
    "function": lambda entry: entry.function,
    "placeholders": lambda entry: list(entry.placeholders),
    "raiseLine": lambda entry: entry.raise_line,
}
_VARIANT: Final[dict[str, Callable[[Variant], Any]]] = {
    "entry": lambda variant: variant.entry,
    "message": lambda variant: variant.message,
    "core": lambda variant: tree(dialect.parse(variant.core)),
    "length": lambda variant: variant.length,
    "least": lambda variant: variant.least,
    "most": lambda variant: variant.most,
}
_RIVAL: Final[dict[str, Callable[[Rival], Any]]] = {
    "speaker": lambda rival: rival.speaker,
    "pattern": lambda rival: tree(dialect.parse(rival.pattern)),
    "fixed": lambda rival: rival.fixed,
    "run": lambda rival: rival.run,
}

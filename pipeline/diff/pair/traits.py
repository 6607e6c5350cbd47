"""What of a record tells it from others, in a form that is quick to compare."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pipeline.record import Record

BEFORE: Final = 6
"""Lines above the raise that say where it stands."""
AFTER: Final = 3
"""Lines below it."""
MOST_TEXTS: Final = 4
"""Variants of a record that are compared."""
_HOLE: Final = re.compile(r"\(\?:\.\+\?\)|\(\.[+*]\?\)")
_SYNTAX: Final = re.compile(r"\(\?:|\)[?*]?|\|")
_ESCAPED_SYNTAX: Final = re.compile(r"\\[()|?*]")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_WORD: Final = re.compile(r"\w+")

Said = tuple[str | None, str]
"""Class and pattern: two records with the same one say the same."""


def said(record: Record) -> Said:
    return record.errorClass, record.messagePattern


@lru_cache(maxsize=1 << 16)
def words(pattern: str) -> tuple[str, ...]:
    """The words of a pattern's fixed text, lower-case."""
    text = _SYNTAX.sub(" ", _HOLE.sub(" ", _ESCAPED_SYNTAX.sub(" ", pattern)))
    return tuple(_WORD.findall(_ESCAPED.sub(r"\1", text).lower()))


@dataclass(frozen=True, kw_only=True, slots=True)
class Lexicon:
    """How often words and texts occur. total: records on both sides."""

    total: int
    words: Mapping[str, int]
    texts: Mapping[Said, int]

    def weight(self, word: str) -> float:
        """Near 1 for a word that hardly any record has, near 0 for one that all have."""
        return math.log1p(self.total / self.words.get(word, 1)) / math.log1p(self.total)


def lexicon(old: Iterable[Record], new: Iterable[Record]) -> Lexicon:
    """The words of both catalogues. A text counts as often as the side has it that has it more often."""
    sides = [Counter(said(record) for record in side) for side in (old, new)]
    found: Counter[str] = Counter()
    for side in sides:
        for (_, pattern), many in side.items():
            for word in set(words(pattern)):
                found[word] += many
    total = sum(many for side in sides for many in side.values())
    return Lexicon(total=total, words=found, texts=sides[0] | sides[1])


@dataclass(frozen=True, kw_only=True, slots=True)
class Traits:
    """A record, taken apart.

    said: its class and pattern; common: how many records of one side have that. texts: the words of each variant, with
    their weights. statement: its source, and before, after: the lines around, stripped, nearest first, without empty
    ones. guard: its condition, with white space collapsed. leaf: last part of its qualname.
    """

    record: Record
    said: Said
    common: int
    texts: tuple[Mapping[str, float], ...]
    order: tuple[tuple[str, ...], ...]
    statement: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    guard: str
    leaf: str

    @property
    def says(self) -> bool:
        """Whether its text has words that are known."""
        return bool(self.texts[0])


def traits(record: Record, known: Lexicon) -> Traits:
    lines = [line.strip() for line in record.sourceCode.split("\n")]
    first, last = record.lineNumber - record.sourceCodeStart, record.endLineNumber - record.sourceCodeStart
    above = (line for line in reversed(lines[:first]) if line)
    below = (line for line in lines[last + 1 :] if line)
    order = tuple(words(variant.messagePattern) for variant in record.messageVariants[:MOST_TEXTS])
    return Traits(
        record=record,
        said=said(record),
        common=known.texts.get(said(record), 1),
        texts=tuple({word: known.weight(word) for word in text} for text in order),
        order=order,
        statement=" ".join(lines[first : last + 1]),
        before=tuple(line for line, _ in zip(above, range(BEFORE), strict=False)),
        after=tuple(line for line, _ in zip(below, range(AFTER), strict=False)),
        guard=" ".join((record.condition or "").split()),
        leaf=(record.qualname or "").rpartition(".")[2],
    )

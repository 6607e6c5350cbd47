"""Two texts compared word by word; a hole is one word."""

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

# A hole with up to two levels of braces inside, a word, white space, or one other character.
_TOKEN = re.compile(r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\w+|\s+|.", re.DOTALL)
_WORD = re.compile(r"\w")


class Said(enum.StrEnum):
    """Where a piece of text is found."""

    BOTH = "both"
    OLD = "old"
    NEW = "new"


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """A piece of text and where it is found; never empty."""

    said: Said
    text: str


def compare_words(old: str, new: str) -> tuple[Words, ...]:
    """The pieces in reading order: those of OLD and BOTH make up `old`, those of NEW and BOTH make up `new`."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    return tuple(_joined(before, after))


def _joined(before: list[str], after: list[str]) -> Iterator[Words]:
    lost = gained = ""
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        same, last = "".join(before[i:j]), j == len(before) and m == len(after)
        if tag != "equal":
            lost, gained = lost + same, gained + "".join(after[k:m])
        elif (lost or gained) and not last and not _WORD.search(same):  # a sign between two changed words changes too
            lost, gained = lost + same, gained + same
        else:
            yield from _changed(lost, gained)
            yield Words(said=Said.BOTH, text=same)
            lost = gained = ""
    yield from _changed(lost, gained)


def _changed(lost: str, gained: str) -> Iterator[Words]:
    if lost == gained:
        if lost:
            yield Words(said=Said.BOTH, text=lost)
        return
    if lost:
        yield Words(said=Said.OLD, text=lost)
    if gained:
        yield Words(said=Said.NEW, text=gained)

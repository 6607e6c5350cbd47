"""What an error can print, in one spelling: the same texts are the same, however the source puts them together."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pipeline.record import Record

_HOLE: Final = "(.+?)"
_PLAIN: Final = re.compile(r"(?:[^\\()|]|\\.)+", re.DOTALL)
_HOLES: Final = (_HOLE, "(.*?)", "(?:.+?)", "(?:.*?)")


def wording(record: Record) -> frozenset[str]:
    """Its texts as patterns, whatever their order and the names of their holes."""
    return frozenset(as_read(variant.messagePattern) for variant in record.messageVariants)


def as_read(pattern: str) -> str:
    """A pattern without what no reader of the text sees.

    Holes are all alike, that one can be empty is no other wording; alternatives are sorted, and one that is only a
    hole stands for all of them.
    """
    return _either(_Reader(pattern).options())


@dataclass(slots=True)
class _Reader:
    """Reads a pattern of the dialect from left to right."""

    pattern: str
    at: int = 0

    def options(self) -> list[str]:
        """The alternatives from here on, up to the end of the group."""
        found = [self._sequence()]
        while self._take("|"):
            found.append(self._sequence())
        return found

    def _sequence(self) -> str:
        parts = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts.append(self._part())
        return "".join(parts)

    def _part(self) -> str:
        if self.pattern[self.at] == "(" and any(self._take(hole) for hole in _HOLES):
            return _HOLE
        if self._take("(?:"):
            inside = self.options()
            self._take(")")
            if self._take("?"):
                return _either([*inside, ""])
            return f"(?:{_either(inside)})*" if self._take("*") else _either(inside)
        plain = _PLAIN.match(self.pattern, self.at)
        self.at = plain.end() if plain else self.at + 1
        return plain[0] if plain else ""

    def _take(self, text: str) -> bool:
        found = self.pattern.startswith(text, self.at)
        self.at += len(text) * found
        return found


def _either(options: Iterable[str]) -> str:
    different = sorted(set(options))
    if _HOLE in different or len(different) == 1:
        return _HOLE if _HOLE in different else different[0]
    return f"(?:{'|'.join(different)})"

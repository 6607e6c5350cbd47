"""A record's pattern, taken apart: fixed runs, holes, alternatives (the dialect of the catalogue, nothing more)."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

SPACE: Final = re.compile(r"\s+")
_MAX_DEPTH: Final = 60
_HOLES: Final = {"(.+?)": (True, 1), "(.*?)": (True, 0), "(?:.+?)": (False, 1), "(?:.*?)": (False, 0)}


class PatternError(ValueError):
    """A pattern that is not of the dialect."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """Fixed text, unescaped."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Gap:
    """Text known only at run time. hole: whether the record counts it as a placeholder."""

    hole: bool
    least: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """One of several sequences; with least 0 also none, with repeat also many times."""

    options: "tuple[Sequence, ...]"
    least: int = 1
    repeat: bool = False


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """Parts that follow each other."""

    parts: tuple[Text | Gap | Choice, ...]

    @cached_property
    def holes(self) -> int:
        return sum(
            int(p.hole) if isinstance(p, Gap) else sum(o.holes for o in p.options) if isinstance(p, Choice) else 0
            for p in self.parts
        )


def parse(pattern: str) -> Sequence:
    """The parts of a pattern.

    Raises PatternError where it leaves the dialect (an unclosed group, another quantifier, too deep a nesting).
    """
    sequence, end = _sequence(pattern, 0, 0)
    if end != len(pattern):
        raise PatternError(f"unexpected {pattern[end]!r} at {end}")
    return sequence


def _sequence(pattern: str, at: int, depth: int) -> tuple[Sequence, int]:
    if depth > _MAX_DEPTH:
        raise PatternError("groups nested too deep")
    parts: list[Text | Gap | Choice] = []
    fixed: list[str] = []

    def flush() -> None:
        if fixed:
            parts.append(Text(text="".join(fixed)))
            fixed.clear()

    while at < len(pattern) and pattern[at] not in "|)":
        char = pattern[at]
        if char == "\\":
            if at + 1 >= len(pattern):
                raise PatternError("a backslash ends the pattern")
            fixed.append(pattern[at + 1])
            at += 2
        elif char == "(":
            flush()
            part, at = _group(pattern, at, depth)
            parts.append(part)
        elif char in "*+?[]{}^$.":
            raise PatternError(f"unexpected {char!r} at {at}")
        else:
            fixed.append(char)
            at += 1
    flush()
    return Sequence(parts=tuple(parts)), at


def _group(pattern: str, at: int, depth: int) -> tuple[Gap | Choice, int]:
    for gap, (hole, least) in _HOLES.items():
        if pattern.startswith(gap, at):
            return Gap(hole=hole, least=least), at + len(gap)
    if not pattern.startswith("(?:", at):
        raise PatternError(f"unexpected group at {at}")
    at += 3
    options = []
    while True:
        option, at = _sequence(pattern, at, depth + 1)
        options.append(option)
        if at >= len(pattern):
            raise PatternError("a group is not closed")
        at += 1
        if pattern[at - 1] == ")":
            break
    mark = pattern[at : at + 1]
    if mark in ("?", "*"):
        return Choice(options=tuple(options), least=0, repeat=mark == "*"), at + 1
    return Choice(options=tuple(options)), at


def squeezed(text: str) -> str:
    """The text without any white space: the form in which a re-wrapped or collapsed message equals the original."""
    return "".join(text.split())


def regex(sequence: Sequence, *, squeeze: bool = False) -> str:
    """The sequence as an expression for RE2, for the text as it is or for squeezed text.

    The groups are those of the pattern, in order.
    """
    return "".join(_part(part, squeeze=squeeze) for part in sequence.parts)


def _part(part: Text | Gap | Choice, *, squeeze: bool) -> str:
    if isinstance(part, Text):
        return re.sub(r"([\\^$.*+?()\[\]{}|])", r"\\\1", squeezed(part.text) if squeeze else part.text)
    if isinstance(part, Gap):
        least = "+?" if part.least else "*?"
        return f"(.{least})" if part.hole else f"(?:.{least})"
    body = "|".join(regex(option, squeeze=squeeze) for option in part.options)
    return f"(?:{body}){'*' if part.repeat else '' if part.least else '?'}"


def without_tail(sequence: Sequence, start: str) -> Sequence:
    """The sequence without what follows (and includes) the last fixed run in which `start` stands."""
    for number in range(len(sequence.parts) - 1, -1, -1):
        part = sequence.parts[number]
        if isinstance(part, Text) and start in part.text:
            kept = part.text[: part.text.rindex(start)].rstrip()
            return Sequence(parts=(*sequence.parts[:number], *((Text(text=kept),) if kept else ())))
    return sequence


def runs(sequence: Sequence) -> Iterator[str]:
    """The fixed runs that every text of this sequence has, in order, squeezed."""
    for part in sequence.parts:
        if isinstance(part, Text):
            if text := squeezed(part.text):
                yield text
        elif isinstance(part, Choice) and part.least and len(part.options) == 1:
            yield from runs(part.options[0])


def anchors(sequence: Sequence) -> frozenset[str]:
    """Squeezed runs of which every text of this sequence has at least one: the longest such set; empty without any."""
    best: frozenset[str] = frozenset()
    for part in sequence.parts:
        if isinstance(part, Text):
            found = frozenset({text}) if (text := squeezed(part.text)) else frozenset()
        elif isinstance(part, Choice) and part.least:
            each = [anchors(option) for option in part.options]
            found = frozenset().union(*each) if all(each) else frozenset()
        else:
            continue
        if _shortest(found) > _shortest(best):
            best = found
    return best


def _shortest(texts: frozenset[str]) -> int:
    return min(map(len, texts), default=0)


def fixed(
    sequence: Sequence,
    choose: Callable[[Iterable[int]], int] = min,
    size: Callable[[str], int] = lambda text: len(squeezed(text)),
) -> int:
    """Fixed characters of this sequence: the fewest (`min`) or the most (`max`) a text has; without white space."""
    total = 0
    for part in sequence.parts:
        if isinstance(part, Text):
            total += size(part.text)
        elif isinstance(part, Choice):
            total += choose([*([] if part.least else [0]), *(fixed(option, choose, size) for option in part.options)])
    return total

"""Which variants a message can be: by fixed text first, then proved with RE2."""

import enum
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

import re2

from pipeline.match import dialect
from pipeline.match.index import ERROR_PAGE, PIECE, Index, Variant, core, hits

_PROVED: Final = 48
"""Candidates that RE2 is asked about, those with the most fixed text first."""
_BROKEN: Final = 48
_TAIL: Final = 160
"""Squeezed characters at the end of a message in which a fixed run can break off."""
_SEE: Final = re.compile(r"\s+See\s+https?:\S*(?:\n\S*)?\s*\Z")
_SEEN: Final = 400
_ELLIPSES: Final = ("[...]", "[…]", "(...)", "<snip>", "[truncated]", "...", "…", ".")
_BLANKS: Final = " \t\n"


class How(enum.StrEnum):
    """How a record was found, strongest first."""

    FRAME = "frame"  # the frame that raised is the record's function, and the text agrees
    LINE = "line"  # the frame that raised is the record's statement; its text cannot be compared
    WHOLE = "whole"  # the whole message, character for character
    RESPACED = "respaced"  # the whole message, but for white space: wrapped or collapsed on the way
    LONGER = "longer"  # the beginning of what was pasted is the whole message
    CUT = "cut"  # what was pasted is the beginning of the message
    REWORDED = "reworded"  # most of the fixed text, in order: another release words it a little differently


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """That a message can be a variant.

    variant: its number. fixed: fixed characters that agree, white space not counted.
    share: of the variant's fixed text that stands in the message. free: characters of the message, white space
    not counted, that are not the variant's fixed text.
    text: the part of the message that is the error's. groups: of the variant's core in it, where that matched as it is.
    """

    variant: int
    how: How
    fixed: int
    share: float
    free: int
    text: str
    groups: tuple[str | None, ...] | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing of the message is open to doubt."""
        return self.free == 0


@dataclass(frozen=True, kw_only=True)
class Message:
    """A message to look for.

    extents: the parts of it that could be all that the error said, likeliest first.
    """

    text: str

    @cached_property
    def core(self) -> str:
        """Without the "See https://…" that some errors end with: another release may point elsewhere."""
        at = max(0, len(self.text) - _SEEN)
        found = _SEE.search(self.text, at) if "http" in self.text[at:] else None
        if found and ERROR_PAGE in dialect.squeezed(found[0]):
            return self.text[: found.start()].rstrip()
        return self.text

    @cached_property
    def squeezed(self) -> str:
        return dialect.squeezed(self.core)

    @cached_property
    def extents(self) -> tuple[str, ...]:
        found = [self.core]
        paragraphs = self.core.split("\n\n", 8)
        found.extend("\n\n".join(paragraphs[:count]) for count in range(min(len(paragraphs), 8) - 1, 0, -1))
        found.append(self.core.split("\n", 1)[0])
        return tuple(dict.fromkeys(text.rstrip("\n") for text in found if text.strip()))


def _options() -> Any:
    options = re2.Options()
    options.dot_nl = True
    options.log_errors = False
    options.max_mem = 4 << 20
    return options


_OPTIONS: Final = _options()


@lru_cache(maxsize=8192)
def compiled(pattern: str) -> Any:
    """The expression, for a match in linear time; None where RE2 finds it too large."""
    try:
        return re2.compile(pattern, _OPTIONS)
    except re2.error:
        return None


_parsed = lru_cache(maxsize=2048)(dialect.parse)


@lru_cache(maxsize=2048)
def _squeezed_regex(pattern: str) -> str:
    return dialect.regex(_parsed(pattern), squeeze=True)


def holds(pattern: str, text: str) -> Any:
    """RE2's match of a whole text, or None."""
    expression = compiled(pattern)
    return expression.fullmatch(text) if expression is not None else None


def groups(pattern: str, text: str) -> tuple[str | None, ...] | None:
    """The texts of a pattern's holes in a text that it matches in full, if need be apart from white space."""
    if found := holds(pattern, text):
        return tuple(found.groups())
    if not (found := holds(_squeezed_regex(pattern), dialect.squeezed(text))):
        return None
    at = [number for number, char in enumerate(text) if not char.isspace()]
    spans = [found.span(number) for number in range(1, len(found.groups()) + 1)]
    return tuple(None if a < 0 else text[at[a] : at[b - 1] + 1] if b > a else "" for a, b in spans)


@lru_cache(maxsize=2048)
def core_of(pattern: str) -> str:
    """A pattern without the address of JAX's page on errors at its end."""
    return dialect.regex(core(pattern))


def wholes(message: Message, index: Index) -> list[Agreement]:
    """The variants that the message, or its beginning, is in full."""
    found: dict[int, None] = {}
    for _, _, numbers in hits(index.anchors, message.squeezed):
        found.update(dict.fromkeys(numbers))
    plausible = [n for n in found if _in_order(index.variants[n].runs, message.squeezed)]
    plausible.sort(key=lambda n: -index.variants[n].most)
    return [a for n in plausible[:_PROVED] if (a := agree(message, n, index.variants[n]))]


def agree(message: Message, number: int, variant: Variant) -> Agreement | None:
    """How the message is this variant in full, if it is."""
    whole = message.core
    if found := holds(variant.core, whole):
        return _agreement(number, variant, _runs_on(variant, found) or How.WHOLE, whole, found)
    if not message.squeezed and whole:
        return None
    for extent in message.extents:
        first = extent is whole or len(extent) == len(whole)
        if not first and (found := holds(variant.core, extent)):
            return _agreement(number, variant, How.LONGER, extent, found)
        text = message.squeezed if first else dialect.squeezed(extent)
        if _in_order(variant.runs, text) and (found := holds(_squeezed_regex(variant.core), text)):
            return _agreement(number, variant, How.RESPACED if first else How.LONGER, extent, found)
    return None


def _runs_on(variant: Variant, found: Any) -> How | None:
    """LONGER where the last hole of a text without paragraphs has several: what follows may not be its value."""
    if "\n\n" in variant.core or not variant.core.endswith("?)"):
        return None
    last = found.groups()[-1] if found.groups() else None
    return How.LONGER if last and "\n\n" in last else None


def _agreement(number: int, variant: Variant, how: How, text: str, found: Any) -> Agreement:
    values = found.groups()
    held = sum(len(dialect.squeezed(value)) for value in values if value)
    size = len(dialect.squeezed(text))
    fixed = max(variant.least, min(variant.most, size - held))
    kept = values if how in (How.WHOLE, How.LONGER) and found.string is text else None
    return Agreement(variant=number, how=how, fixed=fixed, share=1.0, free=max(0, size - fixed), text=text, groups=kept)


def _in_order(runs: tuple[str, ...], text: str) -> bool:
    at = 0
    for run in runs:
        at = text.find(run, at)
        if at < 0:
            return False
        at += len(run)
    return True


def parts(message: Message, index: Index) -> Iterator[Agreement]:
    """The variants that the message is a beginning of, or has most of the fixed text of."""
    text = dialect.squeezed(_without_ellipsis(message.core))
    covered = _covered(text, index)
    broken = dict.fromkeys(_breaking_off(text, index))
    candidates = sorted(covered, key=lambda n: (-covered[n], n))[:_BROKEN]
    for number in dict.fromkeys((*list(broken)[:_BROKEN], *candidates)):
        variant = index.variants[number]
        if beginning := _beginning(text, variant):
            share = min(1.0, beginning / max(variant.least, 1))
            free = len(text) - beginning
            yield Agreement(variant=number, how=How.CUT, fixed=beginning, share=share, free=free, text=message.core)
        if (fixed := covered.get(number, 0)) >= PIECE:
            share = min(1.0, fixed / max(variant.least, 1))
            free = max(1, len(text) - fixed)
            yield Agreement(variant=number, how=How.REWORDED, fixed=fixed, share=share, free=free, text=message.core)


def _without_ellipsis(text: str) -> str:
    """The text without the one sign at its end that it was cut there."""
    whole = text.rstrip(_BLANKS)
    found = next((sign for sign in _ELLIPSES if whole.endswith(sign)), None)
    return whole.removesuffix(found).rstrip(_BLANKS) if found else text


def _covered(text: str, index: Index) -> dict[int, int]:
    """Fixed characters of each variant whose pieces stand in the text, each counted once and none out of order."""
    ends: defaultdict[int, int] = defaultdict(int)
    total: defaultdict[int, int] = defaultdict(int)
    for start, end, numbers in hits(index.pieces, text):
        for number in numbers:
            if start >= ends[number]:
                ends[number] = end
                total[number] += end - start
    return total


def _breaking_off(text: str, index: Index) -> Iterator[int]:
    """The variants with a fixed run that begins with the end of the text, longest such end first."""
    starts = index.starts
    for at in range(max(0, len(text) - _TAIL), len(text) - PIECE + 1):
        end = text[at:]
        place = bisect_left(starts, (end, -1))
        while place < len(starts) and starts[place][0].startswith(end):
            yield starts[place][1]
            place += 1


def _beginning(text: str, variant: Variant) -> int:
    """Fixed characters of the longest beginning of the variant that the whole text is; 0 if it is none."""
    sequence = _parsed(variant.core)
    count, at = 0, 0
    for part in sequence.parts:
        if isinstance(part, dialect.Text):
            run = dialect.squeezed(part.text)
            at = text.find(run, at) if count else (0 if text.startswith(run) else -1)
            if at < 0:
                break
            at += len(run)
        count += 1
    rest = sequence.parts[count] if count < len(sequence.parts) else None
    heads = [sequence.parts[:count]]
    if isinstance(rest, dialect.Text) and (broken := _overlap(text, run := dialect.squeezed(rest.text))):
        heads.insert(0, (*heads[0], dialect.Text(text=run[:broken])))
    while count and not isinstance(sequence.parts[count - 1], dialect.Text):
        count -= 1
    heads.append(sequence.parts[:count])
    for parts in heads:
        head = dialect.Sequence(parts=parts)
        if parts and holds(dialect.regex(head, squeeze=True), text):
            return dialect.fixed(head)
    return 0


def _overlap(text: str, run: str) -> int:
    """Length of the longest end of the text that the run begins with."""
    for length in range(min(len(text), len(run)), 0, -1):
        if text.endswith(run[:length]):
            return length
    return 0

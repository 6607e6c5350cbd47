"""Which record it is: frame, then whole message, then the most fixed text; and when to keep silent."""

import builtins
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from pipeline.match import dialect
from pipeline.match.index import SAID, Entry, Index, Variant
from pipeline.match.life import Life, is_of, life, said_by
from pipeline.match.rivals import rival
from pipeline.match.search import Agreement, How, Message, agree, core_of, groups, parts, wholes
from pipeline.match.traceback import Frame, Raised

CONFIDENCE: Final = 0.45
"""The score below which there is no answer."""
SPREAD: Final = 64
"""Characters in holes, beyond twice the fixed ones, up to which so little fixed text is believed."""
TELLING: Final = 0.6
"""The score from which a whole message goes before any part of one, so that parts are not looked for."""
CLOSE: Final = 0.2
"""How far below the best score another answer may be."""
_HALF: Final = 10.0
"""Fixed characters that halve the doubt."""
_SPREADS: Final = 2.0
"""How many times greater the doubt is, at most, for text in holes."""
_HOWS: Final = {How.WHOLE: 0.9, How.RESPACED: 0.89, How.LONGER: 0.84, How.CUT: 0.78, How.REWORDED: 0.72}
_TIERS: Final = {
    How.FRAME: 0,
    How.LINE: 0,
    How.WHOLE: 1,
    How.RESPACED: 1,
    How.LONGER: 2,
    How.CUT: 2,
    How.REWORDED: 2,
}
_BUILT_IN: Final = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
)
_FRAMED: Final = 0.9
"""The score that no text alone reaches."""
_SAME, _BASE, _UNKNOWN, _OTHER = 1.0, 0.9, 0.85, 0.55


@dataclass(frozen=True, kw_only=True, slots=True)
class Hole:
    """A placeholder of a record, and what the message has there; None where that alternative was not taken."""

    expression: str
    text: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A record that an error can be. score: 0 to 1. ambiguous_with: ids that the paste cannot tell from this one.

    life: what became of it, where the dataset is a history; the entry then has the pattern of the text that was found.
    """

    entry: Entry
    how: How
    score: float
    message: str
    holes: tuple[Hole, ...]
    ambiguous_with: tuple[str, ...] = ()
    life: Life | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    agreement: Agreement
    entry: int
    how: How
    score: float
    near: int


def rank(
    raised: Raised, index: Index, *, same_release: bool = False, release: str | None = None, top: int = 3
) -> list[Match]:
    """The records that the error can be, best first; none where nothing is sure enough.

    same_release: the paste comes from the release of the dataset, so that line numbers mean what they say.
    release: the one that the paste comes from; in a history, what that had goes before what it had not.
    """
    message = Message(text=raised.message)
    place = _place(raised, index)
    if place is None and _raised_elsewhere(raised):
        return []
    other = rival(message.core, message.squeezed)
    agreed = [a for a in wholes(message, index) if other is None or a.fixed > other.fixed]
    found = list(_judged(agreed, raised, index))
    if place:
        found.extend(_framed(message, raised, place, index, same_release=same_release))
    if other is None and message.squeezed and max((f.score for f in found), default=0.0) < TELLING:
        found.extend(_judged(parts(message, index), raised, index))
    return _matches(_of_release(found, index, release), message, index, top, release)


def _of_release(found: list[_Found], index: Index, release: str | None) -> list[_Found]:
    """What a release of a history had; all, where it had none of it."""
    if release not in index.releases:
        return found
    at = index.releases.index(release)
    had = [one for one in found if is_of(at, _pattern(one, index), index.said[one.entry])]
    return had or found


def _pattern(one: _Found, index: Index) -> str | None:
    """The pattern of the text that was found; None where it was the place."""
    return index.variants[one.agreement.variant].pattern if one.agreement.variant >= 0 else None


def _place(raised: Raised, index: Index) -> tuple[str, Frame] | None:
    """The dataset's file in which the error was raised, with the frame; None where that is not known."""
    if not raised.frames:
        return None
    frame = raised.frames[-1]
    path = index.file_of(frame.path)
    return (path, frame) if path else None


def _raised_elsewhere(raised: Raised) -> bool:
    """Whether the stack itself shows a raise statement of this error in a file that is not the dataset's."""
    if not raised.frames or not raised.class_name:
        return False
    source = raised.frames[-1].source or ""
    return source.startswith("raise ") and raised.class_name in source


def _judged(agreements: Iterable[Agreement], raised: Raised, index: Index) -> Iterator[_Found]:
    for agreement in agreements:
        variant = index.variants[agreement.variant]
        entry = index.entries[variant.entry]
        kinship = _kinship(raised, entry)
        doubt = 1 - _strength(agreement)
        if kinship == _SAME and raised.class_name not in _BUILT_IN:  # a class of the repository's own: half the proof
            doubt /= 2
        score = (1 - doubt) * _HOWS[agreement.how] * kinship
        if agreement.how in (How.CUT, How.REWORDED) and not agreement.complete:
            score *= agreement.share**0.5
        elif agreement.how is not How.LONGER and _said(agreement, variant) and kinship > _OTHER:
            score = max(score, CONFIDENCE)
        yield _Found(
            agreement=agreement, entry=variant.entry, how=agreement.how, score=score, near=_near(raised, entry, index)
        )


def _said(agreement: Agreement, variant: Variant) -> bool:
    """Whether a whole message says enough to be answered, though a chance agreement cannot be ruled out."""
    return variant.length >= SAID and agreement.free <= SPREAD + 2 * agreement.fixed


def _strength(agreement: Agreement) -> float:
    """How unlikely it is that the text agrees by chance: more with more fixed text, less with more text in holes."""
    if agreement.complete:
        return 1.0 - float(2 ** (-2 * agreement.fixed / _HALF))
    spread = min(_SPREADS, 1 + math.log2(1 + agreement.free / max(agreement.fixed, 1)))
    return max(0.0, 1.0 - spread * float(2 ** (-agreement.fixed / _HALF)))


def _kinship(raised: Raised, entry: Entry) -> float:
    name = _RENAMED.get(raised.class_name or "", raised.class_name)
    if not name:
        return _UNKNOWN
    if name in entry.names:
        return _SAME
    if not entry.names:
        return _UNKNOWN
    return _BASE if name in entry.bases else _OTHER


_RENAMED: Final = {"XlaRuntimeError": "JaxRuntimeError", "IOError": "OSError", "EnvironmentError": "OSError"}


def _near(raised: Raised, entry: Entry, index: Index) -> int:
    """How near the stack comes to the record: 2 one of its frames is its function, 1 its file, 0 neither."""
    near = 0
    for frame in raised.frames[-12:]:
        if index.file_of(frame.path) == entry.path:
            near = max(near, 2 if _same_function(frame, entry) else 1)
    return near


def _same_function(frame: Frame, entry: Entry) -> bool:
    return (frame.function or "<module>").rsplit(".", 1)[-1] == entry.function


def _framed(
    message: Message, raised: Raised, place: tuple[str, Frame], index: Index, *, same_release: bool
) -> Iterator[_Found]:
    """The records of the function that raised which this error can be."""
    path, frame = place
    for number in index.at[path]:
        entry = index.entries[number]
        kinship = _kinship(raised, entry)
        inside = _same_function(frame, entry)
        here = entry.line <= (frame.line or 0) <= entry.end_line
        here = here and (inside or same_release)
        here = here or (inside and _same_statement(frame, entry))
        if kinship <= _OTHER or not (inside or here):
            continue
        text = _best_text(message, number, index)
        if text is not None:
            sure = here or (text.fixed > 0 and _strength(text) >= CONFIDENCE)
            score = _FRAMED + 0.05 * _strength(text) + 0.04 * here if sure else 0.6 * kinship
            yield _Found(agreement=text, entry=number, how=How.FRAME, score=score, near=3)
        elif here:
            nothing = Agreement(variant=-1, how=How.LINE, fixed=0, share=0.0, free=0, text=message.core)
            yield _Found(agreement=nothing, entry=number, how=How.LINE, score=_FRAMED, near=3)


def _same_statement(frame: Frame, entry: Entry) -> bool:
    """Whether the code printed with the frame is the beginning of the record's statement."""
    code = dialect.squeezed(frame.source or "")
    return len(code) > len("raiseError") and entry.raise_line.startswith(code)


def _best_text(message: Message, entry: int, index: Index) -> Agreement | None:
    """The variant of a record that says most of the message; one without text for a message without text."""
    found = [a for n in index.variants_of.get(entry, ()) if (a := agree(message, n, index.variants[n]))]
    return max(found, key=lambda a: a.fixed, default=None)


def _matches(found: list[_Found], message: Message, index: Index, top: int, release: str | None) -> list[Match]:
    best: dict[int, _Found] = {}
    for one in found:
        if one.score >= CONFIDENCE and (one.entry not in best or one.score > best[one.entry].score):
            best[one.entry] = one
    ordered = sorted(best.values(), key=lambda found: _rank(found, index))
    out: list[Match] = []
    told: set[int] = set()
    for one in ordered:
        if one.entry in told or len(out) >= top or one.score < ordered[0].score - CLOSE:
            continue
        same = _alike(one, ordered)
        told.update((one.entry, *same))
        out.append(_match(one, message, index, tuple(index.entries[n].id for n in same), release))
    return out


def _rank(one: _Found, index: Index) -> tuple[float, ...]:
    """What the best is first by: of equals the most fixed text, the nearest to the stack, the fewest other texts."""
    others = len(index.variants_of.get(one.entry, ()))
    return _tier(one), -round(one.score, 6), -one.agreement.fixed, -one.near, others, one.entry


def _tier(one: _Found) -> int:
    """A frame before a whole message before a part of one; a whole message that says little counts as a part."""
    return 2 if one.score < TELLING else _TIERS[one.how]


def _alike(one: _Found, ordered: list[_Found]) -> list[int]:
    """The other records that say the same as much as this one (in its class, where the paste names one)."""
    if one.agreement.variant < 0:
        return []
    return [other.entry for other in ordered if other.entry != one.entry and _likeness(other) == _likeness(one)]


def _likeness(one: _Found) -> tuple[How, float, int, int, int]:
    return one.how, round(one.score, 6), one.near, one.agreement.fixed, one.agreement.free


def _match(one: _Found, message: Message, index: Index, ambiguous_with: tuple[str, ...], release: str | None) -> Match:
    entry = index.entries[one.entry]
    became = None
    if index.releases and (said := index.said[one.entry]):
        pattern = _pattern(one, index)
        became = life(pattern, said, index.releases, release)
        text = said_by(pattern, said)[-1]
        entry = replace(entry, pattern=text.pattern, placeholders=text.placeholders)
    numbers = index.variants_of.get(one.entry, ())
    variant = one.agreement.variant if one.agreement.variant >= 0 else next(iter(numbers), None)
    return Match(
        entry=entry,
        how=one.how,
        score=round(min(one.score, 1.0), 3),
        message=index.variants[variant].message if variant is not None else "",
        holes=_holes(entry, index.variants[variant].core if variant is not None else None, message, one.agreement),
        ambiguous_with=ambiguous_with,
        life=became,
    )


def _holes(entry: Entry, core: str | None, message: Message, agreement: Agreement) -> tuple[Hole, ...]:
    """What the message has in the record's placeholders; all None where only a part of the text agrees."""
    texts: tuple[str | None, ...] | None = None
    if agreement.groups is not None and core == entry.pattern:
        texts = agreement.groups
    elif agreement.how in (How.WHOLE, How.RESPACED, How.LONGER):
        whole = core_of(entry.pattern)
        tries = ((entry.pattern, message.text), (whole, message.core), (whole, agreement.text))
        texts = next((found for pattern, text in dict.fromkeys(tries) if (found := groups(pattern, text))), None)
    padded = [*(texts or ()), *([None] * len(entry.placeholders))]
    return tuple(Hole(expression=e, text=t) for e, t in zip(entry.placeholders, padded, strict=False))

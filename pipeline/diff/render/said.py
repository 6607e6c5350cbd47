"""What every format for people says of a change, in the same words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from pipeline.diff.changes import Change
from pipeline.diff.comparison import Comparison, summary
from pipeline.diff.kind import Kind
from pipeline.diff.wording import as_read, wording
from pipeline.diff.words import Said, Words, compare_words
from pipeline.record import MessageVariant, Record

AROUND: Final = 40  # characters of what stayed that are shown beside what changed
LONGEST: Final = 300  # characters of one text that did not change
NAMES: Final = 3  # public names of one change

_HIDDEN: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text on one line, with what steers a terminal or the direction of writing as escapes."""
    return _HIDDEN.sub(lambda found: ascii(found[0])[1:-1], text).replace("\n", "\\n")


def figures(comparison: Comparison) -> str:
    """The summary: how many changes of which kind, how many that break, how many errors as they were."""
    changes = comparison.changes
    breaking = sum(change.breaking for change in changes)
    counts = [f"{number:,} {kind}" for kind, number in summary(changes).items() if number]
    parts = [", ".join(counts) or "no changes"]
    parts += [f"breaking {breaking:,}"] if breaking else []
    parts += [f"unchanged {comparison.unchanged:,}"]
    parts += [f"accepted {comparison.accepted:,}"] if comparison.accepted else []
    parts += [f"not asked for {comparison.filtered:,}"] if comparison.filtered else []
    return "; ".join(parts)


def areas(changes: Iterable[Change]) -> Iterator[tuple[str, tuple[Change, ...]]]:
    """The changes by package folder, sorted; "." is the root."""

    def area(change: Change) -> str:
        return change.record.filePath.rpartition("/")[0] or "."

    for name, group in groupby(sorted(changes, key=area), key=area):
        yield name, tuple(group)


def kinds(change: Change) -> str:
    """Its kinds, the first first."""
    return ", ".join(change.kinds)


def class_name(record: Record) -> str:
    return record.errorClassPublic or record.errorClass or "an error of unknown class"


def message(record: Record) -> str:
    """Its text, or why there is none to show."""
    if record.literalLength is None:
        return "(a text that the source does not tell)"
    said = record.errorMessage if len(record.errorMessage) <= LONGEST else record.errorMessage[:LONGEST] + "…"
    return said or "(no text)"


def place(record: Record) -> str:
    """File, line and function."""
    return f"{record.filePath}:{record.lineNumber}" + (f" in {record.qualname}" if record.qualname else "")


def reclassed(change: Change) -> str | None:
    """The class before and after; its bases too where it kept its name."""
    if Kind.RECLASSED not in change.kinds or not (change.old and change.new):
        return None
    if change.old.errorClass != change.new.errorClass:
        return f"{class_name(change.old)} -> {class_name(change.new)}"
    return f"{class_name(change.new)}: {_bases(change.old)} -> {_bases(change.new)}"


def _bases(record: Record) -> str:
    return ", ".join(base for base in record.errorBases if base not in {"Exception", "BaseException"}) or "no base"


def why_breaking(change: Change) -> str | None:
    """What a handler no longer catches."""
    if not change.breaking:
        return None
    if change.new and change.new.errorClass is None:
        return "of a class that the source does not tell, where it was a known one"
    if not change.old:
        return "not caught by what caught the error it was part of"
    if change.new and change.old.errorClass == change.new.errorClass:
        lost = [base for base in change.old.errorBases if base not in change.new.errorBases and base[0] != "_"]
        return f"no longer caught by except {' or '.join(lost)}"
    return f"no longer caught by except {class_name(change.old)}"


def texts(change: Change) -> tuple[Words, ...]:
    """What changed in its texts, word by word. Of several that came or went, the first.

    The pattern of a text where only alternatives inside it changed, which the text itself does not show.
    """
    lost, gained = _lost_and_gained(change)
    if lost and gained:
        one, other = lost[0], gained[0]
        if one.errorMessage == other.errorMessage:
            return compare_words(one.messagePattern, other.messagePattern)
        return compare_words(one.errorMessage, other.errorMessage)
    pieces = [(Said.OLD, text) for text in lost[:1]] + [(Said.NEW, text) for text in gained[:1]]
    return tuple(Words(said=said, text=text.errorMessage or "(no text)") for said, text in pieces)


def more_texts(change: Change) -> str | None:
    """How many more of its texts came or went."""
    lost, gained = _lost_and_gained(change)
    counts = [f"{len(texts) - 1} more {what}" for texts, what in ((lost, "gone"), (gained, "new")) if len(texts) > 1]
    return "texts: " + ", ".join(counts) if counts else None


def _lost_and_gained(change: Change) -> tuple[list[MessageVariant], list[MessageVariant]]:
    if Kind.REWORDED not in change.kinds or not (change.old and change.new):
        return [], []
    before, after = wording(change.old), wording(change.new)
    lost = [v for v in change.old.messageVariants if as_read(v.messagePattern) not in after]
    gained = [v for v in change.new.messageVariants if as_read(v.messagePattern) not in before]
    if not lost and not gained:  # the same words about the same values in other places
        return [change.old.messageVariants[0]], [change.new.messageVariants[0]]
    return lost, gained


def guards(change: Change) -> tuple[Words, ...]:
    """What changed in its condition."""
    if Kind.REGUARDED not in change.kinds or not (change.old and change.new):
        return ()
    return compare_words(*(" ".join((side.condition or "always").split()) for side in (change.old, change.new)))


def shortened(words: Sequence[Words]) -> tuple[Words, ...]:
    """The pieces with what stayed cut down to what stands beside a change."""
    last = len(words) - 1
    return tuple(
        _shorter(piece, first=number == 0, last=number == last) if piece.said is Said.BOTH else _cut(piece)
        for number, piece in enumerate(words)
    )


def _shorter(piece: Words, *, first: bool, last: bool) -> Words:
    text = piece.text
    if len(text) <= (AROUND if first or last else 2 * AROUND) + 3:
        return piece
    start = "" if first else text[:AROUND]
    end = "" if last else text[-AROUND:]
    return Words(said=piece.said, text=f"{start}…{end}")


def _cut(piece: Words) -> Words:
    return piece if len(piece.text) <= LONGEST else Words(said=piece.said, text=piece.text[:LONGEST] + "…")


def affected(change: Change) -> str | None:
    """The public names it reaches, the nearest few."""
    if not change.affects:
        return None
    more = len(change.affects) - NAMES
    return ", ".join(change.affects[:NAMES]) + (f" and {more} more" if more > 0 else "")


def origin(change: Change) -> str | None:
    """Where an added error comes from, or a removed one went, when that is known."""
    if change.split_of:
        return f"split from {change.split_of}"
    return f"now part of {change.merged_into}" if change.merged_into else None

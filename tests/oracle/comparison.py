"""What a catalogue lacks of what really was raised."""

import enum
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.record import Record

from .runner import Raise


class Lack(enum.Enum):
    """The first thing that is not as it was when the statement ran."""

    SITE = "no record at this file and line"
    CLASS = "no record of this class"
    PATTERN = "no pattern that fits the message"
    END = "ends on another line"
    FUNCTION = "in another function"


@dataclass(frozen=True, kw_only=True, slots=True)
class Miss:
    """A raise that the catalogue does not describe, and the records that stand at its site."""

    raised: Raise
    lack: Lack
    records: tuple[Record, ...]

    def __str__(self) -> str:
        r = self.raised
        head = f"{r.file}:{r.line}-{r.end_line} in {r.function}: {self.lack.value}"
        said = f"  raised  {r.error_class}: {r.message!r}"
        stand = [
            f"  record  {c.errorClass}: {c.messagePattern!r} (lines {c.lineNumber}-{c.endLineNumber}, {c.qualname})"
            for c in self.records
        ]
        return "\n".join([head, said, *stand])


def misses(raised: Iterable[Raise], records: Iterable[Record]) -> list[Miss]:
    """One for each raise that no record describes, in the order of `raised`."""
    at: dict[tuple[str, int], list[Record]] = defaultdict(list)
    for record in records:
        at[record.filePath, record.lineNumber].append(record)
    lacks = ((r, lack(r, at[r.site])) for r in raised)
    return [Miss(raised=r, lack=what, records=tuple(at[r.site])) for r, what in lacks if what]


def lack(raised: Raise, records: Sequence[Record]) -> Lack | None:
    """What keeps every one of the records at the site from being this raise; None: one is."""
    for what in Lack:
        records = [c for c in records if _agrees(what, raised, c)]
        if not records:
            return what
    return None


def _agrees(what: Lack, raised: Raise, record: Record) -> bool:
    match what:
        case Lack.SITE:
            return raised.site == (record.filePath, record.lineNumber)
        case Lack.CLASS:
            return raised.error_class == record.errorClass
        case Lack.PATTERN:
            return re.fullmatch(record.messagePattern, raised.message, re.DOTALL) is not None
        case Lack.END:
            return raised.end_line == record.endLineNumber
        case Lack.FUNCTION:
            return raised.function == (record.qualname or "<module>")


def report(found: Sequence[Miss]) -> str:
    """All misses, one under the other, under a line that counts them by what they lack."""
    counts = ", ".join(f"{n} {what.value}" for what in Lack if (n := sum(m.lack is what for m in found)))
    return "\n".join([f"{len(found)} raises are not in the catalogue ({counts})", *map(str, found)])

"""Changes that were meant, in a file for CI: one line names one change, and goes stale when the change changes.

A line is `<id> <kind> <hash>`, then anything for people. The id is that of the old side, of the new where there is no
old; the hash is over everything the diff compares, so that a further rewording is a new change. Lines that begin with
`#` and empty ones are comments, and stay where they are.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.diff.changes import Change
from pipeline.diff.wording import wording
from pipeline.errors import ErrcatError
from pipeline.record import Record

HEAD: Final = """\
# Changes of errors that are meant: `errcat diff … --accept FILE` leaves them out, --accept-all adds what it shows.
"""
_LINE: Final = re.compile(r"([0-9a-f]{16}) ([a-z]+) ([0-9a-f]{16})(?: .*)?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """The file. lines: its text; names: line number (from 0) -> name, of lines that name a change."""

    lines: tuple[str, ...] = ()
    names: Mapping[int, str]

    def holds(self, change: Change) -> bool:
        return name(change) in self.names.values()

    def stale(self, changes: Iterable[Change]) -> tuple[str, ...]:
        """Lines that name none of the changes."""
        live = {name(change) for change in changes}
        return tuple(self.lines[number] for number, named in self.names.items() if named not in live)


def read_accepted(text: str, where: str) -> Accepted:
    """The file with this text. ErrcatError names the line that is none; where: its path."""
    names = {}
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if not line.strip() or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if not found:
            hint = "A line is an id, a kind and a hash; --accept-all writes them"
            raise ErrcatError(f"{where}:{number + 1} names no change: {line[:60]!r}", hint=hint)
        names[number] = " ".join(found.groups())
    return Accepted(lines=tuple(lines), names=names)


def written(accepted: Accepted, changes: Sequence[Change], more: Sequence[Change]) -> str:
    """The file's new text: without the lines that name none of `changes`, with one for each of `more`."""
    live = {name(change) for change in changes}
    kept = [line for number, line in enumerate(accepted.lines) if accepted.names.get(number) in {None, *live}]
    known = set(accepted.names.values())
    added = [f"{name(change)} {_note(change)}" for change in more if name(change) not in known]
    return "".join(f"{line}\n" for line in (kept or HEAD.splitlines()) + added)


def name(change: Change) -> str:
    """What names a change: id, kind and a hash of what changed."""
    sides = [_compared(side) if side else None for side in (change.old, change.new)]
    said = json.dumps([change.kinds, change.breaking, *sides])
    named = change.old or change.record
    return f"{named.id} {change.kind} {hashlib.sha256(said.encode()).hexdigest()[:16]}"


def _compared(record: Record) -> list[object]:
    place, said = [record.filePath, record.qualname], sorted(wording(record))
    return [*place, record.errorClass, record.errorBases, said, "".join((record.condition or "").split())]


def _note(change: Change) -> str:
    record = change.record
    return " ".join(f"{record.filePath} {record.errorClass or '?'} {record.title or ''}".split())

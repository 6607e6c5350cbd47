"""A comparison as annotations of GitHub Actions: a line for each change, those that break first."""

from collections.abc import Iterator

from pipeline.diff.changes import Change
from pipeline.diff.comparison import Comparison
from pipeline.diff.kind import Kind
from pipeline.diff.render import said
from pipeline.diff.words import Said, Words

_MARKS = {Said.OLD: "[-{}-]", Said.NEW: "{{+{}+}}", Said.BOTH: "{}"}


def github(comparison: Comparison) -> str:
    """`::warning` lines; where a file of the new side is not known, the annotation has none. "" without changes."""
    changes = sorted(comparison.changes, key=lambda change: not change.breaking)  # GitHub shows only the first few
    return "".join(_line(change, comparison.files) + "\n" for change in changes)


def _line(change: Change, files: frozenset[str]) -> str:
    properties = [*_where(change, files), ("title", f"Error {said.kinds(change)}{' (breaking)' * change.breaking}")]
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties)
    return f"::warning {shown}::{_data(_message(change))}"


def _where(change: Change, files: frozenset[str]) -> Iterator[tuple[str, str]]:
    if change.new:
        yield "file", change.new.filePath
        yield "line", str(change.new.lineNumber)
        yield "endLine", str(change.new.endLineNumber)
    elif change.record.filePath in files:
        yield "file", change.record.filePath


def _message(change: Change) -> str:
    words = said.shortened(said.texts(change))
    text = "".join(map(_piece, words)) if words else said.message(change.record)
    parts = [f"{said.class_name(change.record)}: {text}"]
    if change_of_class := said.reclassed(change):
        parts.append(f"class: {change_of_class}")
    if why := said.why_breaking(change):
        parts.append(f"breaking: {why}")
    if guards := said.guards(change):
        parts.append(f"when: {''.join(map(_piece, said.shortened(guards)))}")
    if change.old and (Kind.MOVED in change.kinds or not change.new):
        parts.append(f"was: {said.place(change.old)}")
    if names := said.affected(change):
        parts.append(f"affects: {names}")
    return "\n".join(parts)


def _piece(piece: Words) -> str:
    return _MARKS[piece.said].format(piece.text)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

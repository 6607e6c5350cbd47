"""The answer for a terminal: the message with its values marked, what it means, what to do."""

import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from pipeline.match.answer import Answer, Error, Origin
from pipeline.match.life import sentence
from pipeline.match.rank import Match
from pipeline.match.search import How, holds
from pipeline.match.xla import article

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
_LINES: Final = 14
_CHARACTERS: Final = 1_600
_SPEAKERS: Final = {Origin.PYTHON: "Python's", Origin.NUMPY: "NumPy's"}
_FOUND: Final = {
    How.FRAME: "by the frame that raised it",
    How.LINE: "by the line that raised it",
    How.WHOLE: "by its whole message",
    How.RESPACED: "by its whole message, re-wrapped",
    How.LONGER: "by the beginning of the text",
    How.CUT: "by the beginning of its message, which was cut",
    How.REWORDED: "by most of its words: this release says it a little differently",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """How a card is set. width: columns. colour: whether the terminal shows it; else values stand in «»."""

    width: int = 100
    colour: bool = False

    def strong(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def faint(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m" if self.colour else text

    def value(self, text: str) -> str:
        return f"\x1b[36m{text}\x1b[0m" if self.colour else f"«{text}»"


def card(answer: Answer, details: Callable[[Match], dict[str, Any]], look: Look) -> str:
    """The card, with a newline at the end. details: gives the whole record of a match."""
    if answer.error is None:
        return "No error found in this text.\n"
    lines = [*_error(answer.error, details, look), *_causes(answer, look)]
    return "\n".join(lines) + "\n"


def _error(error: Error, details: Callable[[Match], dict[str, Any]], look: Look) -> Iterator[str]:
    if error.matches:
        yield from _match(error, error.matches[0], details(error.matches[0]), look)
    elif error.status:
        yield from _status(error, look)
    else:
        said = _clean(error.message).split("\n", 1)[0]
        name = f"{error.class_name}: " if error.class_name else ""
        yield "No record for " + _cut(f"{name}{said}", look.width * 2)
        if error.origin in _SPEAKERS:
            yield f"This text is {_SPEAKERS[error.origin]} own: look at the line of code that the traceback ends with."


def _match(error: Error, match: Match, record: dict[str, Any], look: Look) -> Iterator[str]:
    name = record.get("errorClassPublic") or match.entry.error_class or error.class_name or "an error"
    yield f"{look.strong(name)}  {match.entry.path}:{match.entry.line}"
    yield from _indented(_marked(error, match, look))
    yield ""
    if match.life:
        yield from _section("In releases", sentence(match.life), look)
    yield from _section("What it means", record.get("documentation"), look)
    yield from _section("When", record.get("triggerScenarios") or record.get("condition"), look)
    for number, text in enumerate(record.get("solutions") or (), 1):
        yield from _section("Solutions" if number == 1 else "", f"{number}. {text}", look)
    yield from _section("Source", record.get("githubUrl"), look, wrap=False)
    yield from _section("Docs", record.get("docsUrl"), look, wrap=False)
    yield from _section("Found", f"{_FOUND[match.how]} (score {match.score:.2f})", look)
    yield from _section("Record", match.entry.id, look)
    if match.ambiguous_with:
        others = ", ".join(match.ambiguous_with[:8]) + (", …" if len(match.ambiguous_with) > 8 else "")
        yield from _section("", f"one of {len(match.ambiguous_with) + 1} with the same text: {others}", look)


def _marked(error: Error, match: Match, look: Look) -> str:
    """The message with the values of its holes marked."""
    text = error.message
    found = holds(match.entry.pattern, text)
    if found is None:
        return _short(_clean(text))
    out, at = [], 0
    for number in range(1, len(found.groups()) + 1):
        start, end = found.span(number)
        if start < at:
            continue
        out += [_clean(text[at:start]), look.value(_clean(text[start:end]))]
        at = end
    return _short("".join([*out, _clean(text[at:])]))


def _status(error: Error, look: Look) -> Iterator[str]:
    status = error.status
    assert status is not None
    yield f"{look.strong(f'{error.class_name}: {status.code}')}  from XLA or jaxlib, not from Python code"
    said = _clean(error.message)
    yield from _indented(_short(said))
    yield ""
    yield from _section("What it means", status.meaning, look)
    if text := article(status):
        yield ""
        yield from _indented(text.partition("\n")[2].strip())


def _causes(answer: Answer, look: Look) -> Iterator[str]:
    told = [error for error in answer.chain if error.matches]
    for error in told[-5:]:
        match = error.matches[0]
        yield ""
        place = f"{match.entry.path}:{match.entry.line}"
        yield f"{look.faint('Before it:')} {error.class_name or 'an error'}  {place}  {match.entry.id}"
        yield from _indented(_cut(_clean(error.message).split("\n", 1)[0], look.width))


def _section(heading: str, text: str | None, look: Look, *, wrap: bool = True) -> Iterator[str]:
    if not text:
        return
    label = f"  {heading:<15}"
    body = " ".join(_clean(text).split())
    width = max(20, min(look.width, 110) - len(label))
    lines = textwrap.wrap(body, width, break_long_words=False, break_on_hyphens=False) if wrap else [body]
    for number, line in enumerate(lines):
        yield (look.faint(label) if number == 0 and heading else " " * len(label)) + line


def _indented(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield f"  {line}".rstrip()


def _clean(text: str) -> str:
    """The text with control characters as escapes: nothing pasted reaches the terminal as a command."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def _short(text: str) -> str:
    lines = text.split("\n")
    shown = "\n".join(lines[:_LINES])
    return _cut(shown, _CHARACTERS) + (f"\n… {len(lines) - _LINES} more lines" if len(lines) > _LINES else "")


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"

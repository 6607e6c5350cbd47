"""The excerpt of the source: its lines as HTML, the raise marked, and the conditions that guard it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from pipeline.pages import code
from pipeline.record import Record

_HEADER: Final = re.compile(r"(if|elif|else|for|while|except|match|case|async for)\b")
_TEST: Final = re.compile(r"^(?:if|elif|while)\b(.*?):(?:\s*#.*|\s+\S.*)?$")
_BREAKS: Final = re.compile(r"(def|class|async def)\b")
_QUOTES: Final = ('"""', "'''")


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A line of the excerpt. mark: "raise", "guard" or nothing."""

    number: int
    html: Markup
    mark: str | None


def shown(lines: Sequence[Line]) -> Markup:
    """The lines as they stand in a block of code, each with its number, which is a link to itself.

    Only the line of the raise is a stop for the keyboard: forty of them would be in the way.
    """
    return Markup("").join(map(_line, lines))


def _line(line: Line) -> Markup:
    stop = "" if line.mark == "raise" else ' tabindex="-1"'
    numbered = f'<a id="L{line.number}" href="#L{line.number}"{stop}>{line.number}</a>{line.html}\n'
    return Markup(f'<mark class="{line.mark}">{numbered}</mark>' if line.mark else numbered)  # noqa: S704  # numbers and HTML


def excerpt(record: Record) -> tuple[Line, ...]:
    """The lines of a record's excerpt."""
    texts = record.sourceCode.split("\n")
    start = record.sourceCodeStart
    raised = range(record.lineNumber, record.endLineNumber + 1)
    guards = {start + at for at in _guards(texts, record.lineNumber - start, record.condition or "")}
    highlighted = _highlighted(texts, record.lineNumber - start)
    return tuple(
        Line(number=n, html=line, mark="raise" if n in raised else "guard" if n in guards else None)
        for n, line in enumerate(highlighted, start)
    )


def _highlighted(texts: Sequence[str], at: int) -> list[Markup]:
    """The lines as HTML. An excerpt that begins inside a string is read as such: the raise must be a keyword."""
    text = "\n".join(texts)
    for opening in ("", *(f"{quote}\n" for quote in _QUOTES if quote in text)):
        found = code.lines(code.tokens(opening + text))[bool(opening) :]
        if '<span class="k">' in found[at]:
            break
    else:
        found = code.lines(code.tokens(text))
    return found + [Markup()] * (len(texts) - len(found))


def _guards(texts: Sequence[str], at: int, condition: str) -> set[int]:
    """Lines of the headers that lead to line `at`.

    They are those of the blocks around it, of the alternatives before an `else`, and those that had to be false, as
    the condition says.
    """
    wanted = _squeezed(condition)
    marked: set[int] = set()
    depth, alternative = _indent(texts[at]), False
    for n in range(at - 1, -1, -1):
        text, indent = texts[n].strip(), _indent(texts[n])
        if not text or indent > depth:
            continue
        if indent < depth and _BREAKS.match(text):
            break
        if not _HEADER.match(text):
            continue
        header = _whole(texts, n)
        leads = indent < depth or alternative
        if leads or _had_to_be_false(texts, header, wanted):
            marked.update(header)
        if leads:
            depth, alternative = indent, text.startswith(("elif", "else"))
    return marked


def _had_to_be_false(texts: Sequence[str], header: range, condition: str) -> bool:
    found = _TEST.match(" ".join(texts[n].strip() for n in header))
    return found is not None and f"not({_squeezed(found[1])})" in condition


def _whole(texts: Sequence[str], n: int) -> range:
    """The lines of the header that begins on line n: up to the colon that ends it."""
    open_brackets = 0
    for end in range(n, len(texts)):
        line = texts[end].split(" #")[0].rstrip()
        open_brackets += sum(line.count(c) for c in "([{") - sum(line.count(c) for c in ")]}")
        if open_brackets <= 0 and (line.endswith(":") or end > n + 12):
            return range(n, end + 1)
        if open_brackets <= 0 and ":" in line:  # a body on the same line
            return range(n, end + 1)
    return range(n, n + 1)


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())

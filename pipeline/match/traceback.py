"""What people paste, read: the error, its causes, and the frames it came through."""

import enum
import re
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from pipeline.match.lines import HEADER, Gutter, bare, of

MAX_ERRORS: Final = 64
"""Errors of one chain that are kept: the last ones."""
MAX_FRAMES: Final = 256
_NAMED: Final = 200_000
_MAX_QUOTES: Final = 12
MAX_MESSAGE: Final = 64_000


class Link(enum.StrEnum):
    """How an error belongs to the one reported."""

    CAUSE = "cause"  # raise … from e
    CONTEXT = "context"  # raised while the other was handled
    GROUP = "group"  # of one ExceptionGroup
    BEFORE = "before"  # printed earlier, not tied to it by Python


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """One line of a stack. source: the line of code printed with it, stripped."""

    path: str
    line: int | None = None
    function: str | None = None
    source: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Raised:
    """One error. error_class: as printed, dotted or not, None where the paste does not name it.

    frames: outermost first. link: what it is to the error reported, None for that one.
    """

    error_class: str | None
    message: str
    frames: tuple[Frame, ...] = ()
    link: Link | None = None

    @property
    def class_name(self) -> str | None:
        return self.error_class.rsplit(".", 1)[-1] if self.error_class else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Paste:
    """What was pasted. error: None where there is nothing like one. chain: what led to it. release: jax's, if named."""

    error: Raised | None
    chain: tuple[Raised, ...] = ()
    release: str | None = None


_ENDINGS: Final = r"(?:Error|Exception|Warning|Exit|Interrupt|Iteration|Timeout|Group|Test|Failure|Failed)"
_CLASS_LIKE: Final = re.compile(
    rf"((?:[A-Za-z_]\w{{0,99}}\.){{0,12}}[A-Z]\w{{0,99}}?{_ENDINGS}|[A-Z]\w{{0,9}}Error)(?:: ?|\Z)"
)
_CLASS_INSIDE: Final = re.compile(
    r"(?<![\w.])((?:[A-Za-z_]\w{0,50}\.){0,8}[A-Z]\w{0,50}(?:Error|Exception|Warning|Interrupt|Timeout)): "
)
_ANY_CLASS: Final = re.compile(r"([A-Za-z_][\w.<>]{0,300})(?:: ?|\Z)")
_FRAME: Final = re.compile(
    r'\s*File "(?P<path>[^"\n]{1,1000})", line (?P<line>\d{1,9})(?:, in (?P<function>.{1,300}))?'
)
_CELL: Final = re.compile(
    r"(?:File |Cell |Input )?(?P<path>\S.{0,500}?)(?:[:,] ?(?:line )?(?P<line>\d{1,9}))?"
    r",? in (?P<function>[\w.<>]{1,300})(?:\(|$)"
)
_ARROW: Final = re.compile(r"\s*-{1,6}> (?P<line>\d{1,9}) ?(?P<source>.*)")
_PYTEST: Final = re.compile(r"(?:[>|] ?)*\s*E(?P<pad> {3,})(?=\S)")
_PYTEST_MORE: Final = re.compile(r"(?:[>|] ?)*\s*E(?: |$)")
_PYTEST_FRAME: Final = re.compile(
    r"\s*(?P<path>[^\s:][^:\n]{0,500}|[A-Za-z]:[^:\n]{1,500}):(?P<line>\d{1,9}): (?P<what>.*)"
)
_DEF: Final = re.compile(r"[>\s]*(?:async )?def (\w{1,200})\(")
_CARETS: Final = re.compile(r"\s*[~^]+\s*\Z")
_GROUP_LINE: Final = re.compile(r"[\s|]*\+[-+]{2,}")
_FENCE: Final = re.compile(r"[\s>]*(?:```|~~~)")
_RULE: Final = re.compile(r"[-*]{60,}\Z|={5,} |_{5,} |={20,}\Z")
_LOGGED: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|[IWEF]\d{4} \d\d:\d\d:\d\d|(?:INFO|WARNING|ERROR|DEBUG)[: ]")
_RELEASE: Final = re.compile(
    r"(?<![\w.-])jax(?:\[[\w,-]{1,40}\])?(?:==|-|: {1,9}|: ?v?| version:? ?)(\d{1,3}\.\d{1,3}\.\d{1,3})\b"
)
_LINKS: Final = {
    "The above exception was the direct cause of the following exception:": Link.CAUSE,
    "During handling of the above exception, another exception occurred:": Link.CONTEXT,
}
_JAX_NOTES: Final = (
    "For simplicity, JAX has removed its internal frames",
    "The stack trace below excludes JAX-internal frames.",
    "The preceding stack trace is the source of the JAX operation",
    "The preceding is the original exception that occurred, unmodified.",
)
# What JAX chains in only to carry a stack: never the error, though its frames may be the fuller ones.
_CARRIERS: Final = frozenset(
    {"UnfilteredStackTrace", "SimplifiedTraceback", "JaxStackTraceBeforeTransformation", "FilteredStackTrace"}
)


def read(text: str, *, classes: Collection[str] = ()) -> Paste:
    """Read a paste in any shape: whole tracebacks, a notebook's, pytest's, a log, one line, a message alone.

    classes: names that are error classes although they do not look it. Time is linear in the text (of which
    `lines.LIMIT` characters are read at most). Nothing readable is a Paste without an error, never an exception.
    """
    lines = of(text)
    found = _Scan(lines, frozenset(classes)).run()
    errors = _without_carriers(found) or _headless(lines, frozenset(classes))
    release = named_release(text)
    if not errors:
        return Paste(error=None, release=release)
    *chain, error = errors
    return Paste(
        error=replace(error, link=None),
        chain=tuple(replace(e, link=e.link or Link.BEFORE) for e in chain),
        release=release,
    )


def named_release(text: str) -> str | None:
    """The release of jax that a paste names: in a path, a requirement or the list of an environment."""
    found = _RELEASE.search(text[:_NAMED])
    return found[1] if found else None


class _Scan:
    """One walk over the lines of a paste, block by block."""

    def __init__(self, lines: list[str], classes: frozenset[str]) -> None:
        self.lines = lines
        self.classes = classes
        self.at = 0
        self.function: str | None = None
        self.fenced = False
        self.found: deque[Raised] = deque(maxlen=MAX_ERRORS)

    def run(self) -> list[Raised]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line:
                self.at += 1
                continue
            column = line.find(HEADER, 0, 600)
            if column >= 0 and line.startswith(":", column + len(HEADER)):
                self.at += 1
                self._python(_gutter(line[:column]))
            elif column > 0:
                self.at += 1
                self._notebook(line[:column].split()[-1] if line[:column].split() else "")
            elif _FRAME.match(line) or ('File "' in line[:200] and _FRAME.match(bare(line))):
                self._python(_gutter(line[: line.find('File "')].removesuffix("  ")))
            elif pad := _PYTEST.match(line):
                self._pytest(len(pad["pad"]))
            else:
                self._between(line)
                self.at += 1
        return list(self.found)

    def _between(self, line: str) -> None:
        """Note what ties the blocks around this line together: the error before it is a cause of the next."""
        text = line.strip(" |>+")
        if named := _DEF.match(line):
            self.function = named[1]
        self.fenced ^= bool(_FENCE.match(line))
        link = Link.GROUP if _GROUP_LINE.match(line) else _LINKS.get(text)
        if link and self.found and self.found[-1].link is None:
            self.found[-1] = replace(self.found[-1], link=link)

    def _add(self, error_class: str | None, message: list[str], frames: list[Frame]) -> None:
        text = "\n".join(message).rstrip()
        kept = tuple(frames[-MAX_FRAMES:])
        self.found.append(Raised(error_class=error_class, message=text[:MAX_MESSAGE], frames=kept))

    def _python(self, gutter: Gutter) -> None:
        frames: list[Frame] = []
        flat = False  # the paste lost its indentation: code stands at the margin too
        code_next = False
        while self.at < len(self.lines):
            raw = self.lines[self.at]
            line = gutter.strip(raw)
            if line is None or HEADER in raw[:600]:
                return self._unfinished(frames)
            if frame := _FRAME.match(line):
                flat = flat or not line.startswith(" ")
                frames.append(_frame(frame))
                code_next = True
            elif not line.strip() or _CARETS.match(line) or line.lstrip().startswith("[Previous line repeated"):
                pass
            elif line.startswith((" ", "\t")) or (flat and (code_next or not self._class_like(line))):
                if code_next and frames:
                    frames[-1] = replace(frames[-1], source=line.strip()[:500])
                code_next = False
            elif line.strip() in _LINKS or _FENCE.match(line):
                return self._unfinished(frames)
            else:
                return self._final(line, gutter, frames)
            self.at += 1
        return self._unfinished(frames)

    def _unfinished(self, frames: list[Frame]) -> None:
        """Keep the stack of a traceback whose last line is missing; its error is unknown."""
        if frames:
            self._add(None, [], frames)

    def _class_like(self, line: str) -> bool:
        found = _ANY_CLASS.match(line)
        return bool(_CLASS_LIKE.match(line) or (found and found[1].rsplit(".", 1)[-1] in self.classes))

    def _final(self, line: str, gutter: Gutter, frames: list[Frame]) -> None:
        """Read `Class: message` and the lines that the message goes on for."""
        self.at += 1
        found = _ANY_CLASS.match(line)
        message = [line[found.end() :] if found else line]
        while self.at < len(self.lines):
            raw = self.lines[self.at]
            more = gutter.strip(raw)
            if more is None and "|" in gutter.prefix and not _GROUP_LINE.match(raw) and "|" not in raw[:8]:
                more = raw  # Python 3.11 and 3.12 print the further lines of a group's message without its bar
            if more is None or HEADER in raw[:600] or _ends(more, self.lines, self.at):
                break
            if self.fenced and _FENCE.match(more):  # else the fence is part of the message
                break
            if "|" not in gutter.prefix and (_GROUP_LINE.match(raw) or _PYTEST.match(raw)):
                break
            message.append(more)
            self.at += 1
        self._add(found[1] if found else None, message, frames)

    def _notebook(self, name: str) -> None:
        """Read IPython's shape: the class stands in the header, code is numbered, the last line repeats the class."""
        frames: list[Frame] = []
        last = name.rsplit(".", 1)[-1]
        while self.at < len(self.lines):
            line = self.lines[self.at].lstrip() if not frames else self.lines[self.at]
            found = _ANY_CLASS.match(line)
            if found and last and found[1].rsplit(".", 1)[-1] == last:
                return self._final(line, Gutter(""), frames)
            if HEADER in line[:600] or line.strip() in _LINKS:
                return self._unfinished(frames)
            if arrow := _ARROW.match(line):
                if frames and frames[-1].source is None:
                    number = frames[-1].line or int(arrow["line"])
                    frames[-1] = replace(frames[-1], line=number, source=arrow["source"].strip()[:500])
            elif not line[:1].isspace() and (frame := _FRAME.match(line) or _CELL.match(line)):
                frames.append(_frame(frame))
            self.at += 1
        return self._unfinished(frames)

    def _pytest(self, pad: int) -> None:
        """Read the `E   ` lines of one failure, then the `file:line: Class` that follows."""
        message: list[str] = []
        above = self.lines[self.at - 1] if self.at else ""
        source = above.lstrip()[1:].strip()[:500] if above.lstrip().startswith(">") else None
        while self.at < len(self.lines) and (found := _PYTEST_MORE.match(self.lines[self.at])):
            rest = self.lines[self.at][found.end() :]
            message.append(rest[min(pad - 1, len(rest) - len(rest.lstrip())) :])
            self.at += 1
        first = message[0]
        named = _ANY_CLASS.match(first) if self._class_like(first) else None
        for number, more in enumerate(message):
            if number and _is_note(message, number):
                message = message[:number]
                break
            if number and more.startswith("assert ") and named:
                message = message[:number]
                break
        frames = []
        for line in self.lines[self.at : self.at + 3]:
            if place := _PYTEST_FRAME.match(line):
                frames = [Frame(path=place["path"], line=int(place["line"]), function=self.function, source=source)]
                break
        message[0] = first[named.end() :] if named else first
        self._add(named[1] if named else None, message, frames)


def _gutter(prefix: str) -> Gutter:
    """What to take away before each line of a block whose header stands after this prefix."""
    prefix = prefix.removesuffix("Exception Group ")
    bars = prefix.replace("+", "|")
    if bars.strip(" |") == "" and "|" in bars:
        prefix = bars
    elif any(c.isalpha() for c in prefix) and bare(prefix):
        prefix = ""  # a sentence before the header, not something that every line has
    return Gutter(prefix)


def _frame(found: re.Match[str]) -> Frame:
    line, function = found["line"], found["function"]
    return Frame(path=found["path"].strip(), line=int(line) if line else None, function=function and function.strip())


def _is_note(lines: list[str], at: int) -> bool:
    """Whether JAX's own remark about the stack begins here (perhaps under a rule of dashes)."""
    text = lines[at].strip(" |>")
    if text.startswith("------") and not text.strip("-") and at + 1 < len(lines):
        text = lines[at + 1].strip(" |>")
    return text.startswith(_JAX_NOTES)


def _ends(line: str, lines: list[str], at: int) -> bool:
    """Whether the message of an error is over at this line."""
    text = line.strip()
    return bool(text in _LINKS or _is_note(lines, at) or _RULE.match(text) or _LOGGED.match(line) or _FRAME.match(line))


def _without_carriers(errors: list[Raised]) -> list[Raised]:
    """The errors, without those that JAX only chained in to show a stack; what they show goes to the next error."""
    out: list[Raised] = []
    lent: tuple[Frame, ...] = ()
    for error in errors:
        if error.class_name in _CARRIERS:
            lent = error.frames if error.class_name == "UnfilteredStackTrace" else ()
        elif error.error_class or error.message or error is errors[-1]:
            out.append(replace(error, frames=lent) if lent else error)
            lent = ()
    return out


def _headless(lines: list[str], classes: frozenset[str]) -> list[Raised]:
    """The error of a paste without a stack: its last line, or only its message."""
    lines = _dedented(_unfenced(lines))
    warned: list[Raised] = []
    for number, line in enumerate(lines):
        text = bare(line)
        found = _ANY_CLASS.match(text)
        named = found if found and found[1].rsplit(".", 1)[-1] in classes else _CLASS_LIKE.match(text)
        if named and not named[1].endswith("Warning"):
            return [_bounded(named[1], text[named.end() :], lines, number)]
        if named and not warned:
            warned = [_bounded(named[1], text[named.end() :], lines, number)]
    if warned:
        return warned
    for number in range(len(lines) - 1, -1, -1):
        if inside := _CLASS_INSIDE.search(lines[number][:20_000]):
            return [_bounded(inside[1], lines[number][inside.end() :], lines, number)]
    text = "\n".join(lines).strip()[:MAX_MESSAGE]
    first, _, rest = text.partition("\n")
    text = (bare(first) or first) + ("\n" + rest if rest else "")
    return [Raised(error_class=None, message=text)] if text else []


def _unfenced(lines: list[str]) -> list[str]:
    """What stands in the code block of a paste that has one, and no error before it."""
    fences = [number for number, line in enumerate(lines) if _FENCE.match(line)]
    if not fences or any(_CLASS_LIKE.match(bare(line)) for line in lines[: fences[0]]):
        return lines
    if len(fences) % 2 and any(line.strip() for line in lines[: fences[0]]):
        return lines
    return lines[fences[0] + 1 : fences[-1] if len(fences) > 1 else len(lines)]


def _bounded(error_class: str, first: str, lines: list[str], number: int) -> Raised:
    message = [first]
    size = 0
    for at in range(number + 1, len(lines)):
        if _ends(lines[at], lines, at) or size > MAX_MESSAGE:
            break
        message.append(lines[at])
        size += len(lines[at])
    return Raised(error_class=error_class, message="\n".join(message).rstrip()[:MAX_MESSAGE])


def _dedented(lines: list[str]) -> list[str]:
    """The lines without the quoting or indentation that all of them share."""
    for _ in range(_MAX_QUOTES):
        filled = [line for line in lines if line.strip()]
        if not filled or not all(line.startswith(">") for line in filled):
            break
        lines = [line[1:].removeprefix(" ") for line in lines]
    margin = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    return [line[margin:] for line in lines]

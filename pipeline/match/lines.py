"""The lines of a paste: bounded, without colours, quoting and the prefixes of loggers."""

import re
from collections.abc import Iterator
from typing import Final

LIMIT: Final = 1_500_000
"""Characters read of one input. Of a longer one: its beginning, its end, and what follows its last tracebacks."""
_HEAD: Final = 100_000
_TAIL: Final = 400_000
_AROUND: Final = 250_000

HEADER: Final = "Traceback (most recent call last)"

_ESCAPES: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[()][0-9A-B]|\x1b")
# Colours whose escape character was lost on the way (web forms drop it): only taken for colours when resets are there.
_BARE_COLOURS: Final = re.compile(r"[\x9b\ufffd\u241b]?\[(?:\d{1,3}(?:;\d{1,3}){0,4})?m")
_SURROGATES: Final = re.compile(r"[\ud800-\udfff]")
_LEVELS: Final = r"(?:DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL|debug|info|warning|error|critical|fatal)"
_STAMP: Final = r"\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_PREFIX: Final = re.compile(
    "|".join(
        (
            r"\[?(?:" + _STAMP + r"|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\]?[ :|-]{0,4}",
            r"[IWEFD]\d{4} \d\d:\d\d:\d\d\.\d{1,9}\s{1,8}\d{1,10} [\w./<>-]{1,200}:\d{1,7}\] ?",
            r"\[?" + _LEVELS + r"\]?(?::[\w.]{1,100}:|[ \t]*[:|-]| )[ \t]*",
            r"\[?(?:rank|Rank|RANK|worker|process|host|node)[ :_=-]?\d{1,6}(?:\][:|]?|[:|])[ \t]*",
            r"\(\w{1,60} pid=\d{1,10}(?:, ip=[\d.]{1,40})?\)[ \t]*",
            r"\[\d{1,6}(?:,\d{1,6})?\](?:<std(?:err|out)>)?:?[ \t]+",
            r"\[(?:std)?(?:err|out)[^\]\n]{0,40}\]:?[ \t]*",
            r"(?:> ?)+",
        )
    )
)
_MAX_PREFIXES: Final = 6


def of(text: str) -> list[str]:
    """The text's lines, cleaned: no escape sequences, no NULs, no lone surrogates, one kind of line end."""
    text = window(text)
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "[0m" in text:
        text = _BARE_COLOURS.sub("", text)
    if "\x00" in text:
        text = text.replace("\x00", "")
    if not text.isascii():
        text = _SURROGATES.sub("\ufffd", text).replace("\u2028", "\n").replace("\xa0", " ")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def window(text: str) -> str:
    """The text, or the parts of an overlong one where an error can stand: at most `LIMIT` characters."""
    if len(text) <= LIMIT:
        return text
    spans = [(0, _HEAD), (len(text) - _TAIL, len(text))]
    at, room = len(text) - _TAIL, (LIMIT - _HEAD - _TAIL) // _AROUND
    while room and (at := text.rfind(HEADER, 0, at)) >= 0:
        start = max(0, at - 200)
        spans.append((start, min(len(text), start + _AROUND)))
        at, room = start, room - 1
    return "\n".join(text[a:b] for a, b in _merged(spans))


def _merged(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    spans = sorted(spans)
    start, end = spans[0]
    for a, b in spans[1:]:
        if a > end:
            yield start, end
            start = a
        end = max(end, b)
    yield start, end


def bare(line: str) -> str:
    """One line without the prefixes that loggers, launchers and mail programs put before it."""
    line = line.lstrip()
    for _ in range(_MAX_PREFIXES):
        found = _PREFIX.match(line)
        if not found or not found.end():
            break
        line = line[found.end() :].lstrip()
    return line


class Gutter:
    """What stands before every line of a block, learnt from what stands before its header."""

    __slots__ = ("_same", "prefix", "strict")

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.strict = "|" in prefix
        """Whether a later line had the prefix too: then a line without it is not of the block."""
        same = re.escape(prefix.rstrip()) if len(prefix) <= 300 else ""
        self._same = re.compile(re.sub(r"\d+", r"\\d+", same)) if same else None

    def strip(self, line: str) -> str | None:
        """The line without the prefix; None if it does not belong to the block."""
        prefix = self.prefix
        if not prefix:
            return line
        if line.startswith(prefix):
            self.strict = self.strict or bool(prefix.strip())
            return line[len(prefix) :]
        if self._same is None:  # indentation only: take away as much of it as there is
            return line[min(len(prefix), len(line) - len(line.lstrip())) :]
        if found := self._same.match(line):
            self.strict = True
            rest = line[found.end() :]
            pad = len(prefix) - len(prefix.rstrip())
            return rest[min(pad, len(rest) - len(rest.lstrip())) :]
        return None if self.strict else line

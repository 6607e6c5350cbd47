"""A comparison as Markdown, for release notes and job summaries: what breaks first, then by package folder."""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pipeline.diff.changes import Change
from pipeline.diff.comparison import Comparison, summary
from pipeline.diff.kind import Kind
from pipeline.diff.render import said
from pipeline.diff.words import Said, Words
from pipeline.record import Record

_TAGS: Final = {Said.OLD: "<del>{}</del>", Said.NEW: "<ins>{}</ins>", Said.BOTH: "{}"}
_SIGN: Final = re.compile(r"[\\`*_\[\]~$]")
_LINK: Final = re.compile(r"(?<=www)\.|:(?=//)")


def markdown(comparison: Comparison) -> str:
    """The comparison in Markdown. Texts stand in `<code>`, every sign of theirs escaped."""
    moved = [change for change in comparison.changes if change.kinds == (Kind.MOVED,)]
    breaking = [change for change in comparison.changes if change.breaking]
    rest = [change for change in comparison.changes if not change.breaking and change.kinds != (Kind.MOVED,)]
    lines = [f"## Errors: {_code(comparison.old_name)} to {_code(comparison.new_name)}", "", *_table(comparison), ""]
    if breaking:
        lines += ["### Breaking", "", *_items(breaking), ""]
    for area, changes in said.areas(rest):
        lines += [f"### {_code(area)}", "", *_items(changes), ""]
    if moved:
        lines += ["<details>", f"<summary>{len(moved):,} moved, otherwise as they were</summary>", ""]
        lines += [*_items(moved), "", "</details>", ""]
    return "\n".join(lines)


def _table(comparison: Comparison) -> Iterator[str]:
    yield from ("| change | errors |", "|---|---|")
    yield from (f"| {kind} | {number:,} |" for kind, number in summary(comparison.changes).items() if number)
    yield from ([f"| accepted | {comparison.accepted:,} |"] if comparison.accepted else [])
    yield f"| unchanged | {comparison.unchanged:,} |"


def _items(changes: Iterable[Change]) -> Iterator[str]:
    for change in changes:
        words = said.shortened(said.texts(change))
        shown = _words(words) if words else _code(said.message(change.record))
        yield f"- **{said.kinds(change)}** {_code(_class(change))}: {shown} ({_place(change.record)})"
        yield from (f"  - {line}" for line in _details(change))


def _class(change: Change) -> str:
    return said.reclassed(change) or said.class_name(change.record)


def _details(change: Change) -> Iterator[str]:
    if why := said.why_breaking(change):
        yield _code(why)
    if guards := said.guards(change):
        yield f"when {_words(said.shortened(guards))}"
    if Kind.MOVED in change.kinds and change.old:
        yield f"from {_place(change.old)}"
    if origin := said.origin(change):
        yield _code(origin)
    if names := said.affected(change):
        yield f"affects {_code(names)}"


def _place(record: Record) -> str:
    shown = _code(f"{record.filePath}:{record.lineNumber}")
    return f"[{shown}]({record.githubUrl})" if record.githubUrl else shown


def _words(words: Sequence[Words]) -> str:
    return f"<code>{''.join(_TAGS[piece.said].format(_escaped(piece.text)) for piece in words)}</code>"


def _code(text: str) -> str:
    return f"<code>{_escaped(text)}</code>"


def _escaped(text: str) -> str:
    """The text as one line in which nothing means anything to Markdown or HTML."""
    signs = _SIGN.sub(r"\\\g<0>", html.escape(said.visible(text), quote=False))
    return _LINK.sub(lambda found: f"&#{ord(found[0])};", signs)

"""A comparison for a terminal: the summary, then the changes by package folder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.diff.changes import Change
from pipeline.diff.comparison import Comparison
from pipeline.diff.kind import Kind
from pipeline.diff.render import said
from pipeline.diff.words import Said, Words

_MARKS: Final = {Said.OLD: ("[-", "-]", "31"), Said.NEW: ("{+", "+}", "32")}
_SIGNS: Final = {Kind.ADDED: "+", Kind.REMOVED: "-"}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Look:
    colour: bool

    def painted(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text

    def words(self, words: Sequence[Words]) -> str:
        return "".join(map(self._piece, words))

    def _piece(self, piece: Words) -> str:
        if piece.said is Said.BOTH:
            return said.visible(piece.text)
        left, right, code = _MARKS[piece.said]
        return self.painted(f"{left}{said.visible(piece.text)}{right}", code)


def text(comparison: Comparison, *, colour: bool = False) -> str:
    """The comparison as plain text, or with colours."""
    look = _Look(colour=colour)
    lines = [f"{comparison.repo}: {comparison.old_name} -> {comparison.new_name}", said.figures(comparison)]
    for area, changes in said.areas(comparison.changes):
        lines += ["", look.painted(f"{said.visible(area)} ({len(changes)})", "1")]
        for change in changes:
            lines += [_head(change, look), *(f"      {line}" for line in _details(change, look))]
    return "\n".join(lines) + "\n"


def _head(change: Change, look: _Look) -> str:
    name = said.place(change.record).rpartition("/")[2]
    breaking = look.painted("BREAKING ", "1;31") if change.breaking else ""
    sign = _SIGNS.get(change.kind, "~")
    return f"  {sign} {said.kinds(change)}: {breaking}{said.class_name(change.record)} at {said.visible(name)}"


def _details(change: Change, look: _Look) -> Iterator[str]:
    words = said.shortened(said.texts(change))
    yield look.words(words) if words else said.visible(said.message(change.record))
    if more := said.more_texts(change):
        yield more
    if change_of_class := said.reclassed(change):
        yield f"class: {change_of_class}"
    if why := said.why_breaking(change):
        yield f"breaking: {why}"
    if guards := said.guards(change):
        yield f"when: {look.words(said.shortened(guards))}"
    if Kind.MOVED in change.kinds and change.old:
        yield f"from: {said.visible(said.place(change.old))}"
    if origin := said.origin(change):
        yield f"note: {origin}"
    if names := said.affected(change):
        yield f"affects: {names}"

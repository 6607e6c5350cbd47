"""The plot of a history: errors by class at each revision, and below it what was added and removed. SVG, no library."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from pipeline.history.chain import Revision, Tally
from pipeline.history.table import UNKNOWN

CLASSES: Final = 6
"""Classes that have a colour of their own; the rest is one more."""
COLOURS: Final = ("#0072b2", "#b85c00", "#00795a", "#a8478c", "#7a6a00", "#c8442c", "#6b7280")
"""On white; the last is for the rest. Each has a contrast of 3 : 1 at least, as has each of DARK on its ground."""
DARK: Final = ("#56b4e9", "#e69f00", "#2fbf93", "#d98cc3", "#d6c64a", "#f0805f", "#9aa3b0")
GROUND: Final = ("#ffffff", "#0d1117")
_INK: Final = ("#1f2328", "#e6edf3")
_FAINT: Final = ("#d0d7de", "#3d444d")
_WIDTH, _LEFT, _RIGHT = 960, 64, 16
_TOP, _HIGH, _BETWEEN, _LOW, _BOTTOM = 96, 260, 48, 110, 84
_LABELS: Final = 40  # along the bottom, at most
_REST: Final = "other classes"
_NAMED: Final = 'role="img" aria-labelledby="title description"'


@dataclass(frozen=True, kw_only=True, slots=True)
class _Scale:
    """From numbers to heights. y: of zero. step: between the lines of the grid."""

    y: float
    unit: float
    step: int

    def at(self, number: float) -> float:
        return self.y - number * self.unit


def svg(repo: str, revisions: Sequence[Revision]) -> str:
    """The plot, for light and dark pages. What it shows is also said in its description, and as a tip on each bar."""
    sums = [revision.sum() for revision in revisions]
    height = _TOP + _HIGH + _BETWEEN + _LOW + _BOTTOM
    first, last = revisions[0].name, revisions[-1].name
    title = f"Errors of {repo}, {first} to {last}" if len(revisions) > 1 else f"Errors of {repo}, {first}"
    total = _scale(max(s.total for s in sums), _TOP + _HIGH, _HIGH)
    up = max(max((s.added for s in sums[1:]), default=0), max((s.removed for s in sums[1:]), default=0))
    change = _scale(up, _TOP + _HIGH + _BETWEEN + _LOW / 2, _LOW / 2)
    classes = _largest(revisions)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" {_NAMED}>',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="description">{escape(_description(revisions))}</desc>',
        f"<style>{_style()}</style>",
        f'<rect class="ground" width="{_WIDTH}" height="{height}"/>',
        f'<text class="title" x="{_LEFT}" y="28">{escape(title)}</text>',
        *_legend([*classes, _REST] if len(_totals(revisions)) > len(classes) else classes),
        *_grid(total, _HIGH),
        *_columns(revisions, classes, total),
        *_grid(change, _LOW / 2, both=True),
        f'<text class="part" x="{_LEFT}" y="{_TOP + _HIGH + _BETWEEN - 10}">added ▲, removed ▼</text>',
        *_changes(revisions, change),
        *_names(revisions),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _style() -> str:
    def mode(ground: str, ink: str, faint: str, colours: Sequence[str]) -> str:
        rules = [f".ground{{fill:{ground}}}text{{fill:{ink}}}.line{{stroke:{faint}}}.zero{{stroke:{ink}}}"]
        rules += [f".c{number}{{fill:{colour}}}" for number, colour in enumerate(colours)]
        return "".join(rules)

    fonts = (
        "text{font:12px system-ui,sans-serif}.title{font-size:18px;font-weight:600}.number,.name{font-size:11px}"
        ".number{text-anchor:end}.name{text-anchor:end}"
    )
    light, dark = (mode(GROUND[i], _INK[i], _FAINT[i], (COLOURS, DARK)[i]) for i in (0, 1))
    return f"{fonts}{light}@media(prefers-color-scheme:dark){{{dark}}}"


def _totals(revisions: Sequence[Revision]) -> Counter[str]:
    """The most errors that each class had at any revision."""
    most: Counter[str] = Counter()
    for revision in revisions:
        for tally in revision.tallies:
            name = tally.error_class or UNKNOWN
            most[name] = max(most[name], tally.total)
    return most


def _largest(revisions: Sequence[Revision]) -> list[str]:
    most = _totals(revisions)
    return sorted(most, key=lambda name: (-most[name], name))[:CLASSES]


def _description(revisions: Sequence[Revision]) -> str:
    sums = [revision.sum() for revision in revisions]
    said = [f"{s.total:,} errors in {r.name}" for r, s in ((revisions[0], sums[0]), (revisions[-1], sums[-1]))]
    text = f"Stacked columns, one for each of {len(revisions)} revisions: from {said[0]} to {said[1]}."
    if len(revisions) > 1:
        added = max(range(1, len(sums)), key=lambda i: sums[i].added)
        removed = max(range(1, len(sums)), key=lambda i: sums[i].removed)
        text += (
            f" Most were added in {revisions[added].name} ({sums[added].added:,}), "
            f"most removed in {revisions[removed].name} ({sums[removed].removed:,})."
        )
    classes = [f"{t.error_class or UNKNOWN} {t.total:,}" for t in _by_size(revisions[-1])[:CLASSES]]
    return f"{text} Largest classes in {revisions[-1].name}: {', '.join(classes)}." if classes else text


def _by_size(revision: Revision) -> list[Tally]:
    return sorted(revision.tallies, key=lambda tally: (-tally.total, tally.error_class or ""))


def _scale(largest: int, y: float, height: float) -> _Scale:
    """A scale with three to six round numbers up to the largest."""
    rough = max(largest, 1) / 5
    power = 10 ** math.floor(math.log10(rough)) if rough >= 1 else 1
    step = next(int(m * power) for m in (1, 2, 5, 10) if m * power >= rough)
    top = -(-max(largest, 1) // step) * step
    return _Scale(y=y, unit=height / top, step=step)


def _legend(classes: Sequence[str]) -> Iterator[str]:
    x, y = float(_LEFT), 52.0
    for number, name in enumerate(classes):
        width = 30 + 7.2 * len(name)
        if x + width > _WIDTH - _RIGHT:
            x, y = float(_LEFT), y + 20
        colour = len(COLOURS) - 1 if name == _REST else number
        yield f'<rect class="c{colour}" x="{x:g}" y="{y - 10:g}" width="12" height="12"/>'
        yield f'<text x="{x + 17:g}" y="{y:g}">{escape(name)}</text>'
        x += width


def _grid(scale: _Scale, height: float, *, both: bool = False) -> Iterator[str]:
    count = round(height / scale.unit / scale.step)
    numbers = [scale.step * n for n in range(-count if both else 0, count + 1)]
    if both and count > 2:  # half the height: fewer lines
        numbers = [n for n in numbers if abs(n) in {0, scale.step * count}]
    for number in numbers:
        y = scale.at(number)
        kind = "line" if number else "zero"
        yield f'<line class="{kind}" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.2f}" y2="{y:.2f}"/>'
        yield f'<text class="number" x="{_LEFT - 8}" y="{y + 4:.2f}">{abs(number):,}</text>'


def _place(number: int, count: int) -> tuple[float, float]:
    """Where the column of a revision begins, and its width."""
    each = (_WIDTH - _LEFT - _RIGHT) / count
    width = min(each * 0.8, 60)
    return _LEFT + each * number + (each - width) / 2, width


def _bar(colour: int, x: float, width: float, ends: tuple[float, float], tip: str) -> str:
    top, height = min(ends), abs(ends[0] - ends[1])
    box = f'x="{x:.2f}" y="{top:.2f}" width="{width:.2f}" height="{height:.2f}"'
    return f'<rect class="c{colour}" {box}><title>{escape(tip)}</title></rect>'


def _columns(revisions: Sequence[Revision], classes: Sequence[str], scale: _Scale) -> Iterator[str]:
    for number, revision in enumerate(revisions):
        x, width = _place(number, len(revisions))
        totals = Counter({tally.error_class or UNKNOWN: tally.total for tally in revision.tallies})
        named = [(place, name, totals.pop(name, 0)) for place, name in enumerate(classes)]
        below = 0
        for colour, name, size in [*named, (len(COLOURS) - 1, _REST, totals.total())]:
            if size:
                tip = f"{revision.name}: {name} {size:,}"
                yield _bar(colour, x, width, (scale.at(below), scale.at(below + size)), tip)
                below += size


def _changes(revisions: Sequence[Revision], scale: _Scale) -> Iterator[str]:
    for number, revision in enumerate(revisions):
        if number == 0:
            continue  # everything is there for the first time
        x, width = _place(number, len(revisions))
        change = revision.sum()
        for colour, what, size in ((2, "added", change.added), (5, "removed", -change.removed)):
            if size:
                tip = f"{revision.name}: {abs(size):,} {what}"
                yield _bar(colour, x, width, (scale.at(0), scale.at(size)), tip)


def _names(revisions: Sequence[Revision]) -> Iterator[str]:
    y = _TOP + _HIGH + _BETWEEN + _LOW + 16
    every = -(-len(revisions) // _LABELS)
    for number, revision in enumerate(revisions):
        if number % every == 0:
            x, width = _place(number, len(revisions))
            middle = x + width / 2 + 4
            shown = revision.name if len(revision.name) <= 14 else revision.name[:13] + "…"
            turned = f"rotate(-60 {middle:.2f} {y})"
            yield f'<text class="name" x="{middle:.2f}" y="{y}" transform="{turned}">{escape(shown)}</text>'

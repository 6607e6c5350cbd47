"""The lines of source that records show, and which of them a change left untouched."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import LCSseq

from pipeline.diff.pair.assign import assign
from pipeline.record import Record

_TELLING: Final = 10
"""Characters from which a line says which file it is from."""
_CROWD: Final = 6
"""Files that share a line, beyond which it says nothing about any two of them."""
_RENAMED: Final = 0.4
"""Share of its telling lines that a file keeps when it is renamed."""
_MOVED: Final = 0.1
"""The same where only the folder has another name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """The lines of one file that its records show, in order. numbers: their line numbers, from 1."""

    numbers: tuple[int, ...]
    texts: tuple[str, ...]


def shown(records: Iterable[Record]) -> dict[str, Shown]:
    """By path, what the records show of their files. The records are sorted by path and line."""
    numbers: dict[str, list[int]] = defaultdict(list)
    texts: dict[str, list[str]] = defaultdict(list)
    for record in records:
        known = numbers[record.filePath]
        lines = record.sourceCode.split("\n")
        first = max(record.sourceCodeStart, known[-1] + 1 if known else 0)
        known.extend(range(first, record.sourceCodeStart + len(lines)))
        texts[record.filePath].extend(lines[first - record.sourceCodeStart :])
    return {path: Shown(numbers=tuple(its), texts=tuple(texts[path])) for path, its in numbers.items()}


def counterparts(old: Mapping[str, Shown], new: Mapping[str, Shown]) -> dict[str, str]:
    """Old path -> new path of the files that are in both, be it under another name."""
    gone, come = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
    telling = {path: _telling(old[path]) for path in gone} | {path: _telling(new[path]) for path in come}
    where: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, paths in enumerate((gone, come)):
        for number, path in enumerate(paths):
            for line in telling[path]:
                where[line][side].append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for one, other in where.values():
        if len(one) <= _CROWD and len(other) <= _CROWD:
            shared.update((a, b) for a in one for b in other)
    weights: dict[tuple[int, int], int] = {}
    for (a, b), many in sorted(shared.items()):
        same_name = gone[a].rpartition("/")[2] == come[b].rpartition("/")[2]
        if many >= (_MOVED if same_name else _RENAMED) * min(len(telling[gone[a]]), len(telling[come[b]])):
            weights[a, b] = many
    renamed = {gone[a]: come[b] for a, b in assign(weights)}
    return {path: path for path in sorted(old.keys() & new.keys())} | renamed


def _telling(shown: Shown) -> set[str]:
    return {stripped for text in shown.texts if len(stripped := text.strip()) >= _TELLING}


def untouched(old: Shown, new: Shown) -> dict[int, int]:
    """Old line number -> new line number of the lines that a diff leaves alone."""
    if old.texts == new.texts:
        return dict(zip(old.numbers, new.numbers, strict=True))
    ids: dict[str, int] = {}
    one, other = ([ids.setdefault(text, len(ids)) for text in side.texts] for side in (old, new))
    blocks = [block for block in LCSseq.opcodes(one, other) if block.tag == "equal"]
    kept = [(b.src_start + k, b.dest_start + k) for b in blocks for k in range(b.src_end - b.src_start)]
    settled = _settled(kept, (old.texts, new.texts))
    return {old.numbers[a]: new.numbers[b] for a, b in settled}


_Kept = list[tuple[int, int]]
"""Indexes of lines that are the same, ascending on both sides."""


def _settled(kept: _Kept, texts: tuple[Sequence[str], Sequence[str]]) -> _Kept:
    """The same, but that whole statements come and go.

    A block that only one side has can often begin some lines earlier or later as well: `git diff` and this function
    let it begin where it is indented least.
    """
    kept = [*kept, (len(texts[0]), len(texts[1]))]
    last = (-1, -1)
    for place, following in enumerate(kept):
        sizes = (following[0] - last[0] - 1, following[1] - last[1] - 1)
        for side in (0, 1):
            if sizes[side] and not sizes[1 - side]:
                _slide(kept, place, texts[side], sizes[side], side)
        last = kept[place]  # noqa: PLR1736  # sliding has changed it
    return kept[:-1]


def _slide(kept: _Kept, place: int, texts: Sequence[str], size: int, side: int) -> None:
    """Move a block of `size` lines of one side, now right before kept[place], to where it begins best."""
    start = kept[place][side] - size
    up, down = 0, 0
    while (
        _adjacent(kept, place - up - 1, (start - up - 1, kept[place][1 - side] - up - 1), side)
        and texts[start - up - 1] == texts[start - up - 1 + size]
    ):
        up += 1
    while (
        place + down < len(kept) - 1
        and _adjacent(kept, place + down, (start + size + down, kept[place][1 - side] + down), side)
        and texts[start + down] == texts[start + size + down]
    ):
        down += 1
    best = min(range(-up, down + 1), key=lambda by: (_depth(texts, start + by), -by))
    for at in range(place + min(best, 0), place + max(best, 0)):
        moved = kept[at][side] + (size if best < 0 else -size)
        kept[at] = (moved, kept[at][1]) if side == 0 else (kept[at][0], moved)


def _adjacent(kept: _Kept, at: int, expected: tuple[int, int], side: int) -> bool:
    """Whether the lines of kept[at] are these: on the side of the block, and on the other one."""
    return at >= 0 and (kept[at][side], kept[at][1 - side]) == expected


def _depth(texts: Sequence[str], start: int) -> int:
    """Indentation of the first line from there on that has text."""
    written = next((texts[at] for at in range(start, len(texts)) if texts[at].strip()), "")
    return len(written) - len(written.lstrip())

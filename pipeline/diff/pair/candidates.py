"""Which records are worth comparing: those that share a place, a text, or something rare."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from itertools import pairwise, product
from typing import Final

from pipeline.diff.pair.traits import Traits

_ALL: Final = 2
"""What has to speak for a comparison."""
_MOST: Final = {"file": 2_500, "function": 2_500, "text": 900, "name": 400, "line": 30, "words": 30}
"""Comparisons that one thing in common may ask for; where it asks for more, it says too little."""
_WORTH: Final = {"file": 2, "function": 2, "text": 2, "name": 2, "line": 1, "words": 1}
_TELLING: Final = 12
"""Characters of a line that can be rare."""
ANYTHING: Final = frozenset(_MOST)
WORDING: Final = frozenset({"text", "words"})


def candidates(
    old: Mapping[int, Traits],
    new: Mapping[int, Traits],
    counterparts: Mapping[str, str],
    kinds: frozenset[str] = ANYTHING,
) -> list[tuple[int, int]]:
    """Pairs of keys that are worth comparing, sorted.

    counterparts: old path -> new path. kinds: of things in common that count.
    """
    buckets: dict[tuple[str, Hashable], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((old, new)):
        for number, row in rows.items():
            path = counterparts.get(row.record.filePath) if side == 0 else row.record.filePath
            for feature in set(_features(row, path)):
                if feature[0] in kinds:
                    buckets[feature][side].append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for (kind, _), (left, right) in buckets.items():
        if len(left) * len(right) <= _MOST[kind]:
            for both in product(left, right):
                shared[both] += _WORTH[kind]
    return sorted(both for both, worth in shared.items() if worth >= _ALL)


def _features(row: Traits, path: str | None) -> Iterator[tuple[str, Hashable]]:
    record = row.record
    if path is not None:
        yield "file", path
        yield "function", (path, record.qualname)
    if row.says:
        yield "text", record.messagePattern
    if row.leaf:
        yield "name", (row.leaf, record.errorClass)
    yield from (("line", line) for line in (*row.before, *row.after) if len(line) >= _TELLING)
    yield from (("words", both) for text in row.order for both in pairwise(text))

"""The best one-to-one assignment."""

import heapq
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field


def assign(weights: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
    """Pairs (left, right), sorted, no left or right in two of them, whose weights have the greatest sum.

    weights: of the pairs that are possible, above 0. Of several equally good answers it is always the same one,
    whatever the order of the mapping.
    """
    return sorted(pair for edges in _parts(weights) for pair in _matched(edges))


_Edges = dict[int, dict[int, int]]
"""Left -> right -> weight."""


def _parts(weights: Mapping[tuple[int, int], int]) -> list[_Edges]:
    """The connected parts: what is decided in one has no bearing on another."""
    lefts: _Edges = defaultdict(dict)
    rights: _Edges = defaultdict(dict)
    for (left, right), weight in sorted(weights.items()):
        lefts[left][right] = weight
        rights[right][left] = weight
    parts: list[_Edges] = []
    seen: set[int] = set()
    for start in lefts:
        if start in seen:
            continue
        part, waiting = {start}, [start]
        while waiting:
            fresh = {other for right in lefts[waiting.pop()] for other in rights[right]} - part
            part |= fresh
            waiting += fresh
        seen |= part
        parts.append({left: lefts[left] for left in sorted(part)})
    return parts


@dataclass(slots=True)
class _State:
    """A matching that grows by one left at a time, and the prices that prove it the cheapest so far."""

    costs: _Edges
    left_prices: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    right_prices: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    owners: dict[int, int] = field(default_factory=dict)
    mates: dict[int, int] = field(default_factory=dict)


def _matched(edges: _Edges) -> list[tuple[int, int]]:
    """The heaviest matching of one part, by shortest augmenting paths over reduced costs (Edmonds and Karp)."""
    if len(edges) == 1:
        [(left, its)] = edges.items()
        return [(left, max(its, key=lambda right: (its[right], -right)))]
    top = max(weight for its in edges.values() for weight in its.values())
    # a right of its own, below 0, for each left: it need not be paired at all
    state = _State({left: {r: top - w for r, w in its.items()} | {-1 - left: top} for left, its in edges.items()})
    for left in edges:
        _augment(state, left)
    return [(left, right) for left, right in state.mates.items() if right >= 0]


def _augment(state: _State, start: int) -> None:
    """Give a left its right, moving others where that is cheapest."""
    lefts, rights, came = {start: 0}, dict[int, int](), dict[int, int]()
    best: dict[int, int] = {}
    queue: list[tuple[int, int]] = []
    left = start
    while True:
        for right, cost in state.costs[left].items():
            length = lefts[left] + cost - state.left_prices[left] - state.right_prices[right]
            if right not in best or length < best[right]:
                best[right], came[right] = length, left
                heapq.heappush(queue, (length, right))
        length, end = heapq.heappop(queue)
        while end in rights:
            length, end = heapq.heappop(queue)
        rights[end] = length
        if end not in state.owners:
            break
        left = state.owners[end]
        lefts[left] = length
    for left, reached in lefts.items():
        state.left_prices[left] += length - reached
    for right, reached in rights.items():
        state.right_prices[right] -= length - reached
    while True:
        taker = came[end]
        state.owners[end] = taker
        left_free = state.mates.get(taker)
        state.mates[taker] = end
        if left_free is None:
            return
        end = left_free

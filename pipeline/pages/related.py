"""Which records are related: those that say nearly the same, stand in one function, test one thing, or serve one API.

A record is seen as features of a few kinds: words of its text, names that its guard tests, public names that lead to
it, classes of its own. Two records are as near as the features they share are rare, and nearer in one function, class
or file. Only those that share a rare feature or a function are ever compared, so that a large repository takes a
fraction of a second.
"""

import builtins
import keyword
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Final

from pipeline.record import Record

MOST: Final = 8
"""Related records of one record."""
SAME_TITLE: Final = 3
"""How many of them can have one title: of more, a reader sees no difference."""
_OWN: Final = 6
"""How many a record chooses before those that chose it have their turn."""
_LEAST: Final = 0.4
"""Nearness below which nothing is related."""
_FEW: Final = 3
_FAINT: Final = 0.31
"""Where fewer than so many are near, this nearness will do until there are so many."""
_CROWD: Final = 32
"""Records that share a feature, beyond which it says too little about any two of them."""
_NAMES: Final = 6
"""Public names of a record, nearest first, that count."""
_WEIGHTS: Final = {"words": 1.0, "text": 0.35, "function": 0.3, "subject": 0.4, "api": 0.3, "class": 0.2}
"""Kinds of features, and how near two records are that have all features of a kind in common."""
_CLOSE: Final = ("text", "function")
"""Kinds of which a crowd still says something: each is compared with its neighbours in it."""
_PLACES: Final = (0.0, 0.07, 0.15, 0.27)
"""How much nearer two records are in different folders, one folder, one file, one class or outer function."""
_WORD: Final = re.compile(r"[^\W\d_][^\W_]+")
_HOLE: Final = re.compile(r"\{[^{}]*\}")
_NAME: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_NO_NAMES: Final = frozenset({*dir(builtins), *keyword.kwlist, "self", "cls", "_"})
_WITHOUT_NAMES: Final = ("except", "case _")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kind:
    """The features of one kind that records share.

    sharing: a feature's rarity and the records that have it, in their order. scales: by record, so that rarity times
    the scales of two records, summed over all they share, is the nearness of the kind where they share everything.
    """

    sharing: Sequence[tuple[float, Sequence[int]]]
    scales: Sequence[float]


def relate(records: Sequence[Record]) -> list[Record]:
    """The records, in their order, each with the ids of those related to it, nearest first; at most eight.

    What was there as `related` before has no part in it, nor has the order of the records.
    """
    ordered = sorted(records, key=lambda record: (record.filePath, record.lineNumber, record.id))
    chosen = zip(ordered, _chosen(ordered, _ranked(ordered)), strict=True)
    related = {record.id: tuple(ordered[number].id for number in others) for record, others in chosen}
    return [record.model_copy(update={"related": related[record.id]}) for record in records]


# How near two records are


def _nearness(records: Sequence[Record]) -> Iterator[tuple[int, int, float]]:
    """Pairs of records that are not too far from each other, the earlier first, and how near they are."""
    near: list[dict[int, float]] = [{} for _ in records]
    for kind in _shared(records):
        _add(kind, near)
    places = [(r.filePath.rpartition("/")[0], r.filePath, f"{r.filePath}:{_enclosing(r)}") for r in records]
    for number, scores in enumerate(near):
        folder, file, enclosing = places[number]
        for other, score in scores.items():
            if score >= _FAINT - _PLACES[-1]:
                place = places[other]
                nearer = _PLACES[(place[0] == folder) + (place[1] == file) + (place[2] == enclosing)]
                if score + nearer >= _FAINT:
                    yield number, other, score + nearer


def _add(kind: _Kind, near: Sequence[dict[int, float]]) -> None:
    """Add to the scores of every record those of the records after it that it shares features of this kind with."""
    scales = kind.scales
    for rarity, numbers in kind.sharing:
        for at, number in enumerate(numbers, 1):
            scores, weight = near[number], rarity * scales[number]
            for other in numbers[at : at + _CROWD]:
                scores[other] = scores.get(other, 0.0) + weight * scales[other]


def _shared(records: Sequence[Record]) -> Iterator[_Kind]:
    """The features that records share, kind by kind."""
    kinds = zip(*map(_features, records), strict=True)
    for (kind, nearness), bags in zip(_WEIGHTS.items(), kinds, strict=False):
        counts = Counter(chain.from_iterable(bags))
        rarity = {name: math.log((1 + len(records)) / count) ** 2 for name, count in counts.items()}
        most = len(records) if kind in _CLOSE else _CROWD
        sharing: dict[str, list[int]] = {name: [] for name, count in counts.items() if 1 < count <= most}
        for number, bag in enumerate(bags):
            for name in bag:
                if name in sharing:
                    sharing[name].append(number)
        yield _Kind(
            sharing=[(rarity[name], numbers) for name, numbers in sharing.items()],
            scales=[math.sqrt(nearness / (sum(map(rarity.__getitem__, bag)) or 1.0)) for bag in bags],
        )


def _features(record: Record) -> tuple[Collection[str], ...]:
    """The names of its features, none twice, in the order of their kinds."""
    text, function = record.messageVariants[0].errorMessage, f"{record.filePath}:{record.qualname}"
    words = _WORD.findall(_HOLE.sub(" ", text).lower())
    pairs = (f"{one} {two}" for one, two in pairwise(words))
    subject = _subject(record.condition or "")
    classes = (record.errorClass, *record.errorBases)
    return (
        dict.fromkeys((*words, *pairs)),
        [text] if words else (),
        [function] if record.qualname else (),
        dict.fromkeys((*subject, *(f"{function}:{name}" for name in subject))),
        record.publicApi[:_NAMES],
        [name for name in classes if name and name not in _NO_NAMES],
    )


def _subject(condition: str) -> list[str]:
    """The names in the innermost clause of a guard that has some."""
    for clause in reversed(_clauses(condition)):
        if not clause.startswith(_WITHOUT_NAMES):
            return [name for name in _NAME.findall(clause) if name not in _NO_NAMES]
    return []


def _clauses(condition: str) -> list[str]:
    """What a condition joins by ` and ` outside of brackets."""
    clauses, depth = [""], 0
    for part in condition.split(" and "):
        clauses[-1] += f" and {part}" if depth else part
        depth = max(0, depth + sum(map(part.count, "([{")) - sum(map(part.count, ")]}")))
        if not depth:
            clauses.append("")
    return [clause for clause in clauses if clause]


def _enclosing(record: Record) -> str:
    """The class, or the outer function, that the record's function stands in; the function itself at module level."""
    qualname = record.qualname or ""
    return qualname.rpartition(".")[0].removesuffix(".<locals>") or qualname


def _ranked(records: Sequence[Record]) -> list[list[int]]:
    """For each record those that are near enough, nearest first; of equally near ones the nearer in the source."""
    near: list[list[tuple[float, bool, int, int]]] = [[] for _ in records]
    for number, other, score in _nearness(records):
        one, two = records[number], records[other]
        order = (-round(score, 6), one.filePath != two.filePath, abs(one.lineNumber - two.lineNumber))
        near[number].append((*order, other))
        near[other].append((*order, number))
    return [[o[-1] for at, o in enumerate(sorted(orders)) if at < _FEW or o[0] <= -_LEAST] for orders in near]


# Which of the near are chosen


def _chosen(records: Sequence[Record], ranked: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The related of each record: its own first choices, those that chose it, then more of its own; nearest first."""
    titles = [record.title or record.errorClass for record in records]
    marks = [(r.filePath, r.qualname, r.errorClass, r.errorMessage, r.condition) for r in records]

    def varied(number: int, wanted: Iterable[int], most: int) -> list[int]:
        """The first of those wanted, without a fourth of one title, and without one that differs by its line only."""
        told: Counter[str | None] = Counter()
        seen = {marks[number]}
        taken: list[int] = []
        for other in wanted:
            if told[titles[other]] < SAME_TITLE and marks[other] not in seen:
                taken.append(other)
                told[titles[other]] += 1
                seen.add(marks[other])
                if len(taken) == most:
                    break
        return taken

    first = [varied(number, others, _OWN) for number, others in enumerate(ranked)]
    choosers: list[set[int]] = [set() for _ in records]
    for number, chosen in enumerate(first):
        for other in chosen:
            choosers[other].add(number)
    for number, others in enumerate(ranked):
        chose_it = [other for other in others if other in choosers[number]]
        taken = set(varied(number, dict.fromkeys((*first[number], *chose_it, *others)), MOST))
        yield [other for other in others if other in taken]

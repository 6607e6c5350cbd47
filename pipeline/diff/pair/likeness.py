"""How much speaks for two records being one error."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz

from pipeline.diff.pair.traits import Traits

ENOUGH: Final = 2.5
"""Points from which two records are taken for one error."""
SURE: Final = 4.0
"""Points from which a pair says something of others: that its two functions are one."""
_GUARD_END: Final = 100
"""Characters at the end of a condition that are compared: what is nearest to the raise."""
_LONG_STATEMENT: Final = 25
"""Characters from which two equal statements are hardly so by chance."""
_TELLING_WORDS: Final = 3.0
"""Weight of the words in common from which a wording is known again anywhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Relation:
    """Where two records stand to each other.

    same_file: in files that are each other's counterpart. same_function: in functions that are, be they renamed or
    moved. aligned: on a line that the change left untouched. between: between the same paired neighbours.
    """

    same_file: bool
    same_function: bool
    aligned: bool
    between: bool


def likeness(old: Traits, new: Traits, relation: Relation) -> float:
    """Points for and against; ENOUGH for a pair where nothing is better."""
    return (
        _by_text(old, new, relation)
        + _by_class(old, new)
        + _by_place(old, new, relation)
        + 3.5 * surroundings(old, new)
        - (0.0 if relation.same_function else 0.5)
        + _by_guard(old, new)
    )


def _by_text(old: Traits, new: Traits, relation: Relation) -> float:
    """A text that many have, or that has few words of its own, says little away from its place."""
    statement = 1.0 if old.statement == new.statement and len(old.statement) > _LONG_STATEMENT else 0.0
    if old.said[1] == new.said[1]:
        if not old.says:
            return _by_statement(old, new) + statement - (0.0 if relation.same_function else 1.0)
        points = 2 + min(2.0, (old.record.literalLength or 0) / 12)
        return (points + statement / 2) / (1.0 if relation.same_function else max(old.common, new.common) ** 0.5)
    if not (old.says and new.says):
        return statement - (0.5 if relation.same_function or relation.aligned else 1.0)
    share, common = wording(old, new)
    points = 6 * share - 2.5
    return statement + (points if relation.same_function or points < 0 else points * min(1.0, common / _TELLING_WORDS))


def _by_statement(old: Traits, new: Traits) -> float:
    """Where nothing is said, the source of the statement has to do."""
    return 0.5 if old.statement == new.statement else 2 * fuzz.ratio(old.statement, new.statement) / 100 - 1.75


def wording(old: Traits, new: Traits) -> tuple[float, float]:
    """How alike two texts are, by the most alike of their variants: 0 to 1, and what their common words weigh."""
    best = (0.0, 0.0)
    for one in old.texts:
        for other in new.texts:
            common = sum(weight for word, weight in one.items() if word in other)
            if common:
                least, most = sorted((sum(one.values()), sum(other.values())))
                best = max(best, (1.2 * common / (least + most) + 0.4 * common / max(least, 2.0), common))
    return best


def _by_class(old: Traits, new: Traits) -> float:
    one, other = old.record, new.record
    if one.errorClass == other.errorClass:
        return 0.5
    if one.errorClass is None or other.errorClass is None:
        return 0.0
    related = one.errorClass in other.errorBases or other.errorClass in one.errorBases
    return -0.25 if related else -0.75


def _by_place(old: Traits, new: Traits, relation: Relation) -> float:
    same_name = old.record.qualname == new.record.qualname
    if relation.same_file:
        points = 2.0 if same_name else 1.0 if relation.same_function or old.leaf == new.leaf else 0.25
    else:
        points = 0.5 if relation.same_function or same_name else 0.0 if old.leaf == new.leaf else -0.75
    return points + 1.5 * relation.aligned + 0.5 * relation.between


def surroundings(old: Traits, new: Traits) -> float:
    """0 to 1: how much of the lines around is the same, near lines and long ones counting more."""
    found = _share(old.before, new.before) + _share(new.before, old.before)
    return 0.375 * found + 0.125 * (_share(old.after, new.after) + _share(new.after, old.after))


def _share(lines: Sequence[str], others: Sequence[str]) -> float:
    found = total = 0.0
    weight = 1.0
    for line in lines:
        worth = weight * min(1.0, len(line) / 16)
        total += worth
        if line in others:
            found += worth
        weight *= 0.75
    return found / total if total else 0.0


def _by_guard(old: Traits, new: Traits) -> float:
    if old.guard == new.guard:
        return 1.5 if old.guard else 0.25
    if not (old.guard and new.guard):
        return -0.25
    return 2 * fuzz.ratio(old.guard[-_GUARD_END:], new.guard[-_GUARD_END:]) / 100 - 1

"""A diff as it is shown: what it is between, what of it was asked for, what was accepted before."""

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.diff.changes import Change
from pipeline.diff.kind import KINDS, Kind


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """What a renderer is given.

    before, after: the revisions. old_name, new_name: the same for people. changes: those to show, in their order.
    unchanged: errors that are as they were. filtered: changes nobody asked for; accepted: those a file names.
    files: paths of the new side that have an error.
    """

    repo: str
    before: str
    after: str
    old_name: str
    new_name: str
    changes: tuple[Change, ...]
    unchanged: int
    filtered: int = 0
    accepted: int = 0
    files: frozenset[str] = frozenset()


def summary(changes: Iterable[Change]) -> dict[Kind, int]:
    """Changes by kind, in the order of kinds, those that have none too."""
    kinds = [change.kind for change in changes]
    return {kind: kinds.count(kind) for kind in KINDS}

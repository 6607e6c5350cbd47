"""The ledger of many revisions: the sum of theirs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from pipeline.manifest import Coverage, Exclusion, PathReason

_NUMBERS: Final = (
    *("files", "raiseStatements", "bareRaises", "assertsWithMessage"),
    *("recordedRaises", "recordedAsserts", "reRaises"),
)
Placed = TypeVar("Placed", Exclusion, PathReason)


def together(coverages: Mapping[str, Coverage]) -> Coverage:
    """The sum of ledgers by the name of their revision; it stands before each path, as in git: `0.9.2:a.py`."""
    parts = tuple(coverages.values())
    numbers = {name: sum(getattr(part, name) for part in parts) for name in _NUMBERS}
    return Coverage(
        **numbers,
        excluded=_placed({name: part.excluded for name, part in coverages.items()}),
        skippedFiles=_placed({name: part.skippedFiles for name, part in coverages.items()}),
        damagedFiles=_placed({name: part.damagedFiles for name, part in coverages.items()}),
        unknownTexts=_added([part.unknownTexts for part in parts]),
        boundsHit=_added([part.boundsHit for part in parts]),
    )


def _placed(found: Mapping[str, Sequence[Placed]]) -> tuple[Placed, ...]:
    return tuple(one.model_copy(update={"path": f"{name}:{one.path}"}) for name, ones in found.items() for one in ones)


def _added(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return dict(sorted(total.items()))

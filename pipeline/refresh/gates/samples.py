"""The gate `samples`: messages that found their records in the published dataset still find them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pipeline.dataset.samples import Sample
from pipeline.match import Index, match
from pipeline.refresh.gates.verdict import SHOWN, Verdict, share

FOUND: Final = 0.90
"""Share that must still be found; some errors are reworded in every release."""
FEW: Final = 2


def samples(
    drawn: Sequence[Sample], before: Index, now: Index, *, names: Mapping[str, str], gone: Iterable[str]
) -> Verdict:
    """drawn: from the published dataset. names: id or alias -> id, in the candidate. gone: ids of its tombstones."""
    buried = frozenset(gone)
    counted = [sample for sample in drawn if sample.id not in buried and _finds(sample, before, {sample.id: sample.id})]
    missed = [sample for sample in counted if not _finds(sample, now, names)]
    found = len(counted) - len(missed)
    least = min(len(counted) - FEW, int(FOUND * len(counted)))
    return Verdict(
        gate="samples",
        passed=found >= least,
        figure=f"{found:,} of {len(counted):,} messages find their record ({share(found, len(counted))})",
        bound=f"at least {max(0, least):,}",
        detail=tuple(f"{sample.id}: {sample.message[:80]}" for sample in missed[:SHOWN]) if found < least else (),
    )


def _finds(sample: Sample, index: Index, names: Mapping[str, str]) -> bool:
    wanted = names.get(sample.id)
    return any(wanted in (found.entry.id, *found.ambiguous_with) for found in match(sample.pasted, index))

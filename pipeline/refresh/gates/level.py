"""The gates `records`, `unknown`, `explained` and `checks`: whether a level dropped or jumped."""

from collections.abc import Sequence
from math import ceil
from typing import Final

from pipeline.manifest import Counts
from pipeline.record import Record
from pipeline.refresh.gates.verdict import SHOWN, Verdict, share

DROP: Final = 0.05
"""Share of the published records that may be missing from the number of the candidate's."""
UNKNOWN: Final = 0.10
"""Share of unknown texts in a first dataset."""
JUMP: Final = 0.01
"""By how much the share of unknown texts may grow."""
EXPLAINED: Final = 0.98
"""Share of records that must be explained, by a model where one is asked."""
FAILED: Final = 0.05
"""Share of records whose explanation may have failed a check."""
FEW: Final = 2
"""Records that are let through in any case, so that the shares mean something for a small repository."""


def records(now: Counts, before: Counts | None) -> Verdict:
    """There are some, and not many fewer than were published."""
    least = max(1, before.records - max(FEW, int(DROP * before.records))) if before else 1
    known = f", {before.records:,} before" if before else ""
    return Verdict(
        gate="records",
        passed=now.records >= least,
        figure=f"{now.records:,} records{known}",
        bound=f"at least {least:,}",
    )


def unknown(now: Counts, before: Counts | None) -> Verdict:
    """Texts that the source does not tell: a jump means that the reading of texts broke, or a new style of raising."""
    expected = UNKNOWN * now.records if before is None else _share_before(before) * now.records
    allowed = ceil(expected) + max(FEW, int(JUMP * now.records))
    known = f", {share(before.unknownTexts, before.records)} before" if before else ""
    return Verdict(
        gate="unknown",
        passed=now.unknownTexts <= allowed,
        figure=f"{now.unknownTexts:,} unknown texts ({share(now.unknownTexts, now.records)}{known})",
        bound=f"at most {allowed:,}",
    )


def _share_before(before: Counts) -> float:
    return before.unknownTexts / before.records if before.records else 0.0


def explained(records: Sequence[Record], unanswered: int) -> Verdict:
    """unanswered: how many got a derived explanation because the model gave no answer, or was not asked any more."""
    without = [record.id for record in records if record.explainedBy is None or not record.documentation]
    good = len(records) - len(without) - unanswered
    detail = [f"{unanswered:,} records have no answer of the model yet"] if unanswered else []
    return Verdict(
        gate="explained",
        passed=good >= EXPLAINED * len(records),
        figure=f"{good:,} of {len(records):,} explained ({share(good, len(records))})",
        bound=f"at least {EXPLAINED:.0%}",
        detail=tuple([*detail, *without][:SHOWN]),
    )


def checks(records: Sequence[Record]) -> Verdict:
    """Fields of a model's answer that failed a check were not published; many of them say that something is wrong."""
    failed = [
        (record.id, check)
        for record in records
        for check in (record.explainedBy.checks if record.explainedBy else ())
        if check.verdict == "failed"
    ]
    count = len({name for name, _ in failed})
    allowed = max(FEW, int(FAILED * len(records)))
    return Verdict(
        gate="checks",
        passed=count <= allowed,
        figure=f"{count:,} of {len(records):,} records failed a check ({share(count, len(records))})",
        bound=f"at most {allowed:,}",
        detail=tuple(f"{name}: {check.name}: {check.detail}" for name, check in failed[:SHOWN])
        if count > allowed
        else (),
    )

"""The gates `ledger`, `schema` and `patterns`: whether the candidate is whole and valid in itself."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pipeline.dataset.validation import Problem
from pipeline.errors import LedgerError
from pipeline.manifest import Coverage
from pipeline.match.dialect import PatternError, parse
from pipeline.record import Record
from pipeline.refresh.gates.verdict import SHOWN, Verdict, share

LEFT_OUT: Final = 0.01
"""Share of files that may be damaged or unread, and of statements that may be excluded."""

_STRAY_ESCAPE: Final = re.compile(r"\\(?:[^\\^$.*+?()\[\]{}|]|\Z)", re.DOTALL)
_PAIRS: Final = re.compile(r"\\\\")


def ledger(coverage: Coverage) -> Verdict:
    """The sums agree, and what was left out by name is little: a file that cannot be read hides its errors."""
    wrong = []
    try:
        coverage.check()
    except LedgerError as error:
        wrong.append(error.what)
    unread = len(coverage.damagedFiles) + len(coverage.skippedFiles)
    files = coverage.files + len(coverage.skippedFiles)
    statements = coverage.raiseStatements + coverage.assertsWithMessage
    excluded = len(coverage.excluded)
    if unread > LEFT_OUT * files:
        wrong += [f"{one.path}: {one.reason}" for one in (*coverage.damagedFiles, *coverage.skippedFiles)]
    if excluded > LEFT_OUT * statements:
        wrong += [f"{one.path}:{one.line}: {one.reason}" for one in coverage.excluded]
    return Verdict(
        gate="ledger",
        passed=not wrong,
        figure=f"{statements:,} statements, {excluded:,} excluded ({share(excluded, statements)}); "
        f"{files:,} files, {unread:,} damaged or unread ({share(unread, files)})",
        bound=f"all accounted for, at most {LEFT_OUT:.0%} left out",
        detail=tuple(wrong[:SHOWN]),
    )


def schema(problems: Iterable[Problem]) -> Verdict:
    """Nothing is wrong with the files."""
    wrong = [str(problem) for problem in problems if not _is_of_pattern(problem)]
    return Verdict(
        gate="schema", passed=not wrong, figure=f"{len(wrong):,} faults", bound="none", detail=tuple(wrong[:SHOWN])
    )


def patterns(problems: Iterable[Problem], records: Sequence[Record]) -> Verdict:
    """All compile in re and RE2, and use nothing that JavaScript, with or without the flag u, reads differently."""
    wrong = [str(problem) for problem in problems if _is_of_pattern(problem)]
    seen = {pattern: record for record in records for pattern in _patterns(record)}
    wrong += [f"{record.id}: {why}: {pattern[:80]}" for pattern, record in seen.items() if (why := foreign(pattern))]
    return Verdict(
        gate="patterns",
        passed=not wrong,
        figure=f"{len(wrong):,} faults in {len(seen):,} patterns",
        bound="none",
        detail=tuple(wrong[:SHOWN]),
    )


def _is_of_pattern(problem: Problem) -> bool:
    return (problem.field or "").endswith("messagePattern")


def _patterns(record: Record) -> Iterable[str]:
    return (record.messagePattern, *(variant.messagePattern for variant in record.messageVariants))


def foreign(pattern: str) -> str | None:
    """Why a pattern is outside of the dialect; None where it is in it.

    Inside it are fixed text with syntax characters escaped, and no others (JavaScript's flag u refuses those), the four
    kinds of holes, and groups that do not capture; none of them means anything else in another engine.
    """
    if _STRAY_ESCAPE.search(_PAIRS.sub("", pattern)):
        return "escapes what is no syntax character"
    try:
        parse(pattern)
    except PatternError as error:
        return str(error)
    return None

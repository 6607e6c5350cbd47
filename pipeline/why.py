"""Why a record says what it says: how the text of its raise statement was resolved, step by step."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from pipeline.errors import DatasetError
from pipeline.mine import facts, sites
from pipeline.mine.consult import Consulted
from pipeline.mine.evaluate.evaluator import Evaluator, Look
from pipeline.mine.link import Program
from pipeline.mine.syntax import to_utf8
from pipeline.mine.texts import Texts
from pipeline.processes import RECURSION
from pipeline.record import Record
from pipeline.source.tree import SourceTree

_WIDTH = 100  # characters of source shown for a step


def why(record: Record, tree: SourceTree) -> list[str]:
    """The lines of an explanation: the statement, each step with file and line, the texts, the bounds that were hit.

    tree: the source that the record was mined from. DatasetError where the record's statement is not in it.
    """
    known = {f.path: facts.read(f.path, f.data) for f in tree.files}
    program = Program(known, Texts({f.path: to_utf8(f.data)[0] for f in tree.files}))
    machine = Evaluator(Consulted(program), trace={})
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION))
    try:
        if record.filePath in known:
            for finding in sites.find_raised(machine, record.filePath, line=record.lineNumber):
                return list(_lines(record, machine, finding))
    finally:
        sys.setrecursionlimit(before)
    raise DatasetError(
        f"no raise statement at {record.filePath}:{record.lineNumber} of {tree.repo} {tree.revision}",
        hint="Give the source that the record was mined from, with --tree or --git",
    )


def _lines(record: Record, machine: Evaluator, finding: sites.Finding) -> Iterator[str]:
    yield f"{record.id}  {record.errorClass or 'class unknown'}  {record.filePath}:{record.lineNumber}"
    if record.condition:
        yield f"when  {record.condition}"
    for number, step in enumerate(machine.trace or (), 1):
        yield _step(number, step)
    for raised in finding.raised:
        name = raised.error_class or "class unknown"
        if raised.unknown is not None:
            yield f"text  {name}: not known from source: {raised.unknown.value}: {raised.holds}"
    for variant in record.messageVariants:
        yield f"text  {variant.errorMessage}"
    for bound, count in sorted(machine.hits.items()):
        yield f"bound  {bound}, hit {count} times"


def _step(number: int, step: Look) -> str:
    source = step.source if len(step.source) <= _WIDTH else step.source[: _WIDTH - 2] + " …"
    return f"{number:3}  {step.what}  {step.path}:{step.line}  {source}"

"""One error, one model: its answer, the complaints about it, and what remains of it in the end."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.explain.checks import Case, Finding, Verdict, judge_text, to_checks
from pipeline.explain.client import Unanswered
from pipeline.explain.explanation import Explanation
from pipeline.explain.prompt import Question
from pipeline.explain.store import Answer
from pipeline.record import Check

REPAIRS: Final = 2
Ask = Callable[[Question], Awaitable[Answer | Unanswered]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a model brought. explanation: None where nothing of it can be published; unanswered: why there is none."""

    explanation: Explanation | None
    checks: tuple[Check, ...] = ()
    unanswered: Unanswered | None = None


async def converse(question: Question, case: Case, derived: Callable[[], Explanation], ask: Ask) -> Outcome:
    """Ask, check, and complain at most twice; fields that still fail give way to the derived ones.

    derived: makes the explanation that needs no model.
    """
    best: tuple[Explanation | None, tuple[Finding, ...]] | None = None
    for _ in range(REPAIRS + 1):
        answer = await ask(question)
        if isinstance(answer, Unanswered):
            if best is None or answer.wanting:
                return Outcome(explanation=None, unanswered=answer)
            break
        if answer.fault:
            found = (Finding(check="schema", field=None, detail=f"the answer is {answer.fault}"),)
            best = best or (None, found)
            break
        assert answer.text is not None
        explanation, findings = await asyncio.to_thread(judge_text, answer.text, case)
        if best is None or _weight(explanation, findings) <= _weight(*best):
            best = explanation, findings
        faults = [finding for finding in findings if finding.verdict is Verdict.FAILED]
        if not faults:
            break
        question = question.again(answer.text, _complaint(faults))
    assert best is not None
    return _published(*best, derived)


def _weight(explanation: Explanation | None, findings: Sequence[Finding]) -> tuple[bool, int]:
    return explanation is None, sum(finding.verdict is Verdict.FAILED for finding in findings)


def _complaint(faults: Sequence[Finding]) -> str:
    listed = "\n".join(f"- {fault}" for fault in dict.fromkeys(map(str, faults)))
    return (
        f"Checks found this in your answer:\n{listed}\n"
        "Answer again with the whole JSON object. Change what is named here and keep the rest. "
        "Where you cannot do it correctly, make the field null (a list: empty)."
    )


def _published(
    explanation: Explanation | None, findings: tuple[Finding, ...], derived: Callable[[], Explanation]
) -> Outcome:
    """The answer without its failed fields."""
    checks = to_checks(findings)
    if explanation is None:
        return Outcome(explanation=None, checks=checks)
    failed = {finding.field for finding in findings if finding.verdict is Verdict.FAILED and finding.field}
    if not failed:
        return Outcome(explanation=explanation, checks=checks)
    instead = derived()
    kept = explanation.model_copy(update={name: getattr(instead, name) for name in failed})
    return Outcome(explanation=kept, checks=checks)

"""The derived explanation: each field from what the source says, or null."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pipeline.explain.derived import docstring
from pipeline.explain.derived.advice import advice, demands
from pipeline.explain.derived.code import callers_guard, direct_call, own_name, try_catch, type_guard, validation_code
from pipeline.explain.derived.guard import Guard, read_guard
from pipeline.explain.derived.words import LONGEST, code, fails, fault, holds, listed
from pipeline.explain.explanation import Explanation
from pipeline.explain.vocabulary import Vocabulary
from pipeline.record import Record, Strategy

if TYPE_CHECKING:
    from pipeline.evidence.pack import Evidence

NAMED = 3  # public names in a sentence
TEST_LINES = 14

_MEANINGS: Final = {
    "NotImplementedError": "The library has not implemented this case.",
    "AssertionError": "It is a check by the library on itself: the state it found should never occur.",
}
# What the name of an inner function says about when it runs: the rules that JAX looks up for each of its operations.
_RULES: Final = tuple(
    (re.compile(pattern), situation)
    for pattern, situation in (
        (r"transpose", "a computation with this operation is differentiated in reverse mode (`jax.grad`, `jax.vjp`)"),
        (r"(?:^|_)(?:jvp|linearize|lin)(?:_|$)", "a computation with this operation is differentiated"),
        (r"(?:^|_)(?:vjp|bwd)(?:_|$)", "a computation with this operation is differentiated in reverse mode"),
        (r"batch(?:ing|er|_rule)|(?:^|_)vmap(?:_|$)", "a computation with this operation is mapped with `jax.vmap`"),
        (r"lower(?:ing)?(?:_|$)", "a computation with this operation is lowered to be compiled"),
        (r"abstract_eval|(?:shape|dtype|sharding|typecheck)_rule", "the operation is called or traced: {checks}"),
        (r"partial_eval|(?:^|_)pe_rule", "a computation with this operation is linearized or rematerialized"),
        (r"discharge", "references (`Ref`) in a computation with this operation are turned into values"),
    )
)
_CHECKS: Final = "its shapes and dtypes are checked first"
_NAME: Final = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_SETTING: Final = re.compile(r"\bconfig\.|\bjax_[a-z_]+\b|\benviron\b")
_ELSEWHERE: Final = re.compile(r"distributed|/clusters?/|coordinator|multihost")


def derive(record: Record, evidence: Evidence, vocabulary: Vocabulary) -> Explanation:
    """The explanation that the evidence alone supports. The same evidence gives the same explanation."""
    guard = read_guard(evidence.condition)
    call = direct_call(evidence)
    callers = callers_guard(guard, call, evidence)
    validation, guard_function = validation_code(callers, call), type_guard(callers)
    catching = try_catch(record, call, guard)
    name = call.name if call else own_name(evidence)
    return Explanation(
        documentation=_documentation(record, evidence, guard, name),
        triggerScenarios=_trigger(evidence, guard, name),
        commonSituations=_situations(evidence),
        solutions=tuple(_solutions(record, evidence, guard, name)),
        handlingStrategy=_strategy(record, validation, guard_function, catching),
        validationCode=validation,
        typeGuard=guard_function,
        tryCatchPattern=catching,
        tags=vocabulary.tags_of(record),
        backgroundTag=vocabulary.article_of(record),
    )


def _documentation(record: Record, evidence: Evidence, guard: Guard, name: str | None) -> str:
    parts = [_statement(record, evidence, guard, name)]
    if meaning := _MEANINGS.get(record.errorClass or ""):
        parts.append(meaning)
    if record.literalLength is None:
        parts.append(f"Its text is not written in the source ({_lower(record.literalUnknownWhy or 'unknown')}).")
    elif not record.errorMessage:
        parts.append("It carries no message.")
    parts += _about_arguments(evidence, guard)
    if said := docstring.summary(evidence.docstring):
        parts.append(f"About {code(_function(evidence, name))} its docstring says: “{said}”")
    return " ".join(parts)


def _statement(record: Record, evidence: Evidence, guard: Guard, name: str | None) -> str:
    error = code(record.errorClass) if record.errorClass else "an error of a class that the source does not tell"
    verb = "fails an assertion" if record.errorType == "assertion" else f"raises {error}"
    where = code(_function(evidence, name)) if evidence.qualname else f"Importing {code(evidence.file_path)}"
    if not guard.clauses:
        when = "whenever control gets to this statement; no condition guards it"
    elif len(said := holds(guard)) <= 4 * LONGEST:
        when = f"when {said}"
    else:
        when = f"when {fault(guard)}"
    return f"{where} {verb} {when}."


def _function(evidence: Evidence, name: str | None) -> str:
    return name or evidence.qualname or evidence.file_path


def _about_arguments(evidence: Evidence, guard: Guard) -> Iterator[str]:
    """The parameters that the guard speaks of, with their documentation."""
    names = _arguments(evidence, guard)
    if names and evidence.qualname:
        plural = len(names) > 1
        listing = listed([code(name) for name in names])
        yield f"The argument{'s' * plural} to look at {'are' if plural else 'is'} {listing}."
    for name in names:
        if said := docstring.parameter(evidence.docstring, name):
            yield f"{code(name)} is documented as: “{said}”"


def _arguments(evidence: Evidence, guard: Guard) -> list[str]:
    """The parameters that the check next to the raise speaks of."""
    spoken = {name for clause in guard.fault for name in _NAME.findall(clause.text)} - {"self", "cls"}
    return [name for name in (p.lstrip("*") for p in evidence.parameters) if name in spoken]


def _trigger(evidence: Evidence, guard: Guard, name: str | None) -> str | None:
    parts = []
    names = [code(one) for one in evidence.public_api[:NAMED]]
    when = fault(guard) if guard.clauses else None
    if name:
        parts.append(f"Calling {code(name)}{f' so that {when}' if when else ''}.")
    elif names:
        reached = f"Calling {listed(names, 'or')}, which {'lead' if len(names) > 1 else 'leads'} to"
        parts.append(f"{reached} {code(evidence.qualname or evidence.file_path)}{f', where {when}' if when else ''}.")
    elif when and evidence.qualname:
        parts.append(f"A call of {code(evidence.qualname)} in {code(evidence.file_path)} where {when}.")
    if parts and guard.passed:
        parts.append(
            f"{_number(guard.passed)} of the function {'has' if guard.passed == 1 else 'have'} passed by then."
        )
    test = _test(evidence)
    return "\n\n".join(filter(None, [" ".join(parts), test])) or None


def _number(count: int) -> str:
    return "An earlier check" if count == 1 else f"{count} earlier checks"


def _test(evidence: Evidence) -> str | None:
    """The shortest test that provokes the error, as it stands in the repository."""
    tests = [test for test in evidence.tests if test.code.strip() and test.code.count("\n") < TEST_LINES]
    if not tests:
        return None
    test = min(tests, key=lambda one: (one.code.count("\n"), len(one.code)))
    shown = f"```python\n{test.code.rstrip()}\n```"
    return f"The repository's test {code(test.qualname)} ({test.path}) provokes it:\n\n{shown}"


def _situations(evidence: Evidence) -> str | None:
    """What the name of the enclosing function says of when it runs."""
    if not evidence.qualname or not evidence.file_path.startswith("jax/"):
        return None
    names = [part for part in evidence.qualname.split(".") if part != "<locals>"]
    for pattern, situation in _RULES:
        if any(name.startswith("_") or len(names) > 1 or "rule" in name for name in names) and any(
            pattern.search(name.lower()) for name in names
        ):
            return f"It comes up when {situation.format(checks=_CHECKS)}."
    return None


def _solutions(record: Record, evidence: Evidence, guard: Guard, name: str | None) -> Iterator[str]:
    for sentence in advice(evidence.messages):
        yield f"The message advises: “{sentence}”"
    for sentence in demands(evidence.messages):
        yield f"Meet what the message says: “{sentence}”"
    nearest = name or next(iter(evidence.public_api), None)
    if nearest and record.errorType != "assertion" and _arguments(evidence, guard):
        wanted = fails(guard.fault)
        if wanted and len(wanted) <= LONGEST:
            inside = "" if name else f", in {code(evidence.qualname or evidence.file_path)},"
            yield f"Call {code(nearest)} so that{inside} {wanted}."
    if record.docsUrl:
        yield f"Read {record.docsUrl}, which the message points to."


def _strategy(record: Record, validation: str | None, guard: str | None, catching: str | None) -> Strategy | None:
    if guard:
        return "type-guard"
    if validation:
        return "validation"
    if _SETTING.search(f"{record.condition or ''} {record.errorMessage}"):
        return "configuration"
    if record.errorClass == "NotImplementedError":
        return "fallback"
    if record.errorClass in {"RuntimeError", "TimeoutError", "ConnectionError"} and _ELSEWHERE.search(record.filePath):
        return "retry"
    return "try-catch" if catching else None


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]

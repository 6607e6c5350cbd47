"""All checks on one explanation."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipeline.errors import DatasetError
from pipeline.explain.checks import prose
from pipeline.explain.checks.code import Program, doubt, programs, syntax, undefined, what_runs
from pipeline.explain.checks.finding import Finding
from pipeline.explain.checks.names import PublicNames
from pipeline.explain.checks.uses import check_code, check_prose, uses
from pipeline.explain.explanation import PROSE_FIELDS, Explanation, read_explanation, texts
from pipeline.explain.vocabulary import FEWEST, MOST, Vocabulary

if TYPE_CHECKING:
    from pipeline.evidence.pack import Evidence

LISTED: Final = 20  # public names; where there are as many, there may be more
_PIECE: Final = 16  # characters of a message that nobody writes by chance


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """What an explanation is checked against.

    own_words: texts that it must not repeat. proven: its example was executed, and raises this error.
    """

    evidence: "Evidence"
    vocabulary: Vocabulary
    names: PublicNames
    own_words: tuple[str, ...] = ()
    proven: bool = False


def judge_text(text: str, case: Case) -> tuple[Explanation | None, tuple[Finding, ...]]:
    """The explanation in a model's answer, and all that is wrong with it; None where it is none."""
    try:
        explanation = read_explanation(text)
    except DatasetError as error:
        return None, (Finding(check="schema", field=None, detail=str(error)),)
    return explanation, judge(explanation, case)


def judge(explanation: Explanation, case: Case) -> tuple[Finding, ...]:
    """Everything that is wrong or doubtful."""
    known = prose.evidence_text(case.evidence)
    parsed, findings = programs(explanation)
    found = [*_schema(explanation, case.vocabulary), *findings]
    for program in parsed:
        found += [
            *syntax(program),
            *check_code(program, case.names),
            *prose.settings_in_code(program, known, case.names),
        ]
    for field, text in texts(explanation, PROSE_FIELDS):
        found += check_prose(field, text, case.names)
    found += prose.misnamed(explanation, known)
    found += prose.inventions(explanation, known, case.names)
    found += _example([program for program in parsed if program.field == "exampleFix"], case)
    found += _raises_itself([program for program in parsed if program.field == "validationCode"], case.evidence)
    found += prose.copied(explanation, case.own_words, known)
    found += prose.subject(explanation, case.evidence)
    return tuple(dict.fromkeys(found))


def _schema(explanation: Explanation, vocabulary: Vocabulary) -> Iterator[Finding]:
    unknown = [tag for tag in explanation.tags if tag not in vocabulary.tags]
    if unknown:
        yield Finding(check="schema", field="tags", detail=f"not in the vocabulary: {', '.join(unknown)}")
    if not FEWEST <= len(set(explanation.tags)) <= MOST:
        yield Finding(
            check="schema", field="tags", detail=f"{len(set(explanation.tags))} tags; {FEWEST} to {MOST} are wanted"
        )
    if explanation.backgroundTag and explanation.backgroundTag not in vocabulary.articles:
        yield Finding(check="schema", field="backgroundTag", detail=f"there is no article {explanation.backgroundTag}")
    if explanation.documentation is None:
        yield Finding(check="schema", field="documentation", detail="it is missing")
    for field, text in texts(explanation, PROSE_FIELDS):
        if not text.strip():
            yield Finding(check="schema", field=field, detail="it is blank")


def _example(parts: list[Program], case: Case) -> Iterator[Finding]:
    """Whether the example changes something that runs, and is about this error."""
    yield from undefined(parts)
    if len(parts) != 2:
        return
    before, after = parts
    if what_runs(before.tree) == what_runs(after.tree):
        yield Finding(check="example", field="exampleFix", detail="before and after do the same")
    for part in parts:
        yield from _calls_it(part, case)


def _calls_it(part: Program, case: Case) -> Iterator[Finding]:
    """Whether the code calls something public that reaches the raise. The evidence lists only the nearest names."""
    public = {name.rpartition(".")[2] for name in case.evidence.public_api}
    used = [use.dotted for use in uses(part.tree, case.names.roots)]
    attributes = {node.attr for node in ast.walk(part.tree) if isinstance(node, ast.Attribute)}
    if public & ({name.rpartition(".")[2] for name in used} | attributes):
        return
    nearest = ", ".join(sorted(public)[:3]) or "a name of the library"
    if case.proven or not case.names.roots or len(case.evidence.public_api) >= LISTED or (used and not public):
        yield doubt("example", "exampleFix", f"whether what the {part.part} part calls reaches the raise is not known")
    else:
        detail = f"the {part.part} part calls nothing public that reaches the raise, such as {nearest}"
        yield Finding(check="example", field="exampleFix", detail=detail)


def _raises_itself(parts: list[Program], evidence: "Evidence") -> Iterator[Finding]:
    """Validation code that repeats the library's own raise."""
    pieces = [piece for message in evidence.messages for piece in re.split(r"\{[^{}]*\}", message)]
    pieces = [" ".join(piece.split()) for piece in pieces if len(piece.strip()) >= _PIECE]
    for program in parts:
        for node in ast.walk(program.tree):
            if not isinstance(node, ast.Raise) or node.exc is None:
                continue
            said = "".join(n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))
            name = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            own = ast.unparse(name).rpartition(".")[2] == evidence.error_class
            if (own and any(piece in " ".join(said.split()) for piece in pieces)) or (
                own and not pieces and ast.unparse(node) in evidence.source
            ):
                yield Finding(check="raise", field=program.field, detail="it repeats the raise of the library")

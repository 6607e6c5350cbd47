"""What the commands on explanations do, and the lines they say."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pipeline import resources
from pipeline.errors import WriterError
from pipeline.explain.budget import NOTHING, Cost
from pipeline.explain.explanation import CODE_FIELDS, explanation_of
from pipeline.explain.plan import Plan
from pipeline.explain.reviewed import SECTIONS
from pipeline.explain.write import Estimate, Written
from pipeline.manifest import Run, Tokens
from pipeline.record import Check, Record

HOW_TO = "explanations are derived from the source; to have a model write them, set OPENAI_API_KEY or OPENAI_BASE_URL"


def with_writing(run: Run, plan: Plan, written: Written, earlier: Cost = NOTHING) -> Run:
    """The run with what explaining took. earlier: what runs that were interrupted paid for the same dataset."""
    cost = earlier + written.cost
    return run.model_copy(
        update={
            "writer": plan.writer,
            "model": written.model,
            "promptHash": written.prompt_hash,
            "tokens": Tokens(input=cost.input, output=cost.output),
            "costUsd": round(cost.usd, 6),
        }
    )


def summary(written: Written) -> str:
    """One line on who explained what."""
    total = len(written.records)
    by = ", ".join(f"{name} {number:,}" for name, number in written.by.items()) or "none"
    line = f"explained: {by}; carried over {written.carried:,} of {total:,} ({_share(written.carried, total)})"
    if written.model:
        cost = written.cost
        line += f"; calls {written.calls:,}, tokens {cost.input:,} in and {cost.output:,} out, ${cost.usd:.4f}"
    return line


def _share(part: int, total: int) -> str:
    return f"{100 * part / total:.1f} %" if total else "0 %"


def notes(plan: Plan, written: Written, *, chosen: bool) -> Iterator[str]:
    """What else a user should hear. chosen: whether a writer was asked for."""
    if plan.writer == "derived" and not chosen:
        yield HOW_TO
    for reason, number in written.left.items():
        yield f"{number:,} records were derived, since the model gave no answer: {reason}"
    if written.wanting and not plan.offline:
        yield "run it again to go on; what was answered is kept and costs nothing"
    if written.unmatched:
        yield f"reviewed explanations that matched no record ({len(written.unmatched)}): {', '.join(written.unmatched)}"


def estimate_text(found: Estimate, plan: Plan) -> str:
    """What a run would take, and how that was found out, in three lines."""
    basis = f"corrected by {found.known_answers:,} answers in the store" if found.known_answers else "characters / 3.5"
    known = "" if found.price.known else ", not in the price table: counted as the dearest"
    limits = [
        f"${plan.max_usd:g}" if plan.max_usd is not None else "",
        f"{plan.max_tokens:,} tokens" if plan.max_tokens else "",
    ]
    limit = " and ".join(filter(None, limits))
    return (
        f"records {found.records:,}: reviewed or unchanged {found.settled:,}, answers in the store {found.stored:,}, "
        f"calls needed {found.calls:,}\n"
        f"about {found.input:,} tokens in and {found.output:,} out ({basis})\n"
        f"about ${found.usd:.2f} with {found.model} at prices of {found.price.date}{known}; "
        + (f"limit {limit}" if limit else "no limit")
    )


# explanations new, todo


def new_file(record: Record) -> Path:
    """A file for a reviewed explanation, begun from a record. WriterError where there is one by that name."""
    import yaml

    path = resources.path("explanations") / f"{record.slug or record.id}.md"
    front = {
        "errorClass": record.errorClass,
        "repo": record.repo,
        "texts": [variant.errorMessage for variant in record.messageVariants if variant.errorMessage],
        "filePath": record.filePath,
        "qualname": record.qualname,
        "handlingStrategy": record.handlingStrategy,
        "tags": list(record.tags),
        "backgroundTag": record.backgroundTag,
    }
    kept = {key: value for key, value in front.items() if value is not None}
    text = yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=10_000)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(f"---\n{text}---\n{''.join(_sections(record))}")
    except FileExistsError:
        raise WriterError(f"{path} is there already", hint="Edit it") from None
    except OSError as error:
        raise WriterError(f"cannot write {path}: {error.strerror}", hint="Run errcat from a checkout") from None
    return path


def _sections(record: Record) -> Iterator[str]:
    explanation = explanation_of(record)
    for heading, field in SECTIONS.items():
        value = getattr(explanation, field)
        if not value and field != "documentation":
            continue
        if field == "solutions":
            value = "\n".join(f"{number}. {text}" for number, text in enumerate(value, 1))
        elif field == "preventionTips":
            value = "\n".join(f"- {text}" for text in value)
        elif field in CODE_FIELDS:
            value = f"```python\n{value}\n```"
        yield f"## {heading}\n{value or ''}\n\n"


def todo(records: Sequence[Record]) -> list[tuple[int, Record, str]]:
    """Records that nobody has reviewed and no model has explained well: (weight, record, why), heaviest first.

    Weight: how many public names lead there, tests, and whether the class is the library's own.
    """
    listed = [(_weight(record), record, why) for record in records if (why := _lacking(record))]
    return sorted(listed, key=lambda row: (-row[0], row[1].filePath, row[1].lineNumber, row[1].id))


def _lacking(record: Record) -> str | None:
    by = record.explainedBy
    if by is None:
        return "not explained"
    failed = [check.name for check in by.checks if check.verdict == "failed"]
    if failed:
        return f"failed {', '.join(failed)}"
    return "only derived" if by.writer == "derived" else None


def _weight(record: Record) -> int:
    own = 10 if record.errorClassPublic and not record.errorClassPublic.startswith("builtins.") else 0
    return len(record.publicApi) + 5 * len(record.tests) + own - (20 if record.errorType == "assertion" else 0)


def verdicts(checked: Mapping[str, Sequence[Check]]) -> Iterator[tuple[str, str]]:
    """(verdict, line) of every check of a reviewed explanation that did not pass."""
    for name, checks in sorted(checked.items()):
        for check in checks:
            if check.verdict != "passed":
                yield check.verdict, f"{name}: {check.verdict}: {check.name}: {check.detail}"

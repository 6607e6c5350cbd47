"""The dataset's card: what is in the folder, how it was made, and what its limits are."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pipeline.manifest import History, Manifest
from pipeline.record import Record, json_schema

Writer = Literal["reviewed", "openai", "local", "derived"]

CARD = """\
# Errors of {repo} {at}

{about} {records} records,
found by reading the source, not by running it. Made by errcat {tool} on {published}.
{partial}
| file | what it is |
|---|---|
| `records.jsonl` | a record a line, UTF-8, sorted by filePath, lineNumber, errorClass and id |
| `records.parquet` | the same rows as a table |
| `record.schema.json` | JSON Schema of a record |
| `tombstones.jsonl` | errors that are gone: the last form of each, so that no id is ever given to another error |
| `samples.jsonl` | up to 300 messages as the errors would print them, with the ids of their records |
| `manifest.json` | where the data comes from, what was covered, how long it took, SHA-256 of `records.jsonl` |
| `datapackage.json` | the same as a Frictionless Data Package: fields, sizes and hashes, for other tools |{more}

## How it was made

The source of `{repo}` was read at {source}. Each text was followed through the source (constants,
helpers, constructors, callers) and became a pattern with a hole for every value filled in at run time. Explanations:
{explained}. Those of a model were checked against the source; `explainedBy` says for each record who wrote it, from
what evidence, and how the checks went. Ids are carried from dataset to dataset: an error that moves or is reworded
keeps its id.

## Figures

| what | number |
|---|---|
{figures}

Every `raise` statement is a record, a re-raise, or an exclusion that `manifest.json` names with its reason.

## Known limits

- A text that is put together far from its raise is a hole (`{{expression}}`) where the source does not tell more:
  {unknown} records have no known text at all (`literalLength` null, with the reason in `literalUnknownWhy`).
- A pattern can match more than the error prints: what a hole holds is not checked.
- A derived explanation says what the source says and nothing more. Of {failed} records the explanation failed a check,
  so that a field gave way to the derived one.
- Errors raised by compiled code, or by other packages, are not in the source and so are not here.
- Null and empty lists mean "not known", never "there is none".

## Fields

| field | meaning |
|---|---|
{fields}

## Licence

The data made by errcat is under the Apache License 2.0. `sourceCode`, `errorMessage`, `messagePattern` and the other
excerpts of the mined source keep the licence of `{repo}`.
"""


_ABOUT: Final = "Every error that the source of `{}` raises at this revision: where, when, and with what text."
_ABOUT_HISTORY: Final = """\
Every error that the source of `{}` raised at any of {} revisions: each once, in its newest form, with the
revisions it was introduced and last seen in, and all the texts it had (`introducedIn`, `lastSeenIn`, `texts`)."""
_MORE_OF_HISTORY: Final = """
| `history.parquet` | errors by revision and class: total, added, removed, reworded |
| `history.svg` | the same as a plot |"""


_WRITERS: Final[Mapping[Writer, str]] = {
    "reviewed": "reviewed by maintainers",
    "openai": "by a model",
    "local": "by a local model",
    "derived": "derived from the source",
}


def readme(manifest: Manifest, records: Sequence[Record] = (), tombstones: Sequence[Record] = ()) -> str:
    """README.md of a dataset, in Markdown."""
    history = manifest.history
    return CARD.format(
        repo=manifest.repo,
        at=_range(history) if history else f"at {manifest.revision}",
        about=_ABOUT_HISTORY.format(manifest.repo, len(history.revisions)) if history else _ABOUT.format(manifest.repo),
        more=_MORE_OF_HISTORY if history else "",
        records=f"{manifest.counts.records:,}",
        unknown=f"{manifest.counts.unknownTexts:,}",
        tool=manifest.toolVersion,
        published=manifest.datasetVersion,
        partial=_partial(manifest) + _gaps(history),
        source=_source(manifest),
        explained=_explained(records),
        failed=f"{sum(map(_has_failed, records)):,}",
        figures="\n".join(f"| {what} | {number:,} |" for what, number in _figures(manifest, len(tombstones))),
        fields="\n".join(_fields()),
    )


def _partial(manifest: Manifest) -> str:
    if not manifest.selection:
        return ""
    given = (f"`--{name} {value}`" for name, value in manifest.selection if value is not None)
    return f"\n**Not complete**: made with {' and '.join(given)}.\n"


def _source(manifest: Manifest) -> str:
    if manifest.history:
        return "each of these revisions"
    return f"commit `{manifest.analyzedSha}`" if manifest.analyzedSha else f"`{manifest.revision}`"


def _range(history: History) -> str:
    return f"from {history.revisions[0].name} to {history.revisions[-1].name}"


def _gaps(history: History | None) -> str:
    if not history or not history.gaps:
        return ""
    rows = "\n".join(f"- {gap.name}: {gap.reason}" for gap in history.gaps)
    return f"\n**Not complete**: these revisions could not be had.\n\n{rows}\n"


def _explained(records: Sequence[Record]) -> str:
    by = Counter(record.explainedBy.writer for record in records if record.explainedBy)
    return ", ".join(f"{_WRITERS[writer]} {by[writer]:,}" for writer in _WRITERS if by[writer]) or "none"


def _has_failed(record: Record) -> bool:
    return record.explainedBy is not None and any(check.verdict == "failed" for check in record.explainedBy.checks)


def _figures(manifest: Manifest, gone: int) -> list[tuple[str, int]]:
    counts, coverage = manifest.counts, manifest.coverage
    return [
        ("files read", coverage.files),
        ("raise statements", coverage.raiseStatements),
        ("of these re-raises", coverage.reRaises),
        ("asserts with a message", coverage.assertsWithMessage),
        ("named exclusions", len(coverage.excluded)),
        ("files left out or damaged", len(coverage.skippedFiles) + len(coverage.damagedFiles)),
        ("records", counts.records),
        ("error classes", counts.errorClasses),
        ("texts, with all variants", counts.variants),
        ("errors that are gone, kept as tombstones", gone),
    ]


def _fields() -> list[str]:
    properties = json_schema()["properties"]
    return [f"| {name} | {field['description'].replace('|', '/')} |" for name, field in properties.items()]

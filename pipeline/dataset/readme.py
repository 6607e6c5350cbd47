"""The dataset's card: what is in the folder, where it comes from, and what its limits are."""

from pipeline.manifest import Manifest
from pipeline.record import json_schema

CARD = """\
# Errors of {repo} at {revision}

Every error that the source of `{repo}` raises at this revision: where, when, and with what text. {records} records,
found by reading the source, not by running it. Made by errcat {tool} on {published}.
{partial}
| file | what it is |
|---|---|
| `records.jsonl` | a record a line, UTF-8, sorted by filePath, lineNumber, errorClass and id |
| `records.parquet` | the same rows as a table |
| `record.schema.json` | JSON Schema of a record |
| `manifest.json` | where the data comes from, what was covered, how long it took, SHA-256 of `records.jsonl` |

## Figures

| what | number |
|---|---|
{figures}

Every `raise` statement is a record, a re-raise, or an exclusion that `manifest.json` names with its reason.

## Known limits

- A text that is put together far from its raise is a hole (`{{expression}}`) where the source does not tell more:
  {unknown} records have no known text at all (`literalLength` null, with the reason in `literalUnknownWhy`).
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


def readme(manifest: Manifest) -> str:
    """README.md of a dataset, in Markdown."""
    return CARD.format(
        repo=manifest.repo,
        revision=manifest.revision,
        records=f"{manifest.counts.records:,}",
        unknown=f"{manifest.counts.unknownTexts:,}",
        tool=manifest.toolVersion,
        published=manifest.datasetVersion,
        partial=_partial(manifest),
        figures="\n".join(f"| {what} | {number:,} |" for what, number in _figures(manifest)),
        fields="\n".join(_fields()),
    )


def _partial(manifest: Manifest) -> str:
    if not manifest.selection:
        return ""
    given = (f"`--{name} {value}`" for name, value in manifest.selection if value is not None)
    return f"\n**Not complete**: made with {' and '.join(given)}.\n"


def _figures(manifest: Manifest) -> list[tuple[str, int]]:
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
    ]


def _fields() -> list[str]:
    properties = json_schema()["properties"]
    return [f"| {name} | {field['description'].replace('|', '/')} |" for name, field in properties.items()]

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.dataset.validation import validate


def edited(change: Callable[[list[dict[str, Any]]], object]) -> Callable[[Path], None]:
    """A damage done to the records, with the manifest's hash set right again."""

    def damage(folder: Path) -> None:
        records = [json.loads(line) for line in (folder / "records.jsonl").read_bytes().splitlines()]
        change(records)
        data = "".join(json.dumps(record) + "\n" for record in records).encode()
        (folder / "records.jsonl").write_bytes(data)
        stated(recordsSha256=hashlib.sha256(data).hexdigest())(folder)

    return damage


def stated(**fields: Any) -> Callable[[Path], None]:
    """A manifest that says something else."""

    def damage(folder: Path) -> None:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        for name, value in fields.items():
            manifest[name] = {**manifest[name], **value} if isinstance(value, dict) else value
        (folder / "manifest.json").write_text(json.dumps(manifest))

    return damage


def pattern(text: str) -> Callable[[Path], None]:
    return edited(lambda records: records[0].update(messagePattern=text))


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (
            lambda folder: (folder / "records.jsonl").write_bytes(b""),
            "manifest.json: recordsSha256: is not the SHA-256",
        ),
        (
            lambda folder: (folder / "record.schema.json").unlink(),
            "record.schema.json: is not the schema of this version",
        ),
        (lambda folder: (folder / "records.parquet").unlink(), "records.parquet: cannot be read"),
        (lambda folder: (folder / "records.parquet").write_bytes(b"PAR1"), "records.parquet: cannot be read"),
        (lambda folder: (folder / "records.jsonl").write_bytes(b"{\n"), "records.jsonl:1: is not JSON"),
        (lambda folder: (folder / "records.jsonl").write_bytes(b"\xff\n"), "records.jsonl:1: is not JSON"),
        (edited(lambda records: records[1].pop("slug")), "records.jsonl:2: $: 'slug' is a required property"),
        (edited(lambda records: records[0].update(tags=None)), "records.jsonl:1: tags: None is not of type 'array'"),
        (edited(lambda records: records[0].update(title="")), "records.jsonl:1: title: '' is not valid under any"),
        (edited(lambda records: records[0].update(schemaVersion=4)), "records.jsonl:1: schemaVersion: 3 was expected"),
        (edited(lambda records: records[0].update(title="\udc80")), "records.jsonl:1: not a valid record"),
        (
            edited(lambda records: records[0].update(repo="c/d")),
            "records.jsonl:1: repo: c/d here, local/pkg in manifest",
        ),
        (
            edited(lambda records: records[0].update(fingerprint="0" * 16)),
            "records.jsonl:1: fingerprint: is not that of",
        ),
        (edited(lambda records: records[0].update(lineNumber=3)), "records.jsonl:1: lineNumber: is outside of the exc"),
        (edited(lambda records: records[0].update(placeholders=[])), "records.jsonl:1: placeholders: 0 for 1 capture"),
        (pattern("("), "records.jsonl:1: messagePattern: does not compile in re: missing ), unterminated"),
        (pattern("(?=a)(b)"), "records.jsonl:1: messagePattern: does not compile in RE2: invalid perl operator: (?="),
        (pattern(r"(a)\1"), "records.jsonl:1: messagePattern: does not compile in RE2: invalid escape sequence"),
        (
            edited(lambda records: records[0]["messageVariants"][0].update(messagePattern="*")),
            "records.jsonl:1: messageVariants[0].messagePattern: does not compile in re: nothing to repeat",
        ),
        (edited(lambda records: records.reverse()), "records.jsonl:2: is out of order"),
        (edited(lambda records: records[1].update(id=records[0]["id"])), "records.jsonl:2: id: "),
        (edited(lambda records: records[1].update(aliases=[records[0]["id"]])), "records.jsonl:2: aliases: "),
        (edited(lambda records: records.pop()), "manifest.json: counts.records: 3 stated, 2 found"),
        (edited(lambda records: records.pop()), "records.parquet: has other rows than records.jsonl"),
        (stated(counts={"variants": 7}), "manifest.json: counts.variants: 7 stated, 3 found"),
        (stated(coverage={"reRaises": 7}), "manifest.json: coverage: coverage ledger: 3 raise statements found, 10"),
    ],
)
def test_damage_is_found(written: Path, damage: Callable[[Path], None], expected: str) -> None:
    assert validate(written) == []
    damage(written)
    assert any(str(problem).startswith(expected) for problem in validate(written)), validate(written)


def test_newer_minor_version_is_valid(written: Path) -> None:
    edited(lambda records: records[0].update(fieldOfTheFuture=1))(written)
    assert validate(written) == []


def test_jax_dataset_is_valid(jax_dataset: Path) -> None:
    assert validate(jax_dataset) == []

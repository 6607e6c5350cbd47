import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import make_record
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from pipeline import record as records
from pipeline.errors import DatasetError
from pipeline.record import (
    Record,
    fingerprint,
    first_id,
    github_url,
    json_schema,
    printable,
    read_record,
    slug,
    title,
    to_version_2,
)

KERNEL = (
    "The kernel function in the pallas_call {debug_info.func_src_info} captures constants [{pp_consts_avals}]. "
    "You should pass them as inputs."
)
INDEX_MAP = (
    "Index map function {debug_info.func_src_info} for {origin} must not capture constants: {closed_jaxpr.consts}"
)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (KERNEL, "the-kernel-function-in-the-pallas-call-debug-info"),
        ("pallas_call does not support hijax for index_map", "pallas-call-does-not-support-hijax-for-index-map"),
        ("  Cannot *do* this!\n", "cannot-do-this"),
        ("{e}", "e"),
        ("", None),
        ("…—«»", None),
        ("naïve İstanbul", "na-ve-stanbul"),
        ("x" * 49 + " y", "x" * 49),
        ("x" * 48 + " y", "x" * 48 + "-y"),
        ("x" * 50, "x" * 50),
        ("x" * 51, "x" * 50),
    ],
)
def test_slug(message: str, expected: str | None) -> None:
    assert slug(message) == expected


@given(st.text())
def test_a_slug_is_made_of_the_first_words(message: str) -> None:
    words = re.findall("[a-z0-9]+", "".join(c.lower() if c.isascii() else c for c in message))
    found = slug(message)
    if found is None:
        assert not words
    else:
        assert len(found) <= 50
        assert found.split("-") == words[: found.count("-") + 1] or found == words[0][:50]


def test_title_is_the_first_60_characters() -> None:
    assert title(INDEX_MAP) == "Index map function {debug_info.func_src_info} for {origin} m"
    assert title("short") == "short"
    assert title("") is None


def test_fingerprint_hashes_class_nul_pattern() -> None:
    assert fingerprint("ValueError", "bad (.+?)") == hashlib.sha256(b"ValueError\0bad (.+?)").hexdigest()[:16]
    assert fingerprint(None, "é") == hashlib.sha256("\0é".encode()).hexdigest()[:16]


def test_first_id_depends_on_each_part_and_on_nothing_else() -> None:
    parts: dict[str, Any] = {
        "repo": "o/n",
        "file_path": "a.py",
        "qualname": "f",
        "error_class": "E",
        "template": "t",
        "ordinal": 0,
    }
    changed: dict[str, Any] = {
        "repo": "o/m",
        "file_path": "b.py",
        "qualname": None,
        "error_class": None,
        "template": "",
        "ordinal": 1,
    }
    ids = {first_id(**parts), *(first_id(**{**parts, name: value}) for name, value in changed.items())}
    assert len(ids) == 7
    assert all(re.fullmatch("[0-9a-f]{16}", found) for found in ids)
    assert first_id(**parts) == first_id(**parts)


def test_github_url() -> None:
    assert github_url("o/n", "v1.0", "a b/#c.py", 3, 39) == "https://github.com/o/n/blob/v1.0/a%20b/%23c.py#L3-L39"


def test_reference_record_comes_back_as_it_was(shared: Callable[[str], Path]) -> None:
    reference = json.loads(shared("reference/001_6fda8dcb3586b217.txt").read_text())["record"]
    record = make_record(**{name: value for name, value in reference.items() if name != "schemaVersion"})
    assert list(to_version_2(record).items()) == list(reference.items())
    assert record.slug == slug(record.errorMessage)
    assert record.githubUrl == github_url(
        record.repo, reference["analyzedSha"], record.filePath, record.sourceCodeStart, record.sourceCodeEnd
    )


def test_schema_is_one_and_describes_every_field() -> None:
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    assert list(schema["properties"]) == list(Record.model_fields)
    assert schema["required"] == list(Record.model_fields)
    assert all(field["description"] for field in schema["properties"].values())
    assert Draft202012Validator(schema).is_valid(json.loads(make_record().model_dump_json()))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "not hex"),
        ("slug", ""),
        ("documentation", ""),
        ("solutions", None),
        ("solutions", [""]),
        ("placeholders", None),
        ("tags", "jax"),
        ("messageVariants", []),
        ("errorType", "warning"),
        ("handlingStrategy", "prayer"),
        ("lineNumber", 0),
        ("literalLength", -1),
        ("analyzedAt", "2026-08-27"),
        ("analyzedSha", "1e1c6a8fc0"),
        ("schemaVersion", 2),
        ("explainedBy", {"writer": "nobody"}),
    ],
)
def test_record_and_schema_refuse_the_same_values(field: str, value: object) -> None:
    data = json.loads(make_record().model_dump_json()) | {field: value}
    with pytest.raises(ValidationError, match=field):
        Record(**data)
    assert not Draft202012Validator(json_schema()).is_valid(data)


def test_empty_message_is_a_message() -> None:
    assert make_record("", "").errorMessage == ""


def test_lone_surrogates_cannot_be_written() -> None:
    with pytest.raises(ValidationError):
        make_record("\udc80")
    assert make_record(printable("\udc80")).errorMessage == "\\udc80"


def test_misspelt_field_is_refused_when_written_and_passed_over_when_read() -> None:
    with pytest.raises(ValidationError, match="newField"):
        make_record(newField=1)
    data = json.loads(make_record().model_dump_json())
    data["newField"] = data["messageVariants"][0]["newField"] = 1
    assert read_record(json.dumps(data)) == make_record()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"schemaVersion": 4, "id": 7}', "a record of schemaVersion 4, but this errcat reads up to 3. Update errcat"),
        ("{}", "not a valid record: id: Field required"),
        ("[1]", "not a valid record: record: Input should be an object"),
        ("{", "not a valid record: record: Invalid JSON: EOF while parsing an object at line 1 column 1"),
        (b"\xff", "not a valid record: record: Invalid JSON: invalid unicode code point at line 1 column 1"),
    ],
)
def test_what_is_no_record_is_said_to_be_none(line: str | bytes, expected: str) -> None:
    with pytest.raises(DatasetError) as caught:
        read_record(line)
    assert str(caught.value).startswith(expected[:40])
    assert str(caught.value) == expected or "Invalid JSON" in expected


def test_version_2_ends_where_the_reference_ends() -> None:
    assert records.VERSION_2_FIELDS[-1] == "schemaVersion"
    assert len(records.VERSION_2_FIELDS) == 31

from typing import Any

import pytest
from conftest import make_record, make_run, three_records

from pipeline.errors import DatasetError, LedgerError
from pipeline.manifest import Coverage, Exclusion, count, read_manifest

ADDS_UP: dict[str, Any] = {
    "files": 3,
    "raiseStatements": 10,
    "bareRaises": 1,
    "assertsWithMessage": 4,
    "recordedRaises": 7,
    "recordedAsserts": 3,
    "reRaises": 2,
    "excluded": [
        Exclusion(statement="raise", path="a.py", line=1, reason="damaged"),
        Exclusion(statement="assert", path="a.py", line=2, reason="damaged"),
    ],
}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"raiseStatements": 11}, "coverage ledger: 11 raise statements found, 10 accounted for"),
        ({"recordedRaises": 6}, "coverage ledger: 10 raise statements found, 9 accounted for"),
        ({"reRaises": 3}, "coverage ledger: 10 raise statements found, 11 accounted for"),
        ({"recordedAsserts": 4}, "coverage ledger: 4 asserts with a message found, 5 accounted for"),
        ({"excluded": ADDS_UP["excluded"][:1]}, "coverage ledger: 4 asserts with a message found, 3 accounted for"),
        ({"bareRaises": 3}, "coverage ledger: 3 bare raises, but 2 re-raises"),
    ],
)
def test_ledger_that_does_not_add_up(changes: dict[str, Any], expected: str) -> None:
    Coverage(**ADDS_UP).check()
    with pytest.raises(LedgerError) as caught:
        Coverage(**{**ADDS_UP, **changes}).check()
    assert str(caught.value) == expected


def test_counts() -> None:
    unknown = make_record(literalLength=None, literalUnknownWhy="str(e)", errorType="assertion")
    assert count([*three_records(), unknown]).model_dump() == {
        "records": 4,
        "exceptions": 3,
        "assertions": 1,
        "files": 3,
        "errorClasses": 2,
        "variants": 4,
        "unknownTexts": 1,
        "emptyTexts": 1,
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"schemaVersion": 4}', "a manifest of schemaVersion 4, but this errcat reads up to 3. Update errcat"),
        ('{"schemaVersion": 3}', "not a valid manifest: datasetVersion: Field required"),
        ("", "not a valid manifest: manifest: Invalid JSON: EOF while parsing a value at line 1 column 0"),
    ],
)
def test_what_is_no_manifest_is_said_to_be_none(text: str, expected: str) -> None:
    with pytest.raises(DatasetError) as caught:
        read_manifest(text)
    assert str(caught.value) == expected


def test_selection_is_null_for_a_complete_dataset() -> None:
    assert make_run().model_dump()["selection"] is None

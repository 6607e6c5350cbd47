"""Changes that were meant: their names, and the file that holds them."""

import re
from dataclasses import replace
from typing import Any

import pytest
from conftest import make_record

from pipeline.diff.accepted import Accepted, name, read_accepted, written
from pipeline.diff.changes import Change, Kind, compare
from pipeline.errors import ErrcatError
from pipeline.record import MessageVariant, Record

NONE = Accepted(names={})


def changed(new_text: str = "worse {x}", **changes: Any) -> Change:
    """A record that was `bad {x}`, and the one it became."""
    (change,) = compare([make_record()], [record(new_text, **changes)]).changes
    return change


def record(text: str, **changes: Any) -> Record:
    pattern = text.replace("{x}", "(.+?)")
    variants = [MessageVariant(errorMessage=text, messagePattern=pattern)]
    return make_record(text, pattern, messageVariants=variants, **changes)


def test_a_name_is_id_kind_and_hash() -> None:
    found = re.fullmatch("([0-9a-f]{16}) reworded ([0-9a-f]{16})", name(changed()))
    assert found
    assert found[1] == make_record().id


@pytest.mark.parametrize(
    "changes",
    [
        {"lineNumber": 9, "endLineNumber": 9},
        {"sourceCode": "other lines"},
        {"documentation": "It means this."},
        {"publicApi": ["pkg.f"]},
        {"revision": "tree-ba9876543210"},
        {"analyzedAt": "2027-01-01T00:00:00.000Z"},
        {"placeholders": ["y"]},
    ],
)
def test_a_name_stays_when_nothing_that_is_compared_changes(changes: dict[str, Any]) -> None:
    change = changed()
    assert change.old
    assert change.new
    for side in (
        replace(change, old=change.old.model_copy(update=changes)),
        replace(change, new=record("worse {x}", **changes)),
    ):
        assert name(side) == name(change)


@pytest.mark.parametrize(
    "changes",
    [
        {"new_text": "worse, {x}"},
        {"errorClass": "TypeError"},
        {"errorBases": ["Exception", "BaseException"]},
        {"condition": "x is None"},
        {"filePath": "pkg/other.py"},
        {"qualname": "g"},
    ],
)
def test_a_name_changes_with_the_change(changes: dict[str, Any]) -> None:
    assert name(changed(**changes)) != name(changed())


def test_what_was_written_is_accepted() -> None:
    change, other = changed(), changed("quite {x} another")
    text = written(NONE, [change], [change])
    assert text.splitlines()[-1] == f"{name(change)} pkg/core.py ValueError worse {{x}}"
    accepted = read_accepted(text, "accepted")
    assert accepted.holds(change)
    assert not accepted.holds(other)
    assert accepted.stale([change, other]) == ()
    assert accepted.stale([other]) == (text.splitlines()[-1],)


def test_writing_again_changes_nothing() -> None:
    change = changed()
    text = written(NONE, [change], [change])
    assert written(read_accepted(text, "accepted"), [change], []) == text
    assert written(read_accepted(text, "accepted"), [change], [change]) == text


def test_stale_lines_go_and_comments_stay() -> None:
    change, other = changed(), changed("quite {x} another")
    text = f"# Why: see the plan.\n\n{name(change)} a note\n# The other.\n{name(other)}\n"
    kept = written(read_accepted(text, "accepted"), [other], [])
    assert kept == f"# Why: see the plan.\n\n# The other.\n{name(other)}\n"


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "0123456789abcdef reworded",
        "0123456789ABCDEF reworded 0123456789abcdef",
        " 0123456789abcdef reworded 0123456789abcdef",
        "0123456789abcdef reworded 0123456789abcdefg",
    ],
)
def test_a_line_that_names_no_change_is_told(line: str) -> None:
    with pytest.raises(ErrcatError, match=r"^errors\.accepted:2 names no change: "):
        read_accepted(f"# Accepted.\n{line}\n", "errors.accepted")


def test_a_note_is_one_line_whatever_the_text() -> None:
    change = changed("two\nlines\x1b[0m {x}\u2028and more")
    text = written(NONE, [change], [change])
    assert read_accepted(text, "accepted").holds(change)
    assert text.count("\n") == 2


def test_added_and_removed_are_named_by_what_there_is() -> None:
    (added,) = compare([], [make_record()]).changes
    (removed,) = compare([make_record()], []).changes
    assert [change.kind for change in (added, removed)] == [Kind.ADDED, Kind.REMOVED]
    assert {name(change).split()[0] for change in (added, removed)} == {make_record().id}
    assert name(added) != name(removed)

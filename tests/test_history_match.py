"""errcat match on a history: it knows the texts of old releases, and says what became of them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import make_record, make_run

from pipeline import dataset
from pipeline.dataset.validation import validate
from pipeline.manifest import Gap, History, Revision
from pipeline.match import Index, answer
from pipeline.match.answer import as_json, json_schema
from pipeline.match.choose import choose
from pipeline.match.index import load
from pipeline.match.life import sentence
from pipeline.record import DatedText, Record, fingerprint

RELEASES = ("0.7.0", "0.8.0", "0.8.3", "0.9.0", "0.10.0")


def lived(ident: str, *texts: tuple[str, str, str], **changes: Any) -> Record:
    """A record of a history with these texts: what each says (a hole is `{x}`), and its releases."""
    said = [
        DatedText(
            errorMessage=message,
            messagePattern=message.replace("{x}", "(.+?)"),
            placeholders=("x",) * message.count("{x}"),
            from_=first,
            to=last,
        )
        for message, first, last in texts
    ]
    newest = said[-1]
    return make_record(
        newest.errorMessage,
        newest.messagePattern,
        id=ident * 16,
        repo="jax-ml/jax",
        revision=newest.to,
        placeholders=newest.placeholders,
        fingerprint=fingerprint(changes.get("errorClass", "ValueError"), newest.messagePattern),
        introducedIn=said[0].from_ if said[0].from_ != RELEASES[0] else None,
        lastSeenIn=newest.to,
        texts=said,
        **changes,
    )


SAME = "two errors say {x} in the same words"
BACK = "away and back, {x} says"
RECORDS = [
    lived("a", ("the shape {x} does not fit", "0.7.0", "0.8.0"), ("{x} is no shape for this", "0.8.3", "0.10.0")),
    lived("b", ("nobody needs the argument {x} now", "0.8.0", "0.8.3"), filePath="b.py"),
    lived("c", ("this text has always been the same", "0.7.0", "0.10.0"), filePath="c.py"),
    lived("d", (SAME, "0.7.0", "0.8.3"), filePath="d.py"),
    lived("e", (SAME, "0.9.0", "0.10.0"), filePath="e.py"),
    lived("f", ("first {x} then, as was", "0.7.0", "0.7.0"), ("then {x}, as not", "0.8.0", "0.8.3"), filePath="f.py"),
    lived("1", (BACK, "0.7.0", "0.7.0"), (BACK, "0.9.0", "0.10.0"), filePath="g.py"),
]


def written(out: Path) -> Path:
    history = History(
        revisions=tuple(
            Revision(
                name=name,
                revision=name,
                revisionTime=None,
                analyzedSha=None,
                records=7,
                added=0,
                removed=0,
                reworded=0,
            )
            for name in RELEASES
        ),
        gaps=(Gap(name="0.8.1", reason="damaged"),),
    )
    run = make_run(len(RECORDS), repo="jax-ml/jax", revision="history", history=history)
    return dataset.write(out, RECORDS, run)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("history")
    written(folder)
    load(folder / "jax-ml__jax" / "history", cache=folder / "cache")
    return load(folder / "jax-ml__jax" / "history", cache=folder / "cache")  # as it was kept


def test_the_history_is_a_valid_dataset(tmp_path: Path) -> None:
    assert validate(written(tmp_path)) == []


@pytest.mark.parametrize(
    ("texts", "fault"),
    [
        ([("0.8.3", "0.10.0", "x"), ("0.7.0", "0.8.0", "x")], "do not follow each other"),
        ([("0.7.0", "0.8.0", "x"), ("0.8.0", "0.10.0", "x")], "do not follow each other"),
        ([("0.7.0", "0.8.1", "x")], "0.8.1 is no revision of the history"),
        ([("0.7.0", "0.9.0", "x")], "do not end with lastSeenIn"),
        ([("0.7.0", "0.10.0", "y")], "do not end with the record's text"),
        ([], "do not end with lastSeenIn"),
    ],
)
def test_texts_that_cannot_be_are_found(tmp_path: Path, texts: list[tuple[str, str, str]], fault: str) -> None:
    folder = written(tmp_path)
    manifest = dataset.read(folder).manifest
    said = [DatedText(errorMessage=text, messagePattern=text, from_=first, to=last) for first, last, text in texts]
    record = make_record(
        "x", "x", repo="jax-ml/jax", revision="0.10.0", placeholders=(), lastSeenIn="0.10.0", texts=said
    )
    run = make_run(repo="jax-ml/jax", revision="history", history=manifest.history)
    assert [str(problem) for problem in validate(dataset.write(tmp_path, [record], run))] == [
        f"records.jsonl:1: texts: {fault}"
    ]


def test_texts_are_for_histories_only(tmp_path: Path) -> None:
    said = DatedText(errorMessage="bad {x}", messagePattern="bad (.+?)", placeholders=("x",), from_="1", to="1")
    folder = dataset.write(tmp_path, [make_record(texts=[said])], make_run())
    assert [str(problem) for problem in validate(folder)] == ["records.jsonl:1: texts: are for a history"]


@pytest.mark.parametrize(
    ("said", "ident", "told"),
    [
        (
            *("the shape (3,) does not fit", "a"),
            "since 0.7.0 or earlier; reworded in 0.8.3: now reads “{x} is no shape for this”",
        ),
        ("(3,) is no shape for this", "a", "since 0.7.0 or earlier; in these words since 0.8.3"),
        ("nobody needs the argument q now", "b", "since 0.8.0; gone since 0.9.0"),
        ("this text has always been the same", "c", "since 0.7.0 or earlier"),
        (
            *("first 1 then, as was", "f"),
            "since 0.7.0 or earlier; reworded in 0.8.0: then read “then {x}, as not”; gone since 0.9.0",
        ),
        ("away and back, q says", "1", "since 0.7.0 or earlier"),
    ],
)
def test_a_message_of_any_release_is_found(index: Index, said: str, ident: str, told: str) -> None:
    (match,) = answer(f"ValueError: {said}", index).matches
    assert match.entry.id == ident * 16
    assert match.how == "whole"
    assert match.life is not None
    assert sentence(match.life) == told


def test_the_values_are_those_of_the_text_that_was_found(index: Index) -> None:
    (old,) = answer("ValueError: the shape (3,) does not fit", index).matches
    assert [(hole.expression, hole.text) for hole in old.holes] == [("x", "(3,)")]
    assert old.message == "the shape {x} does not fit"
    line = as_json(answer("ValueError: the shape (3,) does not fit", index), "-")
    jsonschema.validate(line, json_schema())
    assert line["matches"][0]["history"] == {
        "introducedIn": None,
        "lastSeenIn": "0.10.0",
        "from": "0.7.0",
        "to": "0.8.0",
        "rewordedIn": "0.8.3",
        "nowReads": "{x} is no shape for this",
        "goneSince": None,
    }


@pytest.mark.parametrize(("release", "idents"), [("0.8.0", "d"), ("0.10.0", "e"), ("0.1.0", "de"), (None, "de")])
def test_a_release_tells_apart_what_said_the_same(index: Index, release: str | None, idents: str) -> None:
    (match,) = answer("ValueError: two errors say 7 in the same words", index, release=release).matches
    assert {match.entry.id, *match.ambiguous_with} == {ident * 16 for ident in idents}


def test_what_the_release_never_said_is_found_all_the_same(index: Index) -> None:
    (match,) = answer("ValueError: this text has always been the same", index, release="0.8.0").matches
    assert match.entry.id == "c" * 16
    (match,) = answer("ValueError: nobody needs the argument q now", index, release="0.10.0").matches
    assert match.entry.id == "b" * 16


def test_a_history_stands_in_for_a_dataset_of_a_release(tmp_path: Path) -> None:
    folder = written(tmp_path)
    assert choose(tmp_path) == folder
    for revision, day in (("0.9.0", 1), ("0.11.0", 2)):
        moment = f"2026-01-0{day}T00:00:00.000Z"
        run = make_run(repo="jax-ml/jax", revision=revision, datasetVersion=moment)
        dataset.write(tmp_path, [make_record(repo="jax-ml/jax", revision=revision)], run)
    chosen = {release: choose(tmp_path, release).name for release in ("0.8.3", "0.9.0", "0.11.0", "0.1.0")}
    assert chosen == {"0.8.3": "history", "0.9.0": "0.9.0", "0.11.0": "0.11.0", "0.1.0": "0.11.0"}
    assert dataset.find(tmp_path).manifest.revision == "0.11.0"


def test_the_card_says_what_became_of_it(tmp_path: Path) -> None:
    folder = written(tmp_path)
    command = [sys.executable, "-m", "pipeline", "match", "--dataset", str(folder)]
    shown = subprocess.run(
        command,
        input="ValueError: the shape (3,) does not fit",
        env={**os.environ, "ERRCAT_CACHE_DIR": str(tmp_path / "cache"), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert shown.splitlines()[:4] == [
        "ValueError  pkg/core.py:2",
        "  the shape «(3,)» does not fit",
        "",
        "  In releases    since 0.7.0 or earlier; reworded in 0.8.3: now reads “{x} is no shape for this”",
    ]

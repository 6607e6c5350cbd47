import hashlib
import json
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow.parquet
import pytest
from conftest import NOW, make_record, make_run, three_records
from jsonschema import Draft202012Validator

from pipeline import dataset
from pipeline.dataset import staging
from pipeline.dataset.lookup import look_up
from pipeline.dataset.validation import validate
from pipeline.errors import DatasetError, LedgerError
from pipeline.manifest import Selection

FILES = {"records.jsonl", "tombstones.jsonl", "samples.jsonl", "records.parquet", "manifest.json", "record.schema.json"}
FILES |= {"datapackage.json", "README.md"}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_what_is_written_is_read(written: Path) -> None:
    assert names(written) == FILES
    assert written.parts[-2:] == ("local__pkg", "tree-0123456789ab")
    found = dataset.read(written)
    assert list(found.records()) == three_records()
    assert found.manifest.counts.records == 3
    assert found.manifest.recordsSha256 == hashlib.sha256((written / "records.jsonl").read_bytes()).hexdigest()
    assert names(written.parent) == {written.name}


def test_table_has_the_same_rows_and_types(written: Path) -> None:
    rows = [json.loads(line) for line in (written / "records.jsonl").read_bytes().splitlines()]
    table = pyarrow.parquet.read_table(written / "records.parquet")
    assert table.to_pylist() == rows
    assert table.column_names == list(rows[0])
    frame = pd.read_parquet(written / "records.parquet")
    assert list(frame["errorMessage"]) == [row["errorMessage"] for row in rows]


def test_every_nested_field_survives_the_table(tmp_path: Path) -> None:
    record = make_record(
        solutions=["one", "two"],
        tests=[{"filePath": "t.py", "lineNumber": 3, "qualname": "T.test"}],
        explainedBy={"writer": "local", "model": "m", "checks": [{"name": "c", "verdict": "failed", "detail": "why"}]},
        verification={"package": "jax 1", "python": "3.11", "raised": True, "fixed": False, "executedAt": NOW},
        httpStatus=500,
    )
    folder = dataset.write(tmp_path, [record], make_run())
    assert pyarrow.parquet.read_table(folder / "records.parquet").to_pylist() == [json.loads(record.model_dump_json())]
    assert validate(folder) == []


def test_empty_dataset(tmp_path: Path) -> None:
    folder = dataset.write(tmp_path, [], make_run(0))
    assert (folder / "records.jsonl").read_bytes() == b""
    assert pyarrow.parquet.read_table(folder / "records.parquet").num_rows == 0
    assert validate(folder) == []


def test_order_of_records_does_not_change_the_bytes(written: Path, tmp_path: Path) -> None:
    other = dataset.write(tmp_path / "other", three_records()[::-1], make_run(3))
    for name in ("records.jsonl", "records.parquet", "record.schema.json"):
        assert (other / name).read_bytes() == (written / name).read_bytes()


def test_newer_dataset_takes_the_place_of_the_old(written: Path) -> None:
    dataset.write(written.parents[1], three_records()[:1], make_run(1))
    assert dataset.read(written).manifest.counts.records == 1
    assert validate(written) == []
    assert names(written.parent) == {written.name}


def test_partial_dataset_stands_beside_the_complete_one(written: Path) -> None:
    partial = make_run(1, selection=Selection(limit=1), datasetVersion="2027-01-01T00:00:00.000Z")
    folder = dataset.write(written.parents[1], three_records()[:1], partial)
    assert folder.name == f"{written.name}-partial"
    assert "**Not complete**: made with `--limit 1`." in (folder / "README.md").read_text()
    assert [found.path for found in dataset.datasets(written.parents[1])] == [written, folder]


def test_dataset_card_tells_the_figures_and_every_field(written: Path) -> None:
    text = (written / "README.md").read_text()
    assert text.startswith("# Errors of local/pkg at tree-0123456789ab\n")
    assert "| raise statements | 3 |" in text
    assert "keep the licence of `local/pkg`" in text
    schema = json.loads((written / "record.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    assert all(f"| {name} | " in text for name in schema["properties"])


# what must not harm an old dataset


@pytest.fixture
def unharmed(written: Path) -> Iterator[Path]:
    """A dataset that a failing run must leave as it is, without leftovers beside it."""
    before = {path.name: path.read_bytes() for path in written.iterdir()}
    yield written
    assert {path.name: path.read_bytes() for path in written.iterdir()} == before
    assert names(written.parent) == {written.name}


def test_ledger_that_does_not_add_up_publishes_nothing(unharmed: Path) -> None:
    run = make_run(1)
    wrong = run.model_copy(update={"coverage": run.coverage.model_copy(update={"raiseStatements": 2})})
    with pytest.raises(LedgerError, match="2 raise statements found, 1 accounted for"):
        dataset.write(unharmed.parents[1], three_records(), wrong)


def test_no_space(unharmed: Path) -> None:
    """Stands for a full disk wherever the test runs: the process may not write files above 4 KiB."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(DatasetError) as caught:
            dataset.write(unharmed.parents[1], three_records(), make_run(3))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert str(caught.value) == (
        f"cannot write {unharmed}: File too large. What was there is unchanged; make room, or give another --out"
    )


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a file system is not allowed here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_full_disk(small_disk: Path) -> None:
    folder = dataset.write(small_disk, three_records(), make_run(3))
    many = [make_record(f"{i:04} {'x' * 900}", f"{i:04} {'x' * 900}") for i in range(200)]
    with pytest.raises(DatasetError, match="No space left on device"):
        dataset.write(small_disk, many, make_run(200))
    assert list(dataset.read(folder).records()) == three_records()
    assert names(folder.parent) == {folder.name}


def test_read_only_disk(small_disk: Path) -> None:
    folder = dataset.write(small_disk, three_records(), make_run(3))
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(DatasetError, match="Read-only file system"):
        dataset.write(small_disk, three_records(), make_run(3))
    assert validate(folder) == []


@pytest.mark.parametrize(
    ("out", "reason"),
    [("file/out", "Not a directory"), ("/proc/nothing/out", "No such file or directory")],
)
def test_out_that_cannot_be_written(tmp_path: Path, out: str, reason: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DatasetError, match=f"^cannot write {tmp_path / out}.*: {reason}"):
        dataset.write(tmp_path / out, three_records(), make_run(3))


def test_folder_that_is_no_dataset_is_not_thrown_away(written: Path) -> None:
    (written / "manifest.json").unlink()
    with pytest.raises(DatasetError, match=r"is in the way and is no dataset\. Move it, or give another --out"):
        dataset.write(written.parents[1], three_records(), make_run(3))
    assert names(written) == FILES - {"manifest.json"}


KILLED = """
import os, signal, sys
from pathlib import Path
from pipeline.dataset import staging
with staging.replacing(Path(sys.argv[1])) as staged:
    (staged / "half").write_text("half")
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
    signal.pause()
"""


def test_interrupted_run_leaves_nothing(unharmed: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(unharmed), "SIGINT"], check=False, capture_output=True, text=True
    )
    assert ended.stderr.endswith("KeyboardInterrupt\n")


def test_what_a_killed_run_leaves_is_swept_by_the_next(written: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(written), "SIGKILL"], check=False)
    left = names(written.parent) - {written.name}
    assert len(left) == 1
    assert [found.path for found in dataset.datasets(written.parents[1])] == [written]
    dataset.write(written.parents[1], three_records(), make_run(3))
    assert names(written.parent) == {written.name}


def test_two_runs_at_once_do_not_sweep_each_other(tmp_path: Path) -> None:
    target = tmp_path / "set"
    with staging.replacing(target) as one:
        (one / "file").write_text("one")
        with staging.replacing(target) as two:
            (two / "file").write_text("two")
        assert (target / "file").read_text() == "two"
    assert (target / "file").read_text() == "one"
    assert names(tmp_path) == {"set"}


@pytest.mark.parametrize("atomic", [True, False])
def test_there_is_always_a_whole_folder(tmp_path: Path, atomic: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not atomic:  # a file system that cannot exchange; a reader may then find nothing for a moment, but never half
        monkeypatch.setattr(staging, "_exchange", lambda _one, _other: False)
    target, seen, over = tmp_path / "set", set(), threading.Event()
    target.mkdir()
    (target / "first").touch()
    (target / "last").touch()

    def watch() -> None:
        while not over.is_set():
            seen.add((target / "first").exists())
            seen.add((target / "last").exists())

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(50):
        with staging.replacing(target) as staged:
            (staged / "first").touch()
            (staged / "last").touch()
    over.set()
    watcher.join()
    assert True in seen
    assert not (atomic and False in seen)
    assert names(tmp_path) == {"set"}


# reading


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("nowhere", "no dataset at {}: it has no manifest.json. A dataset is the folder that errcat dataset prints"),
        ("file", "no dataset at {}: it has no manifest.json. A dataset is the folder that errcat dataset prints"),
        ("newer", "{}/manifest.json: a manifest of schemaVersion 4, but this errcat reads up to 3. Update errcat"),
        ("broken", "{}/manifest.json: not a valid manifest: datasetVersion: Field required"),
    ],
)
def test_what_is_no_dataset_is_said_to_be_none(tmp_path: Path, path: str, expected: str) -> None:
    (tmp_path / "file").touch()
    for name, text in (("newer", '{"schemaVersion": 4}'), ("broken", '{"schemaVersion": 3}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(text)
    with pytest.raises(DatasetError) as caught:
        dataset.read(tmp_path / path)
    assert str(caught.value) == expected.format(tmp_path / path)


def test_damaged_line_is_named(written: Path) -> None:
    lines = (written / "records.jsonl").read_bytes().splitlines(keepends=True)
    (written / "records.jsonl").write_bytes(lines[0] + lines[1][:100] + b"\n" + lines[2])
    with pytest.raises(DatasetError, match=r"records\.jsonl:2: not a valid record: record: Invalid JSON"):
        list(dataset.read(written).records())


def test_find_the_newest(tmp_path: Path) -> None:
    for repo, revision, when in [
        ("a/b", "1", "2026-02"),
        ("a/b", "2", "2026-03"),
        ("a/b", "3", "2026-01"),
        ("c/d", "1", "2026-01"),
    ]:
        run = make_run(3, repo=repo, revision=revision, datasetVersion=f"{when}-01T00:00:00.000Z")
        dataset.write(tmp_path, three_records(), run)

    def found(*wanted: str | None) -> str:
        return "/".join(dataset.find(tmp_path, *wanted).path.parts[-2:])

    assert found() == "a__b/2"
    assert found("a/b", "3") == "a__b/3"
    assert found("c/d") == "c__d/1"
    assert found(None, "1") == "a__b/1"
    with pytest.raises(DatasetError) as caught:
        dataset.find(tmp_path, "c/d", "2")
    assert str(caught.value) == (f"no dataset of c/d of 2 under {tmp_path}. Make one: errcat dataset --release 0.9.2")


def test_look_up(tmp_path: Path) -> None:
    first = make_record("one {x}", "one (.+?)", aliases=["0123456789abcdef"])
    twins = [make_record("same {x}", "same (.+?)", filePath=path) for path in ("a.py", "b.py")]
    new = dataset.read(dataset.write(tmp_path / "new", [first, *twins], make_run(3)))
    old = dataset.read(dataset.write(tmp_path / "old", [make_record("gone {x}", "gone (.+?)")], make_run(1)))

    def found(name: str) -> str:
        return look_up([new, old], name)[1].errorMessage

    for name in (first.id, first.id[:8], "0123456789abcdef", "01234567", "one-x", "on"):
        assert found(name) == "one {x}"
    assert found("gone-x") == "gone {x}"
    assert found(twins[0].id) == "same {x}"
    with pytest.raises(DatasetError, match=r"^same-x names 2 records of .*a\.py:2.*b\.py:2.*\. Give an id$"):
        found("same-x")
    with pytest.raises(DatasetError, match=r"^no id, alias or slug begins with 'zz' in .*Name another --dataset"):
        found("zz")


def test_table_of_jax_is_its_records(jax_dataset: Path) -> None:
    rows = [json.loads(line) for line in (jax_dataset / "records.jsonl").read_bytes().splitlines()]
    assert pyarrow.parquet.read_table(jax_dataset / "records.parquet").to_pylist() == rows

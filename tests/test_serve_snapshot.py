"""A copy of a dataset is of one dataset, whatever happens to the folder meanwhile."""

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import make_record, make_run

from pipeline import dataset
from pipeline.dataset import staging
from pipeline.errors import DatasetError
from pipeline.serve.snapshot import _copy, mark

SIZES = (1, 400)


@pytest.fixture(scope="module")
def editions(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two datasets: in both, records and tombstones name the time of publication."""
    made = []
    for number, size in enumerate(SIZES):
        moment = f"2026-08-2{number}T00:00:00.000Z"
        records = [make_record(id=f"{n:016x}", analyzedAt=moment) for n in range(size)]
        gone = [make_record(id=f"{n:016x}", analyzedAt=moment) for n in range(1_000, 1_000 + size)]
        run = make_run(size, datasetVersion=moment)
        made.append(dataset.write(tmp_path_factory.mktemp("edition"), records, run, gone))
    return made


def publish(edition: Path, folder: Path) -> None:
    with staging.replacing(folder) as staged:
        shutil.copytree(edition, staged, dirs_exist_ok=True)


@contextmanager
def publishing(editions: list[Path], folder: Path) -> Iterator[None]:
    """One after the other is published, without a pause."""
    stop = threading.Event()

    def work() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            publish(editions[number % len(editions)], folder)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_copy_is_of_one_dataset(editions: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "out"
    publish(editions[0], folder)
    seen = set()
    with publishing(editions, folder):
        for number in range(60):
            copied = _copy(folder, tmp_path / str(number))
            moment = copied.manifest.datasetVersion
            assert {record.analyzedAt for record in (*copied.records(), *copied.tombstones())} == {moment}
            assert len(list(copied.records())) == len(list(copied.tombstones())) == SIZES[int(moment[9])]
            seen.add(moment)
    assert len(seen) == len(editions)


def test_a_mark_changes_with_the_dataset(editions: list[Path], tmp_path: Path) -> None:
    folder, link = tmp_path / "out", tmp_path / "latest"
    assert mark(folder) is None
    publish(editions[0], folder)
    link.symlink_to(folder)
    first = mark(folder)
    assert mark(folder) == mark(link) == first is not None
    publish(editions[1], folder)
    assert mark(folder) == mark(link) != first
    link.unlink()
    link.symlink_to(editions[0])
    assert mark(link) not in {first, mark(folder)}
    shutil.rmtree(folder)
    assert mark(folder) is None


def test_what_is_no_dataset_is_not_copied(editions: list[Path], tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no dataset at"):
        _copy(tmp_path / "nothing", tmp_path / "a")
    publish(editions[1], tmp_path / "out")
    (tmp_path / "out" / "records.jsonl").write_bytes(b"{}\n")
    with pytest.raises(DatasetError, match=r"records\.jsonl is not what its manifest says\. Run `errcat validate`"):
        _copy(tmp_path / "out", tmp_path / "b")
    (tmp_path / "out" / "tombstones.jsonl").unlink()  # as older datasets have none
    shutil.copyfile(editions[1] / "records.jsonl", tmp_path / "out" / "records.jsonl")
    assert list(_copy(tmp_path / "out", tmp_path / "c").tombstones()) == []

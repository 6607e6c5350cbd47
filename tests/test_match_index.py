"""The index: the same from the cache as built, and never trusted when it is not whole."""

import json
from pathlib import Path

import pytest
from conftest import make_record, make_run, three_records

from pipeline import dataset
from pipeline.errors import DatasetError
from pipeline.match import index


def same(one: index.Index, other: index.Index) -> bool:
    return (one.repo, one.revision, one.entries, one.variants) == (
        other.repo,
        other.revision,
        other.entries,
        other.variants,
    )


def test_from_the_cache_it_is_what_was_built(written: Path, tmp_path: Path) -> None:
    built = index.load(written, cache=tmp_path / "cache")
    (kept,) = (tmp_path / "cache").iterdir()
    assert same(index.load(written, cache=tmp_path / "cache"), built)
    assert (built.repo, built.revision) == ("local/pkg", "tree-0123456789ab")
    assert [entry.path for entry in built.entries] == ["a.py", "b.py", "b.py"]
    assert kept.suffix == ".json"


@pytest.mark.parametrize("damage", [b"", b"{}", b"x\n{}", None])
def test_a_damaged_cache_is_built_again(written: Path, tmp_path: Path, damage: bytes | None) -> None:
    cache = tmp_path / "cache"
    built = index.load(written, cache=cache)
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert same(index.load(written, cache=cache), built)
    assert kept.read_bytes() == whole


def test_another_content_has_another_index(written: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    index.load(written, cache=cache)
    folder = dataset.write(tmp_path / "other", three_records()[:1], make_run(1))
    assert len(index.load(folder, cache=cache).entries) == 1
    assert len(list(cache.iterdir())) == 2


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(written: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert len(index.load(written, cache=tmp_path / "file" / "cache").entries) == 3


def test_the_cache_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ERRCAT_CACHE_DIR", str(tmp_path))
    assert index.cache_folder() == tmp_path / "match"


def test_details_are_the_record(written: Path, tmp_path: Path) -> None:
    loaded = index.load(written, cache=tmp_path / "cache")
    for entry, record in zip(loaded.entries, three_records(), strict=True):
        assert loaded.details(entry) == json.loads(record.model_dump_json())


def test_details_of_a_dataset_that_changed_are_refused(written: Path, tmp_path: Path) -> None:
    loaded = index.load(written, cache=tmp_path / "cache")
    (written / "records.jsonl").write_text("{}\n" * 3)
    with pytest.raises(DatasetError, match="changed while it was read"):
        loaded.details(loaded.entries[1])


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("{", "line 1: not a record"),
        ("[]", "line 1: not a record"),
        ('{"id": "x"}', "line 1: not a record"),
        ('{"schemaVersion": 4}', "line 1: schemaVersion 4. Update errcat"),
    ],
)
def test_what_is_no_dataset_is_refused(tmp_path: Path, lines: str, told: str) -> None:
    (tmp_path / "records.jsonl").write_text(lines)
    with pytest.raises(DatasetError) as caught:
        index.load(tmp_path, cache=tmp_path / "cache")
    assert told in str(caught.value)


def test_a_folder_without_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="is not a dataset: No such file or directory"):
        index.load(tmp_path, cache=tmp_path / "cache")


PATHS = [
    ("/home/u/.venv/lib/python3.12/site-packages/pkg/core.py", "pkg/core.py"),
    ("C:\\Users\\me\\site-packages\\pkg\\core.py", "pkg/core.py"),
    ("pkg/core.py", "pkg/core.py"),
    ("/x/pkg/sub/core.py", "pkg/sub/core.py"),
    ("/x/lib/layout.py", "src/lib/layout.py"),
    ("/x/other/core.py", None),
    ("core.py", None),
    ("/x/pkg/core.pyc", None),
    ("<stdin>", None),
]


@pytest.mark.parametrize(("path", "known"), PATHS)
def test_the_file_that_a_path_is(path: str, known: str | None) -> None:
    files = ["pkg/core.py", "pkg/sub/core.py", "src/lib/layout.py"]
    rows = [(json.loads(make_record(filePath=name).model_dump_json()), (0, 0)) for name in files]
    assert index.build(rows, repo="local/pkg", revision="1").file_of(path) == known


def test_a_very_long_text_is_found_and_costs_no_stack() -> None:
    long = "very long text " * 100_000
    pattern = f"{long}(.+?)"
    made = index.build([(make_record(long, pattern).model_dump(mode="json"), (0, 1))], repo="local/pkg", revision="1")
    assert len(made.anchors) == 1
    assert [number for _, _, numbers in index.hits(made.anchors, "".join(long.split())) for number in numbers]

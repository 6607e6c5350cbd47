"""The dataset folder, `<out>/<owner>__<name>/<revision>/`: in and out."""

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.dataset import samples, staging
from pipeline.dataset.datapackage import DATAPACKAGE, datapackage
from pipeline.dataset.readme import readme
from pipeline.dataset.table import parquet
from pipeline.errors import DatasetError
from pipeline.manifest import Manifest, Run, count, read_manifest
from pipeline.record import Record, json_schema, read_record

RECORDS = "records.jsonl"
TOMBSTONES = "tombstones.jsonl"
PARQUET = "records.parquet"
MANIFEST = "manifest.json"
SCHEMA = "record.schema.json"
SAMPLES = "samples.jsonl"
README = "README.md"
PARTIAL = "-partial"


@dataclass(frozen=True, kw_only=True, slots=True)
class Dataset:
    """A dataset on disk; its records are read when asked for."""

    path: Path
    manifest: Manifest

    def lines(self, name: str = RECORDS) -> list[bytes]:
        """The lines of records.jsonl or of tombstones.jsonl, without their newlines."""
        try:
            return (self.path / name).read_bytes().splitlines()
        except FileNotFoundError as error:
            if name == TOMBSTONES:  # a dataset of an errcat that kept none
                return []
            raise _unreadable(self.path / name, error) from None
        except OSError as error:
            raise _unreadable(self.path / name, error) from None

    def records(self) -> Iterator[Record]:
        """The records, in the order of the file. DatasetError names the line that is none."""
        return self._read(RECORDS)

    def tombstones(self) -> Iterator[Record]:
        """What is gone, each in its last form, sorted by id. DatasetError names the line that is no record."""
        return self._read(TOMBSTONES)

    def _read(self, name: str) -> Iterator[Record]:
        for number, line in enumerate(self.lines(name), 1):
            try:
                yield read_record(line)
            except DatasetError as error:
                raise DatasetError(f"{self.path / name}:{number}: {error}") from None


def write(
    out: Path,
    records: Sequence[Record],
    run: Run,
    tombstones: Sequence[Record] = (),
    *,
    more: Mapping[str, bytes] | None = None,
) -> Path:
    """Write a dataset under `out` and return its folder; an older one of the same revision gives way to it.

    more: what else the folder holds, by file name.
    A partial one (run.selection) has a folder of its own, so that it never replaces a complete one.
    LedgerError where the coverage does not add up, DatasetError where the disk does not allow it; then
    nothing under `out` has changed.
    """
    run.coverage.check()
    folder = location(out, run)
    if folder.exists() and not _replaceable(folder):
        raise DatasetError(f"{folder} is in the way and is no dataset", hint="Move it, or give another --out")
    try:
        with staging.replacing(folder) as staged:
            _fill(staged, records, run, tombstones)
            for name, data in (more or {}).items():
                staging.write_bytes(staged / name, data)
    except OSError as error:
        hint = "What was there is unchanged; make room, or give another --out"
        raise DatasetError(f"cannot write {folder}: {error.strerror or error}", hint=hint) from error
    return folder


def location(out: Path, run: Run) -> Path:
    """The folder of the dataset that a run makes."""
    revision = run.revision.replace("/", "_")
    return out / run.repo.replace("/", "__") / (revision + PARTIAL if run.selection else revision)


def _replaceable(folder: Path) -> bool:
    return (folder / MANIFEST).is_file() or (folder.is_dir() and not any(folder.iterdir()))


def _fill(staged: Path, records: Sequence[Record], run: Run, tombstones: Sequence[Record]) -> None:
    started = time.perf_counter()
    ordered = sorted(records, key=order)
    lines = _lines(ordered)
    files = {
        RECORDS: lines,
        TOMBSTONES: _lines(sorted(tombstones, key=lambda record: record.id)),
        SAMPLES: samples.to_lines(samples.draw(ordered)),
        PARQUET: parquet(lines),
        SCHEMA: _json(json_schema()),
    }
    for name, data in files.items():
        staging.write_bytes(staged / name, data)
    seconds = run.seconds | {"write": round(time.perf_counter() - started, 3)}
    manifest = Manifest(
        **dict(run) | {"seconds": seconds}, counts=count(ordered), recordsSha256=hashlib.sha256(lines).hexdigest()
    )
    staging.write_bytes(staged / DATAPACKAGE, _json(datapackage(manifest, files)))
    staging.write_bytes(staged / README, readme(manifest, ordered, tombstones).encode())
    staging.write_bytes(staged / MANIFEST, _json(manifest.model_dump(mode="json")))


def _lines(records: Iterable[Record]) -> bytes:
    return b"".join(record.model_dump_json().encode() + b"\n" for record in records)


def order(record: Record) -> tuple[str, int, str, str]:
    """The order of records in a dataset."""
    return record.filePath, record.lineNumber, record.errorClass or "", record.id


def _json(value: object) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"


def read(path: Path) -> Dataset:
    """The dataset in a folder. DatasetError where there is none, or one of a newer major version."""
    manifest = path / MANIFEST
    try:
        text = manifest.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        hint = "A dataset is the folder that errcat dataset prints"
        raise DatasetError(f"no dataset at {path}: it has no {MANIFEST}", hint=hint) from None
    except OSError as error:
        raise _unreadable(manifest, error) from None
    try:
        return Dataset(path=path, manifest=read_manifest(text))
    except DatasetError as error:
        raise DatasetError(f"{manifest}: {error.what}", hint=error.hint) from None


def datasets(out: Path) -> list[Dataset]:
    """The datasets under `out`, complete ones before partial ones, then newest first. Unreadable ones are left out.

    A link (`latest`) is another name of a dataset that is there.
    """
    found = []
    for manifest in out.glob(f"[!.]*/[!.]*/{MANIFEST}"):
        if manifest.parent.is_symlink():
            continue
        try:
            found.append(read(manifest.parent))
        except DatasetError:
            continue
    return sorted(found, key=_newness, reverse=True)


def _newness(dataset: Dataset) -> tuple[bool, bool, str, Path]:
    manifest = dataset.manifest
    return manifest.selection is None, manifest.history is None, manifest.datasetVersion, dataset.path


def find(out: Path, repo: str | None = None, revision: str | None = None) -> Dataset:
    """The newest dataset under `out`, of a repo and of a revision where they are given. DatasetError where none is."""
    for dataset in datasets(out):
        if repo in {None, dataset.manifest.repo} and revision in {None, dataset.manifest.revision}:
            return dataset
    wanted = " ".join(["dataset", *(f"of {name}" for name in (repo, revision) if name)])
    raise DatasetError(f"no {wanted} under {out}", hint="Make one: errcat dataset --release 0.9.2")


def _unreadable(path: Path, error: OSError) -> DatasetError:
    return DatasetError(f"cannot read {path}: {error.strerror or error}")

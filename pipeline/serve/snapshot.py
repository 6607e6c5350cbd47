"""A dataset as the server holds it: whole, unchanging, and gone when the last request that needs it has its answer."""

import asyncio
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pipeline.dataset.folder import MANIFEST, RECORDS, TOMBSTONES, Dataset, read
from pipeline.errors import DatasetError
from pipeline.manifest import Manifest
from pipeline.pages.site import Site, load, predecessor
from pipeline.record import Record
from pipeline.serve.limits import Limits
from pipeline.serve.makers import Makers
from pipeline.serve.matching import Matchers
from pipeline.serve.pages import Pages
from pipeline.serve.queries import Search

_TRIES: Final = 20
_AGAIN: Final = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """One dataset and all that is made from it. folder: a copy of its own, which nobody else changes.

    records: by id. tombstones: what is gone, by id. aliases: ids that a record or a tombstone had before.
    """

    folder: Path
    manifest: Manifest
    records: Mapping[str, Record]
    tombstones: Mapping[str, Record]
    aliases: Mapping[str, str]
    search: Search
    pages: Pages
    matchers: Matchers

    async def close(self) -> None:
        """End its processes and remove its copy."""
        await self.matchers.close()
        await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)


async def take(path: Path, makers: Makers, limits: Limits, base_url: str | None) -> Snapshot:
    """A snapshot of the dataset in a folder, which may be exchanged at any moment. DatasetError where it is none."""
    folder = Path(tempfile.mkdtemp(prefix="errcat-serve-"))
    matchers = None
    try:
        site, dataset = await asyncio.to_thread(_load, path, folder, base_url)
        matchers = Matchers(dataset.path, limits)
        await matchers.start()
    except BaseException:
        if matchers:
            await matchers.close()
        shutil.rmtree(folder, ignore_errors=True)
        raise
    records = {record.id: record for record in site.records}
    tombstones = {record.id: record for record in site.tombstones if record.id not in records}
    known = (*tombstones.values(), *records.values())  # where both claim an alias, it is the record's
    aliases = {alias: one.id for one in known for alias in one.aliases}
    return Snapshot(
        folder=folder,
        manifest=site.manifest,
        records=records,
        tombstones=tombstones,
        aliases={alias: to for alias, to in aliases.items() if alias not in records and alias not in tombstones},
        search=Search(site.records, site.manifest),
        pages=Pages(site, makers),
        matchers=matchers,
    )


def mark(path: Path) -> object:
    """What changes when another dataset takes a place: exchanged, linked or copied; None where there is none."""
    try:
        stats = [path.stat(), *((path / name).stat() for name in (MANIFEST, RECORDS))]
    except OSError:
        return None
    return tuple((stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size) for stat in stats)


def _load(path: Path, folder: Path, base_url: str | None) -> tuple[Site, Dataset]:
    """The site of a dataset, from a copy of it under `folder`, and that copy."""
    dataset = _copy(path, folder)
    before = predecessor(Dataset(path=path.resolve(), manifest=dataset.manifest))
    site = load(dataset, previous=before, base_url=base_url)
    len(site.routes)  # made here, and not by the first request
    return site, dataset


def _copy(path: Path, folder: Path) -> Dataset:
    """A copy of what is needed of a dataset: of one dataset in all its files, though the folder is exchanged meanwhile.

    A folder that is open stays what it is; what is deleted with it is seen by its having lost its place.
    """
    place = folder / "dataset" / "copy"
    place.mkdir(parents=True)
    for _ in range(_TRIES):
        read(path)
        with suppress(FileNotFoundError), _opened(path) as opened:
            for name in (MANIFEST, RECORDS, TOMBSTONES):
                _copy_file(opened, name, place / name)
            if os.path.samestat(os.fstat(opened), path.stat()):
                return _whole(read(place), path)
        time.sleep(_AGAIN)
    raise DatasetError(f"{path} changes all the time", hint="Publish a dataset by exchanging its folder")


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _copy_file(folder: int, name: str, to: Path) -> None:
    """Copy a file of an open folder. FileNotFoundError where there is none, unless it can be missing."""
    to.unlink(missing_ok=True)
    with suppress(FileNotFoundError) if name == TOMBSTONES else nullcontext():
        descriptor = os.open(name, os.O_RDONLY, dir_fd=folder)
        with open(descriptor, "rb") as source, to.open("wb") as target:  # noqa: PTH123  # a descriptor has no path
            shutil.copyfileobj(source, target)


def _whole(dataset: Dataset, path: Path) -> Dataset:
    """The dataset, if its records are those that its manifest speaks of."""
    with (dataset.path / RECORDS).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != dataset.manifest.recordsSha256:
        raise DatasetError(f"{path / RECORDS} is not what its manifest says", hint="Run `errcat validate` on it")
    return dataset

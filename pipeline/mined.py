"""Trees mined on the fly: their records, kept in the user's cache by content and by the code that mined them."""

import gzip
import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from pipeline.errors import DatasetError
from pipeline.mine.cache import extractor, shared_cache
from pipeline.record import Record, read_record
from pipeline.source.tree import SourceTree

KEPT: Final = 16  # trees in the cache; the ones used last stay

Progress = Callable[..., None]


def mined(
    tree: SourceTree, *, now: str, progress: Progress | None = None
) -> tuple[tuple[Record, ...], tuple[str, ...]]:
    """The records of a tree with their evidence, from the cache or mined and put there; and what there is to say of it.

    now: time of the analysis, where it has to be mined.
    """
    from pipeline.source.cache import cache_folder

    kept = cache_folder() / "mined" / f"{_key(tree)}.jsonl.gz"
    found = _read(kept)
    if found is not None:
        return found, ()
    records = _mine(tree, now, progress)
    try:
        _write(kept, records)
    except OSError as error:
        return records, (f"{tree.repo} {tree.revision} is not kept in the cache: {error}",)
    _sweep(kept.parent)
    return records, ()


def _mine(tree: SourceTree, now: str, progress: Progress | None) -> tuple[Record, ...]:
    from pipeline import catalogue
    from pipeline.evidence import pack

    found = catalogue.build(tree, analyzed_at=now, cache=shared_cache(), progress=progress)
    evidence = pack.collect(tree, found.records, facts=found.facts, progress=progress)
    return tuple(pack.with_evidence(record, its) for record, its in zip(found.records, evidence, strict=True))


def _key(tree: SourceTree) -> str:
    """A name for what is mined: by the content of the tree, what records say of it, and the code that mines it."""
    said = [tree.repo, tree.revision, tree.analyzed_sha, tree.link_ref]
    files = [[file.path, file.blob_id] for file in (*tree.files, *tree.evidence)]
    return hashlib.sha256(json.dumps([said, files, _miner()]).encode()).hexdigest()[:32]


def _miner() -> str:
    """A digest of the code that turns a tree into records."""
    package = Path(__file__).parent
    digest = hashlib.sha256(extractor().encode())
    for path in (package / "catalogue.py", package / "record.py", *sorted((package / "evidence").rglob("*.py"))):
        digest.update(f"\0{path.relative_to(package).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _read(kept: Path) -> tuple[Record, ...] | None:
    """The records kept there; None where there are none, or they are damaged."""
    try:
        data = kept.read_bytes()
        records = tuple(map(read_record, gzip.decompress(data).splitlines()))
        os.utime(kept)
    except (OSError, EOFError, zlib.error, DatasetError):
        return None
    return records if data else None


def _write(kept: Path, records: Iterable[Record]) -> None:
    """Put the records there, all at once for whoever reads them."""
    lines = b"".join(record.model_dump_json().encode() + b"\n" for record in records)
    kept.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=kept.parent, prefix=".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(gzip.compress(lines, compresslevel=1, mtime=0))
        Path(name).replace(kept)
    except BaseException:
        Path(name).unlink()
        raise


def _sweep(folder: Path) -> None:
    """Leave only those that were used last. Another run may do the same at the same time."""
    with suppress(OSError):
        for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)[:-KEPT]:
            path.unlink()

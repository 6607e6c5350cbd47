"""Trees mined on the fly: their records, kept in the user's cache by content and by the code that mined them."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from pipeline import dataset
from pipeline.dataset.folder import MANIFEST, RECORDS
from pipeline.errors import DatasetError
from pipeline.manifest import Run
from pipeline.record import Record
from pipeline.source.tree import SourceTree

KEPT: Final = 16  # trees in the cache; the ones used last stay

Progress = Callable[..., None]


def mined(
    tree: SourceTree, *, now: str, tool_version: str, progress: Progress | None = None
) -> tuple[tuple[Record, ...], tuple[str, ...]]:
    """The records of a tree with their evidence, from the cache or mined and put there; and what there is to say of it.

    now: time of the analysis, where it has to be mined.
    """
    from pipeline.source.cache import cache_folder

    kept = cache_folder() / "mined"
    out = kept / _key(tree)
    found = _cached(out)
    if found is not None:
        return found, ()
    records, run = _mine(tree, now, tool_version, progress)
    try:
        dataset.write(out, records, run)
    except (OSError, DatasetError) as error:
        return records, (f"{tree.repo} {tree.revision} is not kept in the cache: {error}",)
    _sweep(kept)
    return records, ()


def _mine(tree: SourceTree, now: str, tool_version: str, progress: Progress | None) -> tuple[tuple[Record, ...], Run]:
    from pipeline import catalogue
    from pipeline.evidence import pack

    mined = catalogue.build(tree, analyzed_at=now, progress=progress)
    evidence = pack.collect(tree, mined.records, facts=mined.facts, progress=progress)
    records = tuple(pack.with_evidence(record, its) for record, its in zip(mined.records, evidence, strict=True))
    run = Run(
        datasetVersion=now,
        repo=tree.repo,
        revision=tree.revision,
        revisionTime=tree.revision_time,
        analyzedSha=tree.analyzed_sha,
        coverage=mined.coverage,
        toolVersion=tool_version,
    )
    return records, run


def _key(tree: SourceTree) -> str:
    """A name for what is mined: by the content of the tree, what records say of it, and the code that mines it."""
    said = [tree.repo, tree.revision, tree.analyzed_sha, tree.link_ref]
    files = [[file.path, file.blob_id] for file in (*tree.files, *tree.evidence)]
    skipped = [[skip.path, skip.reason.value] for skip in tree.skipped]
    return hashlib.sha256(json.dumps([said, files, skipped, _miner()]).encode()).hexdigest()[:32]


def _miner() -> str:
    """A hash of the code that turns a tree into records."""
    package = Path(__file__).parent
    parts = [package / "catalogue.py", package / "record.py"]
    parts += [path for part in ("mine", "evidence") for path in (package / part).rglob("*.py")]
    digest = hashlib.sha256()
    for path in sorted(parts):
        digest.update(f"{path.relative_to(package).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _cached(out: Path) -> tuple[Record, ...] | None:
    """The records kept there; None where there are none, or they are damaged."""
    for manifest in out.glob(f"[!.]*/[!.]*/{MANIFEST}"):
        try:
            found = dataset.read(manifest.parent)
            if hashlib.sha256((found.path / RECORDS).read_bytes()).hexdigest() == found.manifest.recordsSha256:
                records = tuple(found.records())
                os.utime(out)
                return records
        except (OSError, DatasetError):
            continue
    return None


def _sweep(kept: Path) -> None:
    """Leave only those that were used last. Another run may do the same at the same time."""
    with suppress(OSError):
        found = sorted((path for path in kept.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime_ns)
        for path in found[:-KEPT]:
            shutil.rmtree(path, ignore_errors=True)

"""The unit of work: one tree, mined. Pure, and named by what goes into it: any process can do it at any time."""

import hashlib
import json
import pickle
import threading
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from pipeline.errors import ClusterError
from pipeline.manifest import Coverage
from pipeline.mine.cache import extractor, shared_cache
from pipeline.processes import no_collection
from pipeline.record import Record, read_record
from pipeline.source.tree import SourceTree

UNDATED: Final = "1970-01-01T00:00:00.000Z"
"""The time of analysis in a unit's records: the run that uses them has the clock."""
_LEVEL: Final = 1  # of zlib: the records shrink to a seventh of their size, in a tenth of a second
_alone = threading.Lock()  # mining has its process for itself; a worker of a cluster may have several threads


@dataclass(frozen=True, kw_only=True, slots=True)
class Mined:
    """What a unit comes to. seconds: by stage, of the process that did it. size: bytes of source."""

    repo: str
    revision: str
    revision_time: str | None
    analyzed_sha: str | None
    size: int
    coverage: Coverage
    seconds: Mapping[str, float]
    records: tuple[Record, ...]


def name(tree: SourceTree) -> str:
    """Hash of all that the records of a tree depend on: its files, what it is called, and the code that mines."""
    called = [tree.repo, tree.revision, tree.analyzed_sha, tree.link_ref, tree.revision_time]
    files = [[file.path, file.blob_id] for file in tree.files]
    skipped = [[skip.path, skip.reason.value] for skip in tree.skipped]
    return hashlib.sha256(json.dumps([called, files, skipped, miner()]).encode()).hexdigest()


@cache
def miner() -> str:
    """Hash of the code that turns a tree into records, and of the grammar it reads Python with."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256(extractor().encode())
    for path in (*(package / f"{part}.py" for part in ("catalogue", "record", "manifest")), Path(__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def pack(tree: SourceTree) -> bytes:
    """A tree as `work` takes it."""
    return pickle.dumps((miner(), replace(tree, evidence=())))


def work(packed: bytes) -> bytes:
    """Mine a packed tree. ClusterError where that was packed by another version of errcat."""
    with no_collection():  # until all that was made here is gone again
        return _work(packed)


def _work(packed: bytes) -> bytes:
    from pipeline import catalogue

    packer, tree = pickle.loads(packed)  # noqa: S301  # packed by the errcat that sent it
    if packer != miner():
        hint = "Install the same version everywhere"
        raise ClusterError("a worker has another version of errcat than this process", hint=hint)
    with _alone:
        mined = catalogue.build(tree, analyzed_at=UNDATED, workers=1, cache=shared_cache())
    head = {
        "repo": tree.repo,
        "revision": tree.revision,
        "revision_time": tree.revision_time,
        "analyzed_sha": tree.analyzed_sha,
        "size": sum(len(file.data) for file in tree.files),
        "seconds": dict(mined.seconds),
        "coverage": mined.coverage.model_dump(mode="json"),
    }
    lines = [json.dumps(head), *(record.model_dump_json() for record in mined.records)]
    return zlib.compress("\n".join(lines).encode(), _LEVEL)


def unpack(result: bytes) -> Mined:
    """What `work` returned."""
    head, *lines = zlib.decompress(result).split(b"\n")
    told = json.loads(head)
    coverage = Coverage.model_validate(told.pop("coverage"))
    return Mined(**told, coverage=coverage, records=tuple(read_record(line) for line in lines))

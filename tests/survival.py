"""Do ids survive from release to release? python tests/survival.py SCORER PROJECT OWNER/NAME VERSION VERSION…

Mines each release (from the cache, else through pip), carries the ids on, and has a scorer compare each two that follow
each other: SCORER OLD_TREE NEW_TREE OLD_RECORDS NEW_RECORDS, where a tree is the release's files, unpacked.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline import catalogue
from pipeline.diff.lineage import Past, When, trace
from pipeline.record import Record
from pipeline.source.cache import cache_folder
from pipeline.source.release import read_release
from pipeline.source.tree import SourceTree

MOMENT = "2026-01-01T00:00:00.000Z"


@dataclass(frozen=True, kw_only=True, slots=True)
class Mined:
    """A release: its source, and its records under first ids."""

    tree: SourceTree
    records: tuple[Record, ...]


def mine(project: str, repo: str, version: str) -> Mined:
    tree = read_release(project, version, repo=repo, cache=cache_folder())
    return Mined(tree=tree, records=catalogue.build(tree, analyzed_at=MOMENT).records)


def survival(scorer: Path, releases: Sequence[Mined], folder: Path) -> Iterator[dict[str, float]]:
    """What the scorer says of each release and the one before."""
    past: tuple[Past, ...] = ()
    before: tuple[Path, Path] | None = None
    for number, mined in enumerate(releases):
        lineage = trace(mined.records, past)
        past = (Past(when=When.EARLIER, records=lineage.records, tombstones=lineage.tombstones),)
        now = _unpacked(mined.tree, lineage.records, folder / str(number))
        if before:
            command = [sys.executable, str(scorer), *map(str, (before[0], now[0], before[1], now[1]))]
            told = subprocess.run(command, capture_output=True, text=True, check=True)
            yield json.loads(told.stdout)
        before = now


def _unpacked(tree: SourceTree, records: Sequence[Record], folder: Path) -> tuple[Path, Path]:
    """The folder of its files, and the file of its records."""
    for file in tree.files:
        path = folder / "tree" / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    lines = folder / "records.jsonl"
    lines.write_text("".join(record.model_dump_json() + "\n" for record in records), encoding="utf-8")
    return folder / "tree", lines


def main() -> None:
    scorer, project, repo, *versions = sys.argv[1:]
    releases = [mine(project, repo, version) for version in versions]
    with tempfile.TemporaryDirectory() as folder:
        for version, told in zip(versions[1:], survival(Path(scorer), releases, Path(folder)), strict=True):
            sys.stdout.write(f"{version} {json.dumps(told)}\n")


if __name__ == "__main__":
    main()

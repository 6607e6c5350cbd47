"""Ids over real releases, against what a diff of their files says."""

import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from survival import Mined, mine, survival

from pipeline.diff.lineage import Past, When, trace
from pipeline.diff.pair import pair

if TYPE_CHECKING:
    from pipeline.catalogue import Catalogue
    from pipeline.source.tree import SourceTree

SCORER = "score/id_survival.py"


@pytest.fixture(scope="module")
def jax_before() -> Mined:
    return mine("jax", "jax-ml/jax", "0.9.1")


@pytest.fixture(scope="module")
def jax(jax_tree: "SourceTree", jax_catalogue: "Catalogue") -> Mined:
    return Mined(tree=jax_tree, records=jax_catalogue.records)


def test_ids_of_jax_survive(jax_before: Mined, jax: Mined, shared: Callable[[str], Path], tmp_path: Path) -> None:
    [told] = survival(shared(SCORER), [jax_before, jax], tmp_path)
    assert told["tracked"] > 5_000
    assert told["same_id"] >= 0.999
    assert told["given_to_another"] <= 3


@pytest.mark.parametrize(
    ("project", "repo", "versions"),
    [("click", "pallets/click", ("7.1.2", "8.0.4", "8.1.8")), ("flax", "google/flax", ("0.8.5", "0.10.7"))],
)
def test_ids_of_other_projects_survive(
    project: str, repo: str, versions: tuple[str, ...], shared: Callable[[str], Path], tmp_path: Path
) -> None:
    releases = [mine(project, repo, version) for version in versions]
    for told in survival(shared(SCORER), releases, tmp_path):
        assert told["same_id"] >= 0.99
        assert told["given_to_another"] <= 1


def untouched(old: Mined, new: Mined, folder: Path) -> Iterator[tuple[str, str]]:
    """First ids of records whose statement, and three lines around it, git's diff of the two trees leaves alone."""
    for name, mined in (("old", old), ("new", new)):
        for file in mined.tree.files:
            path = folder / name / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.data)
    command = ["git", "diff", "--no-index", "--no-renames", "-U3", "old", "new"]
    lines = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, errors="replace").stdout
    hunks: dict[str, list[tuple[int, int, int]]] = {}
    for line in lines.split("\n"):
        if found := re.match(r"diff --git a/old/(.*) b/(?:old|new)/", line):
            path_of = found[1]
        elif found := re.match(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line):
            start, size, _, other = (int(number or 1) for number in found.groups())
            hunks.setdefault(path_of, []).append((start, start + size, other - size))
    there = {(r.filePath, r.lineNumber, r.errorClass, r.messagePattern): r.id for r in new.records}
    for record in old.records:
        around = hunks.get(record.filePath, [])
        if any(start <= record.endLineNumber and record.lineNumber < end for start, end, _ in around):
            continue
        place = record.lineNumber + sum(more for _, end, more in around if end <= record.lineNumber)
        if found_id := there.get((record.filePath, place, record.errorClass, record.messagePattern)):
            yield record.id, found_id


def test_what_a_diff_leaves_alone_is_the_same_error(jax_before: Mined, jax: Mined, tmp_path: Path) -> None:
    truth = dict(untouched(jax_before, jax, tmp_path))
    assert len(truth) > 4_900
    found = {p.old.id: p.new.id for p in pair(jax_before.records, jax.records).pairs}
    wrong = [old for old, new in truth.items() if found.get(old) != new]
    assert not wrong


def test_no_id_of_jax_means_two_errors(jax_before: Mined, jax: Mined) -> None:
    first = trace(jax_before.records, ())
    lineage = trace(jax.records, [Past(when=When.EARLIER, records=first.records)])
    names = Counter(name for r in (*lineage.records, *lineage.tombstones) for name in (r.id, *r.aliases))
    assert set(names.values()) == {1}
    assert {r.id for r in first.records} <= set(names)
    again = trace(jax.records, [Past(when=When.SAME, records=lineage.records, tombstones=lineage.tombstones)])
    assert again == lineage

"""The whole job against a local repository that is built from real releases of jax."""

import ast
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from refreshing import Place, Ran, new_place, state_of
from upstream import Upstream, release_files

from pipeline import dataset
from pipeline.dataset.validation import validate
from pipeline.refresh.descent import Descent
from pipeline.refresh.gates.names import GATES

STEPS = ["newest", "history", "source", "mine", "explain", "gates", "changes", "place", "publish", "prune", "summary"]


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache folder of these tests' own; the releases come from the user's."""
    for version in ("0.9.2", "0.10.1", "0.10.2"):
        release_files(version)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ERRCAT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Followed by a job, with 0.9.2 as its newest commit."""
    place = new_place(tmp_path)
    place.upstream.commit(release_files("0.9.2"), when=1_700_000_000)
    return place


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """0.9.2 is published."""
    place = new_place(tmp_path_factory.mktemp("template"))
    place.upstream.commit(release_files("0.9.2"), when=1_700_000_000)
    assert place.refresh().code == 0
    return place


@pytest.fixture
def published(template: Place, tmp_path: Path) -> Place:
    """A copy of it."""
    place = Place(upstream=Upstream(folder=tmp_path / "upstream"), out=tmp_path / "out", clock=[9])
    shutil.copytree(template.upstream.folder, place.upstream.folder)
    shutil.copytree(template.out, place.out, symlinks=True)
    return place


def ids(folder: Path) -> set[str]:
    return {name for record in dataset.read(folder).records() for name in (record.id, *record.aliases)}


def failed(ran: Ran) -> list[str]:
    """The gates that refused it."""
    return [line.split("|")[1].strip() for line in ran.text.splitlines() if "| **failed** |" in line]


def test_first_run_nothing_new_and_new_releases(place: Place) -> None:
    first = place.refresh(pages=True)
    assert first.code == 0
    assert first.done == [*STEPS[:6], "pages", *STEPS[7:]]
    assert validate(place.latest) == []
    assert (place.latest / "pages" / "index.html").is_file()
    assert {verdict.gate for verdict in place.publication.gates} == set(GATES)
    assert all(verdict.passed for verdict in place.publication.gates)
    assert first.text.startswith("# jax-ml/jax ")
    assert re.findall("^## (.*)$", first.text, re.MULTILINE) == [
        "What changed",
        "What it cost",
        "What fell short",
        "Gates",
    ]

    before = state_of(place.out)
    nothing = place.refresh(pages=True)
    assert (nothing.code, nothing.done) == (0, ["newest"])
    assert nothing.text.endswith(f" is published since {place.publication.publishedAt}; nothing to do\n")
    assert state_of(place.out) == before

    old = place.latest.resolve()
    place.upstream.commit(release_files("0.10.1"), when=1_700_001_000)
    second = place.refresh(pages=True)
    assert (second.code, second.done) == (0, [*STEPS[:7], "pages", *STEPS[7:]])
    assert validate(place.latest) == []
    assert place.publication.previous == old.name
    assert place.publication.descent is Descent.LATER
    buried = {record.id for record in dataset.read(place.latest).tombstones()}
    assert ids(old) <= ids(place.latest) | buried
    assert "Since " in second.text
    changes = json.loads((place.latest / "changes.json").read_bytes())
    assert {kind: number for kind, number in changes["summary"].items() if number}["added"] > 5
    assert (place.latest / "CHANGES.md").read_text() in second.text
    assert {path: found for path, found in state_of(old).items() if path != "x"} == {
        path.removeprefix(f"jax-ml__jax/{old.name}/"): found
        for path, found in before.items()
        if path.startswith(f"jax-ml__jax/{old.name}/")
    }

    place.upstream.commit(release_files("0.10.2"), when=1_700_002_000)
    third = place.refresh(keep=2)
    assert third.code == 0
    assert not old.exists()
    assert f"- removed, as no more than so many are kept: {old.name}\n" in third.text
    assert len([path for path in place.home.iterdir() if not path.name.startswith(".")]) == 3


def test_another_errcat_makes_the_same_revision_anew(published: Place) -> None:
    old = published.latest.resolve()
    ran = published.refresh(tool="another")
    assert ran.code == 0
    assert published.latest.resolve().name == f"{old.name}.{published.publication.key[:8]}"
    assert published.publication.descent is Descent.SAME
    assert old.is_dir()
    assert (published.latest / "records.jsonl").read_bytes() == (old / "records.jsonl").read_bytes()
    assert "unchanged" in ran.text


def test_what_was_published_by_hand_is_made_anew(published: Place) -> None:
    (published.latest / "publication.json").unlink()
    assert published.refresh().code == 0
    assert published.publication.descent is Descent.SAME


def test_datasets_made_by_hand_hand_on_their_ids(place: Place) -> None:
    command = ["dataset", "--git", str(place.upstream.folder), "--sha", "main", "--out", str(place.out)]
    errcat = place.command()[0]
    by_hand = Path(subprocess.run([errcat, *command], capture_output=True, text=True, check=True).stdout.split()[0])
    place.upstream.commit(release_files("0.10.1"), when=1_700_001_000)
    assert place.refresh().code == 0
    buried = {record.id for record in dataset.read(place.latest).tombstones()}
    assert ids(by_hand) <= ids(place.latest) | buried


def test_a_forced_back_branch_is_refused_unless_somebody_says_why(published: Place) -> None:
    first = published.upstream.commit(release_files("0.10.1"), when=1_700_001_000)
    assert published.refresh().code == 0
    published.upstream.commit(release_files("0.10.2"), when=1_700_002_000)
    assert published.refresh().code == 0
    then = ids(published.latest)
    published.upstream.git("reset", "-q", "--hard", first)
    before = state_of(published.latest.resolve())

    refused = published.refresh()
    assert (refused.code, failed(refused)) == (1, ["history"])
    assert refused.done == ["newest", "history", "summary"]  # nothing was paid for
    assert "comes before" in refused.text
    assert state_of(published.latest.resolve()) == before

    ran = published.refresh(overrides={"history": "the release was withdrawn"})
    assert ran.code == 0
    assert published.publication.descent is Descent.EARLIER
    verdicts = {verdict.gate: verdict for verdict in published.publication.gates}
    assert verdicts["history"].override == "the release was withdrawn"
    assert [gate for gate, verdict in verdicts.items() if not verdict.passed] == ["history"]
    assert "- published although `history` was not passed, since: the release was withdrawn\n" in ran.text
    buried = {record.id for record in dataset.read(published.latest).tombstones()}
    assert then <= ids(published.latest) | buried

    published.upstream.commit(release_files("0.10.2"), when=1_700_003_000)
    assert published.refresh().code == 0
    assert then <= ids(published.latest)  # what was gone is back under its old id


def test_a_rewritten_history_is_refused_unless_somebody_says_why(published: Place) -> None:
    published.upstream.git("checkout", "-q", "--orphan", "rewritten")
    published.upstream.commit(release_files("0.10.1"), when=1_700_001_000)
    published.upstream.git("branch", "-M", "rewritten", "main")
    refused = published.refresh()
    assert (refused.code, failed(refused)) == (1, ["history"])
    assert "did not lead to" in refused.text
    again = published.refresh()  # the candidate is taken up again, and refused again
    assert (again.code, again.done) == (1, ["newest", "summary"])
    ran = published.refresh(overrides={"history": "the repository was cleaned", "ids": "just in case"})
    assert ran.code == 0
    assert published.publication.descent is Descent.UNRELATED
    assert "- overrides that were not needed: `ids`\n" in ran.text


def test_following_releases_beside_commits_is_refused(published: Place) -> None:
    refused = published.refresh(release="0.9.2", git=None, under="jax/_src/export")
    assert (refused.code, failed(refused)) == (1, ["history"])
    assert "is a release, the other a commit" in refused.text


# A release that breaks each gate in turn


def edited(files: Mapping[str, bytes], by: str, *, every: int = 1) -> dict[str, bytes]:
    """The files with what is said in a raise replaced, in every so many of those that say a text."""
    return {path: _edited(data.decode(), by, every) if path.endswith(".py") else data for path, data in files.items()}


def _edited(source: str, by: str, every: int) -> bytes:
    lines = source.encode().splitlines(keepends=True)
    said = [
        node.exc.args[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args
    ]
    texts = sorted((n for n in said if isinstance(n, ast.JoinedStr | ast.Constant)), key=lambda n: n.lineno)
    for number, node in reversed(list(enumerate(texts))):
        if number % every:
            continue
        assert node.end_lineno
        head, tail = lines[node.lineno - 1][: node.col_offset], lines[node.end_lineno - 1][node.end_col_offset :]
        gap = b"\n" * (node.end_lineno - node.lineno)
        lines[node.lineno - 1 : node.end_lineno] = [head + by.format(number).encode() + gap + tail]
    return b"".join(lines)


def without_half(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in files.items() if "/export/" not in path}


BROKEN: dict[str, Callable[[Mapping[str, bytes]], dict[str, bytes]]] = {
    "ledger": lambda files: {
        path: data + (b"\n<<<<<<< HEAD\ndef (:\n" if path.endswith("primitives.py") else b"")
        for path, data in files.items()
    },
    "patterns": lambda files: {
        **files,
        "jax/_src/huge.py": b"def f(x):\n  raise ValueError('" + b"long " * 140_000 + b"')\n",
    },
    "records": without_half,
    "unknown": lambda files: edited(files, "load()", every=16),
    "samples": lambda files: edited(files, '"quite another wording, number {}"'),
}


@pytest.mark.parametrize("gate", BROKEN)
def test_a_release_that_breaks_a_gate_is_not_published(published: Place, gate: str) -> None:
    before = state_of(published.latest.resolve())
    link = published.latest.readlink()
    broken = BROKEN[gate](release_files("0.9.2"))
    published.upstream.commit(broken, when=1_700_001_000)
    refused = published.refresh()
    assert failed(refused) == [gate], refused.text
    assert refused.code == 1
    assert (published.latest.readlink(), state_of(published.latest.resolve())) == (link, before)
    left = re.findall("The candidate is left in `(.*?)`", refused.text)[0]
    assert refused.text == (Path(left) / "summary.md").read_text()
    [candidate] = Path(left).glob("made/*/*/manifest.json")
    assert dataset.read(candidate.parent).manifest.counts.records > 0

    again = published.refresh()
    assert (again.code, failed(again)) == (1, [gate])
    assert "mine" not in again.done  # the dataset is there; only the gates are asked again

    ran = published.refresh(overrides={gate: "it is meant"})  # type: ignore[dict-item]  # a name of a gate
    assert ran.code == 0
    assert [v.gate for v in published.publication.gates if not v.passed] == [gate]
    assert f"published although `{gate}` was not passed, since: it is meant" in ran.text


def refused_for_its_size(place: Place) -> Path:
    """The dataset of a candidate that only the gate `records` refuses."""
    place.upstream.commit(without_half(release_files("0.9.2")), when=1_700_001_000)
    refused = place.refresh()
    assert failed(refused) == ["records"]
    [manifest] = place.home.glob(".refresh/*/made/*/*/manifest.json")
    return manifest.parent


def written_anew(folder: Path, *, tombstones: int = 0, swapped: bool = False) -> None:
    """A candidate as an errcat with a fault would have written it: all sums agree."""
    found = dataset.read(folder)
    records, gone = list(found.records()), list(found.tombstones())
    if swapped:
        one, other = records[0], next(r for r in records if r.filePath != records[0].filePath and r.title)
        records = [r.model_copy(update={"id": {one.id: other.id, other.id: one.id}.get(r.id, r.id)}) for r in records]
    from pipeline.manifest import Run

    fields = {name: getattr(found.manifest, name) for name in Run.model_fields}
    dataset.write(folder.parents[1], records, Run(**fields), gone[tombstones:])


@pytest.mark.parametrize(
    ("fault", "gate", "said"),
    [
        (lambda folder: written_anew(folder, tombstones=1), "ids", "1 lost, 0 reused, 0 doubled"),
        (lambda folder: written_anew(folder, swapped=True), "ids", "0 lost, 2 reused, 0 doubled"),
        (lambda folder: (folder / "records.parquet").write_bytes(b"cut off"), "schema", "1 faults"),
        (lambda folder: (folder / "record.schema.json").unlink(), "schema", "1 faults"),
    ],
)
def test_a_candidate_with_a_fault_is_not_published(published: Place, fault: object, gate: str, said: str) -> None:
    folder = refused_for_its_size(published)
    assert callable(fault)
    fault(folder)
    refused = published.refresh(overrides={"records": "half of it is elsewhere now"})
    assert failed(refused) == [gate], refused.text
    assert said in refused.text
    ran = published.refresh(overrides={gate: "known"})  # type: ignore[dict-item]  # the other one is remembered
    assert ran.code == 0
    assert sorted(v.gate for v in published.publication.gates if v.override) == sorted(["records", gate])


def test_a_candidate_that_cannot_be_read_passes_no_gate(published: Place) -> None:
    folder = refused_for_its_size(published)
    (folder / "records.jsonl").write_bytes((folder / "records.jsonl").read_bytes()[:-200])
    refused = published.refresh(overrides={"records": "half of it is elsewhere now", "schema": "never mind"})
    assert set(failed(refused)) == set(GATES) - {"history", "ledger", "schema", "records"}
    assert "not looked at" in refused.text

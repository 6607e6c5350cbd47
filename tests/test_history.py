"""errcat history on real releases of jax: through pip, through git, over a Dask cluster, stopped and gone on with."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from conftest import EPOCH, NOW

from pipeline import catalogue, dataset
from pipeline.cli import run
from pipeline.dataset.validation import validate
from pipeline.history import steps, unit
from pipeline.history import team as teams
from pipeline.history.spread import Found, spread
from pipeline.history.store import Store
from pipeline.record import Record
from pipeline.source.cache import cache_folder
from pipeline.source.release import read_release
from pipeline.source.tree import SourceTree

if TYPE_CHECKING:
    from pipeline.catalogue import Catalogue

UNDER = "jax/_src/pallas/triton"
RELEASES = ("0.7.2", "0.8.1", "0.9.0", "0.9.2", "0.10.2", "0.11.1")
WHOLE = "0.9.2"
OF_THE_REVISION = {"revision": "", "analyzedSha": None, "githubUrl": None}
OF_THE_CHAIN = {"id": "0" * 16, "aliases": (), "introducedIn": None, "lastSeenIn": None, "texts": ()}
TABLES = ("records.jsonl", "records.parquet", "history.parquet", "history.svg")


def silent(_stage: str, _done: int, _total: int, _note: str = "") -> None:
    pass


def release(version: str, under: str = UNDER) -> SourceTree:
    """The source of a release, from the user's cache or the index."""
    return read_release("jax", version, repo="jax-ml/jax", cache=cache_folder(), under=under)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with a commit and a tag for each release: of one of them all of jax, of the others a part."""
    folder = tmp_path_factory.mktemp("git") / "jax"
    folder.mkdir()
    who = {f"GIT_{role}_{part}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull}

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)

    git("init", "--quiet")
    for version in RELEASES:
        for file in release(version, "jax" if version == WHOLE else UNDER).files:
            path = folder / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.data)
        git("add", "--all")
        git("commit", "--quiet", "--message", version)
        git("tag", f"jax-v{version}")
    return folder


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that holds nothing but the releases of the user's own."""
    folder = tmp_path / "cache"
    folder.mkdir()
    releases = cache_folder() / "releases"
    releases.mkdir(parents=True, exist_ok=True)
    (folder / "releases").symlink_to(releases)
    monkeypatch.setenv("ERRCAT_CACHE_DIR", str(folder))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    return folder


def bare(record: Record, *more: Mapping[str, object]) -> Record:
    """The record without what only its revision, or only its chain, gives it."""
    update = {name: value for one in (OF_THE_REVISION, *more) for name, value in one.items()}
    return record.model_copy(update=update)


def mined_through_git(repository: Path, pattern: str, under: str, store: Path) -> dict[str, tuple[Record, ...]]:
    """The records of each tag, by the name of its release."""
    chosen = steps.of_tags(pattern, repo="jax-ml/jax", git=str(repository), under=under, progress=silent)
    with teams.processes(2) as team:
        found = list(spread(chosen, team=team, store=Store(folder=store), progress=silent))
    return {one.step.name: unit.unpack(one.result).records for one in found if isinstance(one, Found)}


def test_mined_through_git_is_what_each_release_alone_gives(repository: Path, cache: Path) -> None:
    found = mined_through_git(repository, "jax-v*", UNDER, cache / "store")
    assert tuple(found) == RELEASES
    for version, records in found.items():
        alone = catalogue.build(release(version), analyzed_at=unit.UNDATED)
        assert len(records) > 80
        assert [bare(record) for record in records] == [bare(record) for record in alone.records], version


def test_so_it_is_for_the_whole_of_a_release(repository: Path, cache: Path, jax_catalogue: "Catalogue") -> None:
    found = mined_through_git(repository, f"jax-v{WHOLE}", "jax", cache / "store")
    undated: dict[str, object] = {"analyzedAt": NOW}
    assert [bare(record, undated) for record in found[WHOLE]] == [bare(record) for record in jax_catalogue.records]


def errcat(*arguments: str | Path) -> subprocess.Popen[str]:
    """The command in a session of its own, so that it can be killed with all that it started."""
    command = [sys.executable, "-m", "pipeline", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def by_tags(repository: Path, out: Path) -> tuple[str | Path, ...]:
    return ("history", "--tags", "jax-v*", "--git", repository, "--repo", "jax-ml/jax", "--under", UNDER, "--out", out)


def contents(out: Path) -> dict[str, bytes]:
    """The files of the history under `out` that are the same in every run of the same chain."""
    return {name: (out / "jax-ml__jax" / "history" / name).read_bytes() for name in TABLES}


def test_the_command_writes_a_dataset_that_is_valid(
    repository: Path, cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*map(str, by_tags(repository, tmp_path / "out"))]) == 0
    folder = tmp_path / "out" / "jax-ml__jax" / "history"
    told = capsys.readouterr()
    assert told.out.splitlines()[0] == str(folder)
    assert told.out.splitlines()[1].startswith(f"revisions 6 ({RELEASES[0]} to {RELEASES[-1]}), errors ")
    assert told.err == ""
    assert validate(folder) == []
    read = dataset.read(folder)
    records = tuple(read.records())
    history = read.manifest.history
    assert history is not None
    assert tuple(one.name for one in history.revisions) == RELEASES
    names = {one.revision: one.name for one in history.revisions}
    alive = [record for record in records if record.lastSeenIn == RELEASES[-1]]
    alone = catalogue.build(release(RELEASES[-1]), analyzed_at=NOW)
    assert sorted((bare(r, OF_THE_CHAIN) for r in alive), key=str) == sorted(
        (bare(r, OF_THE_CHAIN) for r in alone.records), key=str
    )
    gone = [record for record in records if record.lastSeenIn != RELEASES[-1]]
    assert all(names[record.revision] == record.lastSeenIn for record in records)
    assert len(gone) > 2
    assert any(len(record.texts) > 1 for record in records)
    assert sum(record.introducedIn is not None for record in records) > 10
    frame = pd.read_parquet(folder / "history.parquet")
    sums = frame.groupby("revision", sort=False)[["total", "added", "removed", "reworded"]].sum()
    assert sums.index.tolist() == list(RELEASES)
    assert sums.total.tolist() == [one.records for one in history.revisions]
    assert (sums.total.diff()[1:] == (sums.added - sums.removed)[1:]).all()
    assert int(sums.added.sum()) == sum(record.introducedIn is not None for record in records)


def test_releases_come_through_pip(cache: Path, tmp_path: Path) -> None:
    common = ["--under", UNDER, "--out", str(tmp_path / "out")]
    assert run(["history", "--releases", "0.10.1..0.10.2", *common]) == 0
    found = tuple(dataset.read(tmp_path / "out" / "jax-ml__jax" / "history").records())
    assert {record.lastSeenIn for record in found} >= {"0.10.2"}
    assert {record.revision for record in found} <= {"0.10.1", "0.10.2"}
    assert all(f"/jax-v{record.revision}/" in (record.githubUrl or "") for record in found)


def test_a_killed_run_goes_on_and_writes_the_same(repository: Path, cache: Path, tmp_path: Path) -> None:
    whole = errcat(*by_tags(repository, tmp_path / "whole"))
    assert whole.wait() == 0, whole.communicate()
    (cache / "history").rename(cache / "of-the-whole-run")
    (cache / "mined.sqlite3").unlink()
    killed = errcat(*by_tags(repository, tmp_path / "out"))
    kept = wait_for_results(cache / "history")
    killed.kill()
    killed.communicate()
    assert 0 < len(kept) < len(RELEASES)
    assert not (tmp_path / "out").exists()
    wait_until_gone(killed.pid)
    kept = {path: path.stat().st_ino for path in (cache / "history").iterdir()}
    again = errcat(*by_tags(repository, tmp_path / "out"))
    assert again.wait() == 0, again.communicate()
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    assert {path: path.stat().st_ino for path in kept} == kept  # not written a second time
    for process in (whole, again):
        process.communicate()


def test_ctrl_c_ends_it_with_a_word(repository: Path, cache: Path, tmp_path: Path) -> None:
    process = errcat(*by_tags(repository, tmp_path / "out"))
    wait_for_results(cache / "history")
    process.send_signal(signal.SIGINT)
    assert process.communicate() == ("", "errcat: error: interrupted\n")
    assert process.returncode == 130
    wait_until_gone(process.pid)
    assert not (tmp_path / "out").exists()


def wait_for_results(folder: Path) -> dict[Path, int]:
    """What the store holds, as soon as it holds something."""
    for _ in range(6000):
        if folder.is_dir() and (found := {p: 0 for p in folder.iterdir() if not p.name.startswith(".")}):
            return found
        time.sleep(0.01)
    pytest.fail("nothing was mined")


def wait_until_gone(session: int) -> None:
    """Wait until no process of the session is left."""
    for _ in range(1000):
        try:
            os.killpg(session, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    pytest.fail("processes were left behind")


def test_a_release_that_cannot_be_read_is_named(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    users = (cache / "releases").resolve() / "jax"
    versions = ("0.10.1", "0.10.2")
    for version in versions:
        release(version)
    (cache / "releases").unlink()
    for version in versions:
        shutil.copytree(users / version, cache / "releases" / "jax" / version)
    (damaged,) = (cache / "releases" / "jax" / "0.10.1").iterdir()
    damaged.write_bytes(damaged.read_bytes()[:1000])
    code = run(["history", "--releases", "0.10.1..0.10.2", "--under", UNDER, "--out", str(tmp_path / "out")])
    told = capsys.readouterr()
    assert code == 0
    assert told.err.startswith(f"errcat: 0.10.1 is missing: {damaged.name} is damaged: ")
    assert told.out.splitlines()[1].endswith(", gaps 1")
    folder = tmp_path / "out" / "jax-ml__jax" / "history"
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert [gap["name"] for gap in manifest["history"]["gaps"]] == ["0.10.1"]
    assert "**Not complete**: these revisions could not be had." in (folder / "README.md").read_text()
    assert validate(folder) == []


def test_a_list_of_repositories_gives_a_dataset_each(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hub = tmp_path / "hub"
    for name in ("one", "two"):
        folder = hub / "o" / name
        (folder / "pkg").mkdir(parents=True)
        (folder / "pkg" / "core.py").write_text(f"def f(x):\n  raise ValueError(f'{name} cannot {{x}}')\n")
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        for arguments in (["init", "-b", "main"], ["add", "."], [*who, "commit", "-m", "x"], ["tag", "v1.0"]):
            subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    for number, setting in enumerate((f"url.file://{hub}/.insteadOf", "https://github.com/")):
        monkeypatch.setenv(f"GIT_CONFIG_{('KEY', 'VALUE')[number]}_0", setting)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    listed = tmp_path / "repos"
    listed.write_text("o/one@v1.0\no/two@main\no/two@v2.0\n")
    assert run(["history", "--repos", str(listed), "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr()
    folders = [Path(line) for line in told.out.splitlines()]
    assert [folder.parent.name for folder in folders] == ["o__one", "o__two"]
    assert told.err == (
        "errcat: o/two@v2.0 is missing: no tag or branch v2.0 in https://github.com/o/two. Similar: v1.0\n"
    )
    for folder, name in zip(folders, ("one", "two"), strict=True):
        assert validate(folder) == []
        (record,) = dataset.read(folder).records()
        assert record.errorMessage == f"{name} cannot {{x}}"
        assert record.analyzedAt == NOW
        assert record.revision == folder.name

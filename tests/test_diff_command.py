"""`errcat diff` as people run it: on folders, datasets, a real git repository, real releases."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest
from conftest import make_record, make_run

from pipeline import cli, dataset
from pipeline.diff.render.document import json_schema
from pipeline.manifest import History, Previous, Revision, read_manifest

CORE = """\
def check(x):
    if x is None:
        raise ValueError("x must be given")
    return x
"""
STORE = """\
class Store:
    def get(self, name):
        if name not in self.values:
            raise KeyError(name)

    def close(self):
        if self.closed:
            raise RuntimeError("the store is closed already")
"""
NEW_CORE = CORE.replace("must be given", "must not be None").replace("ValueError", "TypeError")


@dataclass(frozen=True)
class Ended:
    returncode: int
    stdout: str
    stderr: str


Errcat = Callable[..., Ended]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own."""
    monkeypatch.setenv("ERRCAT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def errcat(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Errcat:
    """Runs a command line in a folder of its own, in this process; git is as nobody has configured it."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in git_of_nobody(tmp_path).items():
        monkeypatch.setenv(name, value)

    def run(*arguments: object, cwd: Path = tmp_path) -> Ended:
        monkeypatch.chdir(cwd)
        capfdbinary.readouterr()
        code = cli.run([str(argument) for argument in arguments])
        sys.stdout.flush()
        shown = capfdbinary.readouterr()
        return Ended(returncode=code, stdout=shown.out.decode(), stderr=shown.err.decode())

    return run


def git_of_nobody(tmp_path: Path) -> dict[str, str]:
    config = tmp_path / "gitconfig"
    config.write_text("[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n")
    who = {f"GIT_{role}_{what}": f"person@{role}" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return {**who, "GIT_CONFIG_GLOBAL": str(config), "GIT_CONFIG_NOSYSTEM": "1"}


def write(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    """Two work trees: one error reworded and of another class, one file gone."""
    old = write(tmp_path / "old", {"pkg/core.py": CORE, "pkg/store.py": STORE})
    return old, write(tmp_path / "new", {"pkg/core.py": NEW_CORE})


def kinds(shown: Ended) -> list[str]:
    assert shown.returncode == 0, shown.stderr
    value = json.loads(shown.stdout)
    jsonschema.validate(value, json_schema(), cls=jsonschema.Draft202012Validator)
    return [change["kind"] for change in value["changes"]]


def test_two_folders(errcat: Errcat, trees: tuple[Path, Path]) -> None:
    shown = errcat("diff", *trees)
    assert (shown.returncode, shown.stderr) == (0, "")
    head, summary, *rest = shown.stdout.splitlines()
    assert re.fullmatch(r"local/new: \S+/old \(tree-[0-9a-f]{12}\) -> \S+/new \(tree-[0-9a-f]{12}\)", head)
    assert summary == "2 removed, 1 reworded; breaking 1; unchanged 0"
    assert "  ~ reworded, reclassed: BREAKING TypeError at core.py:3 in check" in rest
    assert "      x must {+not +}be [-given-]{+None+}" in rest


def test_two_datasets(errcat: Errcat, trees: tuple[Path, Path], tmp_path: Path) -> None:
    folders = [
        errcat("dataset", "--tree", tree, "--repo", "o/n", "--out", tmp_path / "out").stdout.splitlines()[0]
        for tree in trees
    ]
    assert kinds(errcat("diff", *folders, "--format", "json")) == ["reworded", "removed", "removed"]
    shown = errcat("diff", folders[0], trees[1])
    assert shown.stdout.startswith("o/n: tree-")
    assert "2 removed, 1 reworded" in shown.stdout


def test_names_reach_the_public_ones(errcat: Errcat, tmp_path: Path) -> None:
    init = {"pkg/__init__.py": "from pkg.core import check\n"}
    old = write(tmp_path / "old", {"pkg/core.py": CORE, **init})
    new = write(tmp_path / "new", {"pkg/core.py": NEW_CORE, **init})
    (change,) = json.loads(errcat("diff", old, new, "--format", "json").stdout)["changes"]
    assert change["affects"] == ["pkg.check"]


@pytest.mark.parametrize("form", ["text", "markdown", "github", "json"])
def test_formats_and_exit_codes(errcat: Errcat, trees: tuple[Path, Path], form: str) -> None:
    old, new = trees
    shown = errcat("diff", old, new, "--format", form, "--exit-code")
    assert (shown.returncode, shown.stderr) == (1, "")
    assert "None" in shown.stdout
    assert errcat("diff", old, new, "--format", form).returncode == 0
    same = errcat("diff", old, old, "--format", form, "--exit-code")
    assert (same.returncode, same.stderr) == (0, "")


def test_annotations_name_the_files_of_the_new_side(errcat: Errcat, trees: tuple[Path, Path]) -> None:
    lines = errcat("diff", *trees, "--format", "github").stdout.splitlines()
    assert lines[0].startswith(
        "::warning file=pkg/core.py,line=3,endLine=3,title=Error reworded%2C reclassed (breaking)::"
    )
    assert len(lines) == 3
    assert all(line.startswith("::warning title=Error removed::") for line in lines[1:])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--kind", "removed"], ["removed", "removed"]),
        (["--kind", "reclassed"], ["reworded"]),
        (["--kind", "added"], []),
        (["--kind", "added", "--kind", "reworded"], ["reworded"]),
        (["--path", "pkg/store.py"], ["removed", "removed"]),
        (["--path", "*/core.*"], ["reworded"]),
        (["--path", "core.py"], []),
        (["--class", "ValueError"], ["reworded"]),
        (["--class", "TypeError", "--class", "KeyError"], ["reworded", "removed"]),
        (["--class", "Error"], []),
        (["--breaking"], ["reworded"]),
        (["--breaking", "--kind", "removed"], []),
    ],
)
def test_filters(errcat: Errcat, trees: tuple[Path, Path], options: list[str], expected: list[str]) -> None:
    assert kinds(errcat("diff", *trees, "--format", "json", *options)) == expected
    assert errcat("diff", *trees, "--exit-code", *options).returncode == bool(expected)


def test_accepted_changes(errcat: Errcat, trees: tuple[Path, Path], tmp_path: Path) -> None:
    old, new = trees
    file = tmp_path / "errors.accepted"
    missing = errcat("diff", old, new, "--accept", file)
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr == f"errcat: error: no file {file}. --accept-all makes one of what is shown\n"
    assert errcat("diff", old, new, "--accept", file, "--accept-all", "--kind", "removed").returncode == 0
    assert len(re.findall("^[0-9a-f]{16} removed ", file.read_text(), re.MULTILINE)) == 2
    left = errcat("diff", old, new, "--accept", file, "--exit-code")
    assert left.returncode == 1
    assert "1 reworded; breaking 1; unchanged 0; accepted 2" in left.stdout
    assert errcat("diff", old, new, "--accept", file, "--accept-all", "--exit-code").returncode == 0
    done = errcat("diff", old, new, "--accept", file, "--exit-code", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["changes"] == []


def test_stale_lines_are_told_and_go(errcat: Errcat, trees: tuple[Path, Path], tmp_path: Path) -> None:
    old, new = trees
    file = tmp_path / "errors.accepted"
    errcat("diff", old, new, "--accept", file, "--accept-all")
    file.write_text("# Meant: see the plan.\n" + file.read_text())
    write(new, {"pkg/core.py": NEW_CORE.replace("not be None", "never be None")})
    stale = errcat("diff", old, new, "--accept", file, "--exit-code")
    assert stale.returncode == 1
    (line,) = stale.stderr.splitlines()
    assert re.match(
        "errcat: accepted, but no change of this comparison: [0-9a-f]{16} reworded [0-9a-f]{16} pkg/core.py", line
    )
    errcat("diff", old, new, "--accept", file, "--accept-all")
    again = errcat("diff", old, new, "--accept", file, "--exit-code")
    assert (again.returncode, again.stderr) == (0, "")
    assert file.read_text().startswith("# Meant: see the plan.\n")


@pytest.fixture
def work(trees: tuple[Path, Path], tmp_path: Path) -> Path:
    """A git repository whose first commit, tagged v1, is the old tree and whose branch `next` is the new one."""
    work, _ = trees
    git(work, "init", "-q")
    git(work, "add", ".")
    git(work, "commit", "-q", "-m", "first")
    git(work, "tag", "v1")
    git(work, "checkout", "-q", "-b", "next")
    (work / "pkg" / "store.py").unlink()
    write(work, {"pkg/core.py": NEW_CORE})
    git(work, "commit", "-q", "-a", "-m", "second")
    git(work, "checkout", "-q", "main")
    return work


def git(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, **git_of_nobody(folder.parent)}
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_commits_tags_branches_and_the_work_tree(errcat: Errcat, work: Path) -> None:
    changed = ["reworded", "removed", "removed"]
    sha = git(work, "rev-parse", "next")
    for old, new in (("v1", "next"), ("main", sha), (git(work, "rev-parse", "v1"), sha[:10])):
        assert kinds(errcat("diff", "--git", work, old, new, "--format", "json")) == changed
    shown = errcat("diff", "--git", ".", "HEAD", "next", cwd=work)
    assert shown.stdout.startswith(f"local/old: HEAD ({git(work, 'rev-parse', 'v1')[:12]}) -> next ({sha[:12]})\n")
    assert kinds(errcat("diff", "--git", work, "HEAD", work, "--format", "json")) == []
    write(work, {"pkg/core.py": NEW_CORE})
    assert kinds(errcat("diff", "--git", ".", "HEAD", ".", "--format", "json", cwd=work)) == ["reworded"]


def test_a_dataset_and_a_commit_are_of_one_repository(errcat: Errcat, work: Path, tmp_path: Path) -> None:
    made = errcat("dataset", "--repo", "o/n", "--sha", "v1", "--git", work, "--out", tmp_path / "out")
    folder = made.stdout.splitlines()[0]
    value = json.loads(errcat("diff", folder, "next", "--git", work, "--format", "json").stdout)
    assert (value["from"], value["to"]) == (git(work, "rev-parse", "v1"), git(work, "rev-parse", "next"))
    assert {side["repo"] for change in value["changes"] for side in (change["old"], change["new"]) if side} == {"o/n"}


def mined(cache: Path) -> dict[str, int]:
    """The catalogues in the cache, and the files they are in."""
    return {path.name: path.stat().st_ino for path in cache.glob("mined/*.jsonl.gz")}


def test_what_was_mined_is_kept_by_content(errcat: Errcat, work: Path, trees: tuple[Path, Path], cache: Path) -> None:
    first = errcat("diff", *trees)
    kept = mined(cache)
    assert len(kept) == 2
    assert errcat("diff", *trees).stdout == first.stdout
    assert mined(cache) == kept
    write(trees[1], {"pkg/more.py": "raise ValueError('more')\n"})
    assert "more" in errcat("diff", *trees).stdout
    assert len(mined(cache)) == 3
    assert kept.items() <= mined(cache).items()


def test_a_damaged_cache_is_mined_anew(errcat: Errcat, trees: tuple[Path, Path], cache: Path) -> None:
    first = errcat("diff", *trees).stdout
    for number, path in enumerate(sorted(cache.glob("mined/*"))):
        path.write_bytes(path.read_bytes()[:-9] if number else b"")
    again = errcat("diff", *trees)
    assert (again.stdout, again.stderr) == (first, "")


def test_the_cache_is_bounded(errcat: Errcat, trees: tuple[Path, Path], cache: Path) -> None:
    from pipeline.mined import KEPT

    for number in range(KEPT + 2):
        write(cache, {f"mined/{number:032x}.jsonl.gz": ""})
    errcat("diff", *trees)
    assert len(list((cache / "mined").iterdir())) == KEPT
    assert errcat("diff", *trees).returncode == 0
    assert len(mined(cache)) == KEPT


def test_a_cache_that_cannot_be_written_is_told_and_does_no_harm(
    errcat: Errcat, trees: tuple[Path, Path], cache: Path
) -> None:
    cache.write_text("in the way")
    shown = errcat("diff", *trees)
    assert shown.returncode == 0
    assert "1 reworded" in shown.stdout
    assert len(shown.stderr.splitlines()) == 2
    assert all("is not kept in the cache" in line for line in shown.stderr.splitlines())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["nowhere", "new"],
            "nowhere is neither a folder nor a release. With --git URL_OR_PATH it can be a commit, a tag or a branch",
        ),
        (["old", "new", "--accept-all"], "--accept-all goes with --accept only. Name the file with --accept FILE"),
        (["old", "new", "--repo", "jax"], "--repo jax is not of the form OWNER/NAME. For example jax-ml/jax"),
        (["old", "new", "--accept", "old"], "cannot read old: Is a directory"),
        (
            ["old", "new", "--accept", "old/pkg/core.py"],
            (
                "old/pkg/core.py:1 names no change: 'def check(x):'. "
                "A line is an id, a kind and a hash; --accept-all writes them"
            ),
        ),
        (["old", "empty"], "no Python file in empty. Check that it holds the package's source"),
    ],
)
def test_bad_input_is_one_line(
    errcat: Errcat, trees: tuple[Path, Path], tmp_path: Path, arguments: list[str], told: str
) -> None:
    (tmp_path / "empty").mkdir()
    shown = errcat("diff", *arguments)
    assert (shown.returncode, shown.stdout, shown.stderr) == (2, "", f"errcat: error: {told}\n")


def test_no_such_name_in_git(errcat: Errcat, work: Path) -> None:
    shown = errcat("diff", "--git", work, "v2", "next")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr.startswith(f"errcat: error: no tag or branch v2 in {work}.")


def test_unknown_kind_and_format(errcat: Errcat, trees: tuple[Path, Path]) -> None:
    for option in ("--kind", "--format"):
        shown = errcat("diff", *trees, option, "renamed")
        assert shown.returncode == 2
        assert len(shown.stderr.splitlines()) == 1


def test_a_partial_dataset_and_two_repositories_are_told(
    errcat: Errcat, trees: tuple[Path, Path], tmp_path: Path
) -> None:
    old, new = trees
    part = errcat("dataset", "--tree", old, "--limit", "1", "--out", tmp_path / "out").stdout.splitlines()[0]
    whole = errcat("dataset", "--tree", new, "--out", tmp_path / "out").stdout.splitlines()[0]
    shown = errcat("diff", part, whole)
    assert shown.stderr.splitlines() == [
        f"errcat: {part} is partial: what it leaves out is told as a change",
        "errcat: these are of two repositories, local/old and local/new",
    ]


def test_releases(errcat: Errcat, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small release that is in the package registry, twice: the second time it is neither fetched nor mined."""
    arguments = ("diff", "1.16.0", "1.17.0", "--repo", "benjaminp/six", "--package", "six", "--format", "json")
    first = errcat(*arguments)
    assert first.returncode == 0, first.stderr
    value = json.loads(first.stdout)
    assert (value["from"], value["to"]) == ("1.16.0", "1.17.0")
    kept = mined(cache)
    assert len(kept) == 2
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    again = errcat(*arguments)
    assert again.stdout == first.stdout
    assert mined(cache) == kept


def test_datasets_of_one_chain_say_which_error_is_which(errcat: Errcat, tmp_path: Path) -> None:
    """Ids that are crossed on purpose: only who believes them sees two rewordings."""
    one, other = make_record("it is closed", "it is closed"), make_record("no such name", "no such name", qualname="g")
    crossed = [one.model_copy(update={"id": other.id}), other.model_copy(update={"id": one.id})]
    first = dataset.write(tmp_path / "out", [one, other], make_run(2))
    before = read_manifest((first / "manifest.json").read_bytes())
    previous = Previous(
        revision=before.revision, datasetVersion=before.datasetVersion, recordsSha256=before.recordsSha256
    )
    second = dataset.write(tmp_path / "out", crossed, make_run(2, revision="tree-1", previous=previous))
    named = previous.model_copy(update={"revision": "tree-1", "recordsSha256": sha256(second)})
    third = dataset.write(tmp_path / "out", crossed, make_run(2, revision="tree-2", previous=named))
    alone = dataset.write(tmp_path / "elsewhere", crossed, make_run(2, revision="tree-2", previous=named))
    for old, new in ((first, second), (first, third), (third, first)):
        assert kinds(errcat("diff", old, new, "--format", "json")) == ["reworded", "reworded"]
    assert kinds(errcat("diff", second, third, "--format", "json")) == []
    assert kinds(errcat("diff", first, alone, "--format", "json")) == []


def sha256(folder: Path) -> str:
    return read_manifest((folder / "manifest.json").read_bytes()).recordsSha256


def test_of_a_history_what_lives_in_its_newest_revision_counts(errcat: Errcat, tmp_path: Path) -> None:
    living, gone = (
        make_record("it is closed", "it is closed"),
        make_record("no such name", "no such name", qualname="g"),
    )
    rows = [living.model_copy(update={"lastSeenIn": "2.0"}), gone.model_copy(update={"lastSeenIn": "1.0"})]
    counts = {"records": 1, "added": 0, "removed": 0, "reworded": 0}
    revisions = [
        Revision(name=name, revision=name, revisionTime=None, analyzedSha=None, **counts) for name in ("1.0", "2.0")
    ]
    history = History(revisions=tuple(revisions))
    folder = dataset.write(tmp_path / "out", rows, make_run(2, revision="history", history=history))
    now = dataset.write(tmp_path / "out", [living], make_run(1))
    assert kinds(errcat("diff", folder, now, "--format", "json")) == []

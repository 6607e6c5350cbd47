"""Commits read from real repositories, served by git itself; what git did is read from its own trace."""

import contextlib
import itertools
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pipeline.errors import SourceError
from pipeline.source.git import read_commit
from pipeline.source.tree import Skipped, SkipReason, SourceTree, blob_id

AT = "2024-05-06T07:08:09+0200"


@pytest.fixture(autouse=True)
def git_of_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No configuration of the machine or the user counts; the file returned is git's only one."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    config = tmp_path / "gitconfig"
    config.write_text("[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "A. Person")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "person@example.org")
        monkeypatch.setenv(f"GIT_{who}_DATE", AT)
    return config


def git(folder: Path, *arguments: str | bytes, stdin: bytes = b"") -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, input=stdin, capture_output=True, check=True)
    return done.stdout.decode().strip()


def commit(work: Path, files: dict[str, bytes | None], message: str) -> str:
    """Write the files (None: delete), commit all, return the SHA."""
    for path, data in files.items():
        file = work / path
        if data is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    git(work, "add", "-A", ".")
    git(work, "commit", "-q", "-m", message)
    return git(work, "rev-parse", "HEAD")


def big(seed: int) -> bytes:
    """400 kB that do not compress."""
    return b"# " + random.Random(seed).randbytes(400_000).replace(b"\n", b" ")


FIRST = {
    "pkg/a.py": b"raise ValueError('a')\n",
    "pkg/old name.py": b"raise KeyError('old')\n",
    "pkg/gr\u00fc\u00df.py": b"raise TypeError('gr')\n",
    "pkg/big.py": big(1),
    "gone.py": b"x = 1\n",
    "tests/test_a.py": b"import pkg\n",
    "docs/errors.md": b"# Errors\n",
    "docs/logo.png": b"\x89PNG",
    "CHANGELOG.md": b"## 0.1\n",
    "README.md": b"read me\n",
}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Three commits: a first (v0.1.0), then a rename, a deletion, links and a submodule (v0.2.0), then a branch."""
    work = tmp_path / "work"
    work.mkdir()
    git(work, "init", "-q")
    first = commit(work, dict(FIRST), "first")
    git(work, "tag", "v0.1.0")
    git(work, "mv", "pkg/old name.py", "pkg/new name.py")
    (work / "pkg/link.py").symlink_to("a.py")
    (work / "pkg/linked").symlink_to("../docs")
    git(work, "add", "-A", ".")
    blob = git(work, "hash-object", "-w", "--stdin", stdin=b"x = 2\n")
    git(work, "update-index", "--add", "--cacheinfo", f"160000,{first},third_party/other")
    git(work, "update-index", "--add", "--cacheinfo", b"100644," + blob.encode() + b",pkg/\xff.py")
    git(work, "rm", "-q", "gone.py")
    git(work, "commit", "-q", "-m", "second")
    git(work, "tag", "-a", "v0.2.0", "-m", "annotated")
    git(work, "checkout", "-q", "-f", "-b", "topic/one")
    git(work, "rm", "-q", "-r", "--cached", "third_party")
    commit(work, {"pkg/topic.py": b"raise OSError\n"}, "third")
    git(work, "checkout", "-q", "-f", "main")
    return work


@pytest.fixture(params=[True, False], ids=["filter", "plain"])
def filtering(request: pytest.FixtureRequest, work: Path) -> bool:
    """Whether the server leaves blobs out when it is asked to."""
    git(work, "config", "uploadpack.allowFilter", str(request.param).lower())
    return bool(request.param)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(tmp_path / "trace"))
    return tmp_path / "trace"


def read(work: Path, name: str, cache: Path, **more: object) -> SourceTree:
    return read_commit(repo="o/n", url=f"file://{work}", name=name, cache=cache, **more)  # type: ignore[arg-type]  # by name


def sha_of(work: Path, name: str) -> str:
    return git(work, "rev-parse", f"{name}^{{commit}}")


def traced(trace: Path, *words: str) -> list[list[str]]:
    """The git commands since the last call that are one of the words, as their argument lists."""
    events = [json.loads(line) for line in trace.read_text().splitlines()] if trace.exists() else []
    trace.unlink(missing_ok=True)
    commands = [event["argv"][1:] for event in events if event["event"] == "start"]
    return [command for command in commands if any(word in command for word in words)]


REMOTE = ("fetch", "ls-remote", "fetch-pack", "upload-pack")


def paths(tree: SourceTree) -> list[str]:
    return [file.path for file in tree.files]


def test_a_commit_is_read_with_links_and_submodules_counted(work: Path, cache: Path, filtering: bool) -> None:
    sha = sha_of(work, "v0.2.0")
    tree = read(work, sha, cache)
    assert (tree.repo, tree.revision, tree.analyzed_sha, tree.link_ref) == ("o/n", sha, sha, sha)
    assert tree.revision_time == "2024-05-06T05:08:09.000Z"
    assert paths(tree) == ["pkg/a.py", "pkg/big.py", "pkg/gr\u00fc\u00df.py", "pkg/new name.py"]
    assert [file.path for file in tree.evidence] == ["CHANGELOG.md", "docs/errors.md", "tests/test_a.py"]
    assert all(file.blob_id == blob_id(file.data) for file in tree.files + tree.evidence)
    assert tree.files[0].data == FIRST["pkg/a.py"]
    assert tree.skipped == (
        Skipped(path="pkg/\\xff.py", reason=SkipReason.UNREADABLE),
        Skipped(path="pkg/link.py", reason=SkipReason.SYMLINK),
        Skipped(path="pkg/linked", reason=SkipReason.SYMLINK),
        Skipped(path="third_party/other", reason=SkipReason.SUBMODULE),
    )


@pytest.mark.parametrize(
    ("name", "revision"),
    [
        ("v0.1.0", "v0.1.0"),
        ("v0.2.0", "v0.2.0"),
        ("main", "main"),
        ("topic/one", "topic/one"),
        ("refs/heads/topic/one", "topic/one"),
        ("HEAD", "main"),
    ],
)
def test_tags_and_branches_resolve_to_the_full_sha(
    work: Path, cache: Path, filtering: bool, name: str, revision: str
) -> None:
    assert read(work, name, cache).revision == sha_of(work, revision)


def test_a_tag_wins_over_a_branch_of_its_name(work: Path, cache: Path) -> None:
    git(work, "branch", "v0.1.0", "topic/one")
    assert read(work, "v0.1.0", cache).revision == sha_of(work, "refs/tags/v0.1.0")


def test_the_sha_of_an_annotated_tag_is_that_of_its_commit(work: Path, cache: Path) -> None:
    tag = git(work, "rev-parse", "v0.2.0")
    assert tag != sha_of(work, "v0.2.0")
    assert read(work, tag.upper(), cache).revision == sha_of(work, "v0.2.0")


def test_an_older_commit_holds_what_it_held(work: Path, cache: Path, filtering: bool) -> None:
    read(work, "v0.2.0", cache)
    tree = read(work, sha_of(work, "v0.1.0"), cache)
    assert paths(tree) == ["gone.py", "pkg/a.py", "pkg/big.py", "pkg/gr\u00fc\u00df.py", "pkg/old name.py"]


def test_blobs_are_fetched_in_one_go_and_only_once(work: Path, cache: Path, trace: Path, filtering: bool) -> None:
    sha = sha_of(work, "v0.2.0")
    first = read(work, sha, cache)
    fetches = traced(trace, "fetch")
    assert [("--stdin" in fetch, sha in fetch) for fetch in fetches] == (
        [(False, True), (True, False)] if filtering else [(False, True)]
    )
    assert all("--depth=1" in fetch or "--stdin" in fetch for fetch in fetches)

    assert read(work, sha, cache) == first
    assert traced(trace, *REMOTE) == []

    later = read(work, "topic/one", cache)
    assert "pkg/topic.py" in paths(later)
    assert len(traced(trace, "fetch")) == len(fetches)


def test_only_wanted_blobs_of_one_commit_are_kept(work: Path, cache: Path, filtering: bool) -> None:
    read(work, "v0.2.0", cache, under="pkg/a.py")
    (kept,) = cache.glob("git/*/objects.git")
    here = git(kept, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)").splitlines()
    commits = [line.split()[1] for line in here if line.startswith("commit")]
    blobs = {line.split()[1] for line in here if line.startswith("blob")}
    assert commits == [sha_of(work, "v0.2.0")]
    unread = {blob_id(FIRST["README.md"]), blob_id(FIRST["pkg/big.py"]), blob_id(FIRST["docs/logo.png"])}
    assert blobs & unread == (set() if filtering else unread)


def test_another_folder_of_a_cached_commit_costs_one_fetch_of_blobs(work: Path, cache: Path, trace: Path) -> None:
    git(work, "config", "uploadpack.allowFilter", "true")
    sha = sha_of(work, "v0.1.0")
    assert paths(read(work, sha, cache, under="pkg/a.py")) == ["pkg/a.py"]
    traced(trace)
    assert paths(read(work, sha, cache, under=["gone.py", "./pkg/"]))[0] == "gone.py"
    (fetch,) = traced(trace, "fetch")
    assert "--stdin" in fetch


def test_a_short_sha_costs_one_fetch_of_commits_which_is_kept(
    work: Path, cache: Path, trace: Path, filtering: bool
) -> None:
    sha = sha_of(work, "v0.1.0")
    assert read(work, sha[:9].upper(), cache).revision == sha
    commits_only = [fetch for fetch in traced(trace, "fetch") if "--filter=tree:0" in fetch]
    assert len(commits_only) == 1

    assert read(work, sha[:7], cache).revision == sha
    assert traced(trace, *REMOTE) == []

    newer = commit(work, {"pkg/a.py": b"raise ValueError('b')\n"}, "fourth")
    assert read(work, newer[:9], cache).revision == newer
    assert len([fetch for fetch in traced(trace, "fetch") if "--filter=tree:0" in fetch]) == 1
    if filtering:
        (kept,) = cache.glob("git/*/commits.git")
        kinds = git(kept, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)").split()
        assert sorted(set(kinds)) == ["commit", "tag"]


def test_a_short_sha_of_several_commits_names_them(tmp_path: Path, cache: Path) -> None:
    crowd = tmp_path / "crowd"
    crowd.mkdir()
    git(crowd, "init", "-q", "--bare")
    who = "A. Person <person@example.org>"
    stream = "".join(f"commit refs/heads/main\ncommitter {who} {number} +0000\ndata 0\n" for number in range(2000))
    git(crowd, "fast-import", "--quiet", stdin=stream.encode())
    shas = sorted(git(crowd, "rev-list", "main").split())
    one, other = next(pair for pair in itertools.pairwise(shas) if pair[0][:4] == pair[1][:4])
    with pytest.raises(SourceError, match=r"is short for several commits: .*Give more of its digits") as caught:
        read(crowd, one[:4], cache)
    assert one in str(caught.value)
    assert other in str(caught.value)


UNKNOWN = "0123456789abcdef0123456789abcdef01234567"
NO_SHORT_SHA = f"""\
no commit, tag or branch {UNKNOWN[:8]} in URL. A short SHA is found on branches and tags only; try the full one"""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (UNKNOWN, f"URL has no commit {UNKNOWN}. Check the SHA, and that it was pushed there"),
        ("v0.3.0", "no tag or branch v0.3.0 in URL. Similar: v0.2.0, v0.1.0"),
        ("topic/on", "no tag or branch topic/on in URL. Similar: topic/one"),
        ("0.2.0", "no tag or branch 0.2.0 in URL. Similar: v0.2.0, v0.1.0"),
        ("zzz", "no tag or branch zzz in URL. Give a tag, a branch or a SHA"),
        ("--upload-pack=x", "no tag or branch --upload-pack=x in URL. Give a tag, a branch or a SHA"),
        (UNKNOWN[:8], NO_SHORT_SHA),
    ],
)
def test_unknown_names_say_what_to_try(work: Path, cache: Path, filtering: bool, name: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(work, name, cache)
    assert str(caught.value) == message.replace("URL", f"file://{work}")


def test_the_sha_of_a_blob_is_not_a_commit(work: Path, cache: Path) -> None:
    with pytest.raises(SourceError, match="has no commit"):
        read(work, blob_id(FIRST["pkg/a.py"]), cache)


def test_a_commit_without_python_names_the_folders_that_hold_some(work: Path, cache: Path) -> None:
    with pytest.raises(SourceError, match=r"no Python file under src in o/n at .*; these hold Python: pkg, tests"):
        read(work, "v0.2.0", cache, under="src")
    with pytest.raises(SourceError, match=r"--under \.\./x leads out of the tree"):
        read(work, "v0.2.0", cache, under="../x")


def test_a_remote_that_is_not_there_is_one_line_without_its_password(tmp_path: Path, cache: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    for url in (f"http://user:se%20cret@127.0.0.1:{port}/x.git", f"{tmp_path}/none", f"file://{tmp_path}/none"):
        for name in ("main", UNKNOWN):
            with pytest.raises(SourceError, match="cannot read ") as caught:
                read_commit(repo="o/n", url=url, name=name, cache=cache)
            assert "se%20cret" not in str(caught.value)
            assert "\n" not in str(caught.value)
    assert not [file for file in cache.rglob("*") if file.is_file() and b"se%20cret" in file.read_bytes()]


def test_a_path_will_do_for_a_url_even_a_relative_one(work: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work.parent)
    assert read_commit(repo="o/n", url="work", name="main", cache=cache).revision == sha_of(work, "main")


def test_a_hook_of_another_repository_does_not_mislead_it(
    work: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha = sha_of(work, "main")
    for name in ("GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert read(work, sha, cache).revision == sha
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["v0.1.0", "topic/one"])
def test_a_server_that_serves_no_single_objects_is_fetched_whole(
    work: Path, cache: Path, filtering: bool, git_of_nobody: Path, trace: Path, name: str
) -> None:
    commit(work, {"pkg/a.py": b"raise ValueError('b')\n"}, "so that no name is that of v0.1.0 any more")
    sha = sha_of(work, name)
    git(work, "tag", "-d", "v0.1.0")
    with git_of_nobody.open("a") as config:
        config.write("[protocol]\n\tversion = 0\n")
    assert read(work, sha, cache).revision == sha
    traced(trace)
    read(work, sha, cache)
    assert traced(trace, *REMOTE) == []


def test_a_plain_web_server_will_do(work: Path, cache: Path) -> None:
    git(work, "update-server-info")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(work / ".git"))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/"
        sha = sha_of(work, "v0.1.0")
        tree = read_commit(repo="o/n", url=url, name=sha, cache=cache)
        server.shutdown()
    assert tree.revision == sha
    assert "gone.py" in paths(tree)


def test_progress_is_told(work: Path, cache: Path, filtering: bool) -> None:
    told: list[tuple[str, int, int]] = []
    read(work, "main", cache, progress=lambda *step: told.append(step))
    assert {stage for stage, _, _ in told} == {"fetch"}
    assert all(0 <= done <= total for _, done, total in told)
    assert any(done == total for _, done, total in told)


CHILD = """
import sys
from pathlib import Path
from pipeline.source.git import read_commit
url, name, cache = sys.argv[1:]
tree = read_commit(repo="o/n", url=url, name=name, cache=Path(cache), progress=lambda *step: print(*step, flush=True))
print("done", tree.revision, len(tree.files), flush=True)
"""


@pytest.fixture
def children(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Runs of errcat beside this one; they, and servers that stall them, end with the test."""
    started: list[subprocess.Popen[str]] = []
    yield started
    (tmp_path / "go").touch()
    for child in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()


def start(children: list[subprocess.Popen[str]], work: Path, cache: Path, **env: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, f"file://{work}", sha_of(work, "main"), str(cache)]
    child = subprocess.Popen(
        command, env=os.environ | env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    children.append(child)
    return child


def serve_with(script: str, tmp_path: Path, config: Path) -> None:
    """Let git reach every server through a shell script in place of git-upload-pack."""
    wrapper = tmp_path / "serve"
    wrapper.write_text(f"#!/bin/sh\ncd {tmp_path}\n{script}\n")
    wrapper.chmod(0o755)
    with config.open("a") as more:
        more.write(f'[remote "origin"]\n\tuploadpack = {wrapper}\n')


def wait_for(folder: Path, pattern: str) -> None:
    deadline = time.monotonic() + 60
    while not list(folder.glob(pattern)):
        assert time.monotonic() < deadline, f"{pattern} never came"
        time.sleep(0.02)


STALL_IN_MID_PACK = f'git upload-pack "$@" | {sys.executable} -c "$(cat stall.py)"'
STALL = """
import os, time
sent = 0
while block := os.read(0, 10_000):
    if sent > 100_000:
        open("stalled", "w").close()
        while not os.path.exists("go"):
            time.sleep(0.05)
    sent += os.write(1, block)
"""
STALL_UNTIL_TOLD = 'touch stalled; until [ -e go ]; do sleep 0.05; done; exec git upload-pack "$@"'


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_killed_in_mid_fetch_and_run_again(
    work: Path,
    cache: Path,
    filtering: bool,
    tmp_path: Path,
    git_of_nobody: Path,
    children: list[subprocess.Popen[str]],
    end: signal.Signals,
) -> None:
    plain = git_of_nobody.read_text()
    (tmp_path / "stall.py").write_text(STALL)
    serve_with(STALL_IN_MID_PACK, tmp_path, git_of_nobody)
    child = start(children, work, cache)
    wait_for(tmp_path, "stalled")
    wait_for(cache, "git/*/tmp-*/fetch.git/objects/pack/tmp_pack_*")
    child.send_signal(end)
    assert child.wait(60) != 0
    assert len(list(cache.glob("git/*/tmp-*"))) == (1 if end == signal.SIGKILL else 0)

    git_of_nobody.write_text(plain)
    tree = read(work, "main", cache)
    assert len(tree.files) == 4
    assert not list(cache.glob("git/*/tmp-*"))


def test_two_runs_at_once_fetch_once(
    work: Path,
    cache: Path,
    filtering: bool,
    tmp_path: Path,
    git_of_nobody: Path,
    children: list[subprocess.Popen[str]],
) -> None:
    serve_with(STALL_UNTIL_TOLD, tmp_path, git_of_nobody)
    first = start(children, work, cache, GIT_TRACE2_EVENT=str(tmp_path / "first"))
    wait_for(tmp_path, "stalled")
    second = start(children, work, cache, GIT_TRACE2_EVENT=str(tmp_path / "second"))
    assert second.stdout is not None
    assert second.stdout.readline() == "waiting for another run 0 0\n"
    (tmp_path / "go").touch()
    done = f"done {sha_of(work, 'main')} 4"
    for child in (first, second):
        out, errors = child.communicate(timeout=60)
        assert out.splitlines()[-1] == done, errors
    assert len(traced(tmp_path / "first", "fetch")) + len(traced(tmp_path / "second", "fetch")) == 1 + filtering

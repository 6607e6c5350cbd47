"""kill -9 at every step, two at once, no space, no right to write: never half published, never paid twice."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import EPOCH
from refreshing import Place, contents_of, new_place, state_of
from scripted_server import Script, serving
from upstream import Upstream, release_files

from pipeline import dataset
from pipeline.dataset.validation import validate
from pipeline.explain.plan import Plan
from pipeline.refresh.publication import published

MOMENTS = [
    *(("newest", 0.0), ("history", 0.0), ("source", 0.0), ("mine", 0.0)),
    *(("explain", 0.0), ("explain", 0.1), ("explain", 0.4)),
    *(("gates", 0.0), ("changes", 0.0), ("pages", 0.0), ("pages", 0.5)),
]
"""Steps at whose beginning the job is killed, so many seconds later."""
CONCURRENCY = 64
AT_A_CHANGE = """
import os, sys

home, left, me = os.environ["KILL_IN"], [int(os.environ["KILL_AT"])], os.getpid()

def killed(event, arguments):
    changes = event in {"os.rename", "os.symlink", "os.mkdir", "os.remove", "os.rmdir", "shutil.rmtree", "os.truncate"}
    if event == "open" and isinstance(arguments[2], int):
        changes = bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
    if changes and os.getpid() == me and home in str(arguments[0]) and "pages" not in str(arguments[0]):
        left[0] -= 1
        if not left[0]:
            os.kill(me, 9)

sys.addaudithook(killed)
"""
"""What Python imports first of all when it finds it: it kills the process before its n-th change of a folder,
pages aside, of which there are hundreds."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """0.9.2 is published, and 0.10.1 is there."""
    place = new_place(tmp_path_factory.mktemp("template"))
    for version in ("0.9.2", "0.10.1"):
        release_files(version)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ERRCAT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        place.upstream.commit(release_files("0.9.2"), when=1_700_000_000)
        assert place.refresh(pages=True).code == 0
    place.upstream.commit(release_files("0.10.1"), when=1_700_001_000)
    return place


@pytest.fixture
def place(template: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return copied(template, tmp_path, monkeypatch)


def copied(template: Place, folder: Path, patch: pytest.MonkeyPatch) -> Place:
    """A copy of a place, with a cache of its own."""
    patch.setenv("ERRCAT_CACHE_DIR", str(folder / "cache"))
    place = Place(upstream=Upstream(folder=folder / "upstream"), out=folder / "out", clock=[9])
    shutil.copytree(template.upstream.folder, place.upstream.folder)
    shutil.copytree(template.out, place.out, symlinks=True)
    return place


def killed(place: Place, step: str, *arguments: str, after: float = 0.0, **environment: str) -> bool:
    """Run the job and kill it when its log says that a step begins; False where it ended before."""
    command = place.command("--log", "json", *arguments)
    env = {**os.environ, **environment}
    with subprocess.Popen(
        command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr
        for line in process.stderr:
            assert line.startswith("{"), line + process.stderr.read()
            row = json.loads(line)
            if (row["event"], row.get("step")) == ("start", step):
                time.sleep(after)
                process.kill()
                break
        process.wait(60)
        nobody_is_left(process.pid)
    return process.returncode == -signal.SIGKILL


def killed_at_a_change(place: Place, number: int, folder: Path) -> bool:
    """Run the job and let it be killed before that change of its output; False where it ended before."""
    (folder / "sitecustomize.py").write_text(AT_A_CHANGE)
    ended = place.run("--keep", "1", PYTHONPATH=str(folder), KILL_IN=str(place.out), KILL_AT=str(number))
    assert ended.returncode in {0, -signal.SIGKILL}, ended.stderr
    return ended.returncode == -signal.SIGKILL


def nobody_is_left(group: int) -> None:
    """No worker outlives the run that was killed."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("a worker outlives the run")


def test_killed_at_every_step_it_goes_on_and_pays_nothing_twice(
    template: Place, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = place.latest.resolve()
    before = state_of(old)
    with serving(tmp_path, Script(latency=0.02)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-scripted-and-secret")
        for number, (step, after) in enumerate(MOMENTS):
            clock = EPOCH if number < 4 else str(int(EPOCH) + number)  # what is begun keeps its clock
            assert killed(place, step, after=after, SOURCE_DATE_EPOCH=clock), f"ended before {step}"
            assert (place.latest.resolve(), state_of(old)) == (old, before)
        changes = 0
        while killed_at_a_change(place, changes := changes + 1, tmp_path):
            latest = place.latest.resolve()
            assert validate(latest) == []
            assert (latest / "pages" / "index.html").is_file()
            assert (latest / "publication.json").is_file()
            assert state_of(old) == before if old.exists() else latest != old
        assert changes > 10
        counts = server.counts()
        paid_for = dataset.read(place.latest).manifest
        asked = [record for record in dataset.read(place.latest).records() if record.explainedBy]
        assert sum(record.explainedBy.writer == "openai" for record in asked if record.explainedBy) > 100
        lost = counts.calls - len(counts.by_question)
        assert 0 <= lost <= 4 * CONCURRENCY  # those in flight at a kill, and no others, are asked again
        assert max(counts.by_question.values()) <= 4

        other = copied(template, tmp_path / "undisturbed", monkeypatch)
        assert other.run("--keep", "1", SOURCE_DATE_EPOCH=EPOCH).returncode == 0
    undisturbed = dataset.read(other.latest).manifest
    assert (paid_for.tokens, paid_for.costUsd) == (undisturbed.tokens, undisturbed.costUsd)
    assert contents_of(place.latest.resolve()) == contents_of(other.latest.resolve())
    assert place.latest.readlink() == other.latest.readlink()
    others = {".refresh", "latest", place.latest.readlink().name}
    assert {path.name for path in place.home.iterdir()} == others  # nothing half done is left


def test_two_at_once(place: Place) -> None:
    both = [
        subprocess.Popen(place.command("--no-pages"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    ended = [(*process.communicate(timeout=120), process.returncode) for process in both]
    assert sorted(code for _, _, code in ended) in ([0, 3], [0, 0]), ended
    for out, errors, code in ended:
        if code == 3:
            assert "errcat: error: another refresh is at work: process " in errors
            assert out == ""
    assert validate(place.latest) == []
    assert len([out for out, _, _ in ended if "published\n" in out]) == 1


def test_the_second_says_who_is_at_work(place: Place, tmp_path: Path) -> None:
    with serving(tmp_path, Script(latency=600)) as server:
        env = {**os.environ, "OPENAI_BASE_URL": server.base_url}
        command = place.command("--no-pages", "--log", "json")
        with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as first:
            assert first.stderr
            next(line for line in first.stderr if json.loads(line).get("step") == "explain")
            before = state_of(place.home)
            second = place.run("--no-pages")
            assert second.returncode == 3
            assert f"another refresh is at work: process {first.pid} on " in second.stderr
            assert second.stderr.count("errcat: error: ") == 1
            assert state_of(place.home) == before
            first.kill()
    assert place.run("--no-pages").returncode == 0


# A disk that is full, or may not be written to


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A file system in memory, of this size; the test is skipped where nobody may mount one."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("room", ["0", "200k", "2m", "4m"])
def test_no_space(template: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: str) -> None:
    """`room`: what is left beside the published dataset."""
    disk = tmp_path / "disk"
    needed = int(
        subprocess.run(["du", "-sk", str(template.out)], capture_output=True, text=True, check=True).stdout.split()[0]
    )
    spare = int(room.rstrip("km") or 0) * {"k": 1, "m": 1024}.get(room[-1], 1)
    with small_disk(disk, f"{needed + spare + 64}k"):
        place = Place(upstream=template.upstream, out=disk / "out", clock=[99])
        monkeypatch.setenv("ERRCAT_CACHE_DIR", str(tmp_path / "cache"))
        shutil.copytree(template.out, place.out, symlinks=True)
        if room == "0":
            fill(disk)
        old = place.latest.resolve()
        before = state_of(old)
        ran = place.refresh(pages=True)
        assert ran.code == 2, ran.text
        assert ran.error
        assert "No space left on device" in str(ran.error)
        assert ". What " in str(ran.error)
        assert (place.latest.resolve(), state_of(old)) == (old, before)
        subprocess.run(["mount", "-o", "remount,size=500m", str(disk)], check=True)
        (disk / "filler").unlink(missing_ok=True)
        assert place.refresh(pages=True).code == 0
        assert validate(place.latest) == []


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


def test_an_output_that_may_not_be_written_to(template: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = tmp_path / "disk"
    monkeypatch.setenv("ERRCAT_CACHE_DIR", str(tmp_path / "cache"))
    with small_disk(disk, "100m"):
        place = Place(upstream=template.upstream, out=disk / "out", clock=[99])
        shutil.copytree(template.out, place.out, symlinks=True)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        ran = place.refresh(pages=True)
        assert ran.code == 2
        assert "Read-only file system" in str(ran.error)
        assert "mine" not in ran.done
        first = place.upstream.git("rev-parse", "HEAD^")
        idle = place.refresh(pages=True, sha=first)
        assert (idle.code, "nothing to do" in idle.text) == (0, True)


# Money


def test_the_limit_is_kept_over_kills_and_a_refused_candidate_goes_on(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path, Script(latency=0.05)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        limited = ("--no-pages", "--max-usd", "0.05")
        assert killed(place, "explain", *limited, after=0.5)
        refused = place.run(*limited)
        assert refused.returncode == 1, refused.stdout
        assert "| explained | **failed** |" in refused.stdout
        assert "records without an answer of the model: the budget was used up" in refused.stdout
        assert "running it again goes on with those; what was answered is kept" in refused.stdout
        [manifest] = place.home.glob(".refresh/*/made/*/*/manifest.json")
        first = dataset.read(manifest.parent).manifest.costUsd
        assert 0.02 < first <= 0.05
        more = place.run(*limited)  # it goes on, with a limit of its own
        assert more.returncode in {0, 1}
        if more.returncode == 1:
            assert first < dataset.read(manifest.parent).manifest.costUsd <= 0.1
        ran = place.run("--no-pages")
        assert ran.returncode == 0, ran.stdout
        calls = server.counts().calls
        assert place.run("--no-pages").stdout.endswith("nothing to do\n")
        assert server.counts().calls == calls


def test_answers_that_fail_their_checks_are_not_published(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    invented = {"preventionTips": ["Set `JAX_FROBNICATE_ALL=1` before the call."]}
    with serving(tmp_path, Script(say=invented)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        ran = place.refresh(plan=Plan(writer="openai", model="gpt-4.1-mini"))
    assert (ran.code, ran.text.count("**failed**"), ran.text.count("| checks | **failed** |")) == (1, 1, 1)
    found = published(place.home)
    assert found
    assert found.dataset.manifest.writer == "derived"


# Secrets


def test_no_secret_is_said_or_kept(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("sk-planted-0123456789", "hunter22-planted", "planted-token-xyz")
    folder = place.upstream.folder
    config = tmp_path / "gitconfig"
    config.write_text(f'[url "{folder}"]\n\tinsteadOf = https://me:{secrets[1]}@nowhere.invalid/jax\n')
    environment = {
        "OPENAI_API_KEY": secrets[0],
        "GH_TOKEN": secrets[2],
        "GIT_CONFIG_GLOBAL": str(config),
        "ERRCAT_CACHE_DIR": str(tmp_path / "cache"),
    }
    address = f"https://me:{secrets[1]}@nowhere.invalid/jax"
    base = [*place.command()[:2], "--out", str(place.out), "--no-pages"]
    with serving(tmp_path) as server:
        environment |= {"OPENAI_BASE_URL": server.base_url}
        said = ""
        for git, more in (
            (address, ["--log", "json"]),
            (address, ["--override", f"ids=see {secrets[2]}"]),
            (f"https://me:{secrets[1]}@127.0.0.1:9/jax", []),
            (f"https://me:{secrets[1]}@127.0.0.1:9/jax", ["--log", "json"]),
        ):
            command = [*base, "--git", git, *more]
            ended = subprocess.run(
                command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
            )
            assert ended.returncode == (0 if git == address else 2), ended.stderr
            said += ended.stdout + ended.stderr
    assert "published" in said
    assert "nothing to do" in said
    assert "127.0.0.1" in said
    kept = b"".join(path.read_bytes() for path in place.out.rglob("*") if path.is_file() and not path.is_symlink())
    for secret in secrets:
        assert secret not in said
        assert secret.encode() not in kept

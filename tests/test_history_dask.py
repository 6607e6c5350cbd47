"""errcat history over a real Dask cluster on loopback: the same bytes as without, also when a worker is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import EPOCH
from distributed import Client

COUNT = 9
TABLES = ("records.jsonl", "records.parquet", "history.parquet", "history.svg")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository with a tag for each of a few small releases, whose errors come, go and change."""
    folder = tmp_path / "repository"
    (folder / "pkg").mkdir(parents=True)
    who = {f"GIT_{role}_{part}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull}

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)

    git("init", "--quiet")
    for number in range(COUNT):
        functions = (
            f"def f{i}(x):\n  if x > {i}:\n    raise ValueError(f'{{x}} is more than {number // 3 if i == 2 else i}')\n"
            for i in range(number % 4, number + 3)
        )
        (folder / "pkg" / "core.py").write_text("".join(functions))
        git("add", "--all")
        git("commit", "--quiet", "--message", str(number))
        git("tag", f"v1.{number}")
    return folder


@contextmanager
def started(*arguments: str, cache: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A program of Dask's, ended afterwards whatever state it is in."""
    environment = {**os.environ, "ERRCAT_CACHE_DIR": str(cache)}
    with subprocess.Popen(
        [sys.executable, "-m", *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def cluster(folder: Path, count: int) -> Iterator[tuple[Any, list[subprocess.Popen[bytes]]]]:
    """A client of a scheduler, and its worker processes, each with a cache of its own, as on other machines."""
    with ExitStack() as stack:
        file = folder / "scheduler.json"
        local = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file))
        scheduler = ("distributed.cli.dask_scheduler", *local, "--port", "0")
        stack.enter_context(started(*scheduler, cache=folder / "scheduler"))
        wait_for(file.exists)
        workers = [
            stack.enter_context(
                started(
                    *("distributed.cli.dask_worker", *local, "--nthreads", "1", "--no-nanny", "--name", str(number)),
                    *("--local-directory", str(folder)),
                    cache=folder / f"worker{number}",
                )
            )
            for number in range(count)
        ]
        client: Any = stack.enter_context(Client(scheduler_file=str(file), set_as_default=False))  # type: ignore[no-untyped-call]  # Dask's
        if count:
            client.wait_for_workers(count, timeout=60)
        yield client, workers


def wait_for(condition: Any, seconds: float = 60) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def history(repository: Path, folder: Path, *more: str) -> subprocess.Popen[str]:
    """The command, with a cache of its own."""
    command = [sys.executable, "-m", "pipeline", "history", "--tags", "v*", "--git", str(repository)]
    command += ["--repo", "o/pkg", "--out", str(folder / "out"), *more]
    environment = {**os.environ, "ERRCAT_CACHE_DIR": str(folder / "cache"), "SOURCE_DATE_EPOCH": EPOCH}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def written(repository: Path, folder: Path, *more: str) -> dict[str, bytes]:
    with history(repository, folder, *more) as process:
        _, told = process.communicate()
    assert (process.returncode, told) == (0, "")
    return contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / "out" / "o__pkg" / "history" / name).read_bytes() for name in TABLES}


def test_a_killed_worker_costs_a_retry_and_not_a_byte(repository: Path, tmp_path: Path) -> None:
    alone = written(repository, tmp_path / "alone")
    assert alone["records.jsonl"].count(b"\n") > COUNT
    with cluster(tmp_path, 2) as (client, workers):
        address = client.scheduler.address
        victim = workers[0]
        victims = next(a for a, told in client.scheduler_info()["workers"].items() if told["name"] == 0)
        victim.send_signal(signal.SIGSTOP)  # it holds what it is given, and does nothing about it
        with history(repository, tmp_path / "cluster", "--dask", address) as process:
            wait_for(lambda: client.processing()[victims])
            held = len(client.processing()[victims])
            victim.kill()
            _, told = process.communicate()
        assert held > 0
        assert list(client.scheduler_info()["workers"]) != []
        assert victims not in client.scheduler_info()["workers"]
    assert (process.returncode, told) == (0, "")
    assert contents(tmp_path / "cluster") == alone


def test_a_cluster_that_is_not_there_is_said_to_be_none(repository: Path, tmp_path: Path) -> None:
    with history(repository, tmp_path, "--dask", "tcp://127.0.0.1:9") as process:
        _, told = process.communicate()
    assert process.returncode == 2
    assert told.startswith("errcat: error: no Dask scheduler at tcp://127.0.0.1:9: ")
    assert told.endswith("Start one with `dask scheduler`, and give --dask the address that it prints\n")
    assert told.count("\n") == 1


def test_a_cluster_without_a_worker_is_said_to_have_none(repository: Path, tmp_path: Path) -> None:
    with cluster(tmp_path, 0) as (client, _):
        address = client.scheduler.address
        with history(repository, tmp_path, "--dask", address) as process:
            _, told = process.communicate()
    assert process.returncode == 2
    expected = f"the Dask scheduler at {address} has no worker. Start some with `dask worker {address} --nthreads 1`"
    assert told == f"errcat: error: {expected}\n"

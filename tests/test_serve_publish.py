"""A dataset is published while clients ask: no request fails, and no answer mixes two datasets."""

import asyncio
import os
import random
import re
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import make_run
from serving import Answer, Client, Server, serving

from pipeline import dataset
from pipeline.dataset import staging
from pipeline.record import Record

CLIENTS = 64
WORKERS = max(2, os.cpu_count() or 1)
FAR = 100_000
"""Lines between an error in one dataset and the same in the next: its line number says which dataset it is of."""
VERSIONS = tuple(f"2026-08-2{number}T00:00:00.000Z" for number in range(4))


@pytest.fixture(scope="module")
def editions(jax_dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four datasets that differ in the time of publication and in every line number."""
    before = dataset.read(jax_dataset)
    records = list(before.records())[::4]
    kept = {name: getattr(before.manifest, name) for name in ("repo", "revision", "analyzedSha", "coverage")}
    return [
        dataset.write(
            tmp_path_factory.mktemp("edition"),
            [_moved(record, number * FAR) for record in records],
            make_run(**kept, datasetVersion=version),
        )
        for number, version in enumerate(VERSIONS)
    ]


def _moved(record: Record, lines: int) -> Record:
    places = ("lineNumber", "endLineNumber", "sourceCodeStart", "sourceCodeEnd")
    return record.model_copy(update={place: getattr(record, place) + lines for place in places})


def publish(edition: Path, folder: Path) -> None:
    """Exchange a folder as `errcat dataset` does."""
    with staging.replacing(folder) as staged:
        shutil.copytree(edition, staged, dirs_exist_ok=True)


@pytest.fixture
def folder(editions: list[Path], tmp_path: Path) -> Path:
    place = tmp_path / "jax-ml__jax" / "0.9.2"
    publish(editions[0], place)
    return place


def of(answer: Answer) -> int:
    """The number of the dataset that an answer says it comes from."""
    return VERSIONS.index(answer.version)


class Visitor:
    """One client, who asks for this and that, and looks whether every answer is of one dataset."""

    def __init__(self, port: int, records: list[Record], seed: int) -> None:
        self.client = Client(port)
        self.records = records
        self.chance = random.Random(seed)
        self.seen: Counter[tuple[str, int]] = Counter()

    async def visit(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            ask = self.chance.choice((self.error, self.page, self.match, self.list, self.health))
            self.seen[ask.__name__, await ask()] += 1
        self.client.close()

    async def error(self) -> int:
        record = self.chance.choice(self.records)
        query = self.chance.choice(("", "?schemaVersion=2"))
        answer = await self.get(f"/api/errors/{record.id}{query}")
        assert answer.json["datasetVersion"] == answer.version
        assert answer.json["record"]["lineNumber"] == record.lineNumber + of(answer) * FAR
        return of(answer)

    async def page(self) -> int:
        record = self.chance.choice(self.records[:60])
        answer = await self.get(f"/errors/{record.id}/")
        text = answer.body.decode()
        assert f'datetime="{answer.version}"' in text
        lines = {int(line) // FAR for line in re.findall(rf"{re.escape(record.filePath)}:(\d+)", text)}
        assert lines == {of(answer)}
        return of(answer)

    async def match(self) -> int:
        record = self.chance.choice(self.records)
        text = f"{record.errorClass}: {record.errorMessage}".encode()
        answer = await self.client.ask("POST", "/api/match", text)
        assert answer.status == 200, answer.body
        assert {row["lineNumber"] // FAR for row in answer.json["matches"]} <= {of(answer)}
        return of(answer)

    async def list(self) -> int:
        found: list[dict[str, Any]] = []
        cursor, version = "", -1
        while True:
            answer = await self.client.ask("GET", f"/api/errors?q=axis&limit=20{cursor}")
            if answer.status == 409:  # another dataset was published: from the beginning
                assert cursor
                assert of(answer) > version
                return await self.list()
            assert answer.status == 200, answer.body
            assert version in {-1, of(answer)}
            version = of(answer)
            found += answer.json["errors"]
            if answer.json["nextCursor"] is None:
                break
            cursor = f"&cursor={answer.json['nextCursor']}"
        assert {row["lineNumber"] // FAR for row in found} == {version}
        assert len({row["id"] for row in found}) == len(found) == answer.json["total"]
        return version

    async def health(self) -> int:
        answer = await self.get("/healthz")
        assert answer.json["datasetVersion"] == answer.version
        assert answer.json["problem"] is None
        return of(answer)

    async def get(self, path: str) -> Answer:
        answer = await self.client.ask("GET", path)
        assert answer.status == 200, (path, answer.body)
        return answer


async def visits(server: Server, records: list[Record], *publications: Any) -> Counter[tuple[str, int]]:
    """What 64 clients saw while this was published, one after the other, each until it is served."""
    stop = asyncio.Event()
    visitors = [Visitor(server.port, records, seed) for seed in range(CLIENTS)]
    async with asyncio.TaskGroup() as group:
        for visitor in visitors:
            group.create_task(visitor.visit(stop))
        for number, publication in enumerate(publications, 1):
            await asyncio.sleep(1)
            await asyncio.to_thread(publication)
            async with asyncio.timeout(120):
                while not any(seen[1] >= number for visitor in visitors for seen in visitor.seen):  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
        await asyncio.sleep(1)
        stop.set()
    return sum((visitor.seen for visitor in visitors), Counter())


def test_64_clients_do_not_notice_a_publication(folder: Path, editions: list[Path], tmp_path: Path) -> None:
    latest, another = tmp_path / "latest", tmp_path / "another"
    latest.symlink_to(folder)
    publish(editions[2], another)
    records = list(dataset.read(editions[0]).records())
    with serving(latest, tmp_path) as server:
        seen = asyncio.run(
            visits(
                server,
                records,
                lambda: publish(editions[1], folder),  # exchanged
                lambda: switch(latest, another),  # linked
                lambda: publish(editions[3], another),  # exchanged behind the link
            )
        )
        assert {number for _, number in seen} == {0, 1, 2, 3}
        assert {what for what, _ in seen} == {"error", "page", "match", "list", "health"}
        assert server.said == []
        settled(server, tmp_path)
    assert list((tmp_path / "copies").iterdir()) == []


def switch(link: Path, to: Path) -> None:
    """Point a link elsewhere, in one step."""
    new = link.with_name("new")
    new.symlink_to(to)
    new.replace(link)


def settled(server: Server, scratch: Path) -> None:
    """Of all datasets served, one copy and its processes are left."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")

    def is_settled() -> bool:
        processes = len(children.read_text().split()) if children.exists() else WORKERS
        return len(list((scratch / "copies").iterdir())) == 1 and processes == WORKERS

    wait_until(is_settled)


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.2)


DAMAGES = (
    ("manifest.json", b"{}", "not a valid manifest"),
    ("manifest.json", b'{"schemaVersion": 4}', "a manifest of schemaVersion 4, but this errcat reads up to 3"),
    ("records.jsonl", b"{}\n", "is not what its manifest says"),
)


def tells(server: Server, problem: str) -> bool:
    return problem in (server.get("/healthz").json["problem"] or "")


def test_what_is_damaged_is_not_served(folder: Path, editions: list[Path], tmp_path: Path) -> None:
    with serving(folder, tmp_path) as server:
        for number, (name, content, problem) in enumerate(DAMAGES, 1):
            with staging.replacing(folder) as staged:
                shutil.copytree(editions[1], staged, dirs_exist_ok=True)
                (staged / name).write_bytes(content)
            wait_until(partial(tells, server, problem))
            assert of(server.get("/api/errors?q=axis")) == 0
            assert len(server.said) == number
            assert server.said[-1].startswith("errcat: still serving the dataset before: ")
        publish(editions[2], folder)
        wait_until(lambda: of(server.get("/healthz")) == 2)
        assert server.get("/healthz").json["problem"] is None


def test_a_dataset_that_comes_piece_by_piece_is_served_when_it_is_whole(
    folder: Path, editions: list[Path], tmp_path: Path
) -> None:
    with serving(folder, tmp_path) as server:
        for name in ("manifest.json", "records.jsonl"):  # as a plain copy has it
            wait_until(lambda: of(server.get("/healthz")) == 0)
            shutil.copyfile(editions[1] / name, folder / name)
            time.sleep(1.5)
        wait_until(lambda: of(server.get("/healthz")) == 1)


def test_without_a_name_the_newest_is_served(editions: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "output"
    publish(editions[1], out / "jax-ml__jax" / "one")
    with serving(None, tmp_path, out=out) as server:
        assert of(server.get("/healthz")) == 1
        publish(editions[2], out / "jax-ml__jax" / "two")
        wait_until(lambda: of(server.get("/healthz")) == 2)
        shutil.rmtree(out / "jax-ml__jax")
        time.sleep(2)
        assert of(server.get("/api/errors?q=axis")) == 2  # what is served is a copy


def test_an_interrupted_server_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    with serving(folder, tmp_path) as server:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(20) == 130
    assert server.said == ["errcat: error: interrupted\n"]
    assert list((tmp_path / "copies").iterdir()) == []

"""Requests made to hurt: each is refused with a word, none holds up the others, and the server lives on."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import make_record, make_run
from serving import Answer, Client, Server, ask, read, serving

from pipeline import dataset
from pipeline.serve.limits import Allowance

LIMITS = {"text": 20_000, "head": 8_000, "arrival": 1.5, "connections": 300}
SAID = b"ValueError: the axis 3 is not one of these"
RECORD = make_record("the axis {x} is not one of these", "the axis (.+?) is not one of these")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dataset.write(tmp_path_factory.mktemp("out"), [RECORD], make_run(1))


@pytest.fixture(scope="module")
def server(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(small, tmp_path_factory.mktemp("scratch"), limits=LIMITS) as running:
        yield running
    assert running.said == []  # nothing of all this is a fault of the server


@pytest.fixture(autouse=True)
def _alive(server: Server) -> Iterator[None]:
    yield
    assert server.get("/healthz").status == 200


def raw(server: Server, *pieces: bytes, pause: float = 0.0) -> Answer | None:
    """What comes for these bytes; None where the connection is closed without a word."""

    async def send() -> Answer | None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(pause)
            async with asyncio.timeout(20):
                return await read(reader)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        finally:
            writer.close()

    return asyncio.run(send())


HEAD = b"Host: x\r\nConnection: close\r\n"
POST = b"POST /api/match HTTP/1.1\r\n" + HEAD
REQUESTS: dict[str, tuple[bytes, int | None]] = {
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "only NULs": (b"\x00" * 100 + b"\r\n\r\n", 400),
    "HTTP/9.9": (b"GET / HTTP/9.9\r\n" + HEAD + b"\r\n", 400),
    "an unknown method": (b"BREW /api/match HTTP/1.1\r\n" + HEAD + b"\r\n", 400),
    "a NUL in a path": (b"GET /errors/\x00/ HTTP/1.1\r\n" + HEAD + b"\r\n", 400),
    "bytes that are no ASCII in a path": (b"GET /errors/\xff\xfe/ HTTP/1.1\r\n" + HEAD + b"\r\n", 400),
    "a NUL in a header": (b"GET / HTTP/1.1\r\nX: a\x00b\r\n" + HEAD + b"\r\n", 400),
    "a header without a colon": (b"GET / HTTP/1.1\r\nnonsense\r\n" + HEAD + b"\r\n", 400),
    "a length that is none": (POST + b"Content-Length: x\r\n\r\n", 400),
    "a negative length": (POST + b"Content-Length: -1\r\n\r\n", 400),
    "two lengths": (POST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400),
    "a length and chunks": (POST + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "a chunk of no size": (POST + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
    "chunks": (POST + b"Transfer-Encoding: chunked\r\n\r\n2a\r\n" + SAID + b"\r\n0\r\n\r\n", 200),
    "a body of a GET": (b"GET /healthz HTTP/1.1\r\nContent-Length: 5\r\n" + HEAD + b"\r\nabcde", 200),
    "an absolute address": (b"GET http://else.where/healthz HTTP/1.1\r\n" + HEAD + b"\r\n", 200),
    "an upgrade": (b"GET /healthz HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nHost: x\r\n\r\n", 200),
    "a path without an end": (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n" + HEAD + b"\r\n", 400),
    "a path that goes on": (b"GET /" + b"a" * 20_000, 431),
    "a header without an end": (b"GET / HTTP/1.1\r\nX: " + b"a" * 100_000, 431),
    "headers without an end": (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000, 431),
    "a text that is said to be long": (POST + b"Content-Length: 20001\r\n\r\n", 413),
    "a text that is said to be longer than numbers": (POST + b"Content-Length: " + b"9" * 40 + b"\r\n\r\n", 400),
    "a long text in chunks": (
        POST + b"Transfer-Encoding: chunked\r\n\r\n" + (b"1000\r\n" + b"a" * 4096 + b"\r\n") * 6,
        413,
    ),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_what_is_no_request_is_refused(server: Server, name: str) -> None:
    request, status = REQUESTS[name]
    answer = raw(server, request[:1], request[1:200], request[200:5_000], request[5_000:], pause=0.05)
    assert (answer and answer.status) == status


def test_who_sends_too_long_a_text_hears_of_it(server: Server) -> None:
    for _ in range(5):
        answer = ask(server, "POST", "/api/match", SAID * 100_000)
        assert answer.status == 413
        assert answer.json["detail"] == "a text may have 20,000 bytes; send the traceback and what follows it"


PATHS = (
    "/../../../etc/passwd",
    "/errors/../../../../etc/passwd",
    "/static/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/static/..%2f..%2f..%2fetc%2fpasswd",
    "/static/%2e%2e%2f%2e%2e%2fsite.py",
    "/static/....//....//site.py",
    "/static/..%5c..%5csite.py",
    "/static/%252e%252e/site.py",
    "//etc/passwd",
    "/static//etc/passwd",
    "/etc/passwd%00.html",
    "/errors/%00/",
    "/errors/%ff%fe/",
    "/errors/%0d%0aX-Evil:%20yes/",
    "/errors/" + "a" * 5_000 + "/",
    "/errors/" + "%F0%9F%A6%9C" * 200 + "/",
    "/errors/{{7*7}}/",
    "/errors/%3Cscript%3Ealert(1)%3C/script%3E/",
    "/static/",
    "/static",
    "/.git/config",
    "/manifest.json",
    "/records.jsonl",
)


@pytest.mark.parametrize("path", PATHS)
def test_only_what_the_site_has_is_given(server: Server, path: str) -> None:
    answer = server.get(path)
    assert answer.status == 404
    assert answer.json["detail"] == "nothing is here; the catalogue begins at /"
    assert "x-evil" not in answer.headers


IDS = ("..", "../x", "%2e%2e", "%00", "a" * 5_000, "' OR 1=1", "%F0%9F%A6%9C", "<script>", "%0d%0aX:%20y", "*", "{id}")


@pytest.mark.parametrize("identifier", IDS)
def test_only_ids_are_ids(server: Server, identifier: str) -> None:
    answer = server.get(f"/api/errors/{identifier.replace(' ', '%20')}")
    assert answer.status == 404
    assert len(answer.body) < 200
    assert "x" not in answer.headers


@pytest.mark.parametrize(
    "query",
    [
        "q=" + "a" * 301,
        "cursor=" + "1" * 2_000,
        "cursor=-1.00000000.00000000",
        "cursor=0.00000000.00000000%0a",
        "limit=99999999999999999999999",
        "limit=1e3",
        "limit=%00",
        "class=" + "%F0%9F%A6%9C" * 301,
    ],
)
def test_only_queries_are_queries(server: Server, query: str) -> None:
    answer = server.get(f"/api/errors?{query}")
    assert answer.status == 422
    assert len(answer.body) < 300


def test_a_strange_query_finds_nothing(server: Server) -> None:
    for query in (
        "q=%00",
        "q=%ff",
        "q=.*",
        "q=%F0%9F%A6%9C",
        "class=%00",
        "file=../..",
        "file=/",
        "api=.",
        "q=" + "zz+" * 90,
    ):
        assert server.get(f"/api/errors?{query}").json["total"] == 0
    assert server.get("/api/errors?q=++&class=&file=&api=&unknown=x").json["total"] == 1


SLOW: dict[str, Callable[[int], bytes]] = {
    "nothing": lambda _: b"",
    "a head, byte by byte": lambda turn: (b"GET / HTTP/1.1\r\nX: " + b"a" * 100)[turn : turn + 1],
    "headers, one by one": lambda turn: b"X: y\r\n" if turn else b"GET / HTTP/1.1\r\n",
    "a body, byte by byte": lambda turn: b"a" if turn else POST + b"Content-Length: 500\r\n\r\n",
    "chunks, one by one": lambda turn: b"1\r\na\r\n" if turn else POST + b"Transfer-Encoding: chunked\r\n\r\n",
    "empty lines": lambda _: b"\r\n",
    "a body that nobody reads": lambda turn: b"a" if turn else b"GET /x HTTP/1.1\r\nContent-Length: 500\r\n\r\n",
}


@pytest.mark.parametrize("name", SLOW)
def test_who_never_finishes_a_request_is_sent_away(server: Server, name: str) -> None:
    async def dawdle() -> tuple[float, bytes]:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        started = time.monotonic()
        reading = asyncio.create_task(reader.read())
        for turn in range(100):
            if reading.done():
                break
            writer.write(SLOW[name](turn))
            await asyncio.sleep(0.1)
        try:
            got = await asyncio.wait_for(reading, 10)
        except ConnectionError:
            got = b""
        writer.close()
        return time.monotonic() - started, got

    async def all_of_them() -> tuple[list[tuple[float, bytes]], list[float]]:
        many = asyncio.gather(*(dawdle() for _ in range(40)))
        times = []
        client = Client(server.port)
        while not many.done():
            started = time.monotonic()
            assert (await client.ask("POST", "/api/match", SAID)).json["matches"]
            times.append(time.monotonic() - started)
            await asyncio.sleep(0.05)
        client.close()
        return await many, times

    ended, times = asyncio.run(all_of_them())
    assert all(seconds < 9 for seconds, _ in ended)  # 1.5 on an idle machine
    assert {got.split(b"\r\n")[0] for _, got in ended} <= {
        b"HTTP/1.1 408 Request Timeout",
        b"HTTP/1.1 404 Not Found",
        b"HTTP/1.1 400 Bad Request",
        b"",
    }
    assert sorted(times)[len(times) // 2] < 1  # the others notice nothing


def test_more_connections_than_it_takes_are_turned_away_and_not_kept(server: Server) -> None:
    async def crowd() -> Answer:
        streams = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(320)]
        client = Client(server.port)
        refused = await client.ask("GET", "/healthz")
        client.close()
        for _, writer in streams:
            writer.close()
        return refused

    assert asyncio.run(crowd()).status == 503
    deadline = time.monotonic() + 20
    while server.get("/healthz").status != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def children(pid: int) -> list[int]:
    """Its processes, the oldest first."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sorted(map(int, found), key=lambda child: int(Path(f"/proc/{child}/stat").read_text().split()[21]))


def test_a_text_that_takes_too_long_ends_alone(small: Path, tmp_path: Path) -> None:
    """No text takes long by itself, so the process that is at it is held."""
    limits = {"seconds": 1.5, "patience": 30.0}
    long = SAID + b"\n" + b"a line\n" * 3_000  # only the first process takes one of this length

    async def both(server: Server) -> tuple[list[Answer], list[Answer]]:
        done = asyncio.Event()
        quick: list[Answer] = []
        others_of = set(children(server.process.pid)[1:])

        async def others() -> None:
            client = Client(server.port)
            while not done.is_set():
                quick.append(await client.ask("POST", "/api/match", SAID))
            client.close()

        client = Client(server.port)
        slow = []
        background: list[asyncio.Task[None]] = []
        for _ in range(2):
            slow.append(await client.ask("POST", "/api/match", long))
            [held] = set(children(server.process.pid)) - others_of
            background = background or [asyncio.create_task(others())]
            asked = asyncio.create_task(client.ask("POST", "/api/match", long))
            os.kill(held, signal.SIGSTOP)
            slow.append(await asked)
        client.close()
        done.set()
        await asyncio.gather(*background)
        return slow, quick

    with serving(small, tmp_path, limits=limits) as server:
        slow, quick = asyncio.run(both(server))
        assert [answer.status for answer in slow] == [200, 503, 200, 503]
        assert slow[1].json["detail"] == "this text takes more than 1.5 s; send the error alone"
        assert len(quick) > 20
        assert {answer.status for answer in quick} == {200}  # the others notice nothing
        assert ask(server, "POST", "/api/match", long).json["error"]["class"] == "ValueError"
    assert server.said == []


def test_more_than_can_wait_is_turned_away(small: Path, tmp_path: Path) -> None:
    async def rush(server: Server) -> list[Answer]:
        clients = [Client(server.port) for _ in range(60)]
        text = SAID + b"\n" * 200_000  # long enough for only one process
        answers = await asyncio.gather(*(client.ask("POST", "/api/match", text) for client in clients))
        for client in clients:
            client.close()
        return answers

    with serving(small, tmp_path, limits={"waiting": 4, "seconds": 30.0}) as server:
        answers = asyncio.run(rush(server))
        refused = [answer for answer in answers if answer.status == 503]
        assert {answer.status for answer in answers} == {200, 503}
        assert {answer.headers["retry-after"] for answer in refused} == {"1"}
        assert refused[0].json["detail"] == "too much to do at once; try again"
        assert ask(server, "POST", "/api/match", SAID).status == 200


def test_one_address_is_answered_so_often(small: Path, tmp_path: Path) -> None:
    with serving(small, tmp_path, limits={"a_minute": 3}) as server:
        answers = [ask(server, "POST", "/api/match", SAID) for _ in range(5)]
        assert [answer.status for answer in answers] == [200, 200, 200, 429, 429]
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 20
        assert answers[-1].json["detail"].startswith("too many texts from one address; again in ")
        assert server.get("/healthz").status == 200  # everything else is as before
        other = ask(server, "POST", "/api/match", SAID, {"x-forwarded-for": "192.0.2.7"})  # told by a proxy here
        assert other.status == 200


@pytest.mark.parametrize(
    ("a_minute", "requests", "waits"),
    [
        (2, [("a", 0), ("a", 0), ("a", 0), ("b", 0)], [0, 0, 30, 0]),
        (2, [("a", 0), ("a", 0), ("a", 15), ("a", 30), ("a", 31)], [0, 0, 15, 0, 29]),
        (2, [("a", 0), ("a", 500), ("a", 500), ("a", 500)], [0, 0, 0, 30]),
        (60, [("a", 0)] * 60 + [("a", 0.5), ("a", 1.0)], [0] * 60 + [0.5, 0]),
        (1, [("2001:db8::1", 0), ("2001:db8::2", 0), ("2001:db8:0:1::1", 0)], [0, 60, 0]),
        (0, [("a", 0)] * 500, [0] * 500),
    ],
)
def test_an_allowance_grows_back(a_minute: int, requests: list[tuple[str, float]], waits: list[float]) -> None:
    allowance = Allowance(a_minute)
    assert [allowance.take(address, now) for address, now in requests] == pytest.approx(waits)


def test_only_so_many_addresses_are_remembered() -> None:
    allowance: Any = Allowance(1)
    for number in range(20_500):
        allowance.take(str(number), 0.0)
    assert len(allowance._left) == 20_000
    assert allowance.take("20499", 0.0) == 60
    assert allowance.take("0", 0.0) == 0  # forgotten

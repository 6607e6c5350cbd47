"""A server in a process of its own on a loopback port, and clients for it: as many as wanted, in one event loop."""

import asyncio
import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
WITH_LIMITS = """
import json, sys
from pathlib import Path
from pipeline.serve.command import listen, serve
from pipeline.serve.limits import Limits
folder, limits = Path(sys.argv[1]), Limits(**json.loads(sys.argv[2]))
serve(lambda: folder, listen("127.0.0.1", 0), version="0", announce=lambda line: print(line, flush=True), limits=limits)
"""


@dataclass
class Server:
    """A running server. said: what it wrote to stderr, line by line."""

    process: subprocess.Popen[str]
    line: str
    said: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.line.rsplit(" ", 1)[1].strip().rstrip("/")

    @property
    def port(self) -> int:
        port = urlsplit(self.url).port
        assert port is not None
        return port

    def get(self, path: str, **headers: str) -> "Answer":
        """One request from a client of its own."""
        return ask(self, "GET", path, headers=headers)


@contextlib.contextmanager
def serving(
    dataset: Path | None, scratch: Path, *, limits: Mapping[str, Any] | None = None, out: Path | None = None
) -> Iterator[Server]:
    """A server of a dataset: `errcat serve`, or where limits are given one with those. It writes under `scratch`.

    out: without a dataset, the folder in which the newest is served.
    """
    if limits is None:
        which = [str(dataset)] if dataset else ["--out", str(out)]
        command = ["-m", "pipeline", "serve", *which, "--port", "0", "--rate", "0"]
    else:
        command = ["-c", WITH_LIMITS, str(dataset), json.dumps({"a_minute": 0, **limits})]
    copies = scratch / "copies"
    copies.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "ERRCAT_CACHE_DIR": str(scratch), "TMPDIR": str(copies)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    server = Server(process=process, line=process.stdout.readline())
    reader = threading.Thread(target=lambda: server.said.extend(process.stderr or ()), daemon=True)
    reader.start()
    try:
        assert server.line, process.wait(10)
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        finally:
            reader.join(10)
            process.stdout.close()
            process.stderr.close()


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back. headers: names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def version(self) -> str:
        return self.headers["errcat-dataset-version"]


def ask(server: Server, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Answer:
    """One request from a client of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        given = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        connection.request(method, path, body, given)
        answer = connection.getresponse()
        got = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(status=answer.status, headers=got, body=answer.read())
    finally:
        connection.close()


class Client:
    """One connection that is kept, and opened again where the server closed it after an answer."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Answer:
        """Send one request, and read its answer."""
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        return await self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    async def send(self, request: bytes) -> Answer:
        """Send the bytes of a request, and read its answer."""
        if self._streams is None or self._streams[0].at_eof():
            self.close()
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 22)
        reader, writer = self._streams
        writer.write(request)
        answer = await read(reader)
        if answer.headers.get("connection") == "close":
            self.close()
        return answer

    def close(self) -> None:
        """Close the connection, if one is open."""
        if self._streams:
            self._streams[1].close()
            self._streams = None


async def read(reader: asyncio.StreamReader) -> Answer:
    """The answer that comes; asyncio.IncompleteReadError where the connection ends before."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = (line.partition(":") for line in head[1:] if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in fields}
    status = int(head[0].split(" ")[1])
    size = 0 if status in {204, 304} else int(headers["content-length"])
    return Answer(status=status, headers=headers, body=await reader.readexactly(size))

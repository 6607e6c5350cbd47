"""The command `errcat serve`, without the parsing of its options."""

import asyncio
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Final

import uvicorn

from pipeline.errors import ErrcatError
from pipeline.serve.app import Parts, application
from pipeline.serve.connection import protocol
from pipeline.serve.current import Choose, Current
from pipeline.serve.limits import Allowance, Limits
from pipeline.serve.makers import Makers
from pipeline.serve.snapshot import take

_SWITCH: Final = 0.0005
"""Seconds after which a thread that makes a page lets the others go on, so that no request waits long for it."""
_GRACE: Final = 10
"""Seconds that requests have to end when the server is to end."""


def serve(
    choose: Choose,
    listening: socket.socket,
    *,
    version: str,
    announce: Callable[[str], None],
    limits: Limits | None = None,
    base_url: str | None = None,
) -> None:
    """Serve until told to end; KeyboardInterrupt where that was Ctrl-C. DatasetError where there is no dataset.

    choose: says which folder to serve. announce: is told what is served and where, as soon as it is.
    """
    bounds = limits or Limits()
    parts = _parts(choose, bounds, base_url)
    config = uvicorn.Config(
        application(parts, version),
        http=protocol(bounds),
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        limit_concurrency=bounds.connections,
        timeout_graceful_shutdown=_GRACE,
    )
    sys.setswitchinterval(_SWITCH)
    server = _Server(config, lambda: announce(f"{parts.current.name} at {address(listening)}"))
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(_run(server, parts, listening))
    if server.is_interrupted:
        raise KeyboardInterrupt


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address; port 0 is any that is free. ErrcatError where it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise ErrcatError(f"cannot listen on {host}:{port}: {reason or error}", hint="Give another --port") from None


def address(listening: socket.socket) -> str:
    """The address in the form that a browser takes."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _parts(choose: Choose, limits: Limits, base_url: str | None) -> Parts:
    makers = Makers(limits.waiting)
    return Parts(
        current=Current(choose, partial(take, makers=makers, limits=limits, base_url=base_url)),
        makers=makers,
        limits=limits,
        allowance=Allowance(limits.a_minute),
    )


async def _run(server: "_Server", parts: Parts, listening: socket.socket) -> None:
    try:
        async with parts.current.kept():
            await server.serve(sockets=[listening])
    finally:
        parts.makers.close()


class _Server(uvicorn.Server):
    """uvicorn's server, which says when it answers, and leaves the end of the process to whoever started it."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce
        self.is_interrupted = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.is_interrupted = sig == signal.SIGINT
        super().handle_exit(sig, frame)

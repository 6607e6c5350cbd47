"""A connection that does not wait for ever: for a request that never comes whole, or an answer that nobody takes."""

import asyncio
from typing import Any, ClassVar, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pipeline.serve.limits import Limits

_TAKEN: Final = 120.0
"""Seconds in which the last answer of a connection has to be taken."""
_HEARD: Final = 1.0
"""Seconds in which a refusal is read."""
_REFUSALS: Final = {408: b"Request Timeout", 431: b"Request Header Fields Too Large"}


def protocol(limits: Limits) -> type[asyncio.Protocol]:
    """The protocol of a server with these limits."""
    return type("Connection", (_Connection,), {"limits": limits})


class _Gathering:
    """A transport that sends at once what is written in one turn of the loop: an answer's head with its body."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._pieces: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._pieces:
            self._loop.call_soon(self._flush)
        self._pieces.append(data)

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._pieces and not self._transport.is_closing():
            self._transport.writelines(self._pieces)
        self._pieces = []


class _Connection(HttpToolsProtocol):
    """uvicorn's own connection, with limits on the time that a request takes to arrive and on the size of its head."""

    limits: ClassVar[Limits]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None
        self._is_refused = False
        self._head: int | None = None  # bytes of an unfinished head, but for the piece that it began in

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(cast("asyncio.Transport", _Gathering(transport, self.loop)))
        self._hurry()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        self._hurry()
        if self._head is not None:
            self._head += len(data)
        super().data_received(data)
        if self._head is not None and self._head > self.limits.head:
            self._refuse(431)

    def on_message_begin(self) -> None:
        self._hurry()
        self._head = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._arrived()
        super().on_message_complete()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self.loop.call_later(_TAKEN, self.transport.abort)

    def _hurry(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.limits.arrival, self._refuse, 408)

    def _arrived(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, code: int) -> None:
        """Say why, unless an answer is on its way, and close."""
        self._arrived()
        if self.transport.is_closing():
            return
        if self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete:
            self.transport.abort()
            return
        self._is_refused = True
        reason = b"%d %s" % (code, _REFUSALS[code])
        self.transport.write(b"HTTP/1.1 " + reason + b"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        self.loop.call_later(_HEARD, self.transport.close)  # closed at once, it could be lost to who still sends

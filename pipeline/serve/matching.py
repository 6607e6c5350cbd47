"""Matching in processes beside the server: a text that takes too long ends with its process, and holds up no other."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pipeline.errors import DatasetError
from pipeline.serve.limits import BusyError, Limits
from pipeline.serve.worker import ANSWER, QUESTION

QUICK: Final = 8 << 10
"""Bytes up to which a text cannot take long: one process is kept for these."""
_START: Final = 120.0
"""Seconds that building an index may take."""
_AGAIN: Final = 2.0
"""Seconds until a process that did not come up is tried again."""


class SlowError(Exception):
    """A text took too long, or its process did not live to answer."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Worker:
    """A process with the index. is_quick: whether it is kept for short texts."""

    process: Process
    is_quick: bool

    async def ask(self, text: bytes, top: int, seconds: float) -> bytes:
        """The answer to a text. SlowError where it does not come in time; then the process is ended."""
        questions, answers = self.process.stdin, self.process.stdout
        assert questions is not None
        assert answers is not None
        timer = asyncio.get_running_loop().call_later(seconds, self._kill)
        try:
            questions.write(QUESTION.pack(len(text), top) + text)
            await questions.drain()
            (size,) = ANSWER.unpack(await answers.readexactly(ANSWER.size))
            answer = await answers.readexactly(size)
        except (OSError, asyncio.IncompleteReadError):
            raise SlowError from None
        finally:
            timer.cancel()
        if timer.when() <= asyncio.get_running_loop().time():
            raise SlowError  # it came in the moment in which the process was ended
        return answer

    async def end(self) -> None:
        """End the process, at work or not."""
        self._kill()
        await self.process.wait()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Waiting:
    """A request without a process yet."""

    given: asyncio.Future[_Worker]
    is_quick: bool


class Matchers:
    """The processes that match texts against one dataset."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._free: list[_Worker] = []
        self._waiting: deque[_Waiting] = deque()
        self._starting: set[asyncio.Task[None]] = set()
        self._workers: set[_Worker] = set()
        self._is_open = True

    async def start(self) -> None:
        """Start the processes; DatasetError where one does not come up. One builds the index, the others find it."""
        await self._add(is_quick=False)
        for _ in range(max(1, (os.cpu_count() or 1) - 1)):
            await self._add(is_quick=True)

    async def match(self, text: bytes, top: int) -> bytes:
        """The line that `errcat match --json` prints for a text on standard input. BusyError, SlowError."""
        worker = await self._worker(is_quick=len(text) <= QUICK)
        try:
            answer = await worker.ask(text, top, self._limits.seconds)
        except BaseException:
            self._replace(worker)  # it may be in the middle of an answer
            raise
        self._release(worker)
        return answer

    async def close(self) -> None:
        """End the processes. Nothing may be asked any more."""
        self._is_open = False
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in self._workers))

    async def _worker(self, *, is_quick: bool) -> _Worker:
        """A free process, at once or after some waiting."""
        for worker in sorted(self._free, key=lambda worker: not worker.is_quick):
            if is_quick or not worker.is_quick:
                self._free.remove(worker)
                return worker
        if len(self._waiting) >= self._limits.waiting:
            raise BusyError
        loop = asyncio.get_running_loop()
        waiting = _Waiting(given=loop.create_future(), is_quick=is_quick)
        self._waiting.append(waiting)
        timer = loop.call_later(self._limits.patience, self._turn_away, waiting)
        try:
            return await waiting.given
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            elif not waiting.given.cancelled() and not waiting.given.exception():
                self._release(waiting.given.result())  # given in the moment in which nobody wanted it any more
            raise
        finally:
            timer.cancel()

    def _turn_away(self, waiting: _Waiting) -> None:
        if waiting in self._waiting:
            self._waiting.remove(waiting)
            waiting.given.set_exception(BusyError())

    def _release(self, worker: _Worker) -> None:
        """Give a process to the one who waits longest for one of its kind."""
        for waiting in self._waiting:
            if (waiting.is_quick or not worker.is_quick) and not waiting.given.done():
                self._waiting.remove(waiting)
                waiting.given.set_result(worker)
                return
        self._free.append(worker)

    def _replace(self, worker: _Worker) -> None:
        async def replace() -> None:
            self._workers.discard(worker)
            await worker.end()
            while True:
                with suppress(DatasetError, OSError):  # no memory, no processes: that may pass
                    return await self._add(is_quick=worker.is_quick)
                await asyncio.sleep(_AGAIN)

        if self._is_open:
            task = asyncio.get_running_loop().create_task(replace())
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    async def _add(self, *, is_quick: bool) -> None:
        command = (sys.executable, "-m", "pipeline.serve.worker", str(self._folder))
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        worker = _Worker(process=process, is_quick=is_quick)
        self._workers.add(worker)
        assert process.stdout is not None
        try:
            async with asyncio.timeout(_START):
                await process.stdout.readexactly(ANSWER.size)
        except (TimeoutError, asyncio.IncompleteReadError):
            self._workers.discard(worker)
            await worker.end()
            raise DatasetError(f"no index of {self._folder}: the process that makes it ended") from None
        self._release(worker)

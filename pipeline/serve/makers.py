"""Threads for what takes longer than a moment: making pages, looking through records."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

from pipeline.serve.limits import BusyError

_THREADS: Final = 2

P = ParamSpec("P")
T = TypeVar("T")


class Makers:
    """Two threads, and a queue before them that does not grow without end."""

    def __init__(self, waiting: int) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="errcat-maker")
        self._room = waiting

    async def make(self, what: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a function returns. BusyError where too much is waiting."""
        if self._room <= 0:
            raise BusyError
        self._room -= 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: what(*args, **kwargs))
        finally:
            self._room += 1

    def close(self) -> None:
        """End the threads; what waits is not made any more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

"""Which dataset is served: requests keep the one they began with, and a newly published one takes over whole."""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final

from pipeline.errors import ErrcatError
from pipeline.serve.snapshot import Snapshot, mark

LOOK: Final = 1.0
"""Seconds between two looks at the folder."""

Choose = Callable[[], Path]
"""Says which folder to serve; asked again and again."""
Take = Callable[[Path], Awaitable[Snapshot]]


class Current:
    """The dataset in use. problem: why what was published last is not served, None where it is."""

    def __init__(self, choose: Choose, take: Take) -> None:
        self._choose = choose
        self._take = take
        self._seen: object = None
        self._snapshot: Snapshot | None = None
        self._used: Counter[int] = Counter()
        self._closing: set[asyncio.Task[None]] = set()
        self.problem: str | None = None

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Serve what is there, and take over what is published, until the block ends. DatasetError: nothing there."""
        path = self._choose()
        self._seen = (path, mark(path))
        self._snapshot = await self._take(path)
        watch = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
            await self._snapshot.close()
            await asyncio.gather(*self._closing)

    async def _watch(self) -> None:
        """Look again and again. What cannot be read leaves the old one in use."""
        while True:
            await asyncio.sleep(LOOK)
            try:
                await self._look()
            except ErrcatError as error:
                self._tell(str(error))
            except Exception as error:  # noqa: BLE001  # whatever is wrong with it, the one in use is served on
                self._tell(f"{type(error).__name__}: {error}")

    async def _look(self) -> None:
        path = await asyncio.to_thread(self._choose)
        seen = (path, await asyncio.to_thread(mark, path))
        if seen == self._seen or seen[1] is None:
            return
        self._seen = seen  # what is no dataset is not tried again before it changes
        taken = await self._take(path)
        before, self._snapshot, self.problem = self._snapshot, taken, None
        if before and not self._used[id(before)]:
            self._close(before)

    def _tell(self, problem: str) -> None:
        if problem != self.problem:
            sys.stderr.write(f"errcat: still serving the dataset before: {problem}\n")
        self.problem = problem

    @property
    def name(self) -> str:
        """What is served, in a line."""
        assert self._snapshot is not None  # it was started
        manifest = self._snapshot.manifest
        return f"{manifest.repo} {manifest.revision}, {manifest.counts.records:,} records,"

    @contextmanager
    def use(self) -> Iterator[Snapshot]:
        """The dataset of this moment, for as long as it takes."""
        snapshot = self._snapshot
        assert snapshot is not None  # it was started
        self._used[id(snapshot)] += 1
        try:
            yield snapshot
        finally:
            self._used[id(snapshot)] -= 1
            if not self._used[id(snapshot)]:
                del self._used[id(snapshot)]
                if snapshot is not self._snapshot:
                    self._close(snapshot)

    def _close(self, snapshot: Snapshot) -> None:
        task = asyncio.get_running_loop().create_task(snapshot.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

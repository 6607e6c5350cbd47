"""Work on the files of a tree, spread over processes that share what they work on.

The work is cut in the same pieces however many processes there are, so that the outcome is the same.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

PIECES = 32
RECURSION = 20_000  # Python frames; evaluation has bounds of its own, well below
SMALL = 400_000  # bytes below which other processes cost more than they bring

K = TypeVar("K", bound=str | tuple[str, int])
P = TypeVar("P")
R = TypeVar("R")
Progress = Callable[[str, int, int], None]


def processes(workers: int | None, weights: Iterable[int]) -> int:
    """How many processes to use: as many as asked for or as there are cores; one for little work."""
    count = workers or os.cpu_count() or 1
    return 1 if sum(weights) < SMALL else count


def balanced(weights: Mapping[K, int], pieces: int) -> list[tuple[K, ...]]:
    """Paths, or parts of files, in a few pieces of like weight; neighbours stay together, as they share helpers."""
    out: list[tuple[K, ...]] = []
    current: list[K] = []
    total, so_far = sum(weights.values()), 0
    for path in sorted(weights):
        current.append(path)
        so_far += weights[path]
        if so_far * pieces >= total * (len(out) + 1) and len(out) < pieces - 1:
            out.append(tuple(current))
            current = []
    return [*out, tuple(current)] if current else out


_shared: object = None  # what a worker works on, given once when it starts


def given() -> object:
    """What the pieces of work that run here were given to work on."""
    return _shared


def _start(shared: object) -> None:
    global _shared  # noqa: PLW0603
    _shared = shared
    sys.setrecursionlimit(RECURSION)


@contextmanager
def no_collection() -> Iterator[None]:
    """Python's cycle collector finds nothing among millions of values that all stay, and looks again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Stopped(Exception):  # noqa: N818  # no error: somebody has lost interest
    """The parent wants no more of a piece of work."""


_busy = False  # whether a worker is at a piece of work, so that it can be stopped


def _stop(number: int, frame: object) -> None:
    del number, frame
    if _busy:
        raise Stopped


def _at_work(work: Callable[[P], R], piece: P) -> R:
    global _busy  # noqa: PLW0603
    _busy = True
    try:
        return work(piece)
    finally:
        _busy = False


def end_with_parent() -> None:
    """Let this worker end when its parent does: one that is killed tells nobody, and a pool would wait for ever."""
    threading.Thread(target=_wait_for_end, daemon=True).start()


def _wait_for_end() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
    os._exit(1)


def _start_worker(shared: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears of it, and stops the workers
    end_with_parent()
    signal.signal(signal.SIGTERM, _stop)
    gc.disable()  # everything a worker makes it keeps until it ends
    _start(shared)


def over(
    work: Callable[[P], R], shared: object, pieces: Sequence[P], workers: int, stage: str, progress: Progress | None
) -> Iterator[R]:
    """`work(piece)` for each piece, in order; workers see `shared`, by inheritance where processes can be forked."""
    if workers == 1 or len(pieces) <= 1:
        yield from _told(_alone(work, shared, pieces), len(pieces), stage, progress)
        return
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin" else "spawn"
    context = multiprocessing.get_context(method)
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker, initargs=(shared,)) as pool:
        try:
            yield from _told(pool.map(partial(_at_work, work), pieces), len(pieces), stage, progress)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()  # which only ends the piece it is at: see _stop
            raise


def _alone(work: Callable[[P], R], shared: object, pieces: Sequence[P]) -> Iterator[R]:
    before, limit = _shared, sys.getrecursionlimit()
    _start(shared)
    try:
        for piece in pieces:
            yield work(piece)
    finally:
        _start(before)
        sys.setrecursionlimit(limit)


def _told(results: Iterator[R], total: int, stage: str, progress: Progress | None) -> Iterator[R]:
    for i, result in enumerate(results, 1):
        yield result
        if progress is not None:
            progress(stage, i, total)

"""Mining a tree: facts of each file, linked, then what every site raises, spread over processes.

The work is cut in the same pieces however many processes there are, so that the outcome is the same.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from pipeline.mine import facts, sites
from pipeline.mine.evaluate.evaluator import Evaluator
from pipeline.mine.facts import FileFacts, Site
from pipeline.mine.link import Program
from pipeline.mine.pattern import Rendered, render
from pipeline.mine.sites import Exclusion, Raised
from pipeline.mine.syntax import to_utf8
from pipeline.mine.template import EMPTY

PIECES = 8
RECURSION = 20_000  # Python frames; evaluation has bounds of its own, well below
SMALL = 400_000  # bytes below which other processes cost more than they bring

P = TypeVar("P")
R = TypeVar("R")
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Error:
    """One error of a site, with its text rendered."""

    raised: Raised
    text: Rendered


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """A site and its errors; without any it is a re-raise, or excluded."""

    path: str
    site: Site
    errors: tuple[Error, ...]
    excluded: Exclusion | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Mined:
    """What a tree's sites raise, in order of path and place; how often each bound was hit; seconds per stage."""

    facts: Mapping[str, FileFacts]
    outcomes: tuple[Outcome, ...]
    hits: Mapping[str, int]
    seconds: Mapping[str, float]


def mine(files: Mapping[str, bytes], *, workers: int | None = None, progress: Progress | None = None) -> Mined:
    """Mines Python files by path, as they are stored."""
    count = workers or os.cpu_count() or 1
    if sum(map(len, files.values())) < SMALL:
        count = 1
    started = time.perf_counter()
    pieces = balanced({p: len(d) for p, d in files.items()}, PIECES)
    read = over(_read_piece, files, pieces, count, "facts", progress)
    known = dict(sorted((f.path, f) for piece in read for f in piece))
    linked = time.perf_counter()
    program = Program(known, {p: to_utf8(d)[0] for p, d in files.items()})
    program.prepare()
    ready = time.perf_counter()
    raising = {p: len(f.sites) for p, f in known.items() if f.sites}
    found = over(_mine_piece, program, balanced(raising, PIECES), count, "templates", progress)
    outcomes = sorted((o for piece, _ in found for o in piece), key=lambda o: (o.path, o.site.start))
    hits: Counter[str] = Counter()
    for _, its in found:
        hits.update(its)
    done = time.perf_counter()
    seconds = {"facts": linked - started, "link": ready - linked, "templates": done - ready}
    return Mined(facts=known, outcomes=tuple(outcomes), hits=dict(sorted(hits.items())), seconds=seconds)


def balanced(weights: Mapping[str, int], pieces: int) -> list[tuple[str, ...]]:
    """Paths in a few pieces of like weight; neighbours stay together, since they share helpers."""
    out: list[tuple[str, ...]] = []
    current: list[str] = []
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


def _start_worker(shared: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears of it, and stops the workers
    signal.signal(signal.SIGTERM, _stop)
    gc.disable()  # everything a worker makes it keeps until it ends
    _start(shared)


def over(
    work: Callable[[P], R], shared: object, pieces: Sequence[P], workers: int, stage: str, progress: Progress | None
) -> list[R]:
    """`work(piece)` for each piece, in order; workers see `shared`, by inheritance where processes can be forked."""
    if workers == 1 or len(pieces) == 1:
        return list(_told(_alone(work, shared, pieces), len(pieces), stage, progress))
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin" else "spawn"
    context = multiprocessing.get_context(method)
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker, initargs=(shared,)) as pool:
        try:
            return list(_told(pool.map(partial(_at_work, work), pieces), len(pieces), stage, progress))
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


def _read_piece(paths: Sequence[str]) -> list[FileFacts]:
    files = _shared
    assert isinstance(files, Mapping)
    return [facts.read(path, files[path]) for path in paths]


def _mine_piece(paths: Sequence[str]) -> tuple[list[Outcome], Counter[str]]:
    program = _shared
    assert isinstance(program, Program)
    machine = Evaluator(program)
    out = [_outcome(machine, f) for path in paths for f in sites.find_raised(machine, path)]
    return out, machine.hits


def _outcome(machine: Evaluator, finding: sites.Finding) -> Outcome:
    errors = tuple(Error(raised=r, text=render(r.template)) for r in finding.raised)
    for error in errors:
        if error.text.merged:
            machine.hit("variants")
    bare = tuple(Error(raised=_without_template(e.raised), text=e.text) for e in errors)
    return Outcome(path=finding.path, site=finding.site, errors=bare, excluded=finding.excluded)


def _without_template(raised: Raised) -> Raised:
    """The template has been rendered; between processes only that is sent."""
    return replace(raised, template=EMPTY)

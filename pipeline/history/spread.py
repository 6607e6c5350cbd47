"""The revisions of a chain, mined side by side and given back in their order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass, field, replace
from typing import Final

from pipeline.errors import ClusterError, SourceError
from pipeline.history import unit
from pipeline.history.steps import Step
from pipeline.history.store import Store
from pipeline.history.team import Team

LANE: Final = 6  # neighbours that are mined one after the other
DEATHS: Final = 3  # units that kill their process, with none between that does not: it is not the units then

Progress = Callable[..., None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A revision that was mined, by this run or by one before. result: for `unit.unpack`."""

    step: Step
    result: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Gap:
    """A revision that could not be had, and why."""

    step: Step
    reason: str


def spread(steps: Sequence[Step], *, team: Team, store: Store, progress: Progress) -> Iterator[Found | Gap]:
    """Each revision as soon as it and all before it are there.

    A worker that is lost costs a retry. ClusterError: the cluster is lost, has another errcat, or no worker lives.
    """
    queue = deque(order(len(steps), team.width))
    spreading = _Spreading(steps=steps, team=team, store=store, progress=progress, queue=queue)
    for number in range(len(steps)):
        spreading.go_on(block=False)  # whoever takes what is given here has kept the workers waiting
        while number not in spreading.done:
            spreading.go_on(block=True)
        yield spreading.done.pop(number)


def order(count: int, width: int, lane: int = LANE) -> list[int]:
    """The order in which revisions are begun, by number: `width` at a time, none of them a neighbour of another.

    Neighbours share most of their files, so that the second costs little after the first, but as much beside it.
    """
    begun: list[int] = []
    for start in range(0, count, width * lane):
        block = range(start, min(start + width * lane, count))
        step = -(-len(block) // width)
        begun += [block[i] for offset in range(step) for i in range(offset, len(block), step)]
    return begun


@dataclass(kw_only=True, slots=True)
class _Work:
    """A unit that somebody does. numbers: of the steps that wait for it. again: whether its process died before."""

    name: str
    packed: bytes
    numbers: list[int]
    again: bool = False


@dataclass(kw_only=True)
class _Spreading:
    """What is under way.

    suspects: units that were under way when a process died. They are done again one at a time, so that the one that
    kills its process is known from those that only stood beside it.
    """

    steps: Sequence[Step]
    team: Team
    store: Store
    progress: Progress
    queue: deque[int]
    done: dict[int, Found | Gap] = field(default_factory=dict)
    pending: dict[Future[bytes], _Work] = field(default_factory=dict)
    suspects: deque[_Work] = field(default_factory=deque)
    executor: Executor | None = None
    finished: int = 0
    deaths: int = 0

    def go_on(self, *, block: bool) -> None:
        """Hand out work where there is room for it, and take what is done; block: wait until something is."""
        if self.suspects:
            if not self.pending:
                self._submit(self.suspects.popleft())
        else:
            while self._has_room():
                self._begin(self.queue.popleft())
        if self.pending:
            ready = wait(self.pending, timeout=None if block else 0, return_when=FIRST_COMPLETED).done
            alone = len(self.pending) == 1
            for future in ready:
                self._take(future, self.pending.pop(future), alone=alone)

    def _has_room(self) -> bool:
        """Whether a unit can be begun: workers have another to go on with, and not too many results wait here."""
        width = self.team.width
        return (
            bool(self.queue) and len(self.pending) < 2 * width and len(self.done) < LANE * width and not self.suspects
        )

    def _begin(self, number: int) -> None:
        try:
            tree = self.steps[number].source.read(self.progress)
        except SourceError as error:
            self._finish([number], str(error))
            return
        name = unit.name(tree)
        same = next((work for work in (*self.pending.values(), *self.suspects) if work.name == name), None)
        if same:
            same.numbers.append(number)
        elif (kept := self.store.get(name)) is not None:
            self._finish([number], kept)
        else:
            self._submit(_Work(name=name, packed=unit.pack(tree), numbers=[number]))

    def _submit(self, work: _Work) -> None:
        self.executor = self.executor or self.team.start()
        try:
            self.pending[self.executor.submit(unit.work, work.packed)] = work
        except (BrokenExecutor, OSError) as error:  # it broke meanwhile; OSError: at the very moment
            if work.again and isinstance(error, OSError):
                raise
            self._lost(work)

    def _take(self, future: Future[bytes], work: _Work, *, alone: bool) -> None:
        try:
            result = future.result()
        except BrokenExecutor:
            if alone and work.again:
                self._died(work)
            else:
                self._lost(work)
        except ClusterError:
            raise
        except CancelledError:
            raise ClusterError("the cluster was lost", hint="Run again; what was mined is kept") from None
        except Exception as error:  # noqa: BLE001  # whatever a revision does to the miner, the others are mined
            self._finish(work.numbers, f"{type(error).__name__}: {error}")
        else:
            self.deaths = 0
            self.store.put(work.name, result)
            self._finish(work.numbers, result)

    def _died(self, work: _Work) -> None:
        self.executor = None
        self.deaths += 1
        if self.deaths == DEATHS:
            hint = "Look for what ends them, memory perhaps, and run again; what was mined is kept"
            raise ClusterError("the processes that mine die again and again", hint=hint)
        self._finish(work.numbers, "the process that mined it died, twice")

    def _lost(self, work: _Work) -> None:
        self.executor = None
        self.suspects.append(replace(work, again=True))

    def _finish(self, numbers: Sequence[int], outcome: bytes | str) -> None:
        for number in numbers:
            step = self.steps[number]
            if isinstance(outcome, bytes):
                self.done[number] = Found(step=step, result=outcome)
            else:
                self.done[number] = Gap(step=step, reason=outcome)
            self.finished += 1
            self.progress("mine", self.finished, len(self.steps), step.name)

"""A progress bar on stderr, for what takes longer than two seconds."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 2.0  # seconds


class ProgressBar:
    """Call it with (stage, done, total), and a word to stand beside the stage.

    Silent where stderr is no terminal, where it is not wanted, and for the first two seconds.
    """

    def __init__(self, *, wanted: bool = True) -> None:
        self._wanted = wanted and sys.stderr.isatty()
        self._started = time.monotonic()
        self._bar: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        if not self._wanted or (self._bar is None and time.monotonic() - self._started < PATIENCE):
            return
        bar = self._bar = self._bar or _started_bar()
        if stage not in self._tasks:
            self._tasks[stage] = bar.add_task(stage, total=total)
        bar.update(self._tasks[stage], completed=done, total=total or None, description=f"{stage} {note}".rstrip())


def _started_bar() -> "Progress":
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.start()
    return bar

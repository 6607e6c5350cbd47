"""The job's log: a line for the beginning and the end of each step, for people or as JSON."""

import enum
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pipeline.refresh.secrets import Redact
from pipeline.source.tree import utc_text

Count = int | float | str | bool | None


class Form(enum.StrEnum):
    """How the log is written."""

    TEXT = "text"
    JSON = "json"


@dataclass(kw_only=True)
class Step:
    """A step under way. counts: what its end will be told with."""

    name: str
    counts: dict[str, Count] = field(default_factory=dict)


@dataclass(kw_only=True)
class Log:
    """The log of one run. seconds: wall time of the steps that have ended, summed by name.

    write: takes a line, with its newline, and hands it on at once. redact: takes secrets out of it.
    """

    run: str
    form: Form
    write: Callable[[str], None]
    redact: Redact
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """Tells the beginning of a step, and how it ended."""
        step = Step(name=name)
        self._say("start", name)
        started = time.perf_counter()
        try:
            yield step
        except BaseException as error:
            self._say("failed", name, seconds=time.perf_counter() - started, counts=step.counts, what=_told(error))
            raise
        taken = time.perf_counter() - started
        self.seconds[name] = self.seconds.get(name, 0.0) + taken
        self._say("done", name, seconds=taken, counts=step.counts)

    def skip(self, name: str, why: str) -> None:
        """A step that need not be taken."""
        self._say("skipped", name, what=why)

    def note(self, what: str, counts: Mapping[str, Count] | None = None) -> None:
        """Something that is not a step."""
        self._say("note", None, what=what, counts=counts)

    def _say(
        self,
        event: str,
        step: str | None,
        *,
        seconds: float | None = None,
        counts: Mapping[str, Count] | None = None,
        what: str | None = None,
    ) -> None:
        what = what and self.redact(what)
        counts = {name: self.redact(v) if isinstance(v, str) else v for name, v in (counts or {}).items()}
        if self.form is Form.JSON:
            row: dict[str, object] = {"time": utc_text(datetime.now(UTC)), "run": self.run, "event": event}
            row |= {"step": step} if step else {}
            row |= {"seconds": round(seconds, 3)} if seconds is not None else {}
            row |= {"counts": counts} if counts else {}
            row |= {"what": what} if what else {}
            self.write(json.dumps(row, ensure_ascii=False) + "\n")
        elif event != "start":
            self.write(f"errcat: {_line(event, step, seconds, counts, what)}\n")


def _told(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _line(event: str, step: str | None, seconds: float | None, counts: Mapping[str, Count], what: str | None) -> str:
    parts = [f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in counts.items()]
    if seconds is not None:
        parts.append(f"{seconds:.1f} s")
    head = " ".join(filter(None, (step, "" if event in {"done", "note"} else event)))
    said = "; ".join(filter(None, (what, ", ".join(parts))))
    return f"{head}: {said}" if head else said

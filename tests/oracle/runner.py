"""Runs every program of the oracle, each area in a process of its own, and tells what jax raised.

python -m tests.oracle.runner --list          a line a program: area, program, class, file and line of the raise
python -m tests.oracle.runner --rows FILE     every raise that was recorded, a JSON line each
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import environment

PROGRAMS = Path(__file__).with_name("programs")
AT_ONCE = 2
SECONDS_PER_AREA = 300
SETTINGS = {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=8"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Raise:
    """One raise or assert statement that ran; `recorder` says what the fields mean."""

    file: str
    line: int
    end_line: int
    error_class: str
    message: str
    function: str
    foreign: bool
    escaped: bool

    @property
    def site(self) -> tuple[str, int]:
        return self.file, self.line


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What one program came to. escaped: class of the exception that left it, None where it ran to its end."""

    area: str
    program: str
    line: int
    escaped: str | None
    raised: tuple[Raise, ...]

    @property
    def provoked(self) -> Raise | None:
        """The raise the program was written for."""
        return next((r for r in self.raised if r.escaped), None)


def run(areas: Iterable[Path] | None = None) -> tuple[Outcome, ...]:
    """Outcomes of all programs of the areas' files (default: all), in the order of the files."""
    python = environment.ready()
    paths = sorted(areas or (p for p in PROGRAMS.glob("*.py") if p.stem != "__init__"))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return tuple(o for outcomes in pool.map(lambda p: _area(python, p), paths) for o in outcomes)


def own(outcomes: Iterable[Outcome]) -> tuple[Raise, ...]:
    """What was raised, equal ones once, without the foreign: a re-raise of an object made elsewhere is no record."""
    found = {(r.site, r.error_class, r.message): r for o in outcomes for r in o.raised if not r.foreign}
    return tuple(sorted(found.values(), key=lambda r: (r.site, r.error_class, r.message)))


def _area(python: Path, path: Path) -> list[Outcome]:
    command = [str(python), "-m", "tests.oracle.recorder", str(path)]
    done = subprocess.run(
        command,
        cwd=environment.ROOT,
        env=_settings(python),
        capture_output=True,
        text=True,
        timeout=SECONDS_PER_AREA,
        check=False,
    )
    if done.returncode:
        message = f"{path.stem} ended with {done.returncode}:\n{done.stderr[-4000:]}"
        raise RuntimeError(message)
    return [_outcome(path.stem, json.loads(line)) for line in done.stdout.splitlines()]


def _outcome(area: str, fields: dict[str, Any]) -> Outcome:
    return Outcome(**{**fields, "area": area, "raised": tuple(Raise(**r) for r in fields["raised"])})


def _settings(python: Path) -> dict[str, str]:
    """The user's environment without what would change jax; bytecode is kept apart, since it is instrumented."""
    instrument = Path(__file__).with_name("instrument.py").read_bytes()
    bytecode = python.parents[1] / "instrumented" / hashlib.sha256(instrument).hexdigest()[:12]
    others = {k: v for k, v in os.environ.items() if not k.startswith(("JAX_", "XLA_", "PYTHON"))}
    return others | SETTINGS | {"PYTHONPYCACHEPREFIX": str(bytecode), "PYTHONWARNINGS": "ignore"}


def table(outcomes: Iterable[Outcome]) -> str:
    """A line a program, aligned."""
    rows = []
    for o in outcomes:
        made = o.provoked
        rows.append((o.area, o.program, *((made.error_class, f"{made.file}:{made.line}") if made else ("-", "-"))))
    widths = [max(map(len, column), default=0) for column in zip(*rows, strict=True)]
    return "".join("  ".join(map(str.ljust, row, widths)).rstrip() + "\n" for row in rows)


def summary(outcomes: tuple[Outcome, ...]) -> str:
    aims = [made.site for o in outcomes if (made := o.provoked)]
    sites = {r.site for r in own(outcomes)}
    return f"{len(outcomes)} programs, {len(set(aims))} sites aimed at, {len(sites)} sites recorded\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.runner", description=__doc__.splitlines()[0])
    parser.add_argument("areas", nargs="*", type=Path, help="files of programs (default: all)")
    parser.add_argument("--list", action="store_true", help="a line a program")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="write every recorded raise, a JSON line each")
    arguments = parser.parse_args()
    outcomes = run(arguments.areas)
    if arguments.list:
        sys.stdout.write(table(outcomes))
    if arguments.rows:
        # `cls` beside `error_class`: the name under which other tools look for it.
        rows = [{"cls": r.error_class, **asdict(r)} for o in outcomes for r in o.raised]
        arguments.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    sys.stdout.write(summary(outcomes))


if __name__ == "__main__":
    main()

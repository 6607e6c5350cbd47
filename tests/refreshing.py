"""Running the unattended job in a test: in this process, with its log, and as a program."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from upstream import Upstream, new_upstream

from pipeline.errors import ErrcatError
from pipeline.explain.plan import Plan
from pipeline.refresh.gates.names import Gate
from pipeline.refresh.job import Job, Outcome, refresh
from pipeline.refresh.log import Form, Log
from pipeline.refresh.newest import Followed
from pipeline.refresh.publication import Publication, read_publication
from pipeline.refresh.secrets import redacting
from pipeline.refresh.standing import Options

ERRCAT = str(Path(sys.executable).parent / "errcat")
REPO = "jax-ml/jax"


@dataclass(frozen=True, kw_only=True)
class Ran:
    """A run: how it ended, and the rows of its log. outcome: None where an error ended it."""

    outcome: Outcome | None
    error: ErrcatError | None
    rows: tuple[Mapping[str, Any], ...]

    @property
    def text(self) -> str:
        assert self.outcome, self.error
        return self.outcome.text

    @property
    def code(self) -> int:
        return self.outcome.ending.value if self.outcome else self.error.exit_code if self.error else -1

    @property
    def done(self) -> list[str]:
        """The steps that were taken."""
        return [row["step"] for row in self.rows if row["event"] == "done"]


@dataclass(frozen=True, kw_only=True)
class Place:
    """An upstream, and an output folder that follows it."""

    upstream: Upstream
    out: Path
    clock: list[int] = field(default_factory=lambda: [0])

    @property
    def home(self) -> Path:
        return self.out / REPO.replace("/", "__")

    @property
    def latest(self) -> Path:
        return self.home / "latest"

    @property
    def publication(self) -> Publication:
        found = read_publication(self.latest)
        assert found
        return found

    def refresh(
        self,
        *,
        overrides: Mapping[Gate, str] | None = None,
        pages: bool = False,
        plan: Plan | None = None,
        keep: int = 3,
        tool: str = "tool",
        **followed: Any,
    ) -> Ran:
        """Run the job in this process, a minute later than the last time."""
        self.clock[0] += 1
        lines: list[str] = []
        plan = plan or Plan(writer="derived")
        job = Job(
            followed=Followed(**{"git": str(self.upstream.folder), **followed}),
            out=self.out,
            options=Options(writer=plan.writer, model=plan.model, pages=pages),
            plan=plan,
            keep=keep,
            overrides=overrides or {},
            clock=f"2026-12-01T{self.clock[0] // 60:02}:{self.clock[0] % 60:02}:00.000Z",
            tool=tool,
            log=Log(run="test", form=Form.JSON, write=lines.append, redact=redacting(os.environ)),
            progress=lambda *_: None,
        )
        outcome = error = None
        try:
            outcome = refresh(job)
        except ErrcatError as raised:
            error = raised
        return Ran(outcome=outcome, error=error, rows=tuple(json.loads(line) for line in lines))

    def command(self, *arguments: str) -> list[str]:
        """The same as a command line."""
        return [ERRCAT, "refresh", "--git", str(self.upstream.folder), "--out", str(self.out), *arguments]

    def run(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """The same as a program."""
        env = {**os.environ, **environment}
        return subprocess.run(self.command(*arguments), env=env, capture_output=True, text=True, check=False)


def new_place(folder: Path) -> Place:
    """An empty upstream, and no output yet."""
    return Place(upstream=new_upstream(folder / "upstream"), out=folder / "out")


def state_of(folder: Path) -> dict[str, tuple[object, ...]]:
    """Everything about a folder that a write to it would change, whatever it wrote."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = str(path.readlink()) if path.is_symlink() else digest(path) if path.is_file() else ""
        found[str(path.relative_to(folder))] = (status.st_ino, status.st_mode, status.st_mtime_ns, content)
    return found


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def contents_of(folder: Path) -> dict[str, str]:
    """Every file below a folder with its content; of a manifest all but the seconds, which are measured."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        if name == "manifest.json":
            manifest = json.loads(path.read_bytes())
            manifest["seconds"] = sorted(manifest["seconds"])
            found[name] = json.dumps(manifest)
        else:
            found[name] = digest(path)
    return found

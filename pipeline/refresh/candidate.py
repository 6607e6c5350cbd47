"""A candidate: what a run has made so far of one revision, so that the next run goes on where this one ended.

Its folder is named by everything that has a part in the result. Each finished step leaves a file there with what it
found, written at once or not at all; a step whose file is there is not taken again.
"""

import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from pydantic import ValidationError

from pipeline.dataset import staging
from pipeline.errors import DatasetError
from pipeline.record import Model, Text, Time
from pipeline.refresh.descent import Descent
from pipeline.refresh.standing import BEGUN, CANDIDATES, FINISHED, candidate_folder, is_open

KEPT: Final = 3  # candidates that are finished or were refused; older ones go
_SUMMARY: Final = "summary.md"

M = TypeVar("M", bound=Model)


class Begun(Model):
    """What is settled when a candidate is begun, and stays whoever finishes it.

    clock: the time that the result will bear. since: when it was really begun; what a model was asked later is paid
    for it. previous: folder of the dataset before, relative to the repository's; with its revision and the SHA-256 of
    its records.
    """

    clock: Time
    since: Time
    previous: Text | None
    previousRevision: Text | None
    previousSha256: Text | None
    descent: Descent


class Finished(Model):
    """published: the folder that it became."""

    published: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """folder: of its own. key: what it is named by."""

    folder: Path
    key: str
    begun: Begun

    def done(self, step: type[M]) -> M | None:
        """What a step left when it was finished; None: it was not."""
        return _read(self.folder / _name(step), step)

    def finish(self, result: Model) -> None:
        """A step is finished."""
        _write(self.folder / _name(type(result)), result.model_dump_json(indent=2).encode() + b"\n")

    def undo(self, step: type[Model]) -> None:
        """A step has to be taken again."""
        (self.folder / _name(step)).unlink(missing_ok=True)

    @property
    def summary(self) -> Path:
        return self.folder / _SUMMARY

    def write_summary(self, text: str) -> None:
        _write(self.summary, text.encode())


def opened(home: Path, key: str) -> Candidate | None:
    """The candidate that an earlier run left; None: it left none that can be gone on with."""
    folder = candidate_folder(home, key)
    if not is_open(home, key):
        return None
    begun = _read(folder / BEGUN, Begun)
    return Candidate(folder=folder, key=key, begun=begun) if begun else None


def begin(home: Path, key: str, begun: Begun) -> Candidate:
    """A new candidate, in place of one of this name."""
    folder = candidate_folder(home, key)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _write(folder / BEGUN, begun.model_dump_json(indent=2).encode() + b"\n")
    return Candidate(folder=folder, key=key, begun=begun)


def end(candidate: Candidate, published: str) -> None:
    """The candidate is published and its summary written."""
    _write(candidate.folder / FINISHED, Finished(published=published).model_dump_json(indent=2).encode() + b"\n")


def sweep(home: Path, *, but: str) -> int:
    """Remove all but the newest candidates, and never the one of this key; how many went."""
    folders = [folder for folder in (home / CANDIDATES).iterdir() if folder.is_dir() and folder.name != but]
    old = sorted(folders, key=lambda folder: folder.stat().st_mtime_ns, reverse=True)[KEPT - 1 :]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    return len(old)


def _name(step: type[Model]) -> str:
    return f"{step.__name__.lower()}.json"


def _read(path: Path, model: type[M]) -> M | None:
    try:
        return model.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError:
        raise DatasetError(f"{path} is damaged", hint=f"Remove {path.parent}, and run again") from None


def _write(path: Path, data: bytes) -> None:
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        staging.write_bytes(fresh, data)
        os.replace(fresh, path)  # noqa: PTH105  # it replaces
    finally:
        fresh.unlink(missing_ok=True)

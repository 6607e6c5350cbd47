"""The dataset to look in when none is named."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from pipeline.errors import DatasetError
from pipeline.match.life import releases


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A dataset under the output folder, as far as choosing needs it. releases: of a history; else empty."""

    path: Path
    repo: str
    revision: str
    complete: bool
    published: str
    releases: tuple[str, ...]


def choose(out: Path, release: str | None = None, *, package: str = "jax") -> Path:
    """The dataset of a release of the package, or a history with it; else of the one installed here; else the newest.

    Read without the manifest's model, so that a command line answers at once. DatasetError where there is none.
    """
    found = sorted(_candidates(out), key=lambda c: (c.complete, not c.releases, c.published, c.path), reverse=True)
    installed = _installed(package)
    for wanted in (release, installed):
        for candidate in found:  # histories come last
            if wanted in {candidate.revision, *candidate.releases} and candidate.repo.endswith("/" + package):
                return candidate.path
    if found:
        return found[0].path
    version = release or installed
    which = f"--release {version}" if version else "--release VERSION"
    raise DatasetError(f"no dataset under {out}", hint=f"Make one: errcat dataset {which}, or pass --dataset DIR")


def _candidates(out: Path) -> Iterator[Candidate]:
    for path in out.glob("[!.]*/[!.]*/manifest.json"):
        if path.parent.is_symlink():  # `latest`, another name of a dataset that is there
            continue
        try:
            manifest = json.loads(path.read_bytes())
            yield Candidate(
                path=path.parent,
                repo=str(manifest["repo"]),
                revision=str(manifest["revision"]),
                complete=manifest.get("selection") is None,
                published=str(manifest.get("datasetVersion", "")),
                releases=releases(manifest),
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def release_beside(program: str | None, package: str = "jax") -> str | None:
    """The release of the package that a program's own environment has: told by the folder of its executable."""
    if not program:
        return None
    root = Path(os.path.abspath(program)).parent.parent  # noqa: PTH100  # a venv's python is a link: not followed
    for folder in root.glob(f"lib/python*/site-packages/{package}-*.dist-info"):
        return folder.name.removeprefix(f"{package}-").removesuffix(".dist-info")
    return None

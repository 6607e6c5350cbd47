"""The site on disk: every path of it, written by several processes, in place of an older one at once."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pipeline.dataset import staging
from pipeline.errors import DatasetError
from pipeline.pages.site import Site
from pipeline.processes import given, over

PIECES: Final = 64
SMALL: Final = 400
"""Files, below which other processes cost more than they bring."""
_OURS: Final = ("api/schema/3.json", "urn:errcat:record:")

Progress = Callable[[str, int, int], None]


def build(site: Site, out: Path, *, workers: int | None = None, progress: Progress | None = None) -> int:
    """Write the site into a folder, and say how many files it has; an older site there gives way to it.

    DatasetError where the folder holds something else, or where the disk does not allow it; then nothing has changed.
    """
    if out.exists() and not is_site(out):
        raise DatasetError(f"{out} is in the way and is no site of errcat", hint="Move it, or give another --out")
    paths = list(site.paths())
    try:
        with staging.replacing(out.absolute()) as staged:
            for folder in sorted({str(Path(path).parent) for path in paths}):
                (staged / folder).mkdir(parents=True, exist_ok=True)
            count = 1 if len(paths) < SMALL else workers or os.cpu_count() or 1
            pieces = [tuple(paths[at::PIECES]) for at in range(min(PIECES, len(paths)))]
            written = sum(over(_write, (site, staged), pieces, count, "pages", progress))
            if sys.platform != "win32":
                os.sync()  # once for all files: an exchange must not publish empty ones
    except OSError as error:
        hint = "What was there is unchanged; make room, or give another --out"
        raise DatasetError(f"cannot write {out}: {error.strerror or error}", hint=hint) from error
    return written


def is_site(folder: Path) -> bool:
    """Whether a folder is a site that errcat wrote, or is empty."""
    if not folder.is_dir():
        return False
    file, mark = _OURS
    try:
        return str(json.loads((folder / file).read_bytes()).get("$id", "")).startswith(mark)
    except (OSError, ValueError, AttributeError):
        return not any(folder.iterdir())


def _write(paths: tuple[str, ...]) -> int:
    shared = given()
    assert isinstance(shared, tuple)
    site, staged = shared
    for path in paths:
        data = site.render(path)
        assert data is not None
        (staged / path).write_bytes(data)
    return len(paths)

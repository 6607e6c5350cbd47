"""The user's cache folder, and how runs share it: one lock a folder, and scratch folders that leave nothing behind."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import SourceError
from pipeline.source.tree import Progress

SCRATCH = "tmp-"


def cache_folder() -> Path:
    """ERRCAT_CACHE_DIR, else the user's cache folder as the system has it. Not created here."""
    import platformdirs

    return Path(os.environ.get("ERRCAT_CACHE_DIR") or platformdirs.user_cache_dir("errcat"))


@contextmanager
def locked(folder: Path, progress: Progress) -> Iterator[None]:
    """Hold the folder (made if need be) for this process alone; what a killed run left half done is removed first.

    The lock goes with the process that holds it, however that ends. A run that must wait says so once.
    """
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            progress("waiting for another run", 0, 0)
            lock.acquire()
        try:
            for left in folder.glob(f"{SCRATCH}*"):
                shutil.rmtree(left, ignore_errors=True)
            yield
        finally:
            lock.release()
    except OSError as error:
        what = f"cannot write the cache folder {folder}: {error.strerror or error}"
        raise SourceError(what, hint="Set ERRCAT_CACHE_DIR to a folder that you can write") from None


@contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """A new empty folder beside the finished things of `folder`, so that a rename publishes; removed afterwards."""
    fresh = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=folder))
    try:
        yield fresh
    finally:
        shutil.rmtree(fresh, ignore_errors=True)

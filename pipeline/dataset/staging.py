"""A folder that appears all at once: filled beside its place, then exchanged with what stands there.

A reader sees the old folder or the new one, never a mixture; a run that fails or dies leaves the old one.
"""

import ctypes
import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SUFFIX = ".partial"
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """An empty folder to fill; it becomes `target` when the block ends well, and is removed when not.

    What runs that died left beside `target` is removed first. OSError where the disk does not allow it.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    sweep(target.parent)
    staged, lock = _locked_sibling(target)
    try:
        yield staged
        _put(staged, target)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
        os.close(lock)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it, so that an exchange never publishes an empty one."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sibling(target: Path) -> Path:
    """A new hidden name beside `target`, of the kind that `sweep` removes."""
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}{SUFFIX}")


def _locked_sibling(target: Path) -> tuple[Path, int]:
    """A new hidden folder beside `target`, and the lock that tells other runs that its owner lives."""
    while True:
        staged = _sibling(target)
        staged.mkdir()
        lock = os.open(staged, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if staged.exists():
            return staged, lock
        os.close(lock)  # another run swept it away between its making and its locking


def remove(folder: Path) -> None:
    """Remove a folder: it is out of sight at once, and `sweep` ends what a run that died began."""
    aside = _sibling(folder)
    folder.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)


def sweep(folder: Path) -> None:
    """Remove what runs that died left in a folder; what a living one fills stays."""
    for left in folder.glob(f".*{SUFFIX}"):
        with suppress(OSError):
            lock = os.open(left, os.O_RDONLY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(lock)


def _put(staged: Path, target: Path) -> None:
    if not target.exists():
        staged.rename(target)
    elif not _exchange(staged, target):
        _rename_twice(staged, target)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step; False where the system or the file system cannot."""
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    if renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}:
        return False
    raise OSError(code, os.strerror(code), str(other))


def _rename_twice(staged: Path, target: Path) -> None:
    """The next best: for a moment there is no folder, but never half of one."""
    aside = _sibling(target)
    target.rename(aside)
    try:
        staged.rename(target)
    except BaseException:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)

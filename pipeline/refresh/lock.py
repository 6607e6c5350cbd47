"""One run at a time: a lock that goes with the process that holds it, and that says who that is."""

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import ErrcatError


class BusyError(ErrcatError):
    """Another run is at work on the same output."""

    exit_code = 3


@contextmanager
def alone(path: Path, *, run: str, since: str) -> Iterator[None]:
    """Hold the lock file for this process. BusyError: another one does. OSError where it cannot be written.

    The lock is POSIX's, which no child process inherits: when the run is killed, no worker that outlives it for a
    moment keeps the next run waiting.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            raise BusyError(
                f"another refresh is at work: {_holder(handle)}", hint="Let it end, then run again"
            ) from None
        held = json.dumps({"process": os.getpid(), "host": socket.gethostname(), "run": run, "since": since}).encode()
        os.ftruncate(handle, 0)
        os.pwrite(handle, held, 0)
        yield
        os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def _holder(handle: int) -> str:
    try:
        held = json.loads(os.pread(handle, 4096, 0))
        return f"process {held['process']} on {held['host']} since {held['since']} (run {held['run']})"
    except (ValueError, KeyError, TypeError):  # it has only just begun
        return "it does not say yet who it is"

"""Running a program as if nothing stood between it and the terminal, and keeping the end of what it said."""

import contextlib
import errno
import os
import select
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Final

from pipeline.errors import ErrcatError

KEPT: Final = 1 << 20
"""Bytes of output, at least, that are kept for the explanation."""
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """How a program ended. code: its exit code, 128 + n where signal n ended it. tail: the end of what it printed."""

    code: int
    interrupted: bool
    tail: bytes


class _Tail:
    """The last bytes of a stream."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0

    def add(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._chunks[0]) >= KEPT:
            self._size -= len(self._chunks.popleft())

    def bytes(self) -> bytes:
        return b"".join(self._chunks)


def run(command: Sequence[str]) -> Ended:
    """Run a command with this process's standard streams.

    Where stdout and stderr are a terminal, the program gets a terminal too; else stdout is handed on untouched and
    stderr goes through a pipe, byte for byte. ErrcatError where the command cannot be started.
    """
    if not command:
        raise ErrcatError("no command given", hint="For example: errcat run -- python train.py")
    tail = _Tail()
    sys.stdout.flush()
    sys.stderr.flush()
    on_terminal = os.isatty(1) and os.isatty(2)
    try:
        code = _on_terminal(command, tail) if on_terminal else _through_pipe(command, tail)
    except FileNotFoundError as error:
        raise CommandError(f"{command[0]}: command not found", hint="Check its name", exit_code=127) from error
    except PermissionError as error:
        raise CommandError(f"cannot run {command[0]}: {error.strerror}", hint="Check it", exit_code=126) from error
    interrupted = code in {-signal.SIGINT, 128 + signal.SIGINT}
    return Ended(code=128 - code if code < 0 else code, interrupted=interrupted, tail=tail.bytes())


class CommandError(ErrcatError):
    """A command that could not be started; the exit codes are a shell's."""

    def __init__(self, what: str, *, hint: str, exit_code: int) -> None:
        super().__init__(what, hint=hint)
        self.exit_code = exit_code


def _through_pipe(command: Sequence[str], tail: _Tail) -> int:
    with _passing_on() as started, subprocess.Popen(command, stderr=subprocess.PIPE, bufsize=0) as process:
        started.append(process)
        assert process.stderr is not None
        _copy(process, process.stderr.fileno(), 2, tail)
        process.stderr.close()
        return process.wait()


def _on_terminal(command: Sequence[str], tail: _Tail) -> int:
    """Give the program a pseudo-terminal of the same size and modes, and copy both ways until it closes it."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    keyboard = os.isatty(0)
    with contextlib.suppress(termios.error):
        termios.tcsetattr(theirs, termios.TCSANOW, termios.tcgetattr(0 if keyboard else 1))
    _resize(theirs)

    def own_terminal() -> None:
        if keyboard:
            os.login_tty(os.dup(theirs))

    with _passing_on(on_resize=lambda: _resize(ours)) as started:
        process = subprocess.Popen(
            command,
            stdin=theirs if keyboard else None,
            stdout=theirs,
            stderr=theirs,
            preexec_fn=own_terminal,  # noqa: PLW1509  # this process has one thread
        )
        started.append(process)
        os.close(theirs)
        with process, _raw():
            _copy(process, ours, 1, tail, keyboard=keyboard)
            os.close(ours)
            return process.wait()


def _copy(process: subprocess.Popen[bytes], source: int, target: int, tail: _Tail, *, keyboard: bool = False) -> None:
    """Copy what the program says, and with `keyboard` what is typed, until it is gone and has said everything.

    A process that it left behind may hold the stream open: that is not waited for.
    """
    sources = [source, *([0] if keyboard else [])]
    while True:
        gone = process.poll() is not None
        ready, _, _ = select.select(sources, [], [], 0 if gone else 0.2)
        if source in ready:
            chunk = _read(source)
            if not chunk:
                return
            tail.add(chunk)
            _write(target, chunk)
        elif gone:
            return
        if 0 in ready:
            typed = os.read(0, _CHUNK)
            if typed:
                _write(source, typed)
            else:
                sources.remove(0)


def _read(source: int) -> bytes:
    try:
        return os.read(source, _CHUNK)
    except OSError as error:
        if error.errno != errno.EIO:  # how Linux says that a terminal's other side is closed
            raise
        return b""


def _write(target: int, data: bytes) -> None:
    """Write everything; a reader that went away is the program's business, not ours."""
    with contextlib.suppress(BrokenPipeError):
        while data:
            data = data[os.write(target, data) :]


def _resize(terminal: int) -> None:
    import fcntl
    import termios

    with contextlib.suppress(OSError):
        size = fcntl.ioctl(1, termios.TIOCGWINSZ, b"\0" * 8)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)


@contextlib.contextmanager
def _raw() -> Iterator[None]:
    """Let keys (Ctrl-C too) and line ends pass through our terminal as they are: the program's own handles them."""
    import termios
    import tty

    if not os.isatty(0):
        yield
        return
    modes = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSANOW)  # at once: waiting would throw away what was typed ahead
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, modes)


@contextlib.contextmanager
def _passing_on(on_resize: Callable[[], None] | None = None) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Hand signals on to the program, which the caller puts into the list once it is started, instead of dying of them.

    A Ctrl-C typed at a terminal that both share reaches the program by itself; one sent to us alone is passed on.
    """
    started: list[subprocess.Popen[bytes]] = []

    def forward(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT and _typed_here():
            return
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    before = {number: signal.signal(number, forward) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    if on_resize:
        before[signal.SIGWINCH] = signal.signal(signal.SIGWINCH, lambda *_: on_resize())
    try:
        yield started
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _typed_here() -> bool:
    """Whether a terminal that this process is in the foreground of can have sent the interrupt."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False

"""The commands `errcat match` and `errcat run`, without the parsing of their options."""

import shutil
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TextIO

from pipeline.errors import ErrcatError
from pipeline.match import inputs
from pipeline.match.answer import TOP, Answer, answer, as_line
from pipeline.match.card import Look, card
from pipeline.match.choose import choose, release_beside
from pipeline.match.index import Index, load
from pipeline.match.run import run
from pipeline.match.traceback import named_release, read

_QUIET = frozenset({"KeyboardInterrupt", "SystemExit", "GeneratorExit"})


def answer_inputs(files: Sequence[str], *, dataset: Path | None, out: Path, as_lines: bool, top: int = TOP) -> int:
    """Answer every input on stdout, in order: a card each, or with `as_lines` a line of JSON. The exit code.

    dataset: the folder to look in, else the best one under `out` for each input. ErrcatError where an input or the
    dataset cannot be read.
    """
    loaded = lru_cache(maxsize=4)(load)
    matched = False
    look = _look(sys.stdout)
    for given in inputs.read(files or (inputs.STDIN,), sys.stdin.buffer):
        if given.skipped:
            told = f"{given.name}: {given.size:,} bytes; {given.skipped:,} in the middle were not read\n"
            sys.stderr.write(told)
        index = loaded(dataset or choose(out, named_release(given.text)))
        found = answer(given.text, index, top=top)
        matched = matched or bool(found.matches)
        if as_lines:
            shown = as_line(found, given.name)
        else:
            shown = (_card(found, index, look) + ("\n" if len(files) > 1 else "")).encode("utf-8", "backslashreplace")
        sys.stdout.buffer.write(shown)
    sys.stdout.buffer.flush()
    return 0 if matched else 1


def explain_run(command: Sequence[str], *, dataset: Path | None, out: Path) -> int:
    """Run a program; when it dies of an error that has a record or a status code, put the card on stderr.

    The exit code is the program's (128 + n where signal n ended it), whatever becomes of the card.
    """
    ended = run(command)
    if ended.code == 0 or ended.interrupted:
        return ended.code
    text = inputs.decoded(ended.tail)
    paste = read(text)
    if paste.error is None or not paste.error.class_name or paste.error.class_name in _QUIET:
        return ended.code
    try:
        release = release_beside(shutil.which(command[0])) or paste.release
        index = load(dataset or choose(out, release))
        found = answer(text, index, release=release)
        if found.matches or (found.error and found.error.status):
            sys.stderr.write("\n" + _card(found, index, _look(sys.stderr)))
    except ErrcatError as error:
        sys.stderr.write(f"errcat: no explanation: {error}\n")
    return ended.code


def _card(found: Answer, index: Index, look: Look) -> str:
    return card(found, lambda match: index.details(match.entry), look)


def _look(stream: TextIO) -> Look:
    import os

    colour = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Look(width=shutil.get_terminal_size((100, 24)).columns, colour=colour)

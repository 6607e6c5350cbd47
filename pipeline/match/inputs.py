"""What `errcat match` reads: files and standard input, bounded, whatever their bytes are."""

import codecs
import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

from pipeline.errors import ErrcatError

HEAD: Final = 1 << 20
TAIL: Final = 32 << 20
_CHUNK: Final = 1 << 20
STDIN: Final = "-"


@dataclass(frozen=True, kw_only=True, slots=True)
class Input:
    """One input. name: as given. size: its bytes; skipped: how many of them in the middle were not read."""

    name: str
    text: str
    size: int
    skipped: int


def read(names: Sequence[str], stdin: BinaryIO) -> Iterator[Input]:
    """The inputs, one after the other; "-" is standard input. ErrcatError names the one that cannot be read."""
    for name in names:
        if name == STDIN:
            yield _bounded(name, stdin)
            continue
        try:
            with open(name, "rb") as file:  # noqa: PTH123  # a Path would lose a trailing slash, and tell less
                yield _bounded(name, file)
        except OSError as error:
            hint = "Give the file of a traceback, or - for standard input"
            raise ErrcatError(f"cannot read {os.fspath(name)}: {error.strerror or error}", hint=hint) from error


def _bounded(name: str, stream: BinaryIO) -> Input:
    head = stream.read(HEAD)
    size = len(head)
    tail: deque[bytes] = deque()
    kept = 0
    while chunk := stream.read(_CHUNK):
        tail.append(chunk)
        size += len(chunk)
        kept += len(chunk)
        while kept - len(tail[0]) >= TAIL:
            kept -= len(tail.popleft())
    skipped = size - len(head) - kept
    parts = [head, *([b"\n"] if skipped else []), *tail]
    return Input(name=name, text=decoded(b"".join(parts)), size=size, skipped=skipped)


def decoded(data: bytes) -> str:
    """The bytes as text: UTF-8, or UTF-16 where a mark at the beginning says so; what is broken becomes U+FFFD."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")

"""The files in a wheel or sdist, read without unpacking it to disk and without trusting it."""

import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath

from pipeline.errors import SourceError
from pipeline.source.tree import Skipped, SkipReason, is_utf8, printable

MAX_BYTES = 1 << 28  # of all files read from one archive; the largest releases hold a few tens of millions
NO_TIME = 315619200  # 1980-01-02: what zip writers put where there is no time, and tar writers' zero, lie before it
DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error),
    *(
        EOFError,
        OSError,
        ValueError,
        LookupError,
        OverflowError,
        RuntimeError,
    ),  # what their readers let through, encryption included
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Contents:
    """What was read. paths: every file's, read or not. newest: time of the newest file, if the archive keeps any."""

    files: dict[str, bytes]
    skipped: tuple[Skipped, ...]
    paths: tuple[str, ...]
    newest: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Member:
    path: str
    size: int
    seconds: float
    is_link: bool
    read: Callable[[], bytes]


def read_archive(archive: Path, wanted: Callable[[str], bool], *, limit: int = MAX_BYTES) -> Contents:
    """Read the files whose path in the source tree is wanted.

    A wheel's `*.data/purelib/` and an sdist's top folder are no part of a path. SourceError: the archive is damaged,
    holds a path that leads out of it, or more than `limit` bytes of wanted files.
    """
    with _members(archive) as members:
        inside = [(_inner(archive, member.path), member) for member in members]
        regular = [(path, member) for path, member in inside if _skip_reason(path, member) is None]
        chosen = [(path, member) for path, member in regular if wanted(path)]
        if sum(member.size for _, member in chosen) > limit:
            raise SourceError(f"{archive.name} unpacks to more than {limit:,} bytes of source")
        return Contents(
            files={path: member.read() for path, member in chosen},
            skipped=tuple(_skipped(inside)),
            paths=tuple(path for path, _ in regular),
            newest=_time(max((member.seconds for _, member in inside), default=0.0)),
        )


def _skipped(inside: Iterable[tuple[str, _Member]]) -> Iterator[Skipped]:
    for path, member in inside:
        reason = _skip_reason(path, member)
        if reason:
            yield Skipped(path=printable(path), reason=reason)


def _skip_reason(path: str, member: _Member) -> SkipReason | None:
    if member.is_link:
        return SkipReason.SYMLINK
    return None if is_utf8(path) else SkipReason.UNREADABLE


def _time(seconds: float) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds >= NO_TIME else None


def _inner(archive: Path, name: str) -> str:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0]:
        raise SourceError(f"{archive.name} holds a path that leads out of it: {name!r}", hint="Do not trust this file")
    if archive.suffix != ".whl":
        return "/".join(parts[1:]) or parts[0]
    if parts[0].endswith(".data") and parts[1:2] in {("purelib",), ("platlib",)}:
        return "/".join(parts[2:])
    return "/".join(parts)


@contextmanager
def _members(archive: Path) -> Iterator[Iterator[_Member]]:
    try:
        if archive.suffix in {".whl", ".zip"}:
            with zipfile.ZipFile(archive) as opened:
                yield _zipped(opened)
        else:
            with tarfile.open(archive) as opened_tar:
                yield _tarred(opened_tar)
    except DAMAGE as error:
        hint = f"Delete {archive} and run again"
        raise SourceError(f"{archive.name} is damaged: {error}".rstrip(": "), hint=hint) from None


def _zipped(opened: zipfile.ZipFile) -> Iterator[_Member]:
    for info in opened.infolist():
        if not info.is_dir():
            yield _Member(
                path=info.filename,
                size=info.file_size,  # zipfile reads no more than this of it
                seconds=_zip_seconds(info),
                is_link=stat.S_ISLNK(info.external_attr >> 16),
                read=partial(opened.read, info),
            )


def _zip_seconds(info: zipfile.ZipInfo) -> float:
    try:
        return datetime(*info.date_time, tzinfo=UTC).timestamp()
    except ValueError:  # month 0: some writers leave it empty
        return 0.0


def _tarred(opened: tarfile.TarFile) -> Iterator[_Member]:
    for info in opened:
        if info.isfile() or info.issym() or info.islnk():
            yield _Member(
                path=info.name,
                size=info.size,
                seconds=info.mtime,
                is_link=not info.isfile(),
                read=partial(_tar_bytes, opened, info),
            )


def _tar_bytes(opened: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    stream = opened.extractfile(info)
    assert stream is not None  # a regular file
    return stream.read()

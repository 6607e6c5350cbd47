"""A source tree: the files of one repository at one revision."""

import enum
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

Progress = Callable[[str, int, int], None]
"""Told (stage, done, total) from time to time; total is 0 while it is unknown."""


class SkipReason(enum.Enum):
    """Why a path of the tree was not read as a Python file."""

    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceFile:
    """One file.

    path: relative to the repository's root, with forward slashes.
    blob_id: git's object id of its bytes (40 hex of SHA-1), whatever the tree came from.
    data: the bytes as they are stored, not decoded.
    """

    path: str
    blob_id: str
    data: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Skipped:
    """A path that could have been Python source and was left out, with the reason."""

    path: str
    reason: SkipReason


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceTree:
    """The files of one repository at one revision, sorted by path.

    repo: "owner/name". revision: a full SHA, a release, or "tree-<12 hex of its content>".
    analyzed_sha: the commit the files come from, or None where it cannot be known.
    link_ref: what a link to GitHub names (full SHA, or the release's tag); None: no links.
    revision_time: the commit's time, or that of the release's newest file, RFC 3339 UTC with milliseconds, or None.
    files: the `*.py` files to mine, at least one. evidence: other files wanted for evidence (tests, docs).
    """

    repo: str
    revision: str
    analyzed_sha: str | None
    link_ref: str | None
    revision_time: str | None
    files: tuple[SourceFile, ...]
    evidence: tuple[SourceFile, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def blob_id(data: bytes) -> str:
    """Git's object id of a file with these bytes, 40 hex."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def is_utf8(path: str) -> bool:
    """Whether a path, decoded as Python decodes those of the file system, was UTF-8: a record cannot hold another."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def printable(path: str) -> str:
    """The path with bytes that are not UTF-8 written as escapes."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def utc_text(when: datetime) -> str:
    """RFC 3339 in UTC with milliseconds."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

"""A source tree: the files of one repository at one revision."""

import enum
from dataclasses import dataclass


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
    revision_time: the commit's (or release's upload) time, RFC 3339 UTC with milliseconds, or None.
    files: the `*.py` files to mine. evidence: other files wanted for evidence (tests, docs).
    """

    repo: str
    revision: str
    analyzed_sha: str | None
    link_ref: str | None
    revision_time: str | None
    files: tuple[SourceFile, ...]
    evidence: tuple[SourceFile, ...] = ()
    skipped: tuple[Skipped, ...] = ()

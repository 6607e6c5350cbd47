"""The source tree of a folder on disk."""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.errors import SourceError
from pipeline.source.selection import folders_under, hides_python, is_never_read, is_read, nothing_to_mine, split
from pipeline.source.tree import Skipped, SkipReason, SourceFile, SourceTree, blob_id, is_utf8, printable


@dataclass(frozen=True, kw_only=True, slots=True)
class _Walk:
    """What a walk over a folder came upon; `paths` are regular files, read or not."""

    paths: list[str] = field(default_factory=list)
    files: list[SourceFile] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def read_folder(root: Path, *, repo: str | None = None, under: str | Sequence[str] | None = None) -> SourceTree:
    """Read the tree of a folder without following links; its revision is a hash of its content.

    SourceError: no such folder, not a folder, not readable, or no Python file to mine in it.
    """
    folder = _readable(root)
    name = repo or f"local/{folder.name or 'root'}"
    folders = folders_under(name, under)
    walk = _walk(folder, folders)
    files, evidence = split(walk.files, folders)
    if not files:
        raise nothing_to_mine(str(root), folders, walk.paths)
    return SourceTree(
        repo=name,
        revision=f"tree-{_content_hash(files + evidence)[:12]}",
        analyzed_sha=None,
        link_ref=None,
        revision_time=None,
        files=files,
        evidence=evidence,
        skipped=tuple(sorted(walk.skipped, key=lambda skip: skip.path)),
    )


def _readable(root: Path) -> Path:
    try:
        folder = root.expanduser().resolve(strict=True)
        if not folder.is_dir():
            raise SourceError(f"{root} is not a folder", hint="Give --tree the folder that holds the source")
        os.listdir(folder)  # noqa: PTH208  # only whether it may be read
    except FileNotFoundError:
        raise SourceError(f"no folder {root}", hint="Check the path given to --tree") from None
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"cannot read {root}: {reason}", hint="Check the path and its permissions") from None
    return folder


def _walk(root: Path, under: Sequence[str]) -> _Walk:
    walk = _Walk()
    _visit(root, "", under, walk)
    return walk


def _visit(folder: Path, prefix: str, under: Sequence[str], walk: _Walk) -> None:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        walk.skipped.extend(_skip(prefix.rstrip("/"), SkipReason.UNREADABLE, under))
        return
    for entry in entries:
        path = prefix + entry.name
        if entry.is_symlink():
            walk.skipped.extend(_skip(path, SkipReason.SYMLINK, under))
        elif entry.is_dir():
            if not is_never_read(entry.name) and not _is_venv(entry):
                _visit(Path(entry.path), f"{path}/", under, walk)
        else:
            _take(entry, path, under, walk)


def _is_venv(folder: os.DirEntry[str]) -> bool:
    return os.path.lexists(os.path.join(folder.path, "pyvenv.cfg"))  # noqa: PTH118


def _skip(path: str, reason: SkipReason, under: Sequence[str]) -> Iterator[Skipped]:
    if hides_python(path, under):
        yield Skipped(path=printable(path), reason=reason)


def _take(entry: os.DirEntry[str], path: str, under: Sequence[str], walk: _Walk) -> None:
    walk.paths.append(path)
    if not is_read(path, under):
        return
    try:
        # Opening a pipe would wait for ever.
        data = Path(entry.path).read_bytes() if is_utf8(path) and stat.S_ISREG(entry.stat().st_mode) else None
    except OSError:
        data = None
    if data is None:
        walk.skipped.extend(_skip(path, SkipReason.UNREADABLE, under))
    else:
        walk.files.append(SourceFile(path=path, blob_id=blob_id(data), data=data))


def _content_hash(files: Sequence[SourceFile]) -> str:
    listing = "".join(f"{file.path}\0{file.blob_id}\n" for file in sorted(files, key=lambda file: file.path))
    return hashlib.sha256(listing.encode()).hexdigest()

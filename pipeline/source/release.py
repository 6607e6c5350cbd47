"""The source tree of a release in the package index."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from packaging.utils import InvalidName, canonicalize_name
from packaging.version import InvalidVersion, Version

from pipeline.errors import SourceError
from pipeline.source.archive import read_archive
from pipeline.source.cache import locked, scratch
from pipeline.source.pip import archive_of, download
from pipeline.source.selection import JAX, folders_under, hides_python, is_read, nothing_to_mine, split
from pipeline.source.tree import Progress, SourceFile, SourceTree, blob_id, utc_text

VERSION_FILE = re.compile(r"(?:src/)?[^/]+/_?version\.py")
# `_git_hash: str = '<sha>'` (jax), `git_revision = "<sha>"` (numpy), `__commit_id__ = commit_id = '<sha>'`
NAMED_COMMIT = re.compile(
    r"""^(?:\w+[ ]*=[ ]*)*_*(?:git_?(?:hash|revision|sha|commit|version)|commit(?:_?(?:id|hash|sha))?|revision)_*
    [ ]*(?::[^=\n]+)?=[ ]*['"]([0-9a-f]{40})['"]""",
    re.MULTILINE | re.VERBOSE,
)


def read_release(
    project: str,
    version: str,
    *,
    repo: str,
    cache: Path,
    under: str | Sequence[str] | None = None,
    progress: Progress | None = None,
) -> SourceTree:
    """Read the tree of a release from its wheel, or from its sdist where it has none.

    project: the name in the package index. The archive is kept: a second call asks the index nothing.
    SourceError: no such project or release, no network, a damaged archive, or no Python file to mine.
    """
    name, wanted = project_name(project), _version(version)
    folders = folders_under(repo, under)
    archive = _have_archive(name, wanted, cache, progress or (lambda _stage, _done, _total: None))
    contents = read_archive(archive, lambda path: is_read(path, folders) or bool(VERSION_FILE.fullmatch(path)))
    read = {path: data for path, data in contents.files.items() if is_read(path, folders)}
    files, evidence = split(
        (SourceFile(path=path, blob_id=blob_id(data), data=data) for path, data in read.items()), folders
    )
    if not files:
        raise nothing_to_mine(archive.name, folders, contents.paths)
    found = archive_of(archive.name, name)
    release = str(found.version if found else wanted)
    return SourceTree(
        repo=repo,
        revision=release,
        analyzed_sha=named_commit(contents.files),
        link_ref=release_tag(repo, release),
        revision_time=utc_text(contents.newest) if contents.newest else None,
        files=files,
        evidence=evidence,
        skipped=tuple(skip for skip in contents.skipped if hides_python(skip.path, folders)),
    )


def release_tag(repo: str, version: str) -> str:
    """The git tag of a release."""
    return f"jax-v{version}" if repo == JAX else f"v{version}"


def named_commit(files: Mapping[str, bytes]) -> str | None:
    """The commit that a release says it was built from, in its package's version.py or _version.py."""
    for path in sorted(path for path in files if VERSION_FILE.fullmatch(path)):
        found = NAMED_COMMIT.search(files[path].decode("utf-8", "replace"))
        if found:
            return found[1]
    return None


def project_name(name: str) -> str:
    """A project's name as the package index has it. SourceError: no project can have that name."""
    try:
        return canonicalize_name(name, validate=True)
    except InvalidName:
        hint = "Give the name in the package index with --package"
        raise SourceError(f"{name!r} is not the name of a project", hint=hint) from None


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        raise SourceError(f"{text!r} is not a version", hint="Write it as the package index does, like 0.9.2") from None


def _have_archive(project: str, version: Version, cache: Path, progress: Progress) -> Path:
    kept = cache / "releases" / project / str(version)
    if not kept.is_dir():
        with locked(kept.parent, progress):
            if not kept.is_dir():
                progress("download", 0, 0)
                with scratch(kept.parent) as fresh:
                    download(project, version, fresh)
                    fresh.rename(kept)
    return _only(kept.iterdir(), kept)


def _only(files: Iterable[Path], folder: Path) -> Path:
    found = list(files)
    if len(found) != 1:
        raise SourceError(f"{folder} should hold one archive, not {len(found)}", hint="Delete the folder and run again")
    return found[0]

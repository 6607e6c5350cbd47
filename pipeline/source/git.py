"""The source tree of one commit of a git repository."""

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pipeline.errors import SourceError
from pipeline.source import mirror as mirrors
from pipeline.source.cache import locked
from pipeline.source.command import GitError
from pipeline.source.mirror import Mirror
from pipeline.source.selection import folders_under, hides_python, is_read, nothing_to_mine, split
from pipeline.source.tree import Progress, Skipped, SkipReason, SourceFile, SourceTree, is_utf8, printable, utc_text

FULL_SHA = re.compile(r"[0-9a-f]{40}", re.IGNORECASE)
SHORT_SHA = re.compile(r"[0-9a-f]{4,39}", re.IGNORECASE)  # git itself asks for four digits
LINKED = {"120000": SkipReason.SYMLINK, "160000": SkipReason.SUBMODULE}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    """A line of `git ls-tree`. mode: six octal digits as git writes them."""

    mode: str
    object_id: str
    path: str  # as Python decodes those of the file system


def read_commit(
    *,
    repo: str,
    name: str,
    cache: Path,
    url: str | None = None,
    under: str | Sequence[str] | None = None,
    progress: Progress | None = None,
) -> SourceTree:
    """Read the tree of a commit: `name` is a full or short SHA, a tag or a branch.

    url: whatever git can fetch from, by default the repository's GitHub address. A commit that is whole in the cache
    is read without asking the remote anything, when its SHA is given. SourceError: no such commit or name, a short SHA
    of several commits, a remote that cannot be reached or read, or no Python file to mine.
    """
    folders = folders_under(repo, under)
    mirror = mirrors.mirror_of(
        url or f"https://github.com/{repo}", cache=cache, progress=progress or (lambda _stage, _done, _total: None)
    )
    sha = _have_commit(mirror, resolve(mirror, name))
    entries = _entries(mirrors.listing(mirror, sha))
    regular = {entry.path: entry.object_id for entry in entries if _skip_reason(entry) is None}
    read = {path: blob for path, blob in regular.items() if is_read(path, folders)}
    contents = _have_blobs(mirror, sha, list(dict.fromkeys(read.values())))
    files, evidence = split(
        (SourceFile(path=path, blob_id=blob, data=contents[blob]) for path, blob in read.items()), folders
    )
    if not files:
        raise nothing_to_mine(f"{repo} at {sha}", folders, regular)
    return SourceTree(
        repo=repo,
        revision=sha,
        analyzed_sha=sha,
        link_ref=sha,
        revision_time=_commit_time(contents[sha]),
        files=files,
        evidence=evidence,
        skipped=tuple(sorted(_skipped(entries, folders), key=lambda skip: skip.path)),
    )


def resolve(mirror: Mirror, name: str) -> str:
    """The full SHA that a name stands for; a full SHA is taken as it is, whether or not there is such a commit.

    A short SHA costs one fetch of commits, which are kept. SourceError: unknown, or a short SHA of several commits.
    """
    if FULL_SHA.fullmatch(name):
        return name.lower()
    short = name.lower() if SHORT_SHA.fullmatch(name) else None
    known = mirrors.commits_starting(mirror, short) if short else ()
    if len(known) == 1:
        return known[0]
    references = mirrors.references(mirror, head=name == "HEAD")
    for reference in (f"refs/tags/{name}", f"refs/heads/{name}", name):
        if reference in references:
            return references[reference]
    return _lengthened(mirror, short, known) if short else _unknown(mirror, name, references)


def tags(url: str, *, cache: Path, progress: Progress) -> dict[str, str]:
    """The tags of a repository and the commit of each. SourceError: it cannot be reached or read."""
    mirror = mirrors.mirror_of(url, cache=cache, progress=progress)
    prefix = "refs/tags/"
    return {
        name.removeprefix(prefix): sha for name, sha in mirrors.references(mirror).items() if name.startswith(prefix)
    }


def commit_times(url: str, shas: Sequence[str], *, cache: Path, progress: Progress) -> dict[str, str]:
    """When commits of a repository's branches and tags were made; what is no commit is left out.

    Those that are new are fetched, without their files.
    """
    mirror = mirrors.mirror_of(url, cache=cache, progress=progress)
    with locked(mirror.folder, progress):
        mirrors.fetch_commits(mirror)
    return {sha: _commit_time(commit) for sha, commit in mirrors.commits(mirror, shas).items()}


def _lengthened(mirror: Mirror, short: str, known: Sequence[str]) -> str:
    if not known:
        with locked(mirror.folder, mirror.progress):
            mirrors.fetch_commits(mirror)
        known = mirrors.commits_starting(mirror, short)
    if len(known) == 1:
        return known[0]
    if known:
        candidates = ", ".join(known[:8])
        raise SourceError(f"{short} is short for several commits: {candidates}", hint="Give more of its digits")
    what = f"no commit, tag or branch {short} in {mirror.name}"
    raise SourceError(what, hint="A short SHA is found on branches and tags only; try the full one")


def _unknown(mirror: Mirror, name: str, references: dict[str, str]) -> str:
    names = [reference.split("/", 2)[-1] for reference in references]
    holding = [other for other in names if name.lower() in other.lower()]
    similar = list(dict.fromkeys(holding[-3:] + difflib.get_close_matches(name, names, n=5, cutoff=0.5)))[:5]
    hint = f"Similar: {', '.join(similar)}" if similar else "Give a tag, a branch or a SHA"
    raise SourceError(f"no tag or branch {name} in {mirror.name}", hint=hint)


def _have_commit(mirror: Mirror, sha: str) -> str:
    no_such = SourceError(f"{mirror.name} has no commit {sha}", hint="Check the SHA, and that it was pushed there")

    def fetch() -> None:
        try:
            mirrors.fetch_commit(mirror, sha)
        except GitError as error:
            if any(words in error.what for words in mirrors.NO_SUCH_OBJECT):
                raise no_such from None
            raise

    if not _have(mirror, lambda: mirrors.commit_id(mirror, sha) is not None, fetch):
        raise no_such
    return mirrors.commit_id(mirror, sha) or sha


def _have_blobs(mirror: Mirror, sha: str, ids: list[str]) -> dict[str, bytes]:
    complete = _have(
        mirror,
        lambda: not mirrors.absent(mirror, ids),
        lambda: mirrors.fetch_blobs(mirror, mirrors.absent(mirror, ids)),
    )
    if not complete:
        raise SourceError(f"{mirror.name} did not send all files of {sha}", hint="Run again")
    return mirrors.contents(mirror, [sha, *ids])


def _have(mirror: Mirror, is_here: Callable[[], bool], fetch: Callable[[], None]) -> bool:
    """Fetch what is not here, unless another run did so while this one waited for it."""
    if is_here():
        return True
    with locked(mirror.folder, mirror.progress):
        if not is_here():
            fetch()
    return is_here()


def _entries(listing: bytes) -> list[_Entry]:
    entries = []
    for line in listing.split(b"\0")[:-1]:
        head, _, path = line.partition(b"\t")
        mode, _kind, object_id = head.decode().split()
        entries.append(_Entry(mode=mode, object_id=object_id, path=path.decode("utf-8", "surrogateescape")))
    return entries


def _skipped(entries: Sequence[_Entry], under: Sequence[str]) -> list[Skipped]:
    reasons = ((entry.path, _skip_reason(entry)) for entry in entries if hides_python(entry.path, under))
    return [Skipped(path=printable(path), reason=reason) for path, reason in reasons if reason]


def _skip_reason(entry: _Entry) -> SkipReason | None:
    return LINKED.get(entry.mode) or (None if is_utf8(entry.path) else SkipReason.UNREADABLE)


def _commit_time(commit: bytes) -> str:
    header = commit.split(b"\n\n", 1)[0]
    seconds = re.findall(rb"^committer .* (-?\d+) [+-]\d{4}$", header, re.MULTILINE)[0]
    return utc_text(datetime.fromtimestamp(int(seconds), UTC))

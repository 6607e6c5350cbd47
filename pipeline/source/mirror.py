"""A mirror: the objects of one remote repository that were fetched so far, bare, in the cache.

Every fetch runs in a scratch repository and its packs are then moved here, so that no git process ever writes to the
mirror itself: a killed fetch leaves nothing in it, and readers need no lock. Objects that are absent stay absent: the
mirror does not know its remote, so no git command can fetch one behind our back.
"""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pipeline.source.cache import scratch
from pipeline.source.command import GitError, fetch, git, succeeds, without_password
from pipeline.source.tree import Progress

ALL_REFS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
WITHOUT_BLOBS = "blob:none"
COMMITS_ONLY = "tree:0"

# What git says of a server that cannot serve one commit, or one blob, by its id. It can still serve everything.
ONLY_WHOLE = ("unadvertised object", "does not support shallow")
NO_SUCH_OBJECT = ("not our ref", "couldn't find remote ref", "remote ref does not exist")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mirror:
    """url: what git fetches from (may hold a password). folder: of this remote alone, in the cache."""

    url: str
    folder: Path
    progress: Progress

    @property
    def name(self) -> str:
        """The address for people: without user and password."""
        return without_password(self.url)

    @property
    def objects(self) -> Path:
        """Bare repository of snapshots: whole commits' trees, and the blobs that were wanted; no refs, no history."""
        return self.folder / "objects.git"

    @property
    def commits(self) -> Path:
        """Bare repository of the commits of all branches and tags, without their trees; made when first needed."""
        return self.folder / "commits.git"


def mirror_of(url: str, *, cache: Path, progress: Progress) -> Mirror:
    """The mirror of a URL or of a path to a repository. Nothing is written yet."""
    local = Path(url).expanduser()
    address = str(local.resolve()) if "://" not in url and local.exists() else url
    plain = without_password(address).rstrip("/").removesuffix(".git")
    words = re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(re.split(r"[/:]", plain)[-2:])).strip("-.")
    key = hashlib.sha256(plain.encode()).hexdigest()[:8]
    return Mirror(url=address, folder=cache / "git" / f"{words}-{key}", progress=progress)


def references(mirror: Mirror, *, head: bool = False) -> dict[str, str]:
    """Ask the remote for its branches and tags (or HEAD alone): full name -> commit, annotated tags peeled."""
    asked = ("origin", "HEAD") if head else ("--heads", "--tags", "origin")
    with tempfile.TemporaryDirectory() as folder:
        lines = git(Path(folder), "ls-remote", *asked, url=mirror.url).decode(errors="replace").splitlines()
    found = {name: sha for sha, _, name in (line.partition("\t") for line in lines)}
    return {name: found.get(f"{name}^{{}}", sha) for name, sha in found.items() if not name.endswith("^{}")}


def commit_id(mirror: Mirror, sha: str) -> str | None:
    """The full SHA of the commit that `sha` is or, for an annotated tag's own id, points at; None: not here."""
    if not mirror.objects.is_dir():
        return None
    return succeeds(mirror.objects, "rev-parse", "--verify", "--quiet", f"{sha}^{{commit}}")


def commits_starting(mirror: Mirror, prefix: str) -> tuple[str, ...]:
    """The full SHAs of the commits known to start with these hex digits (at least 4)."""
    if not mirror.commits.is_dir():
        return ()
    found = git(mirror.commits, "rev-parse", f"--disambiguate={prefix}").decode().split()
    kinds = git(mirror.commits, "cat-file", "--batch-check", stdin="\n".join(found)).decode().splitlines()
    return tuple(sorted(line.split()[0] for line in kinds if line.split()[1] == "commit"))


def is_ancestor(mirror: Mirror, old: str, new: str) -> bool:
    """Whether the commit `old` led to the commit `new`; False where one of them is not among the commits fetched."""
    return succeeds(mirror.commits, "merge-base", "--is-ancestor", old, new) is not None


def listing(mirror: Mirror, sha: str) -> bytes:
    """What `git ls-tree -r -z` says of a commit that is here."""
    return git(mirror.objects, "ls-tree", "-r", "-z", "--full-tree", sha)


def absent(mirror: Mirror, ids: Iterable[str]) -> list[str]:
    """Those of the objects that are not here yet."""
    out = git(mirror.objects, "cat-file", "--batch-check", "--buffer", stdin="\n".join(ids)).decode()
    return [line.split()[0] for line in out.splitlines() if line.endswith(" missing")]


def contents(mirror: Mirror, ids: Iterable[str]) -> dict[str, bytes]:
    """Object id -> content, read in one pass. All must be here."""
    return _contents(mirror.objects, ids)


def commits(mirror: Mirror, ids: Iterable[str]) -> dict[str, bytes]:
    """SHA -> commit, of those ids that are commits and that `fetch_commits` has fetched."""
    checked = git(mirror.commits, "cat-file", "--batch-check", stdin="\n".join(ids)).decode().splitlines()
    return _contents(mirror.commits, [line.split()[0] for line in checked if line.split()[1] == "commit"])


def _contents(repository: Path, ids: Iterable[str]) -> dict[str, bytes]:
    out = git(repository, "cat-file", "--batch", "--buffer", stdin="\n".join(ids))
    found = {}
    start = 0
    while start < len(out):
        end = out.index(b"\n", start)
        name, _kind, size = out[start:end].split()
        start = end + 1 + int(size) + 1  # each content is followed by a newline
        found[name.decode()] = out[end + 1 : start - 1]
    return found


def fetch_commit(mirror: Mirror, sha: str) -> None:
    """Fetch one commit and its trees; its blobs too where the server cannot leave them out."""
    wants = ("--depth=1", f"--filter={WITHOUT_BLOBS}", "origin", sha)
    _fetch_or_everything(mirror, wants, filtered=WITHOUT_BLOBS)


def fetch_blobs(mirror: Mirror, ids: Iterable[str]) -> None:
    """Fetch the blobs in one go, the way git itself fetches what a partial clone lacks."""
    wants = (f"--filter={WITHOUT_BLOBS}", "--stdin", "origin")
    _fetch_or_everything(mirror, wants, filtered=WITHOUT_BLOBS, stdin="\n".join(ids))


def _fetch_or_everything(mirror: Mirror, wants: tuple[str, ...], *, filtered: str, stdin: str = "") -> None:
    try:
        _fetch_objects(mirror, wants, filtered=filtered, stdin=stdin)
    except GitError as error:
        if not any(words in error.what for words in ONLY_WHOLE):
            raise
        _fetch_objects(mirror, ("origin", *ALL_REFS))


def _fetch_objects(mirror: Mirror, wants: tuple[str, ...], *, filtered: str | None = None, stdin: str = "") -> None:
    with scratch(mirror.folder) as fresh:
        if not mirror.objects.is_dir():
            _init(fresh / "objects.git")
            (fresh / "objects.git").rename(mirror.objects)
        _init(fresh / "fetch.git")
        fetch(fresh / "fetch.git", wants, url=mirror.url, filtered=filtered, stdin=stdin, progress=mirror.progress)
        _move_objects(fresh / "fetch.git" / "objects", mirror.objects / "objects")


def _move_objects(fresh: Path, objects: Path) -> None:
    # An index makes its pack visible, so it goes last.
    for file in sorted((path for path in fresh.rglob("*") if path.is_file()), key=lambda path: path.suffix == ".idx"):
        inner = file.relative_to(fresh)
        if inner.parts[0] != "info" and file.suffix not in {".keep", ".lock"}:
            (objects / inner).parent.mkdir(exist_ok=True)
            file.replace(objects / inner)


def fetch_commits(mirror: Mirror) -> None:
    """Fetch the commits of all branches and tags that are not here yet, without trees and blobs."""
    with scratch(mirror.folder) as fresh:
        grown = fresh / "commits.git"
        if mirror.commits.is_dir():
            _copy(mirror.commits, grown)
        else:
            _init(grown)
        wants = (f"--filter={COMMITS_ONLY}", "--prune", "origin", *ALL_REFS)
        fetch(grown, wants, url=mirror.url, filtered=COMMITS_ONLY, progress=mirror.progress)
        if mirror.commits.is_dir():
            mirror.commits.rename(fresh / "old.git")
        grown.rename(mirror.commits)


def _copy(repository: Path, target: Path) -> None:
    # Packs never change, so they are shared; git replaces every other file by a rename, never in place.
    shutil.copytree(repository, target, copy_function=os.link)


def _init(folder: Path) -> None:
    folder.mkdir()
    git(folder, "init", "--bare", "--quiet", "--template=", "--object-format=sha1")

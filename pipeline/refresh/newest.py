"""The newest revision of what is kept up to date: a commit of a branch, or a release."""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipeline.errors import SourceError
from pipeline.source.named import JAX, Named, check_repo

if TYPE_CHECKING:
    from pipeline.source.mirror import Mirror

LATEST: Final = "latest"
_FULL_SHA: Final = re.compile("[0-9a-f]{40}")

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Followed:
    """What is kept up to date; at most one of branch, sha and release. Without any: the remote's default branch.

    release: a version, or "latest". pre: pre-releases count as releases. The rest is as in `Named`.
    """

    repo: str = JAX
    branch: str | None = None
    sha: str | None = None
    release: str | None = None
    pre: bool = False
    git: str | None = None
    under: str | None = None
    package: str | None = None

    def check(self) -> None:
        """SourceError where these do not go together."""
        check_repo(self.repo)
        given = [f"--{name}" for name in ("branch", "sha", "release") if getattr(self, name) is not None]
        if len(given) > 1:
            raise SourceError(f"give one of --branch, --sha and --release, not {' and '.join(given)}")
        if self.release is not None and self.git is not None:
            raise SourceError("--git goes with commits, not with --release", hint="Leave one of them out")
        if self.package is not None and self.release is None:
            raise SourceError("--package goes with --release only", hint="Leave it out, or give --release latest")
        if self.pre and self.release != LATEST:
            raise SourceError("--pre goes with --release latest only", hint="Leave it out")

    def at(self, revision: str) -> Named:
        """The source at a revision of it."""
        if self.release is not None:
            return Named(repo=self.repo, release=revision, under=self.under, package=self.package)
        return Named(repo=self.repo, sha=revision, git=self.git, under=self.under)


@dataclass(frozen=True, kw_only=True, slots=True)
class Newest:
    """What was found. revision: full SHA or release. said: where, for people."""

    revision: str
    said: str


def look_up(followed: Followed, progress: Progress) -> Newest:
    """Ask the remote or the package registry. SourceError where neither knows."""
    if followed.release is not None:
        return _release(followed)
    from pipeline.source.cache import cache_folder
    from pipeline.source.git import resolve
    from pipeline.source.mirror import mirror_of

    mirror = mirror_of(followed.git or f"https://github.com/{followed.repo}", cache=cache_folder(), progress=progress)
    if followed.sha is not None:
        return Newest(revision=resolve(mirror, followed.sha), said=f"commit {followed.sha}")
    if followed.branch is None:
        return Newest(revision=resolve(mirror, "HEAD"), said="the newest commit of the default branch")
    return Newest(revision=_of_branch(mirror, followed.branch), said=f"the newest commit of {followed.branch}")


def _of_branch(mirror: "Mirror", branch: str) -> str:
    """Its newest commit; a tag of that name is passed over."""
    from pipeline.source.mirror import references

    heads = {name.removeprefix("refs/heads/"): sha for name, sha in references(mirror).items() if "/heads/" in name}
    if branch not in heads:
        similar = ", ".join(difflib.get_close_matches(branch, heads, n=5, cutoff=0.5))
        hint = f"Similar: {similar}" if similar else "Leave --branch out for the default branch"
        raise SourceError(f"no branch {branch} in {mirror.name}", hint=hint)
    return heads[branch]


def _release(followed: Followed) -> Newest:
    from packaging.version import InvalidVersion, Version

    from pipeline.source.pip import newest
    from pipeline.source.release import project_name

    assert followed.release is not None
    if followed.release == LATEST:
        project = project_name(followed.package or followed.repo.partition("/")[2])
        return Newest(revision=str(newest(project, pre=followed.pre)), said="the newest release")
    try:
        return Newest(revision=str(Version(followed.release)), said="a release that was named")
    except InvalidVersion:
        hint = "Write it as the package index does, like 0.9.2, or latest"
        raise SourceError(f"{followed.release!r} is not a version", hint=hint) from None


def is_commit(revision: str) -> bool:
    """Whether a revision is a commit's full SHA."""
    return _FULL_SHA.fullmatch(revision) is not None


def shown(revision: str) -> str:
    """A revision as people know it."""
    return revision[:12] if is_commit(revision) else revision

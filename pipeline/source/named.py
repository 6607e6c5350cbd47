"""A source named by a user: a commit, a release or a folder; checked, then read."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pipeline.errors import SourceError
from pipeline.source.tree import SourceTree

JAX: Final = "jax-ml/jax"

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """What a user says of a source; exactly one of sha, release and tree.

    repo: OWNER/NAME; None: jax-ml/jax, or local/<folder> for a folder. sha: a full or short SHA, a tag or a branch.
    git: URL or path to fetch it from; None: the repo's GitHub address. under: only what is under this path.
    package: name in the package registry; None: the repo's.
    """

    repo: str | None = None
    sha: str | None = None
    release: str | None = None
    tree: Path | None = None
    git: str | None = None
    under: str | None = None
    package: str | None = None

    def check(self) -> None:
        """SourceError where these do not go together."""
        sources = {"sha": self.sha, "release": self.release, "tree": self.tree}
        given = [f"--{name}" for name, value in sources.items() if value is not None]
        if len(given) != 1:
            told = f"not {' and '.join(given)}" if given else "none is given"
            raise SourceError(f"give one of --sha, --release and --tree: {told}", hint="For example --release 0.9.2")
        _goes_with("--git", self.git, "--sha", self.sha)
        _goes_with("--package", self.package, "--release", self.release)
        check_repo(self.repo)

    def read(self, progress: Progress) -> SourceTree:
        """The source tree. SourceError where it cannot be had."""
        from pipeline.source.cache import cache_folder

        self.check()
        if self.tree is not None:
            from pipeline.source.folder import read_folder

            return read_folder(self.tree, repo=self.repo, under=self.under)
        repo, under, cache = self.repo or JAX, self.under, cache_folder()
        if self.sha is not None:
            from pipeline.source.git import read_commit

            return read_commit(repo=repo, url=self.git, name=self.sha, under=under, cache=cache, progress=progress)
        from pipeline.source.release import read_release

        assert self.release is not None
        project = self.package or repo.partition("/")[2]
        return read_release(project, self.release, repo=repo, under=under, cache=cache, progress=progress)


def check_repo(repo: str | None) -> None:
    """SourceError where a repo is given and is not OWNER/NAME."""
    if repo is not None and not re.fullmatch(r"[\w.-]+/[\w.-]+", repo):
        raise SourceError(f"--repo {repo} is not of the form OWNER/NAME", hint=f"For example {JAX}")


def of_revision(repo: str, revision: str, *, tree: Path | None = None, git: str | None = None) -> Named:
    """The source that a dataset of this repo and revision was mined from. tree: its folder, where it was one."""
    if tree is not None:
        return Named(repo=repo, tree=tree)
    if revision.startswith("tree-"):
        raise SourceError(f"{repo} {revision} was mined from a folder", hint="Say which, with --tree")
    if re.fullmatch("[0-9a-f]{40}", revision):
        return Named(repo=repo, sha=revision, git=git)
    return Named(repo=repo, release=revision)


def _goes_with(option: str, value: object, other: str, needed: object) -> None:
    if value is not None and needed is None:
        raise SourceError(f"{option} goes with {other} only", hint=f"Leave it out, or give {other}")

"""A local git repository whose commits are real releases of jax, or parts of them."""

import functools
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PARTS = ("jax/_src/export/", "jax/_src/state/", "jax/version.py")
"""A part of jax that changes from release to release: ten files, some 180 errors."""
_NOBODY = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_AUTHOR = {f"GIT_{who}_{what}": "nobody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@functools.cache
def release_files(version: str, parts: tuple[str, ...] | None = PARTS) -> Mapping[str, bytes]:
    """The files of a release of jax, by path; of these parts, or all of the package."""
    from pipeline.source.cache import cache_folder
    from pipeline.source.release import read_release

    tree = read_release("jax", version, repo="jax-ml/jax", cache=cache_folder())
    return {file.path: file.data for file in tree.files if parts is None or file.path.startswith(parts)}


@dataclass(frozen=True, kw_only=True)
class Upstream:
    """A repository on disk, with a branch main."""

    folder: Path

    def git(self, *arguments: str, when: int = 0) -> str:
        """Run git here; `when`: the time of a commit, in seconds."""
        times = {"GIT_AUTHOR_DATE": f"@{when} +0000", "GIT_COMMITTER_DATE": f"@{when} +0000"} if when else {}
        environment = {**os.environ, **_NOBODY, **_AUTHOR, **times}
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    def commit(self, files: Mapping[str, bytes], *, when: int) -> str:
        """A commit that has exactly these files; its SHA."""
        self.git("rm", "-rfq", "--ignore-unmatch", ".")
        for path, data in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_bytes(data)
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "-m", "a release", when=when)
        return self.git("rev-parse", "HEAD")


def new_upstream(folder: Path) -> Upstream:
    """An empty repository, from which git can fetch one commit."""
    folder.mkdir(parents=True)
    made = Upstream(folder=folder)
    made.git("init", "-q", "-b", "main")
    made.git("config", "uploadpack.allowAnySHA1InWant", "true")
    made.git("config", "uploadpack.allowFilter", "true")
    return made

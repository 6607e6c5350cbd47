"""Which revisions a history is of, in their order, and where the source of each is."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from packaging.version import InvalidVersion, Version

from pipeline.errors import SourceError
from pipeline.source.named import JAX, Named, Progress

_VERSION_IN_TAG: Final = re.compile(r"(?:.*?[-_/])??v?(\d.*)")
_LINE: Final = re.compile(r"([\w.-]+/[\w.-]+)@(\S+)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One revision. name: what a history calls it: its release, else its tag, else what the user wrote."""

    name: str
    source: Named


def of_releases(
    wanted: str, *, repo: str | None = None, package: str | None = None, under: str | None = None, pre: bool = False
) -> tuple[Step, ...]:
    """The releases of a package in a range `FIRST..LAST` (either can be left out), in the order of PEP 440.

    pre: with pre-releases. SourceError: not such a range, no release in it, or the index cannot be reached.
    """
    from pipeline.source.pip import releases

    first, last = _range(wanted)
    project = package or (repo or JAX).partition("/")[2]
    known = [version for version in releases(project) if pre or not version.is_prerelease]
    kept = [v for v in known if (first is None or v >= first) and (last is None or v <= last)]
    if not kept:
        around = ", ".join(map(str, known[-6:]))
        raise SourceError(f"{project} has no release in {wanted}", hint=f"The newest: {around}" if around else None)
    return tuple(Step(name=str(v), source=Named(repo=repo, release=str(v), package=package, under=under)) for v in kept)


def _range(text: str) -> tuple[Version | None, Version | None]:
    first, dots, last = text.partition("..")
    try:
        ends = (Version(first) if first else None, Version(last) if last else None)
    except InvalidVersion:
        dots = ""
    if not dots:
        raise SourceError(f"--releases {text} is not a range of releases", hint="Write it as 0.4.30..0.10.2")
    if ends[0] and ends[1] and ends[0] > ends[1]:
        raise SourceError(f"--releases {text}: {first} is newer than {last}", hint=f"Write it as {last}..{first}")
    return ends


def of_tags(
    pattern: str,
    *,
    repo: str | None = None,
    git: str | None = None,
    under: str | None = None,
    pre: bool = False,
    progress: Progress,
) -> tuple[Step, ...]:
    """The tags of a git repository that fit a pattern: in the order of PEP 440 where all are versions, else of time.

    git: URL or path; None: the repo's GitHub address. pre: with pre-releases. SourceError: no such tag, or a
    repository that cannot be read.
    """
    from pipeline.source.cache import cache_folder
    from pipeline.source.git import tags

    url = git or f"https://github.com/{repo or JAX}"
    known = tags(url, cache=cache_folder(), progress=progress)
    chosen = {name: sha for name, sha in known.items() if fnmatchcase(name, pattern)}
    versions = {name: _version(name) for name in chosen}
    if not pre:
        chosen = {name: sha for name, sha in chosen.items() if not ((v := versions[name]) and v.is_prerelease)}
    if not chosen:
        around = ", ".join(sorted(known)[-6:])
        raise SourceError(f"no tag fits {pattern!r} in {url}", hint=f"Some of its tags: {around}" if around else None)
    names = _ordered(chosen, versions, url, progress)
    return tuple(
        Step(name=shown, source=Named(repo=repo, sha=chosen[tag], git=git, under=under)) for tag, shown in names
    )


def _version(tag: str) -> Version | None:
    found = _VERSION_IN_TAG.fullmatch(tag)
    try:
        return Version(found[1]) if found else None
    except InvalidVersion:
        return None


def _ordered(
    chosen: dict[str, str], versions: dict[str, Version | None], url: str, progress: Progress
) -> list[tuple[str, str]]:
    """Tags in their order, each with the name that a history gives it: of a version the version, if it is the only."""
    from pipeline.source.cache import cache_folder
    from pipeline.source.git import commit_times

    found = {tag: version for tag in chosen if (version := versions[tag]) is not None}
    if len(found) == len(chosen) == len(set(found.values())):
        return [(tag, str(found[tag])) for tag in sorted(found, key=lambda tag: found[tag])]
    times = commit_times(url, list(chosen.values()), cache=cache_folder(), progress=progress)
    return [(tag, tag) for tag in sorted(chosen, key=lambda tag: (times.get(chosen[tag], ""), tag))]


def of_file(path: Path, *, under: str | None = None) -> tuple[Step, ...]:
    """The revisions that a file lists, a line `owner/name@rev` each, in its order.

    rev is a release of the package of that name where it looks like a version (1.2.3), else a SHA, tag or branch.
    Empty lines, and what follows `#`, are left out. SourceError: a line that is something else, or no such file.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"cannot read {path}: {reason}", hint="Check the path given to --repos") from None
    written = [(number, line.partition("#")[0].strip()) for number, line in enumerate(lines, 1)]
    steps = dict.fromkeys(_line(path, number, text, under) for number, text in written if text)
    if not steps:
        raise SourceError(f"{path} lists no repository", hint="Write lines like jax-ml/jax@0.9.2")
    return tuple(steps)


def _line(path: Path, number: int, text: str, under: str | None) -> Step:
    found = _LINE.fullmatch(text)
    if not found:
        hint = "Write it as owner/name@rev, like jax-ml/jax@0.9.2"
        raise SourceError(f"{path}:{number}: {text!r} names no revision of a repository", hint=hint)
    repo, revision = found.groups()
    source = (
        Named(repo=repo, release=revision, under=under)
        if _is_release(revision)
        else Named(repo=repo, sha=revision, under=under)
    )
    return Step(name=text, source=source)


def _is_release(revision: str) -> bool:
    return bool(re.fullmatch(r"\d+\.[\w.!+]+", revision)) and _version(revision) is not None

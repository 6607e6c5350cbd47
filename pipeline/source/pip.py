"""What pip knows of a project's releases, and the archive of one of them. No code of a release is ever run."""

import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from packaging.tags import Tag
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from pipeline.errors import SourceError

DOWNLOAD = ("download", "--no-deps", "--ignore-requires-python", "--only-binary=:all:", "--progress-bar=off")
LINK = re.compile(r"^\s*(?:Skipping link: .*?: |Found link )((?:https?|file)://\S+)", re.MULTILINE)
YANKED = re.compile(r"^\s*Skipping link: yanked for reason: .*?: ((?:https?|file)://\S+)", re.MULTILINE)
UNREACHABLE = re.compile(r"WARNING: Retrying|Could not fetch URL \S+: (?!404)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Archive:
    """A file that an index offers. tags: the Pythons and platforms of a wheel, empty for an sdist."""

    url: str
    name: str
    version: Version
    tags: frozenset[Tag] = frozenset()


def download(project: str, version: Version, folder: Path) -> None:
    """Put the wheel of a release, or else its sdist, into an empty folder.

    A wheel for this Python comes first, then one for another, then the sdist, which is only downloaded: pip itself
    would run its build to learn its name. SourceError: no such project or release, or the index cannot be reached.
    """
    wanted = f"{project}=={version}"
    done = _pip(*DOWNLOAD, "--dest", str(folder), wanted)
    if done.returncode == 0:
        return
    log = _log(project, folder)
    offered = _offered(project, log)
    chosen = max((archive for archive in offered if archive.version == version), key=_preference, default=None)
    if chosen is None:
        raise _unknown(project, version, offered) if offered or _is_answer(log) else _failure(wanted, log)
    if chosen.tags:
        done = _pip(*DOWNLOAD, *_for_tag(min(chosen.tags, key=str)), "--dest", str(folder), wanted)
        if done.returncode:
            raise _failure(wanted, done)
    else:
        _save(chosen, folder)


def releases(project: str) -> tuple[Version, ...]:
    """The releases of a project that have a wheel or an sdist, for whatever Python, in order.

    SourceError: no such project, or the index cannot be reached.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = _log(project, Path(folder))
    found = sorted({archive.version for archive in _offered(project, log)})
    if not found:
        raise _no_project(project) if _is_answer(log) else _failure(project, log)
    return tuple(found)


def newest(project: str, *, pre: bool = False) -> Version:
    """The newest release of a project that was not withdrawn, for whatever Python. pre: pre-releases count too.

    SourceError: no such project, no such release, or an index that cannot be reached: what it has might be newer.
    """
    log = _pip("index", "versions", "-vv", "--pre", "--ignore-requires-python", project)
    if UNREACHABLE.search(log.stdout + log.stderr):
        raise _failure(project, log)
    yanked = set(YANKED.findall(log.stdout + log.stderr))
    offered = _offered(project, log)
    kept = {archive.version for archive in offered if archive.url not in yanked}
    found = [version for version in kept if pre or not version.is_prerelease]
    if not found:
        unready = ", ".join(map(str, sorted(kept)[-3:]))
        if kept:
            raise SourceError(f"{project} has pre-releases only: {unready}", hint="Take those too, with --pre")
        raise _no_project(project) if _is_answer(log) and not offered else _failure(project, log)
    return max(found)


def _log(project: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The log of a version that no release has: pip names every archive of the project in it, whatever for."""
    return _pip(*DOWNLOAD, "-vv", "--dest", str(folder), f"{project}==0+none")


def archive_of(file_name: str, project: str, url: str = "") -> Archive | None:
    """The archive of the project with this file name; None: not a wheel or sdist of it."""
    try:
        if file_name.endswith(".whl"):
            name, version, _build, tags = parse_wheel_filename(file_name)
        else:
            name, version = parse_sdist_filename(file_name)
            tags = frozenset()
    except (InvalidSdistFilename, InvalidWheelFilename, InvalidVersion):
        return None
    if name != canonicalize_name(project):
        return None
    return Archive(url=url, name=file_name, version=version, tags=tags)


def _offered(project: str, log: subprocess.CompletedProcess[str]) -> list[Archive]:
    urls = [url.rstrip(",") for url in LINK.findall(log.stdout + log.stderr)]
    archives = (archive_of(unquote(urlsplit(url).path).rpartition("/")[2], project, url) for url in urls)
    return [archive for archive in archives if archive]


def _preference(archive: Archive) -> tuple[bool, bool, bool, list[int], str]:
    """Wheels first; those for every platform; then Linux, where most are built; then the newest Python."""
    platforms = {tag.platform for tag in archive.tags}
    pythons = [[int(digit) for digit in re.findall(r"(\d)(\d*)", tag.interpreter)[0] if digit] for tag in archive.tags]
    linux = any("linux" in platform and "x86_64" in platform for platform in platforms)
    return bool(archive.tags), "any" in platforms, linux, max(pythons, default=[]), archive.name


def _for_tag(tag: Tag) -> Sequence[str]:
    implementation, python = re.findall(r"([a-z]+)(\d+)", tag.interpreter)[0]
    return (
        *("--platform", tag.platform),
        *("--implementation", implementation),
        *("--python-version", python),
        *("--abi", tag.abi),
    )


def _save(archive: Archive, folder: Path) -> None:
    from http.client import HTTPException
    from urllib.error import URLError
    from urllib.request import urlopen

    context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or os.environ.get("REQUESTS_CA_BUNDLE"))
    url = _without_password(archive.url)  # pip's log shows stars in its place
    try:
        with urlopen(url, context=context) as source, (folder / archive.name).open("wb") as target:  # noqa: S310  # LINK admits http and file only
            shutil.copyfileobj(source, target)
            length = source.headers.get("Content-Length")
            if length and target.tell() != int(length):
                raise URLError("the connection broke off")
    except (OSError, HTTPException) as error:
        what = f"cannot download {archive.name}: {getattr(error, 'reason', error)}"
        raise SourceError(what, hint="Check the network and your access to the index, then run again") from None


def _without_password(text: str) -> str:
    return re.sub(r"://[^/@\s]+@", "://", text)


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_COLOR": "1"}
    command = [sys.executable, "-m", "pip", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)


def _is_answer(log: subprocess.CompletedProcess[str]) -> bool:
    said = log.stdout + log.stderr
    return "No matching distribution found" in said and not UNREACHABLE.search(said)


def _unknown(project: str, version: Version, offered: Sequence[Archive]) -> SourceError:
    if not offered:
        return _no_project(project)
    known = sorted({archive.version for archive in offered})
    place = sum(other < version for other in known)
    near = known[max(0, place - 3) : place + 3]
    return SourceError(f"{project} has no release {version}", hint=f"Nearest: {', '.join(map(str, near))}")


def _no_project(project: str) -> SourceError:
    hint = "Give the name in the package index with --package, or use --sha or --tree"
    return SourceError(f"the package index has no project {project}", hint=hint)


def _failure(wanted: str, done: subprocess.CompletedProcess[str]) -> SourceError:
    if "No module named pip" in done.stderr:
        return SourceError("this Python has no pip", hint=f"Run {Path(sys.executable).name} -m ensurepip")
    if UNREACHABLE.search(done.stdout + done.stderr):
        hint = "Check the network and pip's settings (pip config list); --tree needs neither"
        return SourceError(f"pip cannot reach the package index for {wanted}", hint=hint)
    errors = [line.removeprefix("ERROR: ") for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
    reason = _without_password((errors or ["no reason given"])[0]).rstrip(".")
    return SourceError(f"pip cannot download {wanted}: {reason}", hint=f"Try pip download --no-deps {wanted}")

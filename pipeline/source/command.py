"""One git command: run on one bare repository, asking nobody anything, its failure told in a line."""

import os
import re
import signal
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pipeline.errors import SourceError
from pipeline.source.tree import Progress

if TYPE_CHECKING:
    from git import Git, RemoteProgress

FETCH = (
    *("fetch", "--progress", "--no-tags", "--no-write-fetch-head"),
    *("--no-auto-maintenance", "--recurse-submodules=no"),
)
NOISE = re.compile("Could not read from remote|Please make sure you have the correct|and the repository exists")


class GitError(SourceError):
    """A git command that failed; `what` names the remote without a password, and git's own reason."""


def without_password(text: str) -> str:
    """The text with `user:password@` taken out of every address in it."""
    return re.sub(r"://[^/@\s]+@", "://", text)


def git(folder: Path, *arguments: str, stdin: str = "", url: str = "") -> bytes:
    """Run git on the bare repository `folder` and return what it printed; `origin` is url. GitError: it failed."""
    status, out, errors = _run(folder, arguments, stdin=stdin, url=url)
    if status:
        raise _failure(url or str(folder), errors.splitlines())
    return out


def succeeds(folder: Path, *arguments: str) -> str | None:
    """The line that git printed, or None where it failed."""
    status, out, _ = _run(folder, arguments)
    return None if status else out.decode().strip()


def fetch(
    folder: Path, wants: Iterable[str], *, url: str, progress: Progress, filtered: str | None = None, stdin: str = ""
) -> None:
    """Run `git fetch` of `wants` into the bare repository `folder`. GitError: it failed."""
    from git.cmd import handle_process_output
    from git.exc import GitCommandError

    # Given here and kept in no file: git takes filtered objects for granted while it fetches, and only then.
    promised = {"remote.origin.promisor": "true", "remote.origin.partialclonefilter": filtered} if filtered else {}
    alone = {"fetch.negotiationAlgorithm": "noop"} if stdin else {}
    settings = {"remote.origin.url": url, "fetch.unpackLimit": "1", "fetch.writeCommitGraph": "false"}
    received = _received(progress)
    with _input(stdin) as source:
        process = _gitpython(folder).execute(
            ["git", *FETCH, *wants],
            istream=source,
            env=_environment(folder, settings | promised | alone),
            as_process=True,
            universal_newlines=True,
            start_new_session=True,
        )
        try:
            handle_process_output(process, None, received.new_message_handler(), decode_streams=False)
            process.wait()
        except GitCommandError:
            raise _failure(url, [*received.other_lines, *received.error_lines]) from None
        except BaseException:
            # No process is left behind that writes into a folder about to go, or keeps our end of a pipe waiting.
            with suppress(GitCommandError, ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            raise


def _received(progress: Progress) -> "RemoteProgress":
    from git import RemoteProgress

    class Received(RemoteProgress):
        def update(
            self, op_code: int, cur_count: str | float, max_count: str | float | None = None, message: str = ""
        ) -> None:
            if op_code & self.RECEIVING and not message.startswith("done"):
                progress("fetch", int(cur_count), int(max_count or 0))

    return Received()


def _run(folder: Path, arguments: Iterable[str], *, stdin: str = "", url: str = "") -> tuple[int, bytes, str]:
    with _input(stdin) as source:
        status, out, errors = _gitpython(folder).execute(
            ["git", *arguments],
            istream=source,
            env=_environment(folder, {"remote.origin.url": url} if url else {}),
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
        )
    assert isinstance(out, bytes)
    return status, out, errors if isinstance(errors, str) else errors.decode(errors="replace")


@contextmanager
def _input(text: str) -> Iterator[BinaryIO]:
    with tempfile.TemporaryFile() as source:
        source.write(f"{text}\n".encode() if text else b"")
        source.seek(0)
        yield source


def _gitpython(folder: Path) -> "Git":
    try:
        from git import Git
    except ImportError:
        raise SourceError("git is not installed", hint="Install git, or use --release, which needs none") from None
    return Git(folder)


def _environment(folder: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """The variables that bind git to this repository, even when errcat runs in a hook of another one."""
    first = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
    environment = {
        "GIT_DIR": str(folder),
        "GIT_OBJECT_DIRECTORY": str(folder / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": "",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_CONFIG_COUNT": str(first + len(settings)),
    }
    for number, (key, value) in enumerate(settings.items(), first):
        environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return environment


def _failure(where: str, lines: Iterable[str]) -> GitError:
    said = [line.strip() for line in lines if line.strip() and not NOISE.search(line)]
    worst = [line for line in said if line.startswith(("fatal:", "error:"))]
    reason = re.sub(r"^(?:fatal|error|remote): ", "", (worst or said or ["git failed"])[-1])
    what = without_password(f"cannot read {where}: {reason}").rstrip(".")
    return GitError(what, hint="Check the address (--git) and your access to it; --release needs neither")

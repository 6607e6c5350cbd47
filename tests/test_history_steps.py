"""Which revisions a history is of: releases that an index offers, tags of a repository, lines of a file."""

import os
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.errors import ErrcatError
from pipeline.history import steps
from pipeline.history.command import Wanted
from pipeline.source.named import Named


def silent(_stage: str, _done: int, _total: int) -> None:
    pass


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the releases of a package, the only place where pip looks."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "links"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    for version in ("0.9", "0.10", "0.10.1", "1.0rc1", "1.0", "1.0.post1", "2.0.dev3"):
        with zipfile.ZipFile(folder / f"pkg-{version}-py3-none-any.whl", "w") as wheel:
            wheel.writestr("pkg/__init__.py", "raise ValueError('x')\n")
    (folder / "pkg-0.8.tar.gz").touch()  # an sdist will do; its content is not looked at
    (folder / "pkg-0.7.exe").touch()
    return folder


@pytest.mark.parametrize(
    ("wanted", "pre", "expected"),
    [
        ("0.9..1.0", False, "0.9 0.10 0.10.1 1.0"),
        ("0.9..1.0", True, "0.9 0.10 0.10.1 1.0rc1 1.0"),
        ("..0.10", False, "0.8 0.9 0.10"),
        ("1.0..", False, "1.0 1.0.post1"),
        ("1.0..", True, "1.0 1.0.post1 2.0.dev3"),
        ("..", False, "0.8 0.9 0.10 0.10.1 1.0 1.0.post1"),
        ("v0.10.0..0.10.0", False, "0.10"),
    ],
)
def test_releases_in_a_range(links: Path, wanted: str, pre: bool, expected: str) -> None:
    found = steps.of_releases(wanted, repo="o/pkg", pre=pre, under="pkg")
    assert [step.name for step in found] == expected.split()
    assert found[0].source == Named(repo="o/pkg", release=expected.split()[0], under="pkg")


@pytest.mark.parametrize(
    ("wanted", "package", "message"),
    [
        ("0.9", None, "--releases 0.9 is not a range of releases. Write it as 0.4.30..0.10.2"),
        ("a..b", None, "--releases a..b is not a range of releases. Write it as 0.4.30..0.10.2"),
        ("1.0..0.9", None, "--releases 1.0..0.9: 1.0 is newer than 0.9. Write it as 0.9..1.0"),
        ("7..9", None, "pkg has no release in 7..9. The newest: 0.8, 0.9, 0.10, 0.10.1, 1.0, 1.0.post1"),
        ("0.9..1.0", "nothing", "the package index has no project nothing. Give the name in the package index with"),
    ],
)
def test_what_is_no_range_of_releases(links: Path, wanted: str, package: str | None, message: str) -> None:
    with pytest.raises(ErrcatError) as caught:
        steps.of_releases(wanted, repo="o/pkg", package=package)
    assert str(caught.value).startswith(message)


def git(folder: Path, *arguments: str, when: int = 0) -> None:
    moment = f"{1_700_000_000 + when} +0000"
    who = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
    names = {f"GIT_{role}_{part}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    environment = {**os.environ, **who, **names, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "-C", str(folder), *arguments], env=environment, check=True, capture_output=True)


@pytest.fixture
def tagged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Makes a repository with a commit for each tag, one hour apart, and gives its path."""
    monkeypatch.setenv("ERRCAT_CACHE_DIR", str(tmp_path / "cache"))

    def make(*tags: str) -> str:
        folder = tmp_path / "repository"
        folder.mkdir()
        git(folder, "init", "--quiet")
        for number, tag in enumerate(tags):
            git(folder, "commit", "--quiet", "--allow-empty", "--message", tag, when=number * 3600)
            git(folder, "tag", *(("--annotate", "--message", tag) if number % 2 else ()), tag)
        return str(folder)

    return make


@pytest.mark.parametrize(
    ("tags", "pattern", "pre", "expected"),
    [
        ("v0.10.0 v0.9.1 v0.9.0", "v*", False, "v0.9.0=0.9.0 v0.9.1=0.9.1 v0.10.0=0.10.0"),
        ("jax-v0.2 jaxlib-v0.3 jax-v0.1", "jax-v*", False, "jax-v0.1=0.1 jax-v0.2=0.2"),
        ("v1.0 v1.1rc1 v1.1", "v*", False, "v1.0=1.0 v1.1=1.1"),
        ("v1.0 v1.1rc1 v1.1", "v*", True, "v1.0=1.0 v1.1rc1=1.1rc1 v1.1=1.1"),
        ("v2 nightly v1", "*", False, "v2=v2 nightly=nightly v1=v1"),
        ("v1.0 other-1.0", "*", False, "v1.0=v1.0 other-1.0=other-1.0"),
        ("release/2.0 release/1.0", "release/*", False, "release/1.0=1.0 release/2.0=2.0"),
    ],
)
def test_tags_go_by_version_or_else_by_time(
    tagged: Callable[..., str], tags: str, pattern: str, pre: bool, expected: str
) -> None:
    path = tagged(*tags.split())
    found = steps.of_tags(pattern, repo="o/n", git=path, pre=pre, progress=silent)
    commits = {
        tag: subprocess.run(
            ["git", "-C", path, "rev-parse", f"{tag}^{{commit}}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for tag in tags.split()
    }
    shown = [pair.split("=") for pair in expected.split()]
    assert [(step.name, step.source.sha) for step in found] == [(name, commits[tag]) for tag, name in shown]


def test_no_tag_names_some_that_are_there(tagged: Callable[..., str]) -> None:
    path = tagged("v1.0", "v2.0")
    with pytest.raises(ErrcatError) as caught:
        steps.of_tags("jax-v*", git=path, progress=silent)
    assert str(caught.value) == f"no tag fits 'jax-v*' in {path}. Some of its tags: v1.0, v2.0"


def test_a_file_of_revisions(tmp_path: Path) -> None:
    path = tmp_path / "repos"
    path.write_text("# some\njax-ml/jax@0.9.2\n\no/n@v1.0  # a tag\no/n@1.0rc1\no/n@1234567\no/n@main\no/n@main\n")
    found = steps.of_file(path, under="src")
    assert [(s.name, s.source.release, s.source.sha) for s in found] == [
        ("jax-ml/jax@0.9.2", "0.9.2", None),
        ("o/n@v1.0", None, "v1.0"),
        ("o/n@1.0rc1", "1.0rc1", None),
        ("o/n@1234567", None, "1234567"),
        ("o/n@main", None, "main"),
    ]
    assert {s.source.under for s in found} == {"src"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"o/n@1.0\nnonsense\n", "repos:2: 'nonsense' names no revision of a repository. Write it as owner/name@rev"),
        (b"o@1.0\n", "repos:1: 'o@1.0' names no revision"),
        (b"# nothing\n", "repos lists no repository. Write lines like jax-ml/jax@0.9.2"),
        (b"\xff\n", "cannot read "),
        (None, "No such file or directory. Check the path given to --repos"),
    ],
)
def test_what_is_no_such_file(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "repos"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ErrcatError) as caught:
        steps.of_file(path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give one of --releases, --tags and --repos: none is given. For example --releases 0.4.30..0.10.2"),
        ({"releases": "..", "tags": "*"}, "give one of --releases, --tags and --repos: not --releases and --tags. For"),
        ({"releases": "..", "git": "x"}, "--git goes with --tags only. Leave it out, or give --tags"),
        ({"tags": "*", "package": "x"}, "--package goes with --releases only. Leave it out, or give --releases"),
        ({"repos": Path("x"), "repo": "o/n"}, "--repo goes with --releases or --tags only. Leave it out, or give"),
        ({"repos": Path("x"), "pre": True}, "--pre goes with --releases or --tags only."),
        ({"releases": "..", "repo": "x"}, "--repo x is not of the form OWNER/NAME. For example jax-ml/jax"),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, object], message: str) -> None:
    with pytest.raises(ErrcatError) as caught:
        Wanted(**options).check()  # type: ignore[arg-type]  # a table of all kinds
    assert str(caught.value).startswith(message)

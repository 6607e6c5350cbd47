"""The wheel, installed in a clean environment outside of the checkout, does all that a checkout does."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from checkout import ROOT, clean_environment, export
from upstream import Upstream, new_upstream, release_files

from pipeline.dataset.samples import read_samples

Run = Callable[..., str]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from what git knows of."""
    folder = tmp_path_factory.mktemp("wheel")
    checkout = export(folder / "checkout")
    pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder), str(checkout))
    [built] = folder.glob("*.whl")
    return built


def pip(python: str | Path, *arguments: str, **environment: str) -> None:
    command = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, env=environment or None, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder outside of the checkout."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def errcat(wheel: Path, work: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs the installed errcat there, as a user with an empty HOME."""
    folder = tmp_path_factory.mktemp("installed")
    environment = clean_environment(folder / "home")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    pip(
        folder / "venv" / "bin" / "python",
        "install",
        "--constraint",
        str(ROOT / "constraints.txt"),
        str(wheel),
        **environment,
    )

    def run(*arguments: str, code: int = 0, stdin: str = "") -> str:
        command = [str(folder / "venv" / "bin" / "errcat"), *arguments]
        done = subprocess.run(
            command, cwd=work, env=environment, input=stdin, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Upstream:
    """Two releases, of which the second is the newest commit."""
    made = new_upstream(tmp_path_factory.mktemp("upstream") / "jax")
    for number, version in enumerate(("0.10.1", "0.10.2")):
        made.commit(release_files(version), when=1_700_000_000 + 1000 * number)
    return made


def test_a_wheel_holds_all_that_is_not_code(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    links = {"prompts/": "pipeline/prompts/", "explanations/": "pipeline/explanations/"}
    wanted = {name for name in listed if name.startswith("pipeline/") and not (ROOT / name).is_symlink()}
    wanted |= {links[top] + name.removeprefix(top) for top in links for name in listed if name.startswith(top)}
    assert wanted <= names
    assert [name for name in names if name.startswith(("tests/", "docs/", "output/"))] == []


def test_the_installed_errcat_does_it_all(errcat: Run, upstream: Upstream, work: Path) -> None:
    git = ("--git", str(upstream.folder))
    assert errcat("--version") == "errcat 0.1.0\n"
    old = errcat("dataset", *git, "--sha", upstream.git("rev-parse", "HEAD^")).splitlines()[0]
    new, found, explained = errcat("dataset", *git, "--sha", "main").splitlines()
    assert found.startswith("records 1")
    assert "reviewed" in explained
    assert errcat("validate", new) == "valid\n"
    samples = read_samples((work / new / "samples.jsonl").read_bytes(), "samples.jsonl")
    answer = json.loads(errcat("match", "--json", "--dataset", new, stdin=samples[0].pasted))
    assert samples[0].id in {answer["matches"][0]["id"], *answer["matches"][0]["ambiguousWith"]}
    assert errcat("diff", old, new, "--format", "markdown").startswith("## Errors: ")
    assert errcat("pages", new, "--out", "site").splitlines()[0] == "site"
    assert (work / "site" / "index.html").is_file()
    assert ": published\n" in errcat("refresh", *git)
    assert errcat("refresh", *git).endswith("nothing to do\n")

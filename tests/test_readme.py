"""The README shows what the commands really print. `make readme` writes it anew."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from conftest import EPOCH

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
EXAMPLE = re.compile(r"(?<=^```console\n)\$ (?P<command>.*)\n(?P<output>(?:.*\n)*?)(?=^```$)", re.MULTILINE)


def with_true_output(text: str, folder: Path) -> str:
    """The README with each example's output replaced by what the command prints in `folder`."""
    _checkout(folder)
    return EXAMPLE.sub(lambda example: f"$ {example['command']}\n{_output(example['command'], folder)}", text)


def _checkout(folder: Path) -> None:
    """As much of a checkout as `make` needs, with this environment for its own, so that nothing is installed."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        (folder / name).symlink_to(ROOT / name)
    (folder / ".venv").mkdir()
    (folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    (folder / ".venv" / ".ready").touch()


def _output(command: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    store = {"XDG_DATA_HOME": str(folder / "data")}  # an estimate speaks of the answers that are there
    environment = {**os.environ, "PATH": path, "SOURCE_DATE_EPOCH": EPOCH, **store}
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):  # these tests may themselves run below make
        environment.pop(name, None)
    ended = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.stdout, ended.stderr
    assert ended.returncode in {0, 1}, ended.stderr  # 1: the answer is no, or `errcat run` ran a program that failed
    return ended.stdout


def test_readme_is_true(tmp_path: Path) -> None:
    text = README.read_text()
    assert with_true_output(text, tmp_path) == text, "stale: run `make readme`"


def test_readme_begins_with_making_a_dataset_and_then_the_tests() -> None:
    first, second = re.findall(r"^\$? ?(make .*)$", README.read_text(), re.MULTILINE)[:2]
    assert (first, second) == ("make dataset RELEASE=0.9.2", "make test")


def test_readme_names_every_option_of_dataset() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "pipeline", "dataset", "--help"], capture_output=True, text=True, check=True
    ).stdout
    options = set(re.findall(r"^  (--[a-z-]+)", shown, re.MULTILINE))
    assert {"--sha", "--out", "--limit"} < options
    assert not {option for option in options if f"`{option}" not in README.read_text()}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        README.write_text(with_true_output(README.read_text(), Path(scratch)))

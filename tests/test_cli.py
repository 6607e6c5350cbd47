import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import EPOCH, NOW, three_records

from pipeline.dataset import read
from pipeline.record import to_version_2

ERRCAT = str(Path(sys.executable).parent / "errcat")
SOURCE = """\
def check(x):
    if x is None:
        raise ValueError(f"x must not be {x!r}")
    assert x > 0, "x must be positive"
    try:
        return 1 / x
    except ZeroDivisionError:
        raise
"""

Errcat = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def errcat(tmp_path: Path) -> Errcat:
    """Runs errcat in a folder of its own."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [ERRCAT, *map(str, arguments)]
        env = os.environ | environment
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository of one small module."""
    module = tmp_path / "repo" / "pkg" / "core.py"
    module.parent.mkdir(parents=True)
    module.write_text(SOURCE)
    (tmp_path / "repo" / "pkg" / "other.py").write_text("raise SystemExit(2)\n")
    return tmp_path / "repo"


def test_help_names_every_command(errcat: Errcat) -> None:
    for arguments in ([], ["--help"], ["-h"]):
        shown = errcat(*arguments)
        assert shown.returncode == 0
        assert all(f"\n  {command} " in shown.stdout for command in ("dataset", "show", "validate", "export"))


def test_help_loads_nothing_heavy() -> None:
    loaded = "import sys, pipeline.cli; pipeline.cli.run(['--help']); sys.stdout.write('|' + ' '.join(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout
    modules = set(shown.partition("|")[2].split())
    assert "typer" in modules
    assert not modules & {"pydantic", "pyarrow", "pandas", "rich", "tree_sitter", "git", "jsonschema", "re2"}


def test_version(errcat: Errcat) -> None:
    assert errcat("--version").stdout == "errcat 0.1.0\n"


def test_module_is_the_command(tmp_path: Path) -> None:
    shown = subprocess.run([sys.executable, "-m", "pipeline", "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout == "errcat 0.1.0\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("nonsense", "No such command 'nonsense'. Try errcat --help"),
        ("dataset --nonsense", "No such option: --nonsense. Try errcat dataset --help"),
        ("dataset", "give one of --sha, --release and --tree: none is given. For example --release 0.9.2"),
        (
            "dataset --sha 1 --tree repo",
            "give one of --sha, --release and --tree: not --sha and --tree. For example --release 0.9.2",
        ),
        ("dataset --tree repo --git url", "--git goes with --sha only. Leave it out, or give --sha"),
        ("dataset --tree repo --package p", "--package goes with --release only. Leave it out, or give --release"),
        ("dataset --tree repo --repo jax", "--repo jax is not of the form OWNER/NAME. For example jax-ml/jax"),
        ("dataset --tree nowhere", "no folder nowhere. Check the path given to --tree"),
        ("dataset --tree file", "file is not a folder. Give --tree the folder that holds the source"),
        ("validate nowhere", "no dataset at nowhere: it has no manifest.json. A dataset is the folder that errcat da"),
        ("export nowhere", "no dataset at nowhere: it has no manifest.json. A dataset is the folder that errcat data"),
        ("export nowhere --schema-version 1", "Invalid value for '--schema-version': "),
        ("show 0123", "no dataset under output. Make one: errcat dataset --release 0.9.2"),
        ("show", "Missing argument 'ID'. Try errcat show --help"),
        ("dataset --tree repo --writer nobody", "--writer nobody is none. auto, derived, openai or local"),
        (
            "dataset --tree repo --writer openai",
            "--writer openai needs an endpoint. Set OPENAI_API_KEY, or OPENAI_BASE_URL",
        ),
        (
            "dataset --tree repo --writer local",
            "--writer local needs a model. Give --model a GGUF file; errcat local-mod",
        ),
        (
            "dataset --tree repo --previous nowhere",
            "no dataset at nowhere: it has no manifest.json. A dataset is the fo",
        ),
        ("explanations check", "give one of --sha, --release and --tree: none is given. For example --release 0.9.2"),
        ("dataset --tree repo --out file/x", "cannot write file/x/local__repo/tree-"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    errcat: Errcat, tree: Path, tmp_path: Path, arguments: str, expected: str
) -> None:
    (tmp_path / "file").touch()
    shown = errcat(*arguments.split())
    assert shown.stderr.startswith(f"errcat: error: {expected}")
    assert shown.stderr.count("\n") == 1
    assert (shown.returncode, shown.stdout) == (2, "")


def test_debug_shows_the_traceback(errcat: Errcat) -> None:
    shown = errcat("--debug", "validate", "nowhere")
    assert shown.stderr.startswith("Traceback")
    assert "\nerrcat: error: no dataset at nowhere" in shown.stderr
    assert shown.returncode == 2


def test_clock_that_is_none(errcat: Errcat, tree: Path) -> None:
    shown = errcat("dataset", "--tree", tree, SOURCE_DATE_EPOCH="yesterday")
    assert shown.stderr == "errcat: error: SOURCE_DATE_EPOCH=yesterday is not a time in seconds. Unset it\n"
    assert shown.returncode == 2


def test_dataset_of_a_folder(errcat: Errcat, tree: Path, tmp_path: Path) -> None:
    shown = errcat("dataset", "--tree", tree, SOURCE_DATE_EPOCH=EPOCH)
    assert shown.returncode == 0
    [how_to] = shown.stderr.splitlines()
    assert how_to.startswith(
        "errcat: explanations are derived from the source; to have a model write them, set OPENAI_"
    )
    folder, summary, explained = shown.stdout.splitlines()
    assert explained == "explained: derived 3; carried over 0 of 3 (0.0 %)"
    assert summary == "records 3, raise statements 3 (re-raises 1), asserts with a message 1, files 2"
    assert folder.startswith("output/local__repo/tree-")
    found = read(tmp_path / folder)
    assert [record.errorClass for record in found.records()] == ["ValueError", "AssertionError", "SystemExit"]
    assert {record.analyzedAt for record in found.records()} == {NOW} == {found.manifest.datasetVersion}
    assert {"source", "write"} < set(found.manifest.seconds)
    assert found.manifest.selection is None
    assert (found.manifest.writer, found.manifest.model, found.manifest.costUsd) == ("derived", None, 0.0)
    assert all(record.documentation and record.explainedBy for record in found.records())
    assert errcat("validate", folder).stdout == "valid\n"


def test_what_did_not_change_is_carried_over(errcat: Errcat, tree: Path, tmp_path: Path) -> None:
    first = errcat("dataset", "--tree", tree, SOURCE_DATE_EPOCH=EPOCH).stdout.splitlines()[0]
    before = (tmp_path / first / "records.jsonl").read_bytes()
    again = errcat("dataset", "--tree", tree, SOURCE_DATE_EPOCH=str(int(EPOCH) + 1000))
    assert again.stdout.splitlines()[2] == "explained: derived 3; carried over 3 of 3 (100.0 %)"
    assert (tmp_path / first / "records.jsonl").read_bytes() == before
    module = tree / "pkg" / "core.py"
    module.write_text("\n" + SOURCE.replace("must be positive", "has to be positive"))
    changed = errcat("dataset", "--tree", tree, SOURCE_DATE_EPOCH=str(int(EPOCH) + 1000)).stdout.splitlines()
    assert changed[2] == "explained: derived 3; carried over 1 of 3 (33.3 %)"  # both errors of the function are new
    times = {record.errorClass: record.analyzedAt for record in read(tmp_path / changed[0]).records()}
    assert times["SystemExit"] == NOW < times["ValueError"] == times["AssertionError"]


def test_options_that_choose(errcat: Errcat, tree: Path, tmp_path: Path) -> None:
    whole = errcat("dataset", "--tree", tree, "--repo", "o/n", "--out", "here").stdout.splitlines()[0]
    before = (tmp_path / whole / "records.jsonl").read_bytes()
    assert whole.startswith("here/o__n/tree-")
    for options, records in ((["--limit", "1"], 1), (["--only", "pkg/o*.py"], 1)):
        part = errcat("dataset", "--tree", tree, "--repo", "o/n", "--out", "here", *options).stdout.splitlines()[0]
        assert part == f"{whole}-partial"
        assert read(tmp_path / part).manifest.counts.records == records
        assert errcat("validate", part).stdout == "valid\n"
    assert (tmp_path / whole / "records.jsonl").read_bytes() == before


def test_validate_says_what_is_wrong(errcat: Errcat, written: Path) -> None:
    (written / "record.schema.json").unlink()
    shown = errcat("validate", written)
    assert (shown.returncode, shown.stderr) == (1, "")
    assert shown.stdout == "record.schema.json: is not the schema of this version of errcat\n"


def test_show(errcat: Errcat, written: Path) -> None:
    record = three_records()[0]
    shown = errcat("show", record.id[:6], "--out", written.parents[1])
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith(
        f"{record.id} · local/pkg tree-0123456789ab · error · ValueError\n\nMessage\nbad {{x}}\n"
    )
    assert "\n> 2   raise ValueError(f'bad {x}')\n" in shown.stdout
    as_json = errcat("show", "bad-x", "--dataset", written, "--json")
    assert json.loads(as_json.stdout) == json.loads(record.model_dump_json())
    unknown = errcat("show", "zz", "--dataset", written)
    assert unknown.stderr.startswith(f"errcat: error: no id, alias or slug begins with 'zz' in {written}. Name another")
    assert unknown.returncode == 2


def test_export(errcat: Errcat, written: Path) -> None:
    old = [json.loads(line) for line in errcat("export", written, "--schema-version", 2).stdout.split("\n")[:-1]]
    assert old == [to_version_2(record) for record in three_records()]
    assert {record["schemaVersion"] for record in old} == {2}
    assert errcat("export", written, PYTHONIOENCODING="ascii").stdout == (written / "records.jsonl").read_text()


def test_export_into_a_pipe_that_closes(written: Path) -> None:
    command = f"{ERRCAT} export {written} | head -c 1"
    shown = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert (shown.stdout, shown.stderr) == ("{", "")


def test_two_runs_write_the_same_bytes(errcat: Errcat, jax_dataset: Path, tmp_path: Path) -> None:
    shown = errcat("dataset", "--release", "0.9.2", SOURCE_DATE_EPOCH=EPOCH)
    assert shown.stdout.startswith("output/jax-ml__jax/0.9.2\n")
    folder = tmp_path / "output" / "jax-ml__jax" / "0.9.2"
    for name in ("records.jsonl", "records.parquet", "record.schema.json"):
        assert (folder / name).read_bytes() == (jax_dataset / name).read_bytes()


@pytest.mark.parametrize("delay", [0.5, 1.0, 2.0])
def test_interrupt(errcat: Errcat, tmp_path: Path, delay: float) -> None:
    """Ctrl-C goes to the whole foreground group; the standard library keeps errcat busy for longer than the delay."""
    command = [ERRCAT, "dataset", "--tree", sysconfig.get_path("stdlib"), "--out", str(tmp_path / "out")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process:
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)
        out, errors = process.communicate()
        assert (process.returncode, out) == (130, b"")
        assert errors == b"errcat: error: interrupted\n"
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
    assert not list(tmp_path.glob("out/**/*"))

"""`errcat match` and `errcat run` as people call them: output, exit codes, the dataset, the program left alone."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import jsonschema
import pytest
from conftest import make_record, make_run

from pipeline import dataset
from pipeline.match.answer import json_schema
from pipeline.match.choose import choose, release_beside

SAID = "ValueError: the axis 3 is not one of these"
RAISES = 'raise ValueError("the axis 3 is not one of these")'
CARD = """\
ValueError  pkg/core.py:2
  the axis «3» is not one of these

  Found          by its whole message (score 0.69)
  Record         {id}
"""


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder with one dataset of one record."""
    record = make_record("the axis {x} is not one of these", "the axis (.+?) is not one of these", githubUrl=None)
    dataset.write(tmp_path / "output", [record], make_run(1))
    return tmp_path / "output"


def errcat(out: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command, *rest = arguments
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [sys.executable, "-m", "pipeline", command, "--out", str(out), *rest],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "ERRCAT_CACHE_DIR": str(out / ".cache"), "COLUMNS": "100"},
        cwd=Path(__file__).parents[1],
    )
    return done


def record_id(out: Path) -> str:
    (line,) = next(out.glob("*/*/records.jsonl")).read_text().splitlines()
    found = json.loads(line)["id"]
    assert isinstance(found, str)
    return found


def test_a_card_for_a_message(out: Path) -> None:
    done = errcat(out, "match", stdin=SAID)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == CARD.format(id=record_id(out))


def test_a_line_of_json_for_each_input_in_order(out: Path, tmp_path: Path) -> None:
    names = []
    for number, text in enumerate([SAID, "KeyError: 'x'", ""]):
        path = tmp_path / f"{number}.txt"
        path.write_text(text)
        names.append(str(path))
    done = errcat(out, "match", "--json", names[1], "-", names[0], names[2], stdin=SAID)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        jsonschema.validate(line, json_schema())
    assert [line["input"] for line in lines] == [names[1], "-", names[0], names[2]]
    assert [[m["id"] for m in line["matches"]] for line in lines] == [[], [record_id(out)], [record_id(out)], []]
    assert lines[2]["matches"][0]["holes"] == [{"expression": "x", "text": "3"}]
    assert lines[3]["error"] is None
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("KeyError: 'x'", "No record for KeyError: 'x'\n"),
        ("", "No error found in this text.\n"),
        (
            "TypeError: 'int' object is not iterable",
            "No record for TypeError: 'int' object is not iterable\nThis text is Python's own",
        ),
        (
            "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory",
            "XlaRuntimeError: RESOURCE_EXHAUSTED  from XLA or jaxlib",
        ),
    ],
)
def test_no_record_is_exit_code_1_and_a_word(out: Path, text: str, told: str) -> None:
    done = errcat(out, "match", "-", stdin=text)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(told)


def test_what_is_pasted_cannot_command_the_terminal(out: Path) -> None:
    done = errcat(out, "match", stdin="ValueError: the axis \x07\x9b2J\u202e is not one of these")
    assert "\\x07\\x9b2J\\x202e" in done.stdout


def test_bad_input_is_exit_code_2_and_one_line(out: Path, tmp_path: Path) -> None:
    done = errcat(out, "match", str(tmp_path / "none"))
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"errcat: error: cannot read {tmp_path / 'none'}: No such file or directory. Give the file"
    )
    done = errcat(tmp_path / "empty", "match", stdin=SAID)
    assert done.returncode == 2
    assert "Make one: errcat dataset --release" in done.stderr
    done = errcat(out, "match", "--dataset", str(tmp_path), stdin=SAID)
    assert done.returncode == 2
    assert "is not a dataset" in done.stderr


def test_the_dataset_of_the_release_goes_before_the_newest(tmp_path: Path) -> None:
    for day, revision, selection in [(1, "0.1.0", None), (2, "0.2.0", None), (3, "0.3.0", {"limit": 1})]:
        run = make_run(
            1, repo="jax-ml/jax", revision=revision, datasetVersion=f"2026-01-0{day}T00:00:00.000Z", selection=selection
        )
        dataset.write(tmp_path, [make_record(repo="jax-ml/jax", revision=revision)], run)
    (tmp_path / "x__y" / "broken").mkdir(parents=True)
    (tmp_path / "x__y" / "broken" / "manifest.json").write_text("{")
    assert choose(tmp_path, "0.1.0").name == "0.1.0"
    assert choose(tmp_path, "0.9.9").name == "0.2.0"
    assert choose(tmp_path).name == "0.2.0"


def test_the_release_of_a_programs_environment(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    assert release_beside(str(tmp_path / "bin" / "python")) is None
    (tmp_path / "lib" / "python3.12" / "site-packages" / "jax-0.9.2.dist-info").mkdir(parents=True)
    assert release_beside(str(tmp_path / "bin" / "python")) == "0.9.2"
    assert release_beside(None) is None


def run(out: Path, code: str) -> subprocess.CompletedProcess[str]:
    return errcat(out, "run", "--", sys.executable, "-c", code)


def test_run_explains_the_error_that_ended_a_program(out: Path) -> None:
    done = run(out, f"print('out'); {RAISES}")
    alone = subprocess.run(
        [sys.executable, "-c", f"print('out'); {RAISES}"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (alone.returncode, "out\n")
    assert done.stderr.startswith(alone.stderr)
    assert done.stderr.removeprefix(alone.stderr) == "\n" + CARD.format(id=record_id(out))


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        ("import sys; sys.exit(0)", 0),
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit('the axis 3 is not one of these')", 1),
        ("raise KeyError(3)", 1),
        ("import os; os.kill(os.getpid(), 9)", 137),
        ("import os; os.abort()", 134),
        ("raise KeyboardInterrupt", 130),
        ("import os; os.write(2, bytes(range(256)) * 4000); os._exit(7)", 7),
    ],
)
def test_run_leaves_output_and_exit_code_alone(out: Path, code: str, exit_code: int) -> None:
    command = [sys.executable, "-c", code]
    alone = subprocess.run(command, capture_output=True, check=False)
    environment = {**os.environ, "ERRCAT_CACHE_DIR": str(out / ".cache")}
    done = subprocess.run(
        [sys.executable, "-m", "pipeline", "run", "--out", str(out), "--", *command],
        capture_output=True,
        check=False,
        env=environment,
        cwd=Path(__file__).parents[1],
    )
    assert (done.stdout, done.stderr) == (alone.stdout, alone.stderr)
    assert done.returncode == exit_code


def test_run_without_a_dataset_keeps_the_exit_code(tmp_path: Path) -> None:
    done = run(tmp_path / "none", RAISES)
    assert done.returncode == 1
    assert "errcat: no explanation: no dataset under" in done.stderr


def test_run_of_a_command_that_does_not_start(out: Path, tmp_path: Path) -> None:
    done = errcat(out, "run", "--", "no-such-command")
    assert (done.returncode, done.stderr) == (
        127,
        "errcat: error: no-such-command: command not found. Check its name\n",
    )
    (tmp_path / "file").write_text("")
    done = errcat(out, "run", "--", str(tmp_path / "file"))
    assert (done.returncode, "cannot run" in done.stderr) == (126, True)


def test_run_passes_an_interrupt_on(out: Path) -> None:
    handle = "signal.signal(signal.SIGINT, lambda *_: exit(42))"
    code = f"import signal, time; {handle}; print('ready', flush=True); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-m", "pipeline", "run", "--out", str(out), "--", sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        cwd=Path(__file__).parents[1],
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 42


def test_run_does_not_wait_for_what_a_program_leaves_behind(out: Path) -> None:
    left = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], stdout=subprocess.DEVNULL)"
    done = run(out, f"import subprocess, sys; print({left}.pid, flush=True); {RAISES}")
    assert done.returncode == 1
    assert "by its whole message" in done.stderr
    os.kill(int(done.stdout), signal.SIGKILL)  # ProcessLookupError if it had been waited for


def test_on_a_terminal_the_program_has_one_too(out: Path) -> None:
    code = f"import sys; print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty(), input()); {RAISES}"
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(Path(__file__).parents[1])
        os.environ |= {"ERRCAT_CACHE_DIR": str(out / ".cache"), "TERM": "dumb", "COLUMNS": "100"}
        os.execv(
            sys.executable,
            [sys.executable, "-m", "pipeline", "run", "--out", str(out), "--", sys.executable, "-c", code],
        )
    os.write(terminal, b"typed\n")
    said = b""
    with suppress(OSError):  # how Linux says that the other side is closed
        while select.select([terminal], [], [], 60)[0] and (chunk := os.read(terminal, 65536)):
            said += chunk
    _, status = os.waitpid(pid, 0)
    text = said.decode().replace("\r\n", "\n")
    assert os.waitstatus_to_exitcode(status) == 1
    assert "True True True typed\n" in text
    assert text.endswith(CARD.format(id=record_id(out)))

"""Reading pastes: what real programs print, and every shape people put it into."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax_env import jax_env
from match_shapes import SHAPES

from pipeline.match import lines
from pipeline.match.traceback import MAX_ERRORS, Frame, Link, Raised, named_release, read

VERSIONS = [f"python3.{minor}" for minor in range(8, 15)]
CHAINED = """
class Outer:
    class MyError(Exception):
        pass

def inner(x):
    raise KeyError(
        "first "
        "part", x)

def middle(x):
    try:
        inner(x)
    except KeyError as e:
        raise ValueError("bad value:\\n  line two\\n\\nlast line") from e

def recurse(n):
    if n:
        return recurse(n - 1)
    try:
        middle(3)
    except ValueError:
        raise Outer.MyError("while handling: x")

recurse(12)
"""
GROUPED = """
def f():
    errors = []
    for error in TypeError("one"), ValueError("two\\nsecond line"):
        try:
            raise error
        except Exception as e:
            errors.append(e)
    errors[0].add_note("a note")
    raise ExceptionGroup("several", errors)

f()
"""


def interpreter(python: str) -> str | None:
    """The path of a Python that starts: on the search path, or where pyenv keeps its own."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for candidate in (shutil.which(python), *sorted(map(str, kept.glob(f"*/bin/{python}")))):
        if candidate and not subprocess.run([candidate, "-c", "pass"], capture_output=True, check=False).returncode:
            return candidate
    return None


def printed(python: str, program: str, folder: Path) -> str:
    """What a program prints on stderr; the test is skipped where that Python is not there, or does not start."""
    found = interpreter(python)
    if not found:
        pytest.skip(f"no {python} here")
    script = folder / "program.py"
    script.write_text(program)
    return subprocess.run([found, str(script)], capture_output=True, text=True, check=False).stderr


def told(raised: Raised | None) -> tuple[str | None, str, Link | None]:
    assert raised
    return raised.class_name, raised.message, raised.link


@pytest.mark.parametrize("python", [sys.executable, *VERSIONS])
def test_every_error_of_a_chain_is_read_as_python_prints_it(python: str, tmp_path: Path) -> None:
    paste = read(printed(python, CHAINED, tmp_path))
    assert told(paste.error) == ("MyError", "while handling: x", None)
    assert [told(raised) for raised in paste.chain] == [
        ("KeyError", "('first part', 3)", Link.CAUSE),
        ("ValueError", "bad value:\n  line two\n\nlast line", Link.CONTEXT),
    ]
    last = paste.chain[0].frames[-1]
    assert (last.function, last.line, last.source) == ("inner", 7, "raise KeyError(")


@pytest.mark.parametrize("python", [sys.executable, *VERSIONS[3:]])
def test_the_errors_of_a_group_are_read(python: str, tmp_path: Path) -> None:
    text = printed(python, GROUPED, tmp_path)
    if "Exception Group" not in text:
        pytest.skip("a Python without groups")
    paste = read(text)
    assert told(paste.error) == ("ValueError", "two\nsecond line", None)
    assert [told(raised) for raised in paste.chain] == [
        ("ExceptionGroup", "several (2 sub-exceptions)", Link.GROUP),
        ("TypeError", "one\na note", Link.GROUP),
    ]


MESSAGES = ["bad value", "first: second\n  indented\nlast", "paragraph\n\nanother, got (2, 3) and [1, 2]"]


@pytest.mark.parametrize("shape", [name for name in SHAPES if name != "message only"])
@pytest.mark.parametrize("message", MESSAGES)
def test_a_shape_gives_class_and_message_back(shape: str, message: str) -> None:
    error = read(SHAPES[shape]("jax.errors.SomeError", message)).error
    assert error
    assert error.class_name == "SomeError"
    if shape == "logged line":  # nothing tells where a log's entry ends
        assert error.message.startswith(message)
    else:
        assert error.message.split() == message.split()


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_alone_has_no_class(message: str) -> None:
    assert read(message).error == Raised(error_class=None, message=message)


READ = [
    ("ValueError", "ValueError", ""),
    ("AssertionError: x", "AssertionError", "x"),
    ("    ValueError: x", "ValueError", "x"),
    ("\ufeffValueError: x\r\n", "ValueError", "x"),
    ("mod.<locals>.MyError: x", None, "mod.<locals>.MyError: x"),
    ("dynamic_slice: only unit steps", None, "dynamic_slice: only unit steps"),
    ("UserWarning: careful\nValueError: x", "ValueError", "x"),
    ("step 3 failed with jax.errors.KeyReuseError: reused", "jax.errors.KeyReuseError", "reused"),
    ("(train_fn pid=12, ip=10.0.0.1) ValueError: x", "ValueError", "x"),
    ("[1,0]<stderr>:ValueError: x", "ValueError", "x"),
    ("12:30:01 | ERROR | ValueError: x", "ValueError", "x"),
    ("E0101 12:00:00.000001 77 a.py:3] ValueError: x", "ValueError", "x"),
    ("[0;31mValueError[0m: x[0m", "ValueError", "x"),
    ('Traceback (most recent call last):\nFile "a.py", line 1, in f\ng()\nValueError: x', "ValueError", "x"),
    ('  File "a.py", line 1, in f\n    g()\nValueError: x', "ValueError", "x"),
    (
        'Traceback (most recent call last):\n  File "a.py", line 1\n    x =\n      ^\nSyntaxError: invalid',
        "SyntaxError",
        "invalid",
    ),
    ("FAILED tests/a.py::t - ValueError: x", "ValueError", "x"),
]


@pytest.mark.parametrize(("text", "error_class", "message"), READ)
def test_read(text: str, error_class: str | None, message: str) -> None:
    error = read(text).error
    assert error
    assert (error.error_class, error.message) == (error_class, message)


@pytest.mark.parametrize("text", ["", "\n\n", "   ", "\x00", "\x1b[0m"])
def test_nothing_is_no_error(text: str) -> None:
    assert read(text).error is None


def test_a_stack_that_breaks_off_keeps_its_frames() -> None:
    paste = read('Traceback (most recent call last):\n  File "/x/a.py", line 3, in f\n    raise ValueError("x")\n')
    assert paste.error == Raised(
        error_class=None,
        message="",
        frames=(Frame(path="/x/a.py", line=3, function="f", source='raise ValueError("x")'),),
    )


def test_what_jax_chains_in_to_show_a_stack_is_set_aside() -> None:
    unfiltered = (
        'Traceback (most recent call last):\n  File "/x/jax/_src/a.py", line 3, in deep\n    raise TypeError("m")\n'
        "jax._src.traceback_util.UnfilteredStackTrace: TypeError: m\n\n"
        "The stack trace below excludes JAX-internal frames.\n"
        "The preceding is the original exception that occurred, unmodified.\n\n--------------------\n\n"
        "The above exception was the direct cause of the following exception:\n\n"
        'Traceback (most recent call last):\n  File "/home/u/t.py", line 1, in <module>\n    f()\nTypeError: m\n'
    )
    paste = read(unfiltered)
    assert paste.chain == ()
    assert paste.error
    assert (paste.error.message, paste.error.frames[-1].function) == ("m", "deep")


def test_a_class_that_does_not_look_like_one_is_known_by_name() -> None:
    assert read("Oops: x").error == Raised(error_class=None, message="Oops: x")
    assert read("Oops: x", classes={"Oops"}).error == Raised(error_class="Oops", message="x")


RELEASES = [
    ("pip install jax==0.4.30", "0.4.30"),
    ("jax[cuda12]==0.5.0", "0.5.0"),
    ('File "/x/jax-0.9.2/jax/_src/a.py"', "0.9.2"),
    ("jax:    0.4.30\njaxlib: 0.4.29", "0.4.30"),
    ("jaxlib==0.4.30", None),
    ("has been removed in JAX v0.6.0", None),
]


@pytest.mark.parametrize(("text", "release"), RELEASES)
def test_named_release(text: str, release: str | None) -> None:
    assert named_release(text) == release


def test_of_a_long_chain_the_last_errors_are_kept() -> None:
    one = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: {}\n\n'
    paste = read("".join(one.format(n) for n in range(10_000)))
    assert paste.error
    assert paste.error.message == "9999"
    assert len(paste.chain) == MAX_ERRORS - 1


def test_of_a_long_text_its_tracebacks_are_kept() -> None:
    log = "step 1 done\n" * 300_000
    text = f'{log}Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: lost\n{log}'
    assert len(lines.window(text)) <= lines.LIMIT + 100 < len(text)
    assert any(raised.message.startswith("lost") for raised in [*read(text).chain, read(text).error] if raised)


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    read(text)


PIECES = (
    'Traceback (most recent call last):|  File "a.py", line 1, in f|    x()|ValueError: x|E   |> |\n| |:|---> 1|+-+---|'
    "Exception Group |\x1b[0m|```|The above exception was the direct cause of the following exception:|\ud800|\x00"
)
pieces = st.sampled_from([*PIECES.split("|"), "|"])


@given(st.lists(pieces, max_size=40).map("".join))
def test_any_jumble_of_parts_of_tracebacks_can_be_read(text: str) -> None:
    error = read(text).error
    assert error is None or "\x00" not in error.message


# Real programs under jax, pytest and an IPython kernel.

FAILING = """
import jax, jax.numpy as jnp

@jax.jit
def f(x):
    if x > 0:
        return x
    return -x

def test_f():
    f(1.0)

if __name__ == "__main__":
    test_f()
"""
KERNEL = """
import sys
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(kernel_name="python3")
told = []
def hook(message):
    if message["msg_type"] == "error":
        told.extend(message["content"]["traceback"])
client.execute_interactive(sys.stdin.read() + "\\nf(1.0)", output_hook=hook, timeout=300)
client.stop_channels()
manager.shutdown_kernel(now=True)
print("\\n".join(told))
"""
SAID = (
    "Attempted boolean conversion of traced array with shape bool[].\n"
    "The error occurred while tracing the function f at "
)


@pytest.fixture(scope="module")
def python() -> str:
    return str(jax_env("0.9.2", "run", "pytest", "ipykernel", "jupyter_client"))


def under_python(python: str, folder: Path, **environment: str) -> str:
    script = folder / "train.py"
    script.write_text(FAILING)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "JAX_PLATFORMS": "cpu", **environment}
    return subprocess.run([python, str(script)], capture_output=True, text=True, check=False, env=environment).stderr


def under_pytest(python: str, folder: Path, *options: str) -> str:
    script = folder / "test_train.py"
    script.write_text(FAILING)
    command = [python, "-m", "pytest", "-p", "no:cacheprovider", *options, str(script)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder).stdout


def under_ipython(python: str, folder: Path) -> str:
    code = FAILING.partition("if __name__")[0]
    done = subprocess.run([python, "-c", KERNEL], input=code, capture_output=True, text=True, check=False, cwd=folder)
    return done.stdout


def test_jax_under_python(python: str, tmp_path: Path) -> None:
    for mode in ("off", "remove_frames", "quiet_remove_frames", "tracebackhide"):
        paste = read(under_python(python, tmp_path, JAX_TRACEBACK_FILTERING=mode))
        assert paste.error, mode
        assert paste.chain == (), mode
        assert paste.error.class_name == "TracerBoolConversionError"
        assert paste.error.message.startswith(SAID)
        assert paste.error.message.endswith("#jax.errors.TracerBoolConversionError")
        assert paste.error.frames[-1].function == ("f" if mode == "quiet_remove_frames" else "error")


@pytest.mark.parametrize(
    "options", [(), ("--tb=short",), ("--tb=native",), ("--tb=line", "--color=yes"), ("--color=yes",)]
)
def test_jax_under_pytest(python: str, tmp_path: Path, options: tuple[str, ...]) -> None:
    paste = read(under_pytest(python, tmp_path, *options))
    assert paste.error
    assert paste.error.class_name == "TracerBoolConversionError"
    assert paste.error.message.startswith(SAID.split("\n")[0])


def test_jax_under_ipython(python: str, tmp_path: Path) -> None:
    paste = read(under_ipython(python, tmp_path))
    assert paste.error
    assert paste.error.class_name == "TracerBoolConversionError"
    assert paste.error.message.startswith(SAID)
    assert paste.error.frames[-1].path.endswith("jax/_src/core.py")
    assert paste.error.frames[-1].source == "raise TracerBoolConversionError(arg)"

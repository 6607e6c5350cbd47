"""The catalogue of jax 0.9.2 against what an instrumented jax 0.9.2 raised when our own programs ran."""

from typing import TYPE_CHECKING, Any

import pytest
from conftest import make_record
from oracle import comparison, environment, instrument, runner
from oracle.comparison import Lack
from oracle.recorder import Recorder
from oracle.runner import Outcome, Raise

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.catalogue import Catalogue

FEWEST_SITES = 150


@pytest.fixture(scope="session")
def outcomes() -> tuple[Outcome, ...]:
    """What every program came to; the environment is built on the first run."""
    return runner.run()


def test_each_program_ends_in_a_recorded_raise(outcomes: tuple[Outcome, ...]) -> None:
    idle = [f"{o.area}.{o.program} (line {o.line}): {o.escaped}" for o in outcomes if o.provoked is None]
    assert not idle, "programs that end in no raise of jax's own:\n" + "\n".join(idle)


def test_environment_is_built_once(outcomes: tuple[Outcome, ...]) -> None:
    made = (environment.FOLDER / "pyvenv.cfg").stat().st_mtime_ns
    environment.ready()
    assert (environment.FOLDER / "pyvenv.cfg").stat().st_mtime_ns == made


def test_programs_aim_at_many_different_sites(outcomes: tuple[Outcome, ...]) -> None:
    sites = {made.site for o in outcomes if (made := o.provoked) and not made.foreign}
    assert len(sites) >= FEWEST_SITES
    assert all(file.startswith("jax/") for file, _ in sites)


def test_every_raise_is_in_the_catalogue(outcomes: tuple[Outcome, ...], jax_catalogue: "Catalogue") -> None:
    """Site, class, pattern, last line and function of all that was raised, but for the foreign (see `runner.own`)."""
    found = comparison.misses(runner.own(outcomes), jax_catalogue.records)
    assert not found, comparison.report(found)


def _raise(**changes: Any) -> Raise:
    fields = {
        "file": "a.py",
        "line": 2,
        "end_line": 2,
        "error_class": "ValueError",
        "message": "bad 3",
        "function": "f",
        "foreign": False,
        "escaped": True,
    }
    return Raise(**{**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "lack"),
    [
        ({}, None),
        ({"message": "bad 3\nand 4"}, None),
        ({"line": 3}, Lack.SITE),
        ({"file": "b.py"}, Lack.SITE),
        ({"error_class": "TypeError"}, Lack.CLASS),
        ({"message": "worse 3"}, Lack.PATTERN),
        ({"end_line": 4}, Lack.END),
        ({"function": "g"}, Lack.FUNCTION),
    ],
)
def test_what_a_catalogue_lacks(changes: dict[str, Any], lack: Lack | None) -> None:
    found = comparison.misses([_raise(**changes)], [make_record(filePath="a.py")])
    assert [m.lack for m in found] == [lack] * (lack is not None)


def test_one_class_and_another_pattern_do_not_add_up() -> None:
    records = [make_record(filePath="a.py"), make_record("odd", "odd", filePath="a.py", errorClass="TypeError")]
    (miss,) = comparison.misses([_raise(message="odd")], records)
    assert miss.lack is Lack.PATTERN
    assert "1 no pattern that fits the message" in comparison.report([miss])
    assert "raised  ValueError: 'odd'" in comparison.report([miss])


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('def f():\n  raise ValueError(\n    "odd")\nf()', [(2, 3, "ValueError", "odd", False)]),
        ("def f():\n  raise KeyError('a') from None\nf()", [(2, 2, "KeyError", "'a'", False)]),
        ("class Bad(Exception):\n  def __str__(self): return 'bad'\nraise Bad", [(3, 3, "Bad", "bad", False)]),
        ("x = 3\nassert x < 2, f'{x} is large'", [(2, 2, "AssertionError", "3 is large", False)]),
        ("assert 3 < 2", []),
        (
            "try:\n  1 / 0\nexcept ZeroDivisionError as e:\n  raise e",
            [(4, 4, "ZeroDivisionError", "division by zero", True)],
        ),
        (
            "try:\n  1 / 0\nexcept ZeroDivisionError as e:\n  raise e.with_traceback(None)",
            [(4, 4, "ZeroDivisionError", "division by zero", True)],
        ),
        ("try:\n  1 / 0\nexcept ZeroDivisionError:\n  raise", []),
        (
            "e = OSError(2, 'gone')\nraise e.with_traceback(None)",
            [(2, 2, "FileNotFoundError", "[Errno 2] gone", False)],
        ),
        (
            "class A:\n  def __f(self):\n    raise ValueError(1)\n  def g(self): self.__f()\nA().g()",
            [(3, 3, "ValueError", "1", False)],
        ),
    ],
)
def test_recorded_without_changing_what_happens(source: str, expected: list[Any], tmp_path: "Path") -> None:
    """Each program raises the same, instrumented or not, and the recorder saw it."""
    path = tmp_path / "pkg" / "module.py"
    recorder = Recorder(path.parent)
    plain, seen = (_ended(code, recorder) for code in _both(source, str(path)))
    rows = [(r["line"], r["end_line"], r["error_class"], r["message"], r["foreign"]) for r in recorder.rows(seen)]
    assert rows == expected
    assert (type(seen).__name__, str(seen)) == (type(plain).__name__, str(plain))
    assert [r["escaped"] for r in recorder.rows(seen)] == [not foreign for *_, foreign in expected]


def _both(source: str, path: str) -> tuple[Any, Any]:
    return compile(source, path, "exec"), instrument.instrument(source.encode(), path)


def _ended(code: Any, recorder: Recorder) -> BaseException | None:
    try:
        exec(code, {"__name__": "module", instrument.HOOK: recorder.report})
    except Exception as error:  # noqa: BLE001
        return error
    return None

"""Runs the programs of one file against an instrumented jax and writes, a JSON line a program, what was raised.

    python -m tests.oracle.recorder tests/oracle/programs/jit.py      (with the Python of the oracle's environment)

A line: {"program", "line", "escaped", "raised"}; `line`: of the program in its file, `escaped`: class of the exception
that left it, or null. Each of `raised`: {"file", "line", "end_line", "error_class", "message", "function", "foreign",
"escaped"}; `file`: relative to the folder that holds the package, `message`: str(exception), `foreign`: the object had
been raised before, elsewhere, and this statement only raises it again, `escaped`: this is what the program ended in.
"""

import builtins
import contextlib
import importlib.util
import json
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from . import instrument

PACKAGE = "jax"
# A loop may raise and catch without end (`except StopIteration`); what a program ends in is kept however late it comes.
MOST_RAISES = 5000


class Recorder:
    """Collects the raises of the package since the last `clear`."""

    def __init__(self, package_folder: Path):
        self.inside = f"{package_folder}/"
        self.cut = len(str(package_folder.parent)) + 1
        self.raised: list[tuple[BaseException, dict[str, Any]]] = []
        self.local = threading.local()

    def clear(self) -> None:
        self.raised = []

    def report(self, value: Any, line: int, end_line: int, assertion: bool) -> Any:
        """Called by the instrumented statement in place of `value`; returns what it shall raise (or print)."""
        code = sys._getframe(1).f_code
        if getattr(self.local, "busy", False) or not code.co_filename.startswith(self.inside):
            return value
        self.local.busy = True  # str(exception) may raise and catch; that is our doing, not the program's
        try:
            # `raise SomeClass` makes the instance itself, here it is made one statement earlier.
            value = value() if isinstance(value, type) and issubclass(value, BaseException) else value
            self._keep(AssertionError(value) if assertion else value, code, line, end_line)
        finally:
            self.local.busy = False
        return value

    def _keep(self, exception: Any, code: CodeType, line: int, end_line: int) -> None:
        if not isinstance(exception, BaseException) or len(self.raised) >= MOST_RAISES:
            return
        row = {
            "file": code.co_filename[self.cut :],
            "line": line,
            "end_line": end_line,
            "error_class": type(exception).__name__,
            "message": str(exception),
            "function": code.co_qualname,
            "foreign": exception.__traceback__ is not None,
        }
        self.raised.append((exception, row))

    def rows(self, escaped: BaseException | None) -> list[dict[str, Any]]:
        """What was raised, equal rows once, in order; the one the program ended in is marked."""
        last = self._last(escaped)
        marked = [row | {"escaped": i == last} for i, (_, row) in enumerate(self.raised)]
        return list({json.dumps(row, sort_keys=True): row for row in marked}.values())

    def _last(self, escaped: BaseException | None) -> int | None:
        """Index of the raise that made `escaped`; of a cause of it where another statement, or C++, made it."""
        made = [(i, raised, row["message"]) for i, (raised, row) in enumerate(self.raised) if not row["foreign"]]
        for exception in _with_causes(escaped):
            for i, raised, _ in made:
                if _same(raised, exception):
                    return i
        # An error in a callback arrives as another one, made in C++, that quotes it.
        quoted = [i for i, _, message in made if message and message in str(escaped)]
        return quoted[-1] if quoted else None


def _same(raised: BaseException, caught: BaseException) -> bool:
    # The AssertionError of an assert is made by the statement, after our own, of the same one argument.
    both_asserted = type(raised) is type(caught) is AssertionError
    return raised is caught or (both_asserted and [*map(id, raised.args)] == [*map(id, caught.args)])


def _with_causes(exception: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while exception is not None and id(exception) not in seen:
        seen.add(id(exception))
        yield exception
        exception = exception.__cause__ or exception.__context__


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"programs_{path.stem}", path)
    if spec is None or spec.loader is None:
        message = f"{path} is no Python file"
        raise ImportError(message)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def programs(module: ModuleType) -> list[Callable[[], object]]:
    """The public functions that the module itself defines, in its order."""
    return [
        value
        for name, value in vars(module).items()
        if not name.startswith("_") and callable(value) and getattr(value, "__module__", None) == module.__name__
    ]


def run(program: Callable[[], object], recorder: Recorder) -> dict[str, Any]:
    recorder.clear()
    escaped: BaseException | None = None
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what a program prints is no result
            program()
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what the program was written for
        escaped = error
    return {
        "program": program.__name__,
        "line": program.__code__.co_firstlineno,
        "escaped": type(escaped).__name__ if escaped is not None else None,
        "raised": recorder.rows(escaped),
    }


def main() -> None:
    path = Path(sys.argv[1])
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        message = f"{PACKAGE} is not installed for {sys.executable}"
        raise ImportError(message)
    recorder = Recorder(Path(found.origin).parent)
    setattr(builtins, instrument.HOOK, recorder.report)
    instrument.install(PACKAGE)
    warnings.simplefilter("ignore")  # the programs are wrong on purpose
    module = load(path)
    for program in programs(module):
        sys.stdout.write(json.dumps(run(program, recorder)) + "\n")


if __name__ == "__main__":
    main()

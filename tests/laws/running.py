"""Programs given as source, executed, and what their exceptions really said."""

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


@dataclass(frozen=True, kw_only=True, slots=True)
class Raised:
    """An exception that was really raised: where (path and line of its raise statement), its class, what it printed."""

    path: str
    line: int
    error_class: str
    message: str


@dataclass(frozen=True, slots=True)
class Sources(MetaPathFinder, InspectLoader):
    """Imports modules from memory. files: path with forward slashes -> source; `__init__.py` makes a package."""

    files: Mapping[str, str]

    def path_of(self, name: str) -> str:
        """Return the path of a module's file; KeyError where there is none."""
        stem = name.replace(".", "/")
        return next(path for path in (f"{stem}.py", f"{stem}/__init__.py") if path in self.files)

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        try:
            origin = self.path_of(fullname)
        except StopIteration:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=origin, is_package=origin.endswith("__init__.py"))

    def get_source(self, fullname: str) -> str:
        return self.files[self.path_of(fullname)]

    def get_code(self, fullname: str) -> object:  # type: ignore[override]  # the code object, compiled under its path
        return compile(self.get_source(fullname), self.path_of(fullname), "exec")

    def is_package(self, fullname: str) -> bool:
        return self.path_of(fullname).endswith("__init__.py")


@contextmanager
def imported(files: Mapping[str, str], main: str) -> Iterator[ModuleType]:
    """Import module `main` of these files; on leaving, everything imported from them is forgotten."""
    before = set(sys.modules)
    finder = Sources(files)
    sys.meta_path.insert(0, finder)
    try:
        yield importlib.import_module(main)
    finally:
        sys.meta_path.remove(finder)
        for name in set(sys.modules) - before:
            if any(name.split(".")[0] == path.split("/")[0].removesuffix(".py") for path in files):
                del sys.modules[name]


def outcome(function: Callable[..., object], arguments: Sequence[object]) -> Raised | None:
    """Call and return what was raised, or None where it returned."""
    try:
        function(*arguments)
    except Exception as error:  # noqa: BLE001  # any class at all is what programs here raise
        frame = traceback.extract_tb(error.__traceback__)[-1]
        assert frame.lineno is not None
        return Raised(path=frame.filename, line=frame.lineno, error_class=type(error).__name__, message=str(error))
    return None

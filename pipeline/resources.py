"""Files that come with errcat: prompts and explanations, in a checkout as in an installed wheel."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def folder(name: str) -> Traversable:
    """The folder `prompts` or `explanations`."""
    return files("pipeline") / name


def read(name: str, *parts: str) -> str:
    """The text of a file below a folder. FileNotFoundError where there is none."""
    return folder(name).joinpath(*parts).read_text(encoding="utf-8")


def names(name: str, *parts: str, suffix: str) -> list[str]:
    """The sorted names of the files with this suffix directly in a folder."""
    inside = folder(name).joinpath(*parts)
    return sorted(entry.name for entry in _entries(inside) if entry.name.endswith(suffix) and entry.is_file())


def path(name: str) -> Path:
    """The folder on disk, for writing to: where errcat runs from a checkout."""
    return Path(str(folder(name))).resolve()


def _entries(inside: Traversable) -> Iterator[Traversable]:
    if inside.is_dir():
        yield from inside.iterdir()

"""Which files of a tree are mined, which are evidence, and which are left alone."""

from collections.abc import Iterable, Sequence

from pipeline.errors import SourceError
from pipeline.source.tree import SourceFile

JAX = "jax-ml/jax"

ASIDE = frozenset({"tests", "docs", "examples"})  # not the package, wherever they lie
ASIDE_AT_ROOT = frozenset({"test", "doc", "example", "build", "dist"})  # deeper down these are packages (django.test)
NEVER = frozenset({"__pycache__", "node_modules", "site-packages", "dist-packages"})
DOCUMENTS = (".py", ".md", ".rst", ".ipynb")


def default_under(repo: str) -> tuple[str, ...]:
    """Folders that are mined when nobody names one; () is everything but tests, docs and examples."""
    return ("jax",) if repo == JAX else ()


def folders_under(repo: str, under: str | Sequence[str] | None) -> tuple[str, ...]:
    """The folders to mine, spelled as the tree's paths are ("" is the root); None: the default of the repository.

    SourceError: one that is absolute or leads out of the tree.
    """
    if under is None:
        return default_under(repo)
    return tuple(_inside(folder) for folder in ([under] if isinstance(under, str) else under))


def _inside(folder: str) -> str:
    slashed = folder.replace("\\", "/")
    parts = [part for part in slashed.split("/") if part not in {"", "."}]
    if slashed.startswith("/") or ".." in parts:
        raise SourceError(f"--under {folder} leads out of the tree", hint="Name a folder as seen from the tree's root")
    return "/".join(parts)


def wanted(path: str, under: Sequence[str]) -> bool:
    """Whether the file is Python to be mined. A folder that was asked for is mined with its tests and examples."""
    return path.endswith(".py") and _reached(path, under)


def is_evidence(path: str) -> bool:
    """Whether the file is read for what it says about errors: the repository's tests, docs and change log."""
    folder, _, rest = path.partition("/")
    if not rest:
        return folder.startswith("CHANGELOG")
    return (folder == "tests" and path.endswith(".py")) or (folder == "docs" and path.endswith(DOCUMENTS))


def is_read(path: str, under: Sequence[str]) -> bool:
    return wanted(path, under) or is_evidence(path)


def hides_python(path: str, under: Sequence[str]) -> bool:
    """Whether a path that is not followed (a link, a submodule) could be, or hold, a file to mine."""
    name = path.rpartition("/")[2]
    if name.endswith(".py"):
        return wanted(path, under)
    return "." not in name and _reached(f"{path}/", under)


def is_never_read(folder: str) -> bool:
    """Whether a folder of this name holds nobody's source: hidden, a cache, somebody else's packages."""
    return folder in NEVER or folder.startswith(".")


def _reached(path: str, under: Sequence[str]) -> bool:
    if under:
        return any(_is_below(path, folder) for folder in under)
    folders = path.split("/")[:-1]
    aside = any(is_never_read(folder) or folder in ASIDE for folder in folders)
    return not aside and not (folders and folders[0] in ASIDE_AT_ROOT)


def _is_below(path: str, folder: str) -> bool:
    prefix = f"{folder}/" if folder else ""
    if not path.startswith(prefix):
        return path == folder
    return not any(is_never_read(part) for part in path[len(prefix) :].split("/")[:-1])


def split(files: Iterable[SourceFile], under: Sequence[str]) -> tuple[tuple[SourceFile, ...], tuple[SourceFile, ...]]:
    """(files to mine, evidence), each sorted by path; no file is in both."""
    ordered = sorted(files, key=lambda file: file.path)
    mined = tuple(file for file in ordered if wanted(file.path, under))
    evidence = tuple(file for file in ordered if not wanted(file.path, under) and is_evidence(file.path))
    return mined, evidence


def nothing_to_mine(where: str, under: Sequence[str], paths: Iterable[str]) -> SourceError:
    """The error for a tree without a file to mine; paths are those it does hold."""
    place = f" under {', '.join(under)}" if any(under) else ""
    folders = sorted({path.split("/")[0] for path in paths if path.endswith(".py") and "/" in path})
    hint = f"Name a folder with --under; these hold Python: {', '.join(folders[:8])}" if folders else None
    return SourceError(f"no Python file{place} in {where}", hint=hint or "Check that it holds the package's source")

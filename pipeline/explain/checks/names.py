"""The public names of a source tree: whether `jax.lax.scan` exists, and which keywords it takes.

Modules are read when they are asked for, and never imported. Where the tree ends, the stubs of an installed jaxlib
are read; what cannot be told from either is unknown, not missing.
"""

import ast
import enum
import functools
import importlib.util
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_STUBBED: Final = frozenset({"jaxlib"})
_DEEPEST: Final = 24  # re-exports that are followed
_TRANSPARENT_LISTED: Final = """
jit pjit partial export set_module api_boundary wraps staticmethod classmethod contextmanager implements cache
lru_cache weakref_lru_cache deprecated deprecate_positional
"""
_TRANSPARENT: Final = frozenset(_TRANSPARENT_LISTED.split())


class Presence(enum.Enum):
    """Whether a name exists."""

    THERE = "there"
    MISSING = "missing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Found:
    """What a dotted name is. keywords: those that it can be called with; None where any may be, or nobody knows."""

    presence: Presence
    keywords: frozenset[str] | None = None


_UNKNOWN: Final = Found(Presence.UNKNOWN)
_MISSING: Final = Found(Presence.MISSING)
_THERE: Final = Found(Presence.THERE)


@dataclass(frozen=True, slots=True)
class _Module:
    """What a module binds at its top level. stars: modules whose names it takes over. dynamic: it may have others."""

    package: str
    bound: Mapping[str, ast.AST]
    stars: tuple[str, ...]
    dynamic: bool
    strings: frozenset[str]


@dataclass(eq=False)
class PublicNames:
    """The names of the Python files of a tree, by path."""

    files: Mapping[str, bytes]
    _modules: dict[str, _Module | None] = field(default_factory=dict)
    _found: dict[str, Found] = field(default_factory=dict)

    @functools.cached_property
    def paths(self) -> dict[str, str]:
        """The path of each module, by its dotted name from the outermost package on."""
        packages = {path.rpartition("/")[0] for path in self.files if path.endswith("/__init__.py")}
        return {_dotted(path, packages): path for path in self.files if path.endswith(".py")}

    @functools.cached_property
    def roots(self) -> frozenset[str]:
        """The first parts of the tree's dotted names."""
        return frozenset(name.partition(".")[0] for name in self.paths)

    def look(self, dotted: str) -> Found:
        """What a dotted name is."""
        if dotted not in self._found:
            self._found[dotted] = self._look(dotted.split("."), 0)
        return self._found[dotted]

    def mentions(self, text: str) -> bool:
        """Whether some file of the tree has this text, in any case of letters."""
        return text.lower() in self._mentioned

    @functools.cached_property
    def _mentioned(self) -> "_Words":
        return _Words(self.files)

    def _look(self, parts: list[str], depth: int) -> Found:
        if depth > _DEEPEST:
            return _UNKNOWN
        for length in range(len(parts), 0, -1):
            module = ".".join(parts[:length])
            if self._is_module(module):
                return self._member(module, parts[length:], depth) if parts[length:] else _THERE
        return _MISSING if parts[0] in self.roots else _UNKNOWN

    def _is_module(self, dotted: str) -> bool:
        return (
            dotted in self.paths
            or any(name.startswith(f"{dotted}.") for name in self.paths)
            or (self._read(dotted) is not None)
        )

    def _member(self, dotted: str, rest: list[str], depth: int) -> Found:
        module = self._read(dotted)
        if module is None:
            return _MISSING if dotted.partition(".")[0] in self.roots else _UNKNOWN
        node = module.bound.get(rest[0])
        if node is None:
            return self._not_bound(module, rest, depth)
        if isinstance(node, ast.ImportFrom | ast.Import):
            return self._look([*_imported(node, rest[0], module.package).split("."), *rest[1:]], depth + 1)
        if isinstance(node, ast.Assign | ast.AnnAssign) and (alias := _alias(node)):
            return self._assigned(dotted, alias, rest, depth)
        return Found(Presence.THERE, _keywords(node)) if not rest[1:] else _attribute(node, rest[1])

    def _not_bound(self, module: _Module, rest: list[str], depth: int) -> Found:
        stars = () if rest[0].startswith("_") else module.stars
        found = [self._look([*star.split("."), *rest], depth + 1) for star in stars]
        for presence in (Presence.THERE, Presence.UNKNOWN):
            for one in found:
                if one.presence is presence:
                    return one
        return _UNKNOWN if module.dynamic or rest[0] in module.strings else _MISSING

    def _assigned(self, dotted: str, alias: list[str], rest: list[str], depth: int) -> Found:
        """`name = other.name`: what the other one is, where that is known."""
        if alias[0] == rest[0]:
            return _THERE if not rest[1:] else _UNKNOWN
        found = self._member(dotted, [*alias, *rest[1:]], depth + 1) if depth < _DEEPEST else _UNKNOWN
        if found.presence is Presence.THERE:
            return found
        return _UNKNOWN if rest[1:] else _THERE

    def _read(self, dotted: str) -> _Module | None:
        if dotted not in self._modules:
            self._modules[dotted] = None  # a circle ends here
            path = self.paths.get(dotted)
            data = self.files[path] if path else _stub(dotted)
            package = dotted if path is None or path.endswith("__init__.py") else dotted.rpartition(".")[0]
            self._modules[dotted] = _module(data, package) if data is not None else None
        return self._modules[dotted]


class _Words:
    """All identifiers and words with dashes of a tree, in lower case."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        import re

        words: set[bytes] = set()
        for data in files.values():
            words.update(re.findall(rb"[A-Za-z_][\w-]*\w", data))
        self._words = frozenset(word.decode("utf-8", "replace").lower() for word in words)

    def __contains__(self, text: str) -> bool:
        return text in self._words


def _dotted(path: str, packages: set[str]) -> str:
    folder, _, name = path.rpartition("/")
    parts = folder.split("/") if folder else []
    start = len(parts)
    while start and "/".join(parts[:start]) in packages:
        start -= 1
    stem = name.removesuffix(".py")
    return ".".join(parts[start:] if stem == "__init__" and parts else [*parts[start:], stem])


def _stub(dotted: str) -> bytes | None:
    """The stub, or the source, of a module of an installed jaxlib, which is not imported for it."""
    first, *rest = dotted.split(".")
    if first not in _STUBBED:
        return None
    try:
        spec = importlib.util.find_spec(first)
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        base = Path(folder).joinpath(*rest)
        for path in (base.with_suffix(".pyi"), base.with_suffix(".py"), base / "__init__.pyi", base / "__init__.py"):
            if path.is_file():
                return path.read_bytes()
    return None


def _module(data: bytes, package: str) -> _Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    bound: dict[str, ast.AST] = {}
    stars: list[str] = []
    for node in _top_level(tree.body):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound[name] = node
            case ast.ImportFrom(names=[ast.alias(name="*")]):
                stars.append(_absolute(node, package))
            case ast.ImportFrom(names=names) | ast.Import(names=names):
                bound.update({alias.asname or alias.name.partition(".")[0]: node for alias in names})
            case ast.Assign(targets=targets):
                bound.update({n.id: node for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)})
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.For(target=ast.Name(id=name)):
                bound[name] = node
            case ast.With(items=items):
                names_of = (n for item in items if item.optional_vars for n in ast.walk(item.optional_vars))
                bound.update({n.id: node for n in names_of if isinstance(n, ast.Name)})
    getter = bound.get("__getattr__")
    strings = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    dynamic = isinstance(getter, ast.FunctionDef) or "globals" in {
        n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    }
    return _Module(package, bound, tuple(stars), dynamic, frozenset(strings) if getter is not None else frozenset())


def _top_level(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements that run when the module is imported, those in branches included."""
    out: list[ast.stmt] = []
    for node in body:
        out.append(node)
        for name in ("body", "orelse", "finalbody"):
            if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
                out += _top_level(getattr(node, name, []))
        for handler in getattr(node, "handlers", ()):
            out += _top_level(handler.body)
    return out


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    parent = parts[: len(parts) - node.level + 1]
    return ".".join([*parent, node.module] if node.module else parent)


def _imported(node: ast.ImportFrom | ast.Import, name: str, package: str) -> str:
    for alias in node.names:
        if (alias.asname or alias.name.partition(".")[0]) == name:
            if isinstance(node, ast.ImportFrom):
                return f"{_absolute(node, package)}.{alias.name}"
            return alias.name if alias.asname else name
    return name


def _alias(node: ast.Assign | ast.AnnAssign) -> list[str] | None:
    value = node.value
    parts: list[str] = []
    while isinstance(value, ast.Attribute):
        parts.append(value.attr)
        value = value.value
    return [value.id, *reversed(parts)] if isinstance(value, ast.Name) else None


def _keywords(node: ast.AST) -> frozenset[str] | None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return _of_function(node)
    if isinstance(node, ast.ClassDef):
        own = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name in {"__init__", "__new__"}]
        if len(own) == 1 and not node.decorator_list and not node.keywords:
            return _of_function(own[0])
    return None


def _of_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str] | None:
    transparent = all(_last_names(decorator) & _TRANSPARENT for decorator in node.decorator_list)
    if node.args.kwarg is not None or not transparent:
        return None
    return frozenset(a.arg for a in (*node.args.args, *node.args.kwonlyargs))


def _last_names(node: ast.expr) -> set[str]:
    return {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)} | {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name)
    }


def _attribute(node: ast.AST, name: str) -> Found:
    """An attribute of a class or a function: there where the class says so, else unknown."""
    if isinstance(node, ast.ClassDef):
        for inner in node.body:
            if isinstance(inner, ast.FunctionDef | ast.ClassDef) and inner.name == name:
                return _THERE
            if isinstance(inner, ast.Assign | ast.AnnAssign):
                targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
                if any(isinstance(t, ast.Name) and t.id == name for t in targets):
                    return _THERE
    return _UNKNOWN

"""The linked program: all file facts of a tree, and what a name means across its files."""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pipeline.mine.facts import FileFacts, Import
from pipeline.mine.frozen import frozen
from pipeline.mine.texts import Texts


@frozen
class ModuleRef:
    path: str
    dotted: str


@frozen
class DefinitionRef:
    """Definitions of one name in a module; several where branches define it, the last one first."""

    path: str
    indexes: tuple[int, ...]


@frozen
class AssignmentRef:
    """Module-level assignments of one name: spans of the expressions, -1 where it is not one expression."""

    path: str
    spans: tuple[tuple[int, int], ...]


@frozen
class ExternalRef:
    dotted: str


Ref = ModuleRef | DefinitionRef | AssignmentRef | ExternalRef


@dataclass(eq=False)
class Program:
    """The facts of every file (by path), and their sources."""

    facts: Mapping[str, FileFacts]
    texts: Texts
    _names: dict[tuple[str, str], Ref | None] = field(default_factory=dict)

    @cached_property
    def dotted(self) -> dict[str, str]:
        """The dotted module name of each path, from the outermost folder that is a package."""
        packages = {p.rpartition("/")[0] for p in self.facts if p.endswith("/__init__.py")}
        return {p: _dotted(p, frozenset(packages)) for p in self.facts}

    @cached_property
    def modules(self) -> dict[str, str]:
        """The path of each module, by dotted name (and by its full path's, for namespace packages)."""
        out = {_dotted(p, None): p for p in self.facts}
        out.update({d: p for p, d in self.dotted.items()})
        return out

    @cached_property
    def _defined(self) -> dict[str, dict[str, list[int]]]:
        out: dict[str, dict[str, list[int]]] = {}
        for path, facts in self.facts.items():
            names: dict[str, list[int]] = defaultdict(list)
            for i, definition in enumerate(facts.definitions):
                if not any(d.rpartition(".")[2] == "overload" for d in definition.decorators):
                    names[definition.name].append(i)
            out[path] = names
        return out

    @cached_property
    def _assigned(self) -> dict[str, dict[str, list[tuple[int, int]]]]:
        out: dict[str, dict[str, list[tuple[int, int]]]] = {}
        for path, facts in self.facts.items():
            names: dict[str, list[tuple[int, int]]] = defaultdict(list)
            for a in facts.assignments:
                names[a.name].append((a.start, a.end))
            out[path] = names
        return out

    @cached_property
    def _imported(self) -> dict[str, dict[str, list[Import]]]:
        out: dict[str, dict[str, list[Import]]] = {}
        for path, facts in self.facts.items():
            names: dict[str, list[Import]] = defaultdict(list)
            for i in facts.imports:
                names[i.name].append(i)
            out[path] = names
        return out

    @cached_property
    def callers(self) -> dict[str, tuple[str, ...]]:
        """The files that call something of each last name."""
        out: dict[str, list[str]] = defaultdict(list)
        for path, facts in self.facts.items():
            for name in facts.called:
                out[name].append(path)
        return {n: tuple(p) for n, p in out.items()}

    @cached_property
    def aliases(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """Where each name is imported under another one: (path, that name)."""
        out: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for path, facts in self.facts.items():
            for one in facts.imports:
                if one.attribute not in (None, "*", one.name):
                    out[one.attribute or ""].append((path, one.name))
        return {n: tuple(p) for n, p in out.items()}

    @cached_property
    def stored(self) -> frozenset[str]:
        """The attributes that are assigned on anything, anywhere."""
        return frozenset().union(*(f.stored for f in self.facts.values()))

    @cached_property
    def subclasses(self) -> dict[tuple[str, int], tuple[tuple[str, int], ...]]:
        """Direct subclasses of each class of the tree's top levels, as (path, definition index)."""
        out: dict[tuple[str, int], list[tuple[str, int]]] = defaultdict(list)
        for path, facts in self.facts.items():
            for i, definition in enumerate(facts.definitions):
                for base in definition.bases:
                    ref = self.resolve_dotted(path, base.partition("[")[0])
                    if isinstance(ref, DefinitionRef):
                        out[ref.path, ref.indexes[0]].append((path, i))
        return {k: tuple(v) for k, v in out.items()}

    @cached_property
    def exported(self) -> dict[tuple[str, int], str]:
        """The shortest public dotted name of each top-level definition that has one."""
        out: dict[tuple[str, int], str] = {}
        for path, dotted in self.dotted.items():
            if any(part.startswith("_") for part in dotted.split(".")):
                continue
            names = {d.name for d in self.facts[path].definitions} | {i.name for i in self.facts[path].imports}
            names |= {a.name for a in self.facts[path].assignments}
            for name in names:
                ref = self.resolve(path, name) if not name.startswith("_") and name != "*" else None
                if isinstance(ref, DefinitionRef):
                    said = f"{dotted}.{name}"
                    for index in ref.indexes:
                        known = out.get((ref.path, index))
                        if known is None or _rank(said) < _rank(known):
                            out[ref.path, index] = said
        return out

    def is_spoken(self, name: str) -> bool:
        """Whether something of that last name is given a literal text anywhere."""
        return any(self.texts.speaks(path, name) for path in self.callers.get(name, ()))

    def prepare(self) -> None:
        """Works out what all users of the program need, so that forked workers share it."""
        for table in (
            self.modules,
            self._defined,
            self._assigned,
            self._imported,
            self.callers,
            self.aliases,
        ):
            assert table is not None
        assert self.stored is not None
        assert self.subclasses is not None
        assert self.exported is not None

    def resolve(self, path: str, name: str) -> Ref | None:
        """What a global name of a module means; None where nothing in the tree or Python says."""
        key = (path, name)
        if key not in self._names:
            self._names[key] = None  # a circle of imports ends here
            self._names[key] = self._resolve(path, name)
        return self._names[key]

    def _resolve(self, path: str, name: str) -> Ref | None:
        return next(iter(self.meanings(path, name)), None)

    def meanings(self, path: str, name: str) -> tuple[Ref, ...]:
        """Everything a global name of a module can mean, the likeliest first.

        A definition stands for itself; an import and an assignment (`except ImportError: x = None`) both count.
        """
        found = self._defined[path].get(name)
        if found:
            return (DefinitionRef(path, tuple(reversed(found))),)
        imports = [self.imported(path, one) for one in reversed(self._imported[path].get(name, ()))]
        out: list[Ref] = [ref for ref in imports if ref is not None]
        spans = self._assigned[path].get(name)
        if spans:
            out.append(AssignmentRef(path, tuple(spans)))
        if out:
            return tuple(dict.fromkeys(out))
        for one in self._imported[path].get("*", ()):
            module = self._module(self._absolute(path, one))
            ref = self.resolve(module, name) if module is not None and not name.startswith("_") else None
            if ref is not None:
                return (ref,)
        return (ExternalRef(f"builtins.{name}"),) if hasattr(builtins, name) else ()

    def imported(self, path: str, one: Import) -> Ref | None:
        """What an import binds its name to."""
        module = self._absolute(path, one)
        if one.attribute is None:
            found = self._module(module)
            return ModuleRef(found, module) if found is not None else ExternalRef(module)
        return self.member(module, one.attribute)

    def member(self, module: str, name: str) -> Ref | None:
        """What `module.name` means."""
        path = self._module(module)
        if path is not None:
            ref = self.resolve(path, name)
            if ref is not None and not (isinstance(ref, ExternalRef) and ref.dotted == f"builtins.{name}"):
                return ref
        below = self._module(f"{module}.{name}")
        if below is not None:
            return ModuleRef(below, f"{module}.{name}")
        return None if path is not None else ExternalRef(f"{module}.{name}")

    def resolve_dotted(self, path: str, dotted: str) -> Ref | None:
        """What `a.b.c` means in a module, as far as `a` is a module or a top-level name."""
        first, *rest = dotted.split(".")
        ref = self.resolve(path, first)
        for name in rest:
            if isinstance(ref, ModuleRef):
                ref = self.member(ref.dotted, name)
            elif isinstance(ref, ExternalRef):
                ref = ExternalRef(f"{ref.dotted}.{name}")
            else:
                return None
        return ref

    def _module(self, dotted: str) -> str | None:
        return self.modules.get(dotted)

    def _absolute(self, path: str, one: Import) -> str:
        if not one.level:
            return one.module
        parts = self.dotted[path].split(".")
        up = one.level - 1 if path.endswith("__init__.py") else one.level
        parent = parts[: len(parts) - up] if up else parts
        return ".".join([*parent, one.module] if one.module else parent)


def _dotted(path: str, packages: frozenset[str] | None) -> str:
    """The module name of a path: from its outermost package on, or of the whole path without `packages`."""
    folder, _, name = path.rpartition("/")
    name = name.removesuffix(".py")
    parts = folder.split("/") if folder else []
    if packages is not None:
        start = len(parts)
        while start and "/".join(parts[:start]) in packages:
            start -= 1
        parts = parts[start:]
    return ".".join(parts if name == "__init__" and parts else [*parts, name])


def _rank(dotted: str) -> tuple[int, int, str]:
    return dotted.count("."), len(dotted), dotted

"""The edges of the graph: how units lead to each other, by calls, registrations, tables, decorators, inheritance."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pipeline.evidence.graph import Graph, Key, Target
from pipeline.evidence.references import FileReferences, Registration, Unit
from pipeline.evidence.uses import Use
from pipeline.mine.facts import Import
from pipeline.mine.link import ModuleRef, Program

# How far one step is. A call is 2.
ALIAS = 0
PART = 1  # from a function to a variable, a variable to what it is made of, a key to what is registered for it
CALL = 2
FOREIGN = 4  # from a key to what another file registers for it
GUESS = 4  # a method known by its name only
AROUND = 6  # what a decorator or a registering function does

MAX_GUESSED = 2  # classes that a method known by its name only may belong to
CONSTRUCTORS = ("__init__", "__new__", "__post_init__", "__init_subclass__")
_COMMON = frozenset(
    name
    for cls in (str, bytes, list, dict, set, tuple, int, float, complex, BaseException, Path, re.Pattern, object)
    for name in dir(cls)
) | {"read", "write", "close", "run", "start", "submit", "result", "astype", "item", "tolist", "flush", "acquire"}


def link(program: Program, files: Mapping[str, FileReferences]) -> Graph:
    """The graph of a program, from the references of its files."""
    graph = Graph(program, files)
    linker = _Linker(graph)
    for path, file in files.items():
        for dotted, values in file.settings:
            linker.setting(path, dotted, values)
    for cls in list(graph.members):
        linker.overrides(cls)
    for path, file in files.items():
        for registration in file.registrations:
            linker.registration(path, registration)
    for key, unit in list(graph.units.items()):
        linker.unit(key, unit)
    return graph


class _Linker:
    """Draws the edges of a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def unit(self, key: Key, unit: Unit) -> None:
        use = unit.use
        step = PART if unit.kind != "function" else CALL
        for dotted in use.calls:
            self.to(key, dotted, use.imports, step, called=True)
        for dotted in use.mentions:
            if dotted not in use.stores:  # what is put into a table is not what it already holds
                self.to(key, dotted, use.imports, step, called=unit.kind == "variable")
        for dotted in unit.decorators:
            self.to(key, dotted, use.imports, AROUND, called=True)
        for said, name in use.typed:
            cls = self.graph.cls(key.path, said, use.imports)
            self.method(key, cls, name)
        for name in use.loose:
            self.guess(key, name)
        if unit.kind == "class":
            self.cls(key)
        owner = Key(key.path, key.name.rpartition(".")[0])
        if use.own or use.above:
            self.inside(key, owner, use)
        for dotted in use.stores:
            target = self.graph.follow(key.path, dotted, use.imports)
            if target is not None and not target.is_class:
                self.graph.edge(target.key, key, AROUND)

    def to(self, key: Key, dotted: str, imports: tuple[Import, ...], step: int, *, called: bool) -> None:
        target = self.graph.follow(key.path, dotted, imports)
        if target is None:
            return
        if key in self.graph.keys:
            self.graph.rules.setdefault((key, target.key), 1)
        if target.passed is not None:
            self.graph.edge(key, target.passed, PART)
        unit, own = self.graph.units.get(target.key), self.graph.units[key]
        kind = unit.kind if unit is not None else "function"
        if kind == "class" and not called:
            return
        if kind == "variable":
            self.variable(key, own, target, dotted, step, called=called)
            return
        if own.kind == "variable" and own.value == dotted:
            step = ALIAS
        elif own.kind == "variable" and own.value == f"{dotted}()":
            step = AROUND
        self.graph.edge(key, target.key, step)
        if step <= CALL:
            self.graph.calls[target.key][key] = None

    def variable(self, key: Key, own: Unit, target: Target, dotted: str, step: int, *, called: bool) -> None:
        """A mention of a variable. Reading an attribute of its object leads to nothing; a key leads on when bound."""
        if own.value == dotted:
            self.graph.edge(key, target.key, ALIAS)
        elif target.rest and not called:
            return
        elif target.key not in self.graph.keys:
            self.graph.edge(key, target.key, PART if step <= CALL else step)
        elif own.kind == "function":
            self.graph.edge(key, target.key, PART if target.rest else GUESS)
        elif own.value is not None and own.value.endswith("()"):
            self.graph.edge(key, target.key, PART)

    def method(self, key: Key, cls: Key | None, name: str) -> bool:
        found = self.graph.member(cls, name)
        if found is None:
            return False
        self.graph.edge(key, found, CALL)
        self.graph.calls[found][key] = None
        return True

    def guess(self, key: Key, name: str) -> None:
        found = self.graph.methods.get(name, ())
        if name in _COMMON or hasattr(builtins, name) or not 0 < len(found) <= MAX_GUESSED:
            return
        for one in found:
            self.graph.edge(key, one, GUESS)
            self.graph.calls[one][key] = None

    def inside(self, key: Key, owner: Key, use: Use) -> None:
        for name in use.above:
            found = self.graph.member(owner, name, above=True)
            if found is not None:
                self.graph.edge(key, found, CALL)
        for said in use.own:
            first, _, rest = said.partition(".")
            if first == "?":
                continue
            if not rest:
                if not self.method(key, owner, first):
                    for sub in self.graph.subclasses.get(owner, ()):
                        self.method(key, sub, first)
                continue
            cls = self.graph.attribute(owner, first)
            if not self.method(key, cls, rest) and cls is None and f"?.{rest}" in use.own:
                self.guess(key, rest)

    def cls(self, key: Key) -> None:
        seen: set[str] = set()
        for one in self.graph.order(key):
            for name, member in self.graph.members[one].items():
                if name in CONSTRUCTORS and name not in seen:
                    seen.add(name)
                    self.graph.edge(key, member, ALIAS)

    def overrides(self, cls: Key) -> None:
        for name, key in self.graph.members[cls].items():
            base = self.graph.member(cls, name, above=True)
            if base is not None and name not in CONSTRUCTORS:
                self.graph.edge(base, key, PART)
                self.graph.overridden.add(base)
                self.graph.overriding.add((base, key))

    def setting(self, path: str, dotted: str, values: tuple[str, ...]) -> None:
        """`Class.name = value`, `module.name = value`: a unit of its own."""
        owner, _, name = dotted.rpartition(".")
        ref = self.graph.program.resolve_dotted(path, owner)
        home: Key | None = None
        if isinstance(ref, ModuleRef):
            home = Key(ref.path, name)
        else:
            target = self.graph.follow(path, owner)
            if target is not None and target.is_class:
                home = Key(target.key.path, f"{target.key.name}.{name}")
            elif target is not None:
                home = target.key
        if home is None:
            return
        if home not in self.graph.units:
            self.graph.add(home, Unit(home.name, "variable", Use()))
        for value in values:
            found = self.graph.follow(path, value)
            if found is not None:
                self.graph.edge(home, found.key, PART)

    def registration(self, path: str, one: Registration) -> None:
        keys = list(self.key_nodes(path, one))
        values = [t for v in one.values if (t := self.value(path, v)) is not None]
        foreigners = False
        for key in keys:
            foreign = key.path != path and self.graph.kind(key) == "variable"
            for value in values:
                self.graph.edge(key, value, FOREIGN if foreign else PART)
                self.graph.rules[key, value] = 2 if foreign else 1
            foreigners = foreigners or foreign
            registrar = self.graph.follow(path, one.registrar) if one.registrar else None
            its = self.graph.units.get(registrar.key) if registrar is not None else None
            if registrar is not None and its is not None and its.kind == "function" and its.use.stores:
                self.graph.edge(key, registrar.key, AROUND)
                self.graph.rules[key, registrar.key] = 1
        if not keys or foreigners:
            for table in self.tables(path, one):
                for value in values:
                    self.graph.edge(table, value, PART)
                    self.graph.rules.setdefault((table, value), 1)

    def value(self, path: str, dotted: str) -> Key | None:
        if Key(path, dotted) in self.graph.units:
            return Key(path, dotted)
        found = self.graph.follow(path, dotted)
        return found.key if found is not None and found.key not in self.graph.keys else None

    def key_nodes(self, path: str, one: Registration) -> Iterator[Key]:
        """Variables, and functions of which a method registers (`f.defjvp(g)`), that are the statement's keys."""
        for dotted in one.keys:
            target = self.graph.follow(path, dotted)
            if target is None:
                continue
            if target.passed is not None:
                target = Target(target.passed, False, ())
            unit = self.graph.units.get(target.key)
            if unit is None:
                continue
            if unit.kind == "variable" and "." not in target.key.name and (unit.value or "").endswith("()"):
                self.graph.keys.add(target.key)
                yield target.key
                return
            if dotted == one.registrar:
                receiver = self.graph.follow(path, dotted.rpartition(".")[0]) if "." in dotted else None
                its = self.graph.units.get(receiver.key) if receiver is not None and not receiver.rest else None
                if receiver is not None and its is not None and its.kind != "class":
                    if its.kind == "variable":
                        self.graph.keys.add(receiver.key)
                    yield receiver.key
                    return

    def tables(self, path: str, one: Registration) -> Iterator[Key]:
        """What holds the values of a registration without a key: the container, or what the registrar stores in."""
        if one.table is not None:
            target = self.graph.follow(path, one.table)
            if target is not None and not target.is_class:
                yield target.key
        registrar = self.graph.follow(path, one.registrar) if one.registrar else None
        unit = self.graph.units.get(registrar.key) if registrar is not None else None
        if registrar is not None and unit is not None:
            for dotted in unit.use.stores:
                target = self.graph.follow(registrar.key.path, dotted, unit.use.imports)
                if target is not None:
                    yield target.key

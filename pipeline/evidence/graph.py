"""The graph of a program: which functions, classes and variables lead to which, and how far that is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar

from pipeline.evidence.references import FileReferences, Unit
from pipeline.evidence.uses import Use
from pipeline.mine.facts import Import
from pipeline.mine.link import AssignmentRef, DefinitionRef, ModuleRef, Program, Ref

MAX_PARTS = 12

T = TypeVar("T")


class Key(NamedTuple):
    """A node: a unit of a file."""

    path: str
    name: str


class Target(NamedTuple):
    """What a dotted name leads to: a node, whether that is a class, and the attributes that were left over.

    passed: the variable whose object's method it is.
    """

    key: Key
    is_class: bool
    rest: tuple[str, ...]
    passed: Key | None = None


@dataclass(eq=False)
class Graph:
    """Edges against the direction of calls: `into[node]` are those that lead to it, with their lengths.

    calls: as `into`, of plain calls and mentions between functions alone. keys: variables that something is
    registered for. rules: pairs of a key (or table) and what is registered for it: 1, and 2 where a file other than
    the key's own does that, so that the rule is for another way of running it. overridden: methods that subclasses
    define anew. overriding: pairs of such a method and the subclass's.
    """

    program: Program
    files: Mapping[str, FileReferences]
    units: dict[Key, Unit] = field(default_factory=dict)
    into: dict[Key, dict[Key, int]] = field(default_factory=lambda: defaultdict(dict))
    calls: dict[Key, dict[Key, None]] = field(default_factory=lambda: defaultdict(dict))
    keys: set[Key] = field(default_factory=set)
    rules: dict[tuple[Key, Key], int] = field(default_factory=dict)
    overridden: set[Key] = field(default_factory=set)
    overriding: set[tuple[Key, Key]] = field(default_factory=set)
    members: dict[Key, dict[str, Key]] = field(default_factory=lambda: defaultdict(dict))
    bases: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    assigned: dict[tuple[str, tuple[tuple[int, int], ...]], str] = field(default_factory=dict)
    _followed: dict[tuple[str, str], Target | None] = field(default_factory=dict)
    _orders: dict[Key, tuple[Key, ...]] = field(default_factory=dict)

    def edge(self, source: Key, target: Key, length: int) -> None:
        if source != target and length < self.into[target].get(source, 1_000):
            self.into[target][source] = length

    # Names

    def follow(self, path: str, dotted: str, imports: tuple[Import, ...] = ()) -> Target | None:
        """What a dotted name of a module leads to; None where that is nothing of the tree."""
        first, _, rest = dotted.partition(".")
        if rest.count(".") > MAX_PARTS:  # `x = x.y` stands for itself, longer each time
            return None
        for one in imports:
            if one.name == first:
                return self._on(self.program.imported(path, one), first, rest.split(".") if rest else [])
        if (path, dotted) not in self._followed:
            self._followed[path, dotted] = None
            ref = self.program.resolve(path, first)
            self._followed[path, dotted] = self._on(ref, first, rest.split(".") if rest else [])
        return self._followed[path, dotted]

    def _on(self, ref: Ref | None, name: str, rest: list[str]) -> Target | None:
        module = ""
        while isinstance(ref, ModuleRef) and rest:
            module, name, rest = ref.path, rest[0], rest[1:]
            ref = self.program.member(ref.dotted, name)
        if isinstance(ref, DefinitionRef):
            definition = self.program.facts[ref.path].definitions[ref.indexes[0]]
            return self._inside(Key(ref.path, definition.name), rest, is_class=definition.is_class)
        if isinstance(ref, AssignmentRef):
            assigned = self.assigned.get((ref.path, ref.spans))
            return self._variable(Key(ref.path, assigned), rest) if assigned is not None else None
        if module and Key(module, name) in self.units:
            return self._variable(Key(module, name), rest)
        return None

    def _inside(self, key: Key, rest: list[str], *, is_class: bool) -> Target:
        while is_class and rest:
            found = self.member(key, rest[0])
            if found is None:
                break
            key, rest = found, rest[1:]
            is_class = self.kind(key) == "class"
        return Target(key, is_class, tuple(rest))

    def _variable(self, key: Key, rest: list[str]) -> Target:
        unit = self.units.get(key)
        if unit is not None and unit.value is not None and rest:
            if not unit.value.endswith("()"):
                on = self.follow(key.path, ".".join([unit.value, *rest]))
                if on is not None:
                    return on
            cls = self.cls(key.path, unit.value)
            found = self.member(cls, rest[0]) if cls is not None else None
            if found is not None:
                return Target(found, False, tuple(rest[1:]), passed=key)
        return Target(key, False, tuple(rest))

    def cls(self, path: str, said: str, imports: tuple[Import, ...] = (), depth: int = 0) -> Key | None:
        """The class that an annotation names, or (with `()`) of what a call gives."""
        target = self.follow(path, said.removesuffix("()"), imports)
        if target is None or target.rest or depth > 3:
            return None
        if target.is_class:
            return target.key
        unit = self.units.get(target.key)
        if unit is None:
            return None
        if said.endswith("()") and unit.returns is not None:
            return self.cls(target.key.path, unit.returns, depth=depth + 1)
        if unit.kind == "variable" and unit.value is not None and not said.endswith("()"):
            return self.cls(target.key.path, unit.value, depth=depth + 1)
        return None

    # Classes

    def order(self, cls: Key) -> tuple[Key, ...]:
        """The class and its bases of the tree, nearest first."""
        if cls not in self._orders:
            self._orders[cls] = (cls,)
            out = [cls]
            for base in self.bases.get(cls, ()):
                found = self.follow(cls.path, base.partition("[")[0])
                if found is not None and found.is_class:
                    out += [c for c in self.order(found.key) if c not in out]
            self._orders[cls] = tuple(out)
        return self._orders[cls]

    def member(self, cls: Key | None, name: str, *, above: bool = False) -> Key | None:
        """The unit that `cls.name` is. above: looked for in the bases only."""
        for one in self.order(cls)[1 if above else 0 :] if cls is not None else ():
            if name in self.members[one]:
                return self.members[one][name]
        return None

    def attribute(self, cls: Key, name: str) -> Key | None:
        """The class of an object's attribute."""
        for one in self.order(cls):
            unit = self.units.get(one)
            for attribute, said in unit.attributes if unit is not None else ():
                if attribute == name:
                    return self.cls(one.path, said)
        return None

    def __post_init__(self) -> None:
        for path, facts in self.program.facts.items():
            spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
            for one in facts.assignments:
                spans[one.name].append((one.start, one.end))
            for name, its in spans.items():
                self.assigned.setdefault((path, tuple(its)), name)
            for definition in facts.definitions:
                if definition.is_class:
                    self.bases[Key(path, definition.name)] = definition.bases
        for path, file in self.files.items():
            for unit in file.units:
                self.add(Key(path, unit.name), unit)

    def kind(self, key: Key) -> str | None:
        """The kind of a node; None where damage hides it."""
        unit = self.units.get(key)
        return unit.kind if unit is not None else None

    def add(self, key: Key, unit: Unit) -> None:
        known = self.units.get(key)
        self.units[key] = unit if known is None else _merged(known, unit)
        owner, _, name = key.name.rpartition(".")
        if owner:
            self.members[Key(key.path, owner)][name] = key

    @cached_property
    def subclasses(self) -> dict[Key, list[Key]]:
        """All classes below each class."""
        out: dict[Key, list[Key]] = defaultdict(list)
        for cls in self.bases:
            for base in self.order(cls)[1:]:
                out[base].append(cls)
        return out

    @cached_property
    def methods(self) -> dict[str, list[Key]]:
        """Methods by name, of the classes that define them first."""
        out: dict[str, list[Key]] = defaultdict(list)
        for cls, members in list(self.members.items()):
            for name, key in members.items():
                if self.kind(key) == "function" and self.member(cls, name, above=True) is None:
                    out[name].append(key)
        return out


def _merged(one: Unit, other: Unit) -> Unit:
    """Two units of one name: branches of a module, a property and its setter."""
    a, b = one.use, other.use
    use = Use(
        calls=_both(a.calls, b.calls),
        mentions=_both(a.mentions, b.mentions),
        own=_both(a.own, b.own),
        above=_both(a.above, b.above),
        typed=_both(a.typed, b.typed),
        loose=_both(a.loose, b.loose),
        stores=_both(a.stores, b.stores),
        imports=_both(a.imports, b.imports),
    )
    main = other if other.kind != "variable" else one
    return main._replace(
        use=use,
        decorators=tuple(dict.fromkeys(one.decorators + other.decorators)),
        value=one.value if one.value == other.value else None,
        returns=other.returns or one.returns,
    )


def _both(one: tuple[T, ...], other: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(one + other))

"""Public names: what the packages of a tree export, and which of it leads to a raise."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.evidence.edges import AROUND, CONSTRUCTORS
from pipeline.evidence.graph import Graph, Key
from pipeline.evidence.references import Unit
from pipeline.mine.facts import Import
from pipeline.mine.link import DefinitionRef, ModuleRef

MAX_NAMES = 20
FURTHER = 6  # beyond the nearest name, how far the others may be
THROUGH = 2  # what it costs to go on through something that is public itself
AGAIN = 8  # from one key's rule on to another key's
FROM_ELSEWHERE = 2
CALLERS_DEPTH = 2
MAX_VISITED = 8000
MAX_INHERITED = 4  # names of one method: those of the classes that inherit it


class Names(NamedTuple):
    """The public dotted names of a node: its own, and those it has as a method that other classes inherit."""

    own: tuple[str, ...]
    inherited: tuple[str, ...] = ()


def public_names(graph: Graph) -> dict[Key, Names]:
    """The public names of each node that has one: of its own only the most usual.

    What Python calls by itself (`__add__`) has its class's name.
    """
    own: dict[Key, str] = {}
    for key, name in _exported(graph):
        unit = graph.units.get(key)
        if key in graph.keys or (unit is not None and unit.kind == "variable" and not _is_callable(graph, key, unit)):
            continue
        if key not in own or rank(name) < rank(own[key]):
            own[key] = name
    out: dict[Key, set[str]] = {key: {name} for key, name in own.items()}
    inherited: dict[Key, set[str]] = defaultdict(set)
    for cls, name in own.items():
        for member, key in _members(graph, cls) if graph.kind(cls) == "class" else ():
            said = name if member.startswith("_") else f"{name}.{member}"
            is_own = (key.path, key.name.rpartition(".")[0]) == cls
            (out.setdefault(key, set()) if is_own else inherited[key]).add(said)
    return {
        key: Names(tuple(sorted(out.get(key, ()), key=rank)), tuple(sorted(inherited[key], key=rank)[:MAX_INHERITED]))
        for key in (*out, *(k for k in inherited if k not in out))
    }


def rank(dotted: str) -> tuple[int, int, str]:
    """How usual a name is: the fewer parts and letters, the more."""
    return dotted.count("."), len(dotted), dotted


def _is_callable(graph: Graph, key: Key, variable: Unit) -> bool:
    """Whether a variable can be called: another name of something, or made by a call, but no object of a class."""
    if variable.value is None:
        return False
    cls = graph.cls(key.path, variable.value)
    return cls is None or graph.member(cls, "__call__") is not None


def _members(graph: Graph, cls: Key) -> Iterator[tuple[str, Key]]:
    """The methods that a class offers: those without an underscore, and those that Python calls by itself."""
    seen: set[str] = set()
    for one in graph.order(cls):
        for name, key in graph.members[one].items():
            offered = not name.startswith("_") or (name.endswith("__") and name not in CONSTRUCTORS)
            if name not in seen and offered:
                seen.add(name)
                if graph.kind(key) == "function":
                    yield name, key


def _exported(graph: Graph) -> Iterator[tuple[Key, str]]:
    for path, dotted in graph.program.dotted.items():
        if any(part.startswith("_") for part in dotted.split(".")):
            continue
        for name in _names(graph, path):
            target = graph.follow(path, name)
            if target is not None and not target.rest:
                yield target.key, f"{dotted}.{name}"


def _names(graph: Graph, path: str) -> Iterator[str]:
    """The names that a public module exports."""
    facts, file = graph.program.facts[path], graph.files[path]
    if file.listed:
        yield from file.listed | file.exports
    else:
        own = {d.name for d in facts.definitions} | {u.name for u in file.units if "." not in u.name} | file.exports
        if path.endswith("__init__.py"):
            own |= {i.name for i in facts.imports if i.attribute is not None and _is_inside(graph, path, i)}
        yield from (n for n in own if not n.startswith("_"))
    for star in (i for i in facts.imports if i.name == "*"):
        module = graph.program.imported(path, Import("_", star.module, None, star.level))
        if isinstance(module, ModuleRef) and module.path != path:
            yield from _names(graph, module.path)


def _is_inside(graph: Graph, path: str, one: Import) -> bool:
    return isinstance(graph.program.imported(path, one), DefinitionRef) and one.name != "*"


@dataclass(frozen=True, slots=True)
class Way:
    """A public name, and how far it is from the raise."""

    name: str
    distance: int


class _State(NamedTuple):
    """crossed: 1 after a rule, 2 after another file's rule. narrow: come to from a method that overrides it."""

    distance: int
    rank: tuple[int, int, str]
    key: Key
    crossed: int
    narrow: bool


def find_ways(graph: Graph, names: Mapping[Key, Names], start: Key, *, made: bool, abstract: bool = False) -> list[Way]:
    """The public names from which a node is reached, nearest first.

    made: whether the raise runs when what the function made is called (it stands in a nested function), and not
    already when a module is imported. abstract: whether it says only that a subclass must define the method: where
    subclasses do, calls lead to theirs.
    """
    if abstract and start in graph.overridden:
        its = names.get(start, Names(()))
        return [Way(name, 0) for name in its.own + its.inherited]
    out: dict[str, int] = {}
    best: dict[tuple[Key, int], int] = {(start, 0): 0}
    queue = [_State(0, (0, 0, ""), start, 0, narrow=False)]
    done: set[tuple[Key, int]] = set()
    while queue and len(done) < MAX_VISITED:
        state = heapq.heappop(queue)
        if (state.key, state.crossed) in done:
            continue
        done.add((state.key, state.crossed))
        if out and (state.distance > next(iter(out.values())) + FURTHER or len(out) >= MAX_NAMES):
            break
        known = names.get(state.key, Names(()))
        for name in known.own if state.narrow else known.own + known.inherited:
            out.setdefault(name, state.distance)
        for further in _further(graph, names, state, start, made=made):
            if further.distance < best.get((further.key, further.crossed), 1_000_000):
                best[further.key, further.crossed] = further.distance
                heapq.heappush(queue, further)
    return [Way(name, distance) for name, distance in out.items()][:MAX_NAMES]


def _further(graph: Graph, names: Mapping[Key, Names], state: _State, start: Key, *, made: bool) -> Iterator[_State]:
    """The nodes that lead to one, one step further from the raise."""
    through = 0
    if state.key in names:
        through = AGAIN if state.crossed == FROM_ELSEWHERE else max(THROUGH, state.distance)
    for source, length in graph.into.get(state.key, {}).items():
        if state.key == start and not made and length == AROUND and graph.kind(source) == "variable":
            continue  # a variable made by a call of the function: that ran when its module was imported
        rule = graph.rules.get((source, state.key), 0)
        total = state.distance + length + through + (AGAIN if rule and state.crossed else 0)
        known = names.get(source)
        first = rank((known.own + known.inherited)[0]) if known is not None else (0, 0, "")
        narrow = (source, state.key) in graph.overriding
        yield _State(total, first, source, max(rule, state.crossed), narrow)


def find_callers(graph: Graph, start: Key) -> Iterator[Key]:
    """The functions that call a function, and those that call them, nearest first."""
    seen, level = {start}, [start]
    for _ in range(CALLERS_DEPTH):
        found = {source for key in level for source in graph.calls.get(key, ()) if source not in seen}
        level = sorted(found, key=lambda k: (k.path != start.path, k))
        seen |= found
        yield from (k for k in level if graph.kind(k) == "function")

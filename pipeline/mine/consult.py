"""What the evaluation of one file asks of the rest of the program, and what it is told.

Nothing else of the program has a part in what a file raises: where the file and the answers to the same questions
are what they were, what it raises is too.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from pipeline.mine.facts import Definition, FileFacts, Import
from pipeline.mine.link import AssignmentRef, DefinitionRef, ModuleRef, Program, Ref
from pipeline.mine.texts import Texts


class Kind(enum.Enum):
    """What is asked; the words of the question follow."""

    MEANINGS = "meanings"  # path, name
    MEMBER = "member"  # dotted module, name
    IMPORTED = "imported"  # path, module, attribute ("": the module itself), level
    DOTTED = "dotted"  # path, dotted name
    MODULE = "module"  # path
    REBOUND = "rebound"  # path, name
    STORED = "stored"  # name
    SPOKEN = "spoken"  # name
    ALIASES = "aliases"  # name
    CHANGES = "changes"  # path, name
    SUBCLASSES = "subclasses"  # path, name of a class
    PUBLIC = "public"  # path, name of a definition
    CALLERS = "callers"  # name
    CALLS = "calls"  # path, name
    MENTIONS = "mentions"  # path, name


class Question(NamedTuple):
    kind: Kind
    words: tuple[str, ...]


@dataclass(eq=False, slots=True)
class Consulted:
    """A linked program that notes what it is asked."""

    program: Program
    asked: dict[Question, None] = field(default_factory=dict)

    @property
    def facts(self) -> Mapping[str, FileFacts]:
        """Those of the file itself; of others only what an answer has led to."""
        return self.program.facts

    @property
    def texts(self) -> Texts:
        """Those of the file itself; of others only what an answer has led to."""
        return self.program.texts

    def _ask(self, kind: Kind, *words: str) -> None:
        self.asked[Question(kind, words)] = None

    def meanings(self, path: str, name: str) -> tuple[Ref, ...]:
        """Everything a global name of a module can mean, the likeliest first."""
        self._ask(Kind.MEANINGS, path, name)
        return self.program.meanings(path, name)

    def resolve(self, path: str, name: str) -> Ref | None:
        """What a global name of a module means."""
        self._ask(Kind.MEANINGS, path, name)
        return self.program.resolve(path, name)

    def resolve_dotted(self, path: str, dotted: str) -> Ref | None:
        """What `a.b.c` means in a module."""
        self._ask(Kind.DOTTED, path, dotted)
        return self.program.resolve_dotted(path, dotted)

    def member(self, module: str, name: str) -> Ref | None:
        """What `module.name` means."""
        self._ask(Kind.MEMBER, module, name)
        return self.program.member(module, name)

    def imported(self, path: str, one: Import) -> Ref | None:
        """What an import binds its name to."""
        self._ask(Kind.IMPORTED, path, one.module, one.attribute or "", str(one.level))
        return self.program.imported(path, one)

    def module_name(self, path: str) -> str:
        """The dotted name of a module."""
        self._ask(Kind.MODULE, path)
        return self.program.dotted[path]

    def is_rebound(self, path: str, name: str) -> bool:
        """Whether a `global` statement of a file names it."""
        self._ask(Kind.REBOUND, path, name)
        return name in self.program.facts[path].rebound

    def is_stored(self, name: str) -> bool:
        """Whether an attribute of that name is assigned on anything, anywhere."""
        self._ask(Kind.STORED, name)
        return name in self.program.stored

    def is_spoken(self, name: str) -> bool:
        """Whether something of that last name is given a literal text anywhere."""
        self._ask(Kind.SPOKEN, name)
        return self.program.is_spoken(name)

    def aliases(self, name: str) -> tuple[tuple[str, str], ...]:
        """Where the name is imported under another one: (path, that name)."""
        self._ask(Kind.ALIASES, name)
        return self.program.aliases.get(name, ())

    def changes(self, path: str, name: str) -> bool:
        """Whether a file changes a container of that name in place."""
        self._ask(Kind.CHANGES, path, name)
        return self.program.texts.changes(path, name)

    def subclasses(self, path: str, index: int) -> tuple[tuple[str, int], ...]:
        """Direct subclasses of a class of a file's top level, as (path, definition index)."""
        if index < 0:
            return ()
        self._ask(Kind.SUBCLASSES, path, self.program.facts[path].definitions[index].name)
        return self.program.subclasses.get((path, index), ())

    def public_name(self, path: str, index: int) -> str | None:
        """The shortest public dotted name of a top-level definition."""
        self._ask(Kind.PUBLIC, path, self.program.facts[path].definitions[index].name)
        return self.program.exported.get((path, index))

    def callers(self, name: str) -> tuple[str, ...]:
        """The files that call something of that last name."""
        self._ask(Kind.CALLERS, name)
        return self.program.callers.get(name, ())

    def calls(self, path: str, name: str) -> tuple[tuple[int, str], ...]:
        """Where a file calls something of that last name: the byte of the name, and the dotted name."""
        self._ask(Kind.CALLS, path, name)
        return self.program.texts.calls(path, name)

    def mentions(self, path: str, name: str) -> bool:
        """Whether a function of that name is handed around in a file, not only called."""
        self._ask(Kind.MENTIONS, path, name)
        return self.program.texts.mentions(path, name)


@dataclass(eq=False, slots=True)
class Answers:
    """Digests of a program's answers, each worked out once. A place in a file has no part in them, its text has."""

    program: Program
    _known: dict[Question, str] = field(default_factory=dict)
    _definitions: dict[tuple[str, int], str] = field(default_factory=dict)
    _indexes: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    def to(self, question: Question) -> str:
        """The digest of the answer; "" where the program has no such file."""
        known = self._known.get(question)
        if known is None:
            known = self._known[question] = _digest(self._said(question))
        return known

    def _said(self, question: Question) -> Iterable[str]:
        kind, words = question
        program = self.program
        if kind in _OF_A_FILE and words[0] not in program.facts:
            return ()
        match kind:
            case Kind.MEANINGS:
                return [part for ref in program.meanings(*words) for part in self._ref(ref)]
            case Kind.MEMBER:
                return self._ref(program.member(*words))
            case Kind.IMPORTED:
                path, module, attribute, level = words
                return self._ref(program.imported(path, Import("", module, attribute or None, int(level))))
            case Kind.DOTTED:
                return self._ref(program.resolve_dotted(*words))
            case Kind.MODULE:
                return [program.dotted[words[0]]]
            case Kind.REBOUND:
                return [str(words[1] in program.facts[words[0]].rebound)]
            case Kind.STORED:
                return [str(words[0] in program.stored)]
            case Kind.SPOKEN:
                return [str(program.is_spoken(words[0]))]
            case Kind.ALIASES:
                return [part for alias in program.aliases.get(words[0], ()) for part in alias]
            case Kind.CHANGES:
                return [str(program.texts.changes(*words))]
            case Kind.SUBCLASSES:
                path, name = words
                found = (program.subclasses.get((path, i), ()) for i in self._named(path, name))
                return [part for below in found for sub in below for part in (sub[0], self.of_definition(*sub))]
            case Kind.PUBLIC:
                path, name = words
                return [program.exported.get((path, i), "") for i in self._named(path, name)]
            case Kind.CALLERS:
                return program.callers.get(words[0], ())
            case Kind.CALLS:
                return [part for at, dotted in program.texts.calls(*words) for part in (dotted, self._at(words[0], at))]
            case Kind.MENTIONS:
                return [str(program.texts.mentions(*words))]

    def _ref(self, ref: Ref | None) -> list[str]:
        if ref is None:
            return ["nothing"]
        if isinstance(ref, DefinitionRef):
            return ["definition", ref.path, *(self.of_definition(ref.path, i) for i in ref.indexes)]
        if isinstance(ref, AssignmentRef):
            source = self.program.texts.sources[ref.path]
            texts = (source[start:end].decode("utf-8", "replace") if start >= 0 else "" for start, end in ref.spans)
            return ["assignment", ref.path, *texts]
        return ["module", ref.path, ref.dotted] if isinstance(ref, ModuleRef) else ["outside", ref.dotted]

    def of_definition(self, path: str, index: int) -> str:
        """What one definition says (-1: the whole file)."""
        key = (path, index)
        if key not in self._definitions:
            source = self.program.texts.sources[path]
            one = (
                self.program.facts[path].definitions[index]
                if index >= 0
                else Definition("", False, 0, len(source), (), ())
            )
            told = (one.name, *one.decorators, source[one.start : one.end].decode("utf-8", "replace"))
            self._definitions[key] = _digest(told)
        return self._definitions[key]

    def _at(self, path: str, place: int) -> str:
        definitions = self.program.facts[path].definitions
        index = next((i for i, d in enumerate(definitions) if d.start <= place < d.end), -1)
        return self.of_definition(path, index)

    def _named(self, path: str, name: str) -> list[int]:
        if path not in self._indexes:
            table = self._indexes[path] = {}
            for i, definition in enumerate(self.program.facts[path].definitions):
                table.setdefault(definition.name, []).append(i)
        return self._indexes[path].get(name, [])


_OF_A_FILE = frozenset(Kind) - {Kind.MEMBER, Kind.STORED, Kind.SPOKEN, Kind.ALIASES, Kind.CALLERS}


def _digest(parts: Iterable[str]) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()

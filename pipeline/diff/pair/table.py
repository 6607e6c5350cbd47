"""Two catalogues while they are being paired."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from pipeline.diff.pair.candidates import ANYTHING, candidates
from pipeline.diff.pair.likeness import Relation, likeness
from pipeline.diff.pair.lines import Shown, counterparts, shown, untouched
from pipeline.diff.pair.traits import Lexicon, Traits, lexicon, traits
from pipeline.record import Record

Function = tuple[str, str | None]
"""Path and qualname."""


def function(record: Record) -> Function:
    return record.filePath, record.qualname


def order(record: Record) -> tuple[str, int, int, str, str, str, str]:
    """The order of a catalogue; it depends on nothing but what the records say."""
    words = (record.errorClass or "", record.messagePattern, record.errorMessage, record.id)
    return record.filePath, record.lineNumber, record.endLineNumber, *words


@dataclass
class Table:
    """Both catalogues in order, and the pairs found so far. A record is known by its index on its side.

    mates: old -> new. owners: new -> old. kept: the files whose errors were all paired at the outset.
    """

    old: list[Record]
    new: list[Record]
    mates: dict[int, int] = field(default_factory=dict)
    owners: dict[int, int] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    _old_traits: dict[int, Traits] = field(default_factory=dict)
    _new_traits: dict[int, Traits] = field(default_factory=dict)

    def add(self, old: int, new: int) -> None:
        self.mates[old] = new
        self.owners[new] = old

    def keep(self, path: str, pairs: Iterable[tuple[int, int]]) -> None:
        """Pair all errors of a file. Before anything else is asked."""
        self.kept.add(path)
        for old, new in pairs:
            self.add(old, new)

    def open_old(self) -> list[int]:
        return [index for index in range(len(self.old)) if index not in self.mates]

    def open_new(self) -> list[int]:
        return [index for index in range(len(self.new)) if index not in self.owners]

    @cached_property
    def _shown(self) -> tuple[dict[str, Shown], dict[str, Shown]]:
        old, new = ([r for r in side if r.filePath not in self.kept] for side in (self.old, self.new))
        return shown(old), shown(new)

    @cached_property
    def moved(self) -> dict[str, str]:
        """Old path -> new path."""
        return {path: path for path in self.kept} | counterparts(*self._shown)

    @cached_property
    def landings(self) -> dict[int, int]:
        """Old record -> the line where its raise line now is, if the change left that untouched."""
        before, after = self._shown
        lines = {path: untouched(its, after[self.moved[path]]) for path, its in before.items() if path in self.moved}
        found = {
            index: line
            for index, record in enumerate(self.old)
            if (line := lines.get(record.filePath, {}).get(record.lineNumber)) is not None
        }
        alike = ((old, new) for old, new in self.mates.items() if self.old[old].filePath in self.kept)
        return found | {old: self.new[new].lineNumber for old, new in alike}

    def path(self, old: int) -> str | None:
        """Where the file of an old record now is."""
        return self.moved.get(self.old[old].filePath)

    @cached_property
    def _lexicon(self) -> Lexicon:
        return lexicon(self.old, self.new)

    def old_traits(self, index: int) -> Traits:
        if index not in self._old_traits:
            self._old_traits[index] = traits(self.old[index], self._lexicon)
        return self._old_traits[index]

    def new_traits(self, index: int) -> Traits:
        if index not in self._new_traits:
            self._new_traits[index] = traits(self.new[index], self._lexicon)
        return self._new_traits[index]

    def candidates(
        self, old: Iterable[int], new: Iterable[int], kinds: frozenset[str] = ANYTHING
    ) -> list[tuple[int, int]]:
        """What is worth comparing. kinds: of things in common that make it so."""
        left = {index: self.old_traits(index) for index in old}
        right = {index: self.new_traits(index) for index in new}
        return candidates(left, right, self.moved, kinds)

    def points(self, worth_it: Iterable[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """What speaks for each of these."""
        functions = self._functions()
        return {
            (old, new): likeness(self.old_traits(old), self.new_traits(new), self._related(old, new, functions))
            for old, new in worth_it
        }

    def _functions(self) -> dict[Function, set[Function]]:
        """Each old function, and the new ones that errors of it are in now."""
        found: dict[Function, set[Function]] = defaultdict(set)
        for old, new in self.mates.items():
            found[function(self.old[old])].add(function(self.new[new]))
        return found

    def _related(self, old: int, new: int, functions: dict[Function, set[Function]]) -> Relation:
        one, other = self.old[old], self.new[new]
        same_file = self.path(old) == other.filePath
        same_name = same_file and one.qualname == other.qualname
        return Relation(
            same_file=same_file,
            same_function=same_name or (one.qualname is not None and function(other) in functions[function(one)]),
            aligned=same_file and self.landings.get(old) == other.lineNumber,
            between=same_file and self._between(old, new),
        )

    def _between(self, old: int, new: int) -> bool:
        """Whether the nearest pairs above and below in the old file are above and below in the new one, too."""
        path, other = self.old[old].filePath, self.new[new].filePath
        for step, indexes in ((-1, range(old - 1, -1, -1)), (1, range(old + 1, len(self.old)))):
            for index in indexes:
                if self.old[index].filePath != path:
                    break
                mate = self.mates.get(index)
                if mate is not None and self.new[mate].filePath == other:
                    if (mate - new) * step <= 0:
                        return False
                    break
        return True

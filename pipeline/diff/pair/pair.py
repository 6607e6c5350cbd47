"""Pairing two catalogues."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from pipeline.diff.pair.assign import assign
from pipeline.diff.pair.candidates import candidates
from pipeline.diff.pair.likeness import ENOUGH, SURE, Relation, likeness
from pipeline.diff.pair.lines import counterparts, shown, untouched
from pipeline.diff.pair.pairing import Pair, Pairing, Why
from pipeline.diff.pair.traits import lexicon, said, traits
from pipeline.record import Record


def pair(old: Sequence[Record], new: Sequence[Record], *, chained: bool = False) -> Pairing:
    """Who is who. chained: the ids of both come from one chain of datasets, so that equal ids are one error.

    First what the change left alone, then the best assignment of the rest. Nothing depends on the order of the input.
    """
    table = _Table(sorted(old, key=_order), sorted(new, key=_order))
    if chained:
        _by_id(table)
    _by_line(table)
    _by_key(table)
    _by_likeness(table)
    return _pairing(table)


_Functions = dict[tuple[str, str | None], set[tuple[str, str | None]]]
"""(Old path, old qualname) -> (new path, new qualname)."""


def _function(record: Record) -> tuple[str, str | None]:
    return record.filePath, record.qualname


def _order(record: Record) -> tuple[str, int, int, str, str, str, str]:
    words = (record.errorClass or "", record.messagePattern, record.errorMessage, record.id)
    return record.filePath, record.lineNumber, record.endLineNumber, *words


@dataclass(slots=True)
class _Table:
    """Both catalogues in order, and the pairs found so far, by index.

    moved: old path -> new path. landings: index of an old record -> the line where an untouched raise line now is.
    """

    old: list[Record]
    new: list[Record]
    mates: dict[int, int] = field(default_factory=dict)
    owners: dict[int, int] = field(default_factory=dict)
    known: set[int] = field(default_factory=set)
    moved: dict[str, str] = field(init=False)
    landings: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        before, after = shown(self.old), shown(self.new)
        self.moved = counterparts(before, after)
        lines = {path: untouched(before[path], after[other]) for path, other in self.moved.items()}
        self.landings = {
            index: line
            for index, record in enumerate(self.old)
            if (line := lines.get(record.filePath, {}).get(record.lineNumber)) is not None
        }

    def path(self, old: int) -> str | None:
        """Where the file of an old record now is."""
        return self.moved.get(self.old[old].filePath)

    def add(self, old: int, new: int) -> None:
        self.mates[old] = new
        self.owners[new] = old

    def open_old(self) -> list[int]:
        return [index for index in range(len(self.old)) if index not in self.mates]

    def open_new(self) -> list[int]:
        return [index for index in range(len(self.new)) if index not in self.owners]

    def functions(self) -> _Functions:
        """Each old function, and the new ones that errors of it are in now."""
        found: _Functions = defaultdict(set)
        for old, new in self.mates.items():
            found[_function(self.old[old])].add(_function(self.new[new]))
        return found

    def related(self, old: int, new: int, functions: _Functions) -> Relation:
        one, other = self.old[old], self.new[new]
        same_file = self.path(old) == other.filePath
        same_function = same_file and one.qualname == other.qualname
        return Relation(
            same_file=same_file,
            same_function=same_function or (one.qualname is not None and _function(other) in functions[_function(one)]),
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


def _by_id(table: _Table) -> None:
    names = {name: index for index, record in enumerate(table.new) for name in (*record.aliases, record.id)}
    for index, record in enumerate(table.old):
        found = next((names[name] for name in (record.id, *record.aliases) if name in names), None)
        if found is not None and found not in table.owners:
            table.add(index, found)
            table.known.add(index)


def _by_line(table: _Table) -> None:
    """The same text, in the same function, on a line that the change left untouched."""
    at = _grouped(table.open_new(), lambda n: (table.new[n].filePath, table.new[n].lineNumber, *_key(table.new[n])))
    for index in table.open_old():
        record = table.old[index]
        key = (table.path(index), table.landings.get(index), *_key(record))
        if found := at.get(key):
            table.add(index, found.pop(0))


def _by_key(table: _Table) -> None:
    """The one error of its text in its function, before and after, unless their lines say something else."""
    raised = {(record.filePath, record.lineNumber) for record in table.new}
    landed = {(table.moved[table.old[old].filePath], line) for old, line in table.landings.items()} & raised
    loose = [old for old in table.open_old() if (table.path(old), table.landings.get(old)) not in landed]
    free = [new for new in table.open_new() if (table.new[new].filePath, table.new[new].lineNumber) not in landed]
    left = _grouped(loose, lambda old: (table.path(old), *_key(table.old[old])))
    right = _grouped(free, lambda new: (table.new[new].filePath, *_key(table.new[new])))
    for key, found in left.items():
        if len(found) == len(right.get(key, ())) == 1 and table.old[found[0]].errorMessage:
            table.add(found[0], right[key][0])


def _key(record: Record) -> tuple[str | None, ...]:
    return record.qualname, *said(record)


def _grouped(
    indexes: Iterable[int], key: Callable[[int], tuple[Hashable, ...]]
) -> dict[tuple[Hashable, ...], list[int]]:
    groups: dict[tuple[Hashable, ...], list[int]] = defaultdict(list)
    for index in indexes:
        groups[key(index)].append(index)
    return groups


def _by_likeness(table: _Table) -> None:
    """The best assignment of what is left, where enough speaks for a pair; sure pairs first, which tell of others."""
    known = lexicon(table.old, table.new)
    left = {index: traits(table.old[index], known) for index in table.open_old()}
    right = {index: traits(table.new[index], known) for index in table.open_new()}
    worth_it = candidates(left, right, table.moved)
    for least in (SURE, ENOUGH):
        functions = table.functions()
        points = {
            (old, new): likeness(left[old], right[new], table.related(old, new, functions))
            for old, new in worth_it
            if old not in table.mates and new not in table.owners
        }
        for old, new in assign({both: _weight(its, both) for both, its in points.items() if its >= least}):
            table.add(old, new)


def _weight(points: float, both: tuple[int, int]) -> int:
    """A sure pair is worth more than two doubtful ones; what is equal keeps its order."""
    return round(10 * (points - ENOUGH + 1) ** 2) * 10_000 + 9_999 - min(9_999, abs(both[0] - both[1]))


def _pairing(table: _Table) -> Pairing:
    pairs = tuple(
        Pair(old=table.old[table.owners[new]], new=table.new[new], why=_why(table, table.owners[new], new))
        for new in sorted(table.owners)
    )
    added = tuple(table.new[index] for index in table.open_new())
    removed = tuple(table.old[index] for index in table.open_old())
    return Pairing(pairs=pairs, added=added, removed=removed, split_from={}, merged_into={})


def _why(table: _Table, old: int, new: int) -> Why:
    one, other = table.old[old], table.new[new]
    if old in table.known:
        return Why.ID
    same_file = table.path(old) == other.filePath
    if said(one) == said(other):
        return Why.LINE if same_file and table.landings.get(old) == other.lineNumber else Why.TEXT
    return Why.PLACE if same_file and one.qualname == other.qualname else Why.WORDING

"""Pairing two catalogues."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final

from pipeline.diff.pair.assign import assign
from pipeline.diff.pair.candidates import WORDING
from pipeline.diff.pair.likeness import ENOUGH, SURE, wording
from pipeline.diff.pair.pairing import Pair, Pairing, Why
from pipeline.diff.pair.table import Table, order
from pipeline.diff.pair.traits import Traits, said
from pipeline.processes import no_collection
from pipeline.record import Record

_SHARED: Final = 0.7
"""Share of its wording that a record has from another one, where it was split from that or merged into it."""


def pair(old: Sequence[Record], new: Sequence[Record], *, chained: bool = False, origins: bool = True) -> Pairing:
    """Who is who. First what the change left alone, then the best assignment of the rest.

    chained: the ids of both come from one chain of datasets; then they say who is who. (Otherwise an equal id counts
    for nothing: a first id is that of the first, second, … of several equal errors.) origins: whether splits and
    merges are wanted. The order of the input does not matter.
    """
    with no_collection():
        return _pair(old, new, chained=chained, origins=origins)


def _pair(old: Sequence[Record], new: Sequence[Record], *, chained: bool, origins: bool) -> Pairing:
    table = Table(sorted(old, key=order), sorted(new, key=order))
    if chained:
        _by_id(table)
    else:
        _by_file(table)
        _by_line(table)
        _by_key(table)
        _by_likeness(table)
    return Pairing(
        pairs=tuple(
            Pair(old=table.old[its], new=table.new[index], why=Why.ID if chained else _why(table, its, index))
            for index, its in sorted(table.owners.items())
        ),
        added=tuple(table.new[index] for index in table.open_new()),
        removed=tuple(table.old[index] for index in table.open_old()),
        split_from=_splits(table) if origins else {},
        merged_into=_merges(table) if origins else {},
    )


def _by_id(table: Table) -> None:
    """An old id, or else an old alias, that is an id or an alias of a new record."""
    names = {name: index for index, record in enumerate(table.new) for name in (record.id, *record.aliases)}
    for kind in (lambda record: (record.id,), lambda record: record.aliases):
        for index in table.open_old():
            found = next((names[name] for name in kind(table.old[index]) if name in names), None)
            if found is not None and found not in table.owners:
                table.add(index, found)


def _by_file(table: Table) -> None:
    """All errors of a file that shows and says what it did: most files of the next release."""
    before = _grouped(table.open_old(), lambda old: (table.old[old].filePath,))
    after = _grouped(table.open_new(), lambda new: (table.new[new].filePath,))
    for key in before.keys() & after.keys():
        left, right = before[key], after[key]
        if len(left) == len(right) and all(
            one.sourceCode == other.sourceCode and _key(one) == _key(other)
            for one, other in zip((table.old[i] for i in left), (table.new[i] for i in right), strict=True)
        ):
            table.keep(table.old[left[0]].filePath, zip(left, right, strict=True))


def _by_line(table: Table) -> None:
    """The same text, in the same function, on a line that the change left untouched.

    Of several that say the same, only where the line above is the same, too: equal lines are easily mistaken.
    """
    many = {
        key
        for counts in (
            Counter((table.path(index), *_key(record)) for index, record in enumerate(table.old)),
            Counter((record.filePath, *_key(record)) for record in table.new),
        )
        for key, number in counts.items()
        if number > 1
    }
    at = _grouped(table.open_new(), lambda new: (*_site(table.new[new]), *_key(table.new[new])))
    for old in table.open_old():
        path, line, key = table.path(old), table.landings.get(old), _key(table.old[old])
        for new in at.get((path, line, *key), ())[:1]:
            if (path, *key) not in many or table.old_traits(old).before[:1] == table.new_traits(new).before[:1]:
                at[path, line, *key].remove(new)
                table.add(old, new)


def _by_key(table: Table) -> None:
    """The one error of its text in its function, before and after, unless their lines say something else."""
    raised = {(record.filePath, record.lineNumber) for record in table.new}
    landed = {(table.path(old), line) for old, line in table.landings.items()} & raised
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


def _by_likeness(table: Table) -> None:
    """The best assignment of what is left, where enough speaks for a pair; pairs that are found tell of others."""
    worth_it = table.candidates(table.open_old(), table.open_new())
    for least in (SURE, ENOUGH, ENOUGH):
        points = table.points(worth_it)
        for old, new in assign({both: _weight(its, both) for both, its in points.items() if its >= least}):
            table.add(old, new)
        worth_it = [both for both in worth_it if both[0] not in table.mates and both[1] not in table.owners]


def _weight(points: float, both: tuple[int, int]) -> int:
    """A sure pair is worth more than two doubtful ones; what is equal keeps its order."""
    return round(10 * (points - ENOUGH + 1) ** 2) * 10_000 + 9_999 - min(9_999, abs(both[0] - both[1]))


def _why(table: Table, old: int, new: int) -> Why:
    one, other = table.old[old], table.new[new]
    same_file = table.path(old) == other.filePath
    if said(one) == said(other):
        return Why.LINE if same_file and table.landings.get(old) == other.lineNumber else Why.TEXT
    return Why.PLACE if same_file and one.qualname == other.qualname else Why.WORDING


def _splits(table: Table) -> dict[str, str]:
    """Id of an added record -> of the old one that said what it says.

    Whose own partner changed, or stands in the same place: else the added record is a copy, and nothing was split.
    """
    sites = {_site(table.new[new]) for new in table.open_new()}
    changed = [
        old
        for old, new in sorted(table.mates.items())
        if _changed(table.old[old], table.new[new]) or _site(table.new[new]) in sites
    ]
    best: dict[int, tuple[float, int]] = {}
    for (old, new), points in table.points(table.candidates(changed, table.open_new(), WORDING)).items():
        if points >= SURE and _shares(table.old_traits(old), table.new_traits(new)):
            best[new] = max(best.get(new, (0.0, 0)), (points, -old))
    return {table.new[new].id: table.old[-old].id for new, (_, old) in sorted(best.items())}


def _merges(table: Table) -> dict[str, str]:
    """Id of a removed record -> of the new one that says what it said, if that changed, or stood in the same place."""
    sites = {_site(table.old[old]) for old in table.open_old()}
    changed = [
        new
        for new, old in sorted(table.owners.items())
        if _changed(table.old[old], table.new[new]) or _site(table.old[old]) in sites
    ]
    best: dict[int, tuple[float, int]] = {}
    for (old, new), points in table.points(table.candidates(table.open_old(), changed, WORDING)).items():
        if points >= SURE and _shares(table.old_traits(old), table.new_traits(new)):
            best[old] = max(best.get(old, (0.0, 0)), (points, -new))
    return {table.old[old].id: table.new[-new].id for old, (_, new) in sorted(best.items())}


def _site(record: Record) -> tuple[str, int]:
    return record.filePath, record.lineNumber


def _changed(old: Record, new: Record) -> bool:
    return (old.qualname, old.condition, *said(old)) != (new.qualname, new.condition, *said(new))


def _shares(one: Traits, other: Traits) -> bool:
    return one.says and other.says and wording(one, other)[0] >= _SHARED

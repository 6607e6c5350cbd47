"""What changed between two catalogues: every record of both sides is in exactly one change, or unchanged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.diff.guard import same_guard
from pipeline.diff.kind import KINDS, Kind
from pipeline.diff.pair import Pair, Pairing, pair
from pipeline.diff.wording import wording
from pipeline.diff.words import Words, compare_words
from pipeline.record import Record

__all__ = ["Change", "Diff", "Kind", "compare", "escapes"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One change. old: None where added; new: None where removed.

    also: the other kinds it is of. breaking: a handler written for the old error does not catch the new one.
    affects: public names that reach the error, nearest first. words: the main texts compared, () unless reworded.
    split_of: id of the old error that an added one was part of. merged_into: id of the new error that a removed one
    became part of.
    """

    kind: Kind
    also: tuple[Kind, ...] = ()
    breaking: bool = False
    old: Record | None
    new: Record | None
    affects: tuple[str, ...] = ()
    words: tuple[Words, ...] = ()
    split_of: str | None = None
    merged_into: str | None = None

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """All it is of."""
        return (self.kind, *self.also)

    @property
    def record(self) -> Record:
        """The error as it is now, or as it was last."""
        record = self.new or self.old
        assert record is not None
        return record


@dataclass(frozen=True, kw_only=True, slots=True)
class Diff:
    """The changes, sorted by file, line and kind, and the number of errors that are as they were."""

    changes: tuple[Change, ...]
    unchanged: int


def compare(old: Sequence[Record], new: Sequence[Record], *, chained: bool = False) -> Diff:
    """Compare two catalogues, in whatever order their records are.

    chained: both are of one chain of datasets, and so equal ids are one error; otherwise the ids of each side are its
    own.
    """
    pairing = pair(old, new, chained=chained)
    changes = [*_unpaired(pairing, old, new), *filter(None, map(_between, pairing.pairs))]
    return Diff(changes=tuple(sorted(changes, key=_order)), unchanged=len(pairing.pairs) - _paired(changes))


def _paired(changes: Iterable[Change]) -> int:
    return sum(change.old is not None and change.new is not None for change in changes)


def _order(change: Change) -> tuple[str, int, int, str, str]:
    record = change.record
    return record.filePath, record.lineNumber, KINDS.index(change.kind), record.errorClass or "", record.id


def _unpaired(pairing: Pairing, old: Sequence[Record], new: Sequence[Record]) -> Iterable[Change]:
    olds, news = _by_id(old), _by_id(new)
    for record in pairing.added:
        origin = olds.get(pairing.split_from.get(record.id, ""))
        yield Change(
            kind=Kind.ADDED,
            breaking=origin is not None and escapes(origin, record),
            old=None,
            new=record,
            affects=record.publicApi,
            split_of=origin.id if origin else None,
        )
    for record in pairing.removed:
        target = news.get(pairing.merged_into.get(record.id, ""))
        yield Change(
            kind=Kind.REMOVED,
            breaking=target is not None and escapes(record, target),
            old=record,
            new=None,
            affects=record.publicApi,
            merged_into=target.id if target else None,
        )


def _by_id(records: Sequence[Record]) -> Mapping[str, Record]:
    return {record.id: record for record in records}


def _between(paired: Pair) -> Change | None:
    old, new = paired.old, paired.new
    kinds = tuple(kind for kind, differs in _DIFFERS.items() if differs(old, new))
    if not kinds:
        return None
    return Change(
        kind=kinds[0],
        also=kinds[1:],
        breaking=Kind.RECLASSED in kinds and escapes(old, new),
        old=old,
        new=new,
        affects=tuple(dict.fromkeys((*new.publicApi, *old.publicApi))),
        words=compare_words(old.errorMessage, new.errorMessage) if Kind.REWORDED in kinds else (),
    )


def _reworded(old: Record, new: Record) -> bool:
    if old.messageVariants == new.messageVariants:
        return False
    return wording(old) != wording(new) or _swapped(old.placeholders, new.placeholders)


def _swapped(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the same values stand in other places. Other names of them are nothing that a reader of the text sees."""
    return old != new and sorted(old) == sorted(new)


# Other names of built-in classes.
_SAME_CLASS: Final = {"EnvironmentError": "OSError", "IOError": "OSError", "WindowsError": "OSError"}


def _class(record: Record) -> str | None:
    return _SAME_CLASS.get(record.errorClass or "", record.errorClass)


def _caught_as(record: Record) -> frozenset[str]:
    """Names of classes that a handler can catch it by; a private base is nobody's handler."""
    bases = (_SAME_CLASS.get(base, base) for base in record.errorBases if not base.startswith("_"))
    own = _class(record)
    return frozenset((own, *bases) if own else bases)


def _bases_known(record: Record) -> bool:
    return "BaseException" in _caught_as(record)


def _reclassed(old: Record, new: Record) -> bool:
    if _class(old) != _class(new):
        return True
    if old.errorBases == new.errorBases:
        return False
    return _bases_known(old) and _bases_known(new) and _caught_as(old) != _caught_as(new)


def escapes(old: Record, new: Record) -> bool:
    """Whether `except` for the old class, or for a base of it, no longer catches the new one.

    Where the new class or its bases are not known it escapes unless its known ones have the old class among them;
    where the old class is not known, nobody can have named it, and nothing escapes.
    """
    if _class(old) is None:
        return False
    if _bases_known(new):
        return not _caught_as(old) <= _caught_as(new)
    return _class(old) not in _caught_as(new)


def _reguarded(old: Record, new: Record) -> bool:
    return not same_guard(old.condition, new.condition)


def _moved(old: Record, new: Record) -> bool:
    return (old.filePath, old.qualname) != (new.filePath, new.qualname)


_DIFFERS: Final = {
    Kind.REWORDED: _reworded,
    Kind.RECLASSED: _reclassed,
    Kind.REGUARDED: _reguarded,
    Kind.MOVED: _moved,
}

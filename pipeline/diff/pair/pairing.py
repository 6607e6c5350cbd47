"""A pairing: the records of two catalogues, each in one pair or alone."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.record import Record


class Why(enum.StrEnum):
    """How a pair was found: the strongest of what the two have in common."""

    ID = "id"
    """An id, or an alias, that a chain of datasets carried from one to the other."""
    LINE = "line"
    """The same text on a line that the change left where it was among its neighbours."""
    TEXT = "text"
    """The same text elsewhere: moved, or in a renamed file or function."""
    PLACE = "place"
    """The same place with another text or class."""
    WORDING = "wording"
    """Nearly the same text, elsewhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """One error in both catalogues."""

    old: Record
    new: Record
    why: Why


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairing:
    """Every record of both sides once: in a pair, added or removed; each tuple in the order of its catalogue.

    pairs: in the order of the new catalogue. split_from: id of an added record -> id of the old record it was split
    from, which is in a pair with another. merged_into: id of a removed record -> id of the new record that says what it
    said, which is in a pair with another.
    """

    pairs: tuple[Pair, ...]
    added: tuple[Record, ...]
    removed: tuple[Record, ...]
    split_from: Mapping[str, str]
    merged_into: Mapping[str, str]

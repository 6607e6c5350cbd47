"""Values that are made by the hundred thousand."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(eq_default=True, frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """A dataclass with slots that type checkers hold to be frozen.

    Nothing checks it while the program runs: making one takes a third of the time of one that is.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)

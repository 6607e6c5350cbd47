"""The kinds of change."""

import enum
from typing import Final


class Kind(enum.StrEnum):
    """What can change; of several at once, the first in this order is the change's kind."""

    ADDED = "added"
    REMOVED = "removed"
    REWORDED = "reworded"
    RECLASSED = "reclassed"
    REGUARDED = "reguarded"
    MOVED = "moved"


KINDS: Final = tuple(Kind)

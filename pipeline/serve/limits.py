"""What one client, one text and one connection may take; more is refused, with a word on why."""

import time
from collections import OrderedDict
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv6Address
from typing import Final

_ADDRESSES: Final = 20_000
"""Addresses remembered: those beyond are forgotten, the longest silent first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The bounds of a server.

    text: bytes of a text to match. seconds: for matching one, by the clock. a_minute: texts of one address, all of
    them at once if it was silent before; 0 for no limit. waiting: requests that may wait for a free process, and pages
    that may wait to be made. patience: seconds that one waits. head: bytes of a request line with its headers.
    arrival: seconds in which a request has to be there. connections: open at once.
    """

    text: int = 256 << 10
    seconds: float = 3.0
    a_minute: int = 120
    waiting: int = 256
    patience: float = 10.0
    head: int = 32 << 10
    arrival: float = 15.0
    connections: int = 1_000


class BusyError(Exception):
    """More is waiting to be done than can be done in time."""


class Allowance:
    """How many requests each address has left. An allowance grows back evenly over a minute."""

    def __init__(self, a_minute: int) -> None:
        self._most = a_minute
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, now: float | None = None) -> float:
        """Take one request from the allowance of an address: 0, or the seconds until it has one again."""
        if not self._most:
            return 0.0
        moment = time.monotonic() if now is None else now
        owner = _owner(address)
        left, before = self._left.pop(owner, (float(self._most), moment))
        left = min(float(self._most), left + (moment - before) * self._most / 60)
        wait = 0.0 if left >= 1 else (1 - left) * 60 / self._most
        self._left[owner] = (left if wait else left - 1, moment)
        if len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return wait


def _owner(address: str) -> str:
    """Who has an address: of IPv6 whoever has its network of 64 bits."""
    try:
        return IPv6Address(address).exploded[:19]
    except AddressValueError:
        return address

"""The pace of calls: how many at once, and from when on, as the endpoint asks for it."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST_WAIT: Final = 300.0  # seconds, whatever an endpoint asks for
GROWTH: Final = 0.25  # calls at once, for each answer
STEADY: Final = 1.0  # seconds in which calls that are turned away count as one
_DURATION: Final = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")


class Pace:
    """At most `most` calls at once; fewer after the endpoint has turned one away, and again more with each answer."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._allowed = float(most)
        self._running = 0
        self._open_at = 0.0
        self._steady_at = 0.0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Room for one call."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._running < int(self._allowed))
            self._running += 1
        try:
            while (wait := self._open_at - time.monotonic()) > 0:  # noqa: ASYNC110  # the moment may move meanwhile
                await asyncio.sleep(wait)
            yield
        finally:
            async with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def answered(self, headers: Mapping[str, str]) -> None:
        """A call was answered: a little more may run at once. Where a limit is used up, none runs before its reset."""
        self._allowed = min(float(self._most), self._allowed + GROWTH)
        for what in ("requests", "tokens"):
            if headers.get(f"x-ratelimit-remaining-{what}") == "0":
                self._wait(_seconds(headers.get(f"x-ratelimit-reset-{what}", "")))

    def turned_away(self, headers: Mapping[str, str]) -> None:
        """A call was one too many: half as many, after as long as the endpoint says.

        Calls that were under way together are turned away together; that halves their number once.
        """
        now = time.monotonic()
        if now >= self._steady_at:
            self._allowed = max(1.0, self._allowed / 2)
            self._steady_at = now + STEADY
        self._wait(retry_after(headers))

    def _wait(self, seconds: float | None) -> None:
        if seconds:
            self._open_at = max(self._open_at, time.monotonic() + min(seconds, LONGEST_WAIT))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the endpoint asks to wait for; None where it does not say."""
    try:
        if exact := headers.get("retry-after-ms"):
            return min(float(exact) / 1000, LONGEST_WAIT)
        given = headers.get("retry-after")
        if not given:
            return None
        if re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", given):
            return min(float(given), LONGEST_WAIT)
        return min(max(0.0, parsedate_to_datetime(given).timestamp() - time.time()), LONGEST_WAIT)
    except (ValueError, TypeError, OverflowError):
        return None


def _seconds(duration: str) -> float | None:
    """`6m0s`, `20ms` and the like in seconds."""
    found = _DURATION.fullmatch(duration.strip())
    if not found or not duration.strip():
        return None
    hours, minutes, seconds, thousandths = (float(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds + thousandths / 1000

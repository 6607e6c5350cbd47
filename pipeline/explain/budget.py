"""The budget: what calls may cost, reserved before they are sent, so that no number of parallel calls can pass it."""

import asyncio
import math
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pipeline import resources
from pipeline.errors import WriterError

CHARACTERS_PER_TOKEN: Final = 3.5  # the estimate; corrected by what the store knows
MESSAGE_TOKENS: Final = 16  # around each message, at most
_MILLION: Final = 1_000_000
_SNAPSHOT: Final = re.compile(r"-\d{4}-\d\d-\d\d$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """US dollars for a million tokens. known: whether the table lists the model. date: of the table."""

    input: float
    cached: float
    output: float
    date: str
    known: bool = True

    def of(self, *, input: int, cached: int, output: int) -> float:  # noqa: A002  # the field's word
        """Dollars for so many tokens; cached ones are among the input."""
        return ((input - cached) * self.input + cached * self.cached + output * self.output) / _MILLION


FREE: Final = Price(input=0.0, cached=0.0, output=0.0, date="always")


def price_of(model: str, *, batch: bool = False) -> Price:
    """What a model costs by the price table. WriterError where ERRCAT_PRICES names a file that is none."""
    table = _table()
    rows = table["models"]
    name = model if model in rows else _SNAPSHOT.sub("", model)
    row, share = rows.get(name, rows["*"]), table["batch"] if batch else 1.0
    return Price(
        input=row["input"] * share,
        cached=row["cached"] * share,
        output=row["output"] * share,
        date=table["date"],
        known=name in rows,
    )


def _table() -> dict[str, Any]:
    given = os.environ.get("ERRCAT_PRICES")
    try:
        table = tomllib.loads(Path(given).read_text("utf-8") if given else resources.read("prompts", "prices.toml"))
        table["models"].setdefault("*", max(table["models"].values(), key=lambda row: float(row["output"])))
        return {
            "date": str(table["date"]),
            "batch": float(table.get("batch", 1)),
            "models": {name: _row(row) for name, row in table["models"].items()},
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        hint = "See prompts/prices.toml for its form"
        raise WriterError(f"ERRCAT_PRICES={given} is no price table: {error}", hint=hint) from None


def _row(row: dict[str, Any]) -> dict[str, float]:
    values = {
        "input": float(row["input"]),
        "cached": float(row.get("cached", row["input"])),
        "output": float(row["output"]),
    }
    if not all(math.isfinite(value) and value >= 0 for value in values.values()):
        raise ValueError(f"{row} is no price")
    return values


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """Tokens and dollars."""

    input: int = 0
    output: int = 0
    usd: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(input=self.input + other.input, output=self.output + other.output, usd=self.usd + other.usd)

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(input=self.input - other.input, output=self.output - other.output, usd=self.usd - other.usd)


NOTHING: Final = Cost()


class Spent(Exception):  # noqa: N818  # not an error: the limit is the user's wish
    """The budget has no room for another call."""


class Budget:
    """Limits of one run. max_usd, max_tokens (input and output together): None for no limit."""

    def __init__(self, price: Price, *, max_usd: float | None = None, max_tokens: int | None = None) -> None:
        self.price = price
        self.spent = Cost()
        self.lost = Cost()
        self.exhausted = False
        self._max_usd = math.inf if max_usd is None else max_usd
        self._max_tokens = math.inf if max_tokens is None else max_tokens
        self._reserved = Cost()
        self._outstanding = 0
        self._changed = asyncio.Condition()

    async def reserve(self, request: str, messages: int, most_output: int, *, patient: bool = True) -> Cost:
        """Room for a call at its dearest; if patient, waits for calls under way to return what they do not use.

        request: the text that is sent. No tokenizer makes more tokens than there are bytes. Spent: there is no room.
        """
        worst = self._worst(request, messages, most_output)
        async with self._changed:
            if patient:
                await self._changed.wait_for(lambda: self._fits(worst) or not self._outstanding or self.exhausted)
            if not self._fits(worst):
                self.exhausted = True
                self._changed.notify_all()
                raise Spent
            self._reserved += worst
            self._outstanding += 1
        return worst

    def _worst(self, request: str, messages: int, most_output: int) -> Cost:
        most_input = len(request.encode()) + MESSAGE_TOKENS * messages
        usd = self.price.of(input=most_input, cached=0, output=most_output)
        return Cost(input=most_input, output=most_output, usd=usd)

    def _fits(self, cost: Cost) -> bool:
        total = self.spent + self.lost + self._reserved + cost
        return total.usd <= self._max_usd and total.input + total.output <= self._max_tokens

    async def settle(self, reserved: Cost, used: Cost) -> None:
        """A call was answered."""
        async with self._changed:
            self.spent += used
            self._return(reserved)

    async def release(self, reserved: Cost) -> None:
        """A call was turned away, or never sent."""
        async with self._changed:
            self._return(reserved)

    async def lose(self, reserved: Cost) -> None:
        """A call was sent and its answer never came: it may be charged for, so all of it counts against the limits."""
        async with self._changed:
            self.lost += reserved
            self._return(reserved)

    def _return(self, reserved: Cost) -> None:
        self._reserved -= reserved
        self._outstanding -= 1
        if not self._outstanding:
            self._reserved = Cost()  # no dust of floating point stays
        self._changed.notify_all()


def guess(text: str) -> int:
    """Tokens of a text by its length."""
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)

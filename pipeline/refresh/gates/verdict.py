"""What a gate says."""

from collections.abc import Mapping
from typing import Final

from pipeline.record import Model, Text
from pipeline.refresh.gates.names import GATES, Gate


class Verdict(Model):
    """One gate. figure: what was found; bound: what was asked for; detail: the first of what is wrong.

    override: why it is published although the gate is not passed; None where nobody said so.
    """

    gate: Gate
    passed: bool
    figure: Text
    bound: Text
    detail: tuple[Text, ...] = ()
    override: Text | None = None

    @property
    def lets_through(self) -> bool:
        return self.passed or self.override is not None


def unseen(gate: Gate, why: str) -> Verdict:
    """The verdict of a gate that could not look."""
    return Verdict(gate=gate, passed=False, figure="not looked at", bound=GATES[gate], detail=(why,))


SHOWN: Final = 5
"""How many of the things that are wrong a verdict names."""


def overridden(verdict: Verdict, reasons: Mapping[Gate, str]) -> Verdict:
    """The verdict with the reason that was given, where it is needed."""
    if verdict.passed or verdict.gate not in reasons:
        return verdict
    return verdict.model_copy(update={"override": reasons[verdict.gate]})


def share(part: int, whole: int) -> str:
    """For people: a part of a whole in percent."""
    return f"{100 * part / whole:.1f} %" if whole else "nothing"

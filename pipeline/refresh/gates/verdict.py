"""What a gate says."""

from collections.abc import Mapping
from typing import Final, Literal

from pipeline.errors import ErrcatError
from pipeline.record import Model, Text

Gate = Literal["history", "ledger", "schema", "patterns", "records", "unknown", "explained", "checks", "ids", "samples"]

GATES: Final[Mapping[Gate, str]] = {
    "history": "the revision comes after the published one",
    "ledger": "every raise is accounted for, and next to nothing was left out",
    "schema": "every file is what the schema says",
    "patterns": "every pattern means the same in Python's re, RE2 and JavaScript",
    "records": "records did not go missing",
    "unknown": "texts that cannot be known did not jump",
    "explained": "records are explained",
    "checks": "explanations passed their checks",
    "ids": "no id is given to another error, none is lost without a tombstone",
    "samples": "messages of the published dataset still find their records",
}


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


def read_overrides(given: tuple[str, ...]) -> dict[Gate, str]:
    """Reasons by gate, from `GATE=REASON`. ErrcatError: no such gate, or no reason."""
    reasons: dict[Gate, str] = {}
    for text in given:
        name, _, reason = text.partition("=")
        gate = next((gate for gate in GATES if gate == name.strip()), None)
        if gate is None:
            raise ErrcatError(
                f"--override {text}: there is no gate {name.strip()!r}", hint=f"Gates: {', '.join(GATES)}"
            )
        if not reason.strip():
            raise ErrcatError(f"--override {text} gives no reason", hint=f"Say why: --override '{gate}=REASON'")
        reasons[gate] = " ".join(reason.split())
    return reasons


def overridden(verdict: Verdict, reasons: Mapping[Gate, str]) -> Verdict:
    """The verdict with the reason that was given, where it is needed."""
    if verdict.passed or verdict.gate not in reasons:
        return verdict
    return verdict.model_copy(update={"override": reasons[verdict.gate]})


def share(part: int, whole: int) -> str:
    """For people: a part of a whole in percent."""
    return f"{100 * part / whole:.1f} %" if whole else "nothing"

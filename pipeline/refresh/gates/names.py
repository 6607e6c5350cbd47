"""The gates by name, and the reasons for which people let something through."""

from collections.abc import Mapping
from typing import Final, Literal

from pipeline.errors import ErrcatError

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

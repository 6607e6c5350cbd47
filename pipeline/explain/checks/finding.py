"""What a check found."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pipeline.record import Check


class Verdict(enum.Enum):
    """failed: wrong, not to be published. warning: could not be decided from the source."""

    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A fault, or a doubt. check: the check's name. field: of the explanation; None for the answer as a whole."""

    check: str
    field: str | None
    detail: str
    verdict: Verdict = Verdict.FAILED

    def __str__(self) -> str:
        return f"{self.field}: {self.detail}" if self.field else self.detail


NAMES: Final = ("schema", "syntax", "names", "inventions", "example", "raise", "copied", "subject")
_LONGEST: Final = 600


def to_checks(findings: Iterable[Finding]) -> tuple[Check, ...]:
    """One verdict a check, in a fixed order, with the reasons of what it found."""
    found = tuple(findings)
    checks = []
    for name in NAMES:
        own = [finding for finding in found if finding.check == name]
        failed = any(finding.verdict is Verdict.FAILED for finding in own)
        detail = "; ".join(dict.fromkeys(map(str, own)))[:_LONGEST] or None
        checks.append(Check(name=name, verdict="failed" if failed else "warning" if own else "passed", detail=detail))
    return tuple(checks)

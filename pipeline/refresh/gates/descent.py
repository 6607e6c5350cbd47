"""The gate `history`."""

from typing import Final

from pipeline.refresh.descent import Descent
from pipeline.refresh.gates.verdict import Verdict
from pipeline.refresh.newest import shown

_SAID: Final = {
    Descent.FIRST: "nothing is published yet",
    Descent.SAME: "{new} is the published revision",
    Descent.LATER: "{new} comes after {old}",
    Descent.EARLIER: "{new} comes before {old}: the branch was forced back, or a release was withdrawn",
    Descent.UNRELATED: "{old} did not lead to {new}: history was rewritten",
    Descent.OTHER_KIND: "one of {old} and {new} is a release, the other a commit",
}


def history(found: Descent, *, published: str | None, revision: str) -> Verdict:
    """Publishing backwards is never done unasked: readers would see errors come and go."""
    return Verdict(
        gate="history",
        passed=found in {Descent.FIRST, Descent.SAME, Descent.LATER},
        figure=_SAID[found].format(new=shown(revision), old=shown(published or "")),
        bound="later than the published one",
    )

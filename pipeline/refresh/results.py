"""What each finished step leaves in the candidate's folder: enough for the steps after it and for the summary."""

from typing import Annotated

from pydantic import Field

from pipeline.record import Model, Text, Time
from pipeline.refresh.gates.names import Gate
from pipeline.refresh.gates.verdict import Verdict

Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0)]


class Reasons(Model):
    """Why gates may be passed over, as people said in any run at this candidate."""

    by: dict[Gate, Text]


class Spending(Model):
    """Since when what a model is paid counts against the limit: a candidate that was refused begins a new limit."""

    since: Time


class Made(Model):
    """The dataset is written.

    folder: relative to the candidate's. explained: how many by which writer; carried: how many of them from the dataset
    before. left: why records have no answer of the model, and how many; wanting: another run could bring some of them.
    unmatched: reviewed files that explain no record. calls, tokens, dollars: of all runs at this candidate. seconds: by
    stage, of the run that finished it.
    """

    folder: Text
    records: Count
    explained: dict[str, Count]
    carried: Count
    left: dict[str, Count]
    wanting: bool
    unmatched: tuple[str, ...]
    model: Text | None
    calls: Count
    input: Count
    output: Count
    usd: Annotated[float, Field(ge=0)]
    seconds: dict[str, Seconds]

    @property
    def unanswered(self) -> int:
        return sum(self.left.values())


class Judged(Model):
    """The gates have given their verdicts."""

    verdicts: tuple[Verdict, ...]
    seconds: Seconds


class Compared(Model):
    """The changes are written. counts: how many of which kind; breaking: of these; unchanged: records as they were."""

    before: Text
    counts: dict[str, Count]
    breaking: Count
    unchanged: Count
    seconds: Seconds


class Paged(Model):
    """The pages are written."""

    files: Count
    seconds: Seconds


class Placed(Model):
    """The folder that the candidate goes to, or went."""

    name: Text

"""The manifest of a dataset: what was mined, how much of it, and what that took."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from pipeline.errors import LedgerError
from pipeline.record import SCHEMA_VERSION, Model, Record, Repo, Sha, Text, Time, unreadable

Count = Annotated[int, Field(ge=0)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Exclusion(Model):
    """A raise or an assert with a message that is neither a record nor a re-raise, and why."""

    statement: Literal["raise", "assert"]
    path: Text
    line: Annotated[int, Field(ge=1)]
    reason: Text


class PathReason(Model):
    """A file that could not be read, or only in part, and why."""

    path: Text
    reason: Text


class Coverage(Model):
    """The ledger: every statement of the tree is a record, a re-raise or an exclusion.

    files: read. bareRaises: `raise` alone; they are among reRaises. recordedRaises, recordedAsserts: statements
    that became at least one record. unknownTexts: records whose text the source does not tell, by kind.
    boundsHit: how often each bound of the miner cut something.
    """

    files: Count
    raiseStatements: Count
    bareRaises: Count
    assertsWithMessage: Count
    recordedRaises: Count
    recordedAsserts: Count
    reRaises: Count
    excluded: tuple[Exclusion, ...] = ()
    skippedFiles: tuple[PathReason, ...] = ()
    damagedFiles: tuple[PathReason, ...] = ()
    unknownTexts: dict[Text, Count] = Field(default_factory=dict)
    boundsHit: dict[Text, Count] = Field(default_factory=dict)

    def check(self) -> None:
        """LedgerError where the sums do not agree."""
        excluded = Counter(exclusion.statement for exclusion in self.excluded)
        sums = (
            ("raise statements", self.raiseStatements, self.recordedRaises + self.reRaises + excluded["raise"]),
            ("asserts with a message", self.assertsWithMessage, self.recordedAsserts + excluded["assert"]),
        )
        for what, found, accounted in sums:
            if found != accounted:
                raise LedgerError(f"coverage ledger: {found} {what} found, {accounted} accounted for")
        if self.bareRaises > self.reRaises:
            raise LedgerError(f"coverage ledger: {self.bareRaises} bare raises, but {self.reRaises} re-raises")


class Counts(Model):
    """How many records, and of what kinds. files: those with a record. Unknown texts: literalLength null."""

    records: Count
    exceptions: Count
    assertions: Count
    files: Count
    errorClasses: Count
    variants: Count
    unknownTexts: Count
    emptyTexts: Count


class Selection(Model):
    """What of the tree a partial dataset was made from."""

    only: Text | None = None
    limit: Annotated[int, Field(ge=1)] | None = None


class Revision(Model):
    """A revision of a history: its release or tag, and how its errors differ from those of the revision before."""

    name: Text
    revision: Text
    revisionTime: Time | None
    analyzedSha: Sha | None
    records: Count
    added: Count
    removed: Count
    reworded: Count


class Gap(Model):
    """A revision that a history lacks, and why."""

    name: Text
    reason: Text


class History(Model):
    """The revisions that a history was made from, oldest first."""

    revisions: Annotated[tuple[Revision, ...], Field(min_length=1)]
    gaps: tuple[Gap, ...] = ()


class Previous(Model):
    """The dataset before, whose ids a dataset carries on: of an earlier revision, or of the same one."""

    revision: Text
    datasetVersion: Time
    recordsSha256: Sha256


class Tokens(Model):
    """Tokens that the writer of explanations used."""

    input: Count = 0
    output: Count = 0


class Run(Model):
    """What is known of a dataset before it is written.

    datasetVersion: the time of publication. seconds: wall time by stage. selection: null when complete.
    previous: null where nothing came before.
    history: of the dataset of many revisions; its coverage is their sum.
    """

    schemaVersion: Literal[3] = SCHEMA_VERSION
    datasetVersion: Time
    repo: Repo
    revision: Text
    revisionTime: Time | None
    analyzedSha: Sha | None
    selection: Selection | None = None
    history: History | None = None
    previous: Previous | None = None
    coverage: Coverage
    toolVersion: Text
    promptHash: Text | None = None
    writer: Text | None = None
    model: Text | None = None
    tokens: Tokens = Tokens()
    costUsd: Annotated[float, Field(ge=0)] = 0.0
    seconds: dict[Text, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)


class Manifest(Run):
    """A run and what it wrote. recordsSha256: of the bytes of records.jsonl."""

    counts: Counts
    recordsSha256: Sha256


def count(records: Iterable[Record]) -> Counts:
    """What the records of a dataset come to."""
    rows = tuple(records)
    types = Counter(record.errorType for record in rows)
    return Counts(
        records=len(rows),
        exceptions=types["exception"],
        assertions=types["assertion"],
        files=len({record.filePath for record in rows}),
        errorClasses=len({record.errorClass for record in rows} - {None}),
        variants=sum(len(record.messageVariants) for record in rows),
        unknownTexts=sum(record.literalLength is None for record in rows),
        emptyTexts=sum(not record.errorMessage for record in rows),
    )


def read_manifest(text: str | bytes) -> Manifest:
    """A manifest from its JSON text. DatasetError where it is none, or of a newer major version."""
    try:
        return Manifest.model_validate_json(text, extra="ignore")
    except ValidationError as error:
        raise unreadable("manifest", text, error) from None

"""The record: one error of the catalogue, its JSON Schema, its id, its slug.

Field names and meanings of schemaVersion 2 stay as they are; 3 only adds. Lists are never null; texts are null and
never "", but for errorMessage and messagePattern. A record can always be written as UTF-8: texts with lone
surrogates are refused, `printable` turns them into what a terminal shows.
"""

import hashlib
import json
import re
from functools import lru_cache
from typing import Annotated, Any, Final, Literal
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.errors import DatasetError

SCHEMA_VERSION: Final = 3
SLUG_LENGTH = 50
TITLE_LENGTH = 60

Text = Annotated[str, Field(min_length=1)]
MaybeEmpty = Annotated[str, Field(min_length=0)]  # a bound, be it 0, makes pydantic refuse lone surrogates
Line = Annotated[int, Field(ge=1)]
Hex16 = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
Sha = Annotated[str, Field(pattern="^[0-9a-f]{40}$")]
Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
Repo = Annotated[str, Field(pattern="^[^/]+/[^/]+$")]
Strategy = Literal["validation", "type-guard", "try-catch", "fallback", "retry", "configuration"]


class Model(BaseModel):
    """Frozen; a misspelt field is an error when written, a field of a newer minor version is passed over when read."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
        validate_by_name=True,
        serialize_by_alias=True,
    )


class MessageVariant(Model):
    """One text the error can have."""

    errorMessage: MaybeEmpty
    messagePattern: MaybeEmpty


class TestReference(Model):
    """A test of the repository that provokes the error."""

    __test__ = False  # not one of pytest's

    filePath: Text
    lineNumber: Line
    qualname: Text


class Check(Model):
    """What one named check said about an explanation."""

    name: Text
    verdict: Literal["passed", "warning", "failed"]
    detail: Text | None = None


class ExplainedBy(Model):
    """Who wrote the explanation, from what, and how it fared in the checks."""

    writer: Literal["reviewed", "openai", "local", "derived"]
    model: Text | None = None
    promptHash: Text | None = None
    evidenceHash: Text | None = None
    checks: tuple[Check, ...] = ()


class Verification(Model):
    """What was executed to prove the example."""

    package: Text
    python: Text
    raised: bool
    fixed: bool
    executedAt: Time


class DatedText(Model):
    """A text that the error had, and the first and the last revision that had it so."""

    errorMessage: MaybeEmpty
    messagePattern: MaybeEmpty
    placeholders: tuple[Text, ...] = ()
    from_: Annotated[Text, Field(alias="from")]
    to: Text


class Record(Model):
    """One error. The fields of schemaVersion 2 come first, in its order."""

    id: Hex16
    """16 hex; stays when the error moves or is reworded, and is never given to another one."""
    repo: Repo
    """owner/name."""
    slug: Text | None = None
    """ASCII words of the message, for addresses; several records can share one."""
    errorCode: Text | None = None
    """The error's own code, where the repository has such codes."""
    errorMessage: MaybeEmpty
    """Main variant of the text: a hole is `{expression}`; empty where nothing is said."""
    messagePattern: MaybeEmpty
    """Regular expression of all variants, for a full match with dot matching newline; empty where nothing is said."""
    errorType: Literal["exception", "assertion"]
    """A raise statement, or an assert with a message."""
    errorClass: Text | None
    """Last name of the class raised; null when the source does not tell."""
    httpStatus: int | None = None
    """HTTP status the error leads to, where the repository has such."""
    severity: Text = "error"
    """How bad it is."""
    filePath: Text
    """File of the raise statement, from the repository's root."""
    lineNumber: Line
    """First line of the raise statement."""
    sourceCode: Text
    """Lines sourceCodeStart to sourceCodeEnd of the file: 18 before to 18 after lineNumber."""
    sourceCodeStart: Line
    """First line of the excerpt."""
    sourceCodeEnd: Line
    """Last line of the excerpt."""
    githubUrl: Text | None = None
    """The excerpt on GitHub, pinned to the commit or tag; null for a local folder."""
    documentation: Text | None = None
    """What the error means."""
    triggerScenarios: Text | None = None
    """When it happens."""
    commonSituations: Text | None = None
    """What people were doing when they met it."""
    solutions: tuple[Text, ...] = ()
    """What to do, most likely first."""
    exampleFix: Text | None = None
    """`# before`, code, `# after`, code."""
    handlingStrategy: Strategy | None = None
    """How to defend against it."""
    validationCode: Text | None = None
    """A check before the call."""
    typeGuard: Text | None = None
    """A function that tells good input from bad."""
    tryCatchPattern: Text | None = None
    """How to catch it."""
    preventionTips: tuple[Text, ...] = ()
    """How not to meet it."""
    tags: tuple[Text, ...] = ()
    """3 to 8 lower-case words of one vocabulary."""
    backgroundTag: Text | None = None
    """The background article that this error shares with others."""
    analyzedSha: Sha | None
    """The commit the source came from; null where it cannot be known."""
    analyzedAt: Time
    """When this record was analysed; kept when it is carried over unchanged."""
    schemaVersion: Literal[3] = SCHEMA_VERSION
    """Version of this format."""
    aliases: tuple[Hex16, ...] = ()
    """Earlier ids that now mean this record."""
    fingerprint: Hex16
    """16 hex of SHA-256 over errorClass, NUL and messagePattern."""
    revision: Text
    """Full SHA, release, or `tree-` and 12 hex of the content."""
    endLineNumber: Line
    """Last line of the raise statement."""
    qualname: Text | None = None
    """Enclosing function as Python's `__qualname__`; null at module level."""
    errorClassPublic: Text | None = None
    """The class's public name."""
    errorBases: tuple[Text, ...] = ()
    """Last names of its known bases in MRO order, without itself and object."""
    title: Text | None = None
    """First 60 characters of the message."""
    messageVariants: Annotated[tuple[MessageVariant, ...], Field(min_length=1, max_length=16)]
    """The texts it can have, the one with the most fixed text first."""
    placeholders: tuple[Text, ...] = ()
    """Source expressions of messagePattern's capture groups, in order."""
    literalLength: Annotated[int, Field(ge=0)] | None
    """Characters of fixed text in the main variant; null where the source does not tell the text."""
    literalUnknownWhy: Text | None = None
    """Why the source does not tell the text."""
    condition: Text | None = None
    """What must hold for control to reach the raise, outermost first."""
    publicApi: tuple[Text, ...] = ()
    """Public names that reach the raise, nearest first."""
    tests: tuple[TestReference, ...] = ()
    """The repository's tests that provoke it."""
    docsUrl: Text | None = None
    """Page of the official documentation."""
    related: tuple[Hex16, ...] = ()
    """Ids of related records."""
    explainedBy: ExplainedBy | None = None
    """Who wrote the explanation, from what, and how it was checked."""
    verification: Verification | None = None
    """What was executed to prove the example."""
    introducedIn: Text | None = None
    """First release that has it; null at the start of a chain."""
    lastSeenIn: Text | None = None
    """Last release that had it."""
    texts: tuple[DatedText, ...] = ()
    """In a history, the texts it had, oldest first; a text that came back is there twice. Empty elsewhere."""


VERSION_2_FIELDS = tuple(Record.model_fields)[: tuple(Record.model_fields).index("schemaVersion") + 1]


def printable(text: str) -> str:
    """The text as a traceback prints it: a lone surrogate as its escape, backslash and all."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def slug(message: str) -> str | None:
    """ASCII words of the message, lower-case, joined by `-`, at most 50 characters; None where it has none."""
    cut = "-".join(re.findall("[A-Za-z0-9]+", message)).lower()[: SLUG_LENGTH + 1]
    if len(cut) > SLUG_LENGTH:  # the character past the end tells whether the last word is whole
        cut = cut.rpartition("-")[0] or cut[:SLUG_LENGTH]
    return cut or None


def title(message: str) -> str | None:
    """The first 60 characters of the message; None where nothing is said."""
    return message[:TITLE_LENGTH] or None


def fingerprint(error_class: str | None, message_pattern: str) -> str:
    """16 hex of SHA-256 over the class (none: nothing), NUL and the pattern."""
    return _hex16(f"{error_class or ''}\0{message_pattern}")


def first_id(
    *, repo: str, file_path: str, qualname: str | None, error_class: str | None, template: str, ordinal: int
) -> str:
    """The id of an error without a past. Line numbers have no part in it.

    template: errorMessage of all variants, joined by NUL. ordinal: 0 for the first of those equal in all the rest.
    """
    return _hex16(json.dumps([repo, file_path, qualname, error_class, template, ordinal]))


_quoted = lru_cache(maxsize=4096)(quote)


def github_url(repo: str, ref: str, path: str, start: int, end: int) -> str:
    """Address of lines start to end of a file at a commit or tag."""
    return f"https://github.com/{repo}/blob/{_quoted(ref)}/{_quoted(path)}#L{start}-L{end}"


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a written record. Open to fields that a newer minor version adds."""
    schema = Record.model_json_schema(mode="serialization")
    for model in (schema, *schema["$defs"].values()):
        del model["additionalProperties"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:errcat:record:{SCHEMA_VERSION}",
        **schema,
    }


def to_version_2(record: Record) -> dict[str, Any]:
    """The record in the shape of schemaVersion 2."""
    return record.model_dump(mode="json", include=set(VERSION_2_FIELDS)) | {"schemaVersion": 2}


def read_record(line: str | bytes) -> Record:
    """A record from its JSON text. DatasetError where it is none, or of a newer major version."""
    try:
        return Record.model_validate_json(line, extra="ignore")
    except ValidationError as error:
        raise unreadable("record", line, error) from None


def unreadable(what: str, text: str | bytes, error: ValidationError) -> DatasetError:
    """Why a JSON text is not what it should be: the fault that counts, or that it is of a newer major version."""
    version = _schema_version(text)
    if version > SCHEMA_VERSION:
        said = f"a {what} of schemaVersion {version}, but this errcat reads up to {SCHEMA_VERSION}"
        return DatasetError(said, hint="Update errcat")
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or what
    return DatasetError(f"not a valid {what}: {where}: {first['msg']}")


def _schema_version(text: str | bytes) -> int:
    try:
        value = json.loads(text)
    except ValueError:
        return 0
    version = value.get("schemaVersion") if isinstance(value, dict) else None
    return version if isinstance(version, int) else 0


def _hex16(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

"""The record: one error of the catalogue, its JSON Schema, its id, its slug.

Field names and meanings of schemaVersion 2 stay as they are; 3 only adds. Lists are never null; texts are null and
never "", but for errorMessage and messagePattern. A record can always be written as UTF-8: texts with lone
surrogates are refused, `printable` turns them into what a terminal shows.
"""

import hashlib
import json
import re
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

    model_config = ConfigDict(frozen=True, extra="forbid")


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


class Record(Model):
    """One error. The fields of schemaVersion 2 come first, in its order."""

    id: Hex16
    repo: Repo
    slug: Text | None = None
    errorCode: Text | None = None
    errorMessage: MaybeEmpty
    messagePattern: MaybeEmpty
    errorType: Literal["exception", "assertion"]
    errorClass: Text | None
    httpStatus: int | None = None
    severity: Text = "error"
    filePath: Text
    lineNumber: Line
    sourceCode: Text
    sourceCodeStart: Line
    sourceCodeEnd: Line
    githubUrl: Text | None = None
    documentation: Text | None = None
    triggerScenarios: Text | None = None
    commonSituations: Text | None = None
    solutions: tuple[Text, ...] = ()
    exampleFix: Text | None = None
    handlingStrategy: Strategy | None = None
    validationCode: Text | None = None
    typeGuard: Text | None = None
    tryCatchPattern: Text | None = None
    preventionTips: tuple[Text, ...] = ()
    tags: tuple[Text, ...] = ()
    backgroundTag: Text | None = None
    analyzedSha: Sha | None
    analyzedAt: Time
    schemaVersion: Literal[3] = SCHEMA_VERSION
    aliases: tuple[Hex16, ...] = ()
    fingerprint: Hex16
    revision: Text
    endLineNumber: Line
    qualname: Text | None = None
    errorClassPublic: Text | None = None
    errorBases: tuple[Text, ...] = ()
    title: Text | None = None
    messageVariants: Annotated[tuple[MessageVariant, ...], Field(min_length=1, max_length=16)]
    placeholders: tuple[Text, ...] = ()
    literalLength: Annotated[int, Field(ge=0)] | None
    literalUnknownWhy: Text | None = None
    condition: Text | None = None
    publicApi: tuple[Text, ...] = ()
    tests: tuple[TestReference, ...] = ()
    docsUrl: Text | None = None
    related: tuple[Hex16, ...] = ()
    explainedBy: ExplainedBy | None = None
    verification: Verification | None = None
    introducedIn: Text | None = None
    lastSeenIn: Text | None = None


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


def github_url(repo: str, ref: str, path: str, start: int, end: int) -> str:
    """Address of lines start to end of a file at a commit or tag."""
    return f"https://github.com/{repo}/blob/{quote(ref)}/{quote(path)}#L{start}-L{end}"


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
        raise DatasetError(*_reason(line, error)) from None


def _reason(line: str | bytes, error: ValidationError) -> tuple[str]:
    version = schema_version(line)
    if version is not None and version > SCHEMA_VERSION:
        return (f"a record of schemaVersion {version}, but this errcat reads up to {SCHEMA_VERSION}",)
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "record"
    return (f"not a valid record: {where}: {first['msg']}",)


def schema_version(text: str | bytes) -> int | None:
    """The schemaVersion that a JSON text states, or None."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    version = value.get("schemaVersion") if isinstance(value, dict) else None
    return version if isinstance(version, int) else None


def _hex16(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

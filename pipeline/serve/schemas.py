"""What the answers look like, for the description of the API."""

from typing import Any, Final, Literal

from pydantic import BaseModel, Field, create_model

from pipeline.match.answer import json_schema as answer_schema
from pipeline.record import VERSION_2_FIELDS, Model, Record

JSON: Final = "application/json"
PROBLEM: Final = "application/problem+json"

_FIELDS: Final = Record.model_fields
_OLDER: Final[dict[str, Any]] = {
    name: (_FIELDS[name].annotation, _FIELDS[name]) for name in VERSION_2_FIELDS if name != "schemaVersion"
}
RecordVersion2: Final = create_model("RecordVersion2", __base__=Model, schemaVersion=(Literal[2], 2), **_OLDER)

_PROBLEMS: Final = {
    404: "No such error",
    408: "The request did not arrive in time",
    413: "The text is too long",
    415: "Not a text",
    422: "Not understood",
    429: "Too many texts from this address; Retry-After says when to go on",
    503: "Too much to do at once, or a text that takes too long",
}


class Envelope(BaseModel):
    """A record, and the dataset that it comes from."""

    record: Record | RecordVersion2  # type: ignore[valid-type]  # made above
    datasetVersion: str


class Found(BaseModel):
    """A record, as far as it is shown in a list."""

    id: str
    slug: str | None
    title: str | None
    errorClass: str | None
    errorMessage: str
    filePath: str
    lineNumber: int
    qualname: str | None
    publicApi: tuple[str, ...]
    fingerprint: str


class Page(BaseModel):
    """A part of the answer to a query. nextCursor: what asks for the next part; null at the end."""

    datasetVersion: str
    total: int = Field(ge=0)
    errors: tuple[Found, ...]
    nextCursor: str | None


class Health(BaseModel):
    """What is served. problem: why the dataset that was published last is not; null where it is."""

    status: Literal["ok"]
    repo: str
    revision: str
    datasetVersion: str
    records: int
    problem: str | None


class Problem(BaseModel):
    """Why there is no answer (RFC 9457)."""

    title: str
    status: int
    detail: str


def problem(description: str) -> dict[str, Any]:
    """An answer that says why there is none."""
    return {"model": Problem, "description": description, "content": {PROBLEM: {}}}


def problems(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The answers that say why there is none, by status."""
    return {code: problem(_PROBLEMS[code]) for code in codes}


def text_body() -> dict[str, Any]:
    """The body of a request that brings a text."""
    schema = {"type": "string", "description": "A message or a whole traceback, as it was printed"}
    return {"required": True, "content": {"text/plain": {"schema": schema}}}


def match_answer() -> dict[str, Any]:
    """The answer to a text: what `errcat match --json` prints."""
    schema = {name: value for name, value in answer_schema().items() if name != "$schema"}
    return {"description": "What `errcat match --json` prints", "content": {JSON: {"schema": schema}}}

"""The answer to one paste: the error, its causes, where its text comes from, and the records."""

import enum
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pipeline.match import life
from pipeline.match.index import Index
from pipeline.match.rank import Match, rank
from pipeline.match.rivals import rival
from pipeline.match.search import How
from pipeline.match.traceback import Link, Paste, Raised, read
from pipeline.match.xla import CLASSES, Status, status

TOP: Final = 3


class Origin(enum.StrEnum):
    """Where the text of an error comes from."""

    REPOSITORY = "repository"  # a record of the dataset
    XLA = "xla"  # XLA or jaxlib's C++
    PYTHON = "python"  # the interpreter
    NUMPY = "numpy"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True, slots=True)
class Error:
    """One error of a paste, judged. link: what it is to the error reported, None for that one."""

    class_name: str | None
    message: str
    link: Link | None
    origin: Origin
    status: Status | None
    matches: tuple[Match, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a paste is. error: None where there is nothing like one. chain: what led to it, first to last."""

    error: Error | None
    chain: tuple[Error, ...] = ()

    @property
    def matches(self) -> tuple[Match, ...]:
        return self.error.matches if self.error else ()

    @property
    def origin(self) -> Origin:
        return self.error.origin if self.error else Origin.UNKNOWN


def match(text: str, index: Index, *, top: int = TOP) -> list[Match]:
    """The records that a message or a traceback can come from, best first; none where nothing is sure enough."""
    return list(answer(text, index, top=top).matches)


def answer(text: str, index: Index, *, release: str | None = None, top: int = TOP) -> Answer:
    """Everything there is to say about a paste.

    release: the release that the errors are known to come from (else the one that the paste names).
    top: how many records at most for each error.
    """
    paste = read(text, classes=index.classes)
    return _answer(paste, index, release=release or paste.release, top=top)


def _answer(paste: Paste, index: Index, *, release: str | None, top: int) -> Answer:
    def judged(raised: Raised) -> Error:
        return _judged(raised, index, release=release, top=top)

    return Answer(
        error=judged(paste.error) if paste.error else None, chain=tuple(judged(raised) for raised in paste.chain)
    )


def _judged(raised: Raised, index: Index, *, release: str | None, top: int) -> Error:
    code = status(raised)
    same = index.revision != "" and release == index.revision
    matches = () if code and code.sure else tuple(rank(raised, index, same_release=same, release=release, top=top))
    if code and not code.sure and matches:
        code = None  # what looks like a code begins the repository's own texts too
    return Error(
        class_name=raised.class_name,
        message=raised.message,
        link=raised.link,
        origin=_origin(raised, code, matches),
        status=code,
        matches=matches,
    )


def _origin(raised: Raised, code: Status | None, matches: tuple[Match, ...]) -> Origin:
    if matches:
        return Origin.REPOSITORY
    if code or raised.class_name in CLASSES:
        return Origin.XLA
    other = rival(raised.message)
    return Origin(other.speaker) if other else Origin.UNKNOWN


def as_line(answer: Answer, source: str) -> bytes:
    """The line that `errcat match --json` prints for an input, as UTF-8 with its newline."""
    line = json.dumps(as_json(answer, source), ensure_ascii=False, separators=(",", ":")) + "\n"
    return line.encode("utf-8", "backslashreplace")


def as_json(answer: Answer, source: str) -> dict[str, Any]:
    """What `errcat match --json` prints for an input; its schema is `json_schema()`."""
    error = answer.error
    return {
        "input": source,
        "error": {"class": error.class_name, "message": error.message} if error else None,
        "chain": [
            {"class": e.class_name, "message": e.message, "link": e.link, "origin": e.origin, "matches": _rows(e)}
            for e in answer.chain
        ],
        "origin": answer.origin,
        "matches": _rows(error) if error else [],
    }


def _rows(error: Error) -> list[dict[str, Any]]:
    return [
        {
            "id": found.entry.id,
            "score": found.score,
            "how": found.how,
            "errorClass": found.entry.error_class,
            "filePath": found.entry.path,
            "lineNumber": found.entry.line,
            "errorMessage": found.message,
            "holes": [{"expression": hole.expression, "text": hole.text} for hole in found.holes],
            "ambiguousWith": list(found.ambiguous_with),
            **({"history": life.as_json(found.life)} if found.life else {}),
        }
        for found in error.matches
    ]


def json_schema() -> dict[str, Any]:
    """The JSON Schema of one line of `errcat match --json`."""
    maybe = {"type": ["string", "null"]}
    text = {"type": "string"}
    identifier = {"type": "string", "pattern": "^[0-9a-f]{16}$"}
    origin = {"enum": [member.value for member in Origin]}
    hole = _object({"expression": text, "text": maybe})
    found = _object(
        {
            "id": identifier,
            "score": {"type": "number", "minimum": 0, "maximum": 1},
            "how": {"enum": [member.value for member in How]},
            "errorClass": maybe,
            "filePath": text,
            "lineNumber": {"type": "integer", "minimum": 1},
            "errorMessage": text,
            "holes": _array(hole),
            "ambiguousWith": _array(identifier),
        }
    )
    found["properties"]["history"] = _object(  # where the dataset is one
        {"introducedIn": maybe, "lastSeenIn": text, "from": text, "to": text}
        | {"rewordedIn": maybe, "nowReads": maybe, "goneSince": maybe}
    )
    error = {"class": maybe, "message": text}
    link = {"enum": [member.value for member in Link]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What errcat match --json prints for one input",
        **_object(
            {
                "input": text,
                "error": {"anyOf": [_object(error), {"type": "null"}]},
                "chain": _array(_object(error | {"link": link, "origin": origin, "matches": _array(found)})),
                "origin": origin,
                "matches": _array(found),
            }
        ),
    }


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}


def _array(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(items)}

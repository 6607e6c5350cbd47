"""The API: one error, errors that are looked for, and the error of a text."""

import json
import math
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.requests import ClientDisconnect

from pipeline.match.answer import TOP
from pipeline.record import to_version_2
from pipeline.serve import queries, reply, schemas
from pipeline.serve.matching import SlowError
from pipeline.serve.site import not_found
from pipeline.serve.snapshot import Snapshot

MOST: Final = 100
"""Errors on one page."""
_NO_TEXTS: Final = frozenset({"application/json", "multipart/form-data"})

router = APIRouter()
Text = Annotated[str, Query(max_length=300)]


def _snapshot(request: Request) -> Snapshot:
    snapshot: Snapshot = request.state.snapshot
    return snapshot


@router.get("/api/errors/{name}.json", include_in_schema=False)
async def error_file(request: Request, name: str) -> Response:
    """The file of the site."""
    found = await _snapshot(request).pages.file(f"api/errors/{name}.json")
    return reply.file(request, found) if found else not_found()


@router.get(
    "/api/errors/{id}",
    summary="One error",
    responses={
        200: {"model": schemas.Envelope, "description": "The error"},
        304: {"description": "What If-None-Match names is still right"},
        308: {"description": "The error has another id now; Location is its address"},
        410: {"model": schemas.Envelope, "description": "The error is gone; this is its last form"},
        **schemas.problems(404, 422),
    },
)
async def error(
    request: Request,
    identifier: Annotated[
        str, Path(alias="id", description="Id, or an earlier one", json_schema_extra={"pattern": "^[0-9a-f]{16}$"})
    ],
    version: Annotated[int, Query(alias="schemaVersion", ge=2, le=3, description="Shape of the record")] = 3,
) -> Response:
    """An error by its id, in its envelope. An earlier id leads to the one of today."""
    snapshot = _snapshot(request)
    if target := snapshot.aliases.get(identifier):
        query = f"?{request.url.query}" if request.url.query else ""
        body = json.dumps({"id": target, "datasetVersion": snapshot.manifest.datasetVersion}).encode()
        answer = reply.content(request, body, status=308)
        answer.headers["Location"] = target + query
        return answer
    record = snapshot.records.get(identifier) or snapshot.tombstones.get(identifier)
    if record is None:
        return reply.problem(404, f"no error has the id {identifier[:40]!r}; search with /api/errors?q=…")
    status = 200 if identifier in snapshot.records else 410
    if version == 3 and status == 200 and (found := await snapshot.pages.file(f"api/errors/{identifier}.json")):
        return reply.file(request, found)
    shape = record.model_dump(mode="json") if version == 3 else to_version_2(record)
    envelope = {"record": shape, "datasetVersion": snapshot.manifest.datasetVersion}
    body = json.dumps(envelope, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    return reply.content(request, body, status=status)


@router.get(
    "/api/errors",
    summary="Errors that are looked for",
    responses={
        200: {"model": schemas.Page},
        304: {"description": "What If-None-Match names is still right"},
        409: schemas.problem("The cursor is of a dataset before; begin again without one"),
        **schemas.problems(422, 503),
    },
)
async def errors(
    request: Request,
    q: Annotated[Text, Query(description="Words, in any case; all of them must be there")] = "",
    error_class: Annotated[Text, Query(alias="class", description="Last or public name of the class")] = "",
    file: Annotated[Text, Query(description="Path of the file, or of a folder")] = "",
    api: Annotated[Text, Query(description="Public name, or what it belongs to")] = "",
    limit: Annotated[int, Query(ge=1, le=MOST)] = 20,
    cursor: Annotated[str | None, Query(pattern=queries.CURSOR, description="nextCursor of the page before")] = None,
) -> Response:
    """A page of the errors with these words, of this class, in this file or folder, that this public name can raise.

    Errors whose message has the words as they are come first, then those whose message has all of them.
    """
    query = queries.Query(
        words=tuple(q.casefold().split()), error_class=error_class or None, file=file or None, api=api or None
    )
    search = _snapshot(request).search
    try:
        page = await request.state.parts.makers.make(search.page, query, cursor=cursor, limit=limit)
    except queries.ChangedError:
        return reply.problem(409, "another dataset was published since this cursor; begin again without one")
    except queries.CursorError:
        return reply.problem(422, "this cursor is of another query; begin again without one")
    return reply.content(request, page.model_dump_json().encode() + b"\n")


@router.post(
    "/api/match",
    summary="The error of a text",
    responses={200: schemas.match_answer(), **schemas.problems(408, 413, 415, 422, 429, 503)},
    openapi_extra={"requestBody": schemas.text_body()},
)
async def match(
    request: Request,
    top: Annotated[int, Query(ge=1, le=20, description="So many records at most for each error")] = TOP,
) -> Response:
    """The records that a message or a whole traceback can come from: what `errcat match --json` prints for it."""
    limits = request.state.parts.limits
    wait = request.state.parts.allowance.take(request.client.host if request.client else "")
    if wait:
        again = str(math.ceil(wait))
        return reply.problem(429, f"too many texts from one address; again in {again} s", {"Retry-After": again})
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() in _NO_TEXTS:
        return reply.problem(415, "send the text itself, as text/plain")
    try:
        text = await _text(request, limits.text)
    except ClientDisconnect:
        return Response(status_code=400)  # nobody hears it
    if text is None:
        detail = f"a text may have {limits.text:,} bytes; send the traceback and what follows it"
        return reply.problem(413, detail)
    try:
        line = await _snapshot(request).matchers.match(text, top)
    except SlowError:
        return reply.problem(503, f"this text takes more than {limits.seconds:g} s; send the error alone")
    return Response(line, media_type=schemas.JSON, headers={"Cache-Control": reply.NOT_CACHED})


async def _text(request: Request, most: int) -> bytes | None:
    """The body of a request; None where it has more bytes than it may."""
    said = request.headers.get("content-length", "")
    if said.isascii() and said.isdigit() and int(said) > most:
        return None
    text = bytearray()
    async for piece in request.stream():
        text += piece
        if len(text) > most:
            return None
    return bytes(text)


@router.get("/healthz", summary="What is served", response_model=schemas.Health)
async def health(request: Request, response: Response) -> Any:
    """Whether the server answers, and with which dataset."""
    manifest = _snapshot(request).manifest
    response.headers["Cache-Control"] = reply.NOT_CACHED
    return schemas.Health(
        status="ok",
        repo=manifest.repo,
        revision=manifest.revision,
        datasetVersion=manifest.datasetVersion,
        records=manifest.counts.records,
        problem=request.state.parts.current.problem,
    )

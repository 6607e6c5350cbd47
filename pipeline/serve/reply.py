"""Answers: with a tag of their content and how long they are good, or why there is none."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from fastapi import Request, Response

from pipeline.pages.view.template import POLICY
from pipeline.serve.pages import File, tag
from pipeline.serve.schemas import JSON, PROBLEM, Problem

VERSION: Final = "Errcat-Dataset-Version"
"""The header that says which dataset an answer comes from."""
SECURITY: Final = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_CACHED: Final = "public, max-age=60"
NOT_CACHED: Final = "no-store"


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """An answer that says why there is none, and what to try."""
    told = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail)
    return Response(
        told.model_dump_json().encode() + b"\n",
        status_code=status,
        media_type=PROBLEM,
        headers={"Cache-Control": NOT_CACHED, **(headers or {})},
    )


def content(request: Request, body: bytes, *, status: int = 200, media_type: str = JSON) -> Response:
    """A body that can be kept for a while, or that the one who has it already still has the right one."""
    return _tagged(request, body, f'"{tag(body)}"', status, media_type, {})


def file(request: Request, found: File) -> Response:
    """A file of the site, compressed for those who take it so."""
    compressed = found.compressed if found.compressed and _takes_gzip(request) else None
    headers = {"Vary": "Accept-Encoding"} if found.compressed else {}
    if compressed is None:
        return _tagged(request, found.content, f'"{found.tag}"', 200, found.media_type, headers)
    headers["Content-Encoding"] = "gzip"
    return _tagged(request, compressed, f'"{found.tag}-gzip"', 200, found.media_type, headers)


def _tagged(
    request: Request, body: bytes, etag: str, status: int, media_type: str, headers: Mapping[str, str]
) -> Response:
    kept = {"ETag": etag, "Cache-Control": _CACHED, **headers}
    if status == HTTPStatus.OK and _has(request, etag):
        kept.pop("Content-Encoding", None)
        return Response(status_code=304, headers=kept)
    return Response(body, status_code=status, media_type=media_type, headers=kept)


def _has(request: Request, etag: str) -> bool:
    """Whether If-None-Match names the tag; weak and strong are alike here."""
    given = ",".join(request.headers.getlist("if-none-match"))
    return any(one.strip().removeprefix("W/") in {etag, "*"} for one in given.split(","))


def _takes_gzip(request: Request) -> bool:
    for one in ",".join(request.headers.getlist("accept-encoding")).split(","):
        coding, _, weight = one.partition(";")
        if coding.strip().lower() in {"gzip", "*"}:
            return weight.replace(" ", "").lower() not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False

"""The application: its parts, and what every request and every answer goes through."""

from dataclasses import dataclass

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pipeline.serve import reply, site
from pipeline.serve.api import router
from pipeline.serve.current import Current
from pipeline.serve.limits import Allowance, BusyError, Limits
from pipeline.serve.makers import Makers


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """What the application works with."""

    current: Current
    makers: Makers
    limits: Limits
    allowance: Allowance


def application(parts: Parts, version: str) -> ASGIApp:
    """The application. version: of errcat."""
    app = FastAPI(
        title="errcat",
        summary="The error catalogue of a Python code base",
        version=version,
        openapi_url="/api/openapi.json",
        docs_url=None,  # they load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
    )
    app.include_router(router)
    app.router.default = site.serve
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(BusyError, _busy)
    app.add_exception_handler(Exception, _fault)
    return _Edge(app, parts)


class _Edge:
    """What surrounds a request: it keeps the dataset that it began with, HEAD is GET, and its answer is guarded."""

    def __init__(self, app: ASGIApp, parts: Parts) -> None:
        self._app = app
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._parts.current.use() as snapshot:

            async def guarded(message: Message) -> None:
                if message["type"] == "http.response.start":
                    headers = MutableHeaders(scope=message)
                    headers.update(reply.SECURITY)
                    headers[reply.VERSION] = snapshot.manifest.datasetVersion
                await send(message)

            inner = {**scope, "state": {"parts": self._parts, "snapshot": snapshot}}
            if scope["method"] == "HEAD":  # the server leaves the body away
                inner["method"] = "GET"
            await self._app(inner, receive, guarded)


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return reply.problem(error.status_code, str(error.detail), error.headers)


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return reply.problem(422, f"{where}: {first['msg']}")


async def _busy(_: Request, __: Exception) -> Response:
    return reply.problem(503, "too much to do at once; try again", {"Retry-After": "1"})


async def _fault(_: Request, __: Exception) -> Response:
    return reply.problem(500, "a fault of errcat; its log says more")

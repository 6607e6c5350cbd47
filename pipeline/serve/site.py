"""The pages: every file of the static site, at the same path."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pipeline.pages.places import INDEX
from pipeline.serve import reply
from pipeline.serve.pages import Pages


async def serve(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer what is no path of the API."""
    request = Request(scope, receive)
    answer = await _answer(request)
    await answer(scope, receive, send)


async def _answer(request: Request) -> Response:
    if request.method != "GET":
        return reply.problem(405, "pages can only be read", {"Allow": "GET, HEAD"})
    pages: Pages = request.state.snapshot.pages
    path = request.scope["path"].removeprefix("/")
    if path == "" or path.endswith("/"):
        path += INDEX
    if found := await pages.file(path):
        return reply.file(request, found)
    if pages.has(f"{path}/{INDEX}"):
        return Response(status_code=308, headers={"Location": path.rpartition("/")[2] + "/"})
    return not_found()


def not_found() -> Response:
    """The answer where there is nothing."""
    return reply.problem(404, "nothing is here; the catalogue begins at /")

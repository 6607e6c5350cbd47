"""A headless Chromium on a folder served over loopback, with everything recorded that a good site does not do.

`from browser import chromium  # noqa: F401` gives a test module the fixture. It lives as long as the module: while it
is open, no other asyncio loop can run in the process. Without a Chromium (Debian: `apt-get install chromium`) the
tests skip, saying so.
"""

import functools
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDE = (1280, 900)
NARROW = (360, 740)
SUB_PATH = "/some/sub/path/"
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}
WATCH = """
window.__seen = {csp: [], shift: 0};
document.addEventListener('securitypolicyviolation', e =>
  window.__seen.csp.push(`${e.violatedDirective}: ${e.blockedURI} ${e.sourceFile || ''}:${e.lineNumber || ''}`));
try {
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.__seen.shift += entry.value;
  }).observe({type: 'layout-shift', buffered: true});
} catch (e) {}
"""


@dataclass(kw_only=True)
class Visit:
    """A page in the browser, and what it did since it was opened."""

    page: "Page"
    root: str
    said: list[str] = field(default_factory=list)
    """Errors and warnings of the console, uncaught exceptions, failed requests, answers of 400 and above."""
    requests: list[str] = field(default_factory=list)
    """The addresses it asked for."""

    def open(self, path: str = "") -> "Visit":
        """Goes to a page of the site and waits until nothing is loading."""
        self.page.goto(self.root + path, wait_until="networkidle")
        return self

    @property
    def outside(self) -> list[str]:
        """Requests that left the site."""
        return [url for url in self.requests if not url.startswith((self.root, "data:", "blob:"))]

    @property
    def violations(self) -> list[str]:
        """Violations of the page's own Content-Security-Policy."""
        return list(self.page.evaluate("window.__seen.csp"))

    @property
    def shift(self) -> float:
        """Cumulative layout shift of the page."""
        return float(self.page.evaluate("window.__seen.shift"))

    @property
    def overflow(self) -> int:
        """Pixels by which the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def check(self) -> None:
        """Asserts that nothing was said, nothing left the site, and no policy was violated."""
        assert self.said == [], self.said
        assert self.outside == [], self.outside
        assert self.violations == [], self.violations

    def accessibility(self) -> list[str]:
        """What axe-core finds: rule, target, and why."""
        script = files("axe_playwright_python").joinpath("axe.min.js").read_text()
        self.page.evaluate(script)  # not as a script element, which the page's policy forbids
        found: dict[str, Any] = self.page.evaluate(
            "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
        )
        return [
            f"{violation['id']} {node['target']}: {node['failureSummary']}"
            for violation in found["violations"]
            for node in violation["nodes"]
        ]


@dataclass(frozen=True, kw_only=True)
class Chromium:
    """A running browser."""

    browser: "Browser"

    @contextmanager
    def visit(
        self, root: str, *, size: tuple[int, int] = WIDE, dark: bool = False, script: bool = True, **options: Any
    ) -> Iterator[Visit]:
        """A new page in a context of its own; `root` is where the site is, with its slash at the end."""
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            **options,
        )
        try:
            context.add_init_script(WATCH)
            visit = Visit(page=context.new_page(), root=root)
            _record(visit)
            yield visit
        finally:
            context.close()


def _record(visit: Visit) -> None:
    def heard(message: "ConsoleMessage") -> None:
        if message.type in {"error", "warning"}:
            visit.said.append(f"{message.type}: {message.text}")

    def failed(request: "Request") -> None:
        if "ERR_ABORTED" not in str(request.failure):  # the page was left before it had come
            visit.said.append(f"failed: {request.url} {request.failure}")

    def answered(response: "Response") -> None:
        if response.status >= 400:
            visit.said.append(f"{response.status}: {response.url}")

    visit.page.on("console", heard)
    visit.page.on("pageerror", lambda error: visit.said.append(f"uncaught: {error}"))
    visit.page.on("request", lambda request: visit.requests.append(request.url))
    visit.page.on("requestfailed", failed)
    visit.page.on("response", answered)


def executable() -> str | None:
    """The Chromium of this machine; CHROMIUM names another."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    """A headless Chromium for the tests of a module."""
    found = executable()
    if found is None:
        pytest.skip("no Chromium here (Debian: apt-get install chromium; or CHROMIUM=path)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield Chromium(browser=browser)
        browser.close()


@contextmanager
def serving(folder: Path, under: str = SUB_PATH) -> Iterator[str]:
    """The address at which a plain file server on loopback has the folder, below a path of its own."""
    handler = functools.partial(_Files, directory=str(folder), under=under)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}{under}"
        finally:
            server.shutdown()
            thread.join()


class _Files(SimpleHTTPRequestHandler):
    extensions_map = SimpleHTTPRequestHandler.extensions_map | TYPES

    def __init__(self, *args: Any, under: str, **options: Any) -> None:
        self.under = under
        super().__init__(*args, **options)

    def translate_path(self, path: str) -> str:
        """The file of an address; outside of the site there is nothing."""
        inside = urlsplit(path).path
        if not inside.startswith(self.under):
            return os.fspath(Path(self.directory) / "outside of the site")
        return super().translate_path("/" + inside.removeprefix(self.under))

    def log_message(self, *_: object) -> None:
        """Says nothing."""

"""Sites to look at: one with every kind of page, made by hand, and ways to read what a site has written."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from conftest import NOW, make_record, make_run

from pipeline import dataset
from pipeline.dataset import read
from pipeline.manifest import Previous
from pipeline.pages.site import Site, load
from pipeline.record import Check, DatedText, ExplainedBy, MessageVariant, Record, TestReference, Verification

LINK = re.compile(r"""<(a|link|script|img|form|meta|input|section)\b([^>]*)>""")
ATTRIBUTE = re.compile(r"""([a-z-]+)="([^"]*)\"""")
ADDRESSES = {"href", "src", "action", "data-match-index", "data-search-index", "data-root"}
SOURCE = '''def read(x, axis):
  """Reads x."""
  if axis is None:
    return x
  for n in x.shape:
    if n < 0:
      raise ValueError(f"axis {axis} of {x.shape} is negative: \\N{BULLET} {n!r}")
  return x'''


def full_record(**changes: Any) -> Record:
    """A record with something in every field; what `changes` names is replaced."""
    fields: dict[str, Any] = {
        "id": "00000000000000f1",
        "repo": "some-org/pkg",
        "revision": "1.1",
        "analyzedSha": "0123456789abcdef0123456789abcdef01234567",
        "aliases": ("00000000000000aa",),
        "filePath": "pkg/_src/core.py",
        "qualname": "read",
        "lineNumber": 107,
        "endLineNumber": 107,
        "sourceCode": SOURCE,
        "sourceCodeStart": 101,
        "sourceCodeEnd": 108,
        "githubUrl": "https://github.com/some-org/pkg/blob/v1.1/pkg/_src/core.py#L101-L108",
        "errorClassPublic": "pkg.errors.ValueError",
        "errorBases": ("Exception", "BaseException"),
        "messageVariants": (
            MessageVariant(errorMessage="bad {x}", messagePattern="bad (.+?)"),
            MessageVariant(errorMessage="worse {y} and {}", messagePattern=r"worse (.+?) and \{\}"),
        ),
        "condition": "not (axis is None) and for n in x.shape and n < 0",
        "documentation": "What it *means*: `x` is bad.\n\n- one\n- two",
        "triggerScenarios": "When `x` is [bad](https://docs.example/bad).",
        "commonSituations": "Mostly on Mondays.",
        "solutions": ("Use a good `x`.", "Use no `x`."),
        "exampleFix": "# before\nread(1)\n# after\nread(2)",
        "handlingStrategy": "validation",
        "validationCode": "assert x > 1",
        "typeGuard": "def is_good(x):\n    return x > 1",
        "tryCatchPattern": "try:\n    read(1)\nexcept ValueError:\n    pass",
        "preventionTips": ("Think.", "Look."),
        "tags": ("shapes", "axis", "pkg"),
        "backgroundTag": "tracing",
        "publicApi": ("pkg.read", "pkg.io.Reader.read"),
        "tests": (TestReference(filePath="tests/test_core.py", lineNumber=7, qualname="test_read"),),
        "docsUrl": "https://docs.example/errors#bad",
        "related": ("00000000000000f2", "00000000000000f3"),
        "explainedBy": ExplainedBy(
            writer="openai",
            model="some-model",
            promptHash="0" * 16,
            evidenceHash="1" * 16,
            checks=(Check(name="parses", verdict="passed"), Check(name="names", verdict="warning", detail="`foo`?")),
        ),
        "verification": Verification(package="pkg 1.1", python="3.12.1", raised=True, fixed=True, executedAt=NOW),
        "introducedIn": "1.0",
        "texts": (
            DatedText.model_validate(
                {"errorMessage": "odd {x}", "messagePattern": "odd (.+?)", "from": "0.8", "to": "0.9"}
            ),
            DatedText.model_validate(
                {"errorMessage": "bad {x}", "messagePattern": "bad (.+?)", "from": "1.0", "to": "1.1"}
            ),
        ),
    }
    return make_record(**{**fields, **changes})


def everything() -> tuple[list[Record], list[Record], list[Record]]:
    """Records of two revisions and the tombstones of the newer one: every kind of page comes of them."""
    new = {"repo": "some-org/pkg", "revision": "1.1"}
    old = new | {"revision": "1.0"}
    twin = full_record(id="00000000000000f2", aliases=(), related=(), lineNumber=102, endLineNumber=103)
    sort = {"id": "00000000000000f3", "filePath": "pkg/sort.py", "qualname": "sort"}
    silent = {"id": "00000000000000f4", "errorClass": None, "filePath": "setup.py", "qualname": None}
    unknown = {"literalLength": None, "literalUnknownWhy": "the result of a call", "id": "00000000000000f5"}
    opened = {"id": "00000000000000f6", "filePath": "pkg/files.py", "qualname": "open_file"}
    gone = {"id": "00000000000000e1", "filePath": "pkg/gone.py", "qualname": "stride"}
    removed = make_record("a negative stride cannot be used", "a negative stride cannot be used", **gone, **old)
    before = [
        full_record(revision="1.0", condition="n < 0"),
        make_record("the sequence isn't sorted", "the sequence isn't sorted", **sort, **old),
        make_record("", "", **silent, **old),
        make_record("{text}", "(.+?)", **unknown, **old),
        make_record("no such file: {path}", "no such file: (.+?)", **opened, **old, errorClass="OSError"),
        removed,
    ]
    after = [
        full_record(),
        twin,
        make_record("the sequence is not sorted", "the sequence is not sorted", **sort, **new),
        make_record("", "", **silent, **new),
        make_record("{text}", "(.+?)", **unknown, **new),
        make_record("no such file: {path}", "no such file: (.+?)", **opened, **new, errorClass="KeyError"),
    ]
    return before, after, [removed.model_copy(update={"lastSeenIn": "1.0"})]


def everything_site(out: Path, base_url: str | None = "https://errors.example/some/sub/path/") -> Site:
    """The site of them, from datasets under `out`."""
    old, new, tombstones = everything()
    run = make_run(6, repo="some-org/pkg", revision="1.0")
    before = read(dataset.write(out, old, run))
    previous = Previous(
        revision="1.0", datasetVersion=before.manifest.datasetVersion, recordsSha256=before.manifest.recordsSha256
    )
    run = make_run(6, repo="some-org/pkg", revision="1.1", previous=previous)
    return load(read(dataset.write(out, new, run, tombstones)), base_url=base_url)


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a page refers to, and what it can be referred to by."""

    addresses: tuple[str, ...]
    anchors: frozenset[str]


def page(text: str) -> Page:
    """The addresses and anchors of a page, however they are used."""
    found = []
    for _, attributes in LINK.findall(text):
        its = dict(ATTRIBUTE.findall(attributes))
        found += [html.unescape(value) for name, value in its.items() if name in ADDRESSES]
        if its.get("http-equiv") == "refresh":
            found.append(html.unescape(its["content"]).partition("url=")[2])
    return Page(addresses=tuple(found), anchors=frozenset(re.findall(r'\bid="([^"]*)"', text)))


def resolved(path: str, address: str) -> tuple[str, str] | None:
    """The path in the site and the anchor that an address on the page at `path` means; None: it leaves the site."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    if not parts.path:
        return path, unquote(parts.fragment)
    steps = path.split("/")[:-1]
    for step in parts.path.split("/"):
        if step == "..":
            steps.pop()  # IndexError: above the site
        elif step not in {"", "."}:
            steps.append(unquote(step))
    target = "/".join(steps)
    if parts.path.endswith("/") or parts.path in {".", ".."}:
        target = f"{target}/index.html".lstrip("/")
    return target, unquote(parts.fragment)


def broken(pages: dict[str, Page], files: set[str]) -> Iterator[str]:
    """Links of the site that lead nowhere."""
    for path, its in pages.items():
        for address in its.addresses:
            found = resolved(path, address)
            if found is None:
                continue
            target, anchor = found
            if target not in files:
                yield f"{path}: {address}: no {target}"
            elif anchor and anchor not in pages[target].anchors:
                yield f"{path}: {address}: no #{anchor} in {target}"

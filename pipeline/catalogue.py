"""The catalogue: from a source tree to records, and the ledger that accounts for every raise."""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Literal

from pipeline.manifest import Coverage, Exclusion, PathReason
from pipeline.mine.cache import Cache
from pipeline.mine.facts import FileFacts
from pipeline.mine.mining import Error, Found, Outcome, find, link, read
from pipeline.mine.syntax import to_utf8
from pipeline.processes import no_collection
from pipeline.record import MessageVariant, Record, fingerprint, first_id, github_url, printable, slug, title
from pipeline.source.tree import SourceTree

CONTEXT = 18  # lines of source before and after the raise line

_DOCS = re.compile(r"https?://(?:docs\.|[\w.-]+\.readthedocs\.)[^\s\"'`<>{}]+[^\s\"'`<>{}.,;:)\]]")

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Catalogue:
    """The records of a tree, sorted by filePath, lineNumber, errorClass, id; the ledger; seconds per stage.

    left_out: the records that the selection leaves out. facts: of every file, for what is asked of the source next.
    """

    records: tuple[Record, ...]
    left_out: tuple[Record, ...] = ()
    coverage: Coverage
    seconds: Mapping[str, float]
    facts: Mapping[str, FileFacts]


def build(
    tree: SourceTree,
    *,
    analyzed_at: str,
    only: str | None = None,
    limit: int | None = None,
    cache: Cache | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Catalogue:
    """Mines a tree. LedgerError where the sums do not agree.

    only: a glob; records of other files are left out (the whole tree is still read). limit: the first so many records.
    cache: what mining found out before; the outcome is the same with and without.
    """
    with no_collection():
        return _build(tree, analyzed_at, only, limit, cache, workers, progress)


def _build(
    tree: SourceTree,
    analyzed_at: str,
    only: str | None,
    limit: int | None,
    cache: Cache | None,
    workers: int | None,
    progress: Progress | None,
) -> Catalogue:
    started = time.perf_counter()
    files = {f.path: f.data for f in tree.files}
    known = read(tree.files, cache=cache, workers=workers, progress=progress)
    told = time.perf_counter()
    program = link(known, tree.files)
    linked = time.perf_counter()
    records: list[Record] = []
    found: list[Found] = []
    making = 0.0  # seconds; the other processes go on meanwhile
    for its in find(program, cache=cache, workers=workers, progress=progress):
        before = time.perf_counter()
        found.append(its)
        records += _records(tree, files, its.outcomes, analyzed_at)
        making += time.perf_counter() - before
    coverage = _coverage(tree, known, found)
    coverage.check()
    records.sort(key=_order)
    kept = tuple([r for r in records if only is None or fnmatch(r.filePath, only)][:limit])
    wanted = {r.id for r in kept}
    left_out = tuple(r for r in records if r.id not in wanted)
    done = time.perf_counter()
    seconds = {"facts": told - started, "link": linked - told, "templates": done - linked - making, "records": making}
    return Catalogue(records=kept, left_out=left_out, coverage=coverage, seconds=seconds, facts=known)


def _order(record: Record) -> tuple[str, int, str, str]:
    return record.filePath, record.lineNumber, record.errorClass or "", record.id


def _records(
    tree: SourceTree, files: Mapping[str, bytes], outcomes: Iterable[Outcome], analyzed_at: str
) -> Iterator[Record]:
    lines: dict[str, list[str]] = {}
    seen: dict[tuple[str | None, ...], int] = defaultdict(int)
    for outcome in outcomes:
        if outcome.path not in lines:
            lines[outcome.path] = source_lines(files[outcome.path])
        for error in outcome.errors:
            qualname = None if outcome.site.qualname == "<module>" else outcome.site.qualname
            template = "\0".join(printable(v.text) for v in error.text.variants)
            key = (outcome.path, qualname, error.raised.error_class, template)
            yield _record(tree, outcome, error, lines[outcome.path], (qualname, template, seen[key]), analyzed_at)
            seen[key] += 1


def source_lines(data: bytes) -> list[str]:
    """The lines of a file as Python counts them, without their ends."""
    text = to_utf8(data)[0].decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")


def _record(
    tree: SourceTree,
    outcome: Outcome,
    error: Error,
    lines: list[str],
    identity: tuple[str | None, str, int],
    analyzed_at: str,
) -> Record:
    site, raised, main = outcome.site, error.raised, error.text.variants[0]
    qualname, template, ordinal = identity
    start, end = max(1, site.line - CONTEXT), min(len(lines), site.line + CONTEXT)
    message, pattern = printable(main.text), printable(error.text.pattern)
    docs = _DOCS.search(message)
    unknown = raised.unknown
    return Record(
        id=first_id(
            repo=tree.repo,
            file_path=outcome.path,
            qualname=qualname,
            error_class=raised.error_class,
            template=template,
            ordinal=ordinal,
        ),
        repo=tree.repo,
        slug=slug(message),
        errorMessage=message,
        messagePattern=pattern,
        errorType="assertion" if site.is_assert else "exception",
        errorClass=raised.error_class,
        filePath=outcome.path,
        lineNumber=site.line,
        sourceCode="\n".join(lines[start - 1 : end]) or "\n",
        sourceCodeStart=start,
        sourceCodeEnd=end,
        githubUrl=github_url(tree.repo, tree.link_ref, outcome.path, start, end) if tree.link_ref else None,
        analyzedSha=tree.analyzed_sha,
        analyzedAt=analyzed_at,
        fingerprint=fingerprint(raised.error_class, pattern),
        revision=tree.revision,
        endLineNumber=site.end_line,
        qualname=qualname,
        errorClassPublic=raised.public,
        errorBases=raised.bases,
        title=title(message),
        messageVariants=tuple(
            MessageVariant(errorMessage=printable(v.text), messagePattern=printable(v.pattern))
            for v in error.text.variants
        ),
        placeholders=tuple(printable(p) or "?" for p in error.text.placeholders),
        literalLength=None if unknown is not None else main.literal_length,
        literalUnknownWhy=f"{unknown.value}: {printable(raised.holds or '')}" if unknown is not None else None,
        condition=printable(site.condition) if site.condition else None,
        docsUrl=docs[0] if docs else None,
    )


def _coverage(tree: SourceTree, known: Mapping[str, FileFacts], found: Sequence[Found]) -> Coverage:
    """The ledger of a run, counted from the facts on one side and the outcomes on the other."""
    facts = known.values()
    outcomes = [outcome for its in found for outcome in its.outcomes]
    raises = [o for o in outcomes if not o.site.is_assert]
    unknown = Counter(e.raised.unknown.value for o in outcomes for e in o.errors if e.raised.unknown)
    hits = sum((its.hits for its in found), Counter[str]())
    return Coverage(
        files=len(known),
        raiseStatements=sum(f.raise_statements for f in facts),
        bareRaises=sum(s.bare for f in facts for s in f.sites),
        assertsWithMessage=sum(f.asserts_with_message for f in facts),
        recordedRaises=sum(bool(o.errors) for o in raises),
        recordedAsserts=sum(bool(o.errors) for o in outcomes if o.site.is_assert),
        reRaises=sum(not o.errors and o.excluded is None for o in raises),
        excluded=tuple(_exclusion(o) for o in outcomes if o.excluded is not None),
        skippedFiles=tuple(PathReason(path=s.path, reason=s.reason.value) for s in tree.skipped),
        damagedFiles=tuple(PathReason(path=f.path, reason=f.damage) for f in facts if f.damage),
        unknownTexts=dict(sorted(unknown.items())),
        boundsHit=dict(sorted(hits.items())),
    )


def _exclusion(outcome: Outcome) -> Exclusion:
    assert outcome.excluded is not None
    statement: Literal["raise", "assert"] = "assert" if outcome.site.is_assert else "raise"
    return Exclusion(statement=statement, path=outcome.path, line=outcome.site.line, reason=outcome.excluded.value)

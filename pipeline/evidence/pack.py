"""Evidence of every record: what the tree says around it, packed for whoever explains it."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pipeline.evidence import docs, edges, public_api, references, surroundings, tests
from pipeline.evidence.docs import Quote
from pipeline.evidence.graph import Graph, Key
from pipeline.evidence.references import FileReferences
from pipeline.evidence.surroundings import Surroundings
from pipeline.evidence.tests import Expectation, TestCase
from pipeline.mine import facts as mine_facts
from pipeline.mine.facts import FileFacts
from pipeline.mine.link import Program
from pipeline.mine.syntax import parse, to_utf8
from pipeline.mine.texts import Texts
from pipeline.processes import PIECES, balanced, given, over, processes
from pipeline.record import Record, TestReference
from pipeline.source.tree import SourceFile, SourceTree

MAX_CALLERS = 8
MAX_SIBLINGS = 10
_LOCALS = ".<locals>"

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What the source says of one error.

    messages: errorMessage of every variant, main first. signature, docstring, decorators, parameters: of the enclosing
    function. source: of it, around the raise. callers: dotted names, nearest first. public_api: names that lead to the
    raise, nearest first. siblings: main messages of other errors of the same function.
    hash: 16 hex over what is said of the error itself: class, texts, condition, header and docstrings, the code right
    at the raise, tests, quotes. No line number, no path, no comment; callers, public names and the rest of the
    function are left out, since they change when unrelated code does.
    """

    error_class: str | None
    messages: tuple[str, ...]
    placeholders: tuple[str, ...]
    condition: str | None
    qualname: str | None
    file_path: str
    signature: str | None
    docstring: str | None
    decorators: tuple[str, ...]
    class_docstring: str | None
    parameters: tuple[str, ...]
    source: str
    callers: tuple[str, ...]
    public_api: tuple[str, ...]
    tests: tuple[TestCase, ...]
    quotes: tuple[Quote, ...]
    siblings: tuple[str, ...]
    hash: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Read:
    """What the per-file pass brings."""

    facts: Mapping[str, FileFacts]
    references: Mapping[str, FileReferences]
    surroundings: Mapping[tuple[str, int], Surroundings]
    expectations: tuple[Expectation, ...]


def collect(
    tree: SourceTree,
    records: Sequence[Record],
    *,
    facts: Mapping[str, FileFacts] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> tuple[Evidence, ...]:
    """The evidence of each record of a tree, in the order of the records.

    facts: those of the tree's files, where they are known already (else they are read again).
    """
    if not records:
        return ()
    sources = {f.path: to_utf8(f.data)[0] for f in tree.files}
    read = _read(tree, sources, records, facts, workers, progress)
    linked = edges.link(Program(read.facts, Texts(sources)), read.references)
    ways, callers = _ways(linked, records)
    cases = tests.match_tests(read.expectations, records, ways)
    quotes = docs.find_quotes(tree.evidence, records, tree.repo)
    siblings = _siblings(records)
    return tuple(
        _evidence(r, read.surroundings[r.filePath, r.lineNumber], callers[i], ways[i], cases[i], quotes[i], siblings[i])
        for i, r in enumerate(records)
    )


def with_evidence(record: Record, evidence: Evidence) -> Record:
    """The record with its public names, its tests, and the page that quotes it where it names none itself."""
    page = next((q.url for q in evidence.quotes if q.url is not None), None)
    return record.model_copy(
        update={
            "publicApi": evidence.public_api,
            "tests": tuple(
                TestReference(filePath=t.path, lineNumber=t.line, qualname=t.qualname) for t in evidence.tests
            ),
            "docsUrl": record.docsUrl or page,
        }
    )


# The per-file pass


@dataclass(frozen=True, kw_only=True, slots=True)
class _Work:
    """What a piece of the per-file pass works on; facts: whether they are wanted too."""

    sources: Mapping[str, bytes]
    lines: Mapping[str, tuple[int, ...]]
    evidence: Mapping[str, SourceFile]
    facts: bool


_Piece = tuple[list[FileFacts], list[FileReferences], dict[tuple[str, int], Surroundings], list[Expectation]]


def _read(
    tree: SourceTree,
    sources: Mapping[str, bytes],
    records: Sequence[Record],
    facts: Mapping[str, FileFacts] | None,
    workers: int | None,
    progress: Progress | None,
) -> _Read:
    lines: dict[str, set[int]] = defaultdict(set)
    for record in records:
        lines[record.filePath].add(record.lineNumber)
    work = _Work(
        sources=sources,
        lines={path: tuple(sorted(its)) for path, its in lines.items()},
        evidence={f.path: f for f in tree.evidence if f.path.endswith(".py")},
        facts=facts is None,
    )
    weights = {p: len(d) for p, d in sources.items()} | {p: len(f.data) // 4 for p, f in work.evidence.items()}
    pieces = list(
        over(_read_piece, work, balanced(weights, PIECES), processes(workers, weights.values()), "evidence", progress)
    )
    return _Read(
        facts=dict(sorted((facts or {f.path: f for piece in pieces for f in piece[0]}).items())),
        references=dict(sorted((r.path, r) for piece in pieces for r in piece[1])),
        surroundings={key: its for piece in pieces for key, its in piece[2].items()},
        expectations=tuple(e for piece in pieces for e in piece[3]),
    )


def _read_piece(paths: Sequence[str]) -> _Piece:
    work = given()
    assert isinstance(work, _Work)
    out: _Piece = ([], [], {}, [])
    for path in paths:
        if path in work.evidence:
            out[3].extend(tests.find_expectations(work.evidence[path]))
            continue
        source = work.sources[path]
        root = parse(source).root_node
        if work.facts:
            out[0].append(mine_facts.read(path, source))
        out[1].append(references.read(path, source, root))
        around = surroundings.read(source, root, work.lines.get(path, ()))
        out[2].update({(path, line): its for line, its in around.items()})
    return out


# Across files


def _ways(linked: Graph, records: Sequence[Record]) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The public names and the callers of each record."""
    names = public_api.public_names(linked)
    known: dict[tuple[Key, bool, bool], tuple[str, ...]] = {}
    ways: list[tuple[str, ...]] = []
    callers: list[tuple[str, ...]] = []
    for record in records:
        if record.qualname is None:
            ways.append(_module(linked, record.filePath))
            callers.append(())
            continue
        outer, made, _ = record.qualname.partition(_LOCALS)
        start = Key(record.filePath, outer)
        abstract = record.errorClass == "NotImplementedError" and record.condition is None
        key = (start, bool(made), abstract)
        if key not in known:
            found = public_api.find_ways(linked, names, start, made=bool(made), abstract=abstract)
            known[key] = tuple(way.name for way in found)
        ways.append(known[key])
        callers.append(tuple(islice(_callers(linked, start, outer if made else None), MAX_CALLERS)))
    return ways, callers


def _module(linked: Graph, path: str) -> tuple[str, ...]:
    """The public name of a module, which is what leads to a raise of its own."""
    dotted = linked.program.dotted[path]
    return () if any(part.startswith("_") for part in dotted.split(".")) else (dotted,)


def _callers(linked: Graph, start: Key, outer: str | None) -> Iterator[str]:
    if outer is not None:
        yield f"{linked.program.dotted[start.path]}.{outer}"
    for key in public_api.find_callers(linked, start):
        yield f"{linked.program.dotted[key.path]}.{key.name}"


def _siblings(records: Sequence[Record]) -> list[tuple[str, ...]]:
    together: dict[tuple[str, str | None], list[Record]] = defaultdict(list)
    for record in records:
        together[record.filePath, record.qualname].append(record)
    out: list[tuple[str, ...]] = []
    for record in records:
        own = {v.errorMessage for v in record.messageVariants} | {""}
        others = together[record.filePath, record.qualname] if record.qualname is not None else ()
        said = dict.fromkeys(o.errorMessage for o in others if o.errorMessage not in own)
        out.append(tuple(said)[:MAX_SIBLINGS])
    return out


# Packing


def _evidence(
    record: Record,
    around: Surroundings,
    callers: tuple[str, ...],
    ways: tuple[str, ...],
    cases: tuple[TestCase, ...],
    quotes: tuple[Quote, ...],
    siblings: tuple[str, ...],
) -> Evidence:
    messages = tuple(v.errorMessage for v in record.messageVariants)
    hashed = [
        record.errorClass, messages, record.placeholders, record.condition, around.signature, around.docstring,
        around.decorators, around.class_docstring, around.near, [c.code for c in cases], [q.text for q in quotes],
    ]  # fmt: skip
    return Evidence(
        error_class=record.errorClass,
        messages=messages,
        placeholders=record.placeholders,
        condition=record.condition,
        qualname=record.qualname,
        file_path=record.filePath,
        signature=around.signature,
        docstring=around.docstring,
        decorators=around.decorators,
        class_docstring=around.class_docstring,
        parameters=around.parameters,
        source=around.source,
        callers=callers,
        public_api=ways,
        tests=cases,
        quotes=quotes,
        siblings=siblings,
        hash=_hex16(hashed),
    )


def _hex16(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

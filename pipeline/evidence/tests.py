"""The repository's tests that provoke an error: what they expect, and the records whose class and text fit that."""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from pipeline.evidence.runs import fixed_runs
from pipeline.mine.syntax import captures, inside, literal_text, node_text, parse, query, string_prefix, to_utf8, words
from pipeline.record import Record
from pipeline.source.tree import SourceFile

MAX_TESTS = 3
MAX_CODE = 12  # lines
FEWEST = 10  # fixed characters that a test and a record must share
SHARE = 0.5  # of the text that the test expects
EDGE = 6  # characters that count where a test's text begins or ends inside a record's

_EXPECTING = query(
    """(call function: [(attribute attribute: (identifier) @how) (identifier) @how] arguments: (argument_list)
        (#match? @how "^(assertRaises|assertRaisesRegex|assertRaisesRegexp|assertRaisesWithLiteralMatch|raises)$"))
       @call"""
)
_WORD = re.compile(r"[A-Za-z_]{4,}")
_CALLED = re.compile(r"(\w+)\s*\(")


@dataclass(frozen=True, kw_only=True, slots=True)
class TestCase:
    """A test: where it stands, and the few lines that provoke the error."""

    __test__ = False  # not one of pytest's

    path: str
    line: int
    qualname: str
    code: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Expectation:
    """What a test expects: last names of the classes, and the fixed pieces of the text."""

    classes: tuple[str, ...]
    runs: tuple[str, ...]
    case: TestCase


def find_expectations(file: SourceFile) -> Iterator[Expectation]:
    """What the tests of one file expect to be raised, as far as they say with what text."""
    if b"aises" not in file.data or not file.path.endswith(".py"):
        return
    source = to_utf8(file.data)[0]
    calls = captures(_EXPECTING, parse(source).root_node).get("call", [])
    for call in sorted(calls, key=lambda n: n.start_byte):
        found = _expectation(call, file.path)
        if found is not None:
            yield found


def _expectation(call: Node, path: str) -> Expectation | None:
    function, listed = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or listed is None:
        return None
    how = node_text(function).rpartition(".")[2]
    given = [n for n in inside(listed) if n.type != "keyword_argument"]
    named = {node_text(n.children[0]): n.children[-1] for n in inside(listed) if n.type == "keyword_argument"}
    expected = named.get("match") or named.get("expected_regex")
    if expected is None and how not in ("raises", "assertRaises") and len(given) > 1:
        expected = given[1]
    if expected is None or not given:
        return None
    said = _text(expected, call, 0)
    if said is None:
        return None
    runs = (said,) if how == "assertRaisesWithLiteralMatch" else fixed_runs(said)
    code = _code(call, given[1:] if "match" in named or "expected_regex" in named else given[2:])
    if not code:
        return None
    case = TestCase(path=path, line=call.start_point[0] + 1, qualname=_qualname(call), code=code)
    return Expectation(classes=_classes(given[0]), runs=runs, case=case)


def _classes(node: Node) -> tuple[str, ...]:
    listed = inside(node) if node.type == "tuple" else [node]
    return tuple(node_text(n).rpartition(".")[2] for n in listed)


def _text(node: Node, call: Node, depth: int) -> str | None:
    """The regular expression that an argument gives; what is filled in at run time is `.*`."""
    if node.type == "string":
        if "f" not in string_prefix(node):
            return literal_text(node)
        parts = [".*" if c.type == "interpolation" else node_text(c) for c in node.children[1:-1]]
        return "".join(parts)
    if node.type in ("concatenated_string", "binary_operator", "parenthesized_expression"):
        said = [_text(n, call, depth) for n in inside(node)]
        return "".join(s if s is not None else ".*" for s in said) if any(said) else None
    if node.type == "call":
        function, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is not None and listed is not None and node_text(function) == "re.escape" and inside(listed):
            literal = _text(inside(listed)[0], call, depth)
            return re.escape(literal) if literal is not None else None
    if node.type == "identifier" and depth < 2:
        value = _assigned(node_text(node), call)
        return _text(value, call, depth + 1) if value is not None else None
    return None


def _assigned(name: str, call: Node) -> Node | None:
    """The expression last assigned to a local name before a call."""
    scope = next((n for n in _outwards(call) if n.type == "function_definition"), None)
    found: Node | None = None
    for node in captures(_ASSIGNED, scope).get("assigned", ()) if scope is not None else ():
        left = node.child_by_field_name("left")
        earlier = node.start_byte < call.start_byte and (found is None or node.start_byte > found.start_byte)
        if left is not None and earlier and node_text(left) == name:
            found = node
    return found.child_by_field_name("right") if found is not None else None


_ASSIGNED = query("(assignment left: (identifier) right: (_)) @assigned")


def _outwards(node: Node) -> Iterator[Node]:
    current = node.parent
    while current is not None:
        yield current
        current = current.parent


def _code(call: Node, rest: list[Node]) -> str:
    """What provokes the error: the body of the `with`, or the call that is handed over."""
    for outer in _outwards(call):
        if outer.type == "with_statement":
            body = outer.child_by_field_name("body")
            return _block(body) if body is not None and call.end_byte <= body.start_byte else ""
        if outer.type in ("block", "module"):
            break
    if not rest:
        return ""
    if rest[0].type == "lambda":
        body = rest[0].child_by_field_name("body")
        return words(body) if body is not None else ""
    return f"{words(rest[0])}({', '.join(words(n) for n in rest[1:])})"


def _block(body: Node) -> str:
    indent = " " * body.start_point[1]
    lines = textwrap.dedent(indent + node_text(body)).splitlines()
    return "\n".join(lines[:MAX_CODE]).rstrip()


def _qualname(node: Node) -> str:
    names = [
        node_text(name)
        for outer in _outwards(node)
        if outer.type in ("function_definition", "class_definition")
        and (name := outer.child_by_field_name("name")) is not None
    ]
    return ".".join(reversed(names)) or "<module>"


def match_tests(
    expectations: Iterable[Expectation], records: Sequence[Record], ways: Sequence[Sequence[str]]
) -> list[tuple[TestCase, ...]]:
    """The tests of each record, shortest first. ways: the public names that lead to each record.

    A test whose expectation fits several records alike, and that calls the public names of none more than of the
    others, is nobody's.
    """
    expectations = tuple(expectations)
    if not expectations:
        return [() for _ in records]
    index = _Index(records)
    out: list[list[TestCase]] = [[] for _ in records]
    for expectation in expectations:
        best = index.best(expectation)
        if len(best) > 1:
            best = _called_most(expectation.case.code, best, ways)
        if len(best) == 1:
            out[best[0]].append(expectation.case)
    return [tuple(sorted(cases, key=_order)[:MAX_TESTS]) for cases in out]


def _order(case: TestCase) -> tuple[int, str, int]:
    return case.code.count("\n"), case.path, case.line


def _called_most(code: str, candidates: list[int], ways: Sequence[Sequence[str]]) -> list[int]:
    """Those of some records whose nearest public names the code calls; all of them where it calls none."""
    called = set(_CALLED.findall(code))
    for nearest in (1, 5, 20):
        chosen = [i for i in candidates if called & {n.rpartition(".")[2] for n in ways[i][:nearest]}]
        if chosen:
            return chosen
    return candidates


class _Index:
    """Records by the words of their fixed text."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        self.segments = [[fixed_runs(v.messagePattern) for v in r.messageVariants] for r in records]
        self.by_word: dict[str, list[int]] = defaultdict(list)
        for i, variants in enumerate(self.segments):
            for word in {w for runs in variants for run in runs for w in _WORD.findall(run)}:
                self.by_word[word].append(i)

    def best(self, expectation: Expectation) -> list[int]:
        """The records that share the most text with what a test expects; [] where none shares enough."""
        whole = sum(map(len, expectation.runs))
        known = {w for run in expectation.runs for w in _WORD.findall(run) if w in self.by_word}
        rarest = sorted(known, key=lambda w: (len(self.by_word[w]), w))[:3]
        scores: dict[int, int] = {}
        for i in sorted({i for word in rarest for i in self.by_word[word]}):
            if self._is_of(i, expectation.classes):
                scores[i] = max(_shared(expectation.runs, variant) for variant in self.segments[i])
        most = max(scores.values(), default=0)
        if most < FEWEST or most < SHARE * whole:
            return []
        return [i for i, score in scores.items() if score == most]

    def _is_of(self, i: int, classes: tuple[str, ...]) -> bool:
        record = self.records[i]
        return record.errorClass is None or bool({record.errorClass, *record.errorBases} & set(classes))


def _shared(runs: Sequence[str], segments: Sequence[str]) -> int:
    """Characters of a test's text that a record's fixed text accounts for."""
    return sum(_of_run(run, segments) for run in runs)


def _of_run(run: str, segments: Sequence[str]) -> int:
    if any(run in s for s in segments):
        return len(run)
    inner = sum(len(s) for s in segments if len(s) > 2 and s in run)
    head = max((_overlap(s, run) for s in segments if s not in run), default=0)
    tail = max((_overlap(run, s) for s in segments if s not in run), default=0)
    return min(len(run), inner + head + tail)


def _overlap(first: str, second: str) -> int:
    """How much of the end of one text is the beginning of another; 0 below EDGE."""
    start = second[:EDGE]
    at = first.find(start) if len(start) == EDGE else -1
    while at >= 0:
        if second.startswith(first[at:]):
            return len(first) - at
        at = first.find(start, at + 1)
    return 0

"""Mining a tree: the facts of each file, linked, then what every site of every file raises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from typing import NamedTuple

from pipeline.mine import facts, sites
from pipeline.mine.cache import Cache, Row, row_key
from pipeline.mine.consult import Answers, Consulted, Question
from pipeline.mine.evaluate.evaluator import Evaluator
from pipeline.mine.facts import FileFacts, Site
from pipeline.mine.link import Program
from pipeline.mine.pattern import Rendered, render
from pipeline.mine.sites import Exclusion, Raised
from pipeline.mine.syntax import to_utf8
from pipeline.mine.template import EMPTY
from pipeline.mine.texts import Texts
from pipeline.processes import PIECES, Progress, balanced, given, over, processes
from pipeline.source.tree import SourceFile


class Error(NamedTuple):
    """One error of a site, with its text rendered."""

    raised: Raised
    text: Rendered


class Verdict(NamedTuple):
    """What one site raises; without any error it is a re-raise, or excluded."""

    errors: tuple[Error, ...]
    excluded: Exclusion | None


class Outcome(NamedTuple):
    """A site and its errors; without any it is a re-raise, or excluded."""

    path: str
    site: Site
    errors: tuple[Error, ...]
    excluded: Exclusion | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What the sites of one file raise, in source order, and how often each bound was hit."""

    outcomes: tuple[Outcome, ...]
    hits: Counter[str]


class Unit(NamedTuple):
    """A top-level definition with sites (number -1: the module's own code), which is evaluated by itself."""

    path: str
    number: int


class Evaluated(NamedTuple):
    """The verdicts of a unit's sites, in source order, and how often each bound was hit."""

    verdicts: tuple[Verdict, ...]
    hits: dict[str, int]


class Remembered(NamedTuple):
    """What was found before: the questions that were asked for it, digests of the answers, and the outcome."""

    asked: tuple[Question, ...]
    answers: tuple[str, ...]
    evaluated: Evaluated


@dataclass(frozen=True, kw_only=True, slots=True)
class _Work:
    """What a piece of the evaluation works on. remembering: whether what is asked is wanted too."""

    program: Program
    answers: Answers
    remembered: Mapping[Unit, Sequence[Remembered]]
    remembering: bool


def read(
    files: Sequence[SourceFile],
    *,
    cache: Cache | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[str, FileFacts]:
    """The facts of Python files, by path."""
    keys = {file.path: row_key("facts", file.blob_id) for file in files} if cache is not None else {}
    kept = cache.rows(list(keys.values())) if cache is not None else {}
    known = {path: kept[key][0].value._replace(path=path) for path, key in keys.items() if key in kept}
    data = {file.path: file.data for file in files if file.path not in known}
    weights = {path: len(its) for path, its in data.items()}
    pieces = balanced(weights, PIECES) if data else []
    made = over(_read_piece, data, pieces, processes(workers, weights.values()), "facts", progress)
    new = {its.path: its for piece in made for its in piece}
    if cache is not None:
        rows = [Row(keys[path], b"", its) for path, its in new.items()]
        cache.keep(rows, [(keys[path], b"") for path in known])
    return dict(sorted({**known, **new}.items()))


def link(known: Mapping[str, FileFacts], files: Sequence[SourceFile]) -> Program:
    """The program of files whose facts are known, ready to be asked by many processes."""
    program = Program(known, Texts({file.path: to_utf8(file.data)[0] for file in files}))
    program.prepare()
    return program


def find(
    program: Program, *, cache: Cache | None = None, workers: int | None = None, progress: Progress | None = None
) -> Iterator[Found]:
    """What each file with a site raises, in the order of the paths."""
    weights = Counter(Unit(path, site.unit) for path, its in program.facts.items() for site in its.sites)
    answers = Answers(program)
    keys = {unit: _key(program, answers, unit) for unit in weights} if cache is not None else {}
    rows = cache.rows(list(keys.values())) if cache is not None else {}
    known = {unit: rows[key] for unit, key in keys.items() if key in rows}
    work = _Work(
        program=program,
        answers=answers,
        remembered={unit: [row.value for row in its] for unit, its in known.items()},
        remembering=cache is not None,
    )
    count = processes(workers, (len(source) for source in program.texts.sources.values()))
    made: list[Row] = []
    used: list[tuple[bytes, bytes]] = []

    def evaluated() -> Iterator[tuple[Unit, Evaluated]]:
        for piece in over(_find_piece, work, balanced(weights, PIECES), count, "templates", progress):
            for unit, result in piece:
                if isinstance(result, int):
                    row = known[unit][result]
                    used.append((row.key, row.part))
                    yield unit, row.value.evaluated
                elif isinstance(result, Remembered):
                    made.append(Row(keys[unit], _part(result), result))
                    yield unit, result.evaluated
                else:
                    yield unit, result

    for path, its in groupby(evaluated(), key=lambda one: one[0].path):
        yield _together(program.facts[path], list(its))
    if cache is not None:
        cache.keep(made, used)


def _key(program: Program, answers: Answers, unit: Unit) -> bytes:
    """The key of a unit: where it stands, what it says, and the statements that are looked for in it."""
    sites = (s for s in program.facts[unit.path].sites if s.unit == unit.number)
    told = (f"{s.is_assert} {s.bare} {s.qualname} {s.condition}" for s in sites)
    return row_key("raised", unit.path, answers.of_definition(unit.path, unit.number), *told)


def _part(result: Remembered) -> bytes:
    return blake2b("".join(result.answers).encode(), digest_size=16).digest()


def _together(its: FileFacts, parts: Sequence[tuple[Unit, Evaluated]]) -> Found:
    sites: dict[int, Iterator[Verdict]] = {unit.number: iter(evaluated.verdicts) for unit, evaluated in parts}
    verdicts = ((site, next(sites[site.unit])) for site in its.sites)
    outcomes = (Outcome(path=its.path, site=s, errors=v.errors, excluded=v.excluded) for s, v in verdicts)
    return Found(outcomes=tuple(outcomes), hits=sum((Counter(e.hits) for _, e in parts), Counter()))


def _read_piece(paths: Sequence[str]) -> list[FileFacts]:
    files = given()
    assert isinstance(files, Mapping)
    return [facts.read(path, files[path]) for path in paths]


def _find_piece(units: Sequence[Unit]) -> list[tuple[Unit, Evaluated | Remembered | int]]:
    work = given()
    assert isinstance(work, _Work)
    return [(unit, _find_unit(work, unit)) for unit in units]


def _find_unit(work: _Work, unit: Unit) -> Evaluated | Remembered | int:
    """What the sites of a unit raise, or which of what is remembered still holds.

    Each unit has an evaluator of its own: others have no part in its bounds.
    """
    for i, one in enumerate(work.remembered.get(unit, ())):
        if all(work.answers.to(q) == told for q, told in zip(one.asked, one.answers, strict=True)):
            return i
    consulted = Consulted(work.program)
    machine = Evaluator(consulted)
    found = sites.find_raised(machine, unit.path, unit=unit.number)
    verdicts = tuple(_verdict(machine, finding) for finding in found)
    evaluated = Evaluated(verdicts, dict(machine.hits))
    machine.close()
    if not work.remembering:
        return evaluated
    asked = tuple(consulted.asked)
    return Remembered(asked, tuple(work.answers.to(question) for question in asked), evaluated)


def _verdict(machine: Evaluator, finding: sites.Finding) -> Verdict:
    errors = tuple(Error(raised=r, text=render(r.template)) for r in finding.raised)
    for error in errors:
        if error.text.merged:
            machine.hit("variants")
    bare = tuple(Error(raised=_without_template(e.raised), text=e.text) for e in errors)
    return Verdict(errors=bare, excluded=finding.excluded)


def _without_template(raised: Raised) -> Raised:
    """The template has been rendered; between processes only that is sent."""
    return raised._replace(template=EMPTY)

"""Mining a tree: the facts of each file, linked, then what every site of every file raises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.mine import facts, sites
from pipeline.mine.consult import Consulted
from pipeline.mine.evaluate.evaluator import Evaluator
from pipeline.mine.facts import FileFacts, Site
from pipeline.mine.link import Program
from pipeline.mine.pattern import Rendered, render
from pipeline.mine.sites import Exclusion, Raised
from pipeline.mine.spread import PIECES, Progress, balanced, given, over, processes
from pipeline.mine.syntax import to_utf8
from pipeline.mine.template import EMPTY
from pipeline.mine.texts import Texts


@dataclass(frozen=True, kw_only=True, slots=True)
class Error:
    """One error of a site, with its text rendered."""

    raised: Raised
    text: Rendered


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
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


def read(
    files: Mapping[str, bytes], *, workers: int | None = None, progress: Progress | None = None
) -> dict[str, FileFacts]:
    """The facts of Python files, by path, from their bytes as they are stored."""
    weights = {path: len(data) for path, data in files.items()}
    pieces = balanced(weights, PIECES)
    read = over(_read_piece, files, pieces, processes(workers, weights.values()), "facts", progress)
    return dict(sorted((f.path, f) for piece in read for f in piece))


def link(known: Mapping[str, FileFacts], files: Mapping[str, bytes]) -> Program:
    """The program of files whose facts are known, ready to be asked by many processes."""
    program = Program(known, Texts({path: to_utf8(data)[0] for path, data in files.items()}))
    program.prepare()
    return program


def find(program: Program, *, workers: int | None = None, progress: Progress | None = None) -> Iterator[Found]:
    """What each file with a site raises, in the order of the paths."""
    raising = {path: len(its.sites) for path, its in program.facts.items() if its.sites}
    count = processes(workers, (len(program.texts.sources[path]) for path in program.facts))
    for piece in over(_find_piece, program, balanced(raising, PIECES), count, "templates", progress):
        yield from piece


def _read_piece(paths: Sequence[str]) -> list[FileFacts]:
    files = given()
    assert isinstance(files, Mapping)
    return [facts.read(path, files[path]) for path in paths]


def _find_piece(paths: Sequence[str]) -> list[Found]:
    program = given()
    assert isinstance(program, Program)
    return [find_in(program, path) for path in paths]


def find_in(program: Program, path: str) -> Found:
    """What the sites of one file raise. Each file has an evaluator of its own: others have no part in its bounds."""
    machine = Evaluator(Consulted(program))
    outcomes = tuple(_outcome(machine, finding) for finding in sites.find_raised(machine, path))
    return Found(outcomes=outcomes, hits=machine.hits)


def _outcome(machine: Evaluator, finding: sites.Finding) -> Outcome:
    errors = tuple(Error(raised=r, text=render(r.template)) for r in finding.raised)
    for error in errors:
        if error.text.merged:
            machine.hit("variants")
    bare = tuple(Error(raised=_without_template(e.raised), text=e.text) for e in errors)
    return Outcome(path=finding.path, site=finding.site, errors=bare, excluded=finding.excluded)


def _without_template(raised: Raised) -> Raised:
    """The template has been rendered; between processes only that is sent."""
    return replace(raised, template=EMPTY)

"""Raise sites: what each statement raises, with what text, or why it is no record."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from pipeline.mine.evaluate import exceptions
from pipeline.mine.evaluate.arguments import read_arguments
from pipeline.mine.evaluate.evaluator import Evaluator
from pipeline.mine.evaluate.render import MARK, hole
from pipeline.mine.evaluate.run import Unit
from pipeline.mine.evaluate.values import Caught, Class, Const, Env, External, Frame, Instance, Unknown, Value, options
from pipeline.mine.facts import Site
from pipeline.mine.syntax import inside, node_text, words
from pipeline.mine.template import EMPTY, Alt, Hole, Piece, Rep, Template, either, has_text


class UnknownText(enum.Enum):
    """Why the text of a record cannot be known from source."""

    EXCEPTION = "the text of another exception"
    CALL = "the result of a call"
    ATTRIBUTE = "an attribute of an object"
    NAME = "a value passed in"
    EXPRESSION = "an expression"


class Exclusion(enum.Enum):
    """Why a raise statement is neither a record nor a re-raise."""

    NOT_AN_EXCEPTION = "raises nothing that can be an exception"


class Raised(NamedTuple):
    """One error a site can raise.

    error_class: last name, None where it cannot be known. public: its public dotted name. bases: last names in
    resolution order. template: what it prints. unknown: why that has no fixed text.
    """

    error_class: str | None
    public: str | None
    bases: tuple[str, ...]
    template: Template
    unknown: UnknownText | None
    holds: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A site and what became of it: errors, a re-raise, or an exclusion with its reason."""

    path: str
    site: Site
    raised: tuple[Raised, ...] = ()
    excluded: Exclusion | None = None

    @property
    def is_reraise(self) -> bool:
        return not self.raised and self.excluded is None


def find_raised(
    machine: Evaluator, path: str, *, line: int | None = None, unit: int | None = None
) -> Iterator[Finding]:
    """What every site of one file raises (or only those that begin at a line), in source order."""
    facts = machine.program.facts[path]
    points: dict[int, dict[int, tuple[Node, Env | None, Frame]]] = {}
    for site in facts.sites:
        if line not in (None, site.line) or unit not in (None, site.unit):
            continue
        if site.bare:
            yield Finding(path=path, site=site)
            continue
        if site.alone:
            machine.begin(site.condition)
            yield _finding(machine, path, site, *_by_itself(machine, site, path))
            continue
        ran = machine.unit(path, site.unit)
        if site.unit not in points:
            points[site.unit] = {p.node.start_byte + ran.base: (p.node, p.env, p.frame) for p in ran.run.raises}
        found = points[site.unit].get(site.start) or _elsewhere(machine, ran, site, path)
        machine.begin(site.condition)
        yield _finding(machine, path, site, *found)


def _by_itself(machine: Evaluator, site: Site, path: str) -> tuple[Node, None, Frame]:
    """The statement of a site that nothing around it has a part in: that need not be read or run."""
    node = machine.program.texts.statement(path, site.start, site.end)
    return node, None, Frame(path, None, site.start, machine.module_frame(path))


def _elsewhere(machine: Evaluator, unit: Unit, site: Site, path: str) -> tuple[Node, Env | None, Frame]:
    """The statement of a site that no running of its unit comes to (in damaged source)."""
    kind = "assert_statement" if site.is_assert else "raise_statement"
    node = unit.node.descendant_for_byte_range(site.start - unit.base, site.end - unit.base)
    while node is not None and node.type != kind and node.parent is not None:
        node = node.parent
    return node or unit.node, None, Frame(path, None, unit.base, machine.module_frame(path))


def _finding(machine: Evaluator, path: str, site: Site, node: Node, env: Env | None, frame: Frame) -> Finding:
    parts = inside(node)
    if site.is_assert:
        cls = machine.class_of(External("builtins.AssertionError"))
        assert cls is not None
        errors: list[Value] = [Instance(cls, (machine.evaluate(parts[1], env, frame),))]
        source = parts[1]
    elif parts:
        source = parts[0]
        errors = list(options(_raised_value(machine, source, env, frame)))
    else:
        return Finding(path=path, site=site, excluded=Exclusion.NOT_AN_EXCEPTION)
    if not site.is_assert and errors and _is_reraise(source, errors):
        return Finding(path=path, site=site)
    said = [e for e in errors if not _is_nothing(e)] or ([Unknown(words(source))] if source.type != "none" else [])
    raised = _by_class(machine, said, source, env, frame, site.condition)
    if not raised:
        return Finding(path=path, site=site, excluded=Exclusion.NOT_AN_EXCEPTION)
    return Finding(path=path, site=site, raised=tuple(raised))


def _is_reraise(node: Node, errors: list[Value]) -> bool:
    """`raise e` or `raise e.with_traceback(…)`, where only `except … as e` gives `e` its value."""
    while node.type == "parenthesized_expression" and node.named_children:
        node = node.named_children[0]
    if node.type == "call":
        function = node.child_by_field_name("function")
        name = function.child_by_field_name("attribute") if function is not None else None
        if function is None or name is None or node_text(name) != "with_traceback":
            return False
        node = function.child_by_field_name("object") or node
    said = node_text(node)
    return all(isinstance(e, Caught) and e.name == said for e in errors)


def _raised_value(machine: Evaluator, node: Node, env: Env | None, frame: Frame) -> Value:
    if node.type == "expression_list" and node.named_children:  # Python 2: raise Class, "text"
        cls, *arguments = node.named_children
        value = machine.evaluate(cls, env, frame)
        given = [machine.evaluate(a, env, frame) for a in arguments[:1]]
        return machine.call(value, given, (), words(node), frame) if machine.class_of(value) else value
    value = machine.evaluate(node, env, frame)
    return machine.widen(value)


def _is_nothing(value: Value) -> bool:
    return isinstance(value, Const)


def _by_class(
    machine: Evaluator, errors: list[Value], source: Node, env: Env | None, frame: Frame, condition: str | None
) -> list[Raised]:
    """One error for each class that can be raised, its texts as alternatives, in source order."""
    found: dict[Class | None, list[Template]] = {}
    for error in errors:
        cls = error.cls if isinstance(error, Instance) else machine.class_of(error)
        if cls is not None and cls.name == "?":
            cls = None
        found.setdefault(cls, []).append(_text(machine, error, source, env, frame))
    return [_raised(machine, cls, clean(either(texts)), condition) for cls, texts in found.items()]


def _text(machine: Evaluator, error: Value, source: Node, env: Env | None, frame: Frame) -> Template:
    if isinstance(error, Instance):
        said = exceptions.raised_text(machine, error)
        return hole(words(source)) if said is None else said
    cls = machine.class_of(error)
    if cls is not None:
        said = exceptions.raised_text(machine, Instance(cls, ()))
        return EMPTY if said is None else said
    given = _arguments_of_unknown(machine, source, env, frame) if isinstance(error, Unknown) else None
    return hole(words(source)) if given is None else given


def _arguments_of_unknown(machine: Evaluator, node: Node, env: Env | None, frame: Frame) -> Template | None:
    """What `cls(text)` prints where `cls` is a class that is not known: what Exception would."""
    function, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if node.type != "call" or function is None or listed is None:
        return None
    if not _CLASS_LIKE.search(node_text(function)):
        return None
    arguments, keywords = read_arguments(machine, listed, env, frame)
    exception = machine.class_of(External("builtins.Exception"))
    assert exception is not None
    return exceptions.raised_text(machine, Instance(exception, arguments, keywords))


def _raised(machine: Evaluator, cls: Class | None, template: Template, condition: str | None) -> Raised:
    unknown = _why_unknown(template, condition)
    return Raised(
        error_class=cls.name if cls is not None else None,
        public=_public(machine, cls) if cls is not None else None,
        bases=tuple(dict.fromkeys(c.name for c in cls.mro[1:])) if cls is not None else (),
        template=template,
        unknown=unknown,
        holds=_expression(template) if unknown is not None else None,
    )


def _public(machine: Evaluator, cls: Class) -> str | None:
    if cls.path is None or cls.definition < 0:
        return None
    return machine.program.public_name(cls.path, cls.definition)


def clean(template: Template) -> Template:
    """The template without the marks that loops leave where a text could not be unrolled.

    Repeated parts side by side become one hole: where one ends and the next begins cannot be told.
    """
    out: list[Piece] = []
    for piece in map(_clean, template):
        if isinstance(piece, Rep) and out and isinstance(out[-1], Rep):
            out[-1] = Hole(_expression(piece.body) or "…", may_be_empty=True)
        elif not (isinstance(piece, Rep) and out and isinstance(out[-1], Hole) and out[-1].may_be_empty):
            out.append(piece)
    return tuple(out)


def _clean(piece: Piece) -> Piece:
    if isinstance(piece, Hole) and piece.expression.startswith(MARK):
        return Hole(piece.expression.partition(":")[2], may_be_empty=True)
    if isinstance(piece, Alt):
        return Alt(tuple(clean(o) for o in piece.options))
    return Rep(clean(piece.body)) if isinstance(piece, Rep) else piece


_CLASS_LIKE = re.compile(
    r"^type\(|__class__$|(?:^|_|\b)(?:cls|class|type|error|exc|exception)$|[a-z]Error$|(?:Class|Type)$"
    r"|(?-i:(?:^|\.)_*[A-Z][a-z]\w*$)",
    re.IGNORECASE,
)
_TOLD = re.compile(r"(?:\w+\.)?(?:type|len|ndim)\((\w[\w.]*)\)")
_OPENS = re.compile(r"(?:^|\band |\bnot \(|\()$")
_CLOSES = re.compile(r"(?: is (?:not )?None)?(?:\)| and |$)")
_CAUGHT = re.compile(
    r"(?:str|repr)\((?:e|ex|exc|err|error|exception)\)$|(?:e|ex|exc|err|error|exception)(?:\.args.*)?$"
)


def _why_unknown(template: Template, condition: str | None) -> UnknownText | None:
    """Why nothing is known of a text; None where something is, or where it is just the value that the guard checks."""
    if not template or has_text(template):
        return None
    said = _expression(template) or ""
    if _checks(condition, said):
        return None
    if _CAUGHT.match(said):
        return UnknownText.EXCEPTION
    if said.endswith(")"):
        return UnknownText.CALL
    if said.isidentifier():
        return UnknownText.NAME
    return UnknownText.ATTRIBUTE if re.fullmatch(r"[\w.]+", said) else UnknownText.EXPRESSION


def _checks(condition: str | None, expression: str) -> bool:
    """Whether a guard looks into the value of an expression, or of what `type(…)` or `len(…)` tells of.

    That it is there at all (`if text:`, `if text is not None:`) says nothing of it.
    """
    told = _TOLD.fullmatch(expression)
    value = told[1] if told else expression
    if not condition or not value:
        return False
    for found in re.finditer(rf"(?<![\w.]){re.escape(value)}(?!\w)", condition):
        alone = _OPENS.search(condition[: found.start()]) and _CLOSES.match(condition[found.end() :])
        if not alone:
            return True
    return False


def _expression(template: Template) -> str | None:
    return next((p.expression for p in template if isinstance(p, Hole)), None)

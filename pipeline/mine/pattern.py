"""Patterns: the regular expression of a template, in the dialect of Python's re, RE2 and JavaScript."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.mine.template import Alt, Hole, Piece, Rep, Template, concat, fixed_length, map_literals

MAX_VARIANTS = 16
_SPREAD = 8  # fixed characters that an alternative must bring to be a variant of its own
_ESCAPED = re.compile(r"[\^$\\.*+?()\[\]{}|]")


class Message(NamedTuple):
    """One text of a record: for reading, as a pattern, and how many characters of it are fixed."""

    text: str
    pattern: str
    literal_length: int


class Rendered(NamedTuple):
    """Everything a record says about its text.

    pattern matches every variant; placeholders are its capture groups' expressions, in order.
    merged counts alternatives that stayed inline because there were more than MAX_VARIANTS.
    """

    pattern: str
    placeholders: tuple[str, ...]
    variants: tuple[Message, ...]
    merged: int


def render(template: Template) -> Rendered:
    template = map_literals(template, _writable)
    options, merged = variants(template)
    messages = [Message(text=readable(o), pattern=to_pattern(o), literal_length=fixed_length(o)) for o in options]
    messages = list({m.pattern: m for m in reversed(messages)}.values())[::-1]
    messages.sort(key=lambda m: -m.literal_length)  # stable: equal ones stay in source order
    return Rendered(
        pattern=to_pattern(template),
        placeholders=tuple(placeholders(template)),
        variants=tuple(messages),
        merged=merged,
    )


def _writable(literal: str) -> str:
    """The text as UTF-8 can hold it: a lone surrogate as its escape, as a terminal shows it."""
    return literal.encode("utf-8", "backslashreplace").decode("utf-8")


def escape(literal: str) -> str:
    return _ESCAPED.sub(r"\\\g<0>", literal)


def to_pattern(template: Template, *, capture: bool = True) -> str:
    return "".join(_piece_pattern(p, capture=capture) for p in template)


def _piece_pattern(piece: Piece, *, capture: bool) -> str:
    if isinstance(piece, str):
        return escape(piece)
    if isinstance(piece, Hole):
        inside = ".*?" if piece.may_be_empty else ".+?"
        return f"({inside})" if capture else f"(?:{inside})"
    if isinstance(piece, Rep):
        return f"(?:{to_pattern(piece.body, capture=False)})*"
    said = [o for o in piece.options if o]
    inside = "|".join(to_pattern(o, capture=capture) for o in said)
    return f"(?:{inside})?" if len(said) < len(piece.options) else f"(?:{inside})"


def placeholders(template: Template) -> list[str]:
    """Expressions of the capture groups of `to_pattern(template)`, in order."""
    out: list[str] = []
    for piece in template:
        if isinstance(piece, Hole):
            out.append(piece.expression)
        elif isinstance(piece, Alt):
            for option in piece.options:
                out.extend(placeholders(option))
    return out


def readable(template: Template) -> str:
    """The template for reading: `{expression}` for a hole, a repeated part once and ` …`, the first alternative."""
    out: list[str] = []
    for piece in template:
        if isinstance(piece, str):
            out.append(piece)
        elif isinstance(piece, Hole):
            out.append("{" + piece.expression + "}")
        elif isinstance(piece, Rep):
            out.append(readable(piece.body) + " …")
        else:
            out.append(readable(next(o for o in piece.options if o)))
    return "".join(out)


def variants(template: Template) -> tuple[list[Template], int]:
    """The alternative texts worth a variant of their own, and how many more stayed inline."""
    done: list[Template] = [template]
    merged = 0
    progress = True
    while progress:
        progress = False
        for i, option in enumerate(done):
            at = _choice(option)
            if at is None:
                continue
            choice = option[at]
            assert isinstance(choice, Alt)
            if len(done) - 1 + len(choice.options) > MAX_VARIANTS:
                merged = max(merged, len(done) - 1 + len(choice.options) - MAX_VARIANTS)
                continue
            spread = [concat([option[:at], o, option[at + 1 :]]) for o in choice.options]
            done[i : i + 1] = spread
            progress = True
            break
    return done, merged


def _choice(template: Template) -> int | None:
    """The first place whose alternatives are texts in their own right."""
    for i, piece in enumerate(template):
        if isinstance(piece, Alt) and (len(template) == 1 or any(fixed_length(o) >= _SPREAD for o in piece.options)):
            return i
    return None

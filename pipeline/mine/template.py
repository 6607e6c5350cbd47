"""Templates: what a raise site can print, as fixed text, holes, alternatives and repeated parts.

A template is a tuple of pieces. A piece is a `str` (fixed text, never empty, never beside another),
a `Hole`, an `Alt` (one of several templates) or a `Rep` (a template any number of times).
Everything here is a value; nothing here knows Python's syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pipeline.mine.frozen import frozen

MAX_INLINE = 8  # alternatives of one place inside a text; more become a hole
MAX_OPTIONS = 48  # alternatives of a whole text that are kept at all
MAX_PIECES = 600  # pieces of one template, nested ones included; a larger one becomes a hole
MAX_PART = 150  # pieces of what fills one place of a text


@frozen
class Hole:
    """A value filled in at run time; `expression` is its source, white space collapsed."""

    expression: str
    may_be_empty: bool = False


@frozen
class Alt:
    """Exactly one of `options`; an empty option makes the part optional."""

    options: tuple[Template, ...]


@frozen
class Rep:
    """`body`, none or more times."""

    body: Template


Piece = str | Hole | Alt | Rep
Template = tuple[Piece, ...]

EMPTY: Template = ()


def text(value: str) -> Template:
    return (value,) if value else EMPTY


def concat(parts: Iterable[Template]) -> Template:
    out: list[Piece] = []
    for part in parts:
        for piece in part:
            if out and isinstance(piece, str) and isinstance(out[-1], str):
                out[-1] += piece
            else:
                out.append(piece)
    return tuple(out)


def either(options: Sequence[Template]) -> Template:
    """One template for several alternatives, in order, equal ones once."""
    flat: dict[Template, None] = {}
    for option in options:
        if len(option) == 1 and isinstance(option[0], Alt):
            flat.update(dict.fromkeys(option[0].options))
        else:
            flat[option] = None
    distinct = list(flat)
    holes = [o for o in distinct if len(o) == 1 and isinstance(o[0], Hole)]
    if len(holes) > 1:  # several bare holes say no more than the first
        first = holes[0][0]
        assert isinstance(first, Hole)
        empty = any(isinstance(h[0], Hole) and h[0].may_be_empty for h in holes)
        keep: Template = (Hole(first.expression, empty),)
        distinct = [keep if o is holes[0] else o for o in distinct if o is holes[0] or o not in holes]
    if len(distinct) == 2 and EMPTY in distinct:
        other = distinct[0] or distinct[1]
        if len(other) == 1 and isinstance(other[0], Hole):
            return (Hole(other[0].expression, may_be_empty=True),)
    if not distinct:
        return EMPTY
    return distinct[0] if len(distinct) == 1 else (Alt(tuple(distinct)),)


def repeat(body: Template) -> Template:
    """The body any number of times; a repeated bare hole is one hole that may be empty.

    Repeats inside repeats say no more than a hole, and cost a backtracking engine its life.
    """
    if not body:
        return EMPTY
    if len(body) > 1:
        body = _flat(body)
    if len(body) == 1 and isinstance(body[0], Hole):
        return (Hole(body[0].expression, may_be_empty=True),)
    if len(body) == 1 and isinstance(body[0], Rep):
        return body
    return (Rep(body),)


def _flat(template: Template) -> Template:
    """The template with every repeated part in it as one hole that may be empty."""
    out: list[Template] = []
    for piece in template:
        if isinstance(piece, Rep):
            out.append((Hole(_first_hole(piece.body), may_be_empty=True),))
        elif isinstance(piece, Alt):
            out.append(either([_flat(o) for o in piece.options]))
        else:
            out.append((piece,))
    return concat(out)


def _first_hole(template: Template) -> str:
    """What to call a hole that stands for a template."""
    for piece in template:
        if isinstance(piece, Hole):
            return piece.expression
        inner = piece.options if isinstance(piece, Alt) else (piece.body,) if isinstance(piece, Rep) else ()
        for one in inner:
            found = _first_hole(one)
            if found != "…":
                return found
    return "…"


def is_fixed(template: Template) -> bool:
    return all(isinstance(p, str) for p in template)


def fixed_text(template: Template) -> str | None:
    """The text of a template without holes and alternatives, else None."""
    if not template:
        return ""
    if len(template) == 1 and isinstance(template[0], str):
        return template[0]
    return None


def size(template: Template) -> int:
    n = 0
    for piece in template:
        n += 1
        if isinstance(piece, Alt):
            n += sum(size(o) for o in piece.options)
        elif isinstance(piece, Rep):
            n += size(piece.body)
    return n


def has_text(template: Template) -> bool:
    """Whether any fixed character stands anywhere in it."""
    for piece in template:
        if isinstance(piece, str):
            return True
        if isinstance(piece, Alt) and any(has_text(o) for o in piece.options):
            return True
        if isinstance(piece, Rep) and has_text(piece.body):
            return True
    return False


def can_be_empty(template: Template) -> bool:
    for piece in template:
        if isinstance(piece, str):
            return False
        if isinstance(piece, Hole) and not piece.may_be_empty:
            return False
        if isinstance(piece, Alt) and not any(can_be_empty(o) for o in piece.options):
            return False
    return True


def fixed_length(template: Template) -> int:
    """Characters that every text of the template holds: of alternatives the shortest, of repeats none."""
    n = 0
    for piece in template:
        if isinstance(piece, str):
            n += len(piece)
        elif isinstance(piece, Alt):
            n += min(fixed_length(o) for o in piece.options)
    return n


def bounded(template: Template, expression: str, most: int = MAX_PIECES) -> Template:
    """The template with at most so many pieces: the largest alternatives in it become holes first, then all of it."""
    for largest in (60, 30, 15, 8):
        if size(template) <= most:
            return template
        template = _without_larger(template, largest)
    return template if size(template) <= most else (Hole(expression, can_be_empty(template)),)


def _without_larger(template: Template, most: int) -> Template:
    if len(template) == 1 and isinstance(template[0], Alt):
        return either([_without_larger(o, most) for o in template[0].options])
    out: list[Template] = []
    for piece in template:
        large = isinstance(piece, (Alt, Rep)) and size((piece,)) > most
        out.append((Hole(_first_hole((piece,)), can_be_empty((piece,))),) if large else (piece,))
    return concat(out)


# Text functions (`strip`, `format`, `%`, …) run on real strings: each piece that is no text stands as one
# character of a private plane, which no string method changes, and is put back afterwards.
_FIRST = 0xF0000


@frozen
class Masked:
    """A template as one string; `pieces` are what the private characters in it stand for."""

    string: str
    pieces: tuple[Piece, ...]


def mask(template: Template) -> Masked:
    pieces: list[Piece] = []
    out: list[str] = []
    for piece in template:
        if isinstance(piece, str):
            out.append(piece)
        else:
            out.append(chr(_FIRST + len(pieces)))
            pieces.append(piece)
    return Masked("".join(out), tuple(pieces))


def unmask(string: str, pieces: Sequence[Piece]) -> Template:
    if not pieces:
        return text(string)
    out: list[Template] = []
    start = 0
    for i, char in enumerate(string):
        index = ord(char) - _FIRST
        if 0 <= index < len(pieces):
            out.append(text(string[start:i]))
            out.append((pieces[index],))
            start = i + 1
    out.append(text(string[start:]))
    return concat(out)


def map_text(template: Template, change: Callable[[str], str]) -> Template:
    """Applies a function over strings to the template's text, its other pieces kept where they stand."""
    masked = mask(template)
    return unmask(change(masked.string), masked.pieces)


def map_literals(template: Template, change: Callable[[str], str]) -> Template:
    """Applies a function that works character by character to all fixed text, nested text included."""
    out: list[Piece] = []
    for piece in template:
        if isinstance(piece, str):
            out.append(change(piece))
        elif isinstance(piece, Alt):
            out.append(Alt(tuple(map_literals(o, change) for o in piece.options)))
        elif isinstance(piece, Rep):
            out.append(Rep(map_literals(piece.body, change)))
        else:
            out.append(piece)
    return concat([(p,) if p else EMPTY for p in out])


def cut(template: Template, bounds: Sequence[int | None]) -> Template | None:
    """`text[start:stop:step]`; None where it cuts into what is not known."""
    whole = fixed_text(template)
    if whole is not None:
        return text(whole[slice(*bounds)])
    start, stop, step = bounds
    if step is not None or (start or 0) < 0 or (stop is not None and stop >= 0):
        return None
    front = _without(template[::-1], start or 0, slice(start or 0, None))
    return _without(front[::-1], -(stop or 0), slice(None, stop)) if front is not None else None


def _without(template: Template, count: int, cut: slice) -> Template | None:
    """The template without `count` characters at the end of its last piece."""
    if not count:
        return template
    last = template[-1] if template else None
    if isinstance(last, str) and len(last) >= count:
        return concat([template[:-1], text(last[cut])])
    if isinstance(last, Alt):
        options = [_without(o, count, cut) if o else EMPTY for o in last.options]
        known = [o for o in options if o is not None]
        return concat([template[:-1], either(known)]) if len(known) == len(options) else None
    if isinstance(last, Rep):  # the last round is cut, or there was none and what stands before is
        round_, before = _without(last.body, count, cut), _without(template[:-1], count, cut)
        if round_ is not None and before is not None:
            return either([concat([template, round_]), before])
    return None

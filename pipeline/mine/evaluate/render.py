"""Values as text: what `str()`, `repr()` and `format()` make of a value, as a template."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.mine.evaluate.values import (
    Const,
    Instance,
    Many,
    Marker,
    Seq,
    Table,
    Text,
    Union,
    Unknown,
    Value,
)
from pipeline.mine.template import (
    EMPTY,
    MAX_INLINE,
    Alt,
    Hole,
    Template,
    concat,
    either,
    fixed_text,
    has_text,
    map_literals,
    mask,
    repeat,
    text,
)

Show = Callable[[Instance], "Template | None"]
"""What `str(object)` says, for an object of a class of the tree; None where that is not known."""

MARK = "\0"  # begins the name of a hole that stands for a loop variable's earlier value


def hole(source: str, *, may_be_empty: bool = False) -> Template:
    return (Hole(source, may_be_empty),)


def to_text(value: Value, source: str, show: Show, *, limit: int = MAX_INLINE) -> Template:
    """`str(value)`. `source` names the hole where the value is not known."""
    if isinstance(value, Text):
        return value.template
    if isinstance(value, Const):
        return text(str(value.value))
    if isinstance(value, Unknown):
        return hole(value.source or source, may_be_empty=value.may_be_empty)
    if isinstance(value, Marker):
        return hole(f"{MARK}{value.loop}:{value.name}", may_be_empty=True)
    if isinstance(value, Union):
        return _alternatives([to_text(o, source, show, limit=limit) for o in value.options], source, limit)
    if isinstance(value, Instance):
        said = show(value)
        return hole(source) if said is None else said
    if isinstance(value, (Seq, Table)):
        return to_repr(value, source, show)
    return hole(source)


def _alternatives(options: list[Template], source: str, limit: int) -> Template:
    merged = either(options)
    count = len(merged[0].options) if len(merged) == 1 and isinstance(merged[0], Alt) else 1
    if count > max(MAX_INLINE, limit):
        return hole(source, may_be_empty=any(not o for o in options))
    return merged


def to_repr(value: Value, source: str, show: Show) -> Template:
    """`repr(value)`."""
    if isinstance(value, Text):
        return quoted(value.template, source)
    if isinstance(value, (Const, Marker)):
        return text(repr(value.value)) if isinstance(value, Const) else hole(source)
    if isinstance(value, Unknown):
        return hole(value.source or source)
    if isinstance(value, Union):
        return _alternatives([to_repr(o, source, show) for o in value.options], source, MAX_INLINE)
    if isinstance(value, Seq):
        return _sequence(value, source, show)
    if isinstance(value, Table) and value.whole and len(value.entries) <= MAX_INLINE:
        parts = [concat([to_repr(k, source, show), text(": "), to_repr(v, source, show)]) for k, v in value.entries]
        return _known(concat([text("{"), _joined(parts), text("}")]), source)
    return hole(source)


def to_ascii(template: Template) -> Template:
    """What `ascii()` makes of a `repr()`: escapes for all that is not ASCII."""
    return map_literals(template, lambda s: s.encode("ascii", "backslashreplace").decode("ascii"))


def _sequence(value: Seq, source: str, show: Show) -> Template:
    if value.kind == "set" or any(isinstance(i, Many) for i in value.items) or len(value.items) > 2 * MAX_INLINE:
        return hole(source)
    if value.kind not in ("tuple", "list"):
        return hole(source)
    parts = [to_repr(i, source, show) for i in value.items if not isinstance(i, Many)]
    inside = _joined(parts)
    if value.kind == "tuple":
        return _known(concat([text("("), inside, text(",)" if len(parts) == 1 else ")")]), source)
    return _known(concat([text("["), inside, text("]")]), source)


def _known(template: Template, source: str) -> Template:
    return template or hole(source)


def _joined(parts: list[Template]) -> Template:
    out: list[Template] = []
    for i, part in enumerate(parts):
        out += [text(", ")] * bool(i) + [part]
    return concat(out)


def quoted(template: Template, source: str) -> Template:
    """`repr()` of a text: its quotes depend on the quotes inside, which holes can bring."""
    whole = fixed_text(template)
    if whole is not None:
        return text(repr(whole))
    if not has_text(template):
        return hole(source)
    literal = "".join(c for c in mask(template).string if ord(c) < 0xF0000)
    single = concat([text("'"), map_literals(template, lambda s: _escape(s, "'")), text("'")])
    double = concat([text('"'), map_literals(template, lambda s: _escape(s, '"')), text('"')])
    if '"' in literal:
        return single
    if "'" in literal:
        return either([double, single])
    either_quote: Template = (Alt((("'",), ('"',))),)
    return concat([either_quote, map_literals(template, lambda s: _escape(s, "")), either_quote])


def _escape(literal: str, quote: str) -> str:
    inside = repr('"' + literal)  # a double quote inside makes repr take single quotes, unless both are there
    inside = inside[2:-1]
    return inside if quote == "'" else inside.replace("\\'", "'")


def formatted(value: Value, spec: str, source: str, show: Show) -> Template:
    """`format(value, spec)` for a constant spec; padding and cutting of unknown text is part of its hole."""
    if not spec:
        return to_text(value, source, show)
    if isinstance(value, Union):
        return _alternatives([formatted(o, spec, source, show) for o in value.options], source, MAX_INLINE)
    known: object
    if isinstance(value, Text):
        literal = fixed_text(value.template)
        if literal is None:
            return value.template if spec == "s" else hole(source)
        known = literal
    elif isinstance(value, Const):
        known = value.value
    else:
        template = to_text(value, source, show)
        return template if spec == "s" or _is_hole(template) else hole(source)
    try:
        return text(format(known, spec))
    except (ValueError, TypeError):
        return hole(source)


def _is_hole(template: Template) -> bool:
    return len(template) == 1 and isinstance(template[0], Hole)


def join_template(
    separator: Template, items: tuple[Value | Many, ...], source: str, show: Show, *, filled: bool
) -> Template:
    """`separator.join(items)`. `filled`: items that are there any number of times are there at least once."""
    fixed = [i for i, item in enumerate(items) if not isinstance(item, Many)]
    bodies = [to_text(i.value if isinstance(i, Many) else i, source, show) for i in items]
    if not fixed:
        return _many(either(bodies), separator, source, filled=filled) if bodies else EMPTY
    out: list[Template] = []
    for i, (item, body) in enumerate(zip(items, bodies, strict=True)):
        if i < fixed[0]:
            out.append(repeat(concat([body, separator])))
        elif i == fixed[0]:
            out.append(body)
        else:
            out.append(repeat(concat([separator, body])) if isinstance(item, Many) else concat([separator, body]))
    return concat(out)


def _many(one: Template, separator: Template, source: str, *, filled: bool) -> Template:
    if not has_text(one):
        return hole(source, may_be_empty=not filled)
    some = concat([one, repeat(concat([separator, one]))])
    return some if filled else either([some, EMPTY])


def renamed(value: Value, name: str) -> Value:
    """An assigned value as its reader names it: what is not known is called by the variable."""
    if isinstance(value, Unknown) and value.parameter is None and value.source != name:
        return Unknown(name, value.may_be_empty, why=value.why)
    if isinstance(value, Text) and len(value.template) == 1 and isinstance(value.template[0], Hole):
        only = value.template[0]
        if not only.expression.startswith(MARK):
            return Text((Hole(name, only.may_be_empty),))
    return value

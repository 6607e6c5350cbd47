"""String operations on templates: `%`, `str.format`, and the methods of `str`."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from string import Formatter

from pipeline.mine.evaluate.render import Show, formatted, hole, join_template, to_ascii, to_repr, to_text
from pipeline.mine.evaluate.values import Const, Many, Seq, Table, Text, Union, Unknown, Value, options, union
from pipeline.mine.template import (
    Hole,
    Masked,
    Template,
    concat,
    fixed_text,
    is_fixed,
    map_literals,
    map_text,
    mask,
    text,
    unmask,
)

_CONVERSION = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[#0\- +]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?"
    r"[hlL]?(?P<type>[diouxXeEfFgGcrsa%])"
)

Lookup = Callable[[Value, str, str], Value]
"""`value.name` or `value[name]` in a format field: (value, "." or "[", name) -> value."""

# Methods that change text without looking at where a hole begins or ends.
_CHANGES: dict[str, Callable[..., str]] = {
    "strip": str.strip, "lstrip": str.lstrip, "rstrip": str.rstrip, "replace": str.replace,
    "removeprefix": str.removeprefix, "removesuffix": str.removesuffix, "expandtabs": str.expandtabs,
}  # fmt: skip
# Methods that change characters one by one: a hole's text changes with them, and stays a hole.
_PER_CHARACTER: dict[str, Callable[[str], str]] = {
    "upper": str.upper,
    "lower": str.lower,
    "casefold": str.casefold,
    "swapcase": str.swapcase,
}
# Methods that are only worked out on text without holes.
_WHOLE: dict[str, Callable[..., str]] = {
    "capitalize": str.capitalize, "title": str.title, "center": str.center, "ljust": str.ljust, "rjust": str.rjust,
    "zfill": str.zfill,
}  # fmt: skip
_LISTS: dict[str, Callable[..., list[str]]] = {"split": str.split, "rsplit": str.rsplit, "splitlines": str.splitlines}
_TESTS: dict[str, Callable[..., bool]] = {
    "startswith": str.startswith, "endswith": str.endswith, "isupper": str.isupper, "islower": str.islower,
    "isdigit": str.isdigit, "isidentifier": str.isidentifier, "isalpha": str.isalpha, "isspace": str.isspace,
}  # fmt: skip
METHODS = frozenset({*_CHANGES, *_PER_CHARACTER, *_WHOLE, *_LISTS, *_TESTS, "format", "format_map", "join"})


def percent(template: Template, value: Value, source: str, show: Show) -> Template | None:
    """`template % value`; None where the format cannot be read."""
    masked = mask(template)
    positional = list(value.items) if isinstance(value, Seq) and value.kind == "tuple" else None
    unpacked = isinstance(value, Unknown)
    count = sum(1 for m in _CONVERSION.finditer(masked.string) if m["type"] != "%")
    out: list[Template] = []
    at = taken = 0
    for found in _CONVERSION.finditer(masked.string):
        between = masked.string[at : found.start()]
        if "%" in between:
            return None
        out.append(unmask(between, masked.pieces))
        at = found.end()
        if found["type"] == "%":
            out.append(text("%"))
            continue
        for star in (found["width"], found["precision"]):
            taken += star == "*"
        if found["key"] is not None:
            argument = _entry(value, found["key"], source)
        elif positional is not None:
            if taken >= len(positional):
                return None
            item = positional[taken]
            argument = Unknown(source) if isinstance(item, Many) else item
        else:
            argument = Unknown(f"{_bare(source)}[{taken}]") if unpacked and count > 1 else value
        taken += found["key"] is None
        out.append(_converted(found, argument, source, show))
    if "%" in masked.string[at:]:
        return None
    out.append(unmask(masked.string[at:], masked.pieces))
    return concat(out)


def _bare(source: str) -> str:
    return source[1:-1] if source.startswith("(") and source.endswith(")") else source


def _entry(value: Value, key: str, source: str) -> Value:
    if isinstance(value, Table):
        known = [v for k, v in value.entries if k == Text(text(key))]
        if known:
            return known[-1]
    return Unknown(f"{source}[{key!r}]")


def _converted(found: re.Match[str], value: Value, source: str, show: Show) -> Template:
    kind = found["type"]
    named = value.source if isinstance(value, Unknown) and value.source else source
    if kind in "ra":
        shown = to_repr(value, named, show)
        shown = to_ascii(shown) if kind == "a" else shown
    elif kind == "s":
        shown = to_text(value, named, show)
    elif isinstance(value, Const):
        return _number(found, value.value, named)
    else:
        shown = to_text(value, named, show) if isinstance(value, Unknown) else hole(named)
    if found["width"] or found["precision"] is not None:
        known = fixed_text(shown)
        if known is None or "*" in (found["width"], found["precision"]):
            return shown if len(shown) == 1 and isinstance(shown[0], Hole) else hole(named)
        return text(f"%{found['flags']}{found['width'] or ''}{_precision(found)}s" % known)
    return shown


def _precision(found: re.Match[str]) -> str:
    return "" if found["precision"] is None else f".{found['precision']}"


def _number(found: re.Match[str], value: object, source: str) -> Template:
    if "*" in (found["width"], found["precision"]):
        return hole(source)
    directive = f"%{found['flags']}{found['width'] or ''}{_precision(found)}{found['type']}"
    try:
        return text(directive % (value,))
    except (TypeError, ValueError, OverflowError):
        return hole(source)


def str_format(
    template: Template,
    arguments: Sequence[Value],
    keywords: Sequence[tuple[str, Value]],
    source: str,
    show: Show,
    lookup: Lookup,
) -> Template | None:
    """`template.format(*arguments, **keywords)`; None where the format cannot be read."""
    return _Format(list(arguments), dict(keywords), source, show, lookup).apply(mask(template), depth=2)


class _Format:
    """One call of str.format: what its fields may name, and how many automatic fields were seen."""

    def __init__(
        self, arguments: list[Value], keywords: dict[str, Value], source: str, show: Show, lookup: Lookup
    ) -> None:
        self.arguments, self.keywords = arguments, keywords
        self.source, self.show, self.lookup = source, show, lookup
        self.automatic = 0

    def apply(self, masked: Masked, depth: int) -> Template | None:
        out: list[Template] = []
        try:
            for literal, field, spec, conversion in Formatter().parse(masked.string):
                out.append(unmask(literal, masked.pieces))
                if field is not None:
                    out.append(self.field(field, spec or "", conversion, masked, depth))
        except ValueError:
            return None
        return concat(out)

    def field(self, field: str, spec: str, conversion: str | None, masked: Masked, depth: int) -> Template:
        first, rest = _split_field(field)
        if not first:
            first, self.automatic = str(self.automatic), self.automatic + 1
        value, name = self.named(first)
        for kind, part in rest:
            name += f".{part}" if kind == "." else f"[{part}]"
            value = Unknown(name) if isinstance(value, Unknown) else self.lookup(value, kind, part)
            if isinstance(value, Unknown) and not value.source:
                value = Unknown(name)
        if depth and "{" in spec:
            worked = self.apply(Masked(spec, masked.pieces), depth - 1)
            known = fixed_text(worked) if worked is not None else None
            if known is None:
                return hole(name)
            spec = known
        if conversion in ("r", "a"):
            shown = to_repr(value, name, self.show)
            value = Text(to_ascii(shown) if conversion == "a" else shown)
        elif conversion == "s":
            value = Text(to_text(value, name, self.show))
        return formatted(value, spec, name, self.show)

    def named(self, first: str) -> tuple[Value, str]:
        if first.isdigit():
            index = int(first)
            if index < len(self.arguments):
                value = self.arguments[index]
                return value, value.source if isinstance(value, Unknown) and value.source else f"{self.source}[{first}]"
            return Unknown(first), first
        value = self.keywords.get(first, Unknown(first))
        return value, value.source if isinstance(value, Unknown) and value.source else first


def _split_field(field: str) -> tuple[str, list[tuple[str, str]]]:
    first = re.match(r"[^.\[]*", field)
    head = first[0] if first else ""
    rest = re.findall(r"\.([^.\[]+)|\[([^\]]+)\]", field[len(head) :])
    return head, [(".", a) if a else ("[", b) for a, b in rest]


def method(name: str, template: Template, arguments: Sequence[Value], source: str) -> Value:
    """A `str` method of a template other than format and join, with constant arguments."""
    known = [_constant(a) for a in arguments]
    if any(k is _NOT for k in known):
        return Unknown(source)
    try:
        return _apply(name, template, known, source)
    except (TypeError, ValueError):
        return Unknown(source)


_NOT = object()


def _constant(value: Value) -> object:
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Text):
        literal = fixed_text(value.template)
        return _NOT if literal is None else literal
    if isinstance(value, Seq) and not any(isinstance(i, Many) for i in value.items):
        items = tuple(_constant(i) for i in value.items if not isinstance(i, Many))
        return _NOT if _NOT in items else items
    return _NOT


def _apply(name: str, template: Template, known: list[object], source: str) -> Value:
    if name in _CHANGES:
        return Text(map_text(template, lambda s: _CHANGES[name](s, *known)))
    if name in _PER_CHARACTER:
        return Text(map_literals(template, _PER_CHARACTER[name]))
    if name in _LISTS:
        masked = mask(template)
        pieces = _LISTS[name](masked.string, *known)
        return Seq("list", tuple(Text(unmask(p, masked.pieces)) for p in pieces))
    literal = fixed_text(template)
    if literal is not None and name in _WHOLE:
        return Text(text(_WHOLE[name](literal, *known)))
    if literal is not None and name in _TESTS:
        return Const(_TESTS[name](literal, *known))
    return Unknown(source)


def dedent(template: Template) -> Template:
    return map_text(template, textwrap.dedent)


def indent(template: Template, prefix: str) -> Template:
    """textwrap.indent, where no hole holds a line break."""
    return map_text(template, lambda s: textwrap.indent(s, prefix))


def join(separator: Value, items: Value, source: str, show: Show, *, filled: bool) -> Value:
    """`separator.join(items)`."""
    if isinstance(separator, Union) or isinstance(items, Union):
        pairs = [(s, i) for s in options(separator) for i in options(items)]
        return union([join(s, i, source, show, filled=filled) for s, i in pairs[:16]])
    if not isinstance(separator, Text) or not isinstance(items, Seq):
        return Unknown(source, may_be_empty=not filled)
    between = separator.template
    if not is_fixed(between):
        return Unknown(source, may_be_empty=not filled)
    return Text(join_template(between, items.items, source, show, filled=filled))

"""Python expressions that build a message, in every form that the miner promises to read.

How a law knows which characters of a printed message stood in the source: fixed text is written in the letters a to m
(OWED), text that a loop may repeat in n to z, and a value of run time holds neither (hiragana and digits).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from hypothesis import strategies as st

OWED = "abcdefghijklm"
LOOSE = "nopqrstuvwxyz"
SPECIALS = "^$\\.*+?()[]{}|%'\"#-=:!,;/<>&~`@_"
UNUSUAL = "\n\t\r\x07\x1b\x7féß“”→\u2028\u00a0😀漢"

TEXT_NAMES = ("ace", "bead", "cafe", "deal", "edge", "flag", "gem", "hill", "idea")


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """An expression whose value is a str.

    source: the Python expression. known: no value of run time is in it. alternatives: how many texts it can be told
    to give, an unknown value counting as one. lifted: every letter of OWED that it prints is fixed text of some
    variant. atom: it needs no parentheses as an operand.
    """

    source: str
    known: bool = True
    alternatives: int = 1
    lifted: bool = True
    atom: bool = False

    @property
    def operand(self) -> str:
        return self.source if self.atom else f"({self.source})"


def merged(source: str, parts: Sequence[Text], **changes: object) -> Text:
    """Return an expression that prints all of the parts once."""
    whole = Text(
        source=source,
        known=all(part.known for part in parts),
        alternatives=prod(part.alternatives for part in parts),
        lifted=all(part.lifted for part in parts),
    )
    return replace(whole, **changes)  # type: ignore[arg-type]  # the changes are fields of Text


def either(source: str, parts: Sequence[Text]) -> Text:
    """Return an expression that is one of the parts."""
    return merged(source, parts, alternatives=sum(part.alternatives for part in parts))


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """What an expression may name: parameters (of fixed names and types), and locals that hold text."""

    texts: dict[str, Text] = field(default_factory=dict)
    opaque: bool = True


# The parameters of a generated function; the values are non-empty but for `deck`, which only `join` turns into text.
STR_VALUES = (
    "bag",
    "fig",
    "hall.kid",
    'lid["toy"]',
    "hall.label()",
    "bag.upper()",
    "fig.strip()",
    "type(bag).__name__",
    "str(dim)",
    "milk[0].__str__()",
)
EMPTY_VALUES = ("bag[dim:]", "fig[:lag - lag]", 'lid.get("sun", "")', '(bag if p else "")', '(fig if lag > 4 else "")')
INT_VALUES = ("dim", "lag", "len(deck)", "milk[0]", "dim + 1", "dim * lag", "-dim", "max(milk)", 'hall.size["h"]')
ANY_VALUES = ("deck", "milk", "lid", "hall", "(dim, lag)", "[dim, *milk]", "age", "milk[0] if q else dim")
PARAMETERS = ("bag", "fig", "dim", "lag", "age", "deck", "milk", "lid", "hall", "p", "q", "r")


class Hall:
    """A value of a class of its own; what it prints holds no letter of OWED."""

    kid = "もや"
    size = {"h": 5}  # noqa: RUF012  # never changed
    cell = ("め", "ん")

    def label(self) -> str:
        return "ゆ."

    def __str__(self) -> str:
        return "めん"

    def __repr__(self) -> str:
        return "<もん>"


VALUES: tuple[tuple[object, ...], ...] = (
    ("め", "も(や", 7, 4, 2.5, [], [3], {"toy": "ゆ"}, Hall()),
    ("ゆ.*よ め", "や", 16, 6, 1024.0, ["め", "もも", "や"], [5, 9], {"toy": "$も", "sun": "や"}, Hall()),
)


def characters(letters: str) -> st.SearchStrategy[str]:
    plain = st.sampled_from(letters + letters.upper())
    odd = st.sampled_from(SPECIALS + " ")
    return st.one_of(plain, plain, plain, st.sampled_from(" "), odd, st.sampled_from(SPECIALS + UNUSUAL))


LITERALS = st.text(characters(OWED), min_size=1, max_size=12)
LOOSE_LITERALS = st.text(characters(LOOSE), min_size=1, max_size=6)
SHORT = st.text(st.sampled_from(OWED + " ,;|-"), min_size=1, max_size=3)

NAMED_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}


def escaped(character: str, *, quote: str, style: str) -> str:
    """Write one character inside a string literal that `quote` delimits. style: plain, hex or octal."""
    if character in NAMED_ESCAPES and not (character in "\n\t" and len(quote) == 3 and style == "plain"):
        return NAMED_ESCAPES[character]
    if character == quote[0]:
        return "\\" + character
    if character.isprintable() and (style == "plain" or character.isascii()):
        return character
    if character in "\n\t":
        return character
    if character == "😀" and style == "hex":
        return "\\N{GRINNING FACE}"
    code = ord(character)
    if code < 256:
        return f"\\{code:03o}" if style == "octal" else f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def body_of(draw: st.DrawFn, text: str, quote: str, *, double: bool = False) -> str:
    """Write `text` as the inside of a literal; `double`: braces are doubled, as in an f-string."""
    style = draw(st.sampled_from(("plain", "hex", "octal")))
    body = "".join(escaped(character, quote=quote, style=style) for character in text)
    return body if not double else doubled(body)


def doubled(body: str) -> str:
    """Double the braces of a literal's inside, but not those of `\\N{…}`."""
    return re.sub(r"\\\\|\\N\{[^}]*\}|[{}]", lambda found: found[0] if found[0][0] == "\\" else found[0] * 2, body)


def literal_source(draw: st.DrawFn, text: str, *, whole: bool = False) -> str:
    """Write a text as a literal; unless `whole`, perhaps as several side by side in parentheses."""
    form = draw(st.sampled_from(("'", '"', "'''", '"""', "raw", "u", "continued", "'" if whole else "split")))
    if form == "raw":
        fits = not set(text) & set('"\\\n\r') and text.isprintable()
        return f'r"{text}"' if fits else repr(text)
    if form == "split" and len(text) > 1:
        cut = draw(st.integers(1, len(text) - 1))
        gap = draw(st.sampled_from((" ", "\n      ", "  # gap\n")))
        return f"({literal_source(draw, text[:cut], whole=True)}{gap}{literal_source(draw, text[cut:], whole=True)})"
    if form == "continued":
        return f'"{body_of(draw, text[:1], chr(34))}\\\n{body_of(draw, text[1:], chr(34))}"'
    prefix, quote = ("u", "'") if form == "u" else ("", form if form != "split" else "'")
    return f"{prefix}{quote}{body_of(draw, text, quote)}{quote}"


def literal(draw: st.DrawFn, strategy: st.SearchStrategy[str] = LITERALS) -> Text:
    return Text(source=literal_source(draw, draw(strategy)), atom=True)


def opaque(draw: st.DrawFn, kinds: str = "sia") -> Text:
    """Return a value of run time. kinds: s (str), e (str that may be empty), i (int), a (anything)."""
    pools = {"s": STR_VALUES, "e": EMPTY_VALUES, "i": INT_VALUES, "a": ANY_VALUES}
    source = draw(st.sampled_from(tuple(value for kind in kinds for value in pools[kind])))
    return Text(source=source, known=False, atom=re.fullmatch(r"[\w.]+", source) is not None)


def piece(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    """Return what is put into a template: a text, or a value of any type where the scope has values."""
    if scope.opaque and draw(st.integers(0, 2)):
        return opaque(draw, "sseia")
    return text(draw, scope, depth - 1) if depth > 0 else literal(draw)


def string(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    """Return an operand of `+` or `join`: a str for certain."""
    if scope.opaque and not draw(st.integers(0, 2)):
        return opaque(draw, "sse")
    return text(draw, scope, depth - 1) if depth > 0 else literal(draw)


STR_SPECS = (">10", "<8", "^9", "s", "*^12", ".3", "6.2")
INT_SPECS = ("d", "5d", "05", "+d", "x", "#x", ",", "b", "_", ">6", "n")
DEBUG = ("=", " = ", "= ", "=!r", "=!s", "=:>9")
PLAIN = "plain"


def field_parts(draw: st.DrawFn, scope: Scope, depth: int) -> tuple[Text, str, str]:
    """Return what a replacement field shows, its conversion (`!r` or "") and its spec (with the colon, or "")."""
    form = draw(st.sampled_from((PLAIN, PLAIN, PLAIN, "conversion", "str", "int", "known")))
    if form == PLAIN:
        return piece(draw, scope, depth), "", ""
    if form == "conversion" and scope.opaque:
        return opaque(draw, "sia"), draw(st.sampled_from(("!r", "!s", "!a"))), draw(st.sampled_from(("", ":>20")))
    if form == "str" and scope.opaque:
        return opaque(draw, "s"), "", ":" + draw(st.sampled_from(STR_SPECS))
    if form == "int" and scope.opaque:
        return opaque(draw, "i"), "", ":" + draw(st.sampled_from(INT_SPECS))
    known = Text(source=repr(draw(SHORT)), atom=True) if draw(st.booleans()) else number(draw)
    return known, draw(st.sampled_from(("", "!r", "!s"))), draw(st.sampled_from(("", "", ":>6")))


def number(draw: st.DrawFn) -> Text:
    return Text(source=str(draw(st.integers(0, 40))), atom=True)


# -- f-strings


def f_string(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    parts: list[tuple[str, Text | str]] = []  # ("text", str) or ("field", a field with its expression as source)
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(("text", "field", "field")))
        parts.append((kind, draw(LITERALS) if kind == "text" else f_field(draw, scope, depth)))
    fields = [part for _, part in parts if isinstance(part, Text)]
    quote = next((mark for mark in ("'", '"', "'''", '"""') if all(fits_in(one.source, mark) for one in fields)), None)
    if quote is None:
        return literal(draw)
    raw = draw(st.integers(0, 4)) == 0
    inside = ""
    for _, part in parts:
        if isinstance(part, Text):
            inside += part.source
        elif raw:
            inside += doubled("".join(c for c in part if c.isprintable() and c not in "'\"\\"))
        else:
            inside += body_of(draw, part, quote, double=True)
    prefix = draw(st.sampled_from(("rf", "fR"))) if raw else draw(st.sampled_from(("f", "f", "F")))
    return merged(f"{prefix}{quote}{inside}{quote}", fields, atom=True)


def fits_in(source: str, quote: str) -> bool:
    """Whether a replacement field may stand in an f-string of this delimiter in Python before 3.12."""
    return quote not in source and not set(source) & set("\\#\n")


def f_field(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    form = draw(st.sampled_from((PLAIN, PLAIN, PLAIN, "debug", "nested")))
    if form == "debug" and scope.opaque:
        source = draw(st.sampled_from(("bag", "dim", "hall.kid", "deck", "len(deck)", "milk[0]", "dim + 1")))
        mark = draw(st.sampled_from(("=", " = ", "=!r", "=!s"))) if source == "deck" else draw(st.sampled_from(DEBUG))
        return Text(source="{" + source + mark + "}", known=False)
    if form == "debug" and scope.texts:
        name = draw(st.sampled_from(sorted(scope.texts)))
        owner = scope.texts[name]
        return replace(owner, source="{" + name + "=}", lifted=owner.known)
    if form == "nested" and scope.opaque:
        source = draw(
            st.sampled_from(("{bag:>{dim}}", "{age:{dim}.{milk[0]}f}", "{dim:{lag}d}", "{bag!r:>{dim + 20}}"))
        )
        return Text(source=source, known=False)
    shown, conversion, spec = field_parts(draw, scope, depth)
    space = " " if shown.operand.startswith("{") else ""
    return replace(shown, source="{" + space + shown.operand + conversion + spec + "}")


# -- %


def percent(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    count = draw(st.integers(0, 3))
    conversions, shown = [], []
    for _ in range(count):
        conversion, value = percent_field(draw, scope, depth)
        conversions.append(conversion)
        shown.append(value)
    if count == 1 and draw(st.booleans()) and not may_be_tuple(shown[0]):
        template = percent_template(draw, conversions)
        return merged(f"{template} % {shown[0].operand}", shown)
    if count and draw(st.integers(0, 2)) == 0:
        return percent_mapping(draw, conversions, shown)
    template = percent_template(draw, conversions)
    items = "".join(f"{value.source}, " for value in shown)
    return merged(f"{template} % ({items.rstrip() if count else ''})", shown)


def may_be_tuple(value: Text) -> bool:
    return value.source.startswith("(") or value.source == "lid"


def percent_field(draw: st.DrawFn, scope: Scope, depth: int) -> tuple[str, Text]:
    form = draw(st.sampled_from(("s", "s", "r", "d", "known", "spec")))
    if form == "r" and scope.opaque:
        return draw(st.sampled_from(("r", "a", "-20r"))), opaque(draw, "sia")
    if form == "d" and scope.opaque:
        conversions = ("d", "i", "5d", "05d", "+d", "x", "#x", "o", "-6d", " d", "u", "X", ".3f")
        return draw(st.sampled_from(conversions)), opaque(draw, "i")
    if form == "known":
        if draw(st.booleans()):
            return draw(st.sampled_from(("s", "d", "r", "4d", "x"))), number(draw)
        return draw(st.sampled_from(("s", "-6s", "6s", ".2s", "r"))), Text(source=repr(draw(SHORT)), atom=True)
    if form == "spec" and scope.opaque:
        return draw(st.sampled_from(("-10s", "10s", ".3s", "8.2s"))), opaque(draw, "s")
    return "s", piece(draw, scope, depth)


def percent_template(draw: st.DrawFn, conversions: Sequence[str], keys: Sequence[str] | None = None) -> str:
    """Return the source of the literal left of `%`."""
    marks = [f"%({key})" if keys else "%" for key in keys or conversions]
    template = percent_text(draw)
    for mark, conversion in zip(marks, conversions, strict=True):
        template += mark + conversion + percent_text(draw)
    return literal_source(draw, template)


def percent_text(draw: st.DrawFn) -> str:
    return draw(LITERALS).replace("%", "%%") if draw(st.integers(0, 3)) else draw(st.sampled_from(("", "%%", " ")))


def percent_mapping(draw: st.DrawFn, conversions: Sequence[str], shown: Sequence[Text]) -> Text:
    keys = [f"k{place}" for place in range(len(shown))]
    template = percent_template(draw, conversions, keys)
    pairs = list(zip(keys, shown, strict=True))
    if draw(st.booleans()):
        mapping = "dict(" + ", ".join(f"{key}={value.operand}" for key, value in pairs) + ")"
    else:
        mapping = "{" + ", ".join(f"{key!r}: {value.operand}" for key, value in pairs) + "}"
    return merged(f"{template} % {mapping}", shown)


# -- str.format


def format_call(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    if scope.opaque and draw(st.integers(0, 4)) == 0:
        return format_lookup(draw)
    count = draw(st.integers(0, 3))
    fields = [field_parts(draw, scope, depth) for _ in range(count)]
    way = draw(st.sampled_from(("auto", "numbered", "named", "star", "kwargs", "map", "mixed", "unbound", "nested")))
    shown = [value for value, _, _ in fields]
    keys = [f"k{place}" for place in range(count)]
    numbers = [str(place) for place in range(count)]
    if way == "nested" and not scope.opaque:
        way = "named"
    if way == "nested":
        template = format_template(draw, ["{:{}}"])
        return Text(source=f"{template}.format({draw(st.sampled_from(('bag', 'fig')))}, lag)", known=False, atom=True)
    marks = {"auto": [""] * count, "star": [""] * count, "numbered": numbers, "unbound": numbers}.get(way, keys)
    if way == "mixed":
        marks = ["" if place == 0 else keys[place] for place in range(count)]
    written = ["{" + mark + c + spec + "}" for mark, (_, c, spec) in zip(marks, fields, strict=True)]
    if way == "numbered" and count > 1 and draw(st.booleans()):
        written.reverse()
    template = format_template(draw, written)
    arguments = format_arguments(draw, way, [value.operand for value in shown], keys)
    if way == "unbound":
        return merged(f"str.format({', '.join([template, *arguments])})", shown, atom=True)
    method = "format_map" if way == "map" else "format"
    return merged(f"{template}.{method}({', '.join(arguments)})", shown, atom=True)


def format_arguments(draw: st.DrawFn, way: str, operands: list[str], keys: list[str]) -> list[str]:
    named = [f"{key}={operand}" for key, operand in zip(keys, operands, strict=True)]
    table = "{" + ", ".join(f"{key!r}: {operand}" for key, operand in zip(keys, operands, strict=True)) + "}"
    if way == "named":
        return named[::-1]
    if way == "mixed":
        return operands[:1] + named[1:]
    if way == "map":
        return [table]
    if way == "kwargs":
        return [draw(st.sampled_from((f"**{table}", f"**dict({', '.join(named)})")))]
    if way == "star":
        items = ", ".join(operands)
        return (
            [f"*[{items}]"]
            if draw(st.booleans())
            else [*operands[:1], f"*({', '.join(operands[1:])}{',' * (len(operands) > 1)})"]
        )
    return operands


def format_template(draw: st.DrawFn, written: Sequence[str]) -> str:
    """Return the source of the literal before `.format`."""
    texts = [draw(LITERALS).replace("{", "{{").replace("}", "}}") for _ in range(len(written) + 1)]
    template = texts[0] + "".join(mark + after for mark, after in zip(written, texts[1:], strict=True))
    return literal_source(draw, template)


def format_lookup(draw: st.DrawFn) -> Text:
    """Return a template whose fields look into their argument."""
    mark, arguments = draw(
        st.sampled_from(
            (
                ("{.kid}", "hall"),
                ("{0.kid}", "hall"),
                ("{0.size[h]:>3}", "hall"),
                ("{0[0]}", "milk"),
                ("{h.cell[1]!r}", "h=hall"),
                ("{0[toy]}", "lid"),
                ("{toy}", "**lid"),
                ("{bag}", "**locals()"),
                ("{bag}", "**vars()"),
                ("{0}", "*milk"),
                ("{0} {0}", "bag, fig"),
            )
        )
    )
    return Text(source=f"{format_template(draw, [mark])}.format({arguments})", known=False, atom=True)


# -- operators, calls, choices


def plus(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    parts = [string(draw, scope, depth) for _ in range(draw(st.integers(2, 3)))]
    glue = draw(st.sampled_from((" + ", "\n      + ")))
    joined = glue.join(part.operand for part in parts)
    return merged(f"({joined})", parts, atom=True)


def times(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    if scope.opaque and draw(st.booleans()):
        once = literal_source(draw, draw(LOOSE_LITERALS))
        often = draw(st.sampled_from(("dim", "len(deck)", "(lag > 4)", "(len(deck) != 1)")))
        source = draw(st.sampled_from((f"{once} * {often}", f"{often} * {once}")))
        return Text(source=source, known=False)
    count = draw(st.integers(0, 3))
    one = literal(draw)
    source = draw(st.sampled_from((f"{one.source} * {count}", f"{count} * {one.source}")))
    return Text(source=source)


def join(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    if scope.opaque and draw(st.booleans()):
        return join_unknown(draw)
    items = [string(draw, scope, depth) for _ in range(draw(st.integers(0, 3)))]
    inside = ", ".join(item.operand for item in items)
    display = draw(st.sampled_from((f"[{inside}]", f"({inside}{',' * (len(items) == 1)})")))
    separator = literal(draw, st.one_of(st.just(""), LITERALS))
    used = [] if len(items) < 2 else [separator]
    return merged(f"{separator.source}.join({display})", [*items, *used], atom=True)


def join_unknown(draw: st.DrawFn) -> Text:
    separator = literal_source(draw, draw(st.one_of(st.sampled_from((", ", "\n", "", " | ")), LOOSE_LITERALS)))
    items = draw(
        st.sampled_from(
            (
                "deck",
                "sorted(deck)",
                "map(str, milk)",
                "[str(i) for i in deck]",
                "(f'nor {i}; ' for i in deck)",
                "('uv %s' % i for i in milk if i > 3)",
                "['top', *deck]",
                "[fig] + deck",
                "[*deck, bag]",
                "tuple(f'{i}={j!r}' for i, j in lid.items())",
                "list(reversed(deck))",
                "(str(i) + 'x' for i in range(lag))",
            )
        )
    )
    return Text(source=f"{separator}.join({items})", known=False, atom=True)


def convert(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    if scope.opaque and draw(st.booleans()):
        value = opaque(draw, "sia")
        call = draw(st.sampled_from(("str({})", "repr({})", "ascii({})", "format({})", "{}.__repr__()")))
        return Text(source=call.format(value.operand), known=False, atom=True)
    inner = text(draw, scope, depth - 1) if depth > 0 else literal(draw)
    if inner.known and draw(st.booleans()):
        call = draw(st.sampled_from(("repr({})", "format({}, '>9')", "str({})", "format({})")))
        return replace(inner, source=call.format(inner.source), atom=True)
    return replace(inner, source=f"str({inner.source})", atom=True)


METHODS = (
    ".upper()",
    ".lower()",
    ".strip()",
    ".lstrip()",
    ".rstrip()",
    ".strip('ab. ')",
    ".title()",
    ".capitalize()",
    ".swapcase()",
    ".replace('a', 'bc')",
    ".replace('\\n', ' ')",
    ".removeprefix('a')",
    ".removesuffix('b')",
    ".center(20)",
    ".ljust(15, '.')",
    ".rjust(15)",
    ".zfill(12)",
    ".expandtabs(4)",
)


def method(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    """Return a string method called on text; only on wholly known text is the result owed."""
    inner = text(draw, scope, depth - 1) if depth > 0 else literal(draw)
    if draw(st.integers(0, 3)) == 0:
        source = draw(st.sampled_from(("textwrap.dedent({})", "dedent({}).strip()"))).format(inner.source)
    else:
        source = inner.operand + draw(st.sampled_from(METHODS))
    return replace(inner, source=source, atom=True, lifted=inner.known)


def dedented(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    """Return the usual `textwrap.dedent` of a literal of several indented lines."""
    lines = draw(st.lists(st.text(st.sampled_from(OWED + " .,()"), min_size=1, max_size=9), min_size=1, max_size=3))
    opening = draw(st.sampled_from(("", "\\\n", "\n")))
    body = "".join(f"        {line}\n" for line in lines)
    call = draw(st.sampled_from(("textwrap.dedent({})", "dedent({})", "dedent({}).strip()")))
    return Text(source=call.format(f'"""{opening}{body}        """'), atom=True)


def conditional(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    first = choice(draw, scope, depth)
    second = choice(draw, scope, depth)
    test = draw(st.sampled_from(("p", "q", "r", "not p", "p and q", "dim > 7", "len(deck) == 1", "bag is fig")))
    return either(f"{first.operand} if {test} else {second.operand}", [first, second])


def choice(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    if draw(st.integers(0, 3)) == 0:
        return Text(source=draw(st.sampled_from(("''", '""'))), atom=True)
    return text(draw, scope, depth - 1) if depth > 0 else literal(draw)


def name(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    if not scope.texts:
        return literal(draw)
    chosen = draw(st.sampled_from(sorted(scope.texts)))
    return replace(scope.texts[chosen], source=chosen, atom=True)


def value(draw: st.DrawFn, scope: Scope, depth: int) -> Text:
    return opaque(draw, "se") if scope.opaque else literal(draw)


FORMS: tuple[Callable[[st.DrawFn, Scope, int], Text], ...] = (
    lambda draw, scope, depth: literal(draw),
    f_string,
    f_string,
    percent,
    format_call,
    plus,
    times,
    join,
    convert,
    method,
    dedented,
    conditional,
    name,
    name,
    value,
)


def text(draw: st.DrawFn, scope: Scope, depth: int = 2) -> Text:
    """Draw an expression of at most this depth."""
    if depth <= 0:
        return name(draw, scope, depth) if draw(st.booleans()) else literal(draw)
    return draw(st.sampled_from(FORMS))(draw, scope, depth)


def both(source: str, *parts: Text) -> Text:
    """Return a name that prints all of the parts."""
    return merged(source, parts, atom=True)

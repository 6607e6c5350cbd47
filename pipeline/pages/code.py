"""Python code as HTML: Pygments' tokens in a handful of classes, one line after the other."""

import functools
import html
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from pipeline.pages.plain import visible

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType as TokenType

Token = tuple["TokenType", str]
_CLASSES: Final = {
    "Token.Keyword": "k",
    "Token.Operator.Word": "k",
    "Token.Keyword.Constant": "m",
    "Token.Literal.String": "s",
    "Token.Literal.String.Interpol": "i",
    "Token.Literal.String.Escape": "i",
    "Token.Literal.Number": "m",
    "Token.Comment": "c",
    "Token.Name.Function": "f",
    "Token.Name.Class": "f",
    "Token.Name.Decorator": "d",
    "Token.Name.Builtin": "b",
    "Token.Name.Exception": "b",
}


def snippet(text: str) -> Markup:
    """A piece of Python code."""
    return Markup("\n").join(lines(tokens(text)))


def tokens(text: str) -> list[Token]:
    """What the text consists of."""
    return list(_lexer().get_tokens(text))


def lines(found: Iterable[Token]) -> list[Markup]:
    """The lines of some tokens as HTML, without the empty one after the last newline."""
    out: list[str] = []
    current: list[str] = []
    for css, text in _runs(found):
        first, *rest = text.split("\n")
        current.append(_span(css, first))
        for line in rest:
            out.append("".join(current))
            current = [_span(css, line)]
    if last := "".join(current):
        out.append(last)
    return [Markup(line) for line in out]  # noqa: S704  # every piece of text was escaped by _span


def _runs(found: Iterable[Token]) -> Iterator[tuple[str | None, str]]:
    """Neighbours of one class in one."""
    css, texts = None, [""]
    for kind, text in found:
        its = _class(kind)
        if its != css and not text.isspace():
            yield css, "".join(texts)
            css, texts = its, []
        texts.append(text)
    yield css, "".join(texts)


def _span(css: str | None, text: str) -> str:
    shown = html.escape(visible(text), quote=False)
    return f'<span class="{css}">{shown}</span>' if css and shown and not shown.isspace() else shown


@functools.cache
def _class(kind: "TokenType") -> str | None:
    its: TokenType | None = kind
    while its:
        if found := _CLASSES.get(str(its)):
            return found
        its = its.parent
    return None


@functools.cache
def _lexer() -> "Lexer":
    from pipeline.pages.lexer import Python

    return Python(stripnl=False, ensurenl=True)

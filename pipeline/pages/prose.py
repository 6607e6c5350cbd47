"""Prose as HTML: Markdown from the source, a model or a person, of which nothing but plain elements is left."""

import functools
import html
import re
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from pipeline.pages import code
from pipeline.pages.plain import visible, web_address

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_TAGS: Final = {"p", "br", "ul", "ol", "li", "code", "pre", "strong", "em", "a", "blockquote", "span"}
_ATTRIBUTES: Final = {"a": {"href"}, "span": {"class"}, "pre": {"tabindex", "role", "aria-label"}}
_HEADINGS: Final = {"h2", "h3", "h4"}
_TABLES: Final = {"table", "thead", "tbody", "tr", "th", "td"}
_CODE: Final = re.compile(r"`([^`\n]+)`")
_SIMPLE: Final = re.compile(r"(?:[^`*\[\n<]|<(?![a-z]+[:@])|`[^`\n]+`(?!`))+\Z", re.IGNORECASE)
_BEGINS: Final = re.compile(r"\s|[-+>#=]|\d+[.)]|`{3}")  # what could begin a list, a heading or a block of code


def prose(text: str) -> Markup:
    """A few paragraphs or lists."""
    if _is_simple(text):
        return Markup("<p>{}</p>\n").format(_simple(text))
    return _clean(_parser().render(visible(text)), _TAGS)


def line(text: str) -> Markup:
    """A sentence or two, inside of another element."""
    if _is_simple(text):
        return _simple(text)
    return _clean(_parser().renderInline(visible(text)), _TAGS)


def article(text: str) -> Markup:
    """A whole article without its title; its headings can be linked to."""
    return _clean(_article_parser().render(visible(text)), _TAGS | _HEADINGS | _TABLES)


def _is_simple(text: str) -> bool:
    return bool(_SIMPLE.match(text)) and not _BEGINS.match(text)


def _simple(text: str) -> Markup:
    """Text in which only code is marked, without the parser: nearly all of what is derived is of this kind."""
    shown = html.escape(visible(text), quote=False)
    return Markup(_CODE.sub(r"<code>\1</code>", shown))  # noqa: S704  # escaped in the line before


def _clean(shown: str, tags: set[str]) -> Markup:
    import nh3

    attributes = _ATTRIBUTES | {tag: {"id"} for tag in tags & _HEADINGS}
    schemes = {"http", "https"}
    clean = nh3.clean(shown, tags=tags, attributes=attributes, url_schemes=schemes, link_rel="nofollow noopener")
    return Markup(clean)  # noqa: S704  # nothing else than these elements and attributes is left


@functools.cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).disable(["image", "html_inline", "html_block", "entity"])
    parser.validateLink = _is_of_the_web  # type: ignore[method-assign]  # markdown-it's way to say it
    parser.disable("escape").inline.ruler.at("emphasis", _starred)  # docstrings hold backslashes and __names__
    parser.add_render_rule("fence", _fence)
    return parser


def _is_of_the_web(url: str) -> bool:
    """What is no whole address stays text: `x[0](y)` is code more often than a link."""
    return web_address(url) is not None


def _starred(state: "StateInline", silent: bool) -> bool:
    """Emphasis by `*` only."""
    from markdown_it.rules_inline import emphasis

    return state.src[state.pos] == "*" and emphasis.tokenize(state, silent)


@functools.cache
def _article_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).disable(["image", "html_inline", "html_block"]).enable("table")
    parser.validateLink = _is_of_the_web  # type: ignore[method-assign]  # as above
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("heading_open", _heading)
    return parser


def _fence(_: object, tokens: "list[Token]", at: int, *__: Any) -> str:
    """A block of code; highlighted where it says that it is Python."""
    token = tokens[at]
    python = token.info.strip().lower() in {"python", "py"}
    shown = code.snippet(token.content) if python else html.escape(token.content, quote=False)
    return f'<pre tabindex="0" role="group" aria-label="Code"><code>{shown}</code></pre>\n'


def _heading(_: object, tokens: "list[Token]", at: int, *__: Any) -> str:
    words = re.findall("[a-z0-9]+", tokens[at + 1].content.lower())
    return f'<{tokens[at].tag} id="{"-".join(words)[:60]}">'

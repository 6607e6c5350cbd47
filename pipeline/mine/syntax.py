"""Python syntax through tree-sitter: parsing, source words, and what a string literal says."""

from __future__ import annotations

import ast
import codecs
import re
from collections.abc import Iterator
from functools import lru_cache

import tree_sitter_python
from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

LANGUAGE = Language(tree_sitter_python.language())
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)")
_SPACE = re.compile(r"\s+")
_PREFIX = re.compile(r"[A-Za-z]*")


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(LANGUAGE)


def parse(source: bytes) -> Tree:
    """Parses UTF-8 source; damage becomes ERROR nodes, never an exception."""
    return _parser().parse(source)


def query(pattern: str) -> Query:
    return Query(LANGUAGE, pattern)


def captures(question: Query, node: Node) -> dict[str, list[Node]]:
    return QueryCursor(question).captures(node)


def occurrences(source: bytes, name: bytes) -> Iterator[int]:
    """Where a whole word stands in a source."""
    at = source.find(name)
    while at >= 0:
        end = at + len(name)
        if not _is_word(source[at - 1 : at]) and not _is_word(source[end : end + 1]):
            yield at
        at = source.find(name, end)


def _is_word(char: bytes) -> bool:
    return char.isalnum() or char == b"_"


def to_utf8(data: bytes) -> tuple[bytes, str | None]:
    """The source as UTF-8 without BOM or carriage returns, and what was wrong with its encoding (or None).

    Follows PEP 263. Bytes that are not text in the declared encoding become U+FFFD, so that the rest of
    the file can still be read; line and column of everything else stay.
    """
    data, reason = _decoded(data)
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data, reason


def _decoded(data: bytes) -> tuple[bytes, str | None]:
    if data.startswith(codecs.BOM_UTF8):
        data = data[3:]
    name = _declared_encoding(data)
    if name in (None, "utf-8", "utf8", "ascii", "us-ascii") and data.isascii():
        return data, None
    try:
        codec = codecs.lookup(name or "utf-8")
    except LookupError:
        return _utf8_or_replaced(data, f"unknown encoding {name}")
    if not codec._is_text_encoding:  # noqa: SLF001  (rot13 and friends name no character set)
        return _utf8_or_replaced(data, f"unknown encoding {name}")
    if codec.name == "utf-8":
        return _utf8_or_replaced(data, "not valid UTF-8")
    try:
        return data.decode(codec.name).encode("utf-8"), None
    except UnicodeError:
        return data.decode(codec.name, "replace").encode("utf-8"), f"not valid {codec.name}"


def _utf8_or_replaced(data: bytes, reason: str) -> tuple[bytes, str | None]:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace").encode("utf-8"), reason
    return data, None if reason.startswith("not valid") else reason


def _declared_encoding(data: bytes) -> str | None:
    first = _CODING.match(data)
    if not first:
        blank = _BLANK.match(data)
        first = _CODING.match(data[blank.end() :]) if blank else None
    return first[1].decode("ascii", "replace").lower().replace("_", "-") if first else None


def node_text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def inside(node: Node) -> list[Node]:
    """The node's named children that say something: no comments, no line continuations."""
    return [c for c in node.named_children if not c.is_extra]


def words(node: Node) -> str:
    """The node in source words: white space outside strings collapsed, comments left out."""
    data = node.text or b""
    if b"\n" in data or b"  " in data or b"\t" in data:
        return _collapse(node, node.end_byte)
    return data.decode("utf-8", "replace")


def words_before(node: Node, token: str) -> str:
    """As `words`, but only what stands before the node's own child `token`."""
    end = next((c.start_byte for c in node.children if c.type == token), node.end_byte)
    return _collapse(node, end)


def _collapse(node: Node, end: int) -> str:
    base = node.start_byte
    data = (node.text or b"")[: end - base]
    if not (b"\n" in data or b"\r" in data or b"  " in data or b"\t" in data):
        return data.decode("utf-8", "replace").rstrip()
    at, out = 0, ""
    for part in _strings_and_comments(node):
        if part.start_byte >= end:
            break
        out += _SPACE.sub(" ", data[at : part.start_byte - base].decode("utf-8", "replace").replace("\\\n", " "))
        at = part.end_byte - base
        out += "" if part.type == "comment" else data[part.start_byte - base : at].decode("utf-8", "replace")
    out += _SPACE.sub(" ", data[at:].decode("utf-8", "replace").replace("\\\n", " "))
    return out.strip()


def _strings_and_comments(node: Node) -> list[Node]:
    out: list[Node] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if current.type in ("string", "comment"):
            out.append(current)
        else:
            stack.extend(reversed(current.children))
    return out


def literal_text(node: Node) -> str | None:
    """The value of a `string` node without interpolations; None for bytes or what Python would not read."""
    raw = node_text(node)
    prefix = _prefix(raw)
    if "b" in prefix:
        return None
    if "f" in prefix or "t" in prefix:
        content = "".join(node_text(c) for c in node.children if c.type == "string_content")
        return unescape(content, raw="r" in prefix, doubled_braces=True)
    if "\\" in raw or "\r" in raw:
        return _literal(raw)
    quote = len(_quote(raw, prefix))
    return raw[len(prefix) + quote : -quote]


def _literal(raw: str) -> str | None:
    try:
        value = ast.literal_eval(raw)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def _prefix(raw: str) -> str:
    found = _PREFIX.match(raw)
    return found[0].lower() if found else ""


def _quote(raw: str, prefix: str) -> str:
    body = raw[len(prefix) :]
    return body[:3] if body[:3] in ('"""', "'''") and len(body) >= 6 else body[:1]


def string_prefix(node: Node) -> str:
    """The lower-case prefix letters of a `string` node ("" for a plain one)."""
    return _prefix(node_text(node.children[0])) if node.children else ""


def unescape(content: str, *, raw: bool, doubled_braces: bool) -> str:
    """What a piece of a string's content says at run time (an unreadable escape stands for itself)."""
    content = content.replace("\r\n", "\n").replace("\r", "\n")
    if not raw and "\\" in content:
        quoted = '"""' + re.sub(r'(\\.)|(")', lambda m: m[1] or '\\"', content, flags=re.DOTALL) + '"""'
        value = _literal(quoted)
        content = content if value is None else value
    return content.replace("{{", "{").replace("}}", "}") if doubled_braces else content

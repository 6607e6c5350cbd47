"""Text as a page can show it: characters that a reader could not see, or that HTML and XML forbid, as escapes."""

import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tab and newline
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # they turn the direction of what stands beside them
    "\ufdd0-\ufdef\ufffe\uffff]"  # no characters
)


def visible(text: str) -> str:
    """The text with such characters written as Python escapes."""
    return _UNSEEN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def cut(text: str, most: int) -> str:
    """The text on one line, at most so many characters, cut at a word and then with `…`."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    head = line[:most]
    whole = head.rpartition(" ")[0] if line[most] != " " else head
    return (whole if len(whole) > most // 2 else head).rstrip(" ,;:.(") + "…"


def web_address(url: str | None) -> str | None:
    """The address, if it is one of the web; anything else (`javascript:`, `data:`) is None."""
    return url if url and re.match(r"https?://[^\s\x00-\x1f]+\Z", url) else None

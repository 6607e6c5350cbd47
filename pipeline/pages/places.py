"""Where things stand in the site: paths relative to its root, and links between them."""

import hashlib
import re
from collections.abc import Iterable
from typing import Final

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]|^\.")
_LONGEST: Final = 100
INDEX: Final = "index.html"


def segments(names: Iterable[str]) -> dict[str, str]:
    """Each name as one part of a path: safe on any file system and in any address, and its own.

    Names that differ in case only are told apart too, for file systems that do not. The outcome does not depend on
    the order of the names.
    """
    out: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(set(names)):
        part = _safe(name)
        if part.casefold() in taken:
            part = f"{part}~{_digest(name)}"
        taken.add(part.casefold())
        out[name] = part
    return out


def _safe(name: str) -> str:
    part = _UNSAFE.sub(lambda found: "".join(f"~{byte:02x}" for byte in found[0].encode()), name) or "~"
    return part if len(part) <= _LONGEST else f"{part[:_LONGEST]}~{_digest(name)}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def error(name: str) -> str:
    """The page of a record, by id, alias or slug."""
    return f"errors/{name}/{INDEX}"


def error_json(name: str) -> str:
    """The record as JSON."""
    return f"api/errors/{name}.json"


def article(tag: str) -> str:
    """The page of a background article."""
    return f"background/{tag}/{INDEX}"


def root(path: str) -> str:
    """From the page at this path to the root of the site."""
    return "../" * path.count("/") or "./"


def link(path: str) -> str:
    """A path as it is linked to: a page by its folder."""
    return path.removesuffix(INDEX)

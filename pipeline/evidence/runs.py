"""Runs: the fixed pieces of text of a regular expression."""

from __future__ import annotations

import re

_ELEMENT = re.compile(
    r"""(?P<text>[^\\\[\]*+?{}.()|^$]+)
      | \\(?P<escaped>.)
      | (?P<set>\[\]?[^\]]*\])
      | (?P<many>[*+?]|\{\d*(?:,\d*)?\})
      | \((?:\?:)?|[.)|^$]
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_CLASSES = frozenset("dDsSwWbBAZ0123456789")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_SPACE = re.compile(r"\s+")


def fixed_runs(pattern: str) -> tuple[str, ...]:
    """The pieces between everything that is not fixed, in order, white space collapsed.

    A piece that is only one of several alternatives is one too.
    """
    out: list[str] = []
    run = ""
    for element in _ELEMENT.finditer(pattern):
        said = _fixed(element)
        if said is not None:
            run += said
            continue
        if element["many"] and element["many"] != "+":
            run = run[:-1]
        out.append(run)
        run = ""
    out.append(run)
    return tuple(said for piece in out if (said := _SPACE.sub(" ", piece)).strip())


def _fixed(element: re.Match[str]) -> str | None:
    """The text an element stands for; None where it is none."""
    escaped = element["escaped"]
    if escaped is not None:
        return None if escaped in _CLASSES else _ESCAPES.get(escaped, escaped)
    return element["text"] or element["other"]

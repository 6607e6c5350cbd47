"""Conditions compared by what they say: layout, comments, quotes and needless parentheses are no difference."""

import ast
import re
import warnings
from collections.abc import Iterator
from typing import Final, Literal

_SPACE: Final = re.compile(r"\s+")
_BLOCK: Final = "{}:\n  pass"
_FRAMES: Final = {
    **dict.fromkeys(("for", "while", "async"), _BLOCK),
    "except": f"try:\n  pass\n{_BLOCK}",
    "case": "match _:\n {}:\n  pass",
}
_WORDS: Final = re.compile(r"\w+")
_PART: Final = re.compile(
    r"""(?P<string>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|(?P<opens>[(\[{])|(?P<closes>[)\]}])|(?P<joint>\ and\ )|.""",
    re.DOTALL | re.VERBOSE,
)


def same_guard(one: str | None, other: str | None) -> bool:
    """Whether two conditions say the same; None holds always."""
    if one is None or other is None or one == other:
        return one == other
    return _WORDS.findall(one) == _WORDS.findall(other) and guard(one) == guard(other)


def guard(condition: str) -> str:
    """The condition in one spelling. Not for people: clauses are joined by NUL where it is not one expression."""
    whole = _spelled(condition)
    if whole is not None:
        return whole
    return "\0".join(
        _spelled(clause) or _header(clause) or _SPACE.sub(" ", clause).strip() for clause in _clauses(condition)
    )


def _header(clause: str) -> str | None:
    """The head of a `for`, `while`, `except` or `case` block as Python would write it."""
    frame = _FRAMES.get(clause.lstrip().partition(" ")[0])
    return _spelled(frame.format(clause.strip()), mode="exec") if frame else None


def _spelled(text: str, *, mode: Literal["eval", "exec"] = "eval") -> str | None:
    """Code as Python would write it; None where it is none: `for x in y` is no expression."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python, about what it thinks of somebody else's code
            return ast.unparse(ast.parse(text.strip(), mode=mode))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _clauses(condition: str) -> Iterator[str]:
    """What stands between the `and`s that are in no bracket and no string."""
    depth = start = 0
    for part in _PART.finditer(condition):
        depth += bool(part["opens"]) - bool(part["closes"])
        if part["joint"] and depth == 0:
            yield condition[start : part.start()]
            start = part.end()
    yield condition[start:]

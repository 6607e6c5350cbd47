"""What `pipeline.match` decides by, for the browser: its numbers, texts, sets and regular expressions."""

import re
import sys
from types import ModuleType
from typing import Any, Final

from pipeline.match import card, index, lines, rank, rivals, search, traceback, xla

_NAMES: Final[dict[ModuleType, str]] = {
    card: "_CONTROL _CHARACTERS _SPEAKERS _FOUND",
    index: "ERROR_PAGE SAID SHORTEST_ANCHOR PIECE",
    lines: "LIMIT _HEAD _TAIL _AROUND HEADER _ESCAPES _BARE_COLOURS _PREFIX _MAX_PREFIXES",
    rank: (
        "CONFIDENCE SPREAD TELLING CLOSE _HALF _SPREADS _HOWS _TIERS _BUILT_IN _FRAMED _SAME _BASE _UNKNOWN _OTHER "
        "_RENAMED"
    ),
    rivals: "_LONGEST",
    search: "_PROVED _BROKEN _TAIL _SEE _SEEN",
    traceback: (
        "MAX_ERRORS MAX_FRAMES _NAMED _MAX_QUOTES MAX_MESSAGE _CLASS_LIKE _CLASS_INSIDE _ANY_CLASS _FRAME _CELL _ARROW "
        "_PYTEST _PYTEST_MORE _PYTEST_FRAME _DEF _CARETS _GROUP_LINE _FENCE _RULE _LOGGED _RELEASE _LINKS _JAX_NOTES "
        "_CARRIERS"
    ),
    xla: "CLASSES STATUSES _CODE _WORDS _WORDED",
}
"""What is carried over of each module."""
_WORD: Final = r"\p{L}\p{N}_"
_SPACE: Final = "".join(
    f"\\u{{{code:x}}}" if code > 0xFFFF else f"\\u{code:04x}"
    for code in range(sys.maxunicode + 1)
    if chr(code).isspace()
)
_PART: Final = re.compile(r"\\.|\(\?P<|.", re.DOTALL)
_SETS: Final = {"w": _WORD, "d": r"\p{Nd}", "s": _SPACE}
_OUTSIDE: Final = {
    ".": r"[^\n]",
    "$": r"(?=\n?$)",
    "(?P<": "(?<",
    r"\Z": "$",
    r"\b": f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))",
    r"\S": f"[^{_SPACE}]",
    r"\W": f"[^{_WORD}]",
    r"\D": r"\P{Nd}",
}


def rules() -> dict[str, dict[str, Any]]:
    """The constants that matching is made of, by module and by name without a leading `_`.

    A regular expression is `{"regex": …}` in JavaScript's syntax, a set `{"set": […]}`.
    """
    found = {
        module.__name__.rpartition(".")[2]: {name.lstrip("_"): _plain(getattr(module, name)) for name in names.split()}
        for module, names in _NAMES.items()
    }
    return {**found, "text": {"SPACE": {"regex": f"[{_SPACE}]"}}}


def _plain(value: object) -> Any:
    match value:
        case int() | float():
            return value
        case str():
            return str(value)
        case re.Pattern():
            return {"regex": javascript(value)}
        case frozenset():
            return {"set": sorted(value)}
        case tuple():
            return [_plain(item) for item in value]
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case xla.Status():
            return {"code": value.code, "meaning": value.meaning, "tag": value.tag}
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def javascript(pattern: re.Pattern[str]) -> str:
    r"""The expression for JavaScript's `u` flag, with Python's meaning of `\w`, `\d`, `\s`, `\b`, `.`, `$` and `\Z`.

    ValueError where it uses what JavaScript has no equal for.
    """
    if pattern.flags != re.UNICODE:
        raise ValueError(f"flags of {pattern.pattern!r} have no equal in JavaScript")
    out: list[str] = []
    inside = False
    for part in _PART.findall(pattern.pattern):
        escaped = part[0] == "\\"
        if not inside and part in _OUTSIDE:
            out.append(_OUTSIDE[part])
        elif escaped and part[1] in _SETS:
            members = _SETS[part[1]]
            out.append(members if inside else f"[{members}]")
        elif escaped and part[1].isalpha() and part[1] not in "xunrtf":
            raise ValueError(f"{part} in {pattern.pattern!r} has no equal in JavaScript")
        else:
            out.append(part)
            inside = part == "[" or (inside and part != "]")
    return "".join(out)

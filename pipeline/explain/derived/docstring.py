"""What a docstring says of its function, and of one parameter."""

import inspect
import re
from typing import Final

_SECTION: Final = re.compile(r"^(?:Args|Arguments|Parameters|Keyword Args|Keyword Arguments)\s*:?\s*$", re.MULTILINE)
_ROLE: Final = re.compile(r":[a-z:]+:`~?\.?([^`<]+?)(?: *<[^`>]*>)?`")
_ENTRY: Final = re.compile(r"(?P<indent> *)\*{0,2}(?P<name>\w+)(?: *\([^)]*\))? *: *(?P<said>.*)")
LONGEST = 300


def plain(text: str) -> str:
    """Text of reStructuredText with its roles as plain code."""
    return _ROLE.sub(r"`\1`", text).replace("``", "`")


def summary(docstring: str | None) -> str | None:
    """Its first sentence, on one line; None where it has none or a very long one."""
    if not docstring:
        return None
    paragraph = inspect.cleandoc(docstring).split("\n\n", 1)[0]
    text = re.split(r"(?<=[.!?])\s", plain(" ".join(paragraph.split())), maxsplit=1)[0]
    return text if 0 < len(text) <= LONGEST else None


def parameter(docstring: str | None, name: str) -> str | None:
    """What its section on arguments says of a parameter, on one line."""
    if not docstring or name not in docstring:
        return None
    text = inspect.cleandoc(docstring)
    section = _SECTION.search(text)
    lines = iter(text[section.end() :].split("\n")) if section else iter(())
    for line in lines:
        found = _ENTRY.match(line)
        if found and found["name"] == name.lstrip("*"):
            said = [found["said"]]
            for more in lines:
                if len(more) - len(more.lstrip()) <= len(found["indent"]):
                    break
                said.append(more)
            entry = plain(" ".join(" ".join(said).split()))
            return entry if 0 < len(entry) <= LONGEST else None
    return None

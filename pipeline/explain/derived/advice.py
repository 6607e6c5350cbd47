"""What a message itself tells its reader to do."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

LONGEST = 400  # characters of one sentence
_SENTENCE: Final = re.compile(r"(?<=[.!?])[\s\"')\]]*(?:\s+)(?=[A-Z`'\"({])|\n+\s*")
_IMPERATIVE: Final = re.compile(
    r"(?:^|[.,;:(]\s*|\b(?:please|instead,?|or|and|then|maybe|perhaps|try to|you (?:can|could|may|should|might)|"
    r"to fix this,?|consider)\s+)"
    r"(?:please\s+)?(?:use|using|try|set|setting|pass|passing|see|call|calling|wrap|convert|converting|cast|install|"
    r"update|upgrade|enable|disable|add|remove|replace|provide|specify|define|specifying|ensure|make sure|check|"
    r"consider|avoid|file|open|report|construct|create|move|mark|give|reshape|broadcast|did you|do you)\b",
    re.IGNORECASE,
)
_MEANT: Final = re.compile(r"\b(?:did you mean|did you forget|have you|instead\b)", re.IGNORECASE)
_DEMAND: Final = re.compile(
    r"\b(?:must|should|needs? to|has to|have to|expected|requires?|only (?:supports?|supported|accepts?|works?|"
    r"implemented)|is only|are only|cannot be|may not)\b",
    re.IGNORECASE,
)


def sentences(message: str) -> list[str]:
    """The sentences of a message, one line each."""
    return [text for part in _SENTENCE.split(message) if (text := " ".join(part.split()))]


def advice(messages: Iterable[str]) -> Iterator[str]:
    """Sentences that say what to do."""
    for sentence in _once(messages):
        if _IMPERATIVE.search(sentence) or _MEANT.search(sentence):
            yield sentence


def demands(messages: Iterable[str]) -> Iterator[str]:
    """Sentences that say what is required, and give no advice."""
    for sentence in _once(messages):
        if _DEMAND.search(sentence) and not (_IMPERATIVE.search(sentence) or _MEANT.search(sentence)):
            yield sentence


def _once(messages: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for message in messages:
        for sentence in sentences(message):
            if sentence not in seen and len(sentence) <= LONGEST:
                seen.add(sentence)
                yield sentence

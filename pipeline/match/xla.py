"""Errors whose text comes from XLA or jaxlib's C++: told by their status code."""

import re
from dataclasses import dataclass, replace
from typing import Final

from pipeline import resources
from pipeline.match.traceback import Raised

CLASSES: Final = frozenset({"XlaRuntimeError", "JaxRuntimeError"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """A status code, as XLA begins its errors with one. meaning: a sentence on it. tag: of its background article.

    sure: whether code and class are XLA's; else a record with that text goes first.
    """

    code: str
    meaning: str
    sure: bool = True

    @property
    def tag(self) -> str:
        return "xla-" + self.code.lower().replace("_", "-")


_MEANINGS: Final = {
    "CANCELLED": "The operation was cancelled before it was done, mostly because another one failed first.",
    "UNKNOWN": "An error that the runtime could not classify: the text after the code is all there is.",
    "INVALID_ARGUMENT": "The program or the runtime was given something that can never be right.",
    "DEADLINE_EXCEEDED": "Something did not answer in time: another process, a collective or the coordinator.",
    "NOT_FOUND": "Something named does not exist: a device, a file, a plugin or a custom call.",
    "ALREADY_EXISTS": "Something that can exist once was made again, such as a process with an id already in use.",
    "PERMISSION_DENIED": "The process may not use what it asked for: a device, a file or a service.",
    "UNAUTHENTICATED": "A service asked who is calling and was not told.",
    "RESOURCE_EXHAUSTED": "Something ran out, nearly always the device's memory.",
    "FAILED_PRECONDITION": "The runtime is not in the state that the operation needs.",
    "ABORTED": "The operation was given up half way, mostly because another process of the job is gone.",
    "OUT_OF_RANGE": "An index or an offset lies past the end.",
    "UNIMPLEMENTED": "XLA, or this device's back end, lacks the operation for these types, shapes or options.",
    "INTERNAL": "XLA, the driver or a library below broke a promise of its own: see the text after the code.",
    "UNAVAILABLE": "A device or a service cannot be reached now: not there, in use by another process, or not up yet.",
    "DATA_LOSS": "Data was damaged or lost, in a file or on the way.",
}
STATUSES: Final = {code: Status(code=code, meaning=meaning) for code, meaning in _MEANINGS.items()}
_CODE: Final = re.compile(rf"({'|'.join(STATUSES)})(?=:|\Z)")
# Until 2021 the codes were written as words, under RuntimeError.
_WORDS: Final = {code.replace("_", " ").capitalize(): code for code in STATUSES}
_WORDED: Final = re.compile(rf"({'|'.join(_WORDS)}): ")


def status(raised: Raised) -> Status | None:
    """The status code that the message begins with, if the error is XLA's."""
    if found := _CODE.match(raised.message):
        return replace(STATUSES[found[1]], sure=raised.class_name in CLASSES)
    if raised.class_name in {"RuntimeError", *CLASSES} and (found := _WORDED.match(raised.message)):
        return replace(STATUSES[_WORDS[found[1]]], sure=False)
    return None


def article(status: Status) -> str | None:
    """The background article on a status code; None where errcat runs without its `explanations/`."""
    try:
        return resources.read("explanations", "background", f"{status.tag}.md")
    except OSError:
        return None

"""What is demanded of a record, given what its raise statement really said."""

import re
from itertools import islice
from typing import TYPE_CHECKING

from laws import engines
from laws.running import Raised
from laws.texts import OWED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipeline.record import Record

MOST_PLAIN = 256
TOKEN = re.compile(r"\\.|\(\.[+*]\?\)|\(\?:|\.[+*]\?|.", re.DOTALL)


def hole_free(pattern: str) -> bool:
    return not any(token in ("(.+?)", "(.*?)", ".+?", ".*?") for token in TOKEN.findall(pattern))


def literal_of(pattern: str) -> str | None:
    """Return the one text that the pattern matches, or None where it matches more than one."""
    tokens = TOKEN.findall(pattern)
    if any(len(token) > 2 or token in ("|", "(?:", ")", ".+", ".*") for token in tokens):
        return None
    return "".join(token[-1] for token in tokens)


def owed_letters(message: str) -> int:
    return sum(character.lower() in OWED for character in message)


def lifted_letters(pattern: str, message: str) -> int:
    """Count the letters of OWED in the message that fixed text of the pattern matches; -1: the pattern does not.

    Alternatives inside the pattern are tried one by one, since a hole among them would swallow what another one fixes.
    """
    return max((_lifted(one, message) for one in islice(plain_patterns(pattern), MOST_PLAIN)), default=-1)


def _lifted(pattern: str, message: str) -> int:
    def mark(token: str) -> str:
        if token in ("(.+?)", "(.*?)"):
            return f"(?:{token[1:-1]})"
        return f"({token})" if len(token) == 1 and token.lower() in OWED else token

    found = engines.re2_compile("".join(map(mark, TOKEN.findall(pattern)))).fullmatch(message)
    return -1 if found is None else sum(one is not None for one in found.groups())


def plain_patterns(pattern: str) -> "Iterator[str]":
    """Yield the patterns without alternatives and optional parts that together match what the pattern matches."""
    tokens = TOKEN.findall(pattern)
    start = next(
        (place for place, token in enumerate(tokens) if token == "(?:" and group(tokens, place)[2] != "*"), None
    )
    if start is None:
        yield pattern
        return
    options, end, mark = group(tokens, start)
    before, after = "".join(tokens[:start]), "".join(tokens[end:])
    for option in [*options, *([""] if mark == "?" else [])]:
        yield from plain_patterns(before + option + after)


def group(tokens: list[str], start: int) -> tuple[list[str], int, str]:
    """Return the alternatives of the group that begins at `start`, its end, and the `?` or `*` after it, or ""."""
    options, depth, place = [""], 0, start
    while True:
        token = tokens[place]
        depth += (token == "(?:") - (token == ")")
        if depth == 0:
            break
        if depth == 1 and token == "|":
            options.append("")
        elif place > start:
            options[-1] += token
        place += 1
    mark = tokens[place + 1] if tokens[place + 1 : place + 2] in (["?"], ["*"]) else ""
    return options, place + 1 + len(mark), mark


def explain(raised: Raised, records: "Sequence[Record]") -> str:
    """Return the text of a failure: what was printed, and what was mined."""
    lines = [f"{raised.path}:{raised.line}", f"printed {raised.error_class}: {raised.message!r}"]
    lines += [
        f"mined   {one.errorClass}: {one.messagePattern!r} holes {one.placeholders} variants "
        f"{[variant.messagePattern for variant in one.messageVariants]} literalLength {one.literalLength} "
        f"{one.literalUnknownWhy or ''}"
        for one in records
    ]
    return "\n  ".join(lines)


def the_record(raised: Raised, records: "Sequence[Record]", *, class_known: bool = True) -> "Record":
    """Return the record of this raise statement and class whose pattern is the message."""
    here = [one for one in records if (one.filePath, one.lineNumber) == (raised.path, raised.line)]
    assert here, f"no record\n  {explain(raised, [])}"
    fitting = [one for one in here if one.errorClass == raised.error_class]
    if not fitting and not class_known:
        fitting = [one for one in here if one.errorClass is None]
    assert fitting, f"class\n  {explain(raised, here)}"
    matching = [one for one in fitting if engines.re2_fullmatches(one.messagePattern, raised.message)]
    assert matching, f"the pattern does not match\n  {explain(raised, fitting)}"
    return matching[0]


def check_engines(raised: Raised, record: "Record") -> None:
    """Every engine gives the pattern the same meaning, and as many groups as there are placeholders."""
    told = explain(raised, [record])
    pattern = record.messagePattern
    assert engines.python_fullmatches(pattern, raised.message), f"re does not match\n  {told}"
    assert engines.python_groups(pattern) == len(record.placeholders), f"groups are not placeholders\n  {told}"
    if engines.has_javascript():
        (answer,) = engines.javascript([(pattern, raised.message)])
        assert answer == [True, True, len(record.placeholders)], f"JavaScript: {answer}\n  {told}"


def check_variants(raised: Raised, record: "Record") -> None:
    variants = [variant.messagePattern for variant in record.messageVariants]
    matching = [one for one in variants if engines.re2_fullmatches(one, raised.message)]
    assert matching, f"no variant matches\n  {explain(raised, [record])}"
    assert len(variants) <= 16, f"more than 16 variants\n  {explain(raised, [record])}"


def check_lift(raised: Raised, record: "Record") -> None:
    """Whatever the source says on the taken path is fixed text of a variant that matches."""
    owed = owed_letters(raised.message)
    given = max(lifted_letters(variant.messagePattern, raised.message) for variant in record.messageVariants)
    assert given == owed, f"lifts {given} of {owed} letters\n  {explain(raised, [record])}"


def check_precision(raised: Raised, record: "Record", *, alternatives: int) -> None:
    """A text that is wholly known has no hole; where it is the only one, it is the pattern."""
    told = explain(raised, [record])
    assert hole_free(record.messagePattern), f"a known text has a hole\n  {told}"
    assert record.literalLength is not None, f"a known text has no length\n  {told}"
    if alternatives == 1:
        assert literal_of(record.messagePattern) == raised.message, f"a known text is not itself\n  {told}"
        assert record.literalLength == len(raised.message), f"literalLength\n  {told}"
        assert record.errorMessage == raised.message, f"errorMessage {record.errorMessage!r}\n  {told}"
    elif alternatives <= 8:
        texts = [literal_of(variant.messagePattern) for variant in record.messageVariants]
        if None not in texts:
            assert raised.message in texts, f"a known text is no variant\n  {told}"
            assert record.literalLength == max(len(one or "") for one in texts), f"literalLength\n  {told}"

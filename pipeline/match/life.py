"""What a history knows of an error: the texts that it had, and from which release to which."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A text of an error. first, last: numbers of the releases that had it so, both included."""

    message: str
    pattern: str
    placeholders: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Life:
    """What became of an error and of the text that was found.

    seen_from: the first release known to have the error; introduced_in: the same, where it is known not to be older.
    first, last: the releases that have the text so. worded_in: the first of them, where it said something else before.
    reworded_in: the one in which it went on to say something else; it says now, or said last, what stands in `now`.
    gone_since: the first release without the error.
    """

    seen_from: str
    introduced_in: str | None
    last_seen_in: str
    first: str
    last: str
    worded_in: str | None
    reworded_in: str | None
    now: str
    gone_since: str | None


def releases(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The releases of a history, oldest first, by its manifest (as a JSON object); () of another dataset's."""
    history = manifest.get("history") or {}
    return tuple(str(one["name"]) for one in history.get("revisions", ()))


def texts(record: Mapping[str, Any], releases: Sequence[str]) -> tuple[Said, ...]:
    """The texts of a record (as a JSON object) of a history; () of another dataset's."""
    number = {name: place for place, name in enumerate(releases)}
    return tuple(
        Said(
            message=text["errorMessage"],
            pattern=text["messagePattern"],
            placeholders=tuple(text["placeholders"]),
            first=number[text["from"]],
            last=number[text["to"]],
        )
        for text in record.get("texts") or ()
        if text["from"] in number and text["to"] in number
    )


def said_by(pattern: str | None, said: Sequence[Said]) -> Sequence[Said]:
    """Those of an error's texts that have the pattern; where none has it, those that are its newest form's."""
    return [one for one in said if one.pattern == pattern] or [one for one in said if one.pattern == said[-1].pattern]


def life(pattern: str | None, said: Sequence[Said], releases: Sequence[str], release: str | None) -> Life:
    """What became of an error whose text with this pattern was found.

    said: all its texts, oldest first; at least one. release: where the message is known to come from, if so.
    """
    own = said_by(pattern, said)
    at = releases.index(release) if release in releases else None
    found = next((one for one in own if at is not None and one.first <= at <= one.last), own[-1])
    before = [one for one in said if one.last < found.first]
    others = [one for one in said if one.first > found.last and one.pattern != found.pattern]
    again = said[-1].pattern == found.pattern
    after = said[-1].last + 1
    return Life(
        seen_from=releases[said[0].first],
        introduced_in=releases[said[0].first] if said[0].first else None,
        last_seen_in=releases[said[-1].last],
        first=releases[found.first],
        last=releases[found.last],
        worded_in=releases[found.first] if before and before[-1].pattern != found.pattern else None,
        reworded_in=releases[others[0].first] if others and not again else None,
        now=said[-1].message,
        gone_since=releases[after] if after < len(releases) else None,
    )


def is_of(release: int, pattern: str | None, said: Sequence[Said]) -> bool:
    """Whether an error had the text with this pattern in a release (None: whether it was there at all)."""
    return any(one.first <= release <= one.last for one in (said_by(pattern, said) if pattern is not None else said))


def as_json(found: Life) -> dict[str, str | None]:
    """The `history` of a match in the answer's JSON."""
    return {
        "introducedIn": found.introduced_in,
        "lastSeenIn": found.last_seen_in,
        "from": found.first,
        "to": found.last,
        "rewordedIn": found.reworded_in,
        "nowReads": found.now if found.reworded_in else None,
        "goneSince": found.gone_since,
    }


def sentence(found: Life) -> str:
    """What a reader is told."""
    parts = [f"since {found.seen_from}" + ("" if found.introduced_in else " or earlier")]
    if found.worded_in:
        parts.append(f"in these words since {found.worded_in}")
    if found.reworded_in:
        reads = "then read" if found.gone_since else "now reads"
        parts.append(f"reworded in {found.reworded_in}: {reads} “{found.now}”")
    if found.gone_since:
        parts.append(f"gone since {found.gone_since}")
    return "; ".join(parts)

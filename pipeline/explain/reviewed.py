"""Reviewed explanations: files of `explanations/`, and the records that each of them explains."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from pydantic import ValidationError

from pipeline import resources
from pipeline.errors import WriterError
from pipeline.explain.explanation import Explanation
from pipeline.record import Record

_OTHER_FILES: Final = frozenset({"README.md"})
_FRONT: Final = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_SECTION: Final = re.compile(r"^## +(.+?) *$", re.MULTILINE)
_FENCE: Final = re.compile(r"^(?P<fence>`{3,})[\w-]*\n(?P<code>.*?)^(?P=fence)\s*$", re.DOTALL | re.MULTILINE)
_ITEM: Final = re.compile(r"^(?:\d+\.|[-*]) +", re.MULTILINE)
_UNFIXED: Final = re.compile(r"\(\.[+*]\?\)|\(\?:|\.[+*]\?|[()|*?]|\\")
SECTIONS: Final = {
    "What it means": "documentation",
    "When it happens": "triggerScenarios",
    "Common situations": "commonSituations",
    "Solutions": "solutions",
    "Example fix": "exampleFix",
    "Validate before calling": "validationCode",
    "Type guard": "typeGuard",
    "Try/except": "tryCatchPattern",
    "Prevention": "preventionTips",
}
_LISTS: Final = frozenset({"solutions", "preventionTips"})
_CODE: Final = frozenset({"exampleFix", "validationCode", "typeGuard", "tryCatchPattern"})
_REPO: Final = "jax-ml/jax"  # whose errors a file explains that names no other repository
_ENOUGH: Final = 12  # characters of fixed text that a record must share with an entry's text, or half of a short text
_KEYS: Final = frozenset(
    {"errorClass", "repo", "texts", "filePath", "qualname", "handlingStrategy", "tags", "backgroundTag"}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reviewed:
    """One file. repo: whose errors it explains. texts: real messages. file_path, qualname: only records of theirs."""

    name: str
    repo: str
    error_class: str
    texts: tuple[str, ...]
    file_path: str | None
    qualname: str | None
    explanation: Explanation


@dataclass(frozen=True, kw_only=True, slots=True)
class Assignment:
    """Which file explains which record, by the record's id; and the names of files that explain none."""

    by_id: Mapping[str, Reviewed]
    unmatched: tuple[str, ...]


@cache
def all_reviewed() -> tuple[Reviewed, ...]:
    """The reviewed explanations that come with errcat. WriterError names the file that is none."""
    names = [n for n in resources.names("explanations", suffix=".md") if n not in _OTHER_FILES]
    return tuple(read_reviewed(name, resources.read("explanations", name)) for name in names)


def read_reviewed(name: str, text: str) -> Reviewed:
    """A reviewed explanation from its file. WriterError says what is wrong with it."""
    import yaml

    found = _FRONT.match(text.replace("\r\n", "\n"))
    if found is None:
        raise _wrong(name, "it does not begin with front matter between two lines `---`")
    try:
        front = yaml.safe_load(found["front"])
    except yaml.YAMLError as error:
        raise _wrong(name, f"its front matter is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(front, dict) or not isinstance(front.get("errorClass"), str):
        raise _wrong(name, "its front matter has no errorClass")
    if unknown := front.keys() - _KEYS:
        raise _wrong(name, f"its front matter has unknown keys: {', '.join(sorted(map(str, unknown)))}")
    texts = front.get("texts")
    if not isinstance(texts, list) or not texts or not all(isinstance(one, str) and one for one in texts):
        raise _wrong(name, "its front matter has no texts: real messages of the error, as strings")
    return Reviewed(
        name=name,
        repo=str(front.get("repo", _REPO)),
        error_class=front["errorClass"],
        texts=tuple(texts),
        file_path=front.get("filePath"),
        qualname=front.get("qualname"),
        explanation=_explanation(name, front, found["body"]),
    )


def _explanation(name: str, front: Mapping[str, Any], body: str) -> Explanation:
    fields: dict[str, Any] = {key: front[key] for key in ("handlingStrategy", "backgroundTag") if front.get(key)}
    fields["tags"] = front.get("tags") or ()
    parts = _SECTION.split(_hidden_fences(body))
    for heading, text in zip(parts[1::2], parts[2::2], strict=True):
        field = SECTIONS.get(heading)
        if field is None or field in fields:
            raise _wrong(name, f"a section {heading!r} is {'unknown' if field is None else 'there twice'}")
        fields[field] = _content(name, heading, field, text.replace("\0", "##").strip())
    try:
        return Explanation(**fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise _wrong(name, f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _hidden_fences(body: str) -> str:
    """The body with `##` inside of code hidden, so that only headings look like headings."""
    return _FENCE.sub(lambda fence: fence[0].replace("##", "\0"), body)


def _content(name: str, heading: str, field: str, text: str) -> str | tuple[str, ...]:
    if field in _CODE:
        code = _FENCE.search(text + "\n")
        if code is None:
            raise _wrong(name, f"its section {heading!r} has no fenced code")
        return code["code"].strip("\n")
    if field in _LISTS:
        return tuple(" ".join(item.split()) for item in _ITEM.split(text) if item.strip())
    return text


def _wrong(name: str, what: str) -> WriterError:
    return WriterError(f"explanations/{name}: {what}", hint="explanations/README.md shows the form")


def assign(reviewed: Sequence[Reviewed], records: Sequence[Record]) -> Assignment:
    """The file of each record that has one. Of several that fit, the one with the most fixed text in common wins."""
    best: dict[str, tuple[int, Reviewed]] = {}
    unmatched = []
    repos = {record.repo for record in records}
    for entry in reviewed:
        if entry.repo not in repos:
            continue
        fits = dict(_fits(entry, records))
        if not fits:
            unmatched.append(entry.name)
        for identity, fixed in fits.items():
            if identity not in best or fixed > best[identity][0]:
                best[identity] = fixed, entry
    return Assignment(by_id={i: entry for i, (_, entry) in best.items()}, unmatched=tuple(unmatched))


def _fits(entry: Reviewed, records: Sequence[Record]) -> Iterator[tuple[str, int]]:
    """Ids of the records that an entry explains, and the fixed text of the variant that fits, a text at a time."""
    wanted = [record for record in records if _is_of(entry, record)]
    for text in entry.texts:
        found = [(record.id, fixed) for record in wanted if (fixed := _fixed_text(record, text)) is not None]
        if entry.qualname is None:
            found = [(identity, fixed) for identity, fixed in found if fixed >= min(_ENOUGH, max(1, len(text) // 2))]
        most = max((fixed for _, fixed in found), default=0)
        yield from ((identity, fixed) for identity, fixed in found if fixed == most)


def _is_of(entry: Reviewed, record: Record) -> bool:
    return (
        record.repo == entry.repo
        and record.errorClass == entry.error_class
        and entry.file_path in {None, record.filePath}
        and entry.qualname in {None, record.qualname}
    )


def _fixed_text(record: Record, text: str) -> int | None:
    """Characters of fixed text of the record's variant that is this text; None where none is."""
    fits = [_fixed(v.messagePattern) for v in record.messageVariants if _is_text_of(v.messagePattern, text)]
    return max(fits, default=None)


def _fixed(pattern: str) -> int:
    return len(_UNFIXED.sub("", pattern))


def _is_text_of(pattern: str, text: str) -> bool:
    expression = _compiled(pattern)
    return expression is not None and expression.fullmatch(text) is not None


@cache
def _compiled(pattern: str) -> Any:
    """The expression; None where RE2 finds it too large."""
    import re2

    options = re2.Options()
    options.dot_nl = True
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None

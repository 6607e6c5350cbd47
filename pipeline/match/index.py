"""The index of a dataset: what finding a record needs, built once, kept in the user's cache folder."""

import contextlib
import hashlib
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import ahocorasick

from pipeline.errors import DatasetError
from pipeline.match import dialect
from pipeline.match.life import Said, releases, texts

FORMAT: Final = 2
"""Grows whenever what is kept here, or how it is computed, changes."""
ERROR_PAGE: Final = "errors.html#"
"""In the address that JAX's own classes end their text with: set aside, as it differs between releases."""
_TAIL: Final = 200
SAID: Final = 8
"""Fixed characters from which a variant that is the whole message is answered, be its class only known."""
SHORTEST_ANCHOR: Final = 4
"""Squeezed characters below which a fixed run says too little to look for, unless all runs together say enough."""
LONGEST_ANCHOR: Final = 1000
"""Squeezed characters that are looked for of a longer one: an automaton's depth costs stack when it is freed."""
PIECE: Final = 10
"""Squeezed characters of the pieces that a reworded message is recognised by."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """What matching needs to know of a record.

    function: last part of its qualname ("<module>" at the top). raise_line: the code of its raise statement, squeezed.
    span: where its line of records.jsonl begins and ends, in bytes.
    """

    id: str
    error_class: str | None
    names: frozenset[str]
    bases: frozenset[str]
    path: str
    line: int
    end_line: int
    function: str
    pattern: str
    placeholders: tuple[str, ...]
    raise_line: str
    span: tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """One text of a record. entry: its number. core: its pattern without a "See https://…" at the end.

    anchors, runs: squeezed fixed runs of the core (one of them; all of them, in order).
    length: fixed characters that every text of it has.
    least, most: fixed characters, white space not counted, on the shortest and the longest way through the core.
    """

    entry: int
    message: str
    pattern: str
    core: str
    anchors: tuple[str, ...]
    runs: tuple[str, ...]
    length: int
    least: int
    most: int


@dataclass(frozen=True, kw_only=True)
class Index:
    """A dataset, ready to be searched. records: the file it was made from, for `details`.

    Of a history also: the names of its releases, oldest first, and the texts that each entry had (else both are empty).
    """

    repo: str
    revision: str
    records: Path | None
    entries: tuple[Entry, ...]
    variants: tuple[Variant, ...]
    releases: tuple[str, ...] = ()
    said: tuple[tuple[Said, ...], ...] = ()

    @cached_property
    def classes(self) -> frozenset[str]:
        return frozenset(name for entry in self.entries for name in entry.names)

    @cached_property
    def anchors(self) -> Any:
        """Automaton from every variant's anchors to the numbers of the variants."""
        return automaton(
            (a[:LONGEST_ANCHOR], n)
            for n, v in enumerate(self.variants)
            for a in v.anchors
            if len(a) >= SHORTEST_ANCHOR or v.length >= SAID
        )

    @cached_property
    def pieces(self) -> Any:
        """Automaton from pieces of fixed runs to the numbers of the variants that have them."""
        return automaton((p, n) for n, v in enumerate(self.variants) for run in v.runs for p in cut(run))

    @cached_property
    def starts(self) -> tuple[tuple[str, int], ...]:
        """Every fixed run with its variant's number, sorted: what a text that breaks off in a run is looked up in."""
        return tuple(sorted({(run, n) for n, v in enumerate(self.variants) for run in v.runs if len(run) >= PIECE}))

    @cached_property
    def variants_of(self) -> Mapping[int, tuple[int, ...]]:
        found: defaultdict[int, list[int]] = defaultdict(list)
        for number, variant in enumerate(self.variants):
            found[variant.entry].append(number)
        return {entry: tuple(numbers) for entry, numbers in found.items()}

    @cached_property
    def at(self) -> Mapping[str, tuple[int, ...]]:
        """Numbers of the entries by file."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, entry in enumerate(self.entries):
            found[entry.path].append(number)
        return {path: tuple(numbers) for path, numbers in found.items()}

    @cached_property
    def _files(self) -> Mapping[str, tuple[str, ...]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.at:
            found[path.rsplit("/", 1)[-1]].append(path)
        return {name: tuple(sorted(paths, key=len, reverse=True)) for name, paths in found.items()}

    def file_of(self, path: str) -> str | None:
        """The dataset's file that a path of somebody's machine is, if one: the longest that the path ends with."""
        path = path.replace("\\", "/")
        for known in self._files.get(path.rsplit("/", 1)[-1], ()):
            short = known.removeprefix("src/").removeprefix("lib/")
            if path == known or path.endswith("/" + short) or (path == short and "/" in short):
                return known
        return None

    def details(self, entry: Entry) -> dict[str, Any]:
        """The whole record, read from the dataset. DatasetError where that is gone or changed."""
        if self.records is None:
            raise DatasetError("this index was not made from a folder, so it has no details")
        try:
            with self.records.open("rb") as file:
                file.seek(entry.span[0])
                record = json.loads(file.read(entry.span[1] - entry.span[0]))
        except (OSError, ValueError) as error:
            raise DatasetError(f"{self.records} changed while it was read: {error}", hint="Try again") from error
        if not isinstance(record, dict) or record.get("id") != entry.id:
            raise DatasetError(f"{self.records} changed while it was read", hint="Try again")
        return record


def automaton(words: Iterable[tuple[str, int]]) -> Any:
    """What finds all of the words in a text in one pass, each with the numbers that belong to it."""
    found: defaultdict[str, dict[int, None]] = defaultdict(dict)
    for word, number in words:
        found[word][number] = None
    made = ahocorasick.Automaton()
    for word, numbers in found.items():
        made.add_word(word, (len(word), tuple(numbers)))
    if found:
        made.make_automaton()
    return made


def hits(words: Any, text: str) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """(start, end, numbers) of every word of the automaton in the text."""
    if not len(words):
        return
    for last, (length, numbers) in words.iter(text):
        yield last + 1 - length, last + 1, numbers


def cut(run: str) -> Iterator[str]:
    """A fixed run in pieces of `PIECE` to twice as many characters less one; a shorter run gives none."""
    if len(run) < PIECE:
        return
    count = len(run) // PIECE
    for number in range(count):
        end = len(run) if number == count - 1 else (number + 1) * PIECE
        yield run[number * PIECE : end]


def build(
    records: Iterable[tuple[dict[str, Any], tuple[int, int]]],
    *,
    repo: str,
    revision: str,
    releases: tuple[str, ...] = (),
) -> Index:
    """An index of records (as JSON objects, each with its span in records.jsonl). releases: of a history."""
    entries: list[Entry] = []
    variants: list[Variant] = []
    said: list[tuple[Said, ...]] = []
    for record, span in records:
        if releases:
            said.append(texts(record, releases))
        variants.extend(_variants(record, len(entries)))
        entries.append(_entry(record, span))
    return Index(
        repo=repo,
        revision=revision,
        records=None,
        entries=tuple(entries),
        variants=tuple(variants),
        releases=releases,
        said=tuple(said),
    )


def _entry(record: dict[str, Any], span: tuple[int, int]) -> Entry:
    public = record.get("errorClassPublic") or ""
    name = record["errorClass"]
    lines = (record.get("sourceCode") or "").split("\n")
    first = record["lineNumber"] - (record.get("sourceCodeStart") or record["lineNumber"])
    end_line = record.get("endLineNumber") or record["lineNumber"]
    code = lines[first : first + 1 + end_line - record["lineNumber"]]
    return Entry(
        id=record["id"],
        error_class=name,
        names=frozenset({name, public.rsplit(".", 1)[-1]} - {None, ""}),
        bases=frozenset(record.get("errorBases") or ()),
        path=record["filePath"],
        line=record["lineNumber"],
        end_line=end_line,
        function=(record.get("qualname") or "<module>").rsplit(".", 1)[-1],
        pattern=record["messagePattern"],
        placeholders=tuple(record.get("placeholders") or ()),
        raise_line=dialect.squeezed("".join(code))[:400],
        span=span,
    )


def _variants(record: dict[str, Any], entry: int) -> Iterator[Variant]:
    listed = record.get("messageVariants") or [{k: record[k] for k in ("errorMessage", "messagePattern")}]
    older = {text["messagePattern"]: text for text in record.get("texts") or ()}
    older.pop(record["messagePattern"], None)
    for item in (*listed, *older.values()):
        try:
            sequence = core(item["messagePattern"])
        except dialect.PatternError:
            continue
        yield Variant(
            entry=entry,
            message=item["errorMessage"],
            pattern=item["messagePattern"],
            core=dialect.regex(sequence),
            anchors=tuple(sorted(dialect.anchors(sequence))),
            runs=tuple(dialect.runs(sequence)),
            length=dialect.fixed(sequence, min, len),
            least=dialect.fixed(sequence, min),
            most=dialect.fixed(sequence, max),
        )


def core(pattern: str) -> dialect.Sequence:
    """The parts of a pattern, without the address of JAX's page on errors at its end."""
    sequence = dialect.parse(pattern)
    if ERROR_PAGE in pattern.replace("\\", "")[-_TAIL:]:
        return dialect.without_tail(sequence, "\nSee http")
    return sequence


def load(dataset: Path, *, cache: Path | None = None) -> Index:
    """The index of a dataset folder: from the cache if it is there and whole, else built and put there.

    cache: folder to keep it in (default: ERRCAT_CACHE_DIR, else the user's cache folder). A cache that cannot be
    read or written costs time, never an answer. DatasetError where the dataset cannot be read.
    """
    path = dataset / "records.jsonl"
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        kept = (cache or cache_folder()) / f"{digest[:32]}-{FORMAT}.json"
        index = _kept(kept)
        if index is None:
            index = build(_records(path.read_bytes(), path), **_revision(dataset))
            _keep(index, kept)
    except OSError as error:
        hint = "Make one with `errcat dataset`, or pass --dataset DIR"
        raise DatasetError(f"{dataset} is not a dataset: {error.strerror or error}", hint=hint) from error
    return replace(index, records=path)


def _records(data: bytes, path: Path) -> Iterator[tuple[dict[str, Any], tuple[int, int]]]:
    start = 0
    for number, line in enumerate(data.split(b"\n"), 1):
        end = start + len(line)
        if line.strip():
            try:
                record = json.loads(line)
                if record.get("schemaVersion", 3) > 3:
                    raise DatasetError(
                        f"{path}, line {number}: schemaVersion {record['schemaVersion']}", hint="Update errcat"
                    )
                _entry(record, (start, end))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise DatasetError(
                    f"{path}, line {number}: not a record", hint="Run `errcat validate` on it"
                ) from error
            yield record, (start, end)
        start = end + 1


def _revision(dataset: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((dataset / "manifest.json").read_bytes())
        return {
            "repo": str(manifest.get("repo", "")),
            "revision": str(manifest.get("revision", "")),
            "releases": releases(manifest),
        }
    except (OSError, ValueError, AttributeError):
        return {"repo": dataset.resolve().parent.name.replace("__", "/"), "revision": dataset.resolve().name}


def cache_folder() -> Path:
    if chosen := os.environ.get("ERRCAT_CACHE_DIR"):
        return Path(chosen) / "match"
    import platformdirs

    return Path(platformdirs.user_cache_dir("errcat")) / "match"


def _keep(index: Index, path: Path) -> None:
    """Write the index where `_kept` finds it: whole or not at all."""
    rows: dict[str, Any] = {
        "repo": index.repo,
        "revision": index.revision,
        "entries": [[_plain(getattr(entry, name)) for name in Entry.__slots__] for entry in index.entries],
        "variants": [_row(variant) for variant in index.variants],
        "releases": index.releases,
        "said": [[[getattr(one, name) for name in Said.__slots__] for one in said] for said in index.said],
    }
    payload = json.dumps(rows, separators=(",", ":")).encode()
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".index-", delete=False) as file:
            file.write(hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
        Path(file.name).replace(path)


def _row(variant: Variant) -> list[object]:
    """The fields of a variant; its core only where that is not its pattern."""
    core = None if variant.core == variant.pattern else variant.core
    return [core if name == "core" else getattr(variant, name) for name in Variant.__slots__]


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset) else value


def _kept(path: Path) -> Index | None:
    """The index kept at a path; None where there is none, or where it is not whole."""
    try:
        digest, _, payload = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(payload).hexdigest().encode() != digest:
        return None
    rows = json.loads(payload)
    return Index(
        repo=rows["repo"],
        revision=rows["revision"],
        records=None,
        entries=tuple(_entry_kept(row) for row in rows["entries"]),
        variants=tuple(_variant_kept(row) for row in rows["variants"]),
        releases=tuple(rows["releases"]),
        said=tuple(tuple(_said_kept(row) for row in said) for said in rows["said"]),
    )


def _said_kept(row: list[Any]) -> Said:
    named = dict(zip(Said.__slots__, row, strict=True))
    return Said(**named | {"placeholders": tuple(named["placeholders"])})


def _entry_kept(row: list[Any]) -> Entry:
    named = dict(zip(Entry.__slots__, row, strict=True))
    sets = {name: frozenset(named[name]) for name in ("names", "bases")}
    return Entry(**named | sets | {"placeholders": tuple(named["placeholders"]), "span": tuple(named["span"])})


def _variant_kept(row: list[Any]) -> Variant:
    entry, message, pattern, core, anchors, runs, length, least, most = row
    return Variant(
        entry=entry,
        message=message,
        pattern=pattern,
        core=pattern if core is None else core,
        anchors=tuple(anchors),
        runs=tuple(runs),
        length=length,
        least=least,
        most=most,
    )

"""Is a dataset what it says it is? Every line, every pattern, every sum."""

import functools
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.dataset.folder import MANIFEST, PARQUET, RECORDS, SCHEMA, TOMBSTONES, Dataset, order, read
from pipeline.dataset.table import arrow_schema
from pipeline.errors import DatasetError, LedgerError
from pipeline.manifest import Counts, Manifest, count
from pipeline.record import Record, fingerprint, json_schema, read_record

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema_rs import Draft202012Validator as QuickValidator


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """What is wrong, in which file, on which line (None: in the file as a whole) and field (None: in all of it)."""

    file: str
    line: int | None = None
    field: str | None = None
    what: str

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.what}" if self.field is None else f"{where}: {self.field}: {self.what}"


def validate(path: Path, progress: Callable[[str, int, int], None] | None = None) -> list[Problem]:
    """Everything that is wrong with a dataset. DatasetError where the folder holds none, or a newer major version."""
    dataset = read(path)
    problems = list(_folder_problems(dataset))
    rows: dict[str, list[Record]] = {RECORDS: [], TOMBSTONES: []}
    lines = [(file, *numbered) for file in rows for numbered in enumerate(dataset.lines(file), 1)]
    for done, (file, number, line) in enumerate(lines, 1):
        record, found = _line(line, file, number)
        if record:
            rows[file].append(record)
            found += _record_problems(record, file, number, dataset)
        problems += found
        if progress:
            progress("validate", done, len(lines))
    if sum(map(len, rows.values())) == len(lines):
        problems += _name_problems(rows)
        problems += _sum_problems(rows[RECORDS], dataset)
    return problems


def _folder_problems(dataset: Dataset) -> Iterator[Problem]:
    digest = hashlib.sha256((dataset.path / RECORDS).read_bytes()).hexdigest()
    if digest != dataset.manifest.recordsSha256:
        yield Problem(file=MANIFEST, field="recordsSha256", what=f"is not the SHA-256 of {RECORDS}, {digest}")
    if not (dataset.path / TOMBSTONES).is_file():
        yield Problem(file=TOMBSTONES, what="is not there")
    try:
        dataset.manifest.coverage.check()
    except LedgerError as error:
        yield Problem(file=MANIFEST, field="coverage", what=str(error))
    try:
        schema = json.loads((dataset.path / SCHEMA).read_bytes())
    except (OSError, ValueError):
        schema = None
    if schema != json_schema():
        yield Problem(file=SCHEMA, what="is not the schema of this version of errcat")


def _line(line: bytes, file: str, number: int) -> tuple[Record | None, list[Problem]]:
    try:
        value = json.loads(line)
    except ValueError as error:
        return None, [Problem(file=file, line=number, what=f"is not JSON: {error}")]
    faults = () if _quick_validator().is_valid(value) else _validator().iter_errors(value)
    problems = [
        Problem(file=file, line=number, field=error.json_path.removeprefix("$."), what=error.message[:200])
        for error in faults
    ]
    if problems:
        return None, problems
    try:
        return read_record(line), []
    except DatasetError as error:
        return None, [Problem(file=file, line=number, what=error.what)]


@functools.cache
def _quick_validator() -> "QuickValidator":
    """A hundred times as fast; `_validator` says what is wrong where it finds a fault."""
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(json_schema())


@functools.cache
def _validator() -> "Draft202012Validator":
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json_schema())


def _record_problems(record: Record, file: str, number: int, dataset: Dataset) -> Iterator[Problem]:
    def problem(field: str, what: str) -> Problem:
        return Problem(file=file, line=number, field=field, what=what)

    if record.repo != dataset.manifest.repo:
        yield problem("repo", f"{record.repo} here, {dataset.manifest.repo} in {MANIFEST}")
    if file == TOMBSTONES:
        if record.lastSeenIn is None:
            yield problem("lastSeenIn", "is null, but the record is gone")
    elif fault := _place_fault(record, dataset.manifest):
        yield problem(*fault)
    if record.fingerprint != fingerprint(record.errorClass, record.messagePattern):
        yield problem("fingerprint", "is not that of errorClass and messagePattern")
    if not record.sourceCodeStart <= record.lineNumber <= record.sourceCodeEnd:
        yield problem("lineNumber", "is outside of the excerpt")
    for index, variant in enumerate(record.messageVariants):
        _, why = _groups(variant.messagePattern)
        if why:
            yield problem(f"messageVariants[{index}].messagePattern", why)
    groups, why = _groups(record.messagePattern)
    if why:
        yield problem("messagePattern", why)
    elif groups != len(record.placeholders):
        yield problem("placeholders", f"{len(record.placeholders)} for {groups} capture groups in messagePattern")


def _place_fault(record: Record, manifest: Manifest) -> tuple[str, str] | None:
    """The field that does not fit the revision, or the history, that the manifest tells of, and why."""
    if record.revision not in (revisions := _revisions(manifest)):
        return "revision", f"{record.revision} here, {', '.join(revisions)} in {MANIFEST}"
    if manifest.history is None:
        return ("texts", "are for a history") if record.texts else None
    why = _texts_fault(record, [one.name for one in manifest.history.revisions])
    return ("texts", why) if why else None


def _revisions(manifest: Manifest) -> tuple[str, ...]:
    """What a record can have for its revision; analyzedSha may be an earlier run's."""
    if manifest.history is None:
        return (manifest.revision,)
    return tuple(one.revision for one in manifest.history.revisions)


def _texts_fault(record: Record, names: Sequence[str]) -> str | None:
    """What is wrong with the texts of a record of a history: they follow each other, and the last is the record's."""
    unknown = [name for text in record.texts for name in (text.from_, text.to) if name not in names]
    if unknown:
        return f"{unknown[0]} is no revision of the history"
    spans = [(names.index(text.from_), names.index(text.to)) for text in record.texts]
    if any(first > last for first, last in spans) or any(a[1] >= b[0] for a, b in itertools.pairwise(spans)):
        return "do not follow each other"
    if not spans or record.texts[-1].to != record.lastSeenIn:
        return "do not end with lastSeenIn"
    last = record.texts[-1]
    told, now = ((o.errorMessage, o.messagePattern, o.placeholders) for o in (last, record))
    return None if told == now else "do not end with the record's text"


@functools.lru_cache(maxsize=65536)  # most records have one variant, and its pattern is the record's
def _groups(pattern: str) -> tuple[int, str | None]:
    """How many capture groups a pattern has, and why it is no pattern in re or in RE2 (None: it is one)."""
    import re2

    try:
        groups = re.compile(pattern, re.DOTALL).groups
    except (re.error, RecursionError, OverflowError) as error:
        return 0, f"does not compile in re: {error}"
    try:
        return (
            (groups, None) if re2.compile(pattern, _re2_options()).groups == groups else (0, "RE2 counts other groups")
        )
    except re2.error as error:
        return 0, f"does not compile in RE2: {error.args[0].decode()}"


@functools.cache
def _re2_options() -> Any:
    import re2

    options = re2.Options()
    options.dot_nl = True
    options.log_errors = False
    return options


def _name_problems(rows: Mapping[str, Sequence[Record]]) -> Iterator[Problem]:
    """An id or an alias means one error, be it there or gone."""
    seen: set[str] = set()
    for file, records in rows.items():
        for number, record in enumerate(records, 1):
            for name in (record.id, *record.aliases):
                if name in seen:
                    field = "id" if name == record.id else "aliases"
                    yield Problem(file=file, line=number, field=field, what=f"{name} is another record's")
                seen.add(name)
    for number, (one, other) in enumerate(itertools.pairwise(rows[TOMBSTONES]), 2):
        if one.id > other.id:
            yield Problem(file=TOMBSTONES, line=number, what="is out of order: id")


def _sum_problems(records: Sequence[Record], dataset: Dataset) -> Iterator[Problem]:
    for number, (one, other) in enumerate(itertools.pairwise(records), 2):
        if order(one) > order(other):
            yield Problem(file=RECORDS, line=number, what="is out of order: filePath, lineNumber, errorClass, id")
    if (counted := count(records)) != dataset.manifest.counts:
        yield from _count_problems(counted, dataset.manifest.counts)
    yield from _table_problems(records, dataset)


def _count_problems(found: Counts, stated: Counts) -> Iterator[Problem]:
    for (name, number), (_, said) in zip(found, stated, strict=True):
        if number != said:
            yield Problem(file=MANIFEST, field=f"counts.{name}", what=f"{said} stated, {number} found")


def _table_problems(records: Sequence[Record], dataset: Dataset) -> Iterator[Problem]:
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(dataset.path / PARQUET)
    except (OSError, pyarrow.ArrowException) as error:
        yield Problem(file=PARQUET, what=f"cannot be read: {error}")
        return
    if table.schema != arrow_schema():
        yield Problem(file=PARQUET, what="has other columns than the records")
    elif table.column("id").to_pylist() != [record.id for record in records]:
        yield Problem(file=PARQUET, what=f"has other rows than {RECORDS}")

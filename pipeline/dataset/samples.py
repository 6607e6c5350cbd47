"""Samples of a dataset: messages as the errors would print them, with the ids of the records they come from.

They are drawn by a hash of the id, so that the same errors are drawn from the next dataset, and a check that a dataset
finds the records of the samples of the one before it means something.
"""

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Final

from pipeline.errors import DatasetError
from pipeline.record import Record

SAMPLES: Final = 300
LEAST_FIXED: Final = 8  # fixed characters; with fewer, a message alone does not tell where it comes from

_VALUES: Final = ("x", "3", "(2, 3)", "float32", "'name'", "None", "[0, 1]", "<class 'int'>")
_TOKEN: Final = re.compile(
    r"\\(?P<escaped>.)|(?P<hole>\((?:\?:)?\.[+*]\?\))|(?P<open>\(\?:)|(?P<close>\)[?*]?)|(?P<or>\|)|(?P<plain>[^\\()|]+)",
    re.DOTALL,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """A message that the record with this id can print."""

    id: str
    errorClass: str | None
    message: str

    @property
    def pasted(self) -> str:
        """The message as the last line of a traceback has it."""
        return f"{self.errorClass}: {self.message}" if self.errorClass else self.message


def draw(records: Iterable[Record]) -> tuple[Sample, ...]:
    """At most 300 samples, sorted by id; whatever the order of the records."""
    told = [record for record in records if (record.literalLength or 0) >= LEAST_FIXED]
    drawn = sorted(told, key=lambda record: hashlib.sha256(record.id.encode()).digest())[:SAMPLES]
    return tuple(_sample(record) for record in sorted(drawn, key=lambda record: record.id))


def _sample(record: Record) -> Sample:
    pattern = record.messageVariants[0].messagePattern
    return Sample(id=record.id, errorClass=record.errorClass, message=filled(pattern, _values(record.id)))


def _values(name: str) -> Iterator[str]:
    for place in itertools.count():
        yield _VALUES[hashlib.sha256(f"{name} {place}".encode()).digest()[0] % len(_VALUES)]


def filled(pattern: str, values: Iterator[str]) -> str:
    """A text that the pattern matches in full: of alternatives the first, what is optional or repeated once."""
    text: list[str] = []
    passed_over = 0  # how many groups, from the one whose first alternative was taken inwards, are still open
    for token in _TOKEN.finditer(pattern):
        match token.lastgroup:
            case "open":
                passed_over += bool(passed_over)
            case "close":
                passed_over -= bool(passed_over)
            case "or":
                passed_over = passed_over or 1
            case kind if kind and not passed_over:
                text.append(next(values) if kind == "hole" else token[kind])
    return "".join(text)


def to_lines(samples: Iterable[Sample]) -> bytes:
    """The samples as JSON lines."""
    rows = (json.dumps(asdict(sample), ensure_ascii=False, separators=(",", ":")) for sample in samples)
    return "".join(f"{row}\n" for row in rows).encode()


def read_samples(data: bytes, name: str) -> tuple[Sample, ...]:
    """The samples in a file of JSON lines. name: of the file, for the DatasetError that names a line that is none."""
    samples = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            row = json.loads(line)
            samples.append(Sample(id=row["id"], errorClass=row["errorClass"], message=row["message"]))
        except (ValueError, KeyError, TypeError) as error:
            raise DatasetError(f"{name}:{number}: not a sample: {error!r}") from None
    return tuple(samples)

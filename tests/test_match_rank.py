"""Which record it is, how that was found, and when there is no answer."""

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import make_record

from pipeline.match import Index, answer, match
from pipeline.match.answer import Answer, Origin, as_json, json_schema
from pipeline.match.index import build
from pipeline.match.xla import STATUSES, article
from pipeline.record import MessageVariant, Record


def index_of(*records: Record) -> Index:
    return build([(json.loads(r.model_dump_json()), (0, 0)) for r in records], repo="local/pkg", revision="1.2.3")


def record(pattern: str, *, line: int = 2, function: str = "f", code: str = "raise E(", **changes: Any) -> Record:
    """A record whose one text has this pattern, raised on a line of a function of pkg/core.py."""
    place = {"filePath": "pkg/core.py", "lineNumber": line, "endLineNumber": line + 1, "qualname": function}
    excerpt = {"sourceCode": f"{code}\n    x)", "sourceCodeStart": line, "sourceCodeEnd": line + 1}
    identity = {"id": f"{abs(hash((pattern, line, function, str(changes)))):016x}"[:16]}
    return make_record(pattern, pattern, **identity | place | excerpt | changes)


def trace(
    last: str, *, file: str = "/x/site-packages/pkg/core.py", line: int = 2, function: str = "f", code: str = ""
) -> str:
    shown = f"    {code}\n" if code else ""
    return f'Traceback (most recent call last):\n  File "{file}", line {line}, in {function}\n{shown}{last}\n'


def how(found: Answer) -> list[tuple[str, str]]:
    return [(m.how.value, m.entry.pattern) for m in found.matches]


WIDE = "argument (.+?) must be a (.+?)"
NARROW = "argument (.+?) must be a positive even number, got (.+?)"
CUTABLE = r"cannot lower the primitive (.+?) for a device of this kind\. Please open an issue at (.+?)\."
TEXTS = [
    # what is pasted; how the first record is found; its pattern
    ("ValueError: argument x must be a positive even number, got 3", "whole", NARROW),
    ("argument x must be a positive even number, got 3", "whole", NARROW),
    ("ValueError: argument x must  be a positive\n even number, got 3", "respaced", NARROW),
    ("ValueError: argument x must be a posi\ntive even number, got 3", "respaced", NARROW),
    ("ValueError: argument x must be a tuple", "whole", WIDE),
    ("ValueError: argument x must be a positive even number, got 3\n\nI run this on a TPU.", "longer", NARROW),
    ("ValueError: cannot lower the primitive sort for a device of this kind", "cut", CUTABLE),
    ("ValueError: cannot lower the primitive sort for a device of this ki...", "cut", CUTABLE),
    ("ValueError: cannot lower primitive sort for a device of this kind. Please open an issue.", "reworded", CUTABLE),
]


@pytest.mark.parametrize(("text", "first", "pattern"), TEXTS)
def test_found_by_text(text: str, first: str, pattern: str) -> None:
    index = index_of(record(WIDE), record(NARROW, line=9), record(CUTABLE, line=19))
    assert how(answer(text, index))[:1] == [(first, pattern)]


SILENT = [
    "ValueError: something else entirely",
    "ValueError: argument",
    "ValueError: x must be a tuple",
    "LookupError: argument x must be a tuple",
    "ValueError",
    "",
    "ValueError: 'int' object has no attribute 'shape'",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    index = index_of(
        record(WIDE), record("(.+?) has no attribute (.+?)", line=9), record("(.+?)", line=19), record("", line=29)
    )
    assert how(answer(text, index)) == []


def test_a_record_without_fixed_text_is_answered_only_by_its_frame() -> None:
    index = index_of(record("(.+?)"), record("", line=9, function="g"))
    assert how(answer("ValueError: anything", index)) == []
    assert how(answer(trace("ValueError: anything"), index)) == [("frame", "(.+?)")]
    assert how(answer(trace("ValueError", line=9, function="g"), index)) == [("frame", "")]
    assert how(answer(trace("ValueError: anything", function="other"), index)) == []
    assert how(answer(trace("ValueError: anything", file="/x/elsewhere/core.py"), index)) == []


def test_the_frame_goes_before_the_text() -> None:
    here, there = (
        record("(.+?) is not sorted", line=50),
        record("the (.+?) of this is not sorted", line=70, function="g"),
    )
    index = index_of(here, there)
    assert how(answer("ValueError: the key of this is not sorted", index))[0] == ("whole", there.messagePattern)
    assert how(answer(trace("ValueError: the key of this is not sorted", line=7), index))[0] == (
        "frame",
        here.messagePattern,
    )


def test_of_equal_texts_the_statement_printed_decides() -> None:
    one, two = record("it is not sorted", code="raise made(a"), record("it is not sorted", line=9, code="raise made(bb")
    found = answer(trace("ValueError: it is not sorted", line=77, code="raise made(bb"), index_of(one, two))
    assert [(m.entry.id, m.ambiguous_with) for m in found.matches] == [(two.id, ()), (one.id, ())]


def test_a_line_alone_counts_only_in_the_same_release() -> None:
    index = index_of(record("was reworded", line=40, function="g"))
    text = trace("ValueError: says something new", line=41, function="helper")
    assert how(answer(text, index)) == []
    assert how(answer(text, index, release="1.2.3")) == [("line", "was reworded")]
    assert how(answer(text, index, release="1.2.4")) == []


def test_what_others_raise_in_their_own_code_is_not_ours() -> None:
    index = index_of(record("it is not sorted"))
    assert how(answer(trace("ValueError: it is not sorted", file="/x/mine.py"), index)) != []
    own = trace("ValueError: it is not sorted", file="/x/mine.py", code='raise ValueError("it is not sorted")')
    assert how(answer(own, index)) == []


def test_equal_texts_of_a_class_come_as_one_of() -> None:
    records = [record("it is not sorted", line=n) for n in (2, 20, 40)]
    other = record("it is not sorted", line=60, errorClass="KeyError")
    (first, *rest) = answer("ValueError: it is not sorted", index_of(*records, other)).matches
    assert {first.entry.id, *first.ambiguous_with} == {r.id for r in records}
    assert all(m.entry.id == other.id for m in rest)


def test_the_class_is_respected() -> None:
    key = record("the key is missing here", errorClass="MissingError", errorBases=("KeyError", "LookupError"))
    index = index_of(record("the key is missing here", line=9, errorClass="ValueError"), key)
    for name in ("MissingError", "pkg.errors.MissingError", "KeyError"):
        assert match(f"{name}: the key is missing here", index)[0].entry.id == key.id


def test_holes_are_those_of_the_record_and_null_where_not_taken() -> None:
    pattern = "shape (.+?) of (?:the (.+?) argument|all arguments) is wrong"
    variants = ["shape (.+?) of the (.+?) argument is wrong", "shape (.+?) of all arguments is wrong"]
    one = record(
        pattern,
        placeholders=("shape", "name"),
        messageVariants=tuple(MessageVariant(errorMessage=v, messagePattern=v) for v in variants),
    )
    index = index_of(one)
    texts = ["shape (2, 3) of the first argument is wrong", "shape (2, 3) of all arguments is wrong"]
    holes = [[(h.expression, h.text) for h in match(f"ValueError: {text}", index)[0].holes] for text in texts]
    assert holes == [[("shape", "(2, 3)"), ("name", "first")], [("shape", "(2, 3)"), ("name", None)]]


def test_holes_of_a_wrapped_message_are_found() -> None:
    index = index_of(record(NARROW, placeholders=("name", "value")))
    (found,) = match("ValueError: argument xy must be a posi\ntive even number, got [3,\n4]", index)
    assert [(h.expression, h.text) for h in found.holes] == [("name", "xy"), ("value", "[3,\n4]")]


ORIGINS = [
    ("ValueError: argument x must be a tuple", Origin.REPOSITORY),
    ("XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory", Origin.XLA),
    ("jax.errors.JaxRuntimeError: INTERNAL: argument x must be a tuple", Origin.XLA),
    ("ValueError: INVALID_ARGUMENT: Invalid buffer", Origin.XLA),
    ("RuntimeError: Resource exhausted: Out of memory", Origin.XLA),
    ("XlaRuntimeError: PyTree function should return a pair", Origin.XLA),
    ("TypeError: 'int' object is not iterable", Origin.PYTHON),
    ("IndexError: index 5 is out of bounds for axis 0 with size 3", Origin.NUMPY),
    ("ValueError: nothing known", Origin.UNKNOWN),
    ("", Origin.UNKNOWN),
]


@pytest.mark.parametrize(("text", "origin"), ORIGINS)
def test_origin(text: str, origin: Origin) -> None:
    found = answer(text, index_of(record(WIDE)))
    assert found.origin is origin
    assert bool(found.matches) == (origin is Origin.REPOSITORY)


def test_a_word_that_xla_uses_too_does_not_hide_a_record() -> None:
    index = index_of(record("Internal: no such handle (.+?)", errorClass="RuntimeError"))
    assert answer("RuntimeError: Internal: no such handle 3", index).origin is Origin.REPOSITORY


@pytest.mark.parametrize("code", STATUSES)
def test_every_status_code_has_an_article(code: str) -> None:
    text = article(STATUSES[code])
    assert text
    assert text.startswith(f"# {code}: ")


def test_causes_are_answered_too() -> None:
    first = trace("ValueError: argument x must be a tuple")
    text = f"{first}\nDuring handling of the above exception, another exception occurred:\n\n{trace('KeyError: 3')}"
    found = answer(text, index_of(record(WIDE)))
    assert (found.origin, found.matches) == (Origin.UNKNOWN, ())
    assert [(cause.link, [m.how.value for m in cause.matches]) for cause in found.chain] == [("context", ["frame"])]


@pytest.mark.parametrize(
    "text", [text for text, *_ in [*TEXTS, *ORIGINS]] + [trace("ValueError: argument x must be a tuple")]
)
def test_the_json_is_of_its_schema(text: str) -> None:
    index = index_of(record(WIDE, placeholders=("a", "b")), record(NARROW, line=9), record(CUTABLE, line=19))
    line = json.loads(json.dumps(as_json(answer(text, index), "in.txt")))
    jsonschema.validate(line, json_schema())
    assert list(line) == ["input", "error", "chain", "origin", "matches"]
    assert line["input"] == "in.txt"


def test_the_schema_in_the_package_is_the_one_of_the_answer() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())
    kept = Path(str(sys.modules["pipeline.match.answer"].__file__)).with_name("answer.schema.json")
    assert json.loads(kept.read_text()) == json_schema(), "stale: write json_schema() to it"

"""The browser answers a paste as `errcat match` does: the same modules, run by node, on the same index."""

import functools
import gzip
import itertools
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import match_shapes
import pytest
from browser_node import STATIC, node
from conftest import make_record, make_run, three_records
from test_match_rank import CUTABLE, NARROW, ORIGINS, SILENT, TEXTS, WIDE, record, trace

from pipeline import dataset
from pipeline.manifest import Manifest
from pipeline.match import dialect
from pipeline.match.answer import answer, as_json
from pipeline.match.index import Index, build
from pipeline.match.xla import STATUSES
from pipeline.pages import match_index
from pipeline.record import MessageVariant, Record

MODULES = STATIC / "match"
SCRIPT = Path(__file__).parent / "browser_match.mjs"
LARGEST = 1_500_000


@dataclass(frozen=True, kw_only=True)
class Both:
    """A command line and a page that know the same records."""

    index: Index
    file: Path

    def check(self, texts: Sequence[str]) -> list[dict[str, Any]]:
        """The answers of both, once they are found equal."""
        said = "".join(json.dumps(text) + "\n" for text in texts)
        *lines, figures = map(json.loads, node(str(SCRIPT), str(MODULES), str(self.file), said=said).split("\n")[:-1])
        expected = [json.loads(json.dumps(as_json(answer(text, self.index), "-"))) for text in texts]
        differing = [(t, e, got) for t, e, got in zip(texts, expected, lines, strict=True) if e != got]
        assert not differing, f"{len(differing)} of {len(texts)} differ, such as {differing[0]}"
        assert len(figures["milliseconds"]) == len(texts)
        return expected


def both(records: Sequence[Record], folder: Path, *, repo: str = "local/pkg", revision: str = "1.2.3") -> Both:
    rows = [(json.loads(one.model_dump_json()), (0, 0)) for one in records]
    file = folder / "match-index.json.gz"
    file.write_bytes(match_index.compressed(match_index.table(records, repo=repo, revision=revision)))
    return Both(index=build(rows, repo=repo, revision=revision), file=file)


@pytest.fixture(scope="module")
def jax(jax_dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Both:
    """The real jax 0.9.2."""
    records = list(dataset.read(jax_dataset).records())
    return both(records, tmp_path_factory.mktemp("site"), repo="jax-ml/jax", revision="0.9.2")


@pytest.fixture(scope="module")
def samples(jax: Both) -> list[tuple[str, str]]:
    """(class, message) of errors of every kind, their holes filled in."""
    values = itertools.cycle(("x", "(2, 3)", "float32[3]", "<class 'int'>", "naïve 漢字", "a\n  b", "😀", "3.0"))
    told = [v for v in jax.index.variants if v.length >= 4][::9]
    return [(jax.index.entries[v.entry].error_class or "ValueError", filled(v.pattern, values)) for v in told]


def filled(pattern: str, values: Iterator[str]) -> str:
    """A text of a pattern: of alternatives the last, what is optional left out, what repeats twice."""

    def said(sequence: dialect.Sequence) -> Iterator[str]:
        for part in sequence.parts:
            if isinstance(part, dialect.Text):
                yield part.text
            elif isinstance(part, dialect.Gap):
                yield next(values)
            else:
                yield from list(said(part.options[-1])) * (2 if part.repeat else part.least)

    return "".join(said(dialect.parse(pattern)))


def test_the_shapes_of_real_errors(jax: Both, samples: list[tuple[str, str]]) -> None:
    shapes = itertools.cycle(match_shapes.SHAPES.values())
    texts = [shape(name, message) for name, message in samples for shape in itertools.islice(shapes, 2)]
    found = jax.check(texts)
    assert len(found) >= 1000
    assert sum(bool(one["matches"]) for one in found) >= 0.9 * len(found)


def test_frames_decide(jax: Both) -> None:
    texts = []
    for number, entry in list(enumerate(jax.index.entries))[::12]:
        numbers = jax.index.variants_of.get(number, ())
        said = filled(jax.index.variants[numbers[0]].pattern, itertools.repeat("x")) if numbers else ""
        last = f"{entry.error_class or 'ValueError'}: {said}"
        here = functools.partial(trace, line=entry.line, function=entry.function)
        texts += [
            here(last, file=f"/v/site-packages/{entry.path}"),
            here(f"{last} in other words", file=f"C:\\v\\{entry.path}", code=entry.raise_line),
            "jax==0.9.2\n" + trace("ValueError: another text", file=f"/v/{entry.path}", line=entry.line, function="g"),
        ]
    hows = {match["how"] for one in jax.check(texts) for match in one["matches"]}
    assert {"frame", "line", "whole"} <= hows


def test_parts_and_other_words(jax: Both, samples: list[tuple[str, str]]) -> None:
    ends = itertools.cycle(("...", "…", " [...]", "", " [truncated]", "<snip>"))
    texts = []
    for number, (name, message) in enumerate(samples[::2]):
        texts.append(f"{name}: {message[: len(message) * (3 + number % 5) // 8]}{next(ends)}")
        texts.append(f"{name}: {message.replace(' the ', ' a ').replace('must', 'should').replace('not', 'never')}")
        texts.append(f"{message}\n\nI use it so:\n\n{message}")
    hows = {match["how"] for one in jax.check(texts) for match in one["matches"]}
    assert {"cut", "reworded", "longer", "whole"} <= hows


PASTES = [
    "",
    " \n\t ",
    "ValueError",
    "ValueError:",
    "\ufeffValueError: bad \ufeff thing",
    "ValueError\x85: next line \x1c\x1d",
    "Значение: ошибка ValueError: плохо",
    'Traceback (most recent call last):\n  File "/a/b.py", line ٣٤٥, in f\n    g()\nValueError: x\n',
    'Traceback (most recent call last):\n  File "/a/😀.py", line 1, in ƒ\n    g()\nÄÖError: 😀 x\n',
    "\U0001d4b1alueError: x\nVⅷError: y",
    "E   ValueError: x\n\nt.py:7: ValueError",
    "    def f():\n>       g(😀)\nE       TypeError: a\nE         b\nE       assert 1 == 2\n\ntests/t.py:3: TypeError",
    "> > > ValueError: quoted\n> > > on",
    ">ValueError: quoted\n>on",
    '[rank 3]: Traceback (most recent call last):\n[rank 3]:   File "a.py", line 1, in f\n[rank 7]: KeyError: x\nmore',
    "[1;31mValueError[0m: lost [0mcolours",
    "\x1b]0;title\x07\x1b[1mValueError\x1b[0m: x",
    "Text before.\n```\nValueError: x\n```\nText after",
    '```\nTraceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: x\n```\nOn and on',
    "Traceback (most recent call last):\n",
    'Traceback (most recent call last):\n  File "a.py", line 1, in f\n',
    'Traceback (most recent call last):\n  File "a.py", line 1\n    x = = 1\n        ^\nSyntaxError: invalid syntax',
    "UserWarning: first\nTypeError: second",
    "UserWarning: only",
    "something failed: RuntimeError: inside of a line",
    "jax.errors.ConcretizationTypeError: Abstract tracer value encountered where concrete value is expected: 3",
    "TypeError: f() got an unexpected keyword argument 'axis'",
    "INVALID_ARGUMENT: without a class",
    "-" * 75
    + "\nValueError        Traceback (most recent call last)\nCell In[1], line 2\n----> 2 f()\n\nValueError: x",
    "ValueError        Traceback (most recent call last)\n<ipython-input-1-ab> in f(x)\n----> 1 g(\n\nKeyError: 'y'",
    "constructor: __proto__\nhasOwnProperty",
    "toString: x\n__proto__: y",
    "ValueError: a\r\nb\rc\u2028d\u2029e",
    "a" * 700 + " Traceback (most recent call last):\nValueError: far to the right",
    "\ud800ValueError: half \udfff",
    "ValueError: x" + " " * 60_000 + "y",
    "ValueError: " + "😀" * 40_000 + " and on",
    "ValueError: \x00x\x7f",
]


def test_odd_pastes(jax: Both) -> None:
    texts = [*PASTES, *(f"{name}: {code}: x" for code in STATUSES for name in ("RuntimeError", "XlaRuntimeError"))]
    assert {"xla", "python", "unknown"} <= {one["origin"] for one in jax.check(texts)}


def repeated(text: str, size: int = 1 << 20) -> str:
    return text * (size // len(text))


TRACE = trace("ValueError: the axis 3 is not one of these")
HOSTILE: dict[str, Callable[[], str]] = {
    "one line": lambda: repeated("a"),
    "spaces": lambda: repeated(" "),
    "empty lines": lambda: repeated("\n"),
    "quotes": lambda: repeated("> "),
    "escapes": lambda: repeated("\x1b["),
    "emoji": lambda: repeated("😀 ValueError: ", 2 << 20),
    "tracebacks": lambda: repeated(TRACE, 3 << 20),
    "frames": lambda: "Traceback (most recent call last):\n" + repeated('  File "a.py", line 1, in f\n    g()\n'),
    "chained": lambda: repeated(TRACE + "\nDuring handling of the above exception, another exception occurred:\n\n"),
    "a class without end": lambda: repeated("a.") + "Error: x",
    "prefixes": lambda: repeated("[rank 1]: 2026-01-02 "),
    "bars": lambda: "|" * 500_000 + " Traceback (most recent call last):\n" + repeated("| | a\n"),
    "pytest": lambda: repeated("E   a\n"),
    "carets": lambda: f'Traceback (most recent call last):\n  File "a", line 1\n{" " * 300_000}{"^" * 300_000}x\n',
    "holes that nest": lambda: "ValueError: " + repeated("shape (2, 3) of the axis is not one of ", 64_000),
    "parentheses": lambda: "TypeError: " + repeated("((((", 64_000),
}


def test_hostile_pastes(jax: Both) -> None:
    words = sorted({run for variant in jax.index.variants for run in variant.runs})
    random.Random(7).shuffle(words)
    said = [made() for made in HOSTILE.values()]
    jax.check([*said, "ValueError: " + " ".join(words)[:60_000], "TypeError: " + "".join(sorted(words))[:60_000]])


def test_the_index_is_small_and_the_same_each_time(jax: Both, jax_dataset: Path) -> None:
    found = dataset.read(jax_dataset)
    records = list(found.records())
    files = match_index.files(records, found.manifest)
    assert files == {match_index.PATH: jax.file.read_bytes()}
    assert len(files[match_index.PATH]) <= LARGEST
    table = json.loads(gzip.decompress(files[match_index.PATH]))
    assert len(table["entries"]["id"]) == len(records)


# ---- records made by hand, and by chance


def test_the_texts_of_the_other_tests(tmp_path: Path) -> None:
    records = [
        record(WIDE, placeholders=("a", "b")),
        record(NARROW, line=9, placeholders=("name", "value")),
        record(CUTABLE, line=19),
        record("(.+?)", line=29),
        record("", line=39, function="g"),
        record("it is not sorted", line=49, errorClass=None),
        record("it is not sorted", line=59, errorClass="MissingError", errorBases=("KeyError", "LookupError")),
        record("it is not sorted", line=69, errorClass="MissingError", errorClassPublic="pkg.errors.Missing"),
        record("Internal: no such handle (.+?)", line=79, errorClass="RuntimeError"),
        *three_records(),
    ]
    texts = [*(row[0] for row in TEXTS), *SILENT, *(row[0] for row in ORIGINS)]
    texts += ["Missing: it is not sorted", "KeyError: it is not sorted", "KeyError: 'naïve \\u2028 a and b'"]
    texts += [trace(text) for text in texts] + [trace(text, line=39, function="g") for text in texts]
    both(records, tmp_path).check(texts)


def test_variants_and_what_is_not_taken(tmp_path: Path) -> None:
    pattern = "shape (.+?) of (?:the (.+?) argument|all arguments) is wrong(?:, as (.+?) said)?(?:, and(?:.+?))*"
    variants = ["shape (.+?) of the (.+?) argument is wrong", "shape (.+?) of all arguments is wrong(?:, and(?:.+?))*"]
    listed = tuple(MessageVariant(errorMessage=f"{v} ({n})", messagePattern=v) for n, v in enumerate(variants))
    one = record(pattern, placeholders=("shape", "name", "who"), messageVariants=listed)
    page = record(r"wrong axis (.+?)\nSee https://docs.x/errors\.html#x".replace(r"\n", "\n"), line=99, function="h")
    texts = [
        "ValueError: shape (2, 3) of the first argument is wrong",
        "ValueError: shape (2, 3) of all arguments is wrong, and a, and b",
        "ValueError: shape (2, 3) of the first argument is wrong, as Ada said",
        "ValueError: wrong axis 3\nSee https://docs.x/errors.html#x",
        "ValueError: wrong axis 3 See https://elsewhere/errors.html#y",
        "ValueError: wrong axis 3\n\nSee https://elsewhere/faq.html",
    ]
    found = both([one, page], tmp_path).check([*texts, *(trace(text) for text in texts)])
    assert [len(each["matches"]) for each in found[:2]] == [1, 1]


ALPHABET = (*["the", "axis", "no", "漢", "😀", "é", "é", "."], *" \n.()|\\+{-\xa0", "\u3000x")


def grown(chance: random.Random, depth: int = 0) -> str:
    """A pattern of the dialect."""
    parts = []
    for _ in range(chance.randint(1, 5)):
        kind = chance.random()
        if kind < 0.6 or depth > 2:
            words = "".join(chance.choice(ALPHABET) for _ in range(chance.randint(1, 6)))
            parts.append(re.sub(r"([\\^$.*+?()\[\]{}|])", r"\\\1", words))
        elif kind < 0.85:
            parts.append(chance.choice(("(.+?)", "(.*?)")))
        elif kind < 0.93:
            parts.append(f"(?:{grown(chance, depth + 1)}|{grown(chance, depth + 1)}){chance.choice(('', '?'))}")
        else:
            parts.append(f"(?:x(?:.+?), {chance.choice(('', 'and'))})*")
    return "".join(parts)


def test_patterns_and_texts_by_chance(tmp_path: Path) -> None:
    chance = random.Random(2026)
    patterns = sorted({grown(chance) for _ in range(200)})
    records = [
        record(
            pattern, line=2 + 5 * n, function=f"f{n % 9}", errorClass=chance.choice(("ValueError", "KeyError", None))
        )
        for n, pattern in enumerate(patterns)
    ]
    values = iter(lambda: "".join(chance.choice(ALPHABET) for _ in range(chance.randint(1, 4))), None)
    texts = []
    for one in records:
        said = filled(one.messagePattern, values)
        at = chance.randrange(len(said) + 1)
        for text in (said, said[:at], said[:at] + chance.choice(ALPHABET) + said[at:], said.replace(" ", "\n", 2)):
            last = f"{one.errorClass or 'ValueError'}: {text}"
            texts += [last, text, trace(last, line=one.lineNumber, function=one.qualname or "")]
    found = both(records, tmp_path).check(texts)
    assert {match["how"] for each in found for match in each["matches"]} >= {"frame", "whole", "respaced", "cut"}


def test_an_index_of_another_format_is_refused(tmp_path: Path) -> None:
    table = match_index.table([make_record()], repo="a/b", revision="1") | {"format": match_index.FORMAT + 1}
    script = f"""
      import {{ Index }} from {json.dumps((MODULES / "index.js").as_uri())};
      try {{ new Index(JSON.parse(process.argv[1])); }} catch (error) {{ console.log(error.message); }}
    """
    said = node("--input-type=module", "-e", script, json.dumps(table))
    assert said == "The index is of another version than this page: load the page again.\n"


def test_the_files_of_a_small_dataset(tmp_path: Path) -> None:
    path = dataset.write(tmp_path / "out", three_records(), make_run(3))
    manifest: Manifest = dataset.read(path).manifest
    (data,) = match_index.files(three_records(), manifest).values()
    table = json.loads(gzip.decompress(data))
    assert (table["repo"], table["revision"]) == (manifest.repo, manifest.revision)
    assert table["kinds"] == [["ValueError", None, []], [None, None, []], ["KeyError", None, []]]


# ---- the errors that really happened, where they are


@pytest.mark.parametrize("frames", [False, True], ids=["message", "traceback"])
def test_what_really_happened(frames: bool, jax: Both, shared: Callable[[str], Path]) -> None:
    rows = [json.loads(line) for line in shared("oracle/raised-jax-0.9.2.jsonl").read_text().splitlines()]

    def pasted(row: dict[str, Any]) -> str:
        last = f"{row['cls']}: {row['message']}"
        if not frames:
            return last
        return trace(last, file=f"/v/{row['file']}", line=row["line"], function=row["func"].rpartition(".")[2])

    assert len(jax.check([pasted(row) for row in rows])) == len(rows) > 2000


def test_what_people_pasted(jax: Both, shared: Callable[[str], Path]) -> None:
    rows = [json.loads(line) for line in shared("oracle/pastes.jsonl").read_text().splitlines()]
    assert len(jax.check([row["text"] for row in rows])) == len(rows) > 100

"""Who is who in two catalogues: sources whose raises carry a mark, and laws over sources made by chance."""

import random
import re
from collections.abc import Mapping
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import mined

from pipeline.diff.pair import Pairing, Why, pair
from pipeline.diff.pair.assign import assign
from pipeline.diff.pair.lines import Shown, untouched
from pipeline.record import Record

Source = str | Mapping[str, str]
_MARK = re.compile(r" *@(\w+)$", re.MULTILINE)


def records_of(source: Source) -> tuple[tuple[Record, ...], dict[tuple[str, int], str]]:
    """What a source raises, and the marks of its lines. A mark is no part of the source."""
    files = {"pkg/m.py": source} if isinstance(source, str) else source
    texts = {path: dedent(text).lstrip("\n") for path, text in files.items()}
    marks = {
        (path, number): found[1]
        for path, text in texts.items()
        for number, line in enumerate(text.split("\n"), 1)
        if (found := _MARK.search(line))
    }
    return mined.mine({path: _MARK.sub("", text) for path, text in texts.items()}).records, marks


def marked(pairing: Pairing, old: Mapping[tuple[str, int], str], new: Mapping[tuple[str, int], str]) -> set[str]:
    """Every pair, and every record alone, by marks: `a=a`, `b=` where it went, `=c` where it came."""

    def mark(record: Record, marks: Mapping[tuple[str, int], str]) -> str:
        return marks[record.filePath, record.lineNumber]

    return {
        *(f"{mark(p.old, old)}={mark(p.new, new)}" for p in pairing.pairs),
        *(f"{mark(r, old)}=" for r in pairing.removed),
        *(f"={mark(r, new)}" for r in pairing.added),
    }


THREE = """
    def f(x):
      if x.a:
        raise ValueError("bad x")  @a
      if x.b:
        raise ValueError("bad x")  @b
      if x.c:
        raise ValueError("bad x")  @c
      return x
"""
NESTED = """
    def outer(x):
      def inner(x, fuel):
        if fuel <= 0:
          raise OSError  @fuel
        name = getattr(x, "name", None)
        if name in FOLDS:
          return inner(x.operand, fuel - 1)
        raise OSError  @end
      return inner(x, 10)
"""
CASES: list[tuple[str, Source, Source]] = [
    ("nothing changed", THREE, THREE),
    *(
        (f"the {name} of three equal ones goes", THREE, re.sub(rf"\n +if x.{gone}:\n.*@{gone}", "", THREE))
        for name, gone in (("first", "a"), ("second", "b"), ("last", "c"))
    ),
    *(
        (f"one more before the {name} of three equal ones", re.sub(rf"\n +if x.{come}:\n.*@{come}", "", THREE), THREE)
        for name, come in (("second", "b"), ("last", "c"), ("first", "a"))
    ),
    (
        "a nested function without a word comes out",
        NESTED,
        """
        def inner(x, fuel):
          if fuel <= 0:
            raise OSError  @fuel
          name = getattr(x, "name", None)
          if name in FOLDS:
            return inner(x.operand, fuel - 1)
          raise OSError  @end


        def outer(x):
          return inner(x, 10)
        """,
    ),
    (
        "a copy of the function above",
        """
        def check(x):
          if x.ndim != 2:
            raise ValueError("expected a matrix")  @old
          return x.T
        """,
        """
        def check_first(x):
          if x.ndim != 2:
            raise ValueError("expected a matrix")  @copy
          return x[0]


        def check(x):
          if x.ndim != 2:
            raise ValueError("expected a matrix")  @old
          return x.T
        """,
    ),
    (
        "the generic text of a function that went is not that of one that came",
        """
        class Reader:
          def read(self, n):
            raise NotImplementedError("must override")  @read

          def seek(self, offset, whence):
            raise NotImplementedError("must override")  @seek

          def tell(self):
            raise NotImplementedError("must override")  @tell

          def flush(self, *, wait=True):
            raise NotImplementedError("must override")  @flush
        """,
        """
        class Reader:
          def seek(self, offset, whence):
            raise NotImplementedError("must override")  @seek

          def tell(self):
            raise NotImplementedError("must override")  @tell

          def flush(self, *, wait=True):
            raise NotImplementedError("must override")  @flush


        class Pool:
          size: int = 0
          limit: int = 100
          timeout: float = 1.0

          def acquire(self, *, block=True, timeout=None):
            raise NotImplementedError("must override")  @acquire
        """,
    ),
    (
        "another error in place of one",
        """
        def scale(x, factor):
          if factor == 0:
            raise ZeroDivisionError("the factor must not vanish")  @zero
          return x / factor
        """,
        """
        def scale(x, factor):
          if not isinstance(x, Array):
            raise TypeError(f"scale takes an array, got {type(x).__name__}")  @type
          return x / factor
        """,
    ),
    (
        "reworded below its guard",
        """
        def scale(x, factor):
          if factor == 0:
            raise ZeroDivisionError("cannot do that")  @zero
          return x / factor
        """,
        """
        def scale(x, factor):
          if factor == 0:
            raise ZeroDivisionError("factor vanishes; pass another number")  @zero
          return x / factor
        """,
    ),
    (
        "the statement is laid out anew, and one like it comes",
        """
        def mma(a, b, d):
          if a.dtype != d.dtype:
            raise ValueError(f"A scale mismatch: expected {d.dtype}, got {a.dtype}")  @a
          if b.dtype != d.dtype:
            raise ValueError(f"B scale mismatch: expected {d.dtype}, got {b.dtype}")  @b
        """,
        """
        def mma(a, b, d):
          if a.dtype != d.dtype:
            raise ValueError(  @a
                f"A scale mismatch: expected {d.dtype},"
                f" got {a.dtype}"
            )
          if b.shape[0] % 128:
            raise ValueError(  @shape
                f"B scale shape must be a multiple of 128,"
                f" got {b.shape[0]}"
            )
          if b.dtype != d.dtype:
            raise ValueError(  @b
                f"B scale mismatch: expected {d.dtype},"
                f" got {b.dtype}"
            )
        """,
    ),
    (
        "a function moves to another file and is reworded",
        {
            "pkg/util.py": """
            def broadcast(arr, shape):
              if len(shape) < arr.ndim:
                raise ValueError(f"cannot broadcast to fewer dimensions: {arr.shape} to {shape}")  @fewer
              if not compatible(arr.shape, shape):
                raise ValueError(f"incompatible shapes for broadcasting: {arr.shape} and {shape}")  @shapes
            """,
            "pkg/lax.py": """
            def neg(x):
              if not x.dtype:
                raise TypeError("neg takes an array")  @neg
            """,
        },
        {
            "pkg/util.py": """
            def unused(x):
              assert x, "never used"  @unused
            """,
            "pkg/lax.py": """
            def neg(x):
              if not x.dtype:
                raise TypeError("neg takes an array")  @neg


            def broadcast_to(operand, shape):
              if len(shape) < operand.ndim:
                raise ValueError(f"cannot broadcast to fewer dimensions: {operand.shape} to {shape}")  @fewer
              if typeof(operand).shape != shape:
                raise ValueError(f"incompatible types for broadcasting: {typeof(operand)} and {shape}")  @shapes
            """,
        },
    ),
    (
        "a file gets another name, its errors other words",
        {"pkg/old.py": THREE.replace("bad x", "x is wrong")},
        {"pkg/new/name.py": THREE.replace("bad x", "x is not right")},
    ),
    (
        "a class that is found out at last, in a text that is",
        """
        def f(kind, message):
          if kind is None:
            raise make(kind)(message)  @known
        """,
        """
        def f(kind, message):
          if kind is None:
            raise KindError("kind is missing")  @known
        """,
    ),
]


@pytest.mark.parametrize(("old", "new"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_marks_find_each_other(old: Source, new: Source) -> None:
    (before, old_marks), (after, new_marks) = records_of(old), records_of(new)
    names, others = set(old_marks.values()), set(new_marks.values())
    expected = (
        {f"{m}={m}" for m in names & others} | {f"{m}=" for m in names - others} | {f"={m}" for m in others - names}
    )
    assert marked(pair(before, after), old_marks, new_marks) == expected
    turned = {"=".join(reversed(one.split("="))) for one in expected}
    assert marked(pair(after, before), new_marks, old_marks) == turned


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("raise ValueError('one')", "raise ValueError('one')", Why.LINE),
        ("raise ValueError('one')", "raise ValueError(('one'))", Why.TEXT),
        ("raise ValueError('one')", "raise ValueError('another')", Why.PLACE),
        ("raise ValueError('one')", "raise TypeError('one')", Why.PLACE),
    ],
)
def test_a_pair_says_how_it_was_found(old: str, new: str, expected: Why) -> None:
    head = "def f(x):\n  if x.size > 10:\n    "
    before, after = (records_of(head + tail)[0] for tail in (old, new))
    assert [p.why for p in pair(before, after).pairs] == [expected]


def test_ids_decide_in_a_chain_and_nowhere_else() -> None:
    one, two = records_of("def f(x):\n  if x:\n    raise ValueError('a')\n  raise ValueError('b')\n")[0]
    turned = [one.model_copy(update={"id": two.id}), two.model_copy(update={"id": one.id})]
    chain = pair([one, two], turned, chained=True)
    assert [(p.old.errorMessage, p.new.errorMessage, p.why) for p in chain.pairs] == [
        ("b", "a", Why.ID),
        ("a", "b", Why.ID),
    ]
    assert {p.why for p in pair([one, two], turned).pairs} == {Why.LINE}
    named = one.model_copy(update={"id": "0" * 16, "aliases": (one.id,)})
    assert [p.new.id for p in pair([one, two], [named], chained=True).pairs] == ["0" * 16]
    assert pair([one, two], [named], chained=True).removed == (two,)


# Laws, over programs made by chance

TEXTS = ("bad x", "bad y", "x must be positive", "x must be one of a, b and c", "not implemented")
GUARDS = ("x", "not x", "x > 3", "isinstance(x, str)", "len(x) != 2")
raises = st.tuples(st.sampled_from(GUARDS), st.sampled_from(("ValueError", "TypeError")), st.sampled_from(TEXTS))
functions = st.dictionaries(st.sampled_from(("f", "g", "h")), st.lists(raises, max_size=4), max_size=3)
programs = st.dictionaries(st.sampled_from(("a.py", "b.py")), functions, min_size=1, max_size=2)
Program = dict[str, dict[str, list[tuple[str, str, str]]]]


def written(program: Program) -> tuple[Record, ...]:
    files = {
        path: "".join(
            f"def {name}(x):\n" + "".join(f"  if {g}:\n    raise {c}({t!r})\n" for g, c, t in body) + "  return x\n"
            for name, body in its.items()
        )
        for path, its in program.items()
    }
    return mined.mine(files).records


def shape(pairing: Pairing) -> object:
    return (
        {(p.old.id, p.new.id, p.why) for p in pairing.pairs},
        {r.id for r in pairing.added},
        {r.id for r in pairing.removed},
        pairing.split_from,
        pairing.merged_into,
    )


@settings(deadline=None, max_examples=60)
@given(programs, programs, st.randoms(use_true_random=False))
def test_everyone_is_paired_once_or_alone_whatever_the_order(one: Program, two: Program, chance: random.Random) -> None:
    old, new = written(one), written(two)
    found = pair(old, new)
    assert sorted(r.id for r in old) == sorted([*(p.old.id for p in found.pairs), *(r.id for r in found.removed)])
    assert sorted(r.id for r in new) == sorted([*(p.new.id for p in found.pairs), *(r.id for r in found.added)])
    assert set(found.split_from) <= {r.id for r in found.added}
    assert set(found.merged_into) <= {r.id for r in found.removed}
    shuffled = pair(chance.sample(old, len(old)), chance.sample(new, len(new)))
    assert shape(shuffled) == shape(found)


@settings(deadline=None, max_examples=30)
@given(programs)
def test_everyone_is_itself(program: Program) -> None:
    records = written(program)
    found = pair(records, records)
    assert [(p.old.id, p.why) for p in found.pairs] == [(p.new.id, Why.LINE) for p in found.pairs]
    assert len(found.pairs) == len(records)


@settings(deadline=None, max_examples=30)
@given(programs, st.data())
def test_one_that_goes_is_missed_alone(program: Program, data: st.DataObject) -> None:
    """Of equal raises below equal guards any may be the one, since nobody could tell."""
    places = [(path, name, n) for path, its in program.items() for name, body in its.items() for n in range(len(body))]
    if not places:
        return
    path, name, gone = data.draw(st.sampled_from(places))
    less = {p: {f: [*body] for f, body in its.items()} for p, its in program.items()}
    lost = less[path][name].pop(gone)
    found = pair(written(program), written(less))
    assert not found.added
    assert [(r.filePath, r.qualname, r.errorClass, r.errorMessage) for r in found.removed] == [(path, name, *lost[1:])]


weights = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(1, 9), max_size=10)


@given(weights)
def test_no_other_assignment_is_worth_more(edges: dict[tuple[int, int], int]) -> None:
    def best(rest: list[tuple[int, int]]) -> int:
        if not rest:
            return 0
        (left, right), others = rest[0], rest[1:]
        free = [one for one in others if one[0] != left and one[1] != right]
        return max(best(others), edges[left, right] + best(free))

    chosen = assign(edges)
    assert len({left for left, _ in chosen}) == len({right for _, right in chosen}) == len(chosen)
    assert sum(edges[both] for both in chosen) == best(sorted(edges))
    assert assign(dict(reversed(edges.items()))) == chosen


lines = st.lists(st.sampled_from(("if a:", "  raise X", "  x = 1", "")), max_size=12)


@given(lines, lines)
def test_untouched_lines_are_equal_and_in_order(one: list[str], other: list[str]) -> None:
    old, new = (Shown(numbers=tuple(range(1, len(s) + 1)), texts=tuple(s)) for s in (one, other))
    found = sorted(untouched(old, new).items())
    assert all(one[a - 1] == other[b - 1] for a, b in found)
    assert [b for _, b in found] == sorted({b for _, b in found})
    assert one != other or len(found) == len(one)

"""Evidence as it is packed: what stands around a raise, and a hash that only what matters changes."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from laws import mined

from pipeline.evidence import pack
from pipeline.evidence.pack import Evidence
from pipeline.source.tree import SourceFile

if TYPE_CHECKING:
    from pipeline.catalogue import Catalogue
    from pipeline.source.tree import SourceTree

SOURCE = '''
import functools

class Shape:
  """A shape.

  For tests.
  """

  @functools.lru_cache
  @classmethod
  def make(cls, a: int, *rest: int, size=1, flag: bool = False, **more) -> "Shape":
    """Makes one."""
    # why
    if a < 0:
      raise ValueError(f"a must not be negative, got {a}")
    if size > 3:
      raise ValueError("size too large")
    return cls()
'''


def collect(source: str, **files: str) -> tuple[Evidence, ...]:
    every = {"p/__init__.py": "from p.m import Shape as Shape", "p/m.py": source, **files}
    return pack.collect(mined.tree(every), mined.mine(every).records)


def test_what_stands_around_a_raise() -> None:
    first, second = collect(SOURCE)
    assert first == Evidence(
        error_class="ValueError",
        messages=("a must not be negative, got {a}",),
        placeholders=("a",),
        condition="a < 0",
        qualname="Shape.make",
        file_path="p/m.py",
        signature='def make(cls, a: int, *rest: int, size=1, flag: bool = False, **more) -> "Shape"',
        docstring="Makes one.",
        decorators=("functools.lru_cache", "classmethod"),
        class_docstring="A shape.\n\nFor tests.",
        parameters=("cls", "a", "rest", "size", "flag", "more"),
        source=(
            'def make(cls, a: int, *rest: int, size=1, flag: bool = False, **more) -> "Shape":\n'
            "  # why\n"
            "  if a < 0:\n"
            '    raise ValueError(f"a must not be negative, got {a}")\n'
            "  if size > 3:\n"
            '    raise ValueError("size too large")\n'
            "  return cls()"
        ),
        callers=(),
        public_api=("p.Shape.make",),
        tests=(),
        quotes=(),
        siblings=("size too large",),
        hash=first.hash,
    )
    assert second.siblings == first.messages
    assert second.hash != first.hash


def test_a_long_function_is_cut_around_the_raise() -> None:
    before, after = "".join(f"  a{i} = {i}\n" for i in range(100)), "".join(f"  b{i} = {i}\n" for i in range(100))
    (evidence,) = collect(f"def f():\n{before}  if a1: raise ValueError('x')\n{after}")
    lines = evidence.source.splitlines()
    assert len(lines) == 60
    assert "if a1: raise ValueError('x')" in lines
    assert (lines[0], lines[-1]) == ("a56 = 56", "b14 = 14")


def test_a_raise_of_a_module_has_the_lines_around_it() -> None:
    (evidence,) = collect("import sys\nif sys.x:\n  raise ImportError('too old')\n")
    assert (evidence.signature, evidence.parameters, evidence.qualname) == (None, (), None)
    assert evidence.source == "import sys\nif sys.x:\n  raise ImportError('too old')"


def test_a_nested_function_has_its_own_signature_and_no_class_of_others() -> None:
    inner = "  async def g(y=1) -> int:\n    raise ValueError('x')\n"
    (evidence,) = collect(f'class A:\n  """A."""\ndef f(x):\n{inner}  return g\n')
    assert (evidence.signature, evidence.parameters) == ("async def g(y=1) -> int", ("y",))
    assert (evidence.class_docstring, evidence.docstring) == (None, None)


# name: (what becomes of the source, whether the first record's evidence is another one then)
CHANGED: dict[str, tuple[Callable[[str], str], bool]] = {
    "nothing": (lambda s: s, False),
    "lines above": (lambda s: "\n# more\nX = 1\n" + s, False),
    "a function below": (lambda s: s + "\ndef other(x):\n  raise KeyError(x)\n", False),
    "a caller": (lambda s: s + "\ndef other(x):\n  return Shape.make(x)\n", False),
    "the indentation of the class": (
        lambda s: "if True:\n" + "".join(f"  {line}\n" if line else "\n" for line in s.splitlines()),
        False,
    ),
    "the guard": (lambda s: s.replace("a < 0", "a <= 0"), True),
    "the text": (lambda s: s.replace("must not be", "is"), True),
    "the class": (lambda s: s.replace('raise ValueError(f"a', 'raise TypeError(f"a'), True),
    "the signature": (lambda s: s.replace("size=1", "size=2"), True),
    "the docstring": (lambda s: s.replace("Makes one", "Makes two"), True),
    "the class's docstring": (lambda s: s.replace("A shape", "The shape"), True),
    "a comment": (lambda s: s.replace("# why", "# because"), False),
    "the end of the function": (lambda s: s.replace("return cls()", "x = 1\n    y = 2\n    return cls()"), False),
    "the line before the guard": (lambda s: s.replace("# why", "a = a + size"), True),
    "a decorator": (lambda s: s.replace("  @functools.lru_cache\n", ""), True),
}


@pytest.mark.parametrize("name", CHANGED)
def test_the_hash_changes_with_what_matters_alone(name: str) -> None:
    change, differs = CHANGED[name]
    before, after = collect(SOURCE)[0], collect(change(SOURCE))[0]
    assert (before.hash != after.hash) is differs


def test_the_hash_follows_the_code_of_tests_and_not_their_place() -> None:
    def hash_with(test: str) -> str:
        files = {"p/__init__.py": "", "p/m.py": SOURCE}
        file = SourceFile(path="tests/t.py", blob_id="0" * 40, data=test.encode())
        return pack.collect(replace(mined.tree(files), evidence=(file,)), mined.mine(files).records)[0].hash

    test = "def test(self):\n  with self.assertRaisesRegex(ValueError, 'a must not be negative'):\n    make(-1)\n"
    assert hash_with(test) == hash_with("\n\n" + test.replace("def test", "def test_other"))
    assert hash_with(test) != hash_with(test.replace("make(-1)", "make(-2)"))
    assert hash_with(test) != hash_with("")


def test_a_record_takes_names_tests_and_page_from_its_evidence() -> None:
    files = {"jax/__init__.py": "def f(x):\n  raise ValueError(f'the shape {x} is not the one that was asked for')\n"}
    page = SourceFile(
        path="docs/a.md", blob_id="0" * 40, data=b"ValueError: the shape 1 is not the one that was asked for"
    )
    tree = replace(mined.tree(files), repo="jax-ml/jax", evidence=(page,))
    (record,) = mined.mine(files).records
    (evidence,) = pack.collect(tree, [record])
    full = pack.with_evidence(record, evidence)
    assert (full.publicApi, full.tests, full.docsUrl) == (("jax.f",), (), "https://docs.jax.dev/en/latest/a.html")
    named = record.model_copy(update={"docsUrl": "https://docs.jax.dev/en/latest/own.html"})
    assert pack.with_evidence(named, evidence).docsUrl == named.docsUrl
    assert type(record).model_validate_json(full.model_dump_json()) == full


def test_evidence_is_in_the_order_of_the_records() -> None:
    files = {"p/__init__.py": "", "p/m.py": SOURCE}
    records = mined.mine(files).records
    forwards, backwards = pack.collect(mined.tree(files), records), pack.collect(mined.tree(files), records[::-1])
    assert [e.messages for e in forwards] == [e.messages for e in backwards[::-1]]
    assert pack.collect(mined.tree(files), ()) == ()


def test_known_facts_and_more_processes_change_nothing(jax_tree: "SourceTree", jax_catalogue: "Catalogue") -> None:
    folders = ("jax/_src/numpy/", "jax/numpy/")
    chosen = tuple(f for f in jax_tree.files if f.path.startswith(folders) or f.path.count("/") < 2)
    tree = replace(jax_tree, files=chosen)
    records = [r for r in jax_catalogue.records if r.filePath in {f.path for f in chosen}]
    known = {f.path: jax_catalogue.facts[f.path] for f in chosen}
    alone = pack.collect(tree, records, workers=1)
    assert len(alone) > 400
    assert pack.collect(tree, records, facts=known, workers=2) == alone


@pytest.mark.parametrize(
    "source",
    [
        "def f(:\n  raise ValueError('x')\n",
        "class A(B:\n  def f(self)\n    raise ValueError('x')\n",
        "print 'old'\ndef f():\n  raise ValueError, 'x'\n",
        "x = x\nclass A(A):\n  def f(self): raise ValueError('x')\n",
        "class A(B): pass\nclass B(A):\n  def f(self):\n    self.g()\n    raise ValueError('x')\n",
        "f = g\ng = f\ndef h():\n  f.x()\n  raise ValueError('x')\n",
        "from p.m import *\nfrom p import *\ndef h(): raise ValueError('x')\n",
        "\ufeff# a file\r\ndef h():\r\n  raise ValueError('x')\r\n",
        "def h():\r  raise ValueError('x')\r",
        "for a, (b, c) in x:\n  t[a][b] = c\n  a.b.c = c\ndef h(): raise ValueError('x')\n",
        "lambda x: x\n[y for y in z]\n(a)(b)\nfoo(bar)(baz)\n@(yield)\ndef h(): raise ValueError('x')\n",
    ],
)
def test_damaged_and_circular_source_is_survived(source: str) -> None:
    files = {"p/__init__.py": "", "p/m.py": source}
    records = mined.mine(files).records
    assert len(pack.collect(mined.tree(files), records)) == len(records)

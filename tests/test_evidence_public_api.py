"""Which public names lead to a raise: by every way of writing that jax uses, and by none that only looks like one."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from laws import mined

from pipeline.evidence import pack

if TYPE_CHECKING:
    from pipeline.catalogue import Catalogue
    from pipeline.source.tree import SourceTree

CORE = """
class Primitive:
  def __init__(self, name): self.name = name
  def bind(self, *args): return args
  def def_abstract_eval(self, rule): self.rule = rule
"""
AD = """
rules = {}
def defjvp(p, *jvps):
  rules[p] = jvps
def register(p, platform=None):
  def wrap(f):
    rules[p] = f
    return f
  return wrap
named = {}
def by_name(name):
  def wrap(f):
    named[name] = f
    return f
  return wrap
def run(name):
  return named[name]()
"""
FAIL = "  raise ValueError('x')\n"
USES = "from p._src import ad\nfrom p._src.core import Primitive\nadd_p = Primitive('add')\n"
BINDS = "def add(x): return add_p.bind(x)\n"

# name: (p/__init__.py, p/_src/m.py, whose function `bad` raises, the public names that lead there)
WAYS = {
    "itself": ("from p._src.m import bad as bad", f"def bad():\n{FAIL}", ["p.bad"]),
    "under another name": ("from p._src.m import bad as good", f"def bad():\n{FAIL}", ["p.good"]),
    "called": ("from p._src.m import f as f", f"def f(): bad()\ndef bad():\n{FAIL}", ["p.f"]),
    "nearest first": (
        "from p._src.m import a as a, b as b",
        f"def a(): return b()\ndef b(): return bad()\ndef bad():\n{FAIL}",
        ["p.b", "p.a"],
    ),
    "passed on": ("from p._src.m import f as f", f"def f(): return map(bad, [])\ndef bad():\n{FAIL}", ["p.f"]),
    "in a nested function": (
        "from p._src.m import f as f",
        f"def f():\n  def inner(): bad()\n  return inner\ndef bad():\n{FAIL}",
        ["p.f"],
    ),
    "imported inside": (
        "from p._src.m import f as f",
        f"def f():\n  from p._src import m\n  return m.bad()\ndef bad():\n{FAIL}",
        ["p.f"],
    ),
    "an alias": ("from p._src.m import g as g", f"def bad():\n{FAIL}g = bad\n", ["p.g"]),
    "made by a call": (
        "from p._src.m import g as g",
        f"def jit(f): return f\ndef bad():\n{FAIL}g = jit(bad)\n",
        ["p.g"],
    ),
    "decorated": (
        "from p._src.m import f as f",
        "def bad(f):\n  def call():\n    raise ValueError('x')\n  return call\n@bad\ndef f(): pass\n",
        ["p.f"],
    ),
    "in a table": (
        "from p._src.m import f as f",
        f"def f(k): return T[k]()\ndef bad():\n{FAIL}T = {{'a': bad}}",
        ["p.f"],
    ),
    "a rule in a table": (
        "from p._src.m import add as add",
        f"{USES}{BINDS}def bad(x):\n{FAIL}ad.rules[add_p] = bad\n",
        ["p.add"],
    ),
    "a rule by a call": (
        "from p._src.m import add as add",
        f"{USES}{BINDS}def bad(x):\n{FAIL}ad.defjvp(add_p, bad)\n",
        ["p.add"],
    ),
    "a rule by a method": (
        "from p._src.m import add as add",
        f"{USES}{BINDS}def bad(x):\n{FAIL}add_p.def_abstract_eval(bad)\n",
        ["p.add"],
    ),
    "a rule by a decorator": (
        "from p._src.m import add as add",
        f"{USES}{BINDS}@ad.register(add_p, platform='gpu')\ndef bad(x):\n{FAIL}",
        ["p.add"],
    ),
    "a rule by the primitive's decorator": (
        "from p._src.m import add as add",
        f"{USES}{BINDS}@add_p.def_abstract_eval\ndef bad(x):\n{FAIL}",
        ["p.add"],
    ),
    "a rule in a loop": (
        "from p._src.m import add as add",
        f"{USES}{BINDS}def bad(x):\n{FAIL}for p in [add_p]:\n  ad.rules[p] = bad\n",
        ["p.add"],
    ),
    "a rule given to what makes the primitive": (
        "from p._src.m import add as add",
        (
            f"from p._src.core import Primitive\n{BINDS}def make(rule): return Primitive(rule)\ndef bad(x):\n{FAIL}"
            "add_p = make(bad)\n"
        ),
        ["p.add"],
    ),
    "a rule of a custom function": (
        "from p._src.m import f as f",
        f"def custom(f): return f\n@custom\ndef f(x): return x\n@f.defjvp\ndef bad(x):\n{FAIL}",
        ["p.f"],
    ),
    "registered by name": (
        "from p._src.ad import run as run",
        f"from p._src import ad\n@ad.by_name('x')\ndef bad(x):\n{FAIL}",
        ["p.run"],
    ),
    "by a method of its class": (
        "from p._src.m import C as C",
        f"class C:\n  def go(self): self._go()\n  def _go(self): bad()\ndef bad():\n{FAIL}",
        ["p.C.go"],
    ),
    "by the constructor": (
        "from p._src.m import C as C, f as f",
        f"class C:\n  def __init__(self): bad()\ndef f(): return C()\ndef bad():\n{FAIL}",
        ["p.C", "p.f"],
    ),
    "by what Python calls": (
        "from p._src.m import C as C",
        f"class C:\n  def __add__(self, o): bad()\ndef bad():\n{FAIL}",
        ["p.C"],
    ),
    "by an inherited method": (
        "from p._src.m import C as C",
        f"class B:\n  def go(self): bad()\nclass C(B): pass\ndef bad():\n{FAIL}",
        ["p.C.go"],
    ),
    "by a method that a subclass defines": (
        "from p._src.m import run as run",
        (
            "class B:\n  def go(self): pass\nclass C(B):\n  def go(self): bad()\n"
            f"def run(b: B): b.go()\ndef bad():\n{FAIL}"
        ),
        ["p.run"],
    ),
    "by a method of a local object": (
        "from p._src.m import f as f",
        (
            f"class C:\n  def go(self): bad()\nclass D:\n  def go(self): pass\nclass E:\n  def go(self): pass\n"
            f"def f():\n  c = C()\n  c.go()\ndef bad():\n{FAIL}"
        ),
        ["p.f"],
    ),
    "by a method of what a call gives": (
        "from p._src.m import f as f",
        (
            f"class C:\n  def go(self): bad()\nclass D:\n  def go(self): pass\nclass E:\n  def go(self): pass\n"
            f"def make() -> C: return C()\ndef f():\n  c = make()\n  c.go()\ndef bad():\n{FAIL}"
        ),
        ["p.f"],
    ),
    "by a method set later": (
        "from p._src.m import C as C",
        f"class C:\n  def go(self): return self.extra()\ndef bad(self):\n{FAIL}C.extra = bad\n",
        ["p.C.go"],
    ),
    "by a star": ("from p._src.m import *", f"def f(): bad()\ndef bad():\n{FAIL}", ["p.bad", "p.f"]),
    "by a list of names": (
        "from p._src import m\nfrom p._src.m import f\n__all__ = ['f']",
        f"def f(): bad()\ndef bad():\n{FAIL}",
        ["p.f"],
    ),
}

# What only looks like a way: no public name leads to `bad`.
NO_WAYS = {
    "not exported": ("", f"def f(): bad()\ndef bad():\n{FAIL}"),
    "an underscore": ("from p._src.m import _f as _f", f"def _f(): bad()\ndef bad():\n{FAIL}"),
    "a parameter of its name": ("from p._src.m import f as f", f"def f(bad): bad()\ndef bad():\n{FAIL}"),
    "a local variable": ("from p._src.m import f as f", f"def f():\n  bad = len\n  bad([])\ndef bad():\n{FAIL}"),
    "a keyword": ("from p._src.m import f as f", f"def f(): dict(bad=1)\ndef bad():\n{FAIL}"),
    "only compared": ("from p._src.m import f as f", f"def f(x): return x is bad\ndef bad():\n{FAIL}"),
    "only looked up": ("from p._src.m import f as f", f"def f(x): return x[bad]\ndef bad():\n{FAIL}"),
    "an annotation": (
        "from p._src.m import f as f",
        f"class C:\n  def __init__(self): bad()\ndef f(c: C) -> C: return c\ndef bad():\n{FAIL}",
    ),
    "isinstance": (
        "from p._src.m import f as f",
        f"class C:\n  def __init__(self): bad()\ndef f(c): return isinstance(c, C)\ndef bad():\n{FAIL}",
    ),
    "a primitive that is only recognised": (
        "from p._src.m import f as f",
        f"{USES}def f(eqn): return eqn.primitive is add_p\ndef bad(x):\n{FAIL}ad.rules[add_p] = bad\n",
    ),
    "a method of a common name": (
        "from p._src.m import f as f",
        f"class C:\n  def append(self, x): bad()\ndef f(x): x.append(1)\ndef bad():\n{FAIL}",
    ),
    "a method of many classes": (
        "from p._src.m import f as f",
        (
            f"class A:\n  def go(self): bad()\nclass B:\n  def go(self): pass\nclass C:\n  def go(self): pass\n"
            f"def f(x): x.go()\ndef bad():\n{FAIL}"
        ),
    ),
    "what ran when the module was imported": (
        "from p._src.m import made as made",
        "def bad(name):\n  if not name:\n    raise ValueError('x')\n  return len\nmade = bad('x')\n",
    ),
    "what is put beside it in a table": (
        "from p._src.m import add_rule as add_rule",
        f"T = {{}}\ndef add_rule(k, f): T[k] = f\ndef bad():\n{FAIL}T['a'] = bad\n",
    ),
}


def names_of(init: str, module: str, function: str = "bad") -> list[str]:
    files = {
        "p/__init__.py": init,
        "p/_src/__init__.py": "",
        "p/_src/core.py": CORE,
        "p/_src/ad.py": AD,
        "p/_src/m.py": module,
    }
    tree, records = mined.tree(files), mined.mine(files).records
    (evidence,) = [e for e in pack.collect(tree, records) if (e.qualname or "").split(".")[0] == function]
    return list(evidence.public_api)


@pytest.mark.parametrize("name", WAYS)
def test_a_way_leads_to_the_raise(name: str) -> None:
    init, module, expected = WAYS[name]
    assert names_of(init, module) == expected


@pytest.mark.parametrize("name", NO_WAYS)
def test_what_only_looks_like_a_way(name: str) -> None:
    assert names_of(*NO_WAYS[name]) == []


def test_the_shortest_of_several_names() -> None:
    files = {
        "p/__init__.py": "from p.q import f as f",
        "p/q.py": f"def f():\n{FAIL}",
        "p/r.py": "from p.q import f as f",
    }
    (evidence,) = pack.collect(mined.tree(files), mined.mine(files).records)
    assert evidence.public_api == ("p.f",)


def test_names_that_a_public_module_only_imports_are_not_its_own() -> None:
    files = {"p/__init__.py": "", "p/_m.py": f"def f():\n{FAIL}", "p/q.py": "from p._m import f\ndef g(): f()"}
    (evidence,) = pack.collect(mined.tree(files), mined.mine(files).records)
    assert evidence.public_api == ("p.q.g",)


def test_at_most_twenty_names() -> None:
    many = "".join(f"def f{i:02}(): bad()\n" for i in range(30))
    names = names_of("from p._src.m import *", f"{many}def _bad():\n{FAIL}bad = _bad\n", "_bad")
    assert len(names) == 20
    assert names == sorted(names)


def test_a_raise_of_a_module_is_reached_by_importing_it() -> None:
    files = {"p/__init__.py": "", "p/q.py": "raise ImportError('gone')\n", "p/_r.py": "raise ImportError('gone')\n"}
    evidence = pack.collect(mined.tree(files), mined.mine(files).records)
    assert [(e.file_path, e.public_api) for e in evidence] == [("p/_r.py", ()), ("p/q.py", ("p.q",))]


def test_an_abstract_method_is_reached_by_its_own_name() -> None:
    module = (
        "class B:\n  def go(self):\n    raise NotImplementedError('must be defined')\n"
        "class C(B):\n  def go(self): return 1\ndef run(b: B): b.go()\n"
    )
    assert names_of("from p._src.m import B as B, run as run", module, "B") == ["p.B.go"]


def test_endless_aliases_end() -> None:
    assert names_of("from p._src.m import f as f", f"x = x.y\ndef f(): x.z()\ndef bad():\n{FAIL}") == []


def test_callers_are_dotted_and_nearest_first() -> None:
    files = {
        "p/__init__.py": "",
        "p/m.py": f"def bad():\n{FAIL}def near(): bad()\ndef far(): near()\ndef farther(): far()\n",
        "p/n.py": "from p import m\nclass C:\n  def go(self): m.bad()\n",
    }
    evidence = pack.collect(mined.tree(files), mined.mine(files).records)
    assert evidence[0].callers == ("p.m.near", "p.n.C.go", "p.m.far")


def test_the_function_around_a_nested_one_is_its_first_caller() -> None:
    files = {
        "p/__init__.py": "",
        "p/m.py": "def outer():\n  def inner():\n    raise ValueError('x')\n  return inner\ndef g(): outer()\n",
    }
    (evidence,) = pack.collect(mined.tree(files), mined.mine(files).records)
    assert evidence.callers == ("p.m.outer", "p.m.g")


def test_jax_against_what_programs_called(
    shared: Callable[[str], Path], jax_tree: "SourceTree", jax_catalogue: "Catalogue", tmp_path: Path
) -> None:
    evidence = pack.collect(jax_tree, jax_catalogue.records)
    records = [pack.with_evidence(r, e) for r, e in zip(jax_catalogue.records, evidence, strict=True)]
    written = tmp_path / "records.jsonl"
    written.write_text("".join(r.model_dump_json() + "\n" for r in records), encoding="utf-8")
    scorer, truth = shared("score/score_public_api.py"), shared("oracle/public-api-0.9.2.jsonl")
    command = [sys.executable, str(scorer), str(written), str(truth)]
    score = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert score["hit@20"] >= 0.65
    assert score["hit"] >= 0.70
    assert score["median_names"] <= 20
    assert all(len(r.publicApi) <= 20 for r in records)

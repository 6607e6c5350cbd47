"""The checks, against good and bad answers; the faults of well-known bad pages are among them."""

# ruff: noqa: E501  # a row of a table stays on one line

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pipeline.evidence.pack import Evidence
from pipeline.explain.checks import Case, Verdict, judge, judge_text, to_checks
from pipeline.explain.checks.names import Presence, PublicNames
from pipeline.explain.explanation import Explanation
from pipeline.explain.vocabulary import Vocabulary
from pipeline.source.tree import SourceTree

FILES = {
    "jax/__init__.py": b"from jax._src.api import jit as jit, vmap as vmap\nfrom jax import numpy as numpy, lax as lax\n",
    "jax/_src/__init__.py": b"",
    "jax/_src/api.py": b"def jit(fun, *, static_argnames=None): ...\ndef vmap(fun, in_axes=0, **kwargs): ...\nflag = 'jax_enable_x64'\n",
    "jax/numpy/__init__.py": b"from jax._src.lax_numpy import *\nfrom jax._src.lax_numpy import _private as zeros_like\n"
    b"__getattr__ = deprecated({'old': 1})\n",
    "jax/_src/lax_numpy.py": b"@jit\ndef where(condition, x=None, y=None): ...\ndef reshape(a, shape, order='C'): ...\n"
    b"def _private(x): ...\ndef asarray(a, dtype=None): ...\ndef ones(shape): ...\nwhere2 = where\nclass ufunc:\n  def at(self): ...\n",
    "jax/lax/__init__.py": b"from jax._src.control import scan as scan\nfrom jaxlib_gone import thing as thing\n",
    "jax/_src/control.py": b"def scan(f, init, xs=None, length=None): ...\n",
    "jax/experimental/__init__.py": b"",
    "jax/experimental/pallas/__init__.py": b"from jax._src.specs import BlockSpec as BlockSpec\n",
    "jax/_src/specs.py": b"class BlockSpec:\n  def __init__(self, block_shape=None, index_map=None): ...\n",
}
VOCABULARY = Vocabulary(
    tags=frozenset({"shapes", "jit", "pallas", "scan"}),
    articles=frozenset({"tracing"}),
    tag_rules=(),
    article_rules=(),
    fallback=(),
)
EVIDENCE = Evidence(
    error_class="TypeError",
    messages=("cannot reshape array of shape {shape} into shape {new}. See https://docs.jax.dev/errors.html", "short"),
    placeholders=("shape", "new"),
    condition="math.prod(shape) != math.prod(new)",
    qualname="_reshape",
    file_path="jax/_src/lax_numpy.py",
    signature="def _reshape(a, new)",
    docstring="Reshapes, on Pallas too. New in jax 0.4.30.",
    decorators=(),
    class_docstring=None,
    parameters=("a", "new"),
    source="def _reshape(a, new):\n  if bad:\n    raise TypeError(f'cannot reshape')",
    callers=(),
    public_api=("jax.numpy.reshape", "jax.lax.scan"),
    tests=(),
    quotes=(),
    siblings=(),
    hash="0123456789abcdef",
)
GOOD: dict[str, Any] = {
    "documentation": "`jax.numpy.reshape` needs as many elements as the new shape has.",
    "triggerScenarios": "Calling `jnp.reshape(x, (2, 2))` with three elements.",
    "solutions": ("Count the elements. See https://docs.jax.dev/errors.html.",),
    "exampleFix": "# before\nimport jax.numpy as jnp\njnp.reshape(jnp.ones((3,)), (2, 2))\n# after\nimport jax.numpy as jnp\n"
    "jnp.reshape(jnp.ones((4,))[..., :], (2, 2))",
    "handlingStrategy": "validation",
    "validationCode": "import math\nassert math.prod(x.shape) == math.prod(new)",
    "typeGuard": "def fits(x, new) -> bool:\n    return x.size == new.size",
    "tryCatchPattern": "try:\n    y = jnp.reshape(x, new)\nexcept TypeError:\n    y = x",
    "tags": ("shapes", "jit", "scan"),
    "backgroundTag": "tracing",
}


@cache
def names() -> PublicNames:
    return PublicNames(FILES)


def case(**changes: Any) -> Case:
    words = ("You explain one error of a Python library to somebody who has just met it in a traceback.",)
    return Case(evidence=EVIDENCE, vocabulary=VOCABULARY, names=names(), own_words=words, **changes)


def found(**changes: Any) -> set[tuple[str, str | None, str]]:
    """(check, field, verdict) of everything found in the good answer with these changes."""
    return {(f.check, f.field, f.verdict.value) for f in judge(Explanation(**{**GOOD, **changes}), case())}


def test_a_good_answer_passes() -> None:
    assert judge(Explanation(**GOOD), case()) == ()
    assert {check.verdict for check in to_checks(())} == {"passed"}


BEFORE = "# before\nimport jax.numpy as jnp\njnp.reshape(jnp.ones((3,)), (2, 2))\n"


@pytest.mark.parametrize(
    ("check", "field", "text"),
    [
        ("syntax", "validationCode", "// check first\nassert x"),
        ("syntax", "validationCode", "assert x ==="),
        ("syntax", "validationCode", "make_jaxpr(kernel)(refs...)"),
        ("syntax", "validationCode", "f(...)"),
        ("syntax", "validationCode", "f(key=...)"),
        ("syntax", "validationCode", "x = ..."),
        ("syntax", "validationCode", "def f():\n    ..."),
        ("syntax", "validationCode", "# nothing but a comment"),
        ("syntax", "validationCode", "```python\nassert x\n```"),
        ("syntax", "typeGuard", "isinstance(x, int) is a guard"),
        ("syntax", "typeGuard", "x: int"),
        ("syntax", "tryCatchPattern", "result = 1"),
        ("syntax", "exampleFix", "// before\nx = 1\n// after\nx = 2"),
        ("syntax", "exampleFix", "x = 1"),
        ("syntax", "exampleFix", BEFORE),
        ("syntax", "exampleFix", BEFORE + "# after\nimport jax.numpy as jnp\njnp.reshape(x if False else y, (2, 2))"),
        ("syntax", "exampleFix", BEFORE + "# after\nimport jax.numpy as jnp\njnp.reshape(jnp.ones((4,)), (2, 2))  # still fails"),
        ("syntax", "exampleFix", BEFORE + "# after\njnp.reshape(jnp.ones((4,)), (2, 2))\nblock_spec(3)"),
        ("example", "exampleFix", BEFORE + BEFORE.replace("before", "after") + "# a comment more"),
        ("example", "exampleFix", BEFORE + "# after\nprint('no reshape at all')"),
        ("names", "exampleFix", BEFORE + "# after\nimport jax.numpy as jnp\njnp.reshapes(jnp.ones((4,)), (2, 2))\njnp.reshape(1)"),
        ("names", "validationCode", "import jax\njax.jit(f, static_argname='x')"),
        ("names", "validationCode", "from functools import partial\nimport jax\npartial(jax.jit, static='x')"),
        ("names", "validationCode", "from jax.lax import scans"),
        ("names", "validationCode", "import jax.numpy as jnp\njnp.where(x, z=1)"),
        ("names", "documentation", "`jax.numpy.reshape` and `jnp.frobnicate` differ."),
        ("names", "documentation", "When JAX runs the Pascal kernel, TypeError comes."),
        ("inventions", "documentation", "TypeError: see https://example.org/reshape."),
        ("inventions", "documentation", "TypeError unless JAX_RESHAPE_ANYWAY is set."),
        ("inventions", "documentation", "TypeError since jax 0.5.1."),
        ("inventions", "documentation", "TypeError with `--jax_reshape_anyway`."),
        ("inventions", "validationCode", "import os\nos.environ['XLA_NO_SUCH'] = '1'"),
        ("inventions", "validationCode", "import jax\njax.config.update('jax_no_such', True)"),
        ("raise", "validationCode", "if bad:\n    raise TypeError(f'cannot reshape array of shape {shape}')"),
        ("copied", "documentation", "TypeError. You explain one error of a Python library to somebody who has just met it."),
        ("subject", "documentation", "Something is wrong with the values."),
        ("schema", "tags", ("shapes", "jit", "invented")),
        ("schema", "tags", ("shapes", "jit")),
        ("schema", "backgroundTag", "no-such-article"),
        ("schema", "documentation", None),
    ],
)  # fmt: skip
def test_every_fault_is_found(check: str, field: str, text: object) -> None:
    changes = {"triggerScenarios": None, "solutions": ()} if check == "subject" else {}
    assert (check, field, "failed") in found(**{field: text}, **changes)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("validationCode", "x = y[..., 0]\nz: tuple[int, ...] = (1,)"),
        ("validationCode", "if bad:\n    raise TypeError('the batch is empty')"),
        ("validationCode", "if bad:\n    raise ValueError('cannot reshape array of shape')"),
        ("validationCode", "import jax\njax.vmap(f, in_axes=0, anything=1)"),
        ("validationCode", "import jax.experimental.pallas as pl\npl.BlockSpec(block_shape=(1,), index_map=f)"),
        ("validationCode", "lax = {}\nlax.update(x=1)"),
        ("typeGuard", "is_small = lambda x: x < 3"),
        ("exampleFix", BEFORE + "# after\nimport jax.numpy as jnp\nwhile True:\n    jnp.reshape(jnp.ones((4,)), (2, 2))\n    break"),
        ("exampleFix", BEFORE.replace("before\n", "before\nimport os\nos.environ.get('XLA_NO_SUCH')\n")
         + "# after\nimport jax.numpy as jnp\njnp.reshape(jnp.ones((4,)), (2, 2))"),
        ("documentation", "TypeError, as before jax 0.4.30; a Gaussian would not."),
        ("documentation", "`jnp.reshape` of Pallas raises TypeError; run it with `x.reshape`, see jax/_src/api.py."),
    ],
)  # fmt: skip
def test_no_false_alarm(field: str, text: object) -> None:
    assert not {row for row in found(**{field: text}) if row[2] == "failed"}


@pytest.mark.parametrize(
    ("field", "text", "check"),
    [
        ("validationCode", "import jax.numpy as jnp\njnp.old(1)", "names"),  # deprecated names are made when asked for
        ("validationCode", "import jax\njax.lax.thing(1)", "names"),  # from a package that is not there
        ("documentation", "TypeError unless JAX_ENABLE_X64 is set.", "inventions"),  # real, but not of this error
    ],
)
def test_what_cannot_be_decided_is_a_warning(field: str, text: str, check: str) -> None:
    assert {row for row in found(**{field: text}) if row[1] == field} == {(check, field, "warning")}


def test_an_answer_that_is_none() -> None:
    for text in ("{", "[]", '{"documentation": 1}', '{"invented": null}', "null"):
        explanation, [finding] = judge_text(text, case())
        assert explanation is None
        assert (finding.check, finding.field, finding.verdict) == ("schema", None, Verdict.FAILED)


def test_an_example_that_was_executed_needs_no_proof() -> None:
    other = replace(EVIDENCE, public_api=("jax.numpy.where",))
    explanation = Explanation(**GOOD)
    judged = {proven: judge(explanation, replace(case(proven=proven), evidence=other)) for proven in (True, False)}
    assert {f.verdict for f in judged[True] if f.check == "example"} == {Verdict.WARNING}
    assert {f.verdict for f in judged[False] if f.check == "example"} == {Verdict.FAILED}


@pytest.mark.parametrize(
    ("name", "presence", "keywords"),
    [
        ("jax.jit", Presence.THERE, {"fun", "static_argnames"}),
        ("jax.vmap", Presence.THERE, None),
        ("jax.numpy.where", Presence.THERE, {"condition", "x", "y"}),
        ("jax.numpy.where2", Presence.THERE, {"condition", "x", "y"}),
        ("jax.numpy._private", Presence.MISSING, None),
        ("jax.numpy.zeros_like", Presence.THERE, {"x"}),
        ("jax.numpy.ufunc.at", Presence.THERE, None),
        ("jax.numpy.ufunc.reduce", Presence.UNKNOWN, None),
        ("jax.nothing", Presence.MISSING, None),
        ("jax.experimental.pallas.BlockSpec", Presence.THERE, {"self", "block_shape", "index_map"}),
        ("jax.experimental.nothing.BlockSpec", Presence.MISSING, None),
        ("numpy.where", Presence.UNKNOWN, None),
    ],
)
def test_names(name: str, presence: Presence, keywords: set[str] | None) -> None:
    seen = names().look(name)
    assert (seen.presence, seen.keywords and set(seen.keywords)) == (presence, keywords)


def test_names_of_the_real_jax(jax_tree: SourceTree) -> None:
    real = PublicNames({f.path: f.data for f in jax_tree.files})
    there = "jax.jit jax.lax.scan jax.numpy.where jax.random.key jax.tree.map jax.experimental.pallas.pallas_call jax.errors"
    for name in there.split():
        assert real.look(name).presence is Presence.THERE, name
    for name in (
        "jax.numpy.frobnicate",
        "jax.lax.while_loops",
        "jax.experimental.pallas.pallas_calls",
        "jax.nothing.at",
    ):
        assert real.look(name).presence is Presence.MISSING, name
    assert "static_argnames" in (real.look("jax.jit").keywords or {"static_argnames"})
    assert set(real.look("jax.numpy.reshape").keywords or ()) == {"a", "shape", "order", "copy", "out_sharding"}


def test_the_faults_of_the_reference_pages(shared: Callable[[str], Path]) -> None:
    """A misnamed API, `//` comments, code that is no Python, an example whose end still has the fault."""
    fields = json.loads(shared("reference/001_6fda8dcb3586b217.txt").read_text())["record"]
    answer = Explanation(**{name: fields[name] for name in Explanation.model_fields})
    failed = {(f.check, f.field) for f in judge(answer, case()) if f.verdict is Verdict.FAILED}
    assert failed >= {
        ("names", "documentation"),
        ("syntax", "exampleFix"),
        ("syntax", "validationCode"),
        ("syntax", "tryCatchPattern"),
    }
    page = shared("reference/000_2cd16e770637b0bc.txt").read_text()
    example = page.partition("Example fix\n\n")[2].partition("\n\nDefensive patterns")[0]
    assert ("syntax", "exampleFix", "failed") in found(exampleFix=example)

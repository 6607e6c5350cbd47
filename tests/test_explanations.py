"""Reviewed explanations and background articles: everything they show is executed under a released jax."""

import ast
import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from jax_env import jax_env

from pipeline.catalogue import Catalogue
from pipeline.explain.reviewed import Reviewed, all_reviewed, assign
from pipeline.explain.vocabulary import FEWEST, MOST, vocabulary

EXPLANATIONS = Path(__file__).parent.parent / "explanations"
RUNNER = Path(__file__).parent / "run_explanations.py"
FENCE: Final = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REVIEWED = {entry.name.removesuffix(".md"): entry for entry in all_reviewed()}
ARTICLES = sorted((EXPLANATIONS / "background").glob("*.md"))
CODE: Final = {"validate": "validationCode", "guard": "typeGuard", "try": "tryCatchPattern"}

# What each type guard says, by turns True and False. `traced(guard, *args)` asks it while a function is traced;
# `split(spec)` is an array of 8 x 8 that is cut so on 4 x 2 devices.
GUARDS: Final = {
    "axis-out-of-bounds": [
        "has_axis(jnp.ones(3), -1)",
        "has_axis(jnp.ones(3), 1)",
    ],
    "carry-structure": [
        "same_structure((1, 2), (3, 4))",
        "same_structure((1, 2), [3, 4])",
    ],
    "carry-type": [
        "keeps_carry(lambda c, x: (c + x, c), jnp.float32(0), jnp.float32(1))",
        "keeps_carry(lambda c, x: (c + x, c), jnp.int32(0), jnp.float32(1))",
    ],
    "concatenate-ranks": [
        "same_ndim([jnp.ones((2, 3)), jnp.ones((1, 3))])",
        "same_ndim([jnp.ones((2, 3)), jnp.ones(3)])",
    ],
    "concatenate-sizes": [
        "can_concatenate([jnp.zeros((2, 3)), jnp.ones((2, 4))], axis=1)",
        "can_concatenate([jnp.zeros((2, 3)), jnp.ones((2, 4))])",
    ],
    "concretization-python-number": [
        "is_concrete_scalar(jnp.float32(1))",
        "traced(is_concrete_scalar, 1.0)",
        "is_concrete_scalar(2)",
        "is_concrete_scalar(jnp.ones(2))",
    ],
    "concretization-static-value": [
        "is_static_size(3)",
        "traced(is_static_size, 3)",
        "is_static_size(0)",
        "is_static_size(-1)",
    ],
    "cond-predicate": [
        "is_predicate(True)",
        "is_predicate(jnp.array([True, False]))",
    ],
    "cond-structure": [
        "branches_agree([lambda s: (s, 0), lambda s: (s, 1)], 1.0)",
        "branches_agree([lambda s: (s, 0), lambda s: s], 1.0)",
    ],
    "cond-types": [
        "same_types([jnp.log, jnp.zeros_like], jnp.float32(2))",
        "same_types([jnp.log, lambda x: 0], jnp.float32(2))",
    ],
    "custom-jvp-pair": [
        "is_jvp_rule(lambda p, t: (p[0], t[0]), (1.0,), (1.0,))",
        "is_jvp_rule(lambda p, t: t[0], (1.0,), (1.0,))",
    ],
    "custom-vjp-bwd-type": [
        "fits_argument(jnp.ones(3), jnp.zeros(3))",
        "fits_argument(jnp.float32(1), jnp.zeros(3))",
    ],
    "custom-vjp-fwd-pair": [
        "is_forward_rule(lambda x: (x, None), 1.0)",
        "is_forward_rule(lambda x: x, 1.0)",
    ],
    "debug-nans": [
        "is_finite([jnp.ones(2)])",
        "is_finite([jnp.array([jnp.nan])])",
    ],
    "deleted-array": [
        "is_alive([jnp.ones(2)])",
        "(lambda x: (x.delete(), is_alive([x]))[1])(jnp.ones(2))",
    ],
    "dot-general-contraction": [
        "can_matmul(jnp.ones((8, 3)), jnp.ones((3, 5)))",
        "can_matmul(jnp.ones((8, 3)), jnp.ones((5, 3)))",
    ],
    "explicit-sharding-conflict": [
        "same_layout(split(P('x', 'y')), split(P('x', 'y')))",
        "same_layout(split(P('x', 'y')), split(P('y', 'x')))",
    ],
    "grad-aux-pair": [
        "returns_pair(lambda x: (x, {}), 1.0)",
        "returns_pair(lambda x: x, jnp.ones(2))",
    ],
    "grad-complex-output": [
        "returns_real(jnp.abs, 1j)",
        "returns_real(jnp.exp, 1j)",
    ],
    "grad-holomorphic-input": [
        "is_complex([1j, jnp.ones(2, complex)])",
        "is_complex([1j, 1.0])",
    ],
    "grad-integer-input": [
        "is_differentiable({'w': jnp.ones(2), 'b': 1.0})",
        "is_differentiable({'w': jnp.ones(2), 'step': 1})",
    ],
    "grad-non-scalar": [
        "returns_scalar(lambda x: x.sum(), jnp.ones(3))",
        "returns_scalar(lambda x: x, jnp.ones(3))",
    ],
    "grad-of-tuple": [
        "returns_one_array(lambda x: x, 1.0)",
        "returns_one_array(lambda x: (x, x), 1.0)",
    ],
    "incompatible-broadcast-shapes": [
        "broadcastable(jnp.ones((4, 1)), jnp.ones((4, 3)))",
        "broadcastable(jnp.ones(4), jnp.ones(3))",
    ],
    "incompatible-devices": [
        "on_same_devices(jnp.ones(2), jnp.ones(3))",
        "on_same_devices(jnp.ones(2), jax.device_put(1.0, jax.devices()[1]))",
    ],
    "incompatible-shapes-ranks": [
        "share_a_shape(jnp.ones((3, 4)), jnp.ones((3, 1)), 2.0)",
        "share_a_shape(jnp.ones((3, 4)), jnp.ones(3))",
    ],
    "integer-overflow": [
        "fits_int(2**31 - 1)",
        "fits_int(2**31)",
    ],
    "integer-overflow-argument": [
        "fits_argument(5)",
        "fits_argument(3_000_000_000)",
    ],
    "item-assignment": [
        "is_mutable(np.zeros(2))",
        "is_mutable(jnp.zeros(2))",
    ],
    "jit-argument-type": [
        "can_be_traced({'w': jnp.ones(3), 'step': 1})",
        "can_be_traced((jnp.ones(3), 'mean'))",
    ],
    "jvp-dtype": [
        "is_tangent(1.0, 2.0)",
        "is_tangent(1, 2.0)",
    ],
    "lax-dtype-mismatch": [
        "one_dtype(jnp.ones(2), jnp.zeros(3))",
        "one_dtype(jnp.ones(2), jnp.arange(2))",
    ],
    "leaked-trace": [
        "leaves_nothing_behind(jnp.sin, 1.0)",
        "leaves_nothing_behind([].append, 1.0)",
    ],
    "list-index": [
        "is_index(jnp.array([0, 2]))",
        "is_index([0, 2])",
        "is_index((0, 2))",
        "is_index([slice(2)])",
    ],
    "mesh-axis-unknown": [
        "names_exist(jax.make_mesh((8, 1), ('data', 'model')), P(None, ('data', 'model')))",
        "names_exist(jax.make_mesh((8,), ('data',)), P('data', 'model'))",
    ],
    "mesh-ndim": [
        "is_mesh_grid(np.array(jax.devices()).reshape(4, 2), ('data', 'model'))",
        "is_mesh_grid(jax.devices(), ('data', 'model'))",
    ],
    "mesh-too-few-devices": [
        "enough_devices((4, 2))",
        "enough_devices((64, 2))",
    ],
    "non-concrete-boolean-index": [
        "may_index(jnp.array([True]))",
        "traced(may_index, jnp.array([True]))",
        "traced(may_index, jnp.array([1]))",
        "traced(may_index, jnp.array([False, True]))",
    ],
    "not-arraylike": [
        "is_arraylike(jnp.ones(2))",
        "is_arraylike([1.0])",
        "is_arraylike(2.0)",
        "is_arraylike(None)",
    ],
    "out-shardings-structure": [
        "describes_output((1, None), lambda x: (x, {'a': x}), 1.0)",
        "describes_output((1, 2), lambda x: (x, x, x), 1.0)",
    ],
    "pallas-block-rank": [
        "block_fits(pl.BlockSpec((4, 16), lambda i: (i, 0)), jnp.ones((8, 16)))",
        "block_fits(pl.BlockSpec((4,), lambda i: (i,)), jnp.ones((8, 16)))",
    ],
    "pallas-index-map-constants": [
        "captures_nothing(lambda i: (i + 1,), 0)",
        "captures_nothing(lambda i, skip=jnp.int32(1): (i + skip,), 0)",
    ],
    "pallas-index-map-length": [
        "map_fits(pl.BlockSpec((4, 16), lambda i: (i, 0)), 0)",
        "map_fits(pl.BlockSpec((4, 16), lambda i: i), 0)",
    ],
    "pallas-kernel-constants": [
        "closes_over_no_array(lambda x_ref, o_ref: x_ref)",
        "closes_over_no_array((lambda w: lambda x_ref, o_ref: w)(jnp.ones(8)))",
    ],
    "prng-key-batch": [
        "is_single_key(jax.random.key(0))",
        "is_single_key(jax.random.split(jax.random.key(0)))",
    ],
    "prng-key-dtype": [
        "is_key_or_key_data(jax.random.key(0))",
        "is_key_or_key_data(jnp.zeros(2))",
        "is_key_or_key_data(jax.random.PRNGKey(0))",
        "is_key_or_key_data(None)",
    ],
    "prng-key-not-array": [
        "is_key(jax.random.key(0))",
        "is_key(0)",
    ],
    "prng-key-to-numpy": [
        "numpy_has_dtype(jnp.ones(2))",
        "numpy_has_dtype(jax.random.key(0))",
    ],
    "pytree-prefix": [
        "is_prefix_of({'a': 0}, {'a': {'w': 1, 'b': 2}})",
        "is_prefix_of({'a': 0, 'c': 1}, {'a': {'w': 1}, 'b': 2})",
    ],
    "reshape-size": [
        "can_reshape(jnp.zeros((30, 8, 8)), (30, 64))",
        "can_reshape(jnp.zeros((30, 8, 8)), (32, 64))",
    ],
    "scan-lengths": [
        "one_length((jnp.ones(4), jnp.ones((4, 2))))",
        "one_length((jnp.ones(5), jnp.ones(4)))",
    ],
    "shard-map-divisibility": [
        "divides(jnp.ones(16), 0, jax.make_mesh((8,), ('data',)), 'data')",
        "divides(jnp.ones(10), 0, jax.make_mesh((8,), ('data',)), 'data')",
    ],
    "shard-map-in-specs-structure": [
        "specs_fit((P('data'), P()), (jnp.ones(16), 2.0))",
        "specs_fit((P('data'),), (jnp.ones(16), 2.0))",
    ],
    "sharding-constraint-without-mesh": [
        "mesh_has()",
        "mesh_has('data')",
    ],
    "sharding-divisibility": [
        "divides(jax.make_mesh((8,), ('data',)), P('data'), (16, 4))",
        "divides(jax.make_mesh((8,), ('data',)), P('data'), (10, 4))",
        "divides(jax.make_mesh((4, 2), ('x', 'y')), P(None, ('x', 'y')), (3, 8))",
        "divides(jax.make_mesh((4, 2), ('x', 'y')), P(('x', 'y')), (4, 8))",
    ],
    "sharding-duplicate-axis": [
        "axes_are_unique(P('data', 'model', None))",
        "axes_are_unique(P('model', ('data', 'model')))",
    ],
    "sharding-indivisible": [
        "can_shard(jax.sharding.NamedSharding(jax.make_mesh((8,), ('data',)), P('data')), (16,))",
        "can_shard(jax.sharding.NamedSharding(jax.make_mesh((8,), ('data',)), P('data')), (15,))",
    ],
    "sharding-rank": [
        "spec_fits(P('data', 'model'), jnp.ones((8, 4)))",
        "spec_fits(P('data', 'model'), jnp.ones(4))",
    ],
    "slice-with-traced-bounds": [
        "is_static_slice(slice(0, 2))",
        "traced(lambda n: is_static_slice(slice(None, n)), 2)",
    ],
    "static-argnames-unknown": [
        "has_parameters(lambda x, mode: x, ['mode'])",
        "has_parameters(lambda x, mode: x, ['kind'])",
    ],
    "static-argnums-range": [
        "has_position(lambda x, n: x, 1)",
        "has_position(lambda x, n: x, 2)",
        "has_position(lambda *xs: xs, 5)",
        "has_position(lambda x, *, n: x, 1)",
    ],
    "static-argument-unhashable": [
        "can_be_static((2, 3))",
        "can_be_static([2, 3])",
        "can_be_static('same')",
        "can_be_static(np.ones(2))",
    ],
    "strict-promotion": [
        "promotes(jnp.float32(1), 2)",
        "promotes(jnp.float32(1), jnp.int32(2))",
    ],
    "too-many-indices": [
        "fits(jnp.ones(3), (0,))",
        "fits(jnp.ones(3), (slice(None), 0))",
        "fits(jnp.ones(3), (None, Ellipsis, 0))",
        "fits(jnp.float32(1), (0,))",
    ],
    "traced-shape": [
        "is_shape((2, 3))",
        "traced(lambda n: is_shape((n, 3)), 2)",
        "is_shape(())",
        "is_shape((1.5,))",
    ],
    "tracer-array-conversion": [
        "numpy_can_read({'a': jnp.ones(2)})",
        "traced(numpy_can_read, {'a': jnp.ones(2)})",
    ],
    "tracer-bool-conversion": [
        "can_branch_on(True)",
        "traced(can_branch_on, True)",
    ],
    "tracer-integer-conversion": [
        "is_python_index(2)",
        "traced(is_python_index, 2)",
        "is_python_index(jnp.int32(1))",
        "is_python_index(1.5)",
    ],
    "truth-of-array": [
        "has_truth_value(jnp.array([True]))",
        "has_truth_value(jnp.ones(3) == 1)",
    ],
    "unexpected-tracer": [
        "holds_no_tracer([jnp.ones(2)])",
        "traced(holds_no_tracer, [jnp.ones(2)])",
    ],
    "unknown-config-option": [
        "is_option('jax_enable_x64')",
        "is_option('jax_enable_x46')",
    ],
    "vjp-structure": [
        "is_built_like((1.0, 0.0), (jnp.ones(()), jnp.ones(())))",
        "is_built_like(1.0, (jnp.ones(()), jnp.ones(())))",
    ],
    "vjp-type": [
        "is_cotangent(jnp.ones(3), jnp.zeros(3))",
        "is_cotangent(1.0, jnp.zeros(3))",
    ],
    "vmap-in-axes-length": [
        "in_axes_fit((0, None), (1, 2))",
        "in_axes_fit((0,), (1, 2))",
        "in_axes_fit(0, (1, 2))",
        "in_axes_fit((), (1,))",
    ],
    "vmap-in-axes-prefix": [
        "is_prefix({'w': None, 'b': 0}, {'w': 1.0, 'b': jnp.zeros(4)})",
        "is_prefix({'b': 0}, {'w': 1.0, 'b': jnp.zeros(4)})",
    ],
    "vmap-rank": [
        "can_map({'w': jnp.ones(3)})",
        "can_map({'w': jnp.ones(3), 'rate': 0.1})",
    ],
    "vmap-sizes": [
        "one_batch_size({'x': jnp.ones((5, 3))}, jnp.ones(5))",
        "one_batch_size(jnp.ones(3), jnp.ones((5, 3)))",
    ],
    "while-loop-condition": [
        "is_loop_condition(lambda x: jnp.any(x > 1), jnp.ones(2))",
        "is_loop_condition(lambda x: x > 1, jnp.ones(2))",
        "is_loop_condition(lambda n: n > 0, 3)",
        "is_loop_condition(lambda n: n, 3)",
    ],
}


def halves(entry: Reviewed) -> tuple[str, str]:
    """The two programs of an example fix."""
    before, after = re.fullmatch(
        r"# before\n(.*?)^# after\n(.*)", entry.explanation.exampleFix or "", re.DOTALL | re.MULTILINE
    ).groups()  # type: ignore[union-attr]  # a file of another form fails here
    return before, after


def article(path: Path) -> str:
    """All code of an article as one program: a block may use what an earlier one made."""
    return "\n".join(FENCE.findall(path.read_text(encoding="utf-8")))


def programs() -> list[dict[str, Any]]:
    """Everything there is to run."""
    found: list[dict[str, Any]] = [{"id": f"{path.stem}:article", "code": article(path)} for path in ARTICLES]
    for name, entry in REVIEWED.items():
        before, after = halves(entry)
        found += [{"id": f"{name}:before", "code": before}, {"id": f"{name}:after", "code": after}]
        for part, field in CODE.items():
            if code := getattr(entry.explanation, field):
                probes = GUARDS[name] if part == "guard" else []
                found.append({"id": f"{name}:{part}", "code": code, "probes": probes})
    return found


@pytest.fixture(scope="module")
def ran() -> Mapping[str, Any]:
    """What came of every program under jax 0.9.2, by its id."""
    python = jax_env("0.9.2", "run", "pytest", "ipykernel", "jupyter_client")
    done = subprocess.run([python, RUNNER], input=json.dumps(programs()), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return {row["id"]: row for row in json.loads(done.stdout)}


def test_there_are_enough() -> None:
    assert len(REVIEWED) >= 32
    assert len(ARTICLES) >= 8


@pytest.mark.parametrize("name", REVIEWED)
def test_the_example_raises_this_record(name: str, ran: Mapping[str, Any], jax_catalogue: Catalogue) -> None:
    entry, error = REVIEWED[name], ran[f"{name}:before"]["error"]
    assert error is not None, "the part before raises nothing"
    raised = Reviewed(
        name=name,
        repo=entry.repo,
        error_class=error[0],
        texts=(error[1],),
        file_path=entry.file_path,
        qualname=entry.qualname,
        explanation=entry.explanation,
    )
    assert error[0] == entry.error_class
    wanted = assign([entry], jax_catalogue.records).by_id.keys()
    assert wanted
    assert assign([raised], jax_catalogue.records).by_id.keys() == wanted


def test_no_two_files_are_for_one_record(jax_catalogue: Catalogue) -> None:
    owners: dict[str, str] = {}
    for name, entry in REVIEWED.items():
        for record in assign([entry], jax_catalogue.records).by_id:
            assert owners.setdefault(record, name) == name


@pytest.mark.parametrize("name", REVIEWED)
def test_what_it_advises_runs(name: str, ran: Mapping[str, Any]) -> None:
    rows = [ran[f"{name}:{part}"] for part in ("after", *CODE) if f"{name}:{part}" in ran]
    assert [row["error"] for row in rows] == [None] * len(rows)


@pytest.mark.parametrize("name", [name for name, entry in REVIEWED.items() if entry.explanation.typeGuard])
def test_the_type_guard_tells_good_from_bad(name: str, ran: Mapping[str, Any]) -> None:
    said = ran[f"{name}:guard"]["probes"]
    assert len(said) >= 2
    assert said == [number % 2 == 0 for number in range(len(said))]
    functions = [
        n for n in ast.parse(REVIEWED[name].explanation.typeGuard or "").body if isinstance(n, ast.FunctionDef)
    ]
    assert [ast.unparse(function.returns) for function in functions if function.returns] == ["bool"]


@pytest.mark.parametrize("path", ARTICLES, ids=lambda path: path.stem)
def test_the_code_of_an_article_runs(path: Path, ran: Mapping[str, Any]) -> None:
    assert ran[f"{path.stem}:article"]["error"] is None
    assert path.read_text(encoding="utf-8").startswith("# ")


def test_no_program_leaves_an_option_changed(ran: Mapping[str, Any]) -> None:
    assert {name: row["config"] for name, row in ran.items() if row["config"]} == {}


@pytest.mark.parametrize("name", REVIEWED)
def test_its_words_are_of_the_vocabulary(name: str) -> None:
    explanation, words = REVIEWED[name].explanation, vocabulary()
    assert set(explanation.tags) <= words.tags
    assert FEWEST <= len(explanation.tags) <= MOST
    assert explanation.backgroundTag is None or explanation.backgroundTag in words.articles
    assert explanation.documentation
    assert explanation.solutions


def test_no_place_of_this_machine_is_told() -> None:
    told = [text for entry in REVIEWED.values() for text in entry.texts]
    assert [text for text in told if re.search(r"/(?:tmp|root|home|work|usr|opt)/|site-packages", text)] == []


def test_tags_stand_sorted_and_once() -> None:
    tags = (EXPLANATIONS / "tags.txt").read_text(encoding="utf-8").splitlines()
    assert tags == sorted(set(tags))

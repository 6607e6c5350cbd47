"""shard_map and the collectives inside it (on eight CPU devices)."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P


def _mesh(kind=AxisType.Auto):
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(kind, kind))


def _map(f, in_specs=P("x"), out_specs=P("x"), **rest):
    return jax.shard_map(f, mesh=_mesh(), in_specs=in_specs, out_specs=out_specs, **rest)


def function_is_an_array():
    _map(jnp.ones(3))(jnp.ones(8))


def no_mesh_anywhere():
    jax.shard_map(lambda x: x, in_specs=P("x"), out_specs=P("x"))(jnp.ones(8))


def mesh_is_a_list():
    jax.shard_map(lambda x: x, mesh=jax.devices(), in_specs=P("x"), out_specs=P("x"))(jnp.ones(8))


def mesh_of_context_differs():
    other = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    with jax.set_mesh(other):
        _map(lambda x: x)(jnp.ones(8))


def manual_axes_as_a_list():
    _map(lambda x: x, axis_names=["x"])(jnp.ones(8))


def manual_axes_unknown():
    _map(lambda x: x, axis_names={"z"})(jnp.ones(8))


def specs_are_text():
    _map(lambda x: x, in_specs="x")(jnp.ones(8))


def output_specs_are_text():
    _map(lambda x: x, out_specs=("x",))(jnp.ones(8))


def spec_names_an_unknown_axis():
    _map(lambda x: x, in_specs=P("q"))(jnp.ones(8))


def specs_of_another_structure():
    _map(lambda x, y: x + y, in_specs=(P("x"), P("x"), P("x")))(jnp.ones(8), jnp.ones(8))


def output_specs_of_another_structure():
    _map(lambda x: (x, x), out_specs=(P("x"), P("x"), P()))(jnp.ones(8))


def output_specs_deeper_than_the_output():
    _map(lambda x: {"a": x}, out_specs={"b": P("x")})(jnp.ones(8))


def rank_below_the_spec():
    _map(lambda x: x, in_specs=P(None, None, "x"))(jnp.ones((8, 8)))


def rank_of_output_below_the_spec():
    _map(lambda x: x.sum(), out_specs=P("x"))(jnp.ones(8))


def size_not_divisible():
    _map(lambda x, y: x, in_specs=(P("x"), P(("x", "y"))))(jnp.ones(8), jnp.ones(12))


def output_not_known_to_be_replicated():
    _map(lambda x: x * 2, out_specs=P())(jnp.ones(8))


def infer_specs_with_auto_axes():
    jax.shard_map(lambda x: x, mesh=_mesh(), out_specs=P("x"))(jnp.ones(8))


def gather_of_what_does_not_vary():
    jax.jit(_map(lambda x: lax.all_gather(x, "y")))(jnp.ones(8))


def vary_what_varies_already():
    jax.jit(_map(lambda x: lax.pcast(x, "x", to="varying")))(jnp.ones(8))


def cast_to_an_unknown_state():
    _map(lambda x: lax.pcast(x, "x", to="sideways"))(jnp.ones(8))


def cast_over_a_set_of_axes():
    _map(lambda x: lax.pcast(x, {"x"}, to="varying"))(jnp.ones(8))


def scatter_of_another_size():
    jax.jit(_map(lambda x: lax.psum_scatter(x, "x"), out_specs=P()))(jnp.ones(8))


def scatter_tiled_of_another_size():
    jax.jit(_map(lambda x: lax.psum_scatter(x, "x", tiled=True)))(jnp.ones(24))


def all_to_all_of_another_size():
    jax.jit(_map(lambda x: lax.all_to_all(x, "x", 0, 0)))(jnp.ones((8, 3)))


def all_to_all_tiled_of_another_size():
    jax.jit(_map(lambda x: lax.all_to_all(x, "x", 0, 0, tiled=True)))(jnp.ones((8, 3)))


def permutation_with_a_double_target():
    jax.jit(_map(lambda x: lax.ppermute(x, "x", [(0, 1), (2, 1)])))(jnp.ones(8))


def carry_of_scan_starts_varying():
    f = lambda x: lax.scan(lambda c, v: (c + v, v), 0.0, x)[1]
    jax.jit(_map(f))(jnp.ones(8))


def branches_vary_differently():
    f = lambda x: lax.cond(x.sum() > 0, lambda v: v, lambda v: jnp.zeros_like(v, shape=(3,)), x)
    jax.jit(_map(f))(jnp.ones(8))


def placement_inside():
    device = jax.devices()[0]
    _map(lambda x: jax.device_put(x, device))(jnp.ones(8))


def vmap_over_an_axis_already_used():
    jax.vmap(_map(lambda x: x), spmd_axis_name="x")(jnp.ones((4, 8)))


def smap_axis_as_a_list():
    jax.smap(lambda x: x, in_axes=0, out_axes=0, axis_name=["x"])


def smap_axes_as_text():
    jax.smap(lambda x: x, in_axes="rows", out_axes=0, axis_name="x")


def smap_nested_axes_as_text():
    jax.smap(lambda x: x, in_axes=("rows",), out_axes=0, axis_name="x")


def smap_output_axes_as_text():
    jax.smap(lambda x: x, in_axes=0, out_axes="rows", axis_name="x")


def abstract_mesh_and_plain_arrays():
    mesh = jax.sharding.AbstractMesh((8,), ("x",))
    jax.shard_map(lambda x: x, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(jnp.ones(8))


def ragged_offsets_of_floats():
    zeros, ints = jnp.zeros(4), jnp.zeros(4, jnp.int32)
    lax.ragged_all_to_all(zeros, zeros, zeros, ints, ints, ints, axis_name="x")


def ragged_sizes_of_wrong_rank():
    data, ints = jnp.zeros(4), jnp.zeros(4, jnp.int32)
    lax.ragged_all_to_all(data, data, ints, jnp.zeros((2, 2), jnp.int32), ints, ints, axis_name="x")

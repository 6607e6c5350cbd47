"""Pallas kernels in interpret mode."""
# mypy: ignore-errors

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

_OUT = jax.ShapeDtypeStruct((8,), jnp.float32)
_call = functools.partial(pl.pallas_call, out_shape=_OUT, interpret=True)


def _copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def block_of_another_rank():
    _call(_copy, grid=(2,), in_specs=[pl.BlockSpec((4, 4), lambda i: (i, 0))])(jnp.ones(8))


def index_map_of_another_length():
    _call(_copy, grid=(2,), in_specs=[pl.BlockSpec((4,), lambda i: (i, 0))])(jnp.ones(8))


def index_map_of_floats():
    _call(_copy, grid=(2,), in_specs=[pl.BlockSpec((4,), lambda i: (i * 0.5,))])(jnp.ones(8))


def index_map_with_a_captured_array():
    order = jnp.array([1, 0])
    _call(_copy, grid=(2,), in_specs=[pl.BlockSpec((4,), lambda i: (order[i],))])(jnp.ones(8))


def kernel_with_a_captured_array():
    weights = jnp.arange(8.0)

    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * weights

    _call(kernel)(jnp.ones(8))


def kernel_that_returns():
    _call(lambda x_ref, o_ref: x_ref[...])(jnp.ones(8))


def specs_of_another_structure():
    _call(_copy, in_specs=[pl.BlockSpec(), pl.BlockSpec()])(jnp.ones(8))


def output_specs_of_another_structure():
    _call(_copy, out_specs=[pl.BlockSpec(), pl.BlockSpec()])(jnp.ones(8))


def specs_that_are_no_list():
    _call(_copy, in_specs=pl.BlockSpec())(jnp.ones(8))


def grid_of_text():
    _call(_copy, grid=("two",))(jnp.ones(8))


def grid_next_to_a_grid_spec():
    _call(_copy, grid=(2,), grid_spec=pl.GridSpec(grid=(2,)))(jnp.ones(8))


def specs_next_to_a_grid_spec():
    _call(_copy, in_specs=[pl.BlockSpec()], grid_spec=pl.GridSpec(grid=(2,)))(jnp.ones(8))


def output_specs_next_to_a_grid_spec():
    _call(_copy, out_specs=pl.BlockSpec(), grid_spec=pl.GridSpec(grid=(2,)))(jnp.ones(8))


def block_dimension_of_text():
    _call(_copy, grid=(2,), in_specs=[pl.BlockSpec(("all",), lambda i: (i,))])(jnp.ones(8))


def output_shape_that_is_a_tuple_of_numbers():
    pl.pallas_call(_copy, out_shape=(8, 2.5), interpret=True)(jnp.ones(8))


def alias_of_an_unknown_input():
    _call(_copy, input_output_aliases={3: 0})(jnp.ones(8))


def alias_of_an_unknown_output():
    _call(_copy, input_output_aliases={0: 2})(jnp.ones(8))


def alias_of_another_dtype():
    _call(_copy, input_output_aliases={0: 0})(jnp.ones(8, jnp.int32))


def without_interpret_mode():
    pl.pallas_call(_copy, out_shape=_OUT)(jnp.ones(8))


def stored_value_of_another_shape():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[0:3]

    _call(kernel)(jnp.ones(8))


def stored_value_of_another_dtype():
    def kernel(x_ref, o_ref):
        jax.ref.swap(o_ref, ..., x_ref[...].astype(jnp.int32))

    _call(kernel)(jnp.ones(8))


def store_a_reference():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref

    _call(kernel)(jnp.ones(8))


def reference_in_arithmetic():
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.sin(x_ref)

    _call(kernel)(jnp.ones(8))


def slice_of_a_reference_with_step():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[::-1]

    _call(kernel)(jnp.ones(8))


def too_many_indices_into_a_reference():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[0, 0]

    _call(kernel)(jnp.ones(8))


def python_if_in_a_kernel():
    def kernel(x_ref, o_ref):
        if x_ref[0] > 0:
            o_ref[...] = x_ref[...]

    _call(kernel)(jnp.ones(8))


def axis_beyond_the_grid():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * pl.program_id(3)

    _call(kernel, grid=(2,))(jnp.ones(8))


def product_of_vectors():
    def kernel(x_ref, o_ref):
        o_ref[...] = pl.dot(x_ref[...], x_ref[...])

    _call(kernel)(jnp.ones(8))


def cost_of_a_float():
    pl.CostEstimate(flops=1.5, transcendentals=0, bytes_accessed=0)


def power_of_two_above_a_negative():
    pl.next_power_of_2(-3)


def gradient_of_an_aliased_kernel():
    f = _call(_copy, input_output_aliases={0: 0})
    jax.grad(lambda x: f(x).sum())(jnp.ones(8))


def slice_longer_than_the_reference():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[pl.ds(0, 16)][:8]

    _call(kernel)(jnp.ones(8))

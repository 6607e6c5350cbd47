"""Indexing, .at updates, gather, scatter, dynamic slices."""
# mypy: ignore-errors

import jax.numpy as jnp
import numpy as np
from jax import lax


def too_many_indices():
    jnp.ones((2, 3))[0, 1, 2]


def two_ellipses():
    jnp.ones((2, 3))[..., ...]


def text_index():
    jnp.ones(3)["first"]


def float_index():
    jnp.ones(3)[1.0]


def float_array_index():
    jnp.ones(3)[jnp.array([0.0, 1.0])]


def numpy_float_array_index():
    jnp.ones(3)[np.array([0.5])]


def list_index():
    jnp.ones((3, 3))[[0, 1]]


def object_index():
    jnp.ones(3)[object()]


def mask_of_wrong_shape():
    jnp.ones(3)[jnp.array([True, False])]


def index_into_an_empty_axis():
    jnp.ones((0, 3))[0]


def slice_with_step_zero():
    jnp.arange(5)[::0]


def index_arrays_that_do_not_broadcast():
    jnp.ones((4, 4))[jnp.arange(2), jnp.arange(3)]


def assignment():
    x = jnp.zeros(3)
    x[0] = 1.0


def update_that_does_not_broadcast():
    jnp.zeros((3, 3)).at[0].set(jnp.ones(2))


def unknown_mode_of_update():
    jnp.zeros(3).at[5].set(1.0, mode="bounce")


def fill_value_that_is_a_vector():
    jnp.zeros(3).at[5].get(mode="fill", fill_value=jnp.ones(2))


def unknown_mode_of_reading():
    jnp.arange(6).at[jnp.array([1, 2])].get(mode="bounce")


def take_in_raise_mode():
    jnp.take(jnp.arange(3), jnp.array([7]), mode="raise")


def take_in_unknown_mode():
    jnp.take(jnp.arange(3), jnp.array([7]), mode="bounce")


def take_from_nothing():
    jnp.take(jnp.zeros((0,)), jnp.array([0]))


def take_into_an_output():
    jnp.take(jnp.arange(3), jnp.array([0]), out=np.zeros(1))


def take_along_with_floats():
    jnp.take_along_axis(jnp.ones((2, 2)), jnp.ones((2, 2)), axis=0)


def take_along_of_another_rank():
    jnp.take_along_axis(jnp.ones((2, 2)), jnp.array([0, 1]), axis=0)


def take_along_flat_of_a_matrix():
    jnp.take_along_axis(jnp.ones((2, 2)), jnp.zeros((2, 2), int), axis=None)


def put_in_place():
    jnp.put(jnp.zeros(3), 0, 1.0)


def put_in_unknown_mode():
    jnp.put(jnp.zeros(3), 0, 1.0, mode="bounce", inplace=False)


def put_in_raise_mode():
    jnp.put(jnp.zeros(3), 0, 1.0, mode="raise", inplace=False)


def put_along_in_place():
    jnp.put_along_axis(jnp.zeros((2, 2)), jnp.zeros((2, 1), int), 1.0, axis=1)


def put_along_of_another_rank():
    jnp.put_along_axis(jnp.zeros((2, 2)), jnp.zeros(2, int), 1.0, axis=1, inplace=False)


def put_along_values_that_do_not_fit():
    jnp.put_along_axis(jnp.zeros((2, 2)), jnp.zeros((2, 1), int), jnp.ones((3, 3)), axis=1, inplace=False)


def place_in_place():
    jnp.place(jnp.zeros(3), jnp.array([True, False, True]), jnp.ones(2))


def place_by_a_short_mask():
    jnp.place(jnp.zeros(3), jnp.array([True]), jnp.ones(2), inplace=False)


def place_of_nothing():
    jnp.place(jnp.zeros(3), jnp.ones(3, bool), jnp.zeros(0), inplace=False)


def index_in_dim_out_of_range():
    lax.index_in_dim(jnp.arange(3), 5)


def slice_beyond_the_end():
    lax.slice(jnp.ones(3), (0,), (5,))


def slice_backwards():
    lax.slice(jnp.ones(5), (3,), (1,))


def slice_with_uneven_strides():
    lax.slice(jnp.ones((3, 3)), (0, 0), (2, 2), (1,))


def slice_with_a_negative_stride():
    lax.slice(jnp.ones(3), (0,), (2,), (-1,))


def dynamic_slice_larger_than_the_array():
    lax.dynamic_slice(jnp.ones(3), (0,), (5,))


def dynamic_slice_of_negative_size():
    lax.dynamic_slice(jnp.ones(3), (0,), (-1,))


def dynamic_slice_of_wrong_rank():
    lax.dynamic_slice(jnp.ones((3, 3)), (0,), (1, 1))


def dynamic_slice_at_a_vector():
    lax.dynamic_slice(jnp.ones((3, 3)), (jnp.arange(2), 0), (1, 1))


def dynamic_slice_at_floats():
    lax.dynamic_slice(jnp.ones(3), (jnp.float32(1),), (1,))


def dynamic_slice_at_a_matrix():
    lax.dynamic_slice(jnp.ones((3, 3)), jnp.zeros((2, 1), int), (1, 1))


def dynamic_update_of_wrong_rank():
    lax.dynamic_update_slice(jnp.ones((3, 3)), jnp.ones(2), (0, 0))


def dynamic_update_too_large():
    lax.dynamic_update_slice(jnp.ones(3), jnp.ones(5), (0,))


def dynamic_update_at_floats():
    lax.dynamic_update_slice(jnp.ones(3), jnp.ones(1), (jnp.float32(0),))


def negative_index_not_allowed():
    lax.dynamic_slice(jnp.ones(3), (-1,), (1,), allow_negative_indices=False)


def _gather(operand, indices, sizes, **numbers):
    numbers = {"offset_dims": (), "collapsed_slice_dims": (0,), "start_index_map": (0,)} | numbers
    return lax.gather(operand, indices, lax.GatherDimensionNumbers(**numbers), sizes)


def gather_with_float_indices():
    _gather(jnp.ones(3), jnp.ones((2, 1)), (1,))


def gather_with_unsorted_offsets():
    _gather(jnp.ones((3, 3)), jnp.zeros((2, 1), int), (2, 2), offset_dims=(2, 1), collapsed_slice_dims=())


def gather_with_repeated_offsets():
    _gather(jnp.ones((3, 3)), jnp.zeros((2, 1), int), (2, 2), offset_dims=(1, 1), collapsed_slice_dims=())


def gather_with_offset_out_of_range():
    _gather(jnp.ones((3, 3)), jnp.zeros((2, 1), int), (1, 3), offset_dims=(4,))


def gather_with_index_map_of_another_size():
    _gather(jnp.ones((3, 3)), jnp.zeros((2, 2), int), (1, 3), offset_dims=(1,))


def gather_with_too_few_sizes():
    _gather(jnp.ones((3, 3)), jnp.zeros((2, 1), int), (1,), offset_dims=(1,))


def gather_of_more_than_there_is():
    _gather(jnp.ones((3, 3)), jnp.zeros((2, 1), int), (1, 7), offset_dims=(1,))


def gather_collapsing_a_wide_slice():
    _gather(jnp.ones((3, 3)), jnp.zeros((2, 1), int), (2, 3), offset_dims=(1,))


def gather_collapsing_an_unknown_axis():
    _gather(jnp.ones((3, 3)), jnp.zeros((2, 1), int), (1, 3), offset_dims=(1,), collapsed_slice_dims=(5,))


def gather_mapping_to_an_unknown_axis():
    _gather(jnp.ones((3, 3)), jnp.zeros((2, 1), int), (1, 3), offset_dims=(1,), start_index_map=(6,))


def _scatter(updates, indices, **numbers):
    usual = {"update_window_dims": (), "inserted_window_dims": (0,), "scatter_dims_to_operand_dims": (0,)}
    return lax.scatter(jnp.zeros(4), indices, updates, lax.ScatterDimensionNumbers(**(usual | numbers)))


def scatter_with_float_indices():
    _scatter(jnp.ones(2), jnp.ones((2, 1)))


def scatter_of_wrong_rank():
    _scatter(jnp.ones((2, 2)), jnp.zeros((2, 1), int))


def scatter_of_another_size():
    _scatter(jnp.ones(3), jnp.zeros((2, 1), int))


def scatter_to_an_unknown_axis():
    _scatter(jnp.ones(2), jnp.zeros((2, 1), int), scatter_dims_to_operand_dims=(3,))


def scatter_with_index_of_another_width():
    _scatter(jnp.ones(2), jnp.zeros((2, 2), int))


def scatter_without_a_window():
    _scatter(jnp.ones(2), jnp.zeros((2, 1), int), inserted_window_dims=())


def scatter_mode_unknown():
    lax.GatherScatterMode.from_any("bounce")

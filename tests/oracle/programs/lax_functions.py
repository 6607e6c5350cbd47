"""jax.lax: shapes, dtypes and numbers of operands."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp
from jax import lax


def addition_of_unlike_shapes():
    lax.add(jnp.ones(3), jnp.ones(4))


def addition_of_unlike_ranks():
    lax.add(jnp.ones(3), jnp.ones((3, 3)))


def concatenate_of_nothing():
    lax.concatenate([], 0)


def concatenate_of_unlike_ranks():
    lax.concatenate([jnp.ones(2), jnp.ones((2, 2))], 0)


def concatenate_along_a_missing_axis():
    lax.concatenate([jnp.ones(2), jnp.ones(2)], 3)


def dot_with_three_positions():
    lax.dot(jnp.ones(2), jnp.ones(2), None, None)


def dot_of_unlike_shapes():
    lax.dot(jnp.ones((2, 3)), jnp.ones((2, 3)))


def _dot_general(lhs, rhs, contract, batch=((), ())):
    return lax.dot_general(jnp.ones(lhs), jnp.ones(rhs), (contract, batch))


def dot_general_over_a_missing_axis():
    _dot_general((2, 3), (3, 2), ((5,), (0,)))


def dot_general_over_a_missing_right_axis():
    _dot_general((2, 3), (3, 2), ((1,), (7,)))


def dot_general_of_unlike_batches():
    _dot_general((2, 3), (2, 3), ((), ()), ((0,), ()))


def dot_general_batched_twice():
    _dot_general((2, 3), (2, 3), ((), ()), ((0, 0), (0, 1)))


def dot_general_contracted_twice():
    _dot_general((2, 2), (2, 2), ((0, 0), (0, 1)))


def dot_general_batched_and_contracted():
    _dot_general((2, 2), (2, 2), ((0,), (1,)), ((0,), (0,)))


def dot_general_of_unlike_batch_sizes():
    _dot_general((2, 3), (4, 3), ((1,), (1,)), ((0,), (0,)))


def dot_general_of_unlike_contracted_sizes():
    _dot_general((2, 3), (2, 4), ((1,), (1,)))


def precision_unknown():
    lax.dot(jnp.ones((2, 2)), jnp.ones((2, 2)), precision="sloppy")


def default_precision_unknown():
    with jax.default_matmul_precision("sloppy"):
        jnp.ones((2, 2)) @ jnp.ones((2, 2))


def batch_product_of_vectors():
    lax.batch_matmul(jnp.ones(3), jnp.ones(3))


def batch_product_of_unlike_ranks():
    lax.batch_matmul(jnp.ones((2, 2)), jnp.ones((2, 2, 2)))


def select_of_nothing():
    lax.select_n(True)


def select_of_unlike_shapes():
    lax.select(jnp.array([True, False]), jnp.ones(2), jnp.ones(3))


def select_by_another_shape():
    lax.select(jnp.array([True, False]), jnp.ones(3), jnp.ones(3))


def select_by_floats():
    lax.select_n(jnp.ones(2), jnp.ones(2), jnp.ones(2))


def select_of_three_by_a_boolean():
    lax.select_n(True, 1.0, 2.0, 3.0)


def select_of_unlike_dtypes():
    lax.select(True, 1.0, 2)


def clamp_by_another_shape():
    lax.clamp(jnp.zeros(2), jnp.ones(3), jnp.ones(3))


def clamp_above_by_another_shape():
    lax.clamp(jnp.zeros(3), jnp.ones(3), jnp.ones(2))


def reduce_of_unlike_trees():
    lax.reduce((jnp.ones(2),), 0.0, lambda a, b: a, (0,))


def reduce_over_a_repeated_axis():
    lax.reduce_max(jnp.ones((2, 2)), (0, 0))


def reduce_over_a_missing_axis():
    lax.reduce_max(jnp.ones((2, 2)), (4,))


def reduce_from_a_vector():
    lax.reduce(jnp.ones(3), jnp.ones(2), lambda a, b: a * b + 1, (0,))


def reduce_from_another_dtype():
    lax.reduce(jnp.ones(3), jnp.int32(0), lambda a, b: a * b + 1, (0,))


def reduce_to_a_list():
    lax.reduce(jnp.ones(3), jnp.float32(0), lambda a, b: [a, "b"], (0,))


def reduce_over_a_captured_tracer():
    jax.jit(lambda s: lax.reduce(jnp.ones(3), 0.0, lambda a, b: a + b * s, (0,)))(2.0)


def logical_reduction_of_floats():
    lax.reduce_or_p.bind(jnp.ones(3), axes=(0,))


def argmax_over_a_missing_axis():
    lax.argmax(jnp.ones(3), 2, jnp.int32)


def argmax_of_nothing():
    lax.argmax(jnp.ones((0,)), 0, jnp.int32)


def argmax_as_floats():
    lax.argmax(jnp.ones(3), 0, jnp.float32)


def precision_without_exponent():
    lax.reduce_precision(1.0, 0, 5)


def precision_of_negative_mantissa():
    lax.reduce_precision(1.0, 5, -1)


def sort_of_nothing():
    lax.sort(())


def sort_of_unlike_shapes():
    lax.sort((jnp.ones(2), jnp.ones(3)))


def sort_by_too_many_keys():
    lax.sort((jnp.ones(2), jnp.ones(2)), num_keys=3)


def sort_of_one_by_two_keys():
    lax.sort(jnp.ones(2), num_keys=2)


def top_of_negative_count():
    lax.top_k(jnp.ones(3), -1)


def top_of_too_many():
    lax.top_k(jnp.ones(3), 5)


def top_of_a_scalar():
    lax.top_k(jnp.float32(1), 1)


def top_of_complex_values():
    lax.top_k(jnp.ones(3, complex), 1)


def top_along_a_missing_axis():
    lax.top_k(jnp.ones(3), 1, axis=4)


def full_of_a_vector():
    lax.full((2,), jnp.ones(2))


def iota_along_a_missing_axis():
    lax.broadcasted_iota(jnp.int32, (2, 2), 5)


def iota_of_keys():
    lax.iota(jnp.bool_, 4)


def squeeze_twice_at_one_place():
    lax.squeeze(jnp.ones((1, 1)), (0, 0))


def collapse_backwards():
    lax.collapse(jnp.ones((2, 2, 2)), 2, 1)


def reshape_to_a_negative_size():
    lax.reshape(jnp.ones(4), (-2, -2))


def reshape_by_a_wrong_permutation():
    lax.reshape(jnp.ones((2, 2)), (4,), dimensions=(0, 0))


def broadcast_to_another_size():
    lax.broadcast_in_dim(jnp.ones(3), (2, 4), (1,))


def broadcast_to_fewer_dimensions():
    lax.broadcast_in_dim(jnp.ones((2, 2)), (2,), (0, 0))


def broadcast_by_too_few_dimensions():
    lax.broadcast_in_dim(jnp.ones((2, 2)), (2, 2), (0,))


def broadcast_out_of_order():
    lax.broadcast_in_dim(jnp.ones((2, 2)), (2, 2), (1, 0))


def reverse_twice():
    lax.rev(jnp.ones((2, 2)), (0, 0))


def reverse_a_missing_axis():
    lax.rev(jnp.ones((2, 2)), (3,))


def pad_with_another_dtype():
    lax.pad(jnp.ones(3), jnp.int32(0), [(1, 1, 0)])


def pad_with_a_vector():
    lax.pad(jnp.ones(3), jnp.ones(2), [(1, 1, 0)])


def pad_of_another_rank():
    lax.pad(jnp.ones(3), 0.0, [(1, 1, 0), (1, 1, 0)])


def pad_between_by_a_negative():
    lax.pad(jnp.ones(3), 0.0, [(1, 1, -1)])


def pad_away_everything():
    lax.pad(jnp.ones(3), 0.0, [(-4, -4, 0)])


def split_into_another_size():
    lax.split(jnp.ones(4), (1, 2))


def split_into_negative_sizes():
    lax.split(jnp.ones(4), (5, -1))


def uniform_of_unlike_dtypes():
    lax.rng_uniform(0.0, 1, (2,))


def uniform_between_vectors():
    lax.rng_uniform(jnp.zeros(2), jnp.ones(2), (2,))


def bits_of_unknown_dtype():
    lax.rng_bit_generator(jnp.zeros(4, jnp.uint32), (2,), dtype="float32")


def token_that_is_an_array():
    lax.after_all(jnp.ones(3))


def tolerance_of_nothing():
    lax.Tolerance(0.0, 0.0, 0)


def tolerance_of_a_negative():
    lax.Tolerance(-1.0, 0.0, 0)


def shapes_that_do_not_broadcast():
    lax.broadcast_shapes((2, 3), (3, 2))


def _conv(lhs=(1, 1, 5, 5), rhs=(1, 1, 3, 3), strides=(1, 1), padding="SAME", **rest):
    return lax.conv_general_dilated(jnp.ones(lhs), jnp.ones(rhs), strides, padding, **rest)


def convolution_with_unknown_padding():
    _conv(padding="HALF")


def convolution_with_flat_padding():
    _conv(padding=(1, 1))


def convolution_of_unlike_ranks():
    _conv(lhs=(1, 1, 5))


def convolution_of_unlike_channels():
    _conv(lhs=(1, 2, 5, 5))


def convolution_with_uneven_groups():
    _conv(lhs=(1, 3, 5, 5), feature_group_count=2)


def convolution_with_no_groups():
    _conv(feature_group_count=0)


def convolution_with_outputs_not_in_groups():
    _conv(lhs=(1, 2, 5, 5), feature_group_count=2)


def convolution_with_no_batch_groups():
    _conv(batch_group_count=0)


def convolution_with_uneven_batch_groups():
    _conv(batch_group_count=2)


def convolution_with_too_many_strides():
    _conv(strides=(1, 1, 1), padding=[(0, 0), (0, 0)])


def convolution_with_two_specs():
    _conv(dimension_numbers=("NCHW", "OIHW"))


def convolution_with_unlike_specs():
    _conv(dimension_numbers=("NCHW", "OIHW", "NCDW"))


def convolution_with_numbered_specs():
    _conv(dimension_numbers=(1, 2, 3))


def convolution_with_repeated_letters():
    _conv(dimension_numbers=("NCHH", "OIHW", "NCHW"))


def convolution_with_mirrored_specs():
    _conv(dimension_numbers=("NCHW", "NCHW", "NCHW"))


def convolution_of_negative_dilation():
    _conv(rhs_dilation=(0, 1), padding=[(0, 0), (0, 0)])


def transposed_convolution_of_unknown_padding():
    lax.conv_transpose(jnp.ones((1, 5, 1)), jnp.ones((3, 1, 1)), (1,), padding="HALF")


def window_of_another_rank():
    lax.reduce_window(jnp.ones((4, 4)), 0.0, lax.add, (2,), (1, 1), "VALID")


def window_strides_of_another_rank():
    lax.reduce_window(jnp.ones((4, 4)), 0.0, lax.add, (2, 2), (1,), "VALID")


def window_of_unlike_values():
    lax.reduce_window((jnp.ones(4), jnp.ones(4)), 0.0, lax.add, (2,), (1,), "VALID")


def window_of_nothing():
    lax.reduce_window((), (), lax.add, (2,), (1,), "VALID")


def window_dilated_by_zero():
    lax.reduce_window(jnp.ones(4), 0.0, lax.max, (2,), (1,), "VALID", base_dilation=(0,))


def running_sum_along_a_missing_axis():
    lax.cumsum(jnp.ones(3), axis=2)


def fft_of_unknown_type():
    lax.fft(jnp.ones(4), "DCT", (4,))


def fft_of_another_length():
    lax.fft(jnp.ones(4, complex), "FFT", (5,))


def fft_of_too_many_lengths():
    lax.fft(jnp.ones(4, complex), "FFT", (4, 4))


def real_fft_of_complex_values():
    lax.fft(jnp.ones(4, complex), "RFFT", (4,))


def cholesky_of_an_uneven_matrix():
    lax.linalg.cholesky(jnp.ones((2, 3)))


def cholesky_of_a_vector():
    lax.linalg.cholesky(jnp.ones(3))


def eigenvalues_of_an_uneven_matrix():
    lax.linalg.eigh(jnp.ones((2, 3)))


def triangular_solve_of_unlike_shapes():
    lax.linalg.triangular_solve(jnp.ones((2, 2)), jnp.ones((3, 3)), left_side=True)


def triangular_solve_of_an_uneven_matrix():
    lax.linalg.triangular_solve(jnp.ones((2, 3)), jnp.ones((2, 2)), left_side=True)


def triangular_solve_of_unlike_batches():
    lax.linalg.triangular_solve(jnp.ones((3, 2, 2)), jnp.ones((2, 2, 2)), left_side=True)


def householder_of_too_many_reflectors():
    lax.linalg.householder_product(jnp.ones((3, 2)), jnp.ones(3))


def tridiagonal_solve_of_unlike_sizes():
    lax.linalg.tridiagonal_solve(jnp.ones(3), jnp.ones(3), jnp.ones(3), jnp.ones((4, 1)))


def ragged_dot_of_vectors():
    lax.ragged_dot(jnp.ones(3), jnp.ones((2, 3, 2)), jnp.array([1, 2]))


def approximate_top_of_integers():
    lax.approx_max_k(jnp.arange(4), 2)


def approximate_top_of_too_many():
    lax.approx_max_k(jnp.ones(4), 9)


def shape_as_a_float():
    lax.full((2.0,), 1.0)


def stop_gradient_of_text():
    jax.grad(lambda x: lax.stop_gradient("x"))(1.0)


def igamma_of_integers():
    lax.igamma(1, 2)


def regularised_beta_of_unlike_shapes():
    lax.betainc(jnp.ones(2), jnp.ones(3), jnp.ones(2))

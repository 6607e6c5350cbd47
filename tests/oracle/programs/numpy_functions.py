"""jax.numpy: shapes, modes, arguments that NumPy has and JAX has not."""
# mypy: ignore-errors

import jax.numpy as jnp
import numpy as np


def reshape_to_another_size():
    jnp.arange(6).reshape(4, 2)


def reshape_with_a_remainder():
    jnp.arange(6).reshape(4, -1)


def reshape_with_two_unknowns():
    jnp.arange(6).reshape(-1, -1)


def reshape_in_unknown_order():
    jnp.arange(6).reshape(2, 3, order="Z")


def reshape_in_any_order():
    jnp.arange(6).reshape(2, 3, order="A")


def zeros_with_forgotten_parentheses():
    jnp.zeros(2, 3)


def ones_with_forgotten_parentheses():
    jnp.ones(2, 3)


def empty_with_forgotten_parentheses():
    jnp.empty(2, 3)


def zeros_of_a_generator():
    jnp.zeros(n for n in (2, 3))


def zeros_of_negative_size():
    jnp.zeros((-1, 2))


def zeros_of_fractional_size():
    jnp.zeros(2.5)


def broadcast_of_unlike_shapes():
    jnp.ones(3) + jnp.ones(4)


def broadcast_to_a_smaller_shape():
    jnp.broadcast_to(jnp.ones(3), (4,))


def broadcast_to_fewer_dimensions():
    jnp.broadcast_to(jnp.ones((3, 3)), (3,))


def concatenate_of_nothing():
    jnp.concatenate([])


def concatenate_of_scalars():
    jnp.concatenate([1.0, 2.0])


def concatenate_of_unlike_shapes():
    jnp.concatenate([jnp.ones((2, 3)), jnp.ones((2, 4))])


def concatenate_of_unlike_ranks():
    jnp.concatenate([jnp.ones((2, 3)), jnp.ones(3)])


def concatenate_along_a_missing_axis():
    jnp.concatenate([jnp.ones(3), jnp.ones(3)], axis=1)


def stack_of_nothing():
    jnp.stack([])


def stack_of_unlike_shapes():
    jnp.stack([jnp.ones(2), jnp.ones(3)])


def stack_into_an_output():
    jnp.stack([jnp.ones(2)], out=np.ones((1, 2)))


def unstack_of_a_scalar():
    jnp.unstack(jnp.float32(1))


def split_into_uneven_parts():
    jnp.split(jnp.arange(5), 2)


def squeeze_of_a_wide_axis():
    jnp.squeeze(jnp.ones((2, 1)), axis=0)


def expand_twice_at_one_place():
    jnp.expand_dims(jnp.ones(3), (0, 0))


def transpose_by_a_wrong_permutation():
    jnp.transpose(jnp.ones((2, 3)), (0, 0))


def matrix_transpose_of_a_vector():
    jnp.matrix_transpose(jnp.ones(3))


def moveaxis_of_unlike_lengths():
    jnp.moveaxis(jnp.ones((2, 3)), (0, 1), (0,))


def rollaxis_to_nowhere():
    jnp.rollaxis(jnp.ones((2, 3)), 0, 7)


def rotation_of_a_vector():
    jnp.rot90(jnp.ones(3))


def rotation_in_a_line():
    jnp.rot90(jnp.ones((2, 2)), axes=(1, 1))


def roll_by_a_matrix():
    jnp.roll(jnp.arange(4), jnp.ones((2, 2), int), axis=0)


def product_of_unlike_shapes():
    jnp.ones((2, 3)) @ jnp.ones((2, 3))


def product_with_a_scalar():
    jnp.matmul(2.0, jnp.ones(3))


def dot_of_unlike_shapes():
    jnp.dot(jnp.ones((2, 3)), jnp.ones((4, 5)))


def vecdot_of_unlike_shapes():
    jnp.vecdot(jnp.ones(3), jnp.ones(4))


def tensordot_over_too_many_axes():
    jnp.tensordot(jnp.ones(3), jnp.ones(3), axes=2)


def tensordot_over_unlike_axes():
    jnp.tensordot(jnp.ones((2, 2)), jnp.ones((2, 2)), axes=((0, 1), (0,)))


def tensordot_over_text():
    jnp.tensordot(jnp.ones(2), jnp.ones(2), axes=(0, "a"))


def tensordot_over_three_axes():
    jnp.tensordot(jnp.ones(2), jnp.ones(2), axes=(0, 1, 2))


def outer_into_an_output():
    jnp.outer(jnp.ones(2), jnp.ones(2), out=np.ones((2, 2)))


def einsum_into_an_output():
    jnp.einsum("i,i", jnp.ones(2), jnp.ones(2), out=np.ones(()))


def cross_of_four_dimensions():
    jnp.cross(jnp.ones(4), jnp.ones(4))


def where_with_only_one_value():
    jnp.where(jnp.array([True]), 1.0)


def where_with_size_and_values():
    jnp.where(jnp.array([True]), 1.0, 2.0, size=3)


def select_of_unlike_lists():
    jnp.select([jnp.array([True])], [1.0, 2.0])


def select_of_nothing():
    jnp.select([], [])


def choose_of_floats():
    jnp.choose(jnp.array([0.0]), [1, 2])


def choose_out_of_range():
    jnp.choose(jnp.array([5]), [jnp.array([1]), jnp.array([2])])


def choose_in_unknown_mode():
    jnp.choose(jnp.array([0]), [jnp.array([1]), jnp.array([2])], mode="bounce")


def piecewise_with_too_many_functions():
    jnp.piecewise(jnp.arange(3.0), [jnp.array([True, False, True])], [1, 2, 3])


def clip_without_an_array():
    jnp.clip()


def clip_of_complex_values():
    jnp.clip(jnp.array([1j]), 0, 1)


def round_into_an_output():
    jnp.round(jnp.ones(2), out=np.ones(2))


def round_of_integers_to_tens():
    jnp.round(jnp.arange(3), -1)


def sum_into_an_output():
    jnp.sum(jnp.ones(3), out=np.ones(()))


def sum_over_a_repeated_axis():
    jnp.sum(jnp.ones((2, 2)), axis=(0, 0))


def sum_over_a_missing_axis():
    jnp.sum(jnp.ones((2, 2)), axis=5)


def sum_where_of_integers():
    jnp.sum(jnp.ones(2), where=jnp.array([1, 0]))


def sum_from_a_vector():
    jnp.sum(jnp.ones(2), initial=jnp.ones(2))


def largest_of_nothing():
    jnp.max(jnp.zeros((0,)))


def largest_where_without_initial():
    jnp.max(jnp.ones(2), where=jnp.array([True, False]))


def argmax_of_nothing():
    jnp.argmax(jnp.zeros((0,)))


def argmin_into_an_output():
    jnp.argmin(jnp.ones(3), out=np.ones(()))


def mean_into_an_output():
    jnp.mean(jnp.ones(3), out=np.ones(()))


def average_with_unlike_weights():
    jnp.average(jnp.ones((2, 3)), weights=jnp.ones(3))


def average_with_weights_of_another_axis():
    jnp.average(jnp.ones((2, 3)), axis=0, weights=jnp.ones(3))


def variance_with_two_corrections():
    jnp.var(jnp.ones(3), ddof=1, correction=1)


def variance_of_complex_as_real():
    jnp.var(jnp.ones(3, complex), dtype=float)


def deviation_as_integers():
    jnp.std(jnp.ones(3), dtype=int)


def quantile_by_unknown_method():
    jnp.quantile(jnp.ones(3), 0.5, method="weibull")


def quantile_of_complex_values():
    jnp.quantile(jnp.ones(3, complex), 0.5)


def quantiles_as_a_matrix():
    jnp.quantile(jnp.ones(3), jnp.ones((2, 2)))


def quantile_in_place():
    jnp.quantile(jnp.ones(3), 0.5, overwrite_input=True)


def running_sum_of_a_scalar():
    jnp.cumulative_sum(jnp.float32(1))


def running_sum_of_a_matrix():
    jnp.cumulative_sum(jnp.ones((2, 2)))


def running_product_of_a_matrix():
    jnp.cumulative_prod(jnp.ones((2, 2)))


def cumsum_into_an_output():
    jnp.cumsum(jnp.ones(3), out=np.ones(3))


def difference_of_negative_order():
    jnp.diff(jnp.ones(3), n=-1)


def difference_of_a_scalar():
    jnp.diff(jnp.float32(1))


def gradient_of_a_single_point():
    jnp.gradient(jnp.ones(1))


def gradient_with_too_many_spacings():
    jnp.gradient(jnp.ones((3, 3)), 1.0, 2.0, 3.0)


def gradient_with_unlike_spacing():
    jnp.gradient(jnp.ones(3), jnp.ones(4))


def histogram_with_named_bins():
    jnp.histogram(jnp.ones(3), bins="auto")


def histogram_over_a_bad_range():
    jnp.histogram(jnp.ones(3), range=(0, 1, 2))


def histogram_with_unlike_weights():
    jnp.histogram(jnp.ones(3), weights=jnp.ones(2))


def bincount_of_floats():
    jnp.bincount(jnp.ones(3))


def bincount_of_a_matrix():
    jnp.bincount(jnp.ones((2, 2), int))


def digitize_into_a_matrix():
    jnp.digitize(jnp.ones(3), jnp.ones((2, 2)))


def searchsorted_in_a_matrix():
    jnp.searchsorted(jnp.ones((2, 2)), 1.0)


def searchsorted_on_an_unknown_side():
    jnp.searchsorted(jnp.ones(2), 1.0, side="middle")


def convolution_of_matrices():
    jnp.convolve(jnp.ones((2, 2)), jnp.ones(2))


def convolution_with_nothing():
    jnp.convolve(jnp.ones(3), jnp.zeros(0))


def convolution_in_unknown_mode():
    jnp.convolve(jnp.ones(3), jnp.ones(2), mode="circular")


def interpolation_of_unlike_tables():
    jnp.interp(0.5, jnp.arange(3), jnp.arange(4))


def interpolation_with_unknown_edge():
    jnp.interp(0.5, jnp.arange(3), jnp.arange(3), left="nearest")


def interpolation_with_unknown_right_edge():
    jnp.interp(0.5, jnp.arange(3), jnp.arange(3), right="nearest")


def interpolation_at_complex_points():
    jnp.interp(1j, jnp.arange(3), jnp.arange(3))


def pad_by_floats():
    jnp.pad(jnp.ones(3), 1.5)


def pad_by_negative_numbers():
    jnp.pad(jnp.ones(3), -1)


def pad_in_unknown_mode():
    jnp.pad(jnp.ones(3), 1, mode="mirror")


def pad_with_unknown_option():
    jnp.pad(jnp.ones(3), 1, mode="edge", constant_values=2)


def pad_of_another_rank():
    jnp.pad(jnp.ones((2, 2)), ((1, 1), (1, 1), (1, 1)))


def pad_of_an_empty_edge():
    jnp.pad(jnp.zeros((0,)), 2, mode="edge")


def pad_with_statistics_of_nothing():
    jnp.pad(jnp.ones(3), 1, mode="mean", stat_length=0)


def arange_by_vectors():
    jnp.arange(jnp.ones(2))


def linspace_of_negative_count():
    jnp.linspace(0, 1, num=-5)


def eye_of_negative_size():
    jnp.eye(-2)


def eye_with_a_float_offset():
    jnp.eye(3, k=0.5)


def meshgrid_without_copy():
    jnp.meshgrid(jnp.arange(2), jnp.arange(2), copy=False)


def meshgrid_in_unknown_order():
    jnp.meshgrid(jnp.arange(2), indexing="yx")


def meshgrid_of_matrices():
    jnp.meshgrid(jnp.ones((2, 2)))


def ix_of_a_matrix():
    jnp.ix_(jnp.ones((2, 2), int))


def lower_triangle_of_a_vector():
    jnp.tril(jnp.ones(3))


def upper_triangle_of_a_vector():
    jnp.triu(jnp.ones(3))


def trace_along_one_axis_twice():
    jnp.trace(jnp.ones((2, 2)), axis1=0, axis2=0)


def diagonal_of_a_vector():
    jnp.diagonal(jnp.ones(3))


def diagonal_matrix_of_a_cube():
    jnp.diag(jnp.ones((2, 2, 2)))


def diagonal_filled_in_place():
    jnp.fill_diagonal(jnp.ones((2, 2)), 0.0)


def diagonal_filled_in_a_vector():
    jnp.fill_diagonal(jnp.ones(2), 0.0, inplace=False)


def diagonal_filled_in_an_uneven_cube():
    jnp.fill_diagonal(jnp.ones((2, 3, 2)), 0.0, inplace=False)


def diagonal_indices_of_negative_size():
    jnp.diag_indices(-1)


def triangle_indices_of_a_cube():
    jnp.triu_indices_from(jnp.ones((2, 2, 2)))


def delete_by_a_mask_of_another_size():
    jnp.delete(jnp.arange(3), jnp.array([True, False]))


def delete_by_floats():
    jnp.delete(jnp.arange(3), jnp.array([0.5]))


def insert_at_a_matrix():
    jnp.insert(jnp.arange(3), jnp.ones((2, 2), int), 1)


def insert_at_an_empty_list_of_floats():
    jnp.insert(jnp.arange(3), [0.5], 1)


def vander_of_a_matrix():
    jnp.vander(jnp.ones((2, 2)))


def vander_of_negative_width():
    jnp.vander(jnp.ones(2), N=-1)


def packbits_of_floats():
    jnp.packbits(jnp.ones(8))


def packbits_in_unknown_order():
    jnp.packbits(jnp.ones(8, int), bitorder="middle")


def unpackbits_of_integers():
    jnp.unpackbits(jnp.arange(3))


def common_divisor_of_floats():
    jnp.gcd(1.5, 2.0)


def common_multiple_of_floats():
    jnp.lcm(1.5, 2.0)


def compress_by_a_matrix():
    jnp.compress(jnp.ones((2, 2), bool), jnp.arange(4))


def compress_beyond_the_end():
    jnp.compress(jnp.array([True, False, True]), jnp.arange(2))


def covariance_of_a_cube():
    jnp.cov(jnp.ones((2, 2, 2)))


def covariance_with_fractional_frequencies():
    jnp.cov(jnp.ones((2, 3)), fweights=jnp.ones(3))


def covariance_with_unlike_weights():
    jnp.cov(jnp.ones((2, 3)), aweights=jnp.ones(4))


def covariance_with_weights_as_a_matrix():
    jnp.cov(jnp.ones((2, 3)), aweights=jnp.ones((2, 3)))


def block_of_a_tuple():
    jnp.block((jnp.ones(2), jnp.ones(2)))


def block_of_nothing():
    jnp.block([])


def block_of_unlike_depths():
    jnp.block([jnp.ones(2), [jnp.ones(2)]])


def read_from_a_file():
    jnp.fromfile("numbers.bin")


def read_from_an_iterator():
    jnp.fromiter(iter([1, 2]), dtype=int)


def array_in_fortran_order():
    jnp.array([1, 2], order="F")


def ravel_in_memory_order():
    jnp.ravel(jnp.ones((2, 2)), order="K")


def ravelled_index_of_floats():
    jnp.ravel_multi_index((jnp.array([0.5]), jnp.array([1])), (2, 2))


def ravelled_index_out_of_range():
    jnp.ravel_multi_index((jnp.array([5]), jnp.array([1])), (2, 2))


def ravelled_index_in_unknown_mode():
    jnp.ravel_multi_index((jnp.array([0]), jnp.array([1])), (2, 2), mode="bounce")


def ravelled_index_in_unknown_order():
    jnp.ravel_multi_index((jnp.array([0]), jnp.array([1])), (2, 2), order="Z")


def ravelled_index_of_another_rank():
    jnp.ravel_multi_index((jnp.array([0]),), (2, 2))


def resize_to_a_negative_shape():
    jnp.resize(jnp.arange(3), (-1,))


def nonzero_of_a_scalar():
    jnp.nonzero(jnp.float32(1))


def unwrap_of_complex_phases():
    jnp.unwrap(jnp.array([1j]))


def sort_of_a_kind():
    jnp.sort(jnp.arange(3), kind="quicksort")


def sort_in_an_order():
    jnp.sort(jnp.arange(3), order="name")


def argsort_of_a_kind():
    jnp.argsort(jnp.arange(3), kind="quicksort")


def partition_of_complex_values():
    jnp.partition(jnp.array([1j, 2j]), 1)


def lexical_sort_of_nothing():
    jnp.lexsort([])


def lexical_sort_of_unlike_keys():
    jnp.lexsort([jnp.arange(2), jnp.arange(3)])


def membership_by_unknown_method():
    jnp.isin(jnp.arange(2), jnp.arange(2), method="guess")


def unique_of_nothing_with_size():
    jnp.unique(jnp.zeros((0,)), size=3)


def roots_of_a_matrix():
    jnp.roots(jnp.ones((2, 2)))


def polynomial_fit_of_negative_degree():
    jnp.polyfit(jnp.ones(3), jnp.ones(3), -1)


def polynomial_fit_of_a_matrix():
    jnp.polyfit(jnp.ones((2, 2)), jnp.ones(2), 1)


def polynomial_fit_of_unlike_lengths():
    jnp.polyfit(jnp.ones(3), jnp.ones(4), 1)


def polynomial_fit_with_unlike_weights():
    jnp.polyfit(jnp.arange(3.0), jnp.ones(3), 1, w=jnp.ones(2))


def polynomial_integral_of_negative_order():
    jnp.polyint(jnp.ones(3), m=-1)


def polynomial_derivative_of_negative_order():
    jnp.polyder(jnp.ones(3), m=-1)


def polynomial_integral_with_too_many_constants():
    jnp.polyint(jnp.ones(3), m=1, k=jnp.ones(3))


def absolute_float_of_complex():
    jnp.fabs(jnp.array([1j]))


def copysign_of_complex():
    jnp.copysign(jnp.array([1j]), 1.0)


def floor_division_of_complex():
    jnp.array([1j]) // 2


def frexp_of_complex():
    jnp.frexp(jnp.array([1j]))


def ldexp_by_floats():
    jnp.ldexp(1.0, 2.5)


def hypotenuse_of_complex():
    jnp.hypot(1j, 1.0)


def infinity_of_complex():
    jnp.isposinf(jnp.array([1j]))


def bessel_of_complex():
    jnp.i0(jnp.array([1j]))


def ufunc_into_an_output():
    jnp.add(jnp.ones(2), jnp.ones(2), out=np.ones(2))


def ufunc_where():
    jnp.add(jnp.ones(2), jnp.ones(2), where=jnp.array([True, False]))


def ufunc_reduce_of_one_operand():
    jnp.frompyfunc(lambda x: x, 1, 1).reduce(jnp.ones(3))


def ufunc_reduce_without_identity():
    jnp.frompyfunc(lambda x, y: x - y, 2, 1).reduce(jnp.ones((0,)))


def ufunc_at_in_place():
    jnp.add.at(jnp.ones(3), 0, 1.0)


def ufunc_reduceat_of_a_matrix_of_indices():
    jnp.add.reduceat(jnp.ones(3), jnp.ones((2, 2), int))


def ufunc_outer_of_one_operand():
    jnp.frompyfunc(lambda x: x, 1, 1).outer(jnp.ones(3), jnp.ones(3))


def string_directive_at_the_end():
    jnp.r_[jnp.arange(3), "0,2"]


def string_directive_unknown():
    jnp.r_["columns", jnp.arange(3)]


def apply_over_an_axis_that_grows():
    jnp.apply_over_axes(lambda x, axis: x[None, None], jnp.ones((2, 2)), [0])

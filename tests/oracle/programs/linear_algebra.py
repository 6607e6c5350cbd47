"""jax.numpy.linalg, jax.scipy.linalg and the Fourier transforms."""
# mypy: ignore-errors

import jax.numpy as jnp
import jax.scipy as jsp


def power_of_a_vector():
    jnp.linalg.matrix_power(jnp.ones(3), 2)


def power_of_an_uneven_matrix():
    jnp.linalg.matrix_power(jnp.ones((2, 3)), 2)


def power_by_a_fraction():
    jnp.linalg.matrix_power(jnp.eye(2), 1.5)


def rank_with_two_tolerances():
    jnp.linalg.matrix_rank(jnp.eye(2), rtol=1e-3, tol=1e-3)


def determinant_of_an_uneven_matrix():
    jnp.linalg.det(jnp.ones((2, 3)))


def log_determinant_of_an_uneven_matrix():
    jnp.linalg.slogdet(jnp.ones((2, 3)))


def log_determinant_by_unknown_method():
    jnp.linalg.slogdet(jnp.eye(2), method="svd")


def log_determinant_of_complex_by_qr():
    jnp.linalg.slogdet(jnp.eye(2, dtype=complex), method="qr")


def eigenvalues_of_a_middle_triangle():
    jnp.linalg.eigh(jnp.eye(2), UPLO="M")


def inverse_of_an_uneven_matrix():
    jnp.linalg.inv(jnp.ones((2, 3)))


def pseudo_inverse_with_two_tolerances():
    jnp.linalg.pinv(jnp.eye(2), rtol=1e-3, rcond=1e-3)


def norm_of_unknown_order():
    jnp.linalg.norm(jnp.eye(2), ord="fancy")


def norm_of_unknown_vector_order():
    jnp.linalg.norm(jnp.ones(3), ord="fro")


def norm_over_three_axes():
    jnp.linalg.norm(jnp.ones((2, 2, 2)), axis=(0, 1, 2), ord=1)


def qr_of_unknown_mode():
    jnp.linalg.qr(jnp.eye(2), mode="raw_r")


def solve_with_a_vector():
    jnp.linalg.solve(jnp.ones(2), jnp.ones(2))


def solve_with_an_unlike_vector():
    jnp.linalg.solve(jnp.eye(2), jnp.ones(3))


def solve_batched_as_it_used_to_be():
    jnp.linalg.solve(jnp.ones((3, 2, 2)), jnp.ones((3, 2)))


def least_squares_of_unlike_lengths():
    jnp.linalg.lstsq(jnp.ones((3, 2)), jnp.ones(4))


def least_squares_of_a_vector():
    jnp.linalg.lstsq(jnp.ones(3), jnp.ones(3))


def cross_of_two_dimensions():
    jnp.linalg.cross(jnp.ones(2), jnp.ones(2))


def outer_of_matrices():
    jnp.linalg.outer(jnp.ones((2, 2)), jnp.ones(2))


def transpose_of_a_vector():
    jnp.linalg.matrix_transpose(jnp.ones(2))


def tensor_inverse_over_nothing():
    jnp.linalg.tensorinv(jnp.ones((2, 2)), ind=0)


def tensor_inverse_of_an_uneven_tensor():
    jnp.linalg.tensorinv(jnp.ones((2, 3)), ind=1)


def tensor_solve_of_unlike_shapes():
    jnp.linalg.tensorsolve(jnp.ones((2, 2)), jnp.ones(3))


def chain_of_cubes():
    jnp.linalg.multi_dot([jnp.eye(2), jnp.ones((2, 2, 2)), jnp.eye(2)])


def chain_of_unlike_shapes():
    jnp.linalg.multi_dot([jnp.ones((2, 3)), jnp.ones((2, 3))])


def condition_of_a_vector():
    jnp.linalg.cond(jnp.ones(2))


def condition_of_nothing():
    jnp.linalg.cond(jnp.ones((0, 2)))


def condition_of_an_uneven_matrix():
    jnp.linalg.cond(jnp.ones((2, 3)), p=1)


def generalised_eigenvalues():
    jsp.linalg.eigh(jnp.eye(2), b=jnp.eye(2))


def eigenvalues_of_another_type():
    jsp.linalg.eigh(jnp.eye(2), type=2)


def eigenvalues_in_a_range():
    jsp.linalg.eigh(jnp.eye(2), eigvals=(0, 1))


def schur_into_quaternions():
    jsp.linalg.schur(jnp.eye(2), output="quaternion")


def solve_assuming_nothing_known():
    jsp.linalg.solve(jnp.eye(2), jnp.ones(2), assume_a="nice")


def triangular_solve_transposed_somehow():
    jsp.linalg.solve_triangular(jnp.eye(2), jnp.ones(2), trans=7)


def exponential_of_an_uneven_matrix():
    jsp.linalg.expm(jnp.ones((2, 3)))


def exponential_derivative_of_unlike_shapes():
    jsp.linalg.expm_frechet(jnp.eye(2), jnp.eye(3))


def exponential_derivative_along_an_uneven_matrix():
    jsp.linalg.expm_frechet(jnp.eye(2), jnp.ones((2, 3)))


def diagonal_blocks_of_a_cube():
    jsp.linalg.block_diag(jnp.ones((2, 2, 2)))


def tridiagonal_eigenvectors():
    jsp.linalg.eigh_tridiagonal(jnp.ones(3), jnp.ones(2))


def tridiagonal_of_unlike_dtypes():
    jsp.linalg.eigh_tridiagonal(jnp.ones(3), jnp.ones(2, int), eigvals_only=True)


def tridiagonal_of_integers():
    jsp.linalg.eigh_tridiagonal(jnp.ones(3, int), jnp.ones(2, int), eigvals_only=True)


def tridiagonal_without_a_range():
    jsp.linalg.eigh_tridiagonal(jnp.ones(3), jnp.ones(2), eigvals_only=True, select="i")


def tridiagonal_in_an_empty_range():
    jsp.linalg.eigh_tridiagonal(jnp.ones(3), jnp.ones(2), eigvals_only=True, select="i", select_range=(2, 1))


def tridiagonal_by_value():
    jsp.linalg.eigh_tridiagonal(jnp.ones(3), jnp.ones(2), eigvals_only=True, select="v", select_range=(0, 1))


def polar_of_a_cube():
    jsp.linalg.polar(jnp.ones((2, 2, 2)))


def polar_from_the_middle():
    jsp.linalg.polar(jnp.eye(2), side="middle")


def polar_by_unknown_method():
    jsp.linalg.polar(jnp.eye(2), method="guess")


def square_root_in_blocks():
    jsp.linalg.sqrtm(jnp.eye(2), blocksize=4)


def schur_form_of_an_uneven_matrix():
    jsp.linalg.rsf2csf(jnp.ones((2, 3)), jnp.eye(2))


def hankel_of_a_scalar():
    jsp.linalg.hankel(1.0)


def pascal_of_another_kind():
    jsp.linalg.pascal(3, kind="diagonal")


def sylvester_of_unlike_shapes():
    jsp.linalg.solve_sylvester(jnp.eye(2), jnp.eye(3), jnp.eye(2))


def sylvester_by_unknown_method():
    jsp.linalg.solve_sylvester(jnp.eye(2), jnp.eye(2), jnp.eye(2), method="guess")


def fft_of_unknown_norm():
    jnp.fft.fft(jnp.ones(4), norm="nice")


def fft_of_negative_length():
    jnp.fft.fft(jnp.ones(4), n=-1)


def fft_along_many_axes():
    jnp.fft.fft(jnp.ones((2, 2)), axis=(0, 1))


def fft_along_one_axis_twice():
    jnp.fft.fftn(jnp.ones((2, 2)), axes=(0, 0))


def fft_of_unlike_lengths_and_axes():
    jnp.fft.fftn(jnp.ones((2, 2)), s=(2,), axes=(0, 1))


def fft_of_three_axes_in_two():
    jnp.fft.fft2(jnp.ones((2, 2, 2)), axes=(0, 1, 2))


def frequencies_of_a_list():
    jnp.fft.fftfreq([4])


def frequencies_at_a_list_of_spacings():
    jnp.fft.fftfreq(4, d=[0.1])


def real_frequencies_of_a_list():
    jnp.fft.rfftfreq([4])


def cosine_transform_of_another_type():
    jsp.fft.dct(jnp.ones(4), type=3)


def cosine_transform_of_unknown_norm():
    jsp.fft.dct(jnp.ones(4), norm="forward")


def inverse_cosine_transform_of_another_type():
    jsp.fft.idctn(jnp.ones(4), type=1)

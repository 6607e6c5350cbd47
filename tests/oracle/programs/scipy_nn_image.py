"""jax.scipy beyond linear algebra, jax.nn, jax.image, ode and sparse arrays."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp
import jax.scipy as jsp
from jax.experimental import sparse
from jax.experimental.ode import odeint
from jax.scipy.optimize import minimize
from jax.scipy.spatial.transform import Rotation
from jax.scipy.stats import gaussian_kde


def coordinates_of_another_rank():
    jsp.ndimage.map_coordinates(jnp.ones((3, 3)), [jnp.ones(2)], order=1)


def coordinates_in_unknown_mode():
    jsp.ndimage.map_coordinates(jnp.ones(3), [jnp.ones(2)], order=1, mode="bounce")


def coordinates_of_cubic_order():
    jsp.ndimage.map_coordinates(jnp.ones(3), [jnp.ones(2)], order=3)


def convolution_of_unlike_ranks():
    jsp.signal.convolve(jnp.ones(3), jnp.ones((3, 3)))


def convolution_in_unknown_mode():
    jsp.signal.convolve(jnp.ones(3), jnp.ones(3), mode="circular")


def convolution_by_unknown_method():
    jsp.signal.convolve(jnp.ones(3), jnp.ones(3), method="guess")


def convolution_with_a_wrapped_boundary():
    jsp.signal.convolve2d(jnp.ones((3, 3)), jnp.ones((3, 3)), boundary="wrap")


def convolution_of_vectors_in_two():
    jsp.signal.convolve2d(jnp.ones(3), jnp.ones(3))


def fast_convolution_of_unlike_ranks():
    jsp.signal.fftconvolve(jnp.ones(3), jnp.ones((3, 3)))


def detrended_somehow():
    jsp.signal.detrend(jnp.ones(5), type="cubic")


def detrended_at_a_point_outside():
    jsp.signal.detrend(jnp.ones(5), bp=[9])


def spectrum_of_overlapping_windows():
    jsp.signal.stft(jnp.ones(32), nperseg=8, noverlap=9)


def spectrum_with_unknown_boundary():
    jsp.signal.stft(jnp.ones(32), nperseg=8, boundary="wrap")


def spectrum_of_empty_segments():
    jsp.signal.stft(jnp.ones(32), nperseg=0)


def spectrum_of_a_short_transform():
    jsp.signal.welch(jnp.ones(32), nperseg=16, nfft=8)


def spectrum_of_unknown_scaling():
    jsp.signal.welch(jnp.ones(32), nperseg=16, scaling="loud")


def averaged_somehow():
    jsp.signal.csd(jnp.ones(64), jnp.ones(64), nperseg=8, average="mode")


def inverse_spectrum_of_a_vector():
    jsp.signal.istft(jnp.ones(5))


def factorial_exactly():
    jsp.special.factorial(jnp.arange(3), exact=True)


def zeta_of_one_argument():
    jsp.special.zeta(2.0)


def polygamma_of_fractional_order():
    jsp.special.polygamma(0.5, 1.0)


def entropy_of_complex():
    jsp.special.entr(jnp.array([1j]))


def normal_quantile_of_halves():
    jsp.special.ndtri(jnp.ones(2, jnp.float16))


def log_normal_by_negative_order():
    jsp.special.log_ndtr(0.5, series_order=-1)


def log_normal_by_large_order():
    jsp.special.log_ndtr(0.5, series_order=50)


def log_normal_by_fractional_order():
    jsp.special.log_ndtr(0.5, series_order=1.5)


def legendre_of_a_matrix():
    jsp.special.lpmn(2, 2, jnp.ones((2, 2)))


def legendre_of_unlike_orders():
    jsp.special.lpmn_values(1, 2, jnp.ones(2), False)


def minimum_with_a_list_of_arguments():
    minimize(lambda x: x.sum(), jnp.ones(2), args=[1.0], method="BFGS")


def minimum_by_unknown_method():
    minimize(lambda x: x.sum(), jnp.ones(2), method="guess")


def conjugate_gradient_of_an_uneven_matrix():
    jsp.sparse.linalg.cg(jnp.ones((2, 3)), jnp.ones(2))


def conjugate_gradient_of_text():
    jsp.sparse.linalg.cg("matrix", jnp.ones(2))


def conjugate_gradient_from_another_shape():
    jsp.sparse.linalg.cg(jnp.eye(2), jnp.ones(2), x0=jnp.ones(3))


def conjugate_gradient_from_another_tree():
    jsp.sparse.linalg.cg(jnp.eye(2), jnp.ones(2), x0=[jnp.ones(2)])


def residual_by_unknown_method():
    jsp.sparse.linalg.gmres(jnp.eye(2), jnp.ones(2), solve_method="guess")


def rotation_about_four_axes():
    Rotation.from_euler("xyzx", jnp.ones(4))


def rotation_about_unknown_axes():
    Rotation.from_euler("abc", jnp.ones(3))


def rotation_about_one_axis_twice():
    Rotation.from_euler("xx", jnp.ones(2))


def item_of_a_single_rotation():
    Rotation.from_quat(jnp.array([0.0, 0, 0, 1]))[0]


def mode_that_omits():
    jsp.stats.mode(jnp.arange(3), nan_policy="omit")


def mode_of_unknown_policy():
    jsp.stats.mode(jnp.arange(3), nan_policy="ignore")


def ranks_by_unknown_method():
    jsp.stats.rankdata(jnp.arange(3), method="guess")


def density_of_one_point():
    gaussian_kde(jnp.ones(1))


def density_with_unlike_weights():
    gaussian_kde(jnp.arange(4.0), weights=jnp.ones(3))


def density_of_unknown_width():
    gaussian_kde(jnp.arange(4.0), bw_method="wide")


def density_integral_in_two_dimensions():
    gaussian_kde(jnp.array([[0.0, 1, 2], [1, 0, 3]])).integrate_box_1d(0, 1)


def density_at_points_of_another_dimension():
    gaussian_kde(jnp.array([[0.0, 1, 2], [1, 0, 3]])).evaluate(jnp.ones((3, 4)))


def dirichlet_of_a_matrix():
    jsp.stats.dirichlet.logpdf(jnp.ones(2), jnp.ones((2, 2)))


def multinomial_of_floats():
    jsp.stats.multinomial.logpmf(jnp.ones(2), 2, jnp.ones(2) / 2)


def gaussian_of_unlike_shapes():
    jsp.stats.multivariate_normal.logpdf(jnp.ones(2), jnp.zeros(2), jnp.eye(3))


def codes_of_unlike_ranks():
    jsp.cluster.vq.vq(jnp.ones((3, 2)), jnp.ones(2))


def gate_of_an_odd_width():
    jax.nn.glu(jnp.ones(3))


def attention_of_unlike_dtypes():
    q = jnp.ones((1, 2, 2, 4))
    jax.nn.dot_product_attention(q, q.astype(jnp.float16), q)


def attention_of_unlike_sizes():
    q = jnp.ones((1, 2, 2, 4))
    jax.nn.dot_product_attention(q, q, jnp.ones((1, 3, 2, 4)))


def attention_of_uneven_heads():
    jax.nn.dot_product_attention(jnp.ones((1, 2, 3, 4)), jnp.ones((1, 2, 2, 4)), jnp.ones((1, 2, 2, 4)))


def attention_by_unknown_implementation():
    q = jnp.ones((1, 2, 2, 4))
    jax.nn.dot_product_attention(q, q, q, implementation="magic")


def initializer_of_a_scalar():
    jax.nn.initializers.lecun_normal()(jax.random.key(0), ())


def initializer_of_unknown_mode():
    jax.nn.initializers.variance_scaling(1.0, "fan_sideways", "normal")(jax.random.key(0), (2, 2))


def initializer_of_unknown_distribution():
    jax.nn.initializers.variance_scaling(1.0, "fan_in", "cauchy")(jax.random.key(0), (2, 2))


def orthogonal_initializer_of_a_vector():
    jax.nn.initializers.orthogonal()(jax.random.key(0), (3,))


def delta_orthogonal_of_a_matrix():
    jax.nn.initializers.delta_orthogonal()(jax.random.key(0), (3, 3))


def delta_orthogonal_that_narrows():
    jax.nn.initializers.delta_orthogonal()(jax.random.key(0), (3, 4, 2))


def one_hot_along_a_named_axis():
    jax.vmap(lambda i: jax.nn.one_hot(i, 5, axis="i"), axis_name="i")(jnp.arange(3))


def resize_to_another_rank():
    jax.image.resize(jnp.ones((2, 2)), (2,), "linear")


def resize_by_unknown_method():
    jax.image.resize(jnp.ones((2, 2)), (4, 4), "sharp")


def translation_by_nearest():
    jax.image.scale_and_translate(jnp.ones((2, 2)), (4, 4), (0, 1), jnp.ones(2), jnp.zeros(2), "nearest")


def translation_to_another_rank():
    jax.image.scale_and_translate(jnp.ones((2, 2)), (4,), (0, 1), jnp.ones(2), jnp.zeros(2), "linear")


def equation_at_integer_times():
    odeint(lambda y, t: -y, 1.0, jnp.arange(3))


def equation_with_a_text_argument():
    odeint(lambda y, t, name: -y, 1.0, jnp.linspace(0, 1, 3), "decay")


def _bcoo():
    return sparse.BCOO.fromdense(jnp.eye(3))


def sparse_plus_dense_of_another_shape():
    _bcoo() @ jnp.ones((4, 2))


def sparse_with_too_many_batch_axes():
    sparse.BCOO.fromdense(jnp.eye(3), n_batch=2, n_dense=1)


def sparse_reshaped_to_another_size():
    sparse.bcoo_reshape(_bcoo(), new_sizes=(2, 2))


def sparse_transposed_wrongly():
    sparse.bcoo_transpose(_bcoo(), permutation=(0, 0))


def sparse_concatenation_of_unlike_shapes():
    sparse.bcoo_concatenate([_bcoo(), sparse.BCOO.fromdense(jnp.eye(4))], dimension=0)


def sparse_broadcast_to_another_size():
    sparse.bcoo_broadcast_in_dim(_bcoo(), shape=(2, 2), broadcast_dimensions=(0, 1))


def sparse_function_without_a_rule():
    sparse.sparsify(jnp.linalg.cholesky)(_bcoo())


def sparse_sine_that_fills():
    sparse.sparsify(jnp.cos)(_bcoo())


def sparse_rows_of_a_vector():
    sparse.BCSR.fromdense(jnp.ones(3))


def sparse_gradient_of_a_vector():
    sparse.grad(lambda m: m)(_bcoo())


def sparse_empty_of_unknown_format():
    sparse.empty((3, 3), sparse_format="diagonal")


def sparse_random_of_negative_count():
    sparse.random_bcoo(jax.random.key(0), (3, 3), nse=-2)

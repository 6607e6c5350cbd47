"""Keys and jax.random; the checker of key reuse."""
# mypy: ignore-errors

import jax
import jax.extend
import jax.numpy as jnp
import numpy as np


def _key():
    return jax.random.key(7)


def seed_is_a_vector():
    jax.random.key(jnp.arange(2))


def seed_is_a_float():
    jax.random.key(1.5)


def seed_is_a_key():
    jax.random.key(_key())


def implementation_unknown():
    jax.random.key(0, impl="mersenne")


def implementation_is_a_number():
    jax.random.key(0, impl=3)


def key_is_an_integer():
    jax.random.normal(0)


def key_is_a_batch():
    jax.random.uniform(jax.random.split(_key(), 3))


def key_data_is_a_float():
    jax.random.wrap_key_data(jnp.ones(2))


def key_data_of_wrong_width():
    jax.random.wrap_key_data(jnp.zeros(3, jnp.uint32))


def key_data_of_no_dimension():
    jax.random.wrap_key_data(jnp.uint32(5))


def raw_keys_when_forbidden():
    with jax.legacy_prng_key("error"):
        jax.random.uniform(jax.random.PRNGKey(0))


def split_of_a_batch():
    jax.random.split(jax.random.split(_key(), 2))


def folding_in_a_vector():
    jax.random.fold_in(_key(), jnp.arange(3))


def uniform_of_integers():
    jax.random.uniform(_key(), (3,), dtype=int)


def normal_of_integers():
    jax.random.normal(_key(), (3,), dtype=jnp.int32)


def randint_of_floats():
    jax.random.randint(_key(), (3,), 0, 10, dtype=float)


def bits_of_floats():
    jax.random.bits(_key(), (3,), dtype=float)


def shape_does_not_fit_the_parameters():
    jax.random.beta(_key(), jnp.ones(3), jnp.ones(3), shape=(2,))


def permutation_of_a_float():
    jax.random.permutation(_key(), 3.5)


def choice_with_a_bare_shape():
    jax.random.choice(_key(), 5, shape=3)


def choice_of_too_many():
    jax.random.choice(_key(), 3, shape=(5,), replace=False)


def choice_from_nothing():
    jax.random.choice(_key(), 0, shape=(2,))


def choice_with_wrong_weights():
    jax.random.choice(_key(), 4, p=jnp.ones(3))


def gaussian_with_unknown_method():
    jax.random.multivariate_normal(_key(), jnp.zeros(2), jnp.eye(2), method="lu")


def gaussian_with_scalar_mean():
    jax.random.multivariate_normal(_key(), 0.0, jnp.eye(2))


def gaussian_with_flat_covariance():
    jax.random.multivariate_normal(_key(), jnp.zeros(2), jnp.ones(2))


def gaussian_with_covariance_of_other_size():
    jax.random.multivariate_normal(_key(), jnp.zeros(2), jnp.eye(3))


def bernoulli_in_unknown_mode():
    jax.random.bernoulli(_key(), 0.5, mode="middle")


def bernoulli_of_integer_probability():
    jax.random.bernoulli(_key(), jnp.int32(1))


def dirichlet_of_a_scalar():
    jax.random.dirichlet(_key(), 1.0)


def poisson_of_another_generator():
    jax.random.poisson(jax.random.key(0, impl="rbg"), 3.0)


def gumbel_in_unknown_mode():
    jax.random.gumbel(_key(), mode="middle")


def categorical_without_replacement():
    jax.random.categorical(_key(), jnp.zeros(3), shape=(5,), replace=False)


def geometric_of_floats():
    jax.random.geometric(_key(), 0.5, dtype=float)


def truncated_of_integers():
    jax.random.truncated_normal(_key(), -1, 1, dtype=int)


def lognormal_of_integers():
    jax.random.lognormal(_key(), dtype=int)


def ball_of_text():
    jax.random.laplace(_key(), dtype=np.int8)


def key_as_a_numpy_array():
    np.asarray(_key())


def length_of_one_key():
    len(_key())


def iteration_over_one_key():
    list(_key())


def sum_of_two_keys():
    _key() + _key()


def lax_sum_of_two_keys():
    jax.lax.add(_key(), _key())


def key_used_twice():
    with jax.debug_key_reuse(True):
        key = _key()
        jax.random.normal(key)
        jax.random.uniform(key)


def key_used_twice_inside_jit():
    with jax.debug_key_reuse(True):
        jax.jit(lambda key: jax.random.normal(key) + jax.random.uniform(key))(_key())


def key_used_in_every_step():
    with jax.debug_key_reuse(True):
        key = _key()
        jax.jit(lambda k: jax.lax.fori_loop(0, 3, lambda i, v: v + jax.random.normal(k), 0.0))(key)


def threefry_of_floats():
    jax.extend.random.threefry_2x32((jnp.float32(1), jnp.float32(2)), jnp.arange(4.0))


def key_shaped_as_a_number():
    jax.random.key_data(jnp.arange(3.0))


def implementation_of_a_number():
    jax.random.key_impl(3)

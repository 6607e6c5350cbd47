"""dtypes, promotion, 64-bit values, implicit conversions."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp
import numpy as np


def array_of_text():
    jnp.array(["a", "b"])


def array_of_none():
    jnp.array([1, None, 3])


def array_of_objects():
    jnp.array([object()])


def array_of_a_dictionary():
    jnp.asarray({"a": 1})


def dtype_that_is_an_object():
    jnp.zeros(3, dtype=object)


def dtype_that_is_an_array():
    jnp.zeros(3, dtype=jnp.ones(2))


def dates_as_an_array():
    jnp.asarray(np.array(["2024-01-01"], dtype="datetime64[D]"))


def integer_beyond_32_bits():
    jnp.int32(1) + 3_000_000_000


def strict_promotion():
    with jax.numpy_dtype_promotion("strict"):
        jnp.float32(1) + jnp.int32(1)


def promotion_of_small_floats():
    jnp.ones(2, jnp.float8_e4m3fn) + jnp.ones(2, jnp.float8_e5m2)


def promotion_of_small_integers():
    jnp.ones(2, jnp.int4) + jnp.ones(2, jnp.int8)


def strict_rank_promotion():
    with jax.numpy_rank_promotion("raise"):
        jnp.ones((3, 4)) + jnp.ones(4)


def kind_of_dtype_unknown():
    jnp.isdtype(jnp.float32, "fractional")


def kind_of_dtype_is_a_number():
    jnp.isdtype(jnp.float32, 3)


def result_type_of_nothing():
    jnp.result_type()


def bit_shift_of_floats():
    jnp.left_shift(jnp.ones(2), 1)


def logical_and_of_floats_in_lax():
    jax.lax.bitwise_and(jnp.ones(2), jnp.ones(2))


def lax_addition_of_mixed_dtypes():
    jax.lax.add(jnp.ones(2, jnp.float32), jnp.ones(2, jnp.int32))


def lax_sine_of_integers():
    jax.lax.sin(jnp.arange(3))


def lax_sine_of_text():
    jax.lax.sin("angle")


def float0_arithmetic():
    zero = jax.grad(lambda n: n * 1.0, allow_int=True)(2)
    jnp.add(zero, 1.0)


def float0_in_lax():
    zero = np.zeros(3, jax.dtypes.float0)
    jax.lax.neg(zero)


def bitcast_to_another_width():
    jax.lax.bitcast_convert_type(jnp.ones(3, jnp.float16), jnp.float32)


def bitcast_of_booleans():
    jax.lax.bitcast_convert_type(jnp.array([True]), jnp.int8)


def view_of_odd_size():
    jnp.ones(3, jnp.int8).view(jnp.int32)


def view_of_a_scalar():
    jnp.float32(1).view(jnp.int8)


def key_to_float():
    jax.random.key(0).astype(float)


def negative_power_of_integers():
    jax.lax.integer_pow(jnp.arange(3), -2)


def power_of_integers_by_floats():
    jax.lax.pow(jnp.arange(3), jnp.ones(3))


def narrow_float_reduction():
    with jax.allow_f16_reductions(False):
        jax.lax.reduce_sum_p.bind(jnp.ones(3, jnp.float16), axes=(0,), out_sharding=None)


def function_as_an_array():
    jnp.sin(jnp.sin)


def list_where_an_array_is_due():
    jnp.sin([1.0, 2.0])


def second_argument_is_a_list():
    jnp.add(jnp.ones(2), [1.0, 2.0])


def scalar_type_as_an_array():
    jnp.add(jnp.float32, 1)


def array_api_of_another_year():
    jnp.ones(3).__array_namespace__(api_version="1999.12")

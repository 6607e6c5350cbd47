"""checkify, pure_callback, io_callback, debug.print and debug.callback."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify, io_callback

_FLOAT = jax.ShapeDtypeStruct((), jnp.float32)


def _thrown(f, *args, errors=checkify.all_checks):
    error, _ = checkify.checkify(f, errors=errors)(*args)
    error.throw()


def check_that_fails():
    def f(x):
        checkify.check(x > 0, "{x} is not positive", x=x)
        return x

    _thrown(f, jnp.float32(-1))


def check_outside_checkify():
    checkify.check(False, "the tank is empty")


def check_under_plain_jit():
    @jax.jit
    def f(x):
        checkify.check(x > 0, "the tank is empty")
        return x

    f(1.0)


def check_of_a_vector():
    checkify.check(jnp.array([True, False]), "not all")


def check_with_a_text_argument():
    checkify.check(True, "{name}", name="alice")


def division_by_zero():
    _thrown(lambda x: 1.0 / x, jnp.float32(0))


def not_a_number():
    _thrown(jnp.log, -1.0, errors=checkify.nan_checks)


def index_out_of_bounds():
    _thrown(lambda x, i: x[i], jnp.arange(3), 7, errors=checkify.index_checks)


def index_out_of_bounds_in_dynamic_slice():
    _thrown(lambda x, i: jax.lax.dynamic_slice(x, (i,), (2,)), jnp.arange(3), 9, errors=checkify.index_checks)


def scatter_out_of_bounds():
    _thrown(lambda x, i: x.at[i].set(1), jnp.arange(3), 7, errors=checkify.index_checks)


def rethrown_error_of_wrong_type():
    checkify.check_error("an error")


def rethrown_error():
    error, _ = checkify.checkify(lambda x: 1.0 / x, errors=checkify.div_checks)(jnp.float32(0))
    checkify.check_error(error)


def checks_in_a_batched_loop():
    def f(x):
        return jax.lax.while_loop(lambda v: v < 3, lambda v: v + 1, x)

    checkify.checkify(jax.vmap(f), errors=checkify.all_checks)(jnp.zeros(3))


def callback_that_changes_the_shape():
    jax.block_until_ready(jax.pure_callback(lambda x: np.ones(3, np.float32), _FLOAT, 1.0))


def callback_that_changes_the_dtype():
    jax.block_until_ready(jax.pure_callback(lambda x: np.int32(3), _FLOAT, 1.0))


def callback_of_wide_dtype():
    jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct((), np.float64), 1.0)


def callback_with_the_old_argument():
    jax.pure_callback(lambda x: x, _FLOAT, 1.0, vectorized=True)


def callback_of_unknown_vmap_method():
    jax.pure_callback(lambda x: x, _FLOAT, 1.0, vmap_method="magic")


def callback_batched_without_a_method():
    jax.vmap(lambda x: jax.pure_callback(lambda v: v, _FLOAT, x))(jnp.ones(3))


def callback_differentiated():
    jax.grad(lambda x: jax.pure_callback(lambda v: v, _FLOAT, x))(1.0)


def io_callback_differentiated():
    jax.grad(lambda x: io_callback(lambda v: v, _FLOAT, x))(1.0)


def callback_that_returns_two_values():
    jax.jit(lambda x: jax.pure_callback(lambda v: (v, v), _FLOAT, x))(1.0).block_until_ready()


def callback_placed_on_many_devices():
    mesh = jax.make_mesh((8,), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    jax.jit(lambda x: jax.pure_callback(lambda v: v, _FLOAT, x, sharding=sharding))(1.0)


def debug_print_in_f_string_style():
    x = jnp.ones(3)
    jax.debug.print(f"x = {x}", x)


def debug_callback_that_is_no_function():
    jax.debug.callback("print")


def visualise_a_cube():
    jax.debug.visualize_sharding((2, 2, 2), jax.sharding.SingleDeviceSharding(jax.devices()[0]))


def ffi_target_unknown_type():
    jax.ffi.ffi_call("missing", _FLOAT, vmap_method="magic")(1.0)


def ffi_layout_of_another_rank():
    jax.ffi.ffi_call("missing", jax.ShapeDtypeStruct((2, 2), jnp.float32), input_layouts=[(0, 1, 2)])(jnp.ones((2, 2)))


def ffi_differentiated():
    jax.grad(lambda x: jax.ffi.ffi_call("missing", _FLOAT)(x))(1.0)


def ffi_batched_without_a_method():
    jax.vmap(lambda x: jax.ffi.ffi_call("missing", _FLOAT)(x))(jnp.ones(3))

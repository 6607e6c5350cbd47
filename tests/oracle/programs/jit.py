"""jit: static and donated arguments, what may go in and come out, lowering and compiling ahead of time."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp
import numpy as np


def returns_a_string():
    jax.jit(lambda x: {"value": x, "unit": "metres"})(1.0)


def takes_a_string():
    jax.jit(lambda name, x: x)("alice", 2.0)


def static_number_beyond_signature():
    jax.jit(lambda x, y: x + y, static_argnums=(4,))


def static_name_nobody_has():
    jax.jit(lambda x, mode: x, static_argnames="mod")


def static_name_of_positional_only():
    def power(x, n, /):
        return x**n

    jax.jit(power, static_argnames=("n",))


def same_argument_static_and_donated():
    jax.jit(lambda x, n: x * n, static_argnums=(0,), donate_argnums=(0,))(jnp.ones(3), 2)


def same_name_static_and_donated():
    jax.jit(lambda state, x: state + x, static_argnames="state", donate_argnames="state")


def a_number_instead_of_function():
    jax.jit(3.5)


def a_generator_function():
    @jax.jit
    def rows(x):
        yield x


def a_staticmethod_object():
    class Model:
        def predict(x):
            return x

        fast = jax.jit(staticmethod(predict))


def device_and_backend_together():
    cpu = jax.devices()[0]
    jax.jit(lambda x: x, device=cpu, backend="cpu")


def integer_too_large():
    jax.jit(lambda n: n + 1)(10**20)


def dictionary_of_objects():
    class Settings:
        rate = 0.1

    jax.jit(lambda settings, x: x)(Settings(), 1.0)


def numpy_strings():
    jax.jit(lambda words: words)(np.array(["red", "green"]))


def donated_buffer_used_again():
    total = jnp.arange(4.0)
    add = jax.jit(lambda total, x: total + x, donate_argnums=0)
    add(total, 1.0)
    print(total + 1)


def compiled_for_another_shape():
    compiled = jax.jit(lambda x: x * 2).lower(jnp.ones(3)).compile()
    compiled(jnp.ones(4))


def compiled_for_another_structure():
    compiled = jax.jit(lambda xs: xs[0]).lower((1.0, 2.0)).compile()
    compiled([1.0, 2.0])


def compiled_under_grad():
    compiled = jax.jit(lambda x: x**2).lower(3.0).compile()
    jax.grad(compiled)(3.0)


def lowered_text_of_unknown_dialect():
    jax.jit(jnp.sin).lower(1.0).as_text(dialect="fortran")


def lowered_module_of_unknown_dialect():
    jax.jit(jnp.sin).lower(1.0).compiler_ir(dialect="assembly")


def compiler_options_inside():
    inner = jax.jit(lambda x: x + 1, compiler_options={"xla_embed_ir_in_executable": True})
    jax.jit(lambda x: inner(x) * 2)(1.0)


def retracing_when_forbidden():
    step = jax.jit(lambda x: x + 1)
    with jax.no_tracing():
        step(jnp.ones(2))


def nan_under_debug():
    with jax.debug_nans(True):
        jax.jit(lambda x: jnp.log(x))(-1.0)


def infinity_in_a_plain_operation():
    with jax.debug_infs(True):
        jnp.divide(1.0, 0.0)


def eval_shape_of_text():
    jax.eval_shape(lambda x: x, "not an array")


def make_jaxpr_static_out_of_range():
    jax.make_jaxpr(lambda x, n: x * n, static_argnums=3)(1.0, 2)


def named_scope_with_a_number():
    with jax.named_scope(7):
        jnp.sin(1.0)


def shape_struct_without_dtype():
    jax.ShapeDtypeStruct((2, 3), None)


def shape_struct_reassigned():
    struct = jax.ShapeDtypeStruct((2, 3), jnp.float32)
    struct.shape = (3, 2)


def shape_struct_length_of_scalar():
    len(jax.ShapeDtypeStruct((), jnp.float32))


def shape_struct_with_wrong_sharding():
    jax.ShapeDtypeStruct((8,), jnp.float32, sharding="all devices")


def shape_struct_with_listed_axes():
    jax.ShapeDtypeStruct((8,), jnp.float32, vma=["x"])


def old_array_protocol():
    class Wrapped:
        def __jax_array__(self):
            return jnp.ones(3)

    jax.jit(lambda x: x)(Wrapped())


def keyword_shardings():
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    jax.jit(lambda x: x, in_shardings=sharding)(x=jnp.ones(2))


def shardings_of_wrong_structure():
    one = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    jax.jit(lambda x, y: x + y, in_shardings=(one, one, one))(1.0, 2.0)


def output_shardings_of_wrong_structure():
    one = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    jax.jit(lambda x: {"a": x}, out_shardings={"b": one})(1.0)

"""jax.export: symbolic shapes, what can be exported, calling what was exported."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp
from jax import export


def _symbolic(spec, dtype=jnp.float32, **rest):
    return jax.ShapeDtypeStruct(export.symbolic_shape(spec, **rest), dtype)


def _exported(f=jnp.sin, shape=(3,)):
    return export.export(jax.jit(f))(jax.ShapeDtypeStruct(shape, jnp.float32))


def plain_function():
    export.export(lambda x: x)(1.0)


def called_with_another_rank():
    _exported().call(jnp.ones((3, 1)))


def called_with_another_size():
    _exported().call(jnp.ones(4))


def called_with_another_dtype():
    _exported().call(jnp.arange(3))


def called_with_another_structure():
    _exported().call(jnp.ones(3), jnp.ones(3))


def gradient_without_saved_vjp():
    restored = export.deserialize(_exported().serialize())
    jax.grad(lambda x: restored.call(x).sum())(jnp.ones(3))


def vjp_that_was_not_saved():
    data = _exported().serialize(vjp_order=0)
    export.deserialize(data).vjp()


def for_another_platform():
    exported = export.export(jax.jit(jnp.sin), platforms=["tpu"])(1.0)
    jax.jit(exported.call)(1.0)


def calling_convention_too_old():
    current = jax.config.jax_export_calling_convention_version
    jax.config.update("jax_export_calling_convention_version", 1)
    try:
        _exported()
    finally:
        jax.config.update("jax_export_calling_convention_version", current)


def callback_in_exported_function():
    f = lambda x: jax.pure_callback(lambda v: v, jax.ShapeDtypeStruct((), jnp.float32), x)
    export.export(jax.jit(f))(jnp.float32(1))


def symbolic_size_in_python_if():
    f = lambda x: x if x.shape[0] > 4 else -x
    export.export(jax.jit(f))(_symbolic("n"))


def symbolic_size_as_a_number():
    export.export(jax.jit(lambda x: x * int(x.shape[0])))(_symbolic("n"))


def symbolic_size_divided():
    export.export(jax.jit(lambda x: x.reshape(-1, 3)))(_symbolic("n"))


def symbolic_sizes_that_do_not_match():
    export.export(jax.jit(lambda x, y: x + y))(*export.symbolic_args_specs((jnp.ones(3), jnp.ones(3)), ["a", "b"]))


def symbolic_scopes_mixed():
    export.export(jax.jit(lambda x, y: jnp.concatenate([x, y])))(_symbolic("n"), _symbolic("n"))


def symbolic_spec_that_is_a_number():
    export.symbolic_shape(3.5)


def symbolic_spec_with_an_unknown_sign():
    export.symbolic_shape("n ? 2")


def symbolic_spec_with_dots_and_no_shape():
    export.symbolic_shape("n, ...")


def symbolic_placeholder_without_shape():
    export.symbolic_shape("n, _")


def symbolic_constant_differs():
    export.symbolic_shape("n, 4", like=(3, 5))


def symbolic_constraints_as_text():
    export.symbolic_shape("n", constraints="n >= 3")


def symbolic_constraint_without_comparison():
    export.symbolic_shape("n", constraints=["n + 3"])


def symbolic_constraint_impossible():
    export.symbolic_shape("n", constraints=["n >= n + 1"])


def symbolic_constraint_as_a_number():
    export.symbolic_shape("n", constraints=[3])


def symbolic_power_of_a_negative():
    (n,) = export.symbolic_shape("n")
    n**-1


def symbolic_power_of_a_fraction():
    (n,) = export.symbolic_shape("n")
    n**1.5


def symbolic_plus_text():
    (n,) = export.symbolic_shape("n")
    jnp.zeros((n * jnp.float32(2.0), 3))


def symbolic_size_outside_export():
    (n,) = export.symbolic_shape("n")
    jax.jit(lambda: jnp.arange(n))()


def symbolic_call_not_divisible():
    exported = export.export(jax.jit(lambda x: x.reshape(2, -1)))(_symbolic("2 * n"))
    exported.call(jnp.ones(7))


def symbolic_call_too_small():
    exported = export.export(jax.jit(lambda x: x[1:]))(_symbolic("n", constraints=["n >= 4"]))
    exported.call(jnp.ones(2))


def symbolic_call_inconsistent():
    a, b = export.symbolic_args_specs((jnp.ones((2, 2)), jnp.ones(2)), ["n, n", "n"])
    export.export(jax.jit(lambda x, y: x @ y))(a, b).call(jnp.ones((3, 3)), jnp.ones(4))


def symbolic_specs_of_another_structure():
    export.symbolic_args_specs((jnp.ones(2), jnp.ones(2)), ["n", "m", "k"])


def serialised_with_a_strange_key():
    f = jax.jit(lambda d: d[0])
    export.export(f)({0: jnp.ones(2)}).serialize()


def pallas_with_symbolic_blocks():
    from jax.experimental import pallas as pl

    def copy(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    f = lambda x: pl.pallas_call(copy, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)
    export.export(jax.jit(f))(_symbolic("n"))


def symbolic_sizes_compared():
    f = lambda x, y: jnp.concatenate([x, y]) if x.shape[0] >= y.shape[0] else x
    export.export(jax.jit(f))(*export.symbolic_args_specs((jnp.ones(3), jnp.ones(3)), ["a", "b"]))


def symbolic_constraint_on_a_product():
    export.symbolic_shape("a, b", constraints=["a * b + 1 == 3"])


def symbolic_squeeze_of_all():
    export.export(jax.jit(jnp.squeeze))(_symbolic("n, 1"))


def symbolic_split():
    export.export(jax.jit(lambda x: jnp.split(x, x.shape[0])))(_symbolic("n"))


def symbolic_permutation():
    f = lambda x: jax.random.permutation(jax.random.key(0), x)
    export.export(jax.jit(f))(_symbolic("n"))


def symbolic_step_of_arange():
    export.export(jax.jit(lambda x: jnp.arange(0, 10, x.shape[0] - 3)))(_symbolic("n"))


def devices_of_export_differ():
    mesh = jax.make_mesh((8,), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    exported = export.export(jax.jit(lambda x: x * 2, in_shardings=sharding))(jnp.ones(8))
    exported.call(jnp.ones(8))

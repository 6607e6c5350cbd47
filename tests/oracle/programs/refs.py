"""Mutable references (jax.new_ref)."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp


def returned_from_jit():
    jax.jit(lambda x: jax.new_ref(x))(1.0)


def passed_twice():
    ref = jax.new_ref(jnp.zeros(3))
    jax.jit(lambda a, b: a[...] + b[...])(ref, ref)


def passed_and_closed_over():
    ref = jax.new_ref(jnp.zeros(3))
    jax.jit(lambda a: a[...] + ref[...])(ref)


def value_of_another_shape():
    ref = jax.new_ref(jnp.zeros(3))
    ref[...] = jnp.ones(4)


def value_of_another_dtype():
    ref = jax.new_ref(jnp.zeros(3))
    ref[...] = jnp.arange(3)


def value_that_is_a_reference():
    first, second = jax.new_ref(jnp.zeros(3)), jax.new_ref(jnp.zeros(3))
    first[...] = second


def addition_of_another_shape():
    ref = jax.new_ref(jnp.zeros(3))
    jax.ref.addupdate(ref, ..., jnp.ones(4))


def addition_of_another_dtype():
    ref = jax.new_ref(jnp.zeros(3))
    jax.ref.addupdate(ref, ..., jnp.arange(3))


def reading_an_array_as_a_reference():
    jax.ref.get(jnp.zeros(3), ...)


def writing_an_array_as_a_reference():
    jax.ref.swap(jnp.zeros(3), ..., jnp.ones(3))


def adding_to_an_array_as_a_reference():
    jax.ref.addupdate(jnp.zeros(3), ..., jnp.ones(3))


def too_many_indices():
    jax.new_ref(jnp.zeros(3))[0, 1]


def carried_through_scan():
    ref = jax.new_ref(0.0)
    jax.lax.scan(lambda c, x: (c, x), ref, jnp.arange(3.0))


def returned_from_cond():
    ref = jax.new_ref(0.0)
    jax.lax.cond(True, lambda: ref, lambda: ref)


def written_in_a_mapped_function():
    ref = jax.new_ref(0.0)

    def f(x):
        ref[...] = x

    jax.vmap(f)(jnp.ones(3))


def added_to_in_a_mapped_function():
    ref = jax.new_ref(0.0)
    jax.vmap(lambda x: jax.ref.addupdate(ref, ..., x))(jnp.ones(3))


def written_in_a_differentiated_function():
    ref = jax.new_ref(0.0)

    def f(x):
        ref[...] = x
        return x

    jax.grad(f)(1.0)


def passed_twice_to_a_custom_rule():
    f = jax.custom_vjp(lambda a, b: 1.0)
    f.defvjp(lambda a, b: (1.0, None), lambda res, ct: (None, None))
    ref = jax.new_ref(0.0)
    jax.jit(f)(ref, ref)


def returned_from_a_custom_rule():
    f = jax.custom_vjp(lambda a: a)
    f.defvjp(lambda a: (a, None), lambda res, ct: (None,))
    jax.jit(lambda: f(jax.new_ref(0.0)))()


def truth_of_a_reference():
    bool(jax.new_ref(True))


def length_of_a_scalar_reference():
    len(jax.new_ref(1.0))


def slice_of_a_reference_out_of_range():
    jax.new_ref(jnp.zeros(3))[7]


def reference_with_a_memory_space():
    jax.new_ref(jnp.zeros(3), memory_space=jax.memory.Space.Host)


def transformed_reference_given_to_jit():
    ref = jax.new_ref(jnp.zeros(3))
    jax.jit(lambda r: r[...])(ref.at[0:2])


def branch_that_writes_under_vmap():
    def f(p, ref):
        jax.lax.cond(p, lambda: ref.set(1.0), lambda: None)

    jax.vmap(f)(jnp.array([True, False]), jax.new_ref(jnp.zeros(2)))


def gradient_with_respect_to_a_reference():
    jax.grad(lambda r: r[...])(jax.new_ref(0.0))

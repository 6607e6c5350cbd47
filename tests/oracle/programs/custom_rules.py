"""custom_jvp, custom_vjp, custom_vmap, custom_gradient, composites and primitives of one's own."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap
from jax.extend.core import Primitive


def _jvp(rule):
    f = jax.custom_jvp(jnp.sin)
    f.defjvp(rule)
    return f


def _vjp(fwd, bwd):
    f = jax.custom_vjp(jnp.sin)
    f.defvjp(fwd, bwd)
    return f


def jvp_rule_forgotten():
    jax.custom_jvp(jnp.sin)(1.0)


def jvp_rule_returns_one_value():
    jax.jvp(_jvp(lambda p, t: p[0]), (1.0,), (1.0,))


def jvp_rule_tangent_of_another_structure():
    jax.jvp(_jvp(lambda p, t: (p[0], (t[0], t[0]))), (1.0,), (1.0,))


def jvp_rule_tangent_of_another_shape():
    jax.jvp(_jvp(lambda p, t: (p[0], jnp.ones(3))), (1.0,), (1.0,))


def jvp_rule_tangents_of_other_dtypes():
    f = jax.custom_jvp(lambda x: (x, x))
    f.defjvp(lambda p, t: ((p[0], p[0]), (t[0], jnp.int32(1))))
    jax.jvp(f, (1.0,), (1.0,))


def jvps_with_nondifferentiable_arguments():
    f = jax.custom_jvp(lambda n, x: x**n, nondiff_argnums=(0,))
    f.defjvps(None, lambda t, ans, n, x: t)


def jvp_with_an_unknown_keyword():
    _jvp(lambda p, t: (p[0], t[0]))(1.0, y=2.0)


def vjp_rules_forgotten():
    jax.custom_vjp(jnp.sin)(1.0)


def vjp_forward_returns_one_value():
    jax.grad(_vjp(lambda x: x, lambda res, ct: (ct,)))(1.0)


def vjp_forward_changes_the_structure():
    jax.grad(_vjp(lambda x: ((x, x), None), lambda res, ct: (ct,)))(1.0)


def vjp_forward_changes_the_shape():
    jax.grad(_vjp(lambda x: (jnp.ones(3), None), lambda res, ct: (ct,)))(1.0)


def vjp_backward_returns_no_tuple():
    jax.grad(_vjp(lambda x: (x, None), lambda res, ct: ct))(1.0)


def vjp_backward_returns_too_much():
    jax.grad(_vjp(lambda x: (x, None), lambda res, ct: (ct, ct)))(1.0)


def vjp_backward_of_another_shape():
    jax.grad(_vjp(lambda x: (x, None), lambda res, ct: (jnp.ones(3),)))(1.0)


def vjp_with_an_unknown_keyword():
    _vjp(lambda x: (x, None), lambda res, ct: (ct,))(1.0, y=2.0)


def vjp_nondifferentiable_argument_is_traced():
    f = jax.custom_vjp(lambda n, x: x * n, nondiff_argnums=(0,))
    f.defvjp(lambda n, x: (x * n, None), lambda n, res, ct: (ct * n,))
    jax.jit(lambda n: jax.grad(lambda x: f(n, x))(1.0))(2.0)


def vjp_optimised_with_symbolic_zeros():
    f = jax.custom_vjp(jnp.sin)
    f.defvjp(lambda x: (x, None), lambda res, ct: (ct,), symbolic_zeros=True, optimize_remat=True)


def gradient_rule_of_another_structure():
    @jax.custom_gradient
    def f(x):
        return x**2, lambda ct: (ct, ct)

    jax.grad(f)(1.0)


def vmap_rule_forgotten():
    custom_vmap(jnp.sin)(1.0)


def vmap_rule_returns_another_structure():
    f = custom_vmap(jnp.sin)
    f.def_vmap(lambda size, batched, x: ((x, x), (True, True)))
    jax.vmap(f)(jnp.ones(3))


def vmap_rule_flags_of_another_structure():
    f = custom_vmap(jnp.sin)
    f.def_vmap(lambda size, batched, x: (x, (True, True)))
    jax.vmap(f)(jnp.ones(3))


def vmap_rule_with_an_unknown_keyword():
    f = custom_vmap(jnp.sin)
    f.def_vmap(lambda size, batched, x: (x, True))
    f(1.0, y=2.0)


def transpose_rule_of_another_structure():
    def double(res, x):
        return 2 * x

    f = lambda x: jax.custom_derivatives.linear_call(double, lambda res, ct: (ct, ct), (), x)
    jax.grad(f)(1.0)


def composite_differentiated():
    f = lax.composite(lambda x: x * 2, name="mine.twice")
    jax.jvp(f, (1.0,), (1.0,))


def composite_with_a_traced_attribute():
    f = lax.composite(lambda x, scale: x * scale, name="mine.scale")
    jax.jit(lambda s: f(1.0, scale=s))(2.0)


def composite_with_a_captured_tracer():
    def outer(y):
        return lax.composite(lambda x: x * y, name="mine.captured")(1.0)

    jax.jit(outer)(2.0)


def primitive_without_implementation():
    Primitive("bare").bind(1.0)


def primitive_without_abstract_evaluation():
    jax.jit(Primitive("bare_traced").bind)(1.0)


def primitive_without_lowering():
    p = Primitive("bare_lowered")
    p.def_abstract_eval(lambda x: x)
    jax.jit(p.bind)(1.0)


def primitive_without_derivative():
    p = Primitive("bare_derived")
    p.def_impl(lambda x: x)
    jax.jvp(p.bind, (1.0,), (1.0,))


def primitive_without_transpose():
    from jax.interpreters import ad

    p = Primitive("bare_transposed")
    p.def_impl(lambda x: x)
    p.def_abstract_eval(lambda x: x)
    ad.primitive_jvps[p] = lambda primals, tangents: (p.bind(*primals), p.bind(*tangents))
    jax.grad(p.bind)(1.0)


def primitive_with_unhashable_parameters():
    p = Primitive("bare_parameters")
    p.def_abstract_eval(lambda x, **_: x)
    jax.jit(lambda x: p.bind(x, table=[1, 2]))(1.0)


def primitive_with_one_result_for_many():
    p = Primitive("bare_results")
    p.multiple_results = True
    p.def_abstract_eval(lambda x: x)
    jax.jit(p.bind)(1.0)

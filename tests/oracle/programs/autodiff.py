"""grad, jvp, vjp, jacobians, linearize, linear_transpose, jet and checkpoint."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import jet


def grad_of_a_vector():
    jax.grad(lambda x: x * 2)(jnp.arange(3.0))


def grad_of_a_dictionary():
    jax.grad(lambda x: {"loss": x})(1.0)


def grad_of_integers():
    jax.grad(lambda x: x * 2.0)(3)


def grad_of_integer_output():
    jax.grad(lambda x: jnp.round(x).astype(int))(2.5)


def grad_of_complex_output():
    jax.grad(lambda x: x * 1j)(2.0)


def grad_with_too_few_arguments():
    jax.grad(lambda x, y: x * y, argnums=(0, 2))(1.0, 2.0)


def holomorphic_grad_of_reals():
    jax.grad(lambda x: x**2, holomorphic=True)(3.0)


def holomorphic_grad_to_reals():
    jax.grad(lambda z: z.real, holomorphic=True)(1.0 + 2j)


def grad_with_reduce_axes():
    jax.grad(lambda x: x, reduce_axes=("batch",))


def value_and_grad_with_reduce_axes():
    jax.value_and_grad(lambda x: x, reduce_axes=("batch",))


def aux_without_pair():
    jax.value_and_grad(lambda x: x**2, has_aux=True)(2.0)


def aux_as_a_triple_for_jacobian():
    jax.jacrev(lambda x: (x, x, x), has_aux=True)(2.0)


def jacfwd_of_integers():
    jax.jacfwd(lambda x: x * 1.5)(jnp.arange(3))


def jacfwd_holomorphic_of_reals():
    jax.jacfwd(jnp.sin, holomorphic=True)(jnp.ones(2))


def jacfwd_holomorphic_to_reals():
    jax.jacfwd(jnp.real, holomorphic=True)(jnp.ones(2, complex))


def hessian_of_integers():
    jax.hessian(lambda x: (x**2).sum())(jnp.arange(4))


def jvp_with_bare_numbers():
    jax.jvp(jnp.sin, 1.0, 1.0)


def jvp_with_other_structure():
    jax.jvp(lambda p: p["w"] * 2, ({"w": 1.0},), ({"v": 1.0},))


def jvp_with_other_dtype():
    jax.jvp(jnp.sin, (jnp.float32(1.0),), (jnp.int32(1),))


def jvp_with_other_shape():
    jax.jvp(jnp.sin, (jnp.ones(3),), (jnp.ones(4),))


def linearized_at_another_shape():
    _, f_lin = jax.linearize(jnp.sin, jnp.ones(3))
    f_lin(jnp.ones(5))


def linearize_too_much():
    _, f_lin = jax.linearize(jnp.sin, jnp.ones(3))
    f_lin(jnp.ones(3), jnp.ones(3))


def vjp_with_other_structure():
    _, pull = jax.vjp(lambda x: (x, x * 2), 3.0)
    pull([1.0, 1.0])


def vjp_with_other_shape():
    _, pull = jax.vjp(lambda x: x * 2, jnp.ones(3))
    pull(jnp.ones((3, 1)))


def vjp_with_two_cotangents():
    _, pull = jax.vjp(lambda x: x * 2, 3.0)
    pull(1.0, 1.0)


def transpose_of_integer_to_float():
    jax.linear_transpose(lambda n: n.astype(jnp.float32), jnp.arange(3))


def transpose_with_other_tree():
    back = jax.linear_transpose(lambda x: [x, 2 * x], jnp.ones(3))
    back((jnp.ones(3), jnp.ones(3)))


def transpose_with_other_type():
    back = jax.linear_transpose(lambda x: 3 * x, jnp.ones(3))
    back(jnp.ones(2))


def transpose_of_something_nonlinear():
    jax.linear_transpose(jnp.sin, 1.0)(1.0)


def reverse_through_while():
    jax.grad(lambda x: lax.while_loop(lambda v: v < 100.0, lambda v: v * 2, x))(1.0)


def reverse_through_dynamic_fori():
    jax.jit(jax.grad(lambda x, n: lax.fori_loop(0, n, lambda i, v: v * x, 1.0)))(2.0, 3)


def grad_through_general_reduce():
    def loss(init):
        return lax.reduce(jnp.arange(1.0, 4.0), init, lambda a, b: a * b + a + b, (0,))

    jax.grad(loss)(1.0)


def grad_of_scatter_multiply():
    jax.grad(lambda v: jnp.ones(3).at[jnp.array([0, 0])].mul(v).sum())(2.0)


def grad_of_scatter_apply():
    jax.grad(lambda v: v.at[jnp.array([0, 1])].apply(jnp.sin).sum())(jnp.ones(3))


def jet_series_of_other_structure():
    jet.jet(jnp.sin, (1.0,), (([1.0], [2.0]), [3.0]))


def jet_of_nested_input():
    jet.jet(lambda p: p[0], ((1.0, 2.0),), (((1.0, 1.0),),))


def jet_of_nested_term():
    jet.jet(jnp.sin, (1.0,), (((1.0, 2.0), (0.0, 0.0)),))


def checkpoint_with_concrete():
    jax.checkpoint(jnp.sin, concrete=True)


def checkpoint_static_beyond():
    jax.checkpoint(lambda x, n: x * n, static_argnums=(5,))(1.0, 2)


def checkpoint_static_that_is_a_list():
    jax.checkpoint(lambda x, n: x * n, static_argnums=[1])(1.0, 2)


def checkpoint_prevent_cse_as_text():
    jax.checkpoint(jnp.sin, prevent_cse="yes")(1.0)


def checkpoint_on_branches_of_static():
    @jax.checkpoint
    def relu(x, on):
        return jnp.maximum(x, 0) if on else x

    jax.grad(lambda x: relu(x, x > 0))(1.0)


def checkpoint_policy_that_answers_text():
    policy = lambda prim, *_, **__: "save"
    jax.grad(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)), policy=policy))(1.0)


def checkpoint_names_that_overlap():
    jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=["hidden"],
        names_which_can_be_offloaded=["hidden"],
        offload_src="device",
        offload_dst="pinned_host",
    )


def closure_convert_called_otherwise():
    converted, consts = jax.closure_convert(lambda x: jnp.sin(x), 1.0)
    converted((1.0, 2.0), *consts)


def grad_of_argmax_key():
    key = jax.random.key(0)
    jax.grad(lambda k: jax.random.uniform(k))(key)


def grad_returning_a_key():
    jax.grad(lambda x: jax.random.key(0))(1.0)


def jacfwd_of_a_key():
    jax.jacfwd(lambda k: 1.0)(jax.random.key(1))


def linear_transpose_with_reduce_axes():
    jax.linear_transpose(lambda x: x, 1.0, reduce_axes=("rows",))


def vjp_with_reduce_axes():
    jax.vjp(lambda x: x, 1.0, reduce_axes=("rows",))


def linearize_to_a_matching_value():
    jax.grad(lambda x: lax.while_loop(lambda v: v[1] < 3, lambda v: (v[0] * 2, v[1] + 1), (x, 0))[0])(1.0)


def forward_mode_of_custom_vjp():
    @jax.custom_vjp
    def f(x):
        return x**2

    f.defvjp(lambda x: (x**2, x), lambda x, ct: (2 * x * ct,))
    jax.jvp(f, (1.0,), (1.0,))

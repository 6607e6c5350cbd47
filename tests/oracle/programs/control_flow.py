"""scan, cond, switch, while_loop, fori_loop, map and associative_scan."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp
from jax import lax


def scan_carry_changes_shape():
    lax.scan(lambda c, x: (jnp.stack([c, x]), None), 0.0, jnp.arange(3.0))


def scan_carry_changes_structure():
    lax.scan(lambda c, x: ({"sum": c["sum"] + x, "n": 1}, x), {"sum": 0.0}, jnp.arange(3.0))


def scan_carry_tuple_becomes_list():
    lax.scan(lambda c, x: ([c[0], c[1] + x], x), (0.0, 0.0), jnp.arange(3.0))


def scan_body_returns_one_value():
    lax.scan(lambda c, x: c + x, 0.0, jnp.arange(3.0))


def scan_body_returns_three_values():
    lax.scan(lambda c, x: (c, x, x), 0.0, jnp.arange(3.0))


def scan_over_nothing():
    lax.scan(lambda c, _: (c, c), 0.0, None)


def scan_over_python_numbers():
    lax.scan(lambda c, x: (c + x, c), 0.0, (1.0, 2.0))


def scan_lengths_differ():
    lax.scan(lambda c, xs: (c, xs[0]), 0.0, (jnp.arange(3), jnp.arange(4)))


def scan_length_disagrees():
    lax.scan(lambda c, x: (c, x), 0.0, jnp.arange(3), length=5)


def scan_length_is_traced():
    jax.jit(lambda n: lax.scan(lambda c, _: (c + 1, c), 0, None, length=n))(4)


def scan_without_a_function():
    lax.scan(None, 0.0, jnp.arange(3))


def scan_with_negative_unroll():
    lax.scan(lambda c, x: (c, x), 0.0, jnp.arange(3), unroll=-2)


def scan_of_zero_length_without_jit():
    with jax.disable_jit():
        lax.scan(lambda c, x: (c, x), 0.0, jnp.zeros((0,)))


def cond_branches_differ_in_type():
    lax.cond(True, lambda x: x, lambda x: x.astype(jnp.int32), jnp.ones(2))


def cond_branches_differ_in_structure():
    lax.cond(True, lambda x: (x, x), lambda x: [x], 1.0)


def cond_branches_differ_by_none():
    lax.cond(True, lambda x: x, lambda x: None, 1.0)


def cond_predicate_is_none():
    lax.cond(None, lambda: 1, lambda: 2)


def cond_predicate_is_a_vector():
    lax.cond(jnp.array([True, False]), lambda: 1, lambda: 2)


def cond_predicate_is_a_list():
    lax.cond([True], lambda: 1, lambda: 2)


def cond_predicate_is_complex():
    lax.cond(1j, lambda: 1, lambda: 2)


def cond_predicate_is_text():
    lax.cond("yes", lambda: 1, lambda: 2)


def cond_without_functions():
    lax.cond(True, 1.0, 2.0)


def cond_operand_twice():
    lax.cond(True, lambda x: x, lambda x: x, 1.0, operand=2.0)


def switch_without_branches():
    lax.switch(0, [])


def switch_index_is_a_vector():
    lax.switch(jnp.arange(2), [lambda: 1, lambda: 2])


def switch_index_is_a_float():
    lax.switch(1.5, [lambda: 1, lambda: 2])


def switch_index_is_text():
    lax.switch("first", [lambda: 1, lambda: 2])


def switch_branch_is_a_number():
    lax.switch(0, [lambda: 1, 2])


def switch_branches_differ():
    lax.switch(1, [lambda x: x, lambda x: x > 0, lambda x: x], 1.0)


def switch_operand_twice():
    lax.switch(1, [lambda x: x, lambda x: -x], 1.0, operand=2.0)


def while_condition_is_a_vector():
    lax.while_loop(lambda v: v < 3, lambda v: v + 1, jnp.zeros(2))


def while_condition_is_a_tuple():
    lax.while_loop(lambda v: (v < 3, True), lambda v: v + 1, 0)


def while_carry_grows():
    lax.while_loop(lambda v: v[0] < 3, lambda v: (v[0] + 1, v[1], v[1]), (0, 1.0))


def while_without_functions():
    lax.while_loop(True, lambda v: v, 0)


def fori_carry_changes():
    lax.fori_loop(0, 3, lambda i, v: v.astype(jnp.float32), jnp.arange(3))


def fori_bounds_differ():
    lax.fori_loop(jnp.int32(0), jnp.int16(5), lambda i, v: v, 0)


def fori_without_a_function():
    lax.fori_loop(0, 3, 5, 0)


def fori_unrolled_over_traced_bounds():
    jax.jit(lambda n: lax.fori_loop(0, n, lambda i, v: v + i, 0, unroll=4))(10)


def associative_scan_without_function():
    lax.associative_scan(2, jnp.arange(4))


def associative_scan_of_different_lengths():
    lax.associative_scan(lambda a, b: (a[0] + b[0], a[1]), (jnp.arange(4), jnp.arange(5)))


def platform_branch_is_a_number():
    lax.platform_dependent(1.0, cpu=3, default=jnp.sin)


def platform_default_is_a_number():
    lax.platform_dependent(1.0, cpu=jnp.sin, default=3)


def platform_named_gpu():
    lax.platform_dependent(1.0, gpu=jnp.sin, default=jnp.cos)


def linear_solve_of_another_structure():
    lax.custom_linear_solve(lambda x: (x, x), jnp.ones(3), lambda mv, b: b)


def root_of_another_structure():
    lax.custom_root(lambda x: (x, x), 1.0, lambda f, x: x, lambda g, y: y)


def root_with_aux_missing():
    lax.custom_root(lambda x: x, 1.0, lambda f, x: x, lambda g, y: y, has_aux=True)


def linear_solve_of_another_shape():
    lax.custom_linear_solve(lambda x: x, jnp.ones(3), lambda mv, b: b[:2])


def python_if_inside_scan():
    lax.scan(lambda c, x: (c + 1, x) if x > 0 else (c, x), 0, jnp.arange(3))


def python_for_over_traced_number():
    jax.jit(lambda n: [0 for _ in range(n)])(3)


def while_carry_changes_shape():
    lax.while_loop(lambda v: v.sum() < 30, lambda v: jnp.concatenate([v, v]), jnp.ones(2))


def two_carries_change_in_scan():
    lax.scan(lambda c, x: ((c[0][None], c[1] > 0), x), (1.0, 2.0), jnp.arange(3.0))


def map_over_a_scalar():
    lax.map(lambda x: x, 3.0)

"""vmap and pmap: axes, sizes, names."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp
from jax import lax


def sizes_differ():
    jax.vmap(lambda x, y: x * y)(jnp.ones(3), jnp.ones(4))


def sizes_differ_in_a_tree():
    batch = {"inputs": jnp.ones((8, 2)), "labels": jnp.ones(7), "weights": jnp.ones((8,))}
    jax.vmap(lambda b: b["inputs"].sum())(batch)


def sizes_differ_among_keywords():
    jax.vmap(lambda x, y, z: x)(jnp.ones(2), y=jnp.ones(3), z=jnp.ones(3))


def axes_as_text():
    jax.vmap(lambda x: x, in_axes=("rows",))


def output_axes_as_text():
    jax.vmap(lambda x: x, out_axes="rows")


def too_many_axes():
    jax.vmap(lambda x: x, in_axes=(0, None))(jnp.ones(3))


def axis_beyond_rank():
    jax.vmap(lambda x: x, in_axes=2)(jnp.ones((3, 4)))


def scalar_argument():
    jax.vmap(lambda x: x)(5.0)


def nothing_is_mapped():
    jax.vmap(lambda x: x, in_axes=None)(jnp.ones(3))


def no_arguments_at_all():
    jax.vmap(lambda: 1.0)()


def mapped_output_declared_unmapped():
    jax.vmap(lambda x: x * 2, out_axes=None, axis_name="batch")(jnp.ones(3))


def mapped_output_declared_unmapped_without_name():
    jax.vmap(lambda x: {"twice": x * 2}, out_axes=None)(jnp.ones(3))


def axes_tree_is_no_prefix():
    jax.vmap(lambda p: p["w"], in_axes=({"weights": 0},))({"w": jnp.ones(3)})


def output_axes_tree_is_no_prefix():
    jax.vmap(lambda x: (x, x), out_axes=(0, 0, 0))(jnp.ones(3))


def batched_function_returns_text():
    jax.vmap(lambda x: "row")(jnp.ones(3))


def unbound_axis_name():
    jax.vmap(lambda x: lax.psum(x, "i"), axis_name="j")(jnp.ones(3))


def unbound_axis_size():
    lax.axis_index("rows")


def function_is_no_function():
    jax.vmap(jnp.ones(3))


def all_to_all_of_other_size():
    jax.vmap(lambda x: lax.all_to_all(x, "i", 0, 0), axis_name="i")(jnp.ones((4, 3)))


def pshuffle_of_no_permutation():
    jax.vmap(lambda x: lax.pshuffle(x, "i", [0, 0, 1]), axis_name="i")(jnp.ones(3))


def groups_that_miss_an_index():
    groups = [[0, 1], [2]]
    jax.vmap(lambda x: lax.psum(x, "i", axis_index_groups=groups), axis_name="i")(jnp.ones(4))


def groups_with_positional_axes():
    jax.vmap(lambda x: lax.pmax(x, ("i", 0), axis_index_groups=[[0, 1]]), axis_name="i")(jnp.ones((2, 2)))


def all_gather_to_nowhere():
    jax.vmap(lambda x: lax.all_gather(x, "i", to="everywhere"), axis_name="i")(jnp.ones(3))


def groups_in_all_gather_under_vmap():
    jax.vmap(lambda x: lax.all_gather(x, "i", axis_index_groups=[[0, 1], [2, 3]]), axis_name="i")(jnp.ones(4))


def pmap_axes_as_text():
    jax.pmap(lambda x: x, in_axes="devices")(jnp.ones(2))


def pmap_output_axes_as_text():
    jax.pmap(lambda x: x, out_axes="devices")(jnp.ones(2))


def pmap_without_devices():
    jax.pmap(lambda x: x, devices=[])(jnp.ones(2))


def pmap_over_more_than_there_are():
    jax.pmap(lambda x: x)(jnp.ones(100))


def pmap_axis_size_differs():
    jax.pmap(lambda x: x, axis_size=4)(jnp.ones(2))


def pmap_static_beyond():
    jax.pmap(lambda x: x, static_broadcasted_argnums=3)(jnp.ones(2))


def vectorize_too_few_dimensions():
    jnp.vectorize(jnp.dot, signature="(n,m),(m)->(n)")(jnp.ones(3), jnp.ones(3))


def vectorize_core_sizes_differ():
    jnp.vectorize(jnp.dot, signature="(m),(m)->()")(jnp.ones(3), jnp.ones(4))


def vectorize_wrong_number_of_arguments():
    jnp.vectorize(jnp.dot, signature="(m),(m)->()")(jnp.ones(3))


def vectorize_missing_output():
    jnp.vectorize(lambda x: x, signature="(m)->(m),(m)")(jnp.ones(3))


def vectorize_output_shape():
    jnp.vectorize(lambda x: x.sum(), signature="(m)->(m)")(jnp.ones(3))


def vectorize_two_outputs_for_three():
    jnp.vectorize(lambda x: (x, x), signature="(m)->(m),(m),(m)")(jnp.ones(3))


def vectorize_excluding_an_object():
    jnp.vectorize(lambda x: x, excluded={2.5})


def vectorize_excluding_a_negative():
    jnp.vectorize(lambda x, y: x, excluded={-1})


def axes_in_a_generator():
    jax.vmap(lambda x, y: x + y, in_axes={0: 0, 1: 0})


def vmap_of_ordered_callback():
    from jax.experimental import io_callback

    jax.vmap(lambda x: io_callback(lambda v: v, jax.ShapeDtypeStruct((), jnp.float32), x, ordered=True))(jnp.ones(2))


def primitive_without_batching_rule():
    from jax.extend.core import Primitive

    strange = Primitive("strange")
    strange.def_abstract_eval(lambda x: x)
    jax.vmap(strange.bind)(jnp.ones(3))

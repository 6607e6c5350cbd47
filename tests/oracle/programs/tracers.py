"""What a traced value cannot do, and what must not leave a trace."""
# mypy: ignore-errors

import pickle

import jax
import jax.numpy as jnp
import numpy as np


def if_on_a_traced_value():
    @jax.jit
    def clip(x):
        if x > 1:
            return 1.0
        return x

    clip(3.0)


def and_of_traced_values():
    jax.jit(lambda a, b: a and b)(True, False)


def assert_on_a_traced_value():
    @jax.jit
    def root(x):
        assert (x >= 0).all(), "negative"
        return jnp.sqrt(x)

    root(jnp.ones(3))


def float_of_a_traced_value():
    jax.jit(lambda x: float(x))(2.0)


def int_of_a_traced_value():
    jax.jit(lambda x: int(x) + 1)(2)


def complex_of_a_traced_value():
    jax.jit(lambda x: complex(x))(2.0)


def list_index_by_a_traced_value():
    names = ["a", "b", "c"]
    jax.jit(lambda i: len(names[i]))(1)


def hexadecimal_of_a_traced_value():
    jax.jit(lambda n: jnp.float32(len(hex(n))))(255)


def numpy_on_a_traced_value():
    jax.jit(lambda x: np.sin(x))(jnp.ones(3))


def numpy_array_of_a_batched_value():
    jax.vmap(lambda x: np.asarray(x))(jnp.ones((2, 3)))


def shape_from_a_traced_value():
    jax.jit(lambda n: jnp.zeros(n))(4)


def arange_to_a_traced_value():
    jax.jit(lambda n: jnp.arange(n))(4)


def linspace_of_traced_count():
    jax.jit(lambda n: jnp.linspace(0.0, 1.0, n))(4)


def reshape_to_a_traced_shape():
    jax.jit(lambda x, n: x.reshape(n, -1))(jnp.arange(6), 2)


def boolean_mask_under_jit():
    jax.jit(lambda x: x[x > 0])(jnp.arange(5))


def nonzero_under_jit():
    jax.jit(lambda x: jnp.nonzero(x))(jnp.arange(5))


def unique_under_jit():
    jax.jit(jnp.unique)(jnp.array([3, 1, 3]))


def where_with_one_argument_under_jit():
    jax.jit(lambda x: jnp.where(x > 2))(jnp.arange(5))


def axis_as_a_traced_value():
    jax.jit(lambda x, axis: x.sum(axis))(jnp.ones((2, 2)), 0)


def repeat_by_a_traced_number():
    jax.jit(lambda x, n: jnp.repeat(x, n))(jnp.arange(3), 2)


def bincount_under_jit():
    jax.jit(lambda x: jnp.bincount(x))(jnp.arange(3))


def split_at_traced_points():
    jax.jit(lambda x, i: jnp.split(x, i))(jnp.arange(6), jnp.array([2, 4]))


def leaked_through_a_global():
    kept = []
    jax.jit(lambda x: kept.append(x))(1.0)
    print(kept[0] + 1)


def leaked_out_of_vmap():
    kept = []
    jax.vmap(lambda x: kept.append(x) or x)(jnp.ones(3))
    jnp.sin(kept[0])


def leaked_into_another_trace():
    kept = []
    jax.jit(lambda x: kept.append(x) or x)(1.0)
    jax.jit(lambda y: y + kept[0])(1.0)


def leak_found_by_the_checker():
    kept = []
    with jax.checking_leaks():
        jax.jit(lambda x: kept.append(x * 2) or x)(1.0)


def item_of_a_traced_value():
    jax.jit(lambda x: x.item())(1.0)


def list_of_a_traced_value():
    jax.jit(lambda x: x.tolist())(jnp.arange(3))


def bytes_of_a_traced_value():
    jax.jit(lambda x: x.tobytes())(jnp.arange(3))


def pickled_traced_value():
    jax.jit(lambda x: len(pickle.dumps(x)))(1.0)


def iteration_over_a_traced_scalar():
    jax.jit(lambda x: sum(v for v in x))(1.0)


def length_of_a_traced_scalar():
    jax.jit(lambda x: len(x))(1.0)


def assignment_to_a_traced_value():
    def put(x):
        x[0] = 1.0
        return x

    jax.jit(put)(jnp.zeros(3))


def unknown_attribute_of_a_traced_value():
    jax.jit(lambda x: x.numpy())(jnp.zeros(3))


def sharding_of_a_traced_value():
    jax.jit(lambda x: str(x.sharding))(jnp.zeros(3))


def device_of_a_traced_value():
    jax.jit(lambda x: x.devices())(jnp.zeros(3))


def deletion_of_a_traced_value():
    jax.jit(lambda x: x.delete())(jnp.zeros(3))


def waiting_for_a_traced_value():
    jax.jit(lambda x: x.block_until_ready())(jnp.zeros(3))


def shards_of_a_traced_value():
    jax.jit(lambda x: x.addressable_shards)(jnp.zeros(3))


def pointer_of_a_traced_value():
    jax.jit(lambda x: x.unsafe_buffer_pointer())(jnp.zeros(3))


def dlpack_of_a_traced_value():
    jax.jit(lambda x: np.from_dlpack(x))(jnp.zeros(3))


def committed_of_a_traced_value():
    jax.jit(lambda x: x if x.committed else -x)(jnp.zeros(3))


def replicated_of_a_traced_value():
    jax.jit(lambda x: x if x.is_fully_replicated else -x)(jnp.zeros(3))


def addressable_of_a_traced_value():
    jax.jit(lambda x: x if x.is_fully_addressable else -x)(jnp.zeros(3))


def size_on_device_of_a_traced_value():
    jax.jit(lambda x: x.on_device_size_in_bytes())(jnp.zeros(3))


def global_shards_of_a_traced_value():
    jax.jit(lambda x: x.global_shards)(jnp.zeros(3))


def deleted_state_of_a_traced_value():
    jax.jit(lambda x: x.is_deleted())(jnp.zeros(3))


def data_of_a_traced_value():
    jax.jit(lambda x: x.addressable_data(0))(jnp.zeros(3))


def random_key_from_a_traced_shape():
    jax.jit(lambda key, n: jax.random.normal(key, (n,)))(jax.random.key(0), 3)


def one_hot_of_traced_classes():
    jax.jit(lambda x, n: jax.nn.one_hot(x, n))(jnp.arange(3), 3)


def slice_to_a_traced_end():
    jax.jit(lambda x, n: x[:n])(jnp.arange(5), 2)


def truth_of_many():
    bool(jnp.array([True, False]))


def truth_of_none():
    bool(jnp.array([]))


def index_by_a_float():
    [1, 2, 3][jnp.array(1.5)]


def scalar_of_many():
    float(jnp.arange(3.0))

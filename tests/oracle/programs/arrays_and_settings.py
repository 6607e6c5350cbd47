"""Methods of arrays, dlpack, settings, the profiler, distributed start-up."""
# mypy: ignore-errors

import tempfile

import jax
import jax.numpy as jnp
import numpy as np


def iteration_over_a_scalar():
    list(jnp.float32(1))


def length_of_a_scalar():
    len(jnp.float32(1))


def shift_by_a_vector():
    1 << jnp.float32(1)


def equality_with_a_list():
    jnp.ones(2) == [1.0, 1.0]


def inequality_with_a_dictionary():
    jnp.ones(2) != {"a": 1}


def sum_with_a_list():
    jnp.ones(2) + [1.0, 1.0]


def list_plus_an_array():
    [1.0, 1.0] + jnp.ones(2)


def product_with_a_list():
    jnp.ones(2) * [1.0, 1.0]


def tuple_times_an_array():
    (1.0, 1.0) * jnp.ones(2)


def flat_view():
    jnp.ones((2, 2)).flat


def view_as_a_class():
    jnp.ones(2).view(jnp.float32, type=np.ndarray)


def moved_on_a_stream():
    jnp.ones(2).to_device(jax.devices()[0], stream=3)


def used_after_deletion():
    x = jnp.ones(2)
    x.delete()
    x + 1


def old_device_buffer():
    jnp.ones(2).device_buffer


def old_device_buffers():
    jnp.ones(2).device_buffers


def dlpack_of_a_sharded_array():
    mesh = jax.make_mesh((8,), ("x",))
    x = jax.device_put(jnp.ones(8), jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x")))
    np.from_dlpack(x)


def dlpack_of_a_list():
    jax.dlpack.from_dlpack([1, 2, 3])


def dlpack_onto_many_devices():
    mesh = jax.make_mesh((8,), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    jax.dlpack.from_dlpack(np.ones(8), device=sharding)


def dlpack_onto_another_device_without_copy():
    jax.dlpack.from_dlpack(np.ones(8), device=jax.devices()[1], copy=False)


def dlpack_of_an_old_version():
    jnp.ones(3).__dlpack__(max_version=(0, 1))


def dlpack_for_an_unknown_device():
    jnp.ones(3).__dlpack__(dl_device=(99, 0))


def option_unknown():
    jax.config.update("jax_fly_to_the_moon", True)


def option_unknown_read():
    jax.config.read("jax_fly_to_the_moon")


def option_of_an_unknown_choice():
    jax.config.update("jax_default_prng_impl", "mersenne")


def option_of_an_unknown_optional_choice():
    jax.config.update("jax_default_matmul_precision", "sloppy")


def option_of_a_wrong_class():
    jax.config.update("jax_explicit_x64_dtypes", 3)


def option_as_text():
    jax.config.update("jax_compilation_cache_dir", 3.5)


def option_without_a_value():
    jax.numpy_rank_promotion()


def default_device_of_text():
    jax.config.update("jax_default_device", 7)


def profile_stopped_before_it_started():
    jax.profiler.stop_trace()


def profile_server_stopped_before_it_started():
    jax.profiler.stop_server()


def profile_started_twice():
    with tempfile.TemporaryDirectory() as folder:
        jax.profiler.start_trace(folder)
        try:
            jax.profiler.start_trace(folder)
        finally:
            jax.profiler.stop_trace()


def distributed_after_start():
    jax.devices()
    jax.distributed.initialize("localhost:9999", num_processes=1, process_id=0)


def sharded_put_of_unlike_lengths():
    jax.device_put_sharded([jnp.ones(2)], jax.devices()[:2])


def sharded_put_of_unlike_shapes():
    jax.device_put_sharded([jnp.ones(2), jnp.ones(3)], jax.devices()[:2])


def sharded_put_of_an_array():
    jax.device_put_sharded(jnp.ones(2), jax.devices()[:2])


def replicated_put_to_nowhere():
    jax.device_put_replicated(jnp.ones(2), [])


def removed_function():
    jax.tree_map


def removed_from_numpy():
    jnp.trapz


def removed_from_lax():
    jax.lax.xla_computation


def unknown_module_attribute():
    jax.fly


def extended_compute_nested():
    from jax.experimental.compute_on import compute_on

    @compute_on("device_host")
    def inner(x):
        return x + 1

    with compute_on("gpu_stream:1"):
        inner(jnp.ones(2))


def compute_on_the_moon():
    from jax.experimental.compute_on import compute_on

    with compute_on("moon"):
        jnp.ones(2) + 1

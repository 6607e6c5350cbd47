"""Meshes, shardings, device placement, layouts and memory kinds (on eight CPU devices)."""
# mypy: ignore-errors

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import mesh_utils
from jax.experimental.layout import Format, Layout
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, Sharding
from jax.sharding import PartitionSpec as P


def _mesh(*names, shape=None, kind=AxisType.Auto):
    shape = shape or ((8,) if len(names) == 1 else (4, 2))
    return jax.make_mesh(shape, names, axis_types=(kind,) * len(names))


def mesh_larger_than_the_machine():
    jax.make_mesh((64,), ("x",))


def mesh_of_an_empty_shape():
    jax.make_mesh(("eight",), ("x",))


def mesh_with_too_few_names():
    Mesh(np.array(jax.devices()).reshape(4, 2), ("x",))


def mesh_with_a_none_name():
    Mesh(np.array(jax.devices()), (None,))


def mesh_with_wrong_axis_types():
    jax.make_mesh((8,), ("x",), axis_types=("auto",))


def mesh_with_too_many_axis_types():
    jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto, AxisType.Auto))


def mesh_changed_later():
    _mesh("x").axis_names = ("y",)


def device_mesh_of_other_size():
    mesh_utils.create_device_mesh((3, 2))


def hybrid_mesh_without_slices():
    mesh_utils.create_hybrid_device_mesh((4,), (2,), jax.devices())


def setting_a_list_as_mesh():
    jax.set_mesh([0, 1, 2])


def setting_a_mesh_inside_jit():
    mesh = _mesh("x")

    @jax.jit
    def f(x):
        with jax.set_mesh(mesh):
            return x

    f(1.0)


def asking_for_the_mesh_inside_jit():
    jax.jit(lambda x: (jax.sharding.get_mesh(), x)[1])(1.0)


def devices_of_an_abstract_mesh():
    AbstractMesh((8,), ("x",)).devices


def device_set_of_an_abstract_sharding():
    NamedSharding(AbstractMesh((8,), ("x",)), P("x")).device_set


def addressable_devices_of_an_abstract_sharding():
    NamedSharding(AbstractMesh((8,), ("x",)), P("x")).addressable_devices


def spec_with_an_unknown_axis():
    NamedSharding(_mesh("x"), P("rows"))


def spec_with_an_axis_twice():
    NamedSharding(_mesh("x", "y"), P("x", "x"))


def spec_unreduced_on_an_auto_axis():
    NamedSharding(_mesh("x"), P(unreduced={"x"}))


def spec_unreduced_on_an_unknown_axis():
    NamedSharding(_mesh("x"), P(unreduced={"q"}))


def spec_reduced_on_an_unknown_axis():
    NamedSharding(_mesh("x"), P(reduced={"q"}))


def spec_added_to_a_tuple():
    P("x", reduced={"y"}) + ("z",)


def unconstrained_when_all_is_explicit():
    NamedSharding(_mesh("x", kind=AxisType.Explicit), P(P.UNCONSTRAINED))


def rank_below_the_spec():
    jax.device_put(jnp.ones(8), NamedSharding(_mesh("x", "y"), P("x", "y")))


def size_not_divisible():
    jax.device_put(jnp.ones(6), NamedSharding(_mesh("x"), P("x")))


def shard_shape_not_divisible():
    NamedSharding(_mesh("x"), P("x")).shard_shape((12,))


def placed_on_text():
    jax.device_put(1.0, "cpu:0")


def placed_by_a_wrong_tree():
    one = jax.devices()[0]
    jax.device_put((1.0, 2.0), (one, one, one))


def placed_by_spec_without_mesh():
    jax.device_put(jnp.ones(8), P("x"))


def donated_and_aliased():
    jax.device_put(jnp.ones(8), jax.devices()[1], donate=True, may_alias=True)


def input_of_jit_not_divisible():
    jax.jit(lambda x: x * 2, in_shardings=NamedSharding(_mesh("x"), P("x")))(jnp.ones(7))


def output_of_jit_not_divisible():
    jax.jit(lambda x: x[:5], out_shardings=NamedSharding(_mesh("x"), P("x")))(jnp.ones(8))


def jit_specs_without_mesh():
    jax.jit(lambda x: x, in_shardings=P("x"))(jnp.ones(8))


def jit_sharding_is_text():
    jax.jit(lambda x: x, in_shardings="x")(jnp.ones(8))


def jit_on_a_device_with_shardings():
    mesh = _mesh("x")
    jax.jit(lambda x: x, in_shardings=NamedSharding(mesh, P()), backend="cpu")


def jit_on_a_device_with_output_shardings():
    mesh = _mesh("x")
    jax.jit(lambda x: x, out_shardings=NamedSharding(mesh, P()), backend="cpu")


def jit_on_a_backend_inside_a_mesh():
    with jax.set_mesh(_mesh("x")):
        jax.jit(lambda x: x, backend="cpu")(1.0)


def arrays_on_different_devices():
    first, second = jax.devices()[:2]
    jax.device_put(1.0, first) + jax.device_put(2.0, second)


def sharding_of_argument_differs():
    mesh = _mesh("x", "y")
    x = jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P("x", None)))
    jax.jit(lambda v: v, in_shardings=NamedSharding(mesh, P(None, "y")))(x)


def constraint_without_mesh():
    jax.jit(lambda x: jax.lax.with_sharding_constraint(x, P("x")))(jnp.ones(8))


def constraint_under_explicit_axes():
    mesh = _mesh("x", kind=AxisType.Explicit)
    with jax.set_mesh(mesh):
        jax.jit(lambda x: jax.lax.with_sharding_constraint(x, P("x")))(jnp.ones(8))


def constraint_on_an_axis_that_vmap_uses():
    mesh = _mesh("x")
    with jax.set_mesh(mesh):
        f = lambda x: jax.lax.with_sharding_constraint(x, P("x"))
        jax.vmap(f, spmd_axis_name="x")(jnp.ones((8, 8)))


def reshard_without_mesh():
    jax.sharding.reshard(jnp.ones(8), P("x"))


def explicit_addition_of_different_shardings():
    mesh = _mesh("x", "y", kind=AxisType.Explicit)
    with jax.set_mesh(mesh):
        a = jax.device_put(jnp.ones((8, 8)), P("x", None))
        b = jax.device_put(jnp.ones((8, 8)), P("y", None))
        a + b


def explicit_matrix_product_is_ambiguous():
    mesh = _mesh("x", "y", kind=AxisType.Explicit)
    with jax.set_mesh(mesh):
        a = jax.device_put(jnp.ones((8, 8)), P(None, "x"))
        b = jax.device_put(jnp.ones((8, 8)), P("x", None))
        a @ b


def explicit_concatenation_of_different_shardings():
    with jax.set_mesh(_mesh("x", "y", kind=AxisType.Explicit)):
        a = jax.device_put(jnp.ones((8, 8)), P("x", None))
        b = jax.device_put(jnp.ones((8, 8)), P("y", None))
        jnp.concatenate([a, b])


def explicit_sort_along_a_sharded_axis():
    with jax.set_mesh(_mesh("x", kind=AxisType.Explicit)):
        jnp.sort(jax.device_put(jnp.ones(8), P("x")))


def explicit_reshape_that_mixes_axes():
    with jax.set_mesh(_mesh("x", "y", kind=AxisType.Explicit)):
        jax.device_put(jnp.ones((8, 6)), P("x", "y")).reshape(6, 8)


def explicit_gather_without_result_sharding():
    with jax.set_mesh(_mesh("x", kind=AxisType.Explicit)):
        jax.device_put(jnp.ones(8), P("x"))[jnp.array([0, 3])]


def explicit_scan_over_a_sharded_axis():
    with jax.set_mesh(_mesh("x", kind=AxisType.Explicit)):
        xs = jax.device_put(jnp.ones(8), P("x"))
        jax.lax.scan(lambda c, x: (c, x), 0.0, xs)


def explicit_axes_without_mesh():
    jax.sharding.explicit_axes(lambda x: x)(jnp.ones(8), in_sharding=P())


def explicit_axes_without_input_sharding():
    with jax.set_mesh(_mesh("x")):
        jax.sharding.explicit_axes(lambda x: x)(jnp.ones(8))


def auto_axes_without_output_sharding():
    with jax.set_mesh(_mesh("x", kind=AxisType.Explicit)):
        jax.sharding.auto_axes(lambda x: x)(jnp.ones(8))


def array_from_missing_pieces():
    sharding = NamedSharding(_mesh("x"), P("x"))
    jax.make_array_from_single_device_arrays((8,), sharding, [jnp.ones(1)])


def array_from_pieces_of_wrong_shape():
    sharding = NamedSharding(_mesh("x"), P("x"))
    pieces = [jax.device_put(jnp.ones(2), d) for d in jax.devices()]
    jax.make_array_from_single_device_arrays((8,), sharding, pieces)


def array_from_pieces_of_mixed_dtype():
    sharding = NamedSharding(_mesh("x"), P("x"))
    pieces = [jax.device_put(jnp.ones(1, jnp.int32 if d.id else float), d) for d in jax.devices()]
    jax.make_array_from_single_device_arrays((8,), sharding, pieces)


def array_from_a_single_piece_unlisted():
    jax.make_array_from_single_device_arrays((8,), NamedSharding(_mesh("x"), P("x")), jnp.ones(8))


def array_from_pieces_on_one_device():
    sharding = NamedSharding(_mesh("x"), P("x"))
    jax.make_array_from_single_device_arrays((8,), sharding, [jnp.ones(1)] * 8)


def array_from_callback_without_sharding():
    jax.make_array_from_callback((8,), "x", lambda index: np.ones(8)[index])


def array_from_local_data_of_wrong_shape():
    sharding = NamedSharding(_mesh("x"), P("x"))
    jax.make_array_from_process_local_data(sharding, np.ones(8), global_shape=(16,))


def layout_of_another_rank():
    one = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    jax.device_put(jnp.ones((2, 3)), Format(Layout((0, 1, 2)), one))


def layout_without_sharding():
    Format(Layout((0, 1)), None)


def layout_that_is_a_tuple():
    Format((0, 1), jax.sharding.SingleDeviceSharding(jax.devices()[0]))


def format_with_a_spec():
    Format(Layout((0, 1)), P("x"))


def layout_handed_to_jit():
    jax.jit(lambda x: x, in_shardings=Layout((0, 1)))(jnp.ones((2, 2)))


def layout_constraint_of_a_format():
    jax.experimental.layout.with_layout_constraint(jnp.ones((2, 2)), "row major")


def platform_unknown():
    jax.devices("abacus")


def device_index_out_of_process():
    jax.local_devices(process_index=5)


def sharding_with_no_methods():
    class Mine(Sharding):
        pass

    Mine().device_set

"""Pytrees: structures that do not match, registration, keys."""
# mypy: ignore-errors

import collections
import dataclasses

import jax
import jax.numpy as jnp
from jax import tree_util


def transpose_of_mismatched_trees():
    outer, inner = jax.tree.structure([0, 0]), jax.tree.structure((0, 0, 0))
    jax.tree.transpose(outer, inner, [(1, 2), (3, 4)])


def dataclass_fields_overlap():
    @dataclasses.dataclass
    class Point:
        x: float
        y: float

    tree_util.register_dataclass(Point, data_fields=["x", "y"], meta_fields=["y"])


def dataclass_field_forgotten():
    @dataclasses.dataclass
    class Box:
        width: float
        height: float
        label: str

    tree_util.register_dataclass(Box, data_fields=["width"], meta_fields=["label"])


def dataclass_field_unknown():
    @dataclasses.dataclass
    class Line:
        length: float

    tree_util.register_dataclass(Line, data_fields=["length", "colour"], meta_fields=[])


def dataclass_only_data_fields():
    @dataclasses.dataclass
    class Circle:
        radius: float

    tree_util.register_dataclass(Circle, data_fields=["radius"])


def plain_class_as_dataclass():
    class Plain:
        pass

    tree_util.register_dataclass(Plain)


def broadcast_of_no_prefix():
    jax.tree.broadcast([1, 2], [1, 2, 3])


def broadcast_of_other_type():
    jax.tree.broadcast({"a": 1, "b": 2}, {"a": 1, "c": 2})


def broadcast_of_tuple_for_list():
    jax.tree.broadcast((1, 2), [1, 2])


def broadcast_of_named_tuple():
    Pair = collections.namedtuple("Pair", "left right")
    jax.tree.broadcast(Pair(1, 2), (1, 2))


def reduce_of_nothing():
    jax.tree.reduce_associative(lambda a, b: a + b, {})


def vmap_over_none_leaf():
    jax.vmap(lambda a, b: a, in_axes=(0, {"k": 0}))(jnp.ones(2), {"k": jnp.ones(2), "z": None})


def jit_of_a_tree_with_text_leaf():
    jax.jit(lambda tree: tree)({"name": "adam", "rate": 0.1})


def scan_with_missing_dictionary_key():
    jax.lax.scan(lambda c, x: ({"a": c["a"]}, x), {"a": 1.0, "b": 2.0}, jnp.arange(2.0))


def cond_with_nested_differences():
    first = lambda x: {"out": (x, {"deep": x})}
    second = lambda x: {"out": (x, {"deep": x, "other": x})}
    jax.lax.cond(True, first, second, 1.0)


def serialised_node_without_registration():
    class Opaque:
        pass

    jax.export.register_pytree_node_serialization(
        Opaque, serialized_name="opaque", serialize_auxdata=lambda aux: b"", deserialize_auxdata=lambda data: None
    )


def serialised_namedtuple_of_a_class():
    class NoTuple:
        pass

    jax.export.register_namedtuple_serialization(NoTuple, serialized_name="no_tuple")


def serialised_twice():
    Twin = collections.namedtuple("Twin", "left right")
    jax.export.register_namedtuple_serialization(Twin, serialized_name="twin")
    jax.export.register_namedtuple_serialization(Twin, serialized_name="other_twin")


def serialised_name_taken():
    One, Two = collections.namedtuple("One", "a"), collections.namedtuple("Two", "a")
    jax.export.register_namedtuple_serialization(One, serialized_name="taken")
    jax.export.register_namedtuple_serialization(Two, serialized_name="taken")

"""Arguments of a call, as parameters take them."""

from __future__ import annotations

from tree_sitter import Node

from pipeline.mine.evaluate.machine import Machine
from pipeline.mine.evaluate.values import (
    Env,
    Frame,
    Many,
    Marker,
    Seq,
    Table,
    Text,
    Unknown,
    Value,
)
from pipeline.mine.syntax import inside, node_text, words
from pipeline.mine.template import fixed_text


def read_arguments(
    machine: Machine, listed: Node, env: Env | None, frame: Frame
) -> tuple[tuple[Value, ...], tuple[tuple[str, Value], ...]]:
    """The arguments of a call, as `parameters.bind` takes them."""
    if listed.type == "generator_expression":
        return (machine.evaluate(listed, env, frame),), ()
    arguments: list[Value] = []
    keywords: list[tuple[str, Value]] = []
    for node in inside(listed):
        if node.type == "keyword_argument":
            key, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if key is not None and value is not None:
                keywords.append((node_text(key), machine.part(value, env, frame)))
        elif node.type == "list_splat":
            spread = inner(machine, node, env, frame)
            known = isinstance(spread, Seq) and not any(isinstance(i, (Many, Marker)) for i in spread.items)
            if isinstance(spread, Seq) and known:
                arguments.extend(i for i in spread.items if not isinstance(i, Many))
            else:
                arguments.append(Unknown(words(node)))
        elif node.type == "dictionary_splat":
            table = inner(machine, node, env, frame)
            entries = table.entries if isinstance(table, Table) else ()
            keywords.extend((fixed_text(k.template) or "", v) for k, v in entries if isinstance(k, Text))
            if not (isinstance(table, Table) and table.whole):
                keywords.append(("**", Unknown("**")))
        else:
            arguments.append(machine.part(node, env, frame))
    return tuple(arguments), tuple(keywords)


def inner(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """A parenthesised expression, or another form that stands for the one in it."""
    for child in inside(node):
        return machine.evaluate(child, env, frame)
    return Unknown(words(node))

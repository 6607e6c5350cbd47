"""Literals: what strings, f-strings and numbers say."""

from __future__ import annotations

import ast

from tree_sitter import Node

from pipeline.mine.evaluate.machine import Machine, Step
from pipeline.mine.evaluate.render import formatted, hole, to_ascii, to_repr, to_text
from pipeline.mine.evaluate.values import (
    Const,
    Env,
    Frame,
    Text,
    Unknown,
    Value,
)
from pipeline.mine.syntax import inside, literal_text, node_text, string_prefix, unescape, words
from pipeline.mine.template import EMPTY, MAX_PART, Template, bounded, concat, fixed_text, text


def number(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    try:
        return Const(ast.literal_eval(node_text(node)))
    except (ValueError, SyntaxError):
        return Unknown(words(node))


def constant(value: object) -> Step:
    known = Const(value)

    def step(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
        return known

    return step


def string(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    prefix = string_prefix(node)
    if "b" in prefix:
        try:
            return Const(ast.literal_eval(node_text(node)))
        except (ValueError, SyntaxError):
            return Unknown(words(node))
    if "f" not in prefix and "t" not in prefix:
        plain = literal_text(node)
        return Text(text(plain)) if plain is not None else Unknown(words(node))
    if "t" in prefix:
        return Unknown(words(node))
    raw = "r" in prefix
    parts: list[Template] = []
    for child in node.named_children:
        if child.type == "string_content":
            parts.append(text(unescape(node_text(child), raw=raw, doubled_braces=True)))
        elif child.type == "interpolation":
            parts.append(interpolation(machine, child, env, frame))
    return Text(concat(parts))


def interpolation(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Template:
    """`{expression!conversion:spec}` of an f-string."""
    expression = node.child_by_field_name("expression")
    if expression is None:
        return hole(words(node))
    source = words(expression)
    value = machine.part(expression, env, frame)
    conversion = node.child_by_field_name("type_conversion")
    spec_node = node.child_by_field_name("format_specifier")
    kind = node_text(conversion)[1:] if conversion is not None else ""
    before = EMPTY
    if any(c.type == "=" for c in node.children):
        before = text(_debug_text(node, conversion or spec_node))
        kind = kind or ("" if spec_node is not None else "r")
    if spec_node is None:
        return concat([before, bounded(converted(machine, value, kind, source), source, MAX_PART)])
    spec = specification(machine, spec_node, env, frame)
    if spec is None:
        return concat([before, hole(source)])
    if kind:
        value = Text(converted(machine, value, kind, source))
    return concat([before, formatted(value, spec, source, machine.show)])


def converted(machine: Machine, value: Value, kind: str, source: str) -> Template:
    """What the conversion `!r`, `!a` or `!s` (or none) makes of a value."""
    if kind in ("r", "a"):
        shown = to_repr(value, source, machine.show)
        return to_ascii(shown) if kind == "a" else shown
    return to_text(value, source, machine.show)


def _debug_text(node: Node, stop: Node | None) -> str:
    """What `{x = }` prints before the value: the source up to and with the `=` and the spaces after it."""
    whole = node.text or b""
    end = (stop.start_byte - node.start_byte) if stop is not None else len(whole) - 1
    return whole[1:end].decode("utf-8", "replace")


def specification(machine: Machine, node: Node, env: Env | None, frame: Frame) -> str | None:
    """A format specification as text; None where a part of it is not known."""
    parts: list[str] = []
    data, base, at = node.text or b"", node.start_byte, 1
    for child in node.named_children:
        if child.type not in ("format_expression", "interpolation"):
            continue
        expression = child.child_by_field_name("expression")
        value = machine.evaluate(expression, env, frame) if expression is not None else None
        known = fixed_text(to_text(value, "", machine.show)) if isinstance(value, (Text, Const)) else None
        if known is None:
            return None
        parts += [data[at : child.start_byte - base].decode("utf-8", "replace"), known]
        at = child.end_byte - base
    return "".join(parts) + data[at:].decode("utf-8", "replace")


def strings(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """Literals side by side."""
    parts = [machine.evaluate(c, env, frame) for c in inside(node)]
    if all(isinstance(p, Text) for p in parts):
        return Text(concat([p.template for p in parts if isinstance(p, Text)]))
    if all(isinstance(p, Const) and isinstance(p.value, bytes) for p in parts):
        return Const(b"".join(p.value for p in parts if isinstance(p, Const) and isinstance(p.value, bytes)))
    return Unknown(words(node))

"""Parameters of a function, and the environment a call gives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from pipeline.mine.evaluate.values import Bind, Env, Lazy, Seq, Table, Text, Unknown, Value, union
from pipeline.mine.syntax import literal_text, node_text
from pipeline.mine.template import text


class Param(NamedTuple):
    """kind: "" for an ordinary one, "*" and "**" for the collecting ones, "kw" after a star."""

    name: str
    kind: str
    default: Node | None
    annotation: Node | None


@lru_cache(maxsize=1024)
def read_parameters(function: Node) -> tuple[Param, ...]:
    """The parameters of a function_definition or lambda node."""
    listed = function.child_by_field_name("parameters")
    out: list[Param] = []
    keyword_only = False
    for node in listed.named_children if listed is not None else ():
        param = _parameter(node)
        if node.type == "keyword_separator":
            keyword_only = True
        if param is None:
            continue
        if param.kind == "*":
            keyword_only = True
        elif not param.kind and keyword_only:
            param = param._replace(kind="kw")
        out.append(param)
    return tuple(out)


def _parameter(node: Node) -> Param | None:
    kind = node.type
    if kind == "identifier":
        return Param(node_text(node), "", None, None)
    if kind in ("default_parameter", "typed_default_parameter"):
        name = node.child_by_field_name("name")
        if name is not None:
            return Param(node_text(name), "", node.child_by_field_name("value"), node.child_by_field_name("type"))
    if kind == "typed_parameter" and node.named_children:
        inner = _parameter(node.named_children[0])
        return inner and inner._replace(annotation=node.child_by_field_name("type"))
    if kind in ("list_splat_pattern", "dictionary_splat_pattern") and node.named_children:
        return Param(node_text(node.named_children[0]), "*" if kind.startswith("list") else "**", None, None)
    return None


def literal_values(annotation: Node | None) -> Value | None:
    """The texts of a `Literal["a", "b"]` annotation; None for any other."""
    if annotation is None or not node_text(annotation).replace("typing.", "").startswith("Literal["):
        return None
    found: list[Value] = []
    stack = [annotation]
    while stack:
        node = stack.pop()
        if node.type == "string":
            value = literal_text(node)
            if value is None:
                return None
            found.append(Text(text(value)))
        elif node.type in ("integer", "true", "false", "none", "attribute"):
            return None
        else:
            stack.extend(reversed(node.named_children))
    return union(found) if found else None


def bind(
    params: Sequence[Param],
    arguments: Sequence[Value],
    keywords: Sequence[tuple[str, Value]],
    env: Env | None,
    default: Callable[[Node], Value],
) -> Env | None:
    """The environment in which a function called with these arguments starts.

    A starred argument of unknown length is in `arguments` as an Unknown whose source begins with `*`, and in
    `keywords` as an Unknown under the name `**`: parameters they may fill are unknown.
    """
    given = dict(keywords)
    spread = next((i for i, a in enumerate(arguments) if isinstance(a, Unknown) and a.source.startswith("*")), None)
    position = 0
    for param in params:
        value: Value
        if param.kind == "*":
            rest = tuple(arguments[position:])
            value = Unknown(param.name, may_be_empty=True) if spread is not None else Seq("tuple", rest)
            position = len(arguments)
        elif param.kind == "**":
            left = tuple((Text(text(k)), v) for k, v in given.items() if k != "**")
            value = Table(left, whole="**" not in given)
        elif param.kind == "" and position < len(arguments) and (spread is None or position < spread):
            value = arguments[position]
            position += 1
        elif param.name in given:
            value = given.pop(param.name)
        elif spread is not None or "**" in given:
            value = Unknown(param.name)
        elif param.default is not None:
            node = param.default
            env = Bind(param.name, Lazy(lambda node=node: default(node), passed=True), env)  # type: ignore[misc]  # a lambda's default
            continue
        else:
            value = Unknown(param.name)
        env = Bind(param.name, known(value), env)
    return env


def known(value: Value) -> Lazy:
    """A value that came in from outside, as an environment holds it."""
    return Lazy(lambda: value, value, passed=True)

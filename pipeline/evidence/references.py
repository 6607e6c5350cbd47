"""References of one file: which names its functions, classes and variables use. Pure, picklable, from that file alone.

A unit is a function of the module's top level, a method, a class, or a module-level variable; what is nested in a
function counts for that function.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from pipeline.evidence.uses import Reading, Use, read_class
from pipeline.mine.syntax import inside, literal_text, node_text

_DOTTED = re.compile(r"[A-Za-z_][\w.]*")
_DEFINITIONS = frozenset({"function_definition", "class_definition", "decorated_definition"})
_BLOCKS = frozenset({
    "if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "finally_clause", "with_statement",
    "block", "while_statement",
})  # fmt: skip


class Unit(NamedTuple):
    """A unit by its qualified name. kind: "function", "class" or "variable".

    value: for a variable, the dotted name it stands for (`value()` the call that makes it), or None.
    returns: the dotted class a function is annotated to return. attributes: (name, dotted class) of a class's objects.
    """

    name: str
    kind: str
    use: Use
    decorators: tuple[str, ...] = ()
    value: str | None = None
    returns: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()


class Registration(NamedTuple):
    """A statement that ties values to keys: `table[key] = value`, `register(key, value)`, `@register(key)`.

    keys: dotted names that may be keys, most likely first. values: dotted names (or units of this file).
    registrar: the function that is called, or None. table: the container that is given an item, or None.
    """

    keys: tuple[str, ...]
    values: tuple[str, ...]
    registrar: str | None = None
    table: str | None = None


class FileReferences(NamedTuple):
    """All of one file.

    exports: names imported under their own name, which says that they are exported. listed: those in `__all__`.
    settings: (dotted, values) of `module.name = value` and `Class.name = value`.
    """

    path: str
    units: tuple[Unit, ...]
    registrations: tuple[Registration, ...]
    settings: tuple[tuple[str, tuple[str, ...]], ...]
    exports: frozenset[str]
    listed: frozenset[str]


def read(path: str, source: bytes, root: Node) -> FileReferences:
    """The references of one file, from its source in UTF-8 and the root of its syntax tree."""
    walk = _Walk(source)
    walk.block(root)
    return FileReferences(
        path=path,
        units=tuple(walk.units),
        registrations=tuple(walk.registrations),
        settings=tuple(walk.settings),
        exports=frozenset(walk.exports),
        listed=frozenset(walk.listed),
    )


class _Walk:
    """One pass over the statements of a module."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.units: list[Unit] = []
        self.registrations: list[Registration] = []
        self.settings: list[tuple[str, tuple[str, ...]]] = []
        self.exports: set[str] = set()
        self.listed: set[str] = set()

    def use(self, *nodes: Node | None) -> Use:
        return Reading(self.source, [n for n in nodes if n is not None]).use()

    def names(self, *nodes: Node | None) -> tuple[str, ...]:
        use = self.use(*nodes)
        return (*use.calls, *use.mentions)

    # Module level

    def block(self, block: Node, loop: dict[str, tuple[str, ...]] | None = None) -> None:
        for node in block.named_children:
            kind = node.type
            if kind in _DEFINITIONS:
                self.definition(node, "")
            elif kind in ("import_from_statement", "import_statement"):
                self.imported(node)
            elif kind == "expression_statement":
                for one in node.named_children:
                    self.expression(one, loop or {})
            elif kind == "for_statement":
                self.loop(node, loop or {})
            elif kind in _BLOCKS:
                self.block(node, loop)

    def imported(self, node: Node) -> None:
        for one in node.children_by_field_name("name"):
            original, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
            if original is not None and alias is not None and node_text(original) == node_text(alias):
                self.exports.add(node_text(alias))

    def loop(self, node: Node, outer: dict[str, tuple[str, ...]]) -> None:
        """A loop over what a literal lists: its variable stands for all of it."""
        left, right, body = (node.child_by_field_name(f) for f in ("left", "right", "body"))
        if left is None or right is None or body is None:
            return
        listed = self.names(right)
        variables = [left] if left.type == "identifier" else [c for c in left.named_children if c.type == "identifier"]
        self.block(body, {**outer, **{node_text(v): listed for v in variables}})

    def expression(self, node: Node, loop: dict[str, tuple[str, ...]]) -> None:
        if node.type in ("assignment", "augmented_assignment"):
            self.assignment(node, loop)
        elif node.type == "call":
            self.call(node, loop)

    def assignment(self, node: Node, loop: dict[str, tuple[str, ...]]) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        if right.type == "assignment":
            self.assignment(right, loop)
            right = _last(right)
        if left.type == "identifier":
            self.variable(node_text(left), right, node.child_by_field_name("type"))
        elif left.type in ("pattern_list", "tuple_pattern"):
            for target in left.named_children:
                self.units.append(Unit(node_text(target), "variable", self.use(right)))
        elif left.type == "subscript":
            container, keys = left.child_by_field_name("value"), left.children_by_field_name("subscript")
            table = node_text(container) if container is not None else None
            self.registered(self.names(*keys), self.names(right), loop, table=table)
        elif left.type == "attribute":
            self.settings.append((node_text(left), self.names(right)))

    def variable(self, name: str, right: Node, annotation: Node | None) -> None:
        if name == "__all__":
            self.listed |= {said for n in inside(right) if n.type == "string" and (said := literal_text(n)) is not None}
            return
        value = read_class(annotation)
        maker = right.child_by_field_name("function") if right.type == "call" else None
        if right.type in ("identifier", "attribute") and _DOTTED.fullmatch(node_text(right)):
            value = node_text(right)
        elif maker is not None and _DOTTED.fullmatch(node_text(maker)):
            value = f"{node_text(maker)}()"
        self.units.append(Unit(name, "variable", self.use(right), value=value))
        self.tables(right, name)

    def tables(self, node: Node, name: str) -> None:
        """Registers what a literal table's keys are given."""
        for pair in node.named_children if node.type == "dictionary" else ():
            if pair.type == "pair":
                keys = self.names(pair.child_by_field_name("key"))
                if keys:
                    self.registered(keys, self.names(pair.child_by_field_name("value")), {}, table=name)

    def call(self, node: Node, loop: dict[str, tuple[str, ...]]) -> None:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return
        if function.type == "call":  # register(key)(value)
            first = self.names(function)
            self.registered(first, self.names(arguments), loop, registrar=first[0] if first else None)
            return
        said = node_text(function)
        given = [self.names(a) for a in inside(arguments)]
        if said == "setattr" and len(given) > 2 and given[0]:
            self.registered(given[0], given[2], loop)
        elif _DOTTED.fullmatch(said):
            keys = ((said,) if "." in said else ()) + tuple(n for its in given for n in its)
            self.registered(keys, tuple(n for its in given for n in its), loop, registrar=said)

    def registered(
        self,
        keys: Sequence[str],
        values: Sequence[str],
        loop: dict[str, tuple[str, ...]],
        *,
        registrar: str | None = None,
        table: str | None = None,
    ) -> None:
        keys = tuple(dict.fromkeys(k for key in keys for k in loop.get(key, (key,))))
        values = tuple(dict.fromkeys(v for value in values for v in loop.get(value, (value,))))
        if values and (keys or registrar or table):
            self.registrations.append(Registration(keys, values, registrar, table))

    # Definitions

    def definition(self, node: Node, prefix: str) -> None:
        decorators: list[Node] = []
        if node.type == "decorated_definition":
            decorators = [c for c in node.named_children if c.type == "decorator"]
            node = node.child_by_field_name("definition") or node
        name_node = node.child_by_field_name("name")
        name = prefix + (node_text(name_node) if name_node is not None else "?")
        for decorator in decorators:
            self.decorated(decorator, name)
        wraps = self.names(*decorators)
        if node.type == "class_definition":
            self.cls(node, name, wraps)
        else:
            self.function(node, name, wraps, in_class=bool(prefix))

    def decorated(self, decorator: Node, name: str) -> None:
        keys = self.names(decorator)
        if keys:
            inner = inside(decorator)[0] if inside(decorator) else decorator
            function = inner.child_by_field_name("function") if inner.type == "call" else inner
            said = node_text(function) if function is not None else ""
            self.registered(keys, (name,), {}, registrar=said if _DOTTED.fullmatch(said) else None)

    def function(self, node: Node, name: str, wraps: tuple[str, ...], *, in_class: bool) -> None:
        parameters = node.child_by_field_name("parameters")
        first = next((c for c in inside(parameters)), None) if parameters is not None and in_class else None
        me = None
        if first is not None and "staticmethod" not in wraps:
            me = node_text(first if first.type == "identifier" else first.named_children[0])
        reading = Reading(self.source, [node], me, own=name.rpartition(".")[2])
        returns = read_class(node.child_by_field_name("return_type"))
        kept = tuple(dict.fromkeys(reading.kept()))
        self.units.append(Unit(name, "function", reading.use(), wraps, returns=returns, attributes=kept))

    def cls(self, node: Node, name: str, wraps: tuple[str, ...]) -> None:
        body = node.child_by_field_name("body")
        rest: list[Node] = []
        attributes: dict[str, str] = {}
        start = len(self.units)
        for statement in body.named_children if body is not None else ():
            if statement.type in _DEFINITIONS:
                self.definition(statement, f"{name}.")
            elif statement.type == "expression_statement" and statement.named_children:
                self.class_variable(statement.named_children[0], name, attributes)
            else:
                rest.append(statement)
        for unit in self.units[start:]:
            if unit.kind == "function" and unit.name.count(".") == name.count(".") + 1:
                attributes.update(a for a in unit.attributes if a[0] not in attributes)
        self.units.append(Unit(name, "class", self.use(*rest), wraps, attributes=tuple(attributes.items())))

    def class_variable(self, node: Node, name: str, attributes: dict[str, str]) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if node.type != "assignment" or left is None or left.type != "identifier":
            return
        cls = read_class(node.child_by_field_name("type"))
        if cls is not None:
            attributes[node_text(left)] = cls
        if right is not None:
            self.units.append(Unit(f"{name}.{node_text(left)}", "variable", self.use(right)))


def _last(node: Node) -> Node:
    while node.type == "assignment":
        inner = node.child_by_field_name("right")
        if inner is None:
            break
        node = inner
    return node

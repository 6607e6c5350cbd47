"""What a piece of source refers to: names that are called or mentioned, methods, classes of objects as far as told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from pipeline.mine.facts import Import, read_import
from pipeline.mine.syntax import captures, node_text, query

_USED = query(
    """(identifier) @name (type) @type (case_pattern) @type
       (comparison_operator [(identifier) (attribute)] @compared)
       (subscript subscript: [(identifier) (attribute)] @compared)
       (pair key: [(identifier) (attribute)] @compared)
       (parameters (identifier) @local) (lambda_parameters (identifier) @local)
       (default_parameter name: (identifier) @local) (typed_default_parameter name: (identifier) @local)
       (typed_parameter . (identifier) @local)
       (list_splat_pattern (identifier) @local) (dictionary_splat_pattern (identifier) @local)
       (assignment left: (identifier) @local) (pattern_list (identifier) @local) (tuple_pattern (identifier) @local)
       (for_statement left: (identifier) @local) (for_in_clause left: (identifier) @local)
       (as_pattern_target (identifier) @local) (named_expression name: (identifier) @local)
       (function_definition name: (identifier) @local) (class_definition name: (identifier) @local)
       (typed_parameter) @typed (typed_default_parameter) @typed
       (assignment left: (identifier) right: (call)) @made
       (assignment left: (attribute object: (identifier)) right: (_)) @kept
       (assignment left: (subscript) right: (_)) @stored
       (import_statement) @import (import_from_statement) @import"""
)
_UNORDERED = frozenset({"name", "local", "type", "compared"})
_CHAIN = re.compile(rb"(?:\s*\.\s*[A-Za-z_]\w*)+")
_CALLED = re.compile(rb"\s*\(")
_BOUND = re.compile(rb"\s*=(?!=)")
_SPACE = re.compile(rb"\s+")
_DOTTED = re.compile(r"[A-Za-z_][\w.]*")
_ANNOTATION = re.compile(r"(?:Optional|Union)?[\w.|,\[\] ]*")
_NO_CLASS = frozenset({"None", "Optional", "Union", "Any", "int", "str", "bool", "float", "object", "tuple", "list"})


class Use(NamedTuple):
    """What a piece of source refers to, in source words; names that it binds itself are left out.

    calls, mentions: dotted names that are called, and those that only stand there. own, above: attributes of `self`
    (or `cls`) and of `super()`. typed: (dotted class, attribute) where the object's class is told by an annotation or
    by the call that made it. loose: methods called on objects of which nothing is known. stores: containers that get
    an item. imports: those inside the function.
    """

    calls: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    typed: tuple[tuple[str, str], ...] = ()
    loose: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    imports: tuple[Import, ...] = ()


class Reading:
    """One reading of the names in some nodes of a source.

    me: the name that `self` has there. own: a name that is not bound inside, though its definition stands there.
    """

    def __init__(self, source: bytes, nodes: Sequence[Node], me: str | None = None, own: str | None = None) -> None:
        self.source, self.me = source, me
        found: dict[str, list[Node]] = {}
        for node in nodes:
            for kind, its in captures(_USED, node).items():
                found.setdefault(kind, []).extend(its)
        self.found = {k: its if k in _UNORDERED else sorted(its, key=_start) for k, its in found.items()}
        self.local = {n.text for n in found.get("local", ())}
        self.imports = tuple(i for n in found.get("import", ()) for i in read_import(n))
        self.local -= {i.name.encode() for i in self.imports} | {(own or "").encode()}
        self.compared = {n.start_byte for n in found.get("compared", ())}
        self.types = dict(self._types())
        self.calls: dict[str, None] = {}
        self.mentions: dict[str, None] = {}
        self.own: dict[str, None] = {}
        self.above: dict[str, None] = {}
        self.typed: dict[tuple[str, str], None] = {}
        self.loose: dict[str, None] = {}

    def use(self) -> Use:
        skipped = [(n.start_byte, n.end_byte) for n in self.found.get("type", ())]
        skipped += [(n.start_byte, n.end_byte) for n in self.found.get("import", ())]
        skipped.sort()
        at, end = 0, -1
        for start, stop in sorted((n.start_byte, n.end_byte) for n in self.found.get("name", ())):
            while at < len(skipped) and skipped[at][1] <= start:
                at += 1
            if start < end or (at < len(skipped) and skipped[at][0] <= start):
                continue
            chain = _CHAIN.match(self.source, stop)
            end = chain.end() if chain else stop
            self._name(self.source[start:stop], chain[0] if chain else b"", start, end)
        return Use(
            calls=tuple(self.calls),
            mentions=tuple(m for m in self.mentions if m not in self.calls),
            own=tuple(self.own),
            above=tuple(self.above),
            typed=tuple(self.typed),
            loose=tuple(self.loose),
            stores=tuple(dict.fromkeys(self._stores())),
            imports=self.imports,
        )

    def _name(self, root: bytes, chain: bytes, start: int, end: int) -> None:
        rest = _SPACE.sub(b"", chain).decode("utf-8", "replace") if chain else ""
        called = _CALLED.match(self.source, end) is not None
        if self.source[start - 1 : start] == b"." and start:
            if self.source[:start].endswith(b"super()."):
                self.above[_text(root)] = None
            elif called:
                self.loose[(rest.rpartition(".")[2] or _text(root))] = None
            return
        if not rest and _BOUND.match(self.source, end):
            return
        name = _text(root)
        if name == self.me and rest:
            self._own(rest.split(".")[1:], called)
        elif root in self.local:
            self._object(self.types.get(name), rest.split(".")[1:], called)
        elif called:
            self.calls[name + rest] = None
        elif start not in self.compared:  # what is only compared with, or looked up, is not used
            self.mentions[name + rest] = None

    def _own(self, parts: list[str], called: bool) -> None:
        self.own[parts[0]] = None
        if len(parts) > 1:
            self.own[".".join(parts[:2])] = None
            if called:
                self.own[f"?.{parts[-1]}"] = None

    def _object(self, cls: str | None, parts: list[str], called: bool) -> None:
        if cls is not None and parts:
            self.typed[cls, parts[0]] = None
        if called and parts and (cls is None or len(parts) > 1):
            self.loose[parts[-1]] = None

    def _types(self) -> Iterator[tuple[str, str]]:
        """Local names and their classes as far as annotations and constructor calls tell."""
        for node in self.found.get("made", ()):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            maker = right.child_by_field_name("function") if right is not None else None
            if left is not None and maker is not None and _DOTTED.fullmatch(node_text(maker)):
                yield node_text(left), f"{node_text(maker)}()"
        for node in self.found.get("typed", ()):
            name = node.child_by_field_name("name") or (node.named_children[0] if node.named_children else None)
            cls = read_class(node.child_by_field_name("type"))
            if name is not None and cls is not None:
                yield node_text(name), cls

    def _stores(self) -> Iterator[str]:
        for node in self.found.get("stored", ()):
            left = node.child_by_field_name("left")
            while left is not None and left.type == "subscript":
                left = left.child_by_field_name("value")
            said = node_text(left) if left is not None else ""
            if _DOTTED.fullmatch(said) and said.partition(".")[0].encode() not in self.local:
                yield said

    def kept(self) -> Iterator[tuple[str, str]]:
        """Attributes of `self` and their classes, as far as they are told."""
        for node in self.found.get("kept", ()):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is None or right is None or node_text(left).partition(".")[0] != self.me:
                continue
            name = node_text(left).partition(".")[2]
            cls = read_class(node.child_by_field_name("type"))
            maker = right.child_by_field_name("function") if right.type == "call" else None
            if cls is None and maker is not None and _DOTTED.fullmatch(node_text(maker)):
                cls = f"{node_text(maker)}()"
            cls = cls or self.types.get(node_text(right))
            if cls is not None and name.isidentifier():
                yield name, cls


def read_class(annotation: Node | None) -> str | None:
    """The dotted class that an annotation names, None aside; None where it names several or a container."""
    said = node_text(annotation).strip("\"'") if annotation is not None else ""
    if not said or not _ANNOTATION.fullmatch(said):
        return None
    if "[" in said and not said.replace("typing.", "").startswith(("Optional[", "Union[")):
        return None
    names = [n for n in _DOTTED.findall(said.replace("typing.", "")) if n not in _NO_CLASS]
    return names[0] if len(names) == 1 else None


def _start(node: Node) -> int:
    return node.start_byte


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")

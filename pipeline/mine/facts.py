"""File facts: what one file defines, imports, calls and raises. Pure, picklable, from that file alone."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from tree_sitter import Node

from pipeline.mine import guard
from pipeline.mine.alone import Alone
from pipeline.mine.guard import Clause, Kind
from pipeline.mine.syntax import captures, inside, node_text, occurrences, parse, query, to_utf8

_TOLD = (b"raise", b"assert", b"global")
_PYTHON_2 = (b"print", b"exec")
_CALL_LIKE = frozenset(b"(=.,:)]")  # what stands after the word where it is no statement of Python 2
_BEFORE_A_STATEMENT = (b"", b"\n", b":", b";")
_STORED = re.compile(rb"\.(\w++) ?(?:=|: ?[^=\n]{1,40}=)(?!=)")
_CALLED_BACKWARDS = re.compile(rb"\(\s*+(\w++)")  # in a source read from its end: five times as fast
_SEEN = query(
    """(raise_statement) @raise (assert_statement) @assert (ERROR) @error
       (comparison_operator operators: "<>") @old (raise_statement (expression_list)) @old
       (print_statement) @old (exec_statement) @old
       (global_statement) @global"""
)
_DEFINITIONS = frozenset({"function_definition", "class_definition"})


class Definition(NamedTuple):
    """A function or class of the module's top level, or the whole module (`<module>`) where code raises outside both.

    start, end: bytes of the definition in the UTF-8 source, decorators left out.
    """

    name: str
    is_class: bool
    start: int
    end: int
    bases: tuple[str, ...]
    decorators: tuple[str, ...]


class Import(NamedTuple):
    """`name` stands for `attribute` of `module` (None: for the module itself; "*": for everything in it).

    level: the leading dots of a relative import.
    """

    name: str
    module: str
    attribute: str | None
    level: int


class Assignment(NamedTuple):
    """A module-level name and the bytes of the expression assigned to it (start -1: not one expression)."""

    name: str
    start: int
    end: int


class Site(NamedTuple):
    """A raise statement, or an assert with a message.

    line, end_line: from 1. start, end: bytes. unit: index into the file's definitions, -1 for the module's own code.
    alone: whether the statement tells by itself what it raises.
    """

    is_assert: bool
    bare: bool
    line: int
    end_line: int
    start: int
    end: int
    qualname: str
    condition: str | None
    unit: int
    alone: bool


class FileFacts(NamedTuple):
    """Everything the link step needs to know of one file.

    damage: what kept the file from being read as Python 3 in UTF-8, or None.
    called: the last names of everything that is called anywhere in the file.
    stored: the attributes that are assigned anywhere. rebound: the names of `global` statements.
    """

    path: str
    definitions: tuple[Definition, ...]
    imports: tuple[Import, ...]
    assignments: tuple[Assignment, ...]
    sites: tuple[Site, ...]
    called: frozenset[str]
    stored: frozenset[str]
    rebound: frozenset[str]
    raise_statements: int
    asserts_with_message: int
    damage: str | None


def read(path: str, data: bytes) -> FileFacts:
    """The facts of one file, from its bytes as they are stored."""
    source, damage = to_utf8(data)
    root = parse(source).root_node
    told = {word: list(occurrences(source, word)) for word in _TOLD}
    walk = _Walk(sorted(at for its in told.values() for at in its), Alone(source, root))
    walk.block(root, (), _Scope("", "", -1, set()))
    found = captures(_SEEN, root) if root.has_error or _may_be_python_2(source) else _statements(root, told)
    if root.has_error:
        walk.rescue(found)
        damage = damage or _damage(root, found)
    return FileFacts(
        path=path,
        definitions=tuple(walk.definitions),
        imports=tuple(walk.imports),
        assignments=tuple(walk.assignments),
        sites=tuple(sorted(walk.sites, key=lambda s: (s.start, s.end))),
        called=_called(source),
        stored=frozenset(m.decode("ascii", "replace") for m in set(_STORED.findall(source))),
        rebound=frozenset(node_text(n) for g in found.get("global", ()) for n in g.named_children),
        raise_statements=len(found.get("raise", ())),
        asserts_with_message=sum(_has_message(n) for n in found.get("assert", ())),
        damage=damage or ("not Python 3" if found.get("old") else None),
    )


def _called(source: bytes) -> frozenset[str]:
    """The words that stand before a parenthesis."""
    found = set(_CALLED_BACKWARDS.findall(source[::-1]))
    return frozenset(m[::-1].decode("ascii", "replace") for m in found if not m[-1:].isdigit())


def _statements(root: Node, told: dict[bytes, list[int]]) -> dict[str, list[Node]]:
    """The statements that begin with one of the words, found from where the words stand: what `_SEEN` finds."""
    out: dict[str, list[Node]] = {}
    for word, places in told.items():
        name = word.decode()
        for at in places:
            node = root.descendant_for_byte_range(at, at + len(word))
            if node is not None and node.type == name and node.parent is not None:
                out.setdefault(name, []).append(node.parent)
    if any(c.type == "expression_list" for n in out.get("raise", ()) for c in n.named_children):
        out["old"] = out["raise"]
    return out


def _may_be_python_2(source: bytes) -> bool:
    """Whether a file holds what could be a statement or an operator of Python 2."""
    if b"<>" in source:
        return True
    for word in _PYTHON_2:
        for at in occurrences(source, word):
            rest = source[at + len(word) : at + len(word) + 40].lstrip(b" \t")
            before = source[max(0, at - 200) : at].rstrip(b" \t")[-1:]
            if before not in _BEFORE_A_STATEMENT:
                continue
            if rest[:1] not in (b"", b"\n") and rest[0] not in _CALL_LIKE:
                return True
    return False


def _damage(root: Node, found: dict[str, list[Node]]) -> str:
    if found.get("error"):
        return f"syntax not understood at line {found['error'][0].start_point[0] + 1}"
    return f"syntax not understood ({root.type})"


def _has_message(node: Node) -> bool:
    return len(inside(node)) > 1


def is_bare(node: Node) -> bool:
    return not inside(node)


class _Scope(NamedTuple):
    """Where the walk stands: the qualified name so far, what joins the next name to it, and the unit.

    outside: the names that a `global` statement of this scope has moved to the module.
    """

    qualname: str
    joint: str
    unit: int
    outside: set[str]

    def within(self, name: str, joint: str, unit: int) -> _Scope:
        before = "" if name in self.outside else self.qualname + self.joint
        return _Scope(before + name, joint, unit, set())


class _Walk:
    """One pass over the statements of a file, from the outside in."""

    def __init__(self, told: list[int], looks: Alone) -> None:
        self.told = told  # where anything stands that a walk inside a definition is for
        self.looks = looks
        self.definitions: list[Definition] = []
        self.imports: list[Import] = []
        self.assignments: list[Assignment] = []
        self.sites: list[Site] = []

    def block(self, block: Node, clauses: tuple[Clause, ...], scope: _Scope) -> None:
        last = self.last_told(block.end_byte) if scope.unit >= 0 else block.end_byte
        for statement in block.named_children:
            if statement.start_byte > last:
                break
            self.statement(statement, clauses, scope)
            kind = statement.type
            if kind in ("if_statement", "try_statement"):
                clauses += guard.after(statement)

    def statement(self, node: Node, clauses: tuple[Clause, ...], scope: _Scope) -> None:
        kind = node.type
        if kind == "expression_statement":
            if scope.unit < 0:
                self.assignment(node)
            if node.has_error:
                self.damaged(node, clauses, scope)
        elif kind in ("raise_statement", "assert_statement"):
            self.site(node, clauses, scope)
        elif kind in _DEFINITIONS:
            self.definition(node, (), scope)
        elif kind == "decorated_definition":
            self.decorated(node, scope)
        elif kind in ("import_statement", "import_from_statement"):
            if scope.unit < 0:
                self.imports.extend(read_import(node))
        elif kind == "global_statement":
            scope.outside.update(node_text(c) for c in node.named_children)
        elif scope.unit < 0 or self.tells(node):
            inner = guard.arms(node)
            for arm in inner:
                self.block(arm.block, clauses + arm.clauses, scope)
            if node.has_error or (not inner and kind == "ERROR"):
                self.damaged(node, clauses, scope)

    def damaged(self, node: Node, clauses: tuple[Clause, ...], scope: _Scope) -> None:
        """Reads the statements that stand inside ERROR nodes as far as they are whole."""
        for child in node.named_children if node.type == "ERROR" else ():
            self.statement(child, clauses, scope)

    def decorated(self, node: Node, scope: _Scope) -> None:
        inner = node.child_by_field_name("definition")
        names = tuple(node_text(c)[1:].strip() for c in node.named_children if c.type == "decorator")
        if inner is not None:
            self.definition(inner, names, scope)

    def definition(self, node: Node, decorators: tuple[str, ...], scope: _Scope) -> None:
        name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        name = node_text(name_node) if name_node is not None else "?"
        is_class = node.type == "class_definition"
        unit = scope.unit
        if unit < 0:
            unit = len(self.definitions)
            bases = read_bases(node) if is_class else ()
            self.definitions.append(Definition(name, is_class, node.start_byte, node.end_byte, bases, decorators))
        if body is not None and self.tells(body):
            self.block(body, (), scope.within(name, "." if is_class else ".<locals>.", unit))

    def last_told(self, end: int) -> int:
        """The last place before `end` that the walk is for."""
        place = bisect_left(self.told, end)
        return self.told[place - 1] if place else -1

    def tells(self, node: Node) -> bool:
        place = bisect_left(self.told, node.start_byte)
        return place < len(self.told) and self.told[place] < node.end_byte

    def site(self, node: Node, clauses: tuple[Clause, ...], scope: _Scope) -> None:
        is_assert = node.type == "assert_statement"
        if is_assert and not _has_message(node):
            return
        if is_assert and inside(node)[0].type != "false":  # `assert False` asks for nothing
            clauses = (*clauses, Clause(Kind.FALSE, inside(node)[0]))
        self.sites.append(
            Site(
                is_assert=is_assert,
                bare=not is_assert and is_bare(node),
                line=node.start_point[0] + 1,
                end_line=node.end_point[0] + 1,
                start=node.start_byte,
                end=node.end_byte,
                qualname=scope.qualname or "<module>",
                condition=guard.condition(clauses),
                unit=scope.unit,
                alone=self.alone(node, scope.unit),
            )
        )

    def alone(self, node: Node, unit: int) -> bool:
        if unit < 0 or node.has_error:
            return False
        definition = self.definitions[unit]
        return self.looks.tells(node, definition.start, definition.end)

    def assignment(self, statement: Node) -> None:
        for node in statement.named_children:
            if node.type in ("assignment", "augmented_assignment"):
                right = node.child_by_field_name("right")
                left = node.child_by_field_name("left")
                while right is not None and right.type == "assignment":
                    self.bind(left, _last_value(right))
                    left, right = right.child_by_field_name("left"), right.child_by_field_name("right")
                self.bind(left, None if node.type == "augmented_assignment" else right)

    def bind(self, target: Node | None, value: Node | None) -> None:
        if target is None:
            return
        if target.type == "identifier":
            span = (value.start_byte, value.end_byte) if value is not None else (-1, -1)
            self.assignments.append(Assignment(node_text(target), *span))
        elif target.type in ("pattern_list", "tuple_pattern", "list_pattern"):
            values: list[Node | None] = [None] * len(target.named_children)
            if value is not None and value.type in ("expression_list", "tuple", "list"):
                values = list(value.named_children)
            if len(values) == len(target.named_children):
                for one, its in zip(target.named_children, values, strict=True):
                    self.bind(one, its)

    def rescue(self, found: dict[str, list[Node]]) -> None:
        """Adds raise sites of a damaged file that stand where no statement should."""
        known = {s.start for s in self.sites}
        for kind in ("raise", "assert"):
            for node in found.get(kind, ()):
                if node.start_byte not in known:
                    unit = next((i for i, d in enumerate(self.definitions) if d.start <= node.start_byte < d.end), -1)
                    self.site(node, (), _Scope(_qualname_around(node), "", unit, set()))


def _last_value(node: Node) -> Node | None:
    """The value of a chained assignment `a = b = value`."""
    current: Node | None = node
    while current is not None and current.type == "assignment":
        current = current.child_by_field_name("right")
    return current


def _qualname_around(node: Node) -> str:
    names: list[str] = []
    current = node.parent
    while current is not None:
        if current.type in _DEFINITIONS:
            name = current.child_by_field_name("name")
            joint = ".<locals>." if current.type == "function_definition" else "."
            names.append((node_text(name) if name is not None else "?") + (joint if names else ""))
        current = current.parent
    return "".join(reversed(names))


def read_bases(node: Node) -> tuple[str, ...]:
    """The base classes of a class definition, in source words, keyword arguments left out."""
    listed = node.child_by_field_name("superclasses")
    if listed is None:
        return ()
    return tuple(node_text(c) for c in inside(listed) if c.type != "keyword_argument")


def read_import(node: Node) -> list[Import]:
    """What an `import` or `from … import` statement binds."""
    if node.type == "import_statement":
        return [_plain_import(n) for n in node.named_children if n.type in ("dotted_name", "aliased_import")]
    origin = node.child_by_field_name("module_name")
    if origin is None:
        return []
    dotted = node_text(origin).replace(" ", "")
    module = dotted.lstrip(".")
    level = len(dotted) - len(module)
    out = []
    for name in node.children_by_field_name("name"):
        if name.type == "aliased_import":
            original, alias = name.child_by_field_name("name"), name.child_by_field_name("alias")
            if original is not None and alias is not None:
                out.append(Import(node_text(alias), module, node_text(original), level))
        else:
            out.append(Import(node_text(name), module, node_text(name), level))
    if any(c.type == "wildcard_import" for c in node.named_children):
        out.append(Import("*", module, "*", level))
    return out


def _plain_import(node: Node) -> Import:
    if node.type == "aliased_import":
        original, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        if original is not None and alias is not None:
            return Import(node_text(alias), node_text(original), None, 0)
    dotted = node_text(node)
    return Import(dotted.split(".")[0], dotted.split(".")[0], None, 0)

"""Expressions: what each form of Python expression can be, from what its parts can be."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from tree_sitter import Node

from pipeline.mine.machine import Machine
from pipeline.mine.render import formatted, hole, to_ascii, to_repr, to_text
from pipeline.mine.scope import Bind, Env, Lazy, find
from pipeline.mine.strings import METHODS, join, percent
from pipeline.mine.syntax import inside, literal_text, node_text, string_prefix, unescape, words
from pipeline.mine.template import EMPTY, Alt, Rep, Template, bounded, concat, either, fixed_text, repeat, text
from pipeline.mine.truth import truth_of
from pipeline.mine.values import (
    Caught,
    Class,
    Const,
    Frame,
    Function,
    Instance,
    Many,
    Marker,
    Seq,
    Table,
    Text,
    Union,
    Unknown,
    Value,
    options,
    union,
)

MAX_ITEMS = 64  # elements of a literal list, entries of a literal dict that are looked at
# Attributes whose owner is worth running a function for: those of text and of exceptions.
_TELLING = METHODS | {
    "with_traceback",
    "args",
    "getvalue",
    "__name__",
    "message",
    "msg",
    "get",
    "items",
    "values",
    "keys",
}
MAX_UNROLLED = 8  # elements over which a comprehension is written out

Step = Callable[[Machine, Node, "Env | None", Frame], Value]


def evaluate(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """What the expression can be; an Unknown named after its source where nothing is known."""
    step = STEPS.get(node.type)
    if step is None:
        return Unknown(words(node))
    return step(machine, node, env, frame)


def name(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    return machine.lookup(node_text(node), env, frame)


def inner(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """A parenthesised expression, or another form that stands for the one in it."""
    for child in inside(node):
        return machine.evaluate(child, env, frame)
    return Unknown(words(node))


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


# Text


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
        return concat([before, converted(machine, value, kind, source)])
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


# Operators


def binary(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    left_node, right_node = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left_node is None or right_node is None or operator is None:
        return Unknown(words(node))
    sign = node_text(operator)
    if sign not in ("+", "%", "*", "|", "-", "//", "/"):
        return Unknown(words(node))
    left = _summed(machine, left_node, env, frame) if sign == "+" else machine.evaluate(left_node, env, frame)
    if sign == "%" and isinstance(left, Unknown):
        left = machine.widen(left)
    if isinstance(left, Unknown) and sign != "+":
        return Unknown(words(node))
    right = machine.evaluate(right_node, env, frame)
    return operate(machine, sign, left, right, (words(left_node), words(right_node)), words(node))


def _summed(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """The left side of a sum, its own sums added up one after the other: a long one must not nest."""
    spine: list[Node] = []
    while node.type == "binary_operator":
        operator, left = node.child_by_field_name("operator"), node.child_by_field_name("left")
        if operator is None or left is None or operator.type != "+":
            break
        spine.append(node)
        node = left
    value, source = machine.evaluate(node, env, frame), words(node)
    for one in reversed(spine):
        right = one.child_by_field_name("right")
        if right is None:
            return Unknown(words(one))
        value = operate(machine, "+", value, machine.evaluate(right, env, frame), (source, words(right)), words(one))
        source = ""
    return value


def operate(machine: Machine, sign: str, left: Value, right: Value, names: tuple[str, str], source: str) -> Value:
    """`left sign right`; `names` are the operands' sources."""
    if isinstance(left, Union) or (isinstance(right, Union) and sign != "%" and not isinstance(left, Text)):
        pairs = [(a, b) for a in options(left) for b in options(right)]
        if len(pairs) > 64:
            machine.hit("alternatives")
            return Unknown(source)
        return union([operate(machine, sign, a, b, names, source) for a, b in pairs])
    if sign == "%" and isinstance(left, Text):
        return _percent(machine, left.template, right, names[1], source)
    if sign == "+":
        return _add(machine, left, right, names, source)
    if sign == "*":
        return _times(left, right, source)
    if isinstance(left, Const) and isinstance(right, Const):
        return _arithmetic(sign, left.value, right.value, source)
    return Unknown(source)


def _percent(machine: Machine, template: Template, right: Value, name: str, source: str) -> Value:
    if isinstance(right, Union) and all(isinstance(o, Seq) and o.kind == "tuple" for o in right.options):
        return union([_percent(machine, template, o, name, source) for o in right.options])
    said = percent(template, right, name, machine.show)
    return Unknown(source) if said is None else Text(said)


def _add(machine: Machine, left: Value, right: Value, names: tuple[str, str], source: str) -> Value:
    if isinstance(left, Seq) or isinstance(right, Seq):
        return extended(left, right)
    if isinstance(left, Const) and isinstance(right, Const):
        return _arithmetic("+", left.value, right.value, source)
    if not (isinstance(left, Text) or isinstance(right, Text)):
        return Unknown(source)
    both = [to_text(left, names[0], machine.show), to_text(right, names[1], machine.show)]
    return Text(bounded(concat(both), source))


def extended(left: Value, right: Value) -> Value:
    """A sequence and the items after it."""
    kind = left.kind if isinstance(left, Seq) else right.kind if isinstance(right, Seq) else "list"
    return Seq(kind, (*items_of(left), *items_of(right)))


def items_of(value: Value) -> tuple[Value | Many, ...]:
    """The elements of a value that is spliced into a sequence."""
    if isinstance(value, Seq):
        return value.items
    if isinstance(value, Marker):
        return (value,)
    if isinstance(value, Unknown):
        return (Many(Unknown(f"*{value.source}")),)
    return (Many(Unknown("")),)


def _times(left: Value, right: Value, source: str) -> Value:
    if isinstance(right, (Text, Seq)):
        left, right = right, left
    count = right.value if isinstance(right, Const) and isinstance(right.value, int) else None
    if isinstance(left, Text):
        if count is None:
            return Text(repeat(left.template))
        return Text(concat([left.template] * count)) if count * len(left.template) <= 400 else Unknown(source)
    if isinstance(left, Seq):
        if count is None:
            return Seq(left.kind, tuple(i if isinstance(i, Many) else Many(i) for i in left.items))
        return Seq(left.kind, left.items * count) if count * len(left.items) <= MAX_ITEMS else Unknown(source)
    if isinstance(left, Const) and isinstance(right, Const):
        return _arithmetic("*", left.value, right.value, source)
    return Unknown(source)


def _arithmetic(sign: str, left: object, right: object, source: str) -> Value:
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return (
            Const(left + right)
            if sign == "+" and isinstance(left, bytes) and isinstance(right, bytes)
            else Unknown(source)
        )
    try:
        if sign == "+":
            return Const(left + right)
        if sign == "-":
            return Const(left - right)
        if sign == "*" and abs(left) < 1e9 and abs(right) < 1e9:
            return Const(left * right)
        if sign in ("//", "/"):
            return Const(left // right if sign == "//" else left / right)
    except (ArithmeticError, ValueError):
        pass
    return Unknown(source)


def unary(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    argument = node.child_by_field_name("argument")
    value = machine.evaluate(argument, env, frame) if argument is not None else None
    if isinstance(value, Const) and isinstance(value.value, (int, float)) and node_text(node).startswith("-"):
        return Const(-value.value)
    return Unknown(words(node))


def test(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """A comparison or `not`."""
    verdict = machine.truth(node, env, frame)
    return Unknown(words(node)) if verdict is None else Const(verdict)


def boolean(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """`a or b`, `a and b`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return Unknown(words(node))
    first, sign = machine.evaluate(left, env, frame), node_text(operator)
    kept: list[Value] = []
    for option in options(first):
        verdict = truth_of(option)
        if verdict is not (sign == "and"):
            kept.append(option)
    if kept and all(truth_of(o) is (sign == "or") for o in options(first)):
        return first
    if sign == "and" and any(isinstance(o, Unknown) for o in kept):
        kept = [o for o in kept if not isinstance(o, Unknown)] or kept
    return union([*kept, machine.evaluate(right, env, frame)])


def choice(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """`a if test else b`."""
    parts = inside(node)
    if len(parts) != 3:
        return Unknown(words(node))
    verdict = machine.truth(parts[1], env, frame)
    if verdict is not None:
        return machine.evaluate(parts[0] if verdict else parts[2], env, frame)
    held = known_true(parts[1], env)
    return union([machine.evaluate(parts[0], held, frame), machine.evaluate(parts[2], env, frame)])


def known_true(condition: Node, env: Env | None) -> Env | None:
    if condition.type in ("identifier", "attribute"):
        return Bind(f"?{node_text(condition)}", Lazy(lambda: Const(True), Const(True)), env)
    return env


# Containers


def sequence(kind: str) -> Step:
    def step(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
        items: list[Value | Many] = []
        children = inside(node)
        if len(children) > MAX_ITEMS:
            return Unknown(words(node))
        for child in children:
            if child.type == "list_splat":
                items.extend(items_of(inner(machine, child, env, frame)))
            elif node_text(child).startswith("*"):  # `*a.b` is read as an attribute of `*a`
                items.append(Many(Unknown(words(child))))
            else:
                items.append(machine.evaluate(child, env, frame))
        return Seq(kind, tuple(items))

    return step


def dictionary(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    entries: list[tuple[Value, Value]] = []
    whole = True
    pairs = inside(node)
    if len(pairs) > MAX_ITEMS:
        return Unknown(words(node))
    for pair in pairs:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if pair.type == "pair" and key is not None and value is not None:
            entries.append((machine.evaluate(key, env, frame), machine.evaluate(value, env, frame)))
            continue
        spread = inner(machine, pair, env, frame)
        if isinstance(spread, Table):
            entries.extend(spread.entries)
            whole &= spread.whole
        else:
            whole = False
    return Table(tuple(entries), whole)


def comprehension(kind: str) -> Step:
    def step(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
        body = node.child_by_field_name("body")
        clauses = [c for c in node.named_children if c.type in ("for_in_clause", "if_clause")]
        if body is None or not clauses:
            return Unknown(words(node))
        if len(clauses) == 1:
            written = _unrolled(machine, body, clauses[0], env, frame)
            if written is not None:
                return Seq(kind, written)
        for clause in clauses:
            left, right = clause.child_by_field_name("left"), clause.child_by_field_name("right")
            if left is not None and right is not None:
                source = Lazy(lambda right=right, env=env: machine.evaluate(right, env, frame))  # type: ignore[misc]  # a lambda's defaults
                env = bind_target(machine, left, source, env)
        return Seq(kind, (Many(machine.evaluate(body, env, frame)),))

    return step


def _unrolled(
    machine: Machine, body: Node, clause: Node, env: Env | None, frame: Frame
) -> tuple[Value | Many, ...] | None:
    """The elements one by one, where the comprehension runs over a few known ones."""
    left, right = clause.child_by_field_name("left"), clause.child_by_field_name("right")
    if left is None or right is None:
        return None
    source = machine.evaluate(right, env, frame)
    if not isinstance(source, Seq) or source.kind == "set" or len(source.items) > MAX_UNROLLED:
        return None
    out: list[Value | Many] = []
    for item in source.items:
        value = item.value if isinstance(item, Many) else item
        if isinstance(value, Marker):
            return None
        one = machine.evaluate(body, bind_value(machine, left, value, env), frame)
        out.append(Many(one) if isinstance(item, Many) else one)
    return tuple(out)


def bind_target(machine: Machine, target: Node, source: Lazy, env: Env | None) -> Env | None:
    """Binds a comprehension's target to any element of what it runs over."""
    said = words(target)
    whole = Lazy(lambda: machine.element(machine.force(source), said))
    if target.type == "identifier":
        return Bind(said, whole, env)
    for i, part in enumerate(c for c in inside(target)):
        its = node_text(part)
        env = Bind(its, Lazy(lambda i=i, its=its: machine.member(machine.force(whole), Const(i), its)), env)  # type: ignore[misc]  # a lambda's defaults
    return env


def bind_value(machine: Machine, target: Node, value: Value, env: Env | None) -> Env | None:
    return bind_target(machine, target, Lazy(lambda: Seq("tuple", (value,))), env)


def element_of(value: Value, source: str) -> Value:
    """What a loop over the value gives in any round."""
    if isinstance(value, Seq) and value.items:
        found = [i.value if isinstance(i, Many) else i for i in value.items]
        return union([Unknown(source) if isinstance(f, (Unknown, Marker)) else f for f in found])
    if isinstance(value, Table) and value.whole and value.entries:
        return union([k for k, _ in value.entries])
    if isinstance(value, Union):
        return union([element_of(o, source) for o in value.options])
    return Unknown(source)


def member_of(value: Value, key: Value, source: str) -> Value:
    """`value[key]`."""
    if isinstance(value, Union):
        return union([member_of(o, key, source) for o in value.options])
    if isinstance(key, Union) and isinstance(value, (Seq, Table)):
        return union([member_of(value, k, source) for k in key.options])
    if isinstance(value, Seq):
        return _item(value, key, source)
    if isinstance(value, Table):
        known = [v for k, v in value.entries if k == key]
        if known:
            return known[-1]
        if isinstance(key, (Text, Const)) and fixed_key(key):
            return Unknown(source)
        return union([v for _, v in value.entries]) if value.whole and value.entries else Unknown(source)
    if isinstance(value, Text) and isinstance(key, Const) and isinstance(key.value, int):
        whole = fixed_text(value.template)
        if whole is not None and -len(whole) <= key.value < len(whole):
            return Text(text(whole[key.value]))
    return Unknown(source)


def fixed_key(key: Value) -> bool:
    return isinstance(key, Const) or (isinstance(key, Text) and fixed_text(key.template) is not None)


def _item(value: Seq, key: Value, source: str) -> Value:
    many = any(isinstance(i, (Many, Marker)) for i in value.items)
    if isinstance(key, Const) and isinstance(key.value, int):
        before = [isinstance(i, (Many, Marker)) for i in value.items]
        index = key.value
        clear = not many or (index >= 0 and not any(before[: index + 1])) or (index < 0 and not any(before[index:]))
        if clear and -len(value.items) <= index < len(value.items):
            found = value.items[index]
            return found.value if isinstance(found, Many) else found
        if many:
            return element_of(value, source)
        return Unknown(source)
    if isinstance(key, Unknown) and not many and value.items:
        return union([i for i in value.items if not isinstance(i, Many)])
    return Unknown(source)


def subscript(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    owner, keys = node.child_by_field_name("value"), node.children_by_field_name("subscript")
    if owner is None or len(keys) != 1:
        return Unknown(words(node))
    value = machine.glance(owner, env, frame)
    if isinstance(value, (Unknown, Function, Caught)):
        return Unknown(words(node), may_be_empty=keys[0].type == "slice")
    value = machine.evaluate(owner, env, frame)  # worth the calls in it: it is something with items
    if keys[0].type == "slice":
        return _slice(machine, value, keys[0], words(node), env, frame)
    if isinstance(value, Class):
        return value  # a generic class with its arguments
    return machine.member(value, machine.evaluate(keys[0], env, frame), words(node))


def _slice(machine: Machine, value: Value, node: Node, source: str, env: Env | None, frame: Frame) -> Value:
    bounds: list[int | None] = [None, None, None]
    position = 0
    for child in node.children:
        if child.type == ":":
            position += 1
        elif child.is_named:
            known = machine.evaluate(child, env, frame)
            if not isinstance(known, Const) or not isinstance(known.value, int):
                return Unknown(source, may_be_empty=True)
            bounds[position] = known.value
    cut = slice(*bounds)
    if isinstance(value, Text):
        left = cut_template(value.template, bounds)
        return Unknown(source, may_be_empty=True) if left is None else Text(left)
    if isinstance(value, Seq) and not any(isinstance(i, (Many, Marker)) for i in value.items):
        return Seq(value.kind, value.items[cut])
    return Unknown(source, may_be_empty=True)


def cut_template(template: Template, bounds: Sequence[int | None]) -> Template | None:
    """`text[start:stop:step]`; None where it cuts into what is not known."""
    whole = fixed_text(template)
    if whole is not None:
        return text(whole[slice(*bounds)])
    start, stop, step = bounds
    if step is not None or (start or 0) < 0 or (stop is not None and stop >= 0):
        return None
    front = _without(template[::-1], start or 0, slice(start or 0, None))
    return _without(front[::-1], -(stop or 0), slice(None, stop)) if front is not None else None


def _without(template: Template, count: int, cut: slice) -> Template | None:
    """The template without `count` characters at the end of its last piece."""
    if not count:
        return template
    last = template[-1] if template else None
    if isinstance(last, str) and len(last) >= count:
        return concat([template[:-1], text(last[cut])])
    if isinstance(last, Alt):
        options = [_without(o, count, cut) if o else EMPTY for o in last.options]
        known = [o for o in options if o is not None]
        return concat([template[:-1], either(known)]) if len(known) == len(options) else None
    if isinstance(last, Rep):  # the last round is cut, or there was none and what stands before is
        round_, before = _without(last.body, count, cut), _without(template[:-1], count, cut)
        if round_ is not None and before is not None:
            return either([concat([template, round_]), before])
    return None


# Calls and names


def attribute(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    owner, member = node.child_by_field_name("object"), node.child_by_field_name("attribute")
    if owner is None or member is None:
        return Unknown(words(node))
    if owner.type in ("identifier", "attribute") and find(env, node_text(node))[0]:
        return machine.lookup(node_text(node), env, frame)
    name_of = node_text(member)
    typed = _typed(owner) if name_of not in ("__name__", "__qualname__") else None
    if typed is not None:
        value = machine.glance(typed, env, frame)
        if isinstance(value, Instance) and not value.exact:
            return machine.attribute(value, name_of, words(node), frame)
    look = machine.evaluate if name_of in _TELLING else machine.glance
    return machine.attribute(look(owner, env, frame), name_of, words(node), frame)


def _typed(owner: Node) -> Node | None:
    """What `type(x)` or `x.__class__` is the class of."""
    if owner.type == "attribute":
        member = owner.child_by_field_name("attribute")
        is_class = member is not None and node_text(member) == "__class__"
        return owner.child_by_field_name("object") if is_class else None
    function, listed = owner.child_by_field_name("function"), owner.child_by_field_name("arguments")
    if owner.type != "call" or function is None or listed is None or node_text(function) != "type":
        return None
    return inside(listed)[0] if len(inside(listed)) == 1 else None


def call(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    function_node, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    source = words(node)
    if function_node is None or listed is None:
        return Unknown(source)
    if function_node.type == "identifier" and node_text(function_node) == "super" and frame.owner is not None:
        return machine.superclass(env, frame)
    joined = _join_call(machine, function_node, listed, source, env, frame)
    if joined is not None:
        return joined
    function = machine.evaluate(function_node, env, frame)
    if isinstance(function, Unknown):
        function = machine.widen(function)
        if isinstance(function, Unknown):
            return Unknown(source)
    arguments, keywords = read_arguments(machine, listed, env, frame)
    return machine.call(function, arguments, keywords, source, frame)


def _join_call(
    machine: Machine, function: Node, listed: Node, source: str, env: Env | None, frame: Frame
) -> Value | None:
    """`separator.join(items)`, which is empty only where what it runs over is."""
    member, owner = function.child_by_field_name("attribute"), function.child_by_field_name("object")
    if function.type != "attribute" or member is None or owner is None or node_text(member) != "join":
        return None
    if listed.type == "generator_expression":
        items = listed
    elif listed.named_child_count == 1:
        items = listed.named_children[0]
    else:
        return None
    separator = machine.evaluate(owner, env, frame)
    if not all(isinstance(o, Text) for o in options(separator)):
        return None
    filled = find(env, f"?{_runs_over(items)}")[0] != []
    return join(separator, machine.evaluate(items, env, frame), source, machine.show, filled=filled)


def _runs_over(items: Node) -> str:
    """The source of what the items come from, one for one."""
    clauses = [c for c in items.named_children if c.type in ("for_in_clause", "if_clause")]
    if len(clauses) == 1 and clauses[0].type == "for_in_clause":
        right = clauses[0].child_by_field_name("right")
        return node_text(right) if right is not None else ""
    if items.type == "call":
        listed = items.child_by_field_name("arguments")
        last = listed.named_children[-1] if listed is not None and listed.named_children else None
        return node_text(last) if last is not None else ""
    return node_text(items) if not clauses else ""


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


def function(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    return Function("<lambda>", node, frame, env)


def walrus(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    value = node.child_by_field_name("value")
    return machine.evaluate(value, env, frame) if value is not None else Unknown(words(node))


STEPS: dict[str, Step] = {
    "identifier": name,
    "attribute": attribute,
    "call": call,
    "subscript": subscript,
    "string": string,
    "concatenated_string": strings,
    "parenthesized_expression": inner,
    "binary_operator": binary,
    "unary_operator": unary,
    "boolean_operator": boolean,
    "comparison_operator": test,
    "not_operator": test,
    "conditional_expression": choice,
    "named_expression": walrus,
    "lambda": function,
    "integer": number,
    "float": number,
    "true": constant(True),
    "false": constant(False),
    "none": constant(None),
    "ellipsis": constant(...),
    "list": sequence("list"),
    "tuple": sequence("tuple"),
    "expression_list": sequence("tuple"),
    "set": sequence("set"),
    "dictionary": dictionary,
    "list_comprehension": comprehension("list"),
    "generator_expression": comprehension("generator"),
    "set_comprehension": comprehension("set"),
}

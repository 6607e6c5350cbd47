"""Expressions: what each form of Python expression can be, from what its parts can be."""

from __future__ import annotations

from tree_sitter import Node

from pipeline.mine.evaluate.arguments import inner, read_arguments
from pipeline.mine.evaluate.containers import comprehension, dictionary, sequence, subscript
from pipeline.mine.evaluate.literals import constant, number, string, strings
from pipeline.mine.evaluate.machine import Machine, Step
from pipeline.mine.evaluate.operators import binary, boolean, choice, test, unary
from pipeline.mine.evaluate.scope import find
from pipeline.mine.evaluate.strings import METHODS, join
from pipeline.mine.evaluate.values import (
    Class,
    Env,
    Frame,
    Function,
    Instance,
    Text,
    Unknown,
    Value,
    options,
)
from pipeline.mine.syntax import inside, literal_text, node_text, words

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


def evaluate(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    """What the expression can be; an Unknown named after its source where nothing is known."""
    step = STEPS.get(node.type)
    if step is None:
        return Unknown(words(node))
    return step(machine, node, env, frame)


def name(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    return machine.lookup(node_text(node), env, frame)


# Text


# Operators


# Containers


# Calls and names


def attribute(machine: Machine, node: Node, env: Env | None, frame: Frame) -> Value:
    owner, member = node.child_by_field_name("object"), node.child_by_field_name("attribute")
    if owner is None or member is None:
        return Unknown(words(node))
    if owner.type in ("identifier", "attribute"):
        dotted = node_text(node)
        if dotted in machine.dotted and find(env, dotted)[0]:
            return machine.lookup(dotted, env, frame)
    name_of = node_text(member)
    typed = _typed(owner) if name_of not in ("__name__", "__qualname__") else None
    if typed is not None:
        value = machine.glance(typed, env, frame)
        if isinstance(value, Instance) and not value.exact:
            return machine.attribute(value, name_of, words(node), frame)
    if owner.type == "identifier" and node_text(owner) == "cls" and not frame.inlined:
        opened = _opened(machine, machine.lookup("cls", env, frame), name_of, words(node), frame)
        if opened is not None:
            return opened
    look = machine.evaluate if name_of in _TELLING else machine.glance
    return machine.attribute(look(owner, env, frame), name_of, words(node), frame)


def _opened(machine: Machine, value: Value, name: str, source: str, frame: Frame) -> Value | None:
    """`cls.name` in a class method that nobody in particular called: `cls` may be any subclass."""
    if not isinstance(value, Class) or value is not frame.owner:
        return None
    if name in ("__name__", "__qualname__"):
        return Unknown(source)
    return machine.attribute(Instance(value, exact=False), name, source, frame)


def _typed(owner: Node) -> Node | None:
    """What `type(x)` or `x.__class__` is the class of."""
    if owner.type == "identifier":
        return None
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
            return Unknown(source, may_be_empty=function.may_be_empty or _empty_default(function_node, listed))
    arguments, keywords = read_arguments(machine, listed, env, frame)
    return machine.call(function, arguments, keywords, source, frame)


def _empty_default(function: Node, listed: Node) -> bool:
    """Whether it is `x.get(key, "")` or the like."""
    given = inside(listed)
    name = node_text(function).rpartition(".")[2]
    if name not in ("get", "pop", "getattr", "setdefault") or len(given) < 2 or given[-1].type != "string":
        return False
    return literal_text(given[-1]) == ""


def _join_call(
    machine: Machine, function: Node, listed: Node, source: str, env: Env | None, frame: Frame
) -> Value | None:
    """`separator.join(items)`, which is empty only where what it runs over is."""
    if function.type != "attribute":
        return None
    member, owner = function.child_by_field_name("attribute"), function.child_by_field_name("object")
    if member is None or owner is None or node_text(member) != "join":
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

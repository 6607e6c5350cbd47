"""Values: what an expression can be, as far as the source says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, final

from tree_sitter import Node

from pipeline.mine.frozen import frozen
from pipeline.mine.template import Template


@frozen
class Text:
    """A string."""

    template: Template


@frozen
class Const:
    """A number, bool, None, bytes or Ellipsis."""

    value: object


@frozen
class Unknown:
    """A value the source does not fix; `source` is the expression that gives it.

    parameter: the function and name it was passed as, where nobody called it yet; why: a reason worth reporting.
    """

    source: str
    may_be_empty: bool = False
    parameter: Parameter | None = None
    why: str | None = None


@frozen
class Parameter:
    """A parameter of a function that is looked at on its own, without a caller."""

    frame: Frame
    name: str


@frozen
class Many:
    """Elements of a sequence that are there any number of times."""

    value: Value


@frozen
class Seq:
    """A list, tuple, set or generator with known elements; `kind` is its type's name."""

    kind: str
    items: tuple[Value | Many, ...]


@frozen
class Table:
    """A dict with known entries; `whole`: no other entry can be in it."""

    entries: tuple[tuple[Value, Value], ...]
    whole: bool = True


@frozen
class Function:
    """A function or lambda: its node, where it stands, and the environment it closes over."""

    name: str
    node: Node
    frame: Frame
    env: Env | None
    owner: Class | None = None
    decorators: tuple[str, ...] = ()


@frozen
class Bound:
    """A callable with its first arguments (`self`, or functools.partial's) already given."""

    function: Value
    arguments: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...] = ()


@frozen
class Method:
    """A method of a built-in value: `receiver.name`."""

    receiver: Value
    name: str


@dataclass(eq=False, slots=True)
class Instance:
    """An object of a known class, made by calling it with these arguments (None: by somebody else).

    exact: it is no object of a subclass. attributes: what was assigned on it; filled in when first asked for.
    args: what BaseException keeps, one tuple for each path through the constructor.
    """

    cls: Class
    arguments: tuple[Value, ...] | None = None
    keywords: tuple[tuple[str, Value], ...] = ()
    exact: bool = True
    attributes: dict[str, Value] | None = None
    args: tuple[tuple[Value, ...], ...] = ()


@frozen
class Caught:
    """What `except … as e` binds; `classes` are the source words of what is caught."""

    name: str
    classes: str


@frozen
class Module:
    """A module of the tree."""

    path: str
    dotted: str


@frozen
class External:
    """Something outside the tree, by its dotted name (`builtins.str`, `textwrap.dedent`)."""

    dotted: str

    @property
    def name(self) -> str:
        return self.dotted.rpartition(".")[2]


@frozen
class Super:
    """`super()` inside a method of `owner`, called on `instance`."""

    owner: Class
    instance: Value


@frozen
class Marker:
    """A loop variable's own earlier value, while the loop is being looked at."""

    name: str
    loop: int


@frozen
class Union:
    """One of several values."""

    options: tuple[Value, ...]


@dataclass(eq=False, slots=True)
class Class:
    """A class: of the tree (`path`, `node`), or built in or external (`path` None, `dotted` its name).

    frame, env: where its definition stands. definition: its index among the file's definitions, or -1.
    body: its namespace, once it was asked for. busy: its constructor is being looked at.
    """

    name: str
    qualname: str
    path: str | None
    dotted: str
    node: Node | None = None
    frame: Frame | None = None
    env: Env | None = None
    mro: tuple[Class, ...] = ()
    definition: int = -1
    body: Frame | None = None
    busy: bool = False

    def __repr__(self) -> str:
        return f"<class {self.dotted}>"


@dataclass(eq=False, slots=True)
class Frame:
    """A function body, class body or module that runs: where names are looked up and what calls led here.

    base: where the unit's source begins in its file, in bytes. inlined: its parameters have a caller's values.
    final: the environment at its end, for names that closures see before they are assigned.
    parent_env: around a class body, what its methods close over. chain: the calls that led here.
    """

    path: str
    node: Node | None
    base: int
    parent: Frame | None = None
    owner: Class | None = None
    inlined: bool = False
    final: Env | None = None
    parent_env: Env | None = None
    chain: tuple[int, ...] = ()

    def place(self, node: Node) -> tuple[str, int]:
        """Where a node of its unit stands: the file, and the byte."""
        return self.path, self.base + node.start_byte


Value: TypeAlias = (
    Text
    | Const
    | Unknown
    | Seq
    | Table
    | Function
    | Bound
    | Method
    | Instance
    | Caught
    | Module
    | External
    | Super
    | Marker
    | Union
    | Class
)


@dataclass(eq=False, slots=True)
class Lazy:
    """A value that is worked out when first asked for."""

    compute: Callable[[], Value]
    value: Value | None = None
    running: bool = False
    passed: bool = False  # came in as an argument, so that a hole keeps the name it has where it was passed
    place: tuple[Node, Frame] | None = None  # the expression assigned, and where it stands


@final
@dataclass(eq=False, slots=True)
class Bind:
    """`name` is assigned. Dotted names (`self.text`) are attributes of plain names; `?x` says that x is truthy."""

    name: str
    value: Lazy
    parent: Env | None


@final
@dataclass(eq=False, slots=True)
class Join:
    """One of several paths was taken from `base` on."""

    branches: tuple[Env | None, ...]
    base: Env | None
    known: dict[str, tuple[list[Found], bool]] = field(default_factory=dict)  # what its branches make of a name


@final
@dataclass(eq=False, slots=True)
class Loop:
    """The head of a loop: before it, or after any of its rounds (`ends`)."""

    parent: Env | None
    ends: list[Env | None] = field(default_factory=list)


@frozen
class Carried:
    """A name that a loop's rounds change: found at the loop's head."""

    loop: Loop
    name: str


Env: TypeAlias = Bind | Join | Loop
Found: TypeAlias = Lazy | Carried


def options(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, Union) else (value,)


def union(values: Sequence[Value]) -> Value:
    """One value for several possible ones, in order, equal ones once."""
    if len(values) == 1:
        return values[0]
    flat: list[Value] = []
    for value in values:
        for option in options(value):
            if not any(_same(option, known) for known in flat):
                flat.append(option)
    if not flat:
        return Unknown("")
    return flat[0] if len(flat) == 1 else Union(tuple(flat))


def _same(a: Value, b: Value) -> bool:
    if isinstance(a, Const) and isinstance(b, Const):  # 1, 1.0 and True are equal but do not print alike
        return type(a.value) is type(b.value) and a.value == b.value
    return a == b

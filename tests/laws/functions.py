"""Functions that build a message in statements and raise it, for the law of one function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from laws.texts import (
    LOOSE_LITERALS,
    OWED,
    PARAMETERS,
    TEXT_NAMES,
    Scope,
    Text,
    both,
    f_string,
    literal_source,
    opaque,
    string,
    text,
)

LETTERS = st.text(st.sampled_from(OWED + " "), min_size=1, max_size=9)
HEADER = "import contextlib\nimport textwrap\nfrom textwrap import dedent\n\n\n"
CLASSES = ("ValueError", "TypeError", "RuntimeError", "NotImplementedError", "IndexError", "OverflowError", "Exception")


@dataclass(frozen=True, kw_only=True, slots=True)
class Raise:
    """One raise statement of a generated function: its line, its class, what it says."""

    line: int
    error_class: str
    says: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """A module with one function, `law`, of the parameters PARAMETERS."""

    source: str
    raises: tuple[Raise, ...]


@dataclass(kw_only=True, slots=True)
class Writer:
    """Lines under way. `scope` is what holds where the next statement will stand."""

    draw: st.DrawFn
    lines: list[str]
    scope: Scope
    raises: list[Raise] = field(default_factory=list)
    indent: int = 1
    nesting: int = 0

    def line(self, statement: str) -> None:
        """Add a statement; its later lines (inside brackets or quotes) are kept as they are."""
        self.lines.extend(("    " * self.indent + statement).split("\n"))

    def text(self, depth: int = 2) -> Text:
        return text(self.draw, self.scope, depth)

    def pick(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def known_name(self) -> str | None:
        return self.pick(*sorted(self.scope.texts)) if self.scope.texts else None

    def set(self, target: str, value: Text) -> None:
        self.scope.texts[target] = value

    def block(self, header: str, *statements: Callable[["Writer"], None]) -> dict[str, Text]:
        """Write a block and return the locals at its end; the scope is left as it was before the block."""
        before = dict(self.scope.texts)
        self.line(header)
        self.indent += 1
        self.nesting += 1
        for statement in statements:
            statement(self)
        if not statements:
            self.line("pass")
        self.indent -= 1
        self.nesting -= 1
        after = self.scope.texts
        self.scope = replace(self.scope, texts=before)
        return after

    def meet(self, *ends: dict[str, Text]) -> None:
        """Continue where several ways come together: a name is any of its values, or unbound and forgotten."""
        names = set.intersection(*(set(end) for end in ends))
        self.scope.texts.clear()
        for one in sorted(names):
            values: list[Text] = []
            for end in ends:
                if not any(end[one] is value for value in values):
                    values.append(end[one])
            self.scope.texts[one] = Text(
                source=one,
                known=all(value.known for value in values),
                lifted=all(value.lifted for value in values),
                alternatives=sum(value.alternatives for value in values),
                atom=True,
            )


def flag(writer: Writer) -> str:
    return writer.pick("p", "q", "r", "not p", "p or q", "dim > 7", "deck", "lag == 4", "isinstance(bag, int)")


def target(writer: Writer) -> str:
    return writer.pick(*TEXT_NAMES)


# -- statements that set names


def assign(writer: Writer) -> None:
    to, what = target(writer), writer.text()
    writer.line(writer.pick(f"{to} = {what.source}", f"{to}: str = {what.source}", f"{to} = ({what.source})"))
    writer.set(to, what)


def assign_chain(writer: Writer) -> None:
    first, second, what = target(writer), target(writer), writer.text(1)
    writer.line(f"{first} = {second} = {what.source}")
    writer.set(first, what)
    writer.set(second, what)


def assign_tuple(writer: Writer) -> None:
    names = writer.draw(st.lists(st.sampled_from(TEXT_NAMES), min_size=2, max_size=3, unique=True))
    values = [writer.text(1) for _ in names]
    left, right = ", ".join(names), ", ".join(value.operand for value in values)
    writer.line(writer.pick(f"{left} = {right}", f"({left}) = ({right})", f"[{left}] = [{right}]"))
    for one, value in zip(names, values, strict=True):
        writer.set(one, value)


def swap(writer: Writer) -> None:
    if len(writer.scope.texts) < 2:
        return assign(writer)
    first, second, *_ = writer.draw(st.permutations(sorted(writer.scope.texts)))
    writer.line(f"{first}, {second} = {second}, {first}")
    texts = writer.scope.texts
    texts[first], texts[second] = texts[second], texts[first]
    return None


def append_text(writer: Writer) -> None:
    to = writer.known_name()
    if to is None:
        return assign(writer)
    before, what = writer.scope.texts[to], string(writer.draw, writer.scope, 2)
    forms = (f"{to} += {what.source}", f"{to} = {to} + {what.operand}", f'{to} = f"{{{to}}}" + {what.operand}')
    writer.line(writer.pick(*forms))
    writer.set(to, both(to, before, what))
    return None


def walrus(writer: Writer) -> None:
    to, what = target(writer), writer.text()
    inside = "    " * (writer.indent + 1)
    forms = [
        f"if ({to} := {what.operand}) and p:\n{inside}pass",
        f"len({to} := {what.operand})",
        f"({to} := {what.operand})",
    ]
    if to not in what.source:  # a loop's test that sets a name from itself could grow it in every round
        forms.append(f"while not ({to} := {what.operand}) and False:\n{inside}pass")
    writer.line(writer.pick(*forms))
    writer.set(to, what)


def template(writer: Writer) -> None:
    """Name a template first and fill it afterwards."""
    to = target(writer)
    way = writer.pick("format", "percent", "percent=", "bound", "branches")
    before, after = writer.draw(LETTERS), writer.draw(LETTERS)
    value = opaque(writer.draw, "s") if writer.draw(st.booleans()) else writer.text(1)
    filled = replace(value, source=to, atom=True)
    if way == "format":
        writer.line(f"{to} = {before + '{}' + after!r}")
        writer.line(f"{to} = {to}.format({value.operand})" if to not in value.source else f"{to} = {to}.format(bag)")
    elif way == "bound":
        writer.line(f"make = {before + '{}' + after!r}.format")
        writer.line(f"{to} = make({value.operand})")
    elif way == "branches":
        other = writer.draw(LETTERS)
        writer.line(f"form = {before + '%s' + after!r}")
        writer.line(f"if {flag(writer)}:")
        writer.line(f"    form = {other + ': %s'!r}")
        writer.line(f"{to} = form % ({value.operand},)")
        filled = replace(filled, alternatives=2 * value.alternatives)
    else:
        if to in value.source:
            value = opaque(writer.draw, "s")
            filled = replace(value, source=to, atom=True)
        writer.line(f"{to} = {before + '%s' + after!r}")
        writer.line(f"{to} %= ({value.operand},)" if way == "percent=" else f"{to} = {to} % ({value.operand},)")
    if to in value.source and way == "format":
        filled = Text(source=to, known=False, atom=True)
    writer.set(to, filled)


# -- branches


def branch(writer: Writer) -> None:
    """Write if, elif, else, with a name set in some of them."""
    arms = writer.draw(st.integers(1, 3))
    closed = writer.draw(st.booleans())
    before = dict(writer.scope.texts)
    ends = [writer.block(f"{'el' if arm else ''}if {flag(writer)}:", *inner(writer)) for arm in range(arms)]
    if closed:
        ends.append(writer.block("else:", *inner(writer)))
    else:
        ends.append(before)
    writer.meet(*ends)


def inner(writer: Writer) -> list[Callable[[Writer], None]]:
    deeper = STATEMENTS if writer.nesting < 2 else SIMPLE
    count = writer.draw(st.integers(1, 2))
    return [statement_of(deeper) for _ in range(count)]


def statement_of(kinds: Sequence[Callable[[Writer], None]]) -> Callable[[Writer], None]:
    return lambda writer: writer.draw(st.sampled_from(kinds))(writer)


def same_name(writer: Writer) -> None:
    """Set one name in both arms of an `if`, the most usual way to choose a message."""
    to, first, second = target(writer), writer.text(1), writer.text(1)
    writer.line(f"if {flag(writer)}:")
    writer.line(f"    {to} = {first.source}")
    writer.line("else:")
    writer.line(f"    {to} = {second.source}")
    writer.set(to, replace(both(to, first, second), alternatives=first.alternatives + second.alternatives))


def optional_piece(writer: Writer) -> None:
    """Append to a name under a condition only."""
    to, base, extra = target(writer), writer.text(1), string(writer.draw, Scope(texts={}), 1)
    writer.line(f"{to} = {base.source}")
    writer.line(f"if {flag(writer)}:")
    writer.line(f"    {to} += {extra.source}")
    total = base.alternatives * (1 + extra.alternatives)
    writer.set(to, replace(both(to, base, extra), alternatives=total))


def match(writer: Writer) -> None:
    before = dict(writer.scope.texts)
    subject, patterns = writer.draw(
        st.sampled_from(
            (
                ("dim", ("7", "16 if p", "_")),
                ("bag", ('"め"', "str() as other", "_")),
                ("(p, dim)", ("(True, 7)", "(False, _) | (_, 16)", "_")),
                ("deck", ("[]", "[one, *rest] if q", "[*_]")),
                ("lid", ('{"sun": seen}', '{"toy": seen}')),
                ("lag", ("4 | 5", "int(n)")),
            )
        )
    )
    writer.line(f"match {subject}:")
    writer.indent += 1
    ends = [writer.block(f"case {pattern}:", *inner(writer)) for pattern in patterns]
    writer.indent -= 1
    writer.meet(*ends, before)


def attempt(writer: Writer) -> None:
    """Write try, with what happens at a failure that comes before, after or never."""
    start = dict(writer.scope.texts)
    body: list[Callable[[Writer], None]] = [assign, fails, assign]
    end = writer.block("try:", *writer.draw(st.permutations(body)))
    middle = {to: union(to, start.get(to), value) for to, value in end.items() if to in start}
    writer.scope.texts.update(middle)
    handled = writer.block(writer.pick("except IndexError:", "except (IndexError, KeyError) as error:"), *inner(writer))
    writer.scope.texts.clear()
    writer.scope.texts.update(end)
    if writer.draw(st.booleans()):
        end = writer.block("else:", assign)
    # A name that the body sets several times can hold any of them in the handler; its count is unknown here.
    writer.meet(end, {to: replace(value, alternatives=value.alternatives + 3) for to, value in handled.items()})
    if writer.draw(st.booleans()):
        writer.scope = replace(writer.scope, texts=writer.block("finally:", assign))


def union(to: str, one: Text | None, other: Text) -> Text:
    if one is None or one == other:
        return other
    return replace(both(to, one, other), alternatives=one.alternatives + other.alternatives)


def fails(writer: Writer) -> None:
    writer.line(writer.pick("deck[2]", "milk[1]", "pass"))


def inside_with(writer: Writer) -> None:
    header = writer.pick("with contextlib.nullcontext():", "with contextlib.nullcontext(bag) as held:")
    writer.scope = replace(writer.scope, texts=writer.block(header, *inner(writer)))


# -- loops and lists


def loop_append(writer: Writer) -> None:
    """Append in a loop; what it adds is LOOSE."""
    to = writer.known_name()
    if to is None:
        return assign(writer)
    before, added = writer.scope.texts[to], writer.draw(LOOSE_LITERALS)
    piece = writer.pick(repr(added), f'f" now {{i}}; "', f"{added!r} + str(i)", "str(i)", '" %s" % i')  # noqa: F541
    header = writer.pick("for i in deck:", "for i in milk:", "for n, i in enumerate(deck):", "for i in range(lag - 4):")
    writer.line(header)
    if writer.draw(st.integers(0, 3)) == 0:
        writer.line(
            writer.pick(
                "    if p: continue", "    if q: break", "    if i == 9:\n" + "    " * (writer.indent + 2) + "continue"
            )
        )
    writer.line(writer.pick(f"    {to} += {piece}", f"    {to} = {to} + {piece}"))
    writer.set(to, replace(before, known=False))
    return None


def loop_set(writer: Writer) -> None:
    """Set a name in a loop that may run no time at all."""
    before = dict(writer.scope.texts)
    ends = writer.block(writer.pick("for i in deck:", "while lag == 4:"), *inner_of_loop(writer))
    writer.meet(ends, before)


def inner_of_loop(writer: Writer) -> list[Callable[[Writer], None]]:
    def set_and_leave(inside: Writer) -> None:
        assign(inside)
        inside.line(inside.pick("break", "lag = 5"))

    return [set_and_leave]


def list_joined(writer: Writer) -> None:
    """Collect pieces in a list and join them."""
    to = target(writer)
    first = [string(writer.draw, writer.scope, 1) for _ in range(writer.draw(st.integers(0, 2)))]
    writer.line(
        writer.pick(
            f"lines = [{', '.join(item.operand for item in first)}]",
            "lines: list[str] = [" + ", ".join(item.operand for item in first) + "]",
        )
    )
    total, ordered, looped = both(to, *first), True, False
    for _ in range(writer.draw(st.integers(1, 3))):
        way = writer.pick("append", "append", "if", "loop", "extend", "+=", "insert", "comprehension")
        item = string(writer.draw, writer.scope, 1)
        if way == "if":
            writer.line(f"if {flag(writer)}:")
            writer.line(f"    lines.append({item.source})")
            total = replace(both(to, total, item), alternatives=total.alternatives * (1 + item.alternatives))
            continue
        if way == "loop":
            writer.line(writer.pick("for i in deck:", "for i in milk:"))
            writer.line(
                writer.pick('    lines.append(f" out {i}")', '    lines.append("zoo")', "    lines.append(str(i))")
            )
            looped = True
            continue
        if way == "comprehension":
            writer.line(writer.pick('lines.extend(f"on {i}" for i in deck)', "lines += [str(i) for i in milk]"))
            looped = True
            continue
        statement = {
            "append": f"lines.append({item.source})",
            "extend": f"lines.extend([{item.operand}])",
            "+=": f"lines += [{item.operand}]",
            "insert": f"lines.insert(0, {item.operand})",
        }[way]
        ordered = ordered and way != "insert"
        writer.line(statement)
        total = both(to, total, item)
    separator = literal_source(writer.draw, writer.draw(st.sampled_from(("\n", ", ", "", "; ", " | "))))
    writer.line(f"{to} = {separator}.join(lines)")
    writer.set(to, replace(total, source=to, known=total.known and not looped, lifted=total.lifted and ordered))


# -- raising


def raise_now(writer: Writer) -> None:
    """Write a raise (or assert) that is reached for certain."""
    says = said(writer)
    error_class = writer.pick(*CLASSES)
    start = len(writer.lines) + 1
    form = writer.pick("plain", "plain", "plain", "from", "lines", "assert", "star", "walrus", "keyword")
    if form == "assert":
        error_class = "AssertionError"
        writer.line(f"assert {writer.pick('False', 'not hall', 'bag is None')}, {says.operand}")
    elif form == "lines":
        writer.line(f"raise {error_class}(\n  {says.source},  # said\n)")
    elif form == "walrus":
        writer.line(f"raise {error_class}((cab := {says.operand}) + cab)")
        says = replace(says, alternatives=says.alternatives**2)
    else:
        tail = {"from": " from None", "keyword": " from ValueError('no')"}.get(form, "")
        writer.line(
            f"raise {error_class}({'*(' if form == 'star' else ''}{says.operand}{',)' if form == 'star' else ''}){tail}"
        )
    writer.raises.append(Raise(line=start, error_class=error_class, says=says))


def said(writer: Writer) -> Text:
    """Return what a raise says: half the time, something with a name that was set before."""
    chosen = writer.known_name()
    if chosen is None or writer.draw(st.booleans()):
        return writer.text(3)
    value = replace(writer.scope.texts[chosen], source=chosen, atom=True)
    around = writer.draw(LETTERS)
    forms = (chosen, chosen, f'f"{around}: {{{chosen}}}"', f'"{around} %s" % {chosen}', f'{chosen} + "{around}"')
    return replace(value, source=writer.pick(*forms, f'"{around} {{}}".format({chosen})'), atom=False)


def early_raise(writer: Writer) -> None:
    writer.block(f"if {flag(writer)}:", *([assign] if writer.draw(st.booleans()) else []), raise_now)


def early_return(writer: Writer) -> None:
    writer.block(f"if {flag(writer)} and {flag(writer)}:", *([assign] if writer.draw(st.booleans()) else []), leave)


def leave(writer: Writer) -> None:
    writer.line(writer.pick("return None", "return bag"))


def loop_raise(writer: Writer) -> None:
    """Raise in a loop that sets the message anew afterwards: the second round says something else."""
    to = target(writer)
    first, later = writer.text(1), text(writer.draw, Scope(texts={}), 1)
    writer.line(f"{to} = {first.source}")
    now = replace(both(to, first, later), alternatives=first.alternatives + later.alternatives)
    before = writer.scope
    writer.scope = Scope(texts={to: now})
    writer.line("for i in deck:")
    writer.line(f"    if {flag(writer)} and i == {writer.pick('deck[-1]', 'deck[0]')}:")
    writer.indent += 2
    raise_now(writer)
    writer.indent -= 2
    writer.line(f"    {to} = {later.source}")
    writer.scope = before
    writer.set(to, now)


def handler_raise(writer: Writer) -> None:
    """Raise in an except block, with the caught error in the text."""
    writer.line("try:")
    writer.line(f"    {writer.pick('deck[0]', 'milk[1]', 'lid[chr(0x3080)]')}")
    writer.line("except (IndexError, KeyError) as error:")
    writer.indent += 1
    one = f_string(writer.draw, writer.scope, 1)
    says = replace(
        one,
        source=f"{one.operand} + {writer.pick('str(error)', 'repr(error)', 'type(error).__name__')}",
        known=False,
        lifted=False,
        atom=False,
    )
    writer.raises.append(Raise(line=len(writer.lines) + 1, error_class="TypeError", says=says))
    writer.line(f"raise TypeError({says.source}) from error")
    writer.indent -= 1


SIMPLE = (assign, assign, append_text, append_text, assign_chain, assign_tuple, swap, walrus, template)
STATEMENTS = (
    *SIMPLE,
    branch,
    branch,
    same_name,
    same_name,
    optional_piece,
    optional_piece,
    match,
    attempt,
    inside_with,
    loop_append,
    loop_append,
    loop_set,
    list_joined,
    list_joined,
    early_raise,
    early_return,
    loop_raise,
    handler_raise,
)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Draw a module whose function `law` builds a message and raises it."""
    writer = Writer(draw=draw, lines=[], scope=Scope(texts={}, opaque=draw(st.integers(0, 3)) > 0))
    writer.lines.extend(HEADER.rstrip("\n").split("\n"))
    writer.lines.extend(["", "", f"def law({', '.join(PARAMETERS)}):"])
    for _ in range(draw(st.integers(0, 4))):
        statement_of(STATEMENTS)(writer)
    raise_now(writer)
    return Program(source="\n".join(writer.lines) + "\n", raises=tuple(writer.raises))

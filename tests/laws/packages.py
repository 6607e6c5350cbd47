"""Packages of several modules whose messages are put together far from the raise, for the law of whole programs."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from laws.texts import OWED, Text, both

PACKAGE = "pkg"
# Each module imports only from those above it.
MODULES = ("texts", "errors", "helpers", "main")
SIGNATURE = "bag, dim, deck, key, p, q"
VALUES: tuple[tuple[object, ...], ...] = (("め", 7, [], "k1"), ("ゆ.* も", 16, ["め", "や"], "k2"))
WORDS = st.text(st.sampled_from(OWED + OWED.upper() + " .,()[]'?*"), min_size=1, max_size=9)
INITIALS = {
    "texts": "import enum\n",
    "errors": "",
    "helpers": "import functools\nfrom typing import Literal\n",
    "main": "import enum\nimport functools\nfrom typing import Literal\n",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Say:
    """A text for a raise: statements to stand before it, and the expression."""

    text: Text
    before: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Thrown:
    """What stands after `raise`, statements before it, and what it says; class_known: its class can be read."""

    source: str
    text: Text
    before: tuple[str, ...] = ()
    class_known: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Package:
    """Modules (path -> source); the functions of `main` to call; per marked raise statement, what it says.

    optional: some import stands in a `try` whose handler sets the name to None, so that no text is known for certain.
    """

    files: dict[str, str]
    main: str
    laws: tuple[str, ...]
    raises: dict[tuple[str, int], Thrown]
    optional: bool


@dataclass(kw_only=True, slots=True)
class Builder:
    """A package under way: per module its definitions, its import lines, and "" or the subpackage it is in ("low.")."""

    draw: st.DrawFn
    definitions: dict[str, list[str]] = field(default_factory=lambda: {one: [] for one in MODULES})
    imports: dict[str, list[str]] = field(default_factory=lambda: {one: [] for one in MODULES})
    exports: list[str] = field(default_factory=list)
    laws: list[str] = field(default_factory=list)
    marked: list[Thrown] = field(default_factory=list)
    folders: dict[str, str] = field(default_factory=lambda: dict.fromkeys(MODULES, ""))
    serial: int = 0

    def fresh(self, stem: str) -> str:
        self.serial += 1
        return f"{stem}{self.serial}"

    def pick(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def flip(self) -> bool:
        return self.draw(st.booleans())

    def word(self) -> str:
        return self.draw(WORDS)

    def owner(self, user: str) -> str:
        """Choose a module that `user` may take names from: itself, or one above it."""
        return self.pick(*MODULES[: MODULES.index(user) + 1])

    def define(self, module: str, source: str) -> None:
        self.definitions[module].append(source)

    def refer(self, user: str, owner: str, name: str) -> str:
        """Return how `user` writes a name of `owner`, and import what that takes."""
        if user == owner:
            return name
        alias, module, home = self.fresh("al"), self.dotted(owner), self.dotted(owner).rpartition(".")[0]
        near = self.relative(user, owner)
        around = re.sub(r"(?<=\w)\.$", "", near.removesuffix(owner))
        ways = {
            f"from {module} import {name}": name,
            f"from {module} import {name} as {alias}": alias,
            f"import {module} as {alias}": f"{alias}.{name}",
            f"import {module}": f"{module}.{name}",
            f"from {home} import {owner}": f"{owner}.{name}",
            f"from {around} import {owner} as {alias}": f"{alias}.{name}",
            f"from {near} import {name}": name,
            f"from {near} import (\n    {name} as {alias},\n)": alias,
            f"from {module} import *": name,
            f"try:\n    from {module} import {name}\nexcept ImportError:\n    {name} = None": name,
            f"try:\n    from {module} import {name}\nexcept ImportError:\n    from {near} import {name}": name,
        }
        top = "." if self.folders[user] == "" else ".."
        exported = {
            f"from {PACKAGE} import {name}": name,
            f"from {top} import {name} as {alias}": alias,
            f"import {PACKAGE} as {alias}": f"{alias}.{name}",
        }
        if name.startswith("_"):
            del ways[f"from {module} import *"]
        line = self.pick(*ways, *(exported if user == "main" else ()))
        if line in exported:
            self.exports.append(
                self.pick(f"from .{self.folders[owner]}{owner} import {name}", f"from {module} import {name} as {name}")
            )
        self.imports[user].append(line)
        return {**ways, **exported}[line]

    def dotted(self, module: str) -> str:
        return f"{PACKAGE}.{self.folders[module]}{module}"

    def relative(self, user: str, owner: str) -> str:
        """Return the relative name by which `user` imports `owner`."""
        same = self.folders[user] == self.folders[owner]
        return f".{owner}" if same else f"{'..' if self.folders[user] else '.'}{self.folders[owner]}{owner}"

    def mark(self, thrown: Thrown) -> str:
        """Return the raise statement, marked so that its line can be found."""
        self.marked.append(thrown)
        return f"raise {thrown.source}  # R{len(self.marked) - 1}."

    def package(self) -> Package:
        files = {f"{PACKAGE}/__init__.py": "".join(f"{line}\n" for line in dict.fromkeys(self.exports))}
        for module in MODULES:
            path = self.dotted(module).replace(".", "/")
            lines = [INITIALS[module], *dict.fromkeys(self.imports[module]), "", *self.definitions[module], ""]
            files[f"{path}.py"] = "\n".join(lines)
            files.setdefault(f"{path.rpartition('/')[0]}/__init__.py", "")
        raises = {
            (path, number): self.marked[int(line.rpartition("# R")[2].rstrip("."))]
            for path, source in files.items()
            for number, line in enumerate(source.split("\n"), 1)
            if "  # R" in line
        }
        optional = any(line.endswith("= None") for lines in self.imports.values() for line in lines)
        return Package(files=files, laws=tuple(self.laws), raises=raises, main=self.dotted("main"), optional=optional)


def block(header: str, lines: list[str] | tuple[str, ...]) -> str:
    """Return a compound statement: a header and its indented body."""
    return "\n".join([header, *("    " + inner for line in lines for inner in line.split("\n"))])


def known(source: str, alternatives: int = 1) -> Text:
    return Text(source=source, alternatives=alternatives)


def unknown(source: str, *, lifted: bool = True) -> Text:
    return Text(source=source, known=False, lifted=lifted)


def argument(build: Builder) -> Text:
    """Return what a template is filled with: text of the source, or a value of run time."""
    if build.flip():
        return Text(source=repr(build.word()), atom=True)
    return Text(source=build.pick("bag", "dim", "deck", "str(dim)"), known=False, atom=True)


def filled(text: Text, source: str) -> Text:
    return replace(text, source=source, atom=False)


# -- texts: each returns an expression for use in module `user`, inside a function with the parameters SIGNATURE


def constant(build: Builder, user: str) -> Say:
    owner, name = build.owner(user), build.fresh("CAGE")
    build.define(owner, f"{name} = {build.word()!r}")
    return Say(text=known(build.refer(user, owner, name)))


def constant_of_constants(build: Builder, user: str) -> Say:
    first = constant(build, "texts").text.source
    name, word = build.fresh("CAGE"), build.word()
    value = build.pick(
        f"{first} + {word!r}",
        f'f"{{{first}}}: {{{first}}}"',
        f'", ".join([{first}, {word!r}])',
        f'"bad %s" % {first}',
        f'"""\n  {{}}\n  mild\n""".format({first})',
        f"{first}.upper()",
        f"{word!r} if {first} else 'dull'",
    )
    build.define("texts", f"{name} = {value}")
    text = known(build.refer(user, "texts", name), 2 if " if " in value else 1)
    return Say(text=text)


def constant_template(build: Builder, user: str) -> Say:
    owner, name, value = build.owner(user), build.fresh("FIELD"), argument(build)
    word = build.word()
    if build.flip():
        build.define(owner, f"{name} = {word + ': %s'!r}")
        return Say(text=filled(value, f"{build.refer(user, owner, name)} % ({value.source},)"))
    build.define(owner, f"{name} = {word.replace('{', '{{') + ' {ham}'!r}")
    return Say(text=filled(value, f"{build.refer(user, owner, name)}.format(ham={value.source})"))


def constant_either(build: Builder, user: str) -> Say:
    owner, name = build.owner(user), build.fresh("CAGE")
    build.define(owner, f"if __debug__:\n    {name} = {build.word()!r}\nelse:\n    {name} = {build.word()!r}")
    return Say(text=known(build.refer(user, owner, name), 2))


def class_attribute(build: Builder, user: str) -> Say:
    owner, base, derived = build.owner(user), build.fresh("Cab"), build.fresh("Elf")
    build.define(owner, block(f"class {base}:", [f"FIG = {build.word()!r}", "LID = FIG + ' lid'", "dim: int = 3"]))
    build.define(owner, block(f"class {derived}({base}):", ["dim = 4"]))
    chosen = build.refer(user, owner, build.pick(base, derived))
    return Say(text=known(f"{chosen}.{build.pick('FIG', 'LID')}"))


def enum_member(build: Builder, user: str) -> Say:
    owner, name = build.pick("texts", "main") if user == "main" else "texts", build.fresh("Kind")
    bases = build.pick("enum.Enum", "str, enum.Enum")
    build.define(
        owner, block(f"class {name}({bases}):", [f"BIG = {build.word()!r}", f"AGED = {build.word()!r} + 'gl'"])
    )
    enum = build.refer(user, owner, name)
    source, count = build.draw(
        st.sampled_from(
            ((f"{enum}.BIG.value", 1), (f"{enum}.AGED.name", 1), (f"({enum}.BIG if p else {enum}.AGED).value", 2))
        )
    )
    return Say(text=known(source, count))


def table(build: Builder, user: str) -> Say:
    owner, name = build.owner(user), build.fresh("LABELS")
    build.define(owner, f"{name} = {{\n    'k1': {build.word()!r},\n    'k2': {build.word()!r},\n}}")
    where = build.refer(user, owner, name)
    source, count = build.draw(
        st.sampled_from(
            (
                (f"{where}['k1']", 1),
                (f"{where}['k1' if p else 'k2']", 2),
                (f"{where}[key]", 2),
                (f"{where}.get('k2', 'bed')", 2),
            )
        )
    )
    return Say(text=known(source, count))


def table_of_templates(build: Builder, user: str) -> Say:
    owner, name, value = build.owner(user), build.fresh("FORMS"), argument(build)
    build.define(owner, f"{name} = dict(k1={build.word() + ' {}'!r}, k2={'{} ' + build.word()!r})")
    where = build.refer(user, owner, name)
    return Say(text=replace(filled(value, f"{where}[key].format({value.source})"), alternatives=2))


def helper(build: Builder, user: str) -> Say:
    """Return a call of a function that returns text with its argument in it."""
    owner, name, value = build.owner(user), build.fresh("form"), argument(build)
    word = build.word()
    body = build.draw(
        st.sampled_from(
            (
                (f'return f"all {{head}} {{tail}}" + {word!r}', 1),
                (f"said = {word!r}\nsaid += ' ' + str(head)\nreturn said", 1),
                (f"return {word!r} + ' %s' % (head,) + tail", 1),
                (f"if not head:\n    return {word!r}\nreturn f'fed {{head}}'", 2),
                (f"said = {word!r} if tail else 'ill'\nreturn ' '.join([said, str(head)])", 2),
                (f"def inner(leg):\n    return f'{{leg}} {{head}}'\nreturn inner({word!r})", 1),
            )
        )
    )
    build.define(owner, block(f"def {name}(head, tail='bid', *, more=0):", body[0].split("\n")))
    call = build.refer(user, owner, name)
    extra = build.pick("", "", ", 'ham'", ", tail='mad'")
    call = (
        f"{call}({value.source}{extra})"
        if build.flip()
        else f"{call}(head={value.source}{extra if '=' in extra else ''})"
    )
    return Say(text=replace(filled(value, call), alternatives=body[1]))


def helper_of_helper(build: Builder, user: str) -> Say:
    inner = build.fresh("deep")
    owner = "texts"
    build.define(owner, block(f"def {inner}(leg, mid='mi'):", [f"return {build.word()!r} + f'{{leg}}{{mid}}'"]))
    middle = build.owner(user)
    name, value = build.fresh("form"), argument(build)
    called = build.refer(middle, owner, inner)
    build.define(middle, block(f"def {name}(head):", [f"return {called}(head, mid={build.word()!r}) + '.'"]))
    return Say(text=filled(value, f"{build.refer(user, middle, name)}({value.source})"))


def a_lambda(build: Builder, user: str) -> Say:
    owner, name, value = build.owner(user), build.fresh("make"), argument(build)
    build.define(owner, f"{name} = lambda head, tail='cage': f'{{head}} and {{tail}}'")
    return Say(text=filled(value, f"{build.refer(user, owner, name)}({value.source})"))


def a_partial(build: Builder, user: str) -> Say:
    owner = build.pick("helpers", "main") if user == "main" else user
    if owner not in ("helpers", "main"):
        return helper(build, user)
    name, bound, value = build.fresh("form"), build.fresh("made"), argument(build)
    build.define(owner, block(f"def {name}(leg, head, tail='mid'):", ["return f'{leg}: {head} {tail}'"]))
    given = build.pick(repr(build.word()), f"{build.word()!r}, tail={build.word()!r}")
    build.define(owner, f"{bound} = functools.partial({name}, {given})")
    return Say(text=filled(value, f"{build.refer(user, owner, bound)}({value.source})"))


def a_method(build: Builder, user: str) -> Say:
    owner, name, value = build.owner(user), build.fresh("Cage"), argument(build)
    lines = [
        f"FIG = {build.word()!r}",
        "@staticmethod\ndef fixed(head):\n    return f'a {head}'",
        "@classmethod\ndef shared(cls, head):\n    return cls.FIG + f' {head}'",
        "def own(self, head):\n    return '%s %s' % (self.FIG, self.fixed(head))",
    ]
    build.define(owner, block(f"class {name}:", lines))
    where = build.refer(user, owner, name)
    call = build.pick(f"{where}.fixed", f"{where}.shared", f"{where}().own", f"{where}().shared")
    return Say(text=filled(value, f"{call}({value.source})"))


def chosen_helper(build: Builder, user: str) -> Say:
    owner, value = build.owner(user), argument(build)
    first, second, names = build.fresh("form"), build.fresh("form"), build.fresh("FORMS")
    build.define(owner, block(f"def {first}(head):", [f"return {build.word()!r} + f'{{head}}'"]))
    build.define(owner, block(f"def {second}(head):", [f"return f'{{head}} ' + {build.word()!r}"]))
    way = build.pick("list", "dict", "if")
    if way == "if":
        one, other = build.refer(user, owner, first), build.refer(user, owner, second)
        call = f"({one} if p else {other})({value.source})"
    elif way == "list":
        build.define(owner, f"{names} = [{first}, {second}]")
        call = f"{build.refer(user, owner, names)}[int(p)]({value.source})"
    else:
        build.define(owner, f"{names} = {{'k1': {first}, 'k2': {second}}}")
        call = f"{build.refer(user, owner, names)}[key]({value.source})"
    return Say(text=replace(filled(value, call), alternatives=2))


def local_name(build: Builder, user: str) -> Say:
    """Wrap another text in a local name."""
    inner = draw_text(build, user, depth=0)
    name = build.fresh("said")
    forms = (
        f"{name} = {inner.text.source}",
        f"{name} = f'{{{inner.text.source}}}'" if "'" not in inner.text.source else f"{name} = ({inner.text.source})",
    )
    return Say(text=filled(inner.text, name), before=(*inner.before, build.pick(*forms)))


def added(build: Builder, user: str) -> Say:
    first, second = draw_text(build, user, depth=0), draw_text(build, user, depth=0)
    both_texts = both(f"{first.text.operand} + {second.text.operand}", first.text, second.text)
    return Say(text=replace(both_texts, atom=False), before=(*first.before, *second.before))


def inner_function(build: Builder, user: str) -> Say:
    """Define a helper in the function itself; it reads a name of the function around it."""
    value, name, outer = argument(build), build.fresh("local"), build.fresh("aide")
    before = (f"{outer} = {build.word()!r}", block(f"def {name}(head):", [f"return f'{{{outer}}} {{head}}'"]))
    return Say(text=filled(value, f"{name}({value.source})"), before=before)


def plain(build: Builder, user: str) -> Say:
    value = argument(build)
    word = build.word()
    return Say(
        text=filled(
            value,
            build.pick(
                f"f'abc {{{value.source}}}'"
                if "'" not in value.source and '"' not in value.source
                else f"'abc ' + {value.source}",
                f"{word!r} + ' %s' % ({value.source},)",
            ),
        )
    )


TEXTS: tuple[Callable[[Builder, str], Say], ...] = (
    plain,
    constant,
    constant_of_constants,
    constant_template,
    constant_either,
    class_attribute,
    enum_member,
    table,
    table_of_templates,
    helper,
    helper_of_helper,
    a_lambda,
    a_partial,
    a_method,
    chosen_helper,
    inner_function,
)


def draw_text(build: Builder, user: str, depth: int = 1) -> Say:
    kinds = (*TEXTS, local_name, added) if depth else TEXTS
    return build.draw(st.sampled_from(kinds))(build, user)

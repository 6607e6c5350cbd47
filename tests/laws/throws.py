"""Exceptions and places of raise statements, for the law of whole programs."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from laws.packages import MODULES, SIGNATURE, Builder, Package, Say, Thrown, argument, block, draw_text, filled, unknown
from laws.texts import Text

BUILT_IN = ("ValueError", "TypeError", "RuntimeError", "NotImplementedError", "LookupError", "AttributeError")

# -- classes: each defines a class whose str() is made from its first argument, and returns (its expression in module
# `user`, how it wraps that argument: a template with `{}` for it, whether the text may be known)


def built_in(build: Builder, user: str) -> str:
    return build.pick(*BUILT_IN)


def plain_class(build: Builder, user: str) -> str:
    owner = build.pick("errors", user)
    first, second = build.fresh("Bad"), build.fresh("Failed")
    build.define(owner, block(f"class {first}({build.pick(*BUILT_IN)}):", ['"""Said of a thing."""']))
    build.define(owner, block(f"class {second}({first}):", ["code = 3"]))
    return build.refer(user, owner, build.pick(first, second))


def alias_of_class(build: Builder, user: str) -> str:
    owner, name, alias = build.pick("errors", user), build.fresh("Bad"), build.fresh("Alike")
    build.define(owner, block(f"class {name}(ValueError):", ["pass"]))
    build.define(owner, f"{alias} = {name}")
    return build.refer(user, owner, alias)


def class_with_init(build: Builder, user: str) -> str:
    """Define a class whose __init__ puts text around its argument."""
    owner, base, name = build.pick("errors", user), build.pick(*BUILT_IN), build.fresh("Bad")
    word = build.word()
    page = "FIG = 'page'"
    forms: tuple[list[str], ...] = (
        ["def __init__(self, what):", f"    super().__init__({word!r} + f' {{what}} end')"],
        ["def __init__(self, what, more='lid'):", "    super().__init__(f'{what} {more}')"],
        ["def __init__(self, what):", f"    {base}.__init__(self, '%s %s' % (what, {word!r}))"],
        ["def __init__(self, what):", f"    super({name}, self).__init__({word!r} + ' ' + what)"],
        ["def __init__(self, what):", "    self.what = what", "    super().__init__(f'all {self.what}')"],
        ["def __init__(self, what):", f"    self.args = ({word!r} + what,)"],
        ["def __init__(self, what):", f"    said = {word!r}", "    said += f': {what}'", "    super().__init__(said)"],
        ["def __init__(self, what):", "    super().__init__(f'{type(self).__name__}: {what}')"],
        ["def __init__(self, what):", "    super().__init__(f'{what} ({self.__class__.__name__})')"],
        [page, "def __init__(self, what):", "    super().__init__(f'{what}, see {self.FIG}')"],
        [
            page,
            "def __init__(self, what):",
            "    super().__init__(self.form(what))",
            "",
            "def form(self, what):",
            "    return f'{self.FIG}: {what}'",
        ],
        [
            "def __init__(self, what):",
            "    self.what = what",
            "",
            "def __str__(self):",
            f"    return {word!r} + f' {{self.what}}'",
        ],
        ["def __str__(self):", "    return 'like ' + super().__str__()"],
        ["def __str__(self):", "    return f'{type(self).__name__} held {self.args[0]}'"],
        ["def __new__(cls, *args):", "    return super().__new__(cls, *args)"],
    )
    build.define(owner, block(f"class {name}({base}):", build.draw(st.sampled_from(forms))))
    derived = build.fresh("Child")
    further = build.pick("FIG = 'leaf'", "pass", "def __init__(self, what):\n    super().__init__('hid ' + what)")
    build.define(owner, block(f"class {derived}({name}):", [further]))
    return build.refer(user, owner, build.pick(name, derived))


def class_with_mixin(build: Builder, user: str) -> str:
    owner, mixin, base, name = "errors", build.fresh("Aid"), build.fresh("Bad"), build.fresh("Child")
    lines = [
        "_module_name = 'cage.file'",
        "def __init__(self, what, *rest):",
        "    super().__init__(f'{what}\\nSee {self._module_name}.{self.__class__.__name__}', *rest)",
    ]
    build.define(owner, block(f"class {mixin}:", lines))
    build.define(
        owner, block(f"class {base}(TypeError):", ["def __init__(self, what):", "    super().__init__('bad: ' + what)"])
    )
    bases = build.pick(f"{mixin}, {base}", f"{mixin}, ValueError", f"{base}, {mixin}")
    build.define(owner, block(f"class {name}({bases}):", [build.pick("pass", "_module_name = 'cage'")]))
    return build.refer(user, owner, name)


CLASSES = (
    built_in,
    built_in,
    plain_class,
    alias_of_class,
    class_with_init,
    class_with_init,
    class_with_init,
    class_with_mixin,
)


def a_class(build: Builder, user: str) -> str:
    return build.draw(st.sampled_from(CLASSES))(build, user)


# -- what is thrown


def call(build: Builder, user: str, say: Say) -> Thrown:
    return Thrown(source=f"{a_class(build, user)}({say.text.source})", text=say.text, before=say.before)


def call_from(build: Builder, user: str, say: Say) -> Thrown:
    thrown = call(build, user, say)
    return replace(thrown, source=thrown.source + " from None")


def several_arguments(build: Builder, user: str, say: Say) -> Thrown:
    """Raise with two arguments: str() is that of the tuple."""
    error, second = build.pick("ValueError", plain_class(build, user)), build.pick("bag", "dim", "'ham'")
    source = f"{error}({say.text.source}, {second})"
    text = replace(say.text, known=False, lifted=say.text.known)
    return Thrown(source=source, text=text, before=say.before)


def no_argument(build: Builder, user: str, say: Say) -> Thrown:
    """Raise a class that says what it says by itself."""
    owner, name = build.pick("errors", user), build.fresh("Bad")
    forms: tuple[list[str], ...] = (
        ["def __init__(self, what='all bad'):", "    super().__init__(what)"],
        ["def __str__(self):", f"    return {build.word()!r}"],
        ["FIG = 'fig leaf'", "def __init__(self):", "    super().__init__(self.FIG)"],
        ["pass"],
    )
    build.define(owner, block(f"class {name}(RuntimeError):", build.draw(st.sampled_from(forms))))
    error = build.refer(user, owner, name)
    return Thrown(source=build.pick(error, f"{error}()", "ValueError", "TypeError()"), text=Text(source=""))


def key_error(build: Builder, user: str, say: Say) -> Thrown:
    """Raise a KeyError: str() is the repr of its argument."""
    error = "KeyError"
    if build.flip():
        owner, name = build.pick("errors", user), build.fresh("Bad")
        build.define(owner, block(f"class {name}(KeyError):", ["pass"]))
        error = build.refer(user, owner, name)
    return Thrown(
        source=f"{error}({say.text.source})", text=replace(say.text, lifted=say.text.known), before=say.before
    )


def os_error(build: Builder, user: str, say: Say) -> Thrown:
    source = build.pick(
        f"OSError(5, {say.text.source})",
        f"OSError({say.text.source})",
        f"IOError({say.text.source})",
        f"OSError(dim, {say.text.source})",
        f"OSError(5, {say.text.source}, 'ham')",
    )
    return Thrown(
        source=source, text=replace(say.text, known=False), before=say.before, class_known="dim," not in source
    )


def group(build: Builder, user: str, say: Say) -> Thrown:
    inside = build.pick("[ValueError('no')]", "[TypeError(), ValueError()]", "[ValueError(i) for i in range(dim)]")
    text = replace(say.text, known=False)
    return Thrown(source=f"ExceptionGroup({say.text.source}, {inside})", text=text, before=say.before)


def unicode_error(build: Builder, user: str, say: Say) -> Thrown:
    source = build.pick(
        f"UnicodeDecodeError('ascii', b'\\xff', 0, 1, {say.text.source})",
        f"UnicodeEncodeError('ascii', bag, 0, 1, {say.text.source})",
    )
    return Thrown(source=source, text=replace(say.text, known=False, lifted=False), before=say.before)


def class_at_run_time(build: Builder, user: str, say: Say) -> Thrown:
    first, second = (build.draw(st.sampled_from((built_in, plain_class)))(build, user) for _ in range(2))
    way = build.pick("conditional", "variable", "branches", "dict", "index")
    name = build.fresh("error")
    if way == "conditional":
        return Thrown(source=f"({first} if p else {second})({say.text.source})", text=say.text, before=say.before)
    before = {
        "variable": f"{name} = {first} if p else {second}",
        "branches": f"{name} = {first}\nif p:\n    {name} = {second}",
        "dict": f"{name} = {{'k1': {first}, 'k2': {second}}}[key]",
        "index": f"{name} = ({first}, {second})[p]",
    }[way]
    return Thrown(source=f"{name}({say.text.source})", text=say.text, before=(*say.before, before))


def built_earlier(build: Builder, user: str, say: Say) -> Thrown:
    name, thrown = build.fresh("error"), call(build, user, say)
    made = f"{name} = {thrown.source}"
    forms: tuple[tuple[str, str], ...] = (
        (made, name),
        (made, f"{name}.with_traceback(None)"),
        (f"{made}\n{name}.add_note('a note')", name),
        (f"{made}\n{name}.code = dim", f"{name} from None"),
        (f"{name} = [{thrown.source}]", f"{name}[0]"),
        (f"{name} = []\n{name}.append({thrown.source})", f"{name}[0]"),
        (f"if q:\n    {name} = {thrown.source}\nelse:\n    {name} = TypeError('mild')", name),
    )
    before, source = build.draw(st.sampled_from(forms))
    count = thrown.text.alternatives + ("mild" in before)
    text = replace(thrown.text, alternatives=count, source=name)
    return Thrown(source=source, text=text, before=(*say.before, before))


def returned(build: Builder, user: str, say: Say) -> Thrown:
    """Raise what a helper returns."""
    owner, name, value = build.owner(user), build.fresh("error"), argument(build)
    owner = "helpers" if owner == "texts" and user in ("helpers", "main") else owner
    error = a_class(build, owner) if owner != "texts" else "ValueError"
    way = build.pick("plain", "two", "class", "method")
    word = build.word()
    if way == "class":
        build.define(
            owner,
            block(
                f"class {name}(ValueError):",
                [
                    "@classmethod\ndef of(cls, head):\n    return cls(f'bad {head}')",
                ],
            ),
        )
        return Thrown(source=f"{build.refer(user, owner, name)}.of({value.source})", text=filled(value, ""))
    if way == "method":
        build.define(
            owner,
            block(
                f"class {name}:",
                [
                    f"def error(self, head):\n    return {error}({word!r} + f' {{head}}')",
                ],
            ),
        )
        return Thrown(source=f"{build.refer(user, owner, name)}().error({value.source})", text=filled(value, ""))
    lines = [f"return {error}({word!r} + f' {{head}}')"]
    if way == "two":
        lines.insert(0, "if flag:\n    return RuntimeError(f'like {head}')")
    build.define(owner, block(f"def {name}(head, flag=False):", lines))
    source = f"{build.refer(user, owner, name)}({value.source}{build.pick('', ', p', ', flag=p')})"
    return Thrown(source=source, text=replace(filled(value, ""), alternatives=len(lines)))


THROWS: tuple[Callable[[Builder, str, Say], Thrown], ...] = (
    call,
    call,
    call,
    call_from,
    several_arguments,
    no_argument,
    key_error,
    os_error,
    group,
    unicode_error,
    class_at_run_time,
    class_at_run_time,
    built_earlier,
    built_earlier,
    returned,
    returned,
)


def thrown(build: Builder, user: str) -> Thrown:
    say = draw_text(build, user)
    return build.draw(st.sampled_from(THROWS))(build, user, say)


# -- places: each defines in pkg.main a function of SIGNATURE that raises, and returns its name


def in_function(build: Builder) -> str:
    name, what = build.fresh("law"), thrown(build, "main")
    build.define("main", block(f"def {name}({SIGNATURE}):", [*what.before, build.mark(what)]))
    return name


def in_branch(build: Builder) -> str:
    name, first, second = build.fresh("law"), thrown(build, "main"), thrown(build, "main")
    lines = [block("if p:", [*first.before, build.mark(first)]), *second.before, build.mark(second)]
    build.define("main", block(f"def {name}({SIGNATURE}):", lines))
    return name


def in_nested(build: Builder) -> str:
    """Raise in a nested function that reads names of the function around it."""
    name, what = build.fresh("law"), thrown(build, "main")
    inner = block("def check():", [build.mark(what)])
    build.define("main", block(f"def {name}({SIGNATURE}):", [*what.before, inner, "return check()"]))
    return name


def in_method(build: Builder) -> str:
    """Raise in a method, with a template that is a class attribute, perhaps of a base in another module."""
    owner, base, name, law = (
        build.pick(*("texts", "errors", "helpers", "main")),
        build.fresh("Base"),
        build.fresh("Cab"),
        build.fresh("law"),
    )
    value = argument(build)
    build.define(owner, block(f"class {base}:", [f"FACE = {build.word() + ' %s'!r}"]))
    form, source = build.draw(
        st.sampled_from(
            (
                ("self", f"self.FACE % ({value.source},)"),
                ("cls", f"cls.FACE % ({value.source},)"),
                ("self", f"self.describe({value.source})"),
                ("self", f"type(self).FACE % ({value.source},)"),
                ("self", f"super().FACE % ({value.source},)"),
            )
        )
    )
    says = filled(value, source)
    what = Thrown(source=f"{build.pick('ValueError', 'TypeError')}({source})", text=says)
    lines = [
        "def describe(self, leg):\n    return f'{self.FACE} and {leg}'",
        ("@classmethod\n" if form == "cls" else "") + block(f"def check({form}, {SIGNATURE}):", [build.mark(what)]),
    ]
    build.define("main", block(f"class {name}({build.refer('main', owner, base)}):", lines))
    build.define("main", block(f"def {law}({SIGNATURE}):", [f"return {name}().check({SIGNATURE})"]))
    return law


def in_instance(build: Builder) -> str:
    """Raise in a method, with what __init__ kept."""
    name, law, value = build.fresh("Cab"), build.fresh("law"), argument(build)
    lines = [
        block("def __init__(self, head):", ["self.head = head", f"self.face = {build.word()!r}"]),
        block(
            f"def check(self, {SIGNATURE}):",
            [
                build.mark(
                    Thrown(source="ValueError(f'{self.head}: bad')", text=unknown(value.source, lifted=not value.known))
                )
            ],
        ),
    ]
    build.define("main", block(f"class {name}:", lines))
    build.define("main", block(f"def {law}({SIGNATURE}):", [f"return {name}({value.source}).check({SIGNATURE})"]))
    return law


def helper_name(build: Builder, stem: str) -> tuple[str, bool]:
    """Return a function's name, and whether its callers in the package are all it can have."""
    private = build.flip()
    return build.fresh(f"_{stem}" if private else stem), private


def in_helper(build: Builder) -> str:
    """Raise in a helper; what the callers of a private one pass is all that its parameters can be."""
    law, owner = build.fresh("law"), build.owner("main")
    name, private = helper_name(build, "fail")
    first, second = argument(build), argument(build)
    error = a_class(build, owner) if owner != "texts" else "TypeError"
    is_known = first.known and second.known and private
    says = Text(source="", known=is_known, alternatives=2, lifted=private and first.known == second.known)
    body = build.pick("f'bad {what}: {mode}'", "'bad %s %s' % (what, mode)", "'bad {} {}'.format(what, mode)")
    raising = build.mark(Thrown(source=f"{error}({body})", text=says))
    build.define(owner, block(f"def {name}(what, mode='dumb'):", [raising]))
    call = build.refer("main", owner, name)
    lines = [block("if p:", [f"{call}({first.source})"]), f"{call}(what={second.source})"]
    build.define("main", block(f"def {law}({SIGNATURE}):", lines))
    return law


def with_error_class_given(build: Builder) -> str:
    """Raise in a helper whose exception class is an argument of its callers."""
    law, owner, value = build.fresh("law"), build.owner("main"), argument(build)
    name, private = helper_name(build, "fail")
    says = filled(value, "") if private else unknown("", lifted=not value.known)
    raising = build.mark(Thrown(source="error_class(f'bad {what}')", text=says, class_known=private))
    build.define(owner, block(f"def {name}(error_class, what):", [raising]))
    call = build.refer("main", owner, name)
    first, second = plain_class(build, "main"), build.pick("TypeError", "ValueError")
    lines = [f"if p:\n    {call}({first}, {value.source})", f"{call}(error_class={second}, what={value.source})"]
    build.define("main", block(f"def {law}({SIGNATURE}):", lines))
    return law


def with_literal(build: Builder) -> str:
    """Raise with a parameter that is annotated with its few values."""
    law, name = build.fresh("law"), build.fresh("check")
    says = Text(source="", alternatives=2)
    raising = build.mark(Thrown(source="ValueError(f'the mode {mode} failed')", text=says))
    build.define("main", block(f"def {name}(mode: Literal['big', 'calm']):", [raising]))
    build.define("main", block(f"def {law}({SIGNATURE}):", [f"return {name}('big' if p else 'calm')"]))
    return law


def with_default(build: Builder) -> str:
    """Raise with a parameter whose default is what no caller ever changes."""
    law, owner, constant = build.fresh("law"), build.owner("main"), build.fresh("CAGE")
    name, private = helper_name(build, "check")
    build.define(owner, f"{constant} = {build.word()!r}")
    default = build.pick(repr(build.word()), constant, f"{constant} + ' fed'")
    raising = build.mark(Thrown(source="ValueError(f'{bag} is bad' + note)", text=unknown("", lifted=private)))
    build.define(owner, block(f"def {name}(bag, note={default}):", [raising]))
    build.define("main", block(f"def {law}({SIGNATURE}):", [f"return {build.refer('main', owner, name)}(bag)"]))
    return law


PLACES = (
    in_function,
    in_function,
    in_function,
    in_branch,
    in_nested,
    in_method,
    in_instance,
    in_helper,
    with_error_class_given,
    with_literal,
    with_default,
)


@st.composite
def packages(draw: st.DrawFn) -> Package:
    """Draw a package whose functions in pkg.main raise."""
    build = Builder(draw=draw)
    build.folders = {module: draw(st.sampled_from(("", "", "low."))) for module in MODULES}
    for _ in range(draw(st.integers(1, 2))):
        build.laws.append(draw(st.sampled_from(PLACES))(build))
    return build.package()

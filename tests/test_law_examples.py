"""One readable row for each form of message: what is written, what it prints, what is mined."""

import pytest
from laws import checks, mined
from laws.running import Raised, imported, outcome

PATH = "m.py"


# Body of `f(x, n, xs, p)`, called with ("や", 3, ["や", "ゆ"], True): (body, errorMessage, messagePattern).
FORMS = {
    "literal": ("raise E('a.b')", "a.b", r"a\.b"),
    "implicit concatenation": ("raise E('a ' \"b\" r'\\d' f'{x}')", "a b\\d{x}", r"a b\\d(.+?)"),
    "nothing": ("raise E()", "", ""),
    "class alone": ("raise E", "", ""),
    "empty": ("raise E('')", "", ""),
    "f-string": ("raise E(f'a {x!r:>5} {{b}} {n:{n}d}')", "a {x} {b} {n}", r"a (.+?) \{b\} (.+?)"),
    "debug field": ("raise E(f'a {x=} {n = }')", "a x={x} n = {n}", "a x=(.+?) n = (.+?)"),
    "percent tuple": ("raise E('%s of %d%% %r' % (x, n, xs))", "{x} of {n}% {xs}", "(.+?) of (.+?)% (.+?)"),
    "percent one": ("raise E('a %s' % x)", "a {x}", "a (.+?)"),
    "percent mapping": ("raise E('%(b)s %(a)-5s' % {'a': x, 'b': n})", "{n} {x}", "(.+?) (.+?)"),
    "percent known": ("raise E('%s %03d %r' % ('a', 7, 'b'))", "a 007 'b'", "a 007 'b'"),
    "format auto": ("raise E('{} {!r} {:>3}'.format(x, n, n))", "{x} {n} {n}", "(.+?) (.+?) (.+?)"),
    "format numbered": ("raise E('{1} {0} {1}'.format(x, n))", "{n} {x} {n}", "(.+?) (.+?) (.+?)"),
    "format named": ("raise E('{a} {{}}'.format(a=x))", "{x} {}", r"(.+?) \{\}"),
    "format known": ("raise E('{:>4}|{a}'.format('b', a='c'))", "   b|c", r"   b\|c"),
    "format unpacked": ("raise E('{} {a}'.format(*['b'], **{'a': 'c'}))", "b c", "b c"),
    "format_map": ("raise E('{a}'.format_map({'a': 'c'}))", "c", "c"),
    "plus": ("raise E('a ' + x + ' b' + x)", "a {x} b{x}", "a (.+?) b(.+?)"),
    "times": ("raise E('ab' * 2 + '-')", "abab-", "abab-"),
    "join known": ("raise E(', '.join(['a', x, 'b']))", "a, {x}, b", "a, (.+?), b"),
    "join of a value": ("raise E('a ' + ', '.join(xs))", "a {', '.join(xs)}", "a (.*?)"),
    "str": ("raise E(str('a') + repr('b') + ascii('é'))", r"a'b''\xe9'", r"a'b''\\xe9'"),
    "dedent": ("raise E(textwrap.dedent('''\n    a\n      b\n    ''').strip())", "a\n  b", "a\n  b"),
    "upper": ("raise E('ab'.upper() + 'CD'.lower())", "ABcd", "ABcd"),
    "conditional": ("raise E('a' if p else 'b')", "a", "(?:a|b)"),
    "plural": ("raise E(f\"{n} item{'s' if n > 1 else ''}\")", "{n} items", "(.+?) item(?:s)?"),
    "name": ("m = 'a'\nraise E(m)", "a", "a"),
    "name set twice": ("m = 'a'\nm = 'b'\nraise E(m)", "b", "b"),
    "name in branches": ("if p:\n    m = 'a'\nelse:\n    m = 'b'\nraise E(m)", "a", "(?:a|b)"),
    "appended": ("m = 'a'\nm += ' b'\nraise E(m)", "a b", "a b"),
    "appended perhaps": ("m = 'a'\nif p:\n    m += ' b'\nraise E(m)", "a b", "(?:a b|a)"),
    "tuple assignment": ("m, k = 'a', 'b'\nraise E(k + m)", "ba", "ba"),
    "walrus": ("if (m := 'a') and p:\n    raise E(m)", "a", "a"),
    "loop": ("m = 'a:'\nfor i in xs:\n    m += f' {i};'\nraise E(m)", "a: {i}; …", "a:(?: (?:.+?);)*"),
    "value that can be empty": ("raise E(f\"a {x if p else ''}\")", "a {x}", "a (.*?)"),
    "slice": ("raise E(f'a {x[1:]}')", "a {x[1:]}", "a (.*?)"),
    "assert": ("assert not p, f'a {x}'", "a {x}", "a (.+?)"),
}


def raised_by(source: str, path: str = PATH) -> Raised:
    """Execute a module and call its `f`."""
    namespace: dict[str, object] = {}
    exec(compile(source, path, "exec"), namespace)
    law = namespace["f"]
    assert callable(law)
    raised = outcome(law, ("や", 3, ["や", "ゆ"], True))
    assert raised is not None
    return raised


def function(body: str) -> str:
    indented = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"import textwrap\nE = ValueError\ndef f(x, n, xs, p):\n{indented}"


@pytest.mark.parametrize(("body", "message", "pattern"), FORMS.values(), ids=FORMS.keys())
def test_a_form_is_read(body: str, message: str, pattern: str) -> None:
    source = function(body).replace("E(", "ValueError(").replace("raise E\n", "raise ValueError\n")
    raised = raised_by(source)
    record = checks.the_record(raised, mined.mine({PATH: source}).records)
    assert (record.errorMessage, record.messagePattern) == (message, pattern)
    checks.check_engines(raised, record)
    checks.check_variants(raised, record)


# Kinds that the law of one function once found wrong: (body of `f`, whether its text is wholly known).
FOUND = {
    "empty slice, upper": ("raise ValueError(f'a {x[1:].upper()}')", False),
    "empty slice, str": ("raise ValueError('a ' + str(x[1:]))", False),
    "empty slice, dedent": ("raise ValueError('a ' + textwrap.dedent(x[1:]))", False),
    "empty slice, removeprefix": ("raise ValueError('a ' + x[1:].removeprefix('b'))", False),
    "empty slice, formatted": ("raise ValueError('a {:s}'.format(x[1:]))", False),
    "join of a slice, replace": ("raise ValueError('a ' + ', '.join(xs[2:]).replace('b', 'c'))", False),
    "alternatives, dedent": ("raise ValueError(textwrap.dedent('a' if n > 3 else ''.join(xs[2:])))", False),
    "get with an empty default": ("raise ValueError('a ' + globals().get('none', ''))", False),
    "number times text": ("raise ValueError('a' + (n - 3) * '-')", False),
    "truth times text": ("raise ValueError('a' + (n > 3) * 'b')", False),
    "empty walrus twice": ("raise ValueError((m := x[1:]) + m)", False),
    "walrus in a call": ("m = 'b'\n    len(m := 'a')\n    raise ValueError(m)", True),
    "walrus in a test that always runs": ("m = 'b'\n    while not (m := 'a'): pass\n    raise ValueError(m)", True),
    "unbound format": ("raise ValueError(str.format('a {}', 'b').upper())", True),
    "loop adds a bare value": ("m = 'a: '\n    for i in xs:\n        m += str(i)\n    raise ValueError(m)", False),
    "loop joins a bare value": ("m = 'a: '\n    for i in xs:\n        m = m + str(i)\n    raise ValueError(m)", False),
    "ascii": ("raise ValueError(ascii('é'))", True),
}


@pytest.mark.parametrize(("body", "known"), FOUND.values(), ids=FOUND.keys())
def test_a_kind_once_wrong_is_right(body: str, known: bool) -> None:
    source = f"import textwrap\ndef f(x, n, xs, p):\n    {body}\n"
    raised = raised_by(source)
    record = checks.the_record(raised, mined.mine({PATH: source}).records)
    checks.check_engines(raised, record)
    checks.check_variants(raised, record)
    checks.check_lift(raised, record)
    if known:
        checks.check_precision(raised, record, alternatives=1)


# Ways to give a name another value than the module does; `raise E('a')` follows, and prints a repr.
SHADOWS = {
    "assigned": "E = KeyError",
    "annotated": "E: type = KeyError",
    "one of several": "k, E = 1, KeyError",
    "in brackets": "[E] = [KeyError]",
    "chained": "E = k = KeyError",
    "walrus": "(E := KeyError)",
    "for": "for E in (KeyError,): pass",
    "with": "with contextlib.nullcontext(KeyError) as E: pass",
    "imported as": "from builtins import KeyError as E",
    "class": "class E(KeyError): pass",
    "function": "def E(text): return KeyError(text)",
    "match": "match KeyError:\n        case E: pass",
    "by an inner function": "E = None\n    def fill():\n        nonlocal E\n        E = KeyError\n    fill()",
    "perhaps": "if p:\n        E = KeyError\n    else:\n        E = IndexError",
}


@pytest.mark.parametrize("body", SHADOWS.values(), ids=SHADOWS.keys())
def test_a_name_that_a_function_gives_its_own_value(body: str) -> None:
    source = f"import contextlib\nclass E(ValueError): pass\ndef f(x, n, xs, p):\n    {body}\n    raise E('a')\n"
    raised = raised_by(source)
    assert raised.message == "'a'"
    records = mined.mine({PATH: source}).records
    checks.check_engines(raised, checks.the_record(raised, records, class_known=False))


USES = ["x = isinstance(n, E)", "try:\n        pass\n    except E as e:\n        n = e", "'E'"]


@pytest.mark.parametrize("use", USES)
def test_a_name_that_a_function_only_uses(use: str) -> None:
    source = f"class E(ValueError): pass\ndef f(x, n, xs, p):\n    {use}\n    raise E('a')\n"
    [record] = mined.mine({PATH: source}).records
    assert (record.errorClass, record.messagePattern) == ("E", "a")


# Kinds that the law of whole programs once found wrong: modules of a package; `f` of pkg.main is called.
PACKAGES = {
    "optional constant": {
        "texts": "CAGE = 'bad cage'",
        "main": "try:\n    from pkg.texts import CAGE\nexcept ImportError:\n    CAGE = None\n"
        "def f():\n    raise ValueError(CAGE)",
    },
    "optional class": {
        "texts": "class Bad(ValueError):\n    def __init__(self, a):\n        super().__init__('bad ' + a)",
        "main": "try:\n    from pkg.texts import Bad\nexcept ImportError:\n    Bad = None\n"
        "def f():\n    raise Bad('a')",
    },
    "optional helper": {
        "texts": "def error(a):\n    return KeyError('bad ' + a)",
        "main": "try:\n    from .texts import error\nexcept ImportError:\n    error = None\n"
        "def f():\n    raise error('a')",
    },
    "optional base": {
        "texts": "class Base:\n    FACE = 'bad %s'",
        "main": "try:\n    from .texts import Base\nexcept ImportError:\n    Base = None\nclass Cab(Base):\n"
        "    def check(self):\n        raise ValueError(self.FACE % ('a',))\ndef f():\n    Cab().check()",
    },
    "attribute of the class of self": {
        "texts": "class Base:\n    FACE = 'bad %s'",
        "main": "from . import texts\nclass Cab(texts.Base):\n    def check(self):\n"
        "        raise ValueError(type(self).FACE % ('a',))\ndef f():\n    Cab().check()",
    },
    "default that no caller changes": {
        "main": "def _fail(what, mode='calm'):\n    raise ValueError(f'bad {what}: {mode}')\n"
        "def f():\n    _fail('cab')",
    },
    "default made of a constant": {
        "texts": "CAGE = 'cage'\ndef _fail(what, mode=CAGE + ' fed'):\n    raise ValueError(f'bad {what}: {mode}')",
        "main": "from .texts import _fail as fail\ndef f():\n    fail(int('3'))",
    },
    "class passed by position and by name": {
        "texts": "def _fail(error_class, what):\n    raise error_class(f'bad {what}')",
        "main": "from .texts import _fail as fail\ndef f():\n    if not f:\n        fail(TypeError, 'a')\n"
        "    fail(error_class=ValueError, what='a')",
    },
    "made in a list by a helper": {
        "texts": "make = lambda a, b='cage': f'{a} and {b}'",
        "main": "from .texts import make\ndef f():\n    errors = []\n    errors.append(ValueError(make('a')))\n"
        "    raise errors[0]",
    },
    "old name of OSError": {"main": "def f():\n    raise IOError('bad')"},
    "field with a default": {
        "main": "import dataclasses\n@dataclasses.dataclass\nclass Cab:\n    size: int | None = None\n"
        "    def check(self):\n        raise ValueError(f'bad {self.size}')\ndef f():\n    Cab(3).check()",
    },
    "attribute that others assign": {
        "main": "class Cab:\n    size = None\n    def check(self):\n        raise ValueError(f'bad {self.size}')\n"
        "def f():\n    cab = Cab()\n    cab.size = 3\n    cab.check()",
    },
    "class method of a subclass": {
        "main": "class Base:\n    kind = 'base'\n    @classmethod\n    def check(cls):\n"
        "        raise ValueError(f'bad {cls.kind}')\nclass Cab(Base):\n    kind = 'cab'\ndef f():\n    Cab.check()",
    },
    "global assigned while it runs": {
        "main": "size = None\ndef fill():\n    global size\n    size = 3\n"
        "def f():\n    fill()\n    raise ValueError(f'bad {size}')",
    },
    "several arguments counted": {
        "main": "class Bad(Exception):\n    def __str__(self):\n        if len(self.args) == 1:\n"
        "            return 'bad ' + self.args[0]\n        return 'calm'\ndef f():\n    raise Bad('cab')",
    },
    "name of an outer function": {
        "main": "def f():\n    error = None\n    def fill():\n        nonlocal error\n        error = ValueError('bad')"
        "\n    fill()\n    raise error",
    },
}


@pytest.mark.parametrize("modules", PACKAGES.values(), ids=PACKAGES.keys())
def test_a_package_once_wrong_is_right(modules: dict[str, str]) -> None:
    files = {"pkg/__init__.py": "", **{f"pkg/{name}.py": source + "\n" for name, source in modules.items()}}
    with imported(files, "pkg.main") as main:
        raised = outcome(main.f, ())
    assert raised is not None
    record = checks.the_record(raised, mined.mine(files).records)
    checks.check_engines(raised, record)
    checks.check_lift(raised, record)

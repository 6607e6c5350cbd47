"""Source as it really comes: encodings, line ends, odd layouts, damage, other versions of Python, guards and names."""

import ast
import dis
from collections.abc import Iterator
from types import CodeType
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import checks, mined, profiles
from laws.running import outcome

if TYPE_CHECKING:
    from pipeline.record import Record

profiles.load()

PATH = "m.py"
JAPANESE = "# -*- coding: {0} -*-\ndef f():\n    raise ValueError('日本')\n"


def records_of(source: str | bytes) -> "tuple[Record, ...]":
    return mined.mine({PATH: source}).records


def the_only(source: str | bytes) -> "Record":
    (record,) = records_of(source)
    return record


# Files that Python reads: what their function `f` raises is what is mined, at the line where Python says it is.
READABLE = {
    "plain": b"def f():\n    raise ValueError('a')\n",
    "no newline at the end": b"def f():\n    raise ValueError('a')",
    "crlf": b"import os\r\n\r\ndef f():\r\n    raise ValueError(\r\n        'a'\r\n        'b')\r\n",
    "crlf in a long string": b"import os\r\ndef f():\r\n    raise ValueError('''a\r\n  b\r\n''')\r\n",
    "cr alone": b"import os\r# a comment\rdef f():\r    raise ValueError('a')\r",
    "cr alone in a long string": b"def f():\r    raise ValueError('''a\rb''')\r",
    "line ends mixed": b"import os\r\n\ndef f():\n    x = 1\r    raise ValueError('a')\r\n",
    "bom": b"\xef\xbb\xbfdef f():\n    raise ValueError('a\xc3\xa9')\n",
    "bom and coding line": b"\xef\xbb\xbf# coding: utf-8\ndef f():\n    raise ValueError('\xc3\xa9')\n",
    "latin-1": b"# -*- coding: latin-1 -*-\ndef f():\n    raise ValueError('caf\xe9 {}')\n",
    "latin-1 in the second line": (
        b"#!/usr/bin/python\n# vim: set fileencoding=iso-8859-15 :\ndef f():\n    raise ValueError('\xa4')\n"
    ),
    "coding line too late": b"import os\nimport sys\n# coding: latin-1\ndef f():\n    raise ValueError('\xc3\xa9')\n",
    "coding after code": b"x = 1\n# coding: latin-1\ndef f():\n    raise ValueError('\xc3\xa9')\n",
    "cp1252": b"# coding=cp1252\ndef f():\n    raise ValueError('\x93quoted\x94')\n",
    "euc-jp": JAPANESE.format("euc-jp").encode("euc-jp"),
    "shift_jis": JAPANESE.format("shift_jis").encode("shift_jis"),
    "utf-8 by name": JAPANESE.format("UTF_8").encode(),
    "form feeds": b"import os\n\x0c\nclass A: pass\n\x0c\ndef f():\n    raise ValueError('a')\n",
    "separators that are no line ends": (
        "# \x0b \x1c \x1d \x85 \u2028 \u2029\ndef f():\n    raise ValueError('a\u2028b\x85')\n"
    ).encode(),
    "control characters in text": b"def f():\n    raise ValueError('a\x0c\x0b\x1b[0m')\n",
    "tabs": b"def f():\n\tif True:\n\t\traise ValueError('a')\n",
    "tabs and spaces": b"def f():\n    if True:\n    \traise ValueError('a')\n",
    "semicolons": b"def f(): x = 1; raise ValueError('a'); y = 2\n",
    "if on one line": b"def f():\n    if 1: raise ValueError('a'); raise TypeError('b')\n",
    "no space": b"def f():\n    raise(ValueError('a'))\n",
    "backslash": b"def f():\n    raise \\\n        ValueError \\\n        ('a'\\\n'b')\n",
    "backslash in a comment": b"# a \\\ndef f():\n    raise ValueError('a')\n",
    "comments inside": (
        b"def f():\n    raise ValueError(  # why\n        # here\n        'a'  # one\n        'b'\n    )\n"
    ),
    "comment at the wrong depth": b"def f():\n    x = 1\n# note\n    raise ValueError('a')\n",
    "parentheses": b"def f():\n    raise ((ValueError)((('a'))))\n",
    "star argument": b"def f():\n    raise ValueError(*['a'])\n",
    "non-ascii names": "def f():\n    größe = 'a'\n    raise ValueError(f'{größe}')\n".encode(),
    "long line": b"def f():\n    raise ValueError('" + b"ab " * 8_000 + b"')\n",
    "many literals": b"def f():\n    raise ValueError(" + b"'ab'\n        " * 3_000 + b")\n",
    "many terms": b"def f():\n    raise ValueError(" + b" + ".join([b"'ab'"] * 700) + b")\n",
    "many blank lines": b"\n" * 30_000 + b"def f():\n    raise ValueError('a')\n",
    "deep parentheses": b"def f():\n    raise ValueError(" + b"(" * 80 + b"'a'" + b")" * 80 + b")\n",
    "deep blocks": b"def f():\n"
    + b"".join(b" " * n + b"if True:\n" for n in range(1, 60))
    + b" " * 60
    + b"raise ValueError('a')\n",
    "deep functions": b"".join(b" " * n + b"def f():\n" for n in range(15))
    + b" " * 15
    + b"raise ValueError('a')\n"
    + b"".join(b" " * (14 - n) + b"return f()\n" for n in range(14)),
    "long elif": b"def f():\n    x = 1\n    if x == 0: pass\n"
    + b"    elif x == 5: pass\n" * 300
    + b"    else: raise ValueError('a')\n",
    "decorated": b"def d(*_):\n    return lambda g: g\n@d('raise')\n@d(\n    1)\ndef f():\n    raise ValueError('a')\n",
    "in finally": b"def f():\n    try: pass\n    finally:\n        raise ValueError('a')\n",
    "in else of for": b"def f():\n    for i in (): pass\n    else:\n        raise ValueError('a')\n",
    "in with": (
        b"import contextlib\ndef f():\n"
        b"    with contextlib.nullcontext(), contextlib.nullcontext():\n"
        b"        raise ValueError('a')\n"
    ),
    "in match": b"def f():\n    match 3:\n        case int(x) if x:\n            raise ValueError('a')\n",
    "the words in strings": (
        b"def f():\n    'raise ValueError(1)'\n    x = '''\n    raise TypeError('no')\n"
        b"    '''  # raise KeyError\n    raise ValueError('a')\n"
    ),
    "names like keywords": (
        b"def f():\n    match = type = case = _ = 1\n    print = exec = str\n    raise ValueError('a')\n"
    ),
    "an assert": b"def f():\n    assert False, ('a'\n        'b')\n",
    "an assert in parentheses": b"def f():\n    assert (False), 'a'\n",
    "except star": (
        b"def f():\n    try:\n        pass\n    except* ValueError:\n        pass\n    raise ValueError('a')\n"
    ),
    "nonlocal and global": b"def f():\n    global g\n    def g():\n        raise ValueError('a')\n    g()\n",
    "ellipsis and walrus": b"def f(x: int = ...) -> None:\n    if (y := 3) and ...: raise ValueError('a')\n",
    "unicode escapes": (
        b"def f():\n    raise ValueError('\\N{LATIN SMALL LETTER E WITH ACUTE}\\x41\\101\\u00e9\\U0001f600\\\n')\n"
    ),
    "raw": b"def f():\n    raise ValueError(r'\\d+' R'\\n' '\\\\')\n",
    "lone surrogate": b"def f():\n    x = '\\ud800'\n    raise ValueError('a')\n",
    "bad escape": b"def f():\n    x = 'ok'\n    raise ValueError('a')\n",
}


@pytest.mark.parametrize("data", READABLE.values(), ids=READABLE.keys())
def test_a_file_that_python_reads_is_mined_as_it_runs(data: bytes) -> None:
    namespace: dict[str, object] = {}
    exec(compile(data, PATH, "exec"), namespace)
    function = namespace["f"]
    assert callable(function)
    raised = outcome(function, ())
    assert raised is not None
    catalogue = mined.mine({PATH: data})
    record = checks.the_record(raised, catalogue.records)
    checks.check_engines(raised, record)
    checks.check_precision(raised, record, alternatives=1)
    assert not catalogue.coverage.damagedFiles
    lines = {
        node.lineno: node.end_lineno for node in ast.walk(ast.parse(data)) if isinstance(node, ast.Raise | ast.Assert)
    }
    assert {one.lineNumber: one.endLineNumber for one in catalogue.records} == lines


@pytest.mark.parametrize("data", READABLE.values(), ids=READABLE.keys())
def test_an_excerpt_is_the_lines_it_says(data: bytes) -> None:
    for record in records_of(data):
        lines = record.sourceCode.split("\n")
        assert (record.sourceCodeStart, len(lines)) == (
            max(1, record.lineNumber - 18),
            record.sourceCodeEnd - record.sourceCodeStart + 1,
        )
        said = lines[record.lineNumber - record.sourceCodeStart]
        assert any(word in said for word in ("raise", "assert")), said[:200]


def test_empty_files_are_read_and_hold_nothing() -> None:
    empty = {"a.py": b"", "b.py": b"\n", "c.py": b"\xef\xbb\xbf", "d.py": b"# only a comment", "e.py": b"\x0c\r\n \t\n"}
    catalogue = mined.mine(empty)
    assert catalogue.records == ()
    assert catalogue.coverage.files == len(empty)
    assert not catalogue.coverage.damagedFiles


# Files that Python 3 does not read, and the lines of the raises and asserts that can be read all the same.
DAMAGED = {
    "print statement": (b"def f():\n    print 'x'\n    raise ValueError('kept')\n", {3}),
    "exec statement": (b"exec 'x = 1' in {}\ndef f():\n    raise ValueError('kept')\n", {3}),
    "raise with a comma": (b"def f():\n    print 'x'\n    raise ValueError, 'kept'\n", {3}),
    "raise with a traceback": (b"def f():\n    print >>f, 'x'\n    raise ValueError, 'kept', tb\n", {3}),
    "except with a comma": (b"try:\n    pass\nexcept E, e:\n    raise ValueError('kept')\nprint `e`\n", {4}),
    "old operators": (b"def f(x):\n    if x <> 0777L:\n        raise ValueError('kept')\n", {3}),
    "unclosed bracket at the end": (b"def f():\n    raise ValueError('kept')\n\nx = (1,\n", {2}),
    "unclosed string at the end": (b"def f():\n    raise ValueError('kept')\n\nx = '''a\n", {2}),
    "garbage before": (b"def g(:\n    ]] ???\n\ndef f():\n    raise ValueError('kept')\n", {5}),
    "garbage after": (b"def f():\n    raise ValueError('kept')\n\n)) def ?? = (\n", {2}),
    "conflict markers": (
        b"def f():\n<<<<<<< ours\n    raise ValueError('kept')\n=======\n    pass\n>>>>>>> theirs\n",
        {3},
    ),
    "notebook magics": (b"%matplotlib inline\n!ls\ndef f():\n    raise ValueError('kept')\n", {4}),
    "a template": (b"# {{ cookiecutter }}\n{% if x %}\ndef f():\n    raise ValueError('kept')\n{% endif %}\n", {4}),
    "not in its encoding": (b"def f():\n    x = 'caf\xe9'\n    raise ValueError('kept')\n", {3}),
    "unknown encoding": (b"# coding: klingon-8\ndef f():\n    raise ValueError('kept')\n", {3}),
    "nul bytes": (b"def f():\n    raise ValueError('kept')\n\x00\x00\n", {2}),
    "utf-16": ("def f():\n    raise ValueError('kept')\n".encode("utf-16"), set()),
    "binary": (bytes(range(256)) * 8, set()),
}


@pytest.mark.parametrize(("data", "lines"), DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_file_is_counted_and_what_can_be_read_is_kept(data: bytes, lines: set[int]) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        ast.parse(data)
    catalogue = mined.mine({PATH: data, "sound.py": b"raise ValueError('sound')\n"})
    assert {one.lineNumber for one in catalogue.records if one.filePath == PATH} >= lines
    for record in catalogue.records:
        if record.lineNumber in lines and record.filePath == PATH:
            assert record.errorClass == "ValueError"
            assert record.errorMessage == "kept"
    (damage,) = [*catalogue.coverage.damagedFiles, *catalogue.coverage.skippedFiles]
    assert damage.path == PATH
    assert damage.reason
    assert any(one.filePath == "sound.py" for one in catalogue.records)


# Syntax newer than the Python that runs the tests may be: (source, message, qualname).
NEWER = {
    "nested quotes 3.12": ('def f(x):\n    raise ValueError(f"bad {x["k"]} end")\n', 'bad {x["k"]} end', "f"),
    "deep f-string 3.12": ('def f(x):\n    raise ValueError(f"a{f"b{f"c{x}"}"}")\n', "abc{x}", "f"),
    "backslash in field 3.12": ('def f(x):\n    raise ValueError(f"a {"\\n".join(x)}")\n', 'a {"\\n".join(x)}', "f"),
    "comment in field 3.12": ('def f(x):\n    raise ValueError(f"a {\n        x  # why\n    }")\n', "a {x}", "f"),
    "type statement 3.12": ("type X = int | str\ntype Y[T] = list[T]\ndef f():\n    raise ValueError('a')\n", "a", "f"),
    "generic function 3.12": ("def f[T: (int, str), *Ts, **P](x: T) -> T:\n    raise ValueError('a')\n", "a", "f"),
    "generic class 3.12": ("class C[T](B[T]):\n    def f[U](self):\n        raise ValueError('a')\n", "a", "C.f"),
    "type default 3.13": ("def f[T = int](x: T):\n    raise ValueError('a')\n", "a", "f"),
    "except without parentheses 3.14": (
        "def f():\n    try:\n        g()\n    except A, B:\n        raise ValueError('a')\n",
        "a",
        "f",
    ),
    "t-string 3.14": ("def f(x):\n    y = t'a {x}'\n    raise ValueError('a')\n", "a", "f"),
    "except star": ("def f():\n    try:\n        g()\n    except* A as e:\n        raise ValueError('a')\n", "a", "f"),
    "match": ("def f(x):\n    match x:\n        case {'a': [1, *_], **r} | C(z=3): raise ValueError('a')\n", "a", "f"),
    "async": (
        "async def f():\n    async with g() as x:\n        raise ValueError(f'a {await x}')\n",
        "a {await x}",
        "f",
    ),
    "positional only": ("def f(a, /, *, b: int = 3, **k):\n    raise ValueError('a')\n", "a", "f"),
    "star index 3.11": ("def f(x, *args: *Ts):\n    y = x[*args]\n    raise ValueError('a')\n", "a", "f"),
    "parenthesised with": ("def f():\n    with (a as b, c() as d,):\n        raise ValueError('a')\n", "a", "f"),
    "lambda in default": ("def f(g=lambda x: x, /):\n    raise ValueError('a')\n", "a", "f"),
}


@pytest.mark.parametrize(("source", "message", "qualname"), NEWER.values(), ids=NEWER.keys())
def test_newer_syntax_is_mined_by_an_older_python(source: str, message: str, qualname: str) -> None:
    record = the_only(source)
    assert (record.errorClass, record.errorMessage, record.qualname) == ("ValueError", message, qualname)
    assert record.lineNumber == next(n for n, line in enumerate(source.split("\n"), 1) if "raise" in line)


# What `raise` may stand before: (what stands in a function, class or None where it cannot be known).
CLASSES = {
    "class": ("raise ValueError", "ValueError"),
    "empty call": ("raise ValueError()", "ValueError"),
    "dotted": ("import a.b\n    raise a.b.SomeError('x')", "SomeError"),
    "old names of OSError": ("raise IOError('x')", "OSError"),
    "EnvironmentError": ("raise EnvironmentError('x')", "OSError"),
    "a parameter": ("raise x", None),
    "a call of a parameter": ("raise x('text')", None),
    "type of a caught error": ("try: g()\n    except Exception as e: raise type(e)('text') from e", None),
    "class of an object": ("raise x.__class__('text')", None),
    "an item": ("raise x[0]", None),
    "a yielded value": ("raise (yield)", None),
    "not an exception": ("raise NotImplemented", None),
    "from": ("raise KeyError('x') from x", "KeyError"),
    "base exception": ("raise SystemExit(1)", "SystemExit"),
}


@pytest.mark.parametrize(("body", "error_class"), CLASSES.values(), ids=CLASSES.keys())
def test_the_class_is_known_or_null(body: str, error_class: str | None) -> None:
    assert the_only(f"def f(x):\n    {body}\n").errorClass == error_class


# Statements that raise again what was caught, and ones that look like it: (source, is a re-raise).
RE_RAISES = {
    "alone": ("try: g()\nexcept E: raise\n", True),
    "alone outside": ("def f():\n    raise\n", True),
    "alone with a comment": ("try: g()\nexcept E:\n    raise  # again\n", True),
    "the caught error": ("try: g()\nexcept E as e: raise e\n", True),
    "with traceback": ("try: g()\nexcept E as e: raise e.with_traceback(None)\n", True),
    "in parentheses": ("try: g()\nexcept E as e: raise (e)\n", True),
    "in a branch": ("try: g()\nexcept E as e:\n    if x:\n        raise e\n", True),
    "except star": ("try: g()\nexcept* E as e: raise e\n", True),
    "bound anew": ("try: g()\nexcept E as e:\n    e = ValueError('x')\n    raise e\n", False),
    "bound before": ("e = ValueError('x')\ntry: g()\nexcept E as e2: raise e\n", False),
    "another one": ("try: g()\nexcept E as e: raise ValueError('x')\n", False),
    "its class": ("try: g()\nexcept E as e: raise type(e)('x')\n", False),
    "its cause": ("try: g()\nexcept E as e: raise e.__cause__\n", False),
    "a parameter": ("def f(e):\n    raise e\n", False),
    "after the block": ("def f(e):\n    try: g()\n    except E as d: pass\n    raise e\n", False),
}


@pytest.mark.parametrize(("source", "again"), RE_RAISES.values(), ids=RE_RAISES.keys())
def test_re_raises_are_counted_and_are_no_records(source: str, again: bool) -> None:
    catalogue = mined.mine({PATH: source})
    assert (len(catalogue.records), catalogue.coverage.reRaises) == ((0, 1) if again else (1, 0))
    assert catalogue.coverage.raiseStatements == 1


# What must hold for control to reach `raise E`: (body of a function, condition).
CONDITIONS = {
    "nothing": ("raise E", None),
    "if": ("if x > 0:\n    raise E", "x > 0"),
    "if on one line": ("if x: raise E", "x"),
    "second on the line": ("if x: y = 1; raise E", "x"),
    "else": ("if x > 0:\n    pass\nelse:\n    raise E", "not (x > 0)"),
    "elif": ("if a:\n    pass\nelif b:\n    raise E", "not (a) and b"),
    "else after elif": ("if a:\n    pass\nelif b:\n    pass\nelse:\n    raise E", "not (a) and not (b)"),
    "nested": ("if a:\n    if b == 1:\n        raise E", "a and b == 1"),
    "nested else": ("if a:\n    if b:\n        pass\n    else:\n        raise E", "a and not (b)"),
    "white space": ("if (a\n    and   b):  # why\n    raise E", "(a and b)"),
    "white space in a string": ("if a == 'x  y':\n    raise E", "a == 'x  y'"),
    "for": ("for i in range(3):\n    raise E", "for i in range(3)"),
    "async for": ("async for i in x:\n    raise E", "async for i in x"),
    "while": ("while x  <  3:\n    raise E", "while x < 3"),
    "for and if": ("for i, j in x:\n    if i:\n        raise E", "for i, j in x and i"),
    "except": ("try:\n    g()\nexcept ValueError as e:\n    raise E", "except ValueError as e"),
    "except bare": ("try:\n    g()\nexcept:\n    raise E", "except"),
    "except several": ("try:\n    g()\nexcept (A, B):\n    raise E", "except (A, B)"),
    "except star": ("try:\n    g()\nexcept* A:\n    raise E", "except* A"),
    "try": ("try:\n    raise E\nexcept A:\n    pass", None),
    "with": ("with a as b:\n    raise E", None),
    "case": ("match x:\n    case 1 | 2:\n        raise E", "case 1 | 2"),
    "case with a guard": ("match x:\n    case [a, *_] if a > 1:\n        raise E", "case [a, *_] if a > 1"),
    "return before": ("if x is None:\n    return\nraise E", "not (x is None)"),
    "raise before": ("if x:\n    raise F\nraise E", "not (x)"),
    "returns before": ("if a:\n    return 1\nif b:\n    return 2\nraise E", "not (a) and not (b)"),
    "return before, then if": ("if a:\n    return\nif b:\n    raise E", "not (a) and b"),
    "if and elif return before": ("if a:\n    return\nelif b:\n    return\nraise E", "not (a) and not (b)"),
    "else returns before": ("if a:\n    x = 1\nelse:\n    return\nraise E", "a"),
    "only one arm returns": ("if a:\n    return\nelse:\n    x = 1\nraise E", "not (a)"),
    "no arm returns": ("if a:\n    x = 1\nraise E", None),
    "continue before": ("for i in x:\n    if i:\n        continue\n    raise E", "for i in x and not (i)"),
    "return inside a loop does not count": ("for i in x:\n    if i:\n        return\nraise E", None),
    "return inside with": ("if a:\n    with b:\n        return\nraise E", "not (a)"),
    "return deeper": ("if a:\n    if b:\n        return\nraise E", None),
    "both deeper return": ("if a:\n    if b:\n        return\n    else:\n        return\nraise E", "not (a)"),
    "assert": ("assert x > 0, 'm'", "not (x > 0)"),
    "or is kept together": ("if a or b:\n    if c:\n        raise E", "(a or b) and c"),
    "a function ends the chain": ("if a:\n    def g():\n        if b:\n            raise E", "b"),
}


@pytest.mark.parametrize(("body", "condition"), CONDITIONS.values(), ids=CONDITIONS.keys())
def test_the_condition_is_what_leads_to_the_raise(body: str, condition: str | None) -> None:
    indented = "".join(f"    {line}\n" for line in body.split("\n"))
    record = records_of(f"async def f(x):\n{indented}")[-1]
    assert record.condition == condition


@st.composite
def branching(draw: st.DrawFn, depth: int = 3, indent: str = "    ") -> list[str]:
    """Draw statements over the flags a to e: branches, returns, raises that say which they are."""
    flag = st.sampled_from(("a", "b", "not c", "a or d", "b and e", "a if d else e", "(c)", "not (a or b)"))
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(("if", "if", "else", "elif", "with", "return", "raise"))) if depth else "pass"
        inner = branching(depth=depth - 1, indent=indent + "    ")
        if kind in ("return", "raise"):
            leaves = "return" if kind == "return" else "raise ValueError"
            lines += [f"{indent}if {draw(flag)}: {leaves}"]
        elif kind == "pass":
            lines += [indent + draw(st.sampled_from(("pass", "x = 1", "return", "raise ValueError")))]
        elif kind == "with":
            lines += [f"{indent}with contextlib.nullcontext():", *draw(inner)]
        else:
            lines += [f"{indent}if {draw(flag)}:", *draw(inner)]
            lines += [f"{indent}elif {draw(flag)}:", *draw(inner)] if kind == "elif" else []
            lines += [f"{indent}else:", *draw(inner)] if kind != "if" else []
    return lines


@given(body=branching(), flags=st.lists(st.booleans(), min_size=5, max_size=5))
def test_the_condition_holds_where_the_raise_is_reached(body: list[str], flags: list[bool]) -> None:
    source = "\n".join(["import contextlib", "def f(a, b, c, d, e):", *body, "    raise ValueError", ""])
    namespace: dict[str, object] = {}
    exec(compile(source, PATH, "exec"), namespace)
    function = namespace["f"]
    assert callable(function)
    raised = outcome(function, flags)
    records = records_of(source)
    assert len(records) == source.count("raise ValueError")
    if raised is not None:
        record = checks.the_record(raised, records)
        values = dict(zip("abcde", flags, strict=True))
        assert record.condition is None or eval(record.condition, {}, values), f"{record.condition}\n{source}"


QUALNAMES = """
import asyncio
if top: raise ValueError
def top():
    if top: raise ValueError
    def inner():
        if top: raise ValueError
        class Local:
            if top: raise ValueError
            def method(self):
                if top: raise ValueError
                def deep():
                    if top: raise ValueError
    class Local:
        def method(self):
            if top: raise ValueError
async def coroutine():
    if top: raise ValueError
    async for x in y:
        if top: raise ValueError
def generator():
    yield
    if top: raise ValueError
class Outer(Exception):
    if top: raise ValueError
    if True:
        if top: raise ValueError
    @property
    def value(self):
        if top: raise ValueError
    @value.setter
    def value(self, new):
        if top: raise ValueError
    @staticmethod
    def fixed():
        if top: raise ValueError
    class Inner:
        if top: raise ValueError
        def method(self):
            if top: raise ValueError
    async def wait(self):
        if top: raise ValueError
    def __private(self):
        if top: raise ValueError
if top:
    def conditional():
        if top: raise ValueError
else:
    class Conditional:
        def method(self): raise ValueError
try:
    def tried(): raise ValueError
finally:
    for i in ():
        with i:
            def looped(): raise ValueError
def outer():
    global made_global
    def made_global():
        if top: raise ValueError
    class Kept:
        global MadeGlobal
        class MadeGlobal:
            def method(self):
                if top: raise ValueError
match top:
    case 1:
        def matched(): assert not top, "x"
"""


def raises_of(code: CodeType) -> Iterator[tuple[int, str]]:
    """Yield the line of each raise of a compiled module, with the qualname Python gives to what it stands in."""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RAISE_VARARGS" and instruction.positions and instruction.positions.lineno:
            yield instruction.positions.lineno, code.co_qualname
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from raises_of(constant)


def test_qualnames_are_those_of_python() -> None:
    truth = dict(raises_of(compile(QUALNAMES, PATH, "exec")))
    module = {line for line, name in truth.items() if name == "<module>"}
    found = {one.lineNumber: one.qualname for one in records_of(QUALNAMES)}
    assert {line: name for line, name in found.items() if line not in module} == {
        line: name for line, name in truth.items() if line not in module
    }
    assert {found[line] for line in module} <= {None, "<module>"}

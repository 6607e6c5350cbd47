# ruff: noqa: E501  # a source reads best as one string
"""Sources before and after, and what changed in their errors; from plain to nasty.

A source is the text of `pkg/m.py`, or files by path. A change is written as its kinds joined by `+`, `!` before them
where it breaks, and its text; `old -> new` where that changed; then the classes where they changed.
"""

from collections.abc import Mapping
from typing import NamedTuple

Source = str | Mapping[str, str]


class Row(NamedTuple):
    name: str
    old: Source
    new: Source
    changes: tuple[str, ...]
    unchanged: int = 0


CHECKS = """\
def check_shape(x, n):
    if x.ndim != n:
        raise ValueError(f"expected {n} dimensions, got {x.ndim}")
    if not x.size:
        raise ValueError("the array is empty")
    return x


def check_dtype(x, wanted):
    if x.dtype != wanted:
        raise TypeError(f"expected dtype {wanted}, got {x.dtype}")
    return x


def check_axis(axis, ndim):
    if not -ndim <= axis < ndim:
        raise IndexError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return axis % ndim
"""

READER = """\
class Reader:
    def open(self, path):
        if not path:
            raise ValueError("no path was given")
        return path

    def close(self):
        if self.closed:
            raise RuntimeError("the reader is closed already")
"""

CLASSES = """\
class PackageError(Exception):
    pass


class ShapeError(PackageError, ValueError):
    pass


class DtypeError(PackageError):
    pass


class _Mixin:
    pass
"""


def f(body: str, *, name: str = "f", args: str = "x, y=None, n=0") -> str:
    """A function with this body."""
    return f"def {name}({args}):\n" + "".join(f"    {line}\n" for line in body.splitlines())


def raising(what: str, **changes: str) -> str:
    return f(f"if not x:\n    raise {what}", **changes)


ROWS = (
    # Nothing that counts.
    Row("nothing at all", CHECKS, CHECKS, (), 4),
    Row("lines above", CHECKS, f"import os\n\n# Checks.\n\n{CHECKS}", (), 4),
    Row("functions in another order", CHECKS, "\n\n".join(reversed(CHECKS.split("\n\n\n"))), (), 4),
    Row("quotes", raising("ValueError('bad input')"), raising('ValueError("bad input")'), (), 1),
    Row("an f-string becomes %", raising('ValueError(f"bad {x}")'), raising('ValueError("bad %s" % x)'), (), 1),
    Row(
        "an f-string becomes format",
        raising('ValueError(f"bad {x}")'),
        raising('ValueError("bad {}".format(x))'),
        (),
        1,
    ),
    Row(
        "an f-string becomes a sum",
        raising('ValueError(f"bad {x}!")'),
        raising('ValueError("bad " + str(x) + "!")'),
        (),
        1,
    ),
    Row(
        "a text in two pieces",
        raising('ValueError("bad input")'),
        raising('ValueError("bad "\n        "input")'),
        (),
        1,
    ),
    Row(
        "a text in a constant",
        raising('ValueError("bad input")'),
        'BAD = "bad input"\n\n\n' + raising("ValueError(BAD)"),
        (),
        1,
    ),
    Row(
        "a text in a local",
        raising('ValueError("bad input")'),
        f('if not x:\n    text = "bad input"\n    raise ValueError(text)'),
        (),
        1,
    ),
    Row(
        "the value in a hole has another name",
        raising('ValueError(f"bad {x}")'),
        raising('ValueError(f"bad {z}")', args="z, x=0"),
        (),
        1,
    ),
    Row(
        "two values swapped",
        raising('ValueError(f"expected {x}, got {y}")'),
        raising('ValueError(f"expected {y}, got {x}")'),
        ("reworded expected {x}, got {y} -> expected {y}, got {x}",),
    ),
    Row("a cause is given", raising('ValueError("bad")'), raising('ValueError("bad") from None'), (), 1),
    Row(
        "a re-raise more",
        raising('ValueError("bad")'),
        raising('ValueError("bad")') + "\n\n" + f("try:\n    y()\nexcept Exception:\n    raise", name="g"),
        (),
        1,
    ),
    Row("IOError is OSError", raising('IOError("bad")'), raising('OSError("bad")'), (), 1),
    Row("a file with nothing to raise", CHECKS, {"pkg/m.py": CHECKS, "pkg/n.py": "x = 1\n"}, (), 4),
    # Added and removed.
    Row("the first error", "x = 1\n", raising('ValueError("bad")'), ("added bad",)),
    Row("the last error", raising('ValueError("bad")'), "x = 1\n", ("removed bad",)),
    Row(
        "one more in a function",
        f('if not x:\n    raise ValueError("bad x")'),
        f(
            'if not x:\n    raise ValueError("bad x")\nif n < 0:\n    raise TypeError(f"n must not be negative, it is {n}")'
        ),
        ("added n must not be negative, it is {n}",),
        1,
    ),
    Row(
        "one less in a function",
        CHECKS,
        CHECKS.replace('    if not x.size:\n        raise ValueError("the array is empty")\n', ""),
        ("removed the array is empty",),
        3,
    ),
    Row("a function more", CHECKS, CHECKS + "\n\n" + raising('KeyError("no such name")'), ("added 'no such name'",), 4),
    Row(
        "a file more",
        {"pkg/m.py": CHECKS},
        {"pkg/m.py": CHECKS, "pkg/n.py": READER},
        ("added no path was given", "added the reader is closed already"),
        4,
    ),
    Row(
        "a file less",
        {"pkg/m.py": CHECKS, "pkg/n.py": READER},
        {"pkg/m.py": CHECKS},
        ("removed no path was given", "removed the reader is closed already"),
        4,
    ),
    Row(
        "one goes and quite another comes",
        raising('ValueError("the buffer is full")'),
        "x = 1\n\n\n"
        + f('for item in y:\n    if item is None:\n        raise KeyError(f"unknown option {item}")', name="options"),
        ("removed the buffer is full", "added 'unknown option {item}'"),
    ),
    Row(
        "everything is replaced",
        CHECKS,
        READER,
        (
            "removed expected {n} dimensions, got {x.ndim}",
            "removed the array is empty",
            "removed expected dtype {wanted}, got {x.dtype}",
            "removed axis {axis} is out of bounds for array of dimension {ndim}",
            "added no path was given",
            "added the reader is closed already",
        ),
    ),
    Row(
        "the same text once more",
        CHECKS,
        CHECKS + '\n\ndef check_rows(x):\n    if not x.size:\n        raise ValueError("the array is empty")\n',
        ("added the array is empty",),
        4,
    ),
    Row(
        "two equal texts of which the first goes",
        f('if not x:\n    raise ValueError("bad")', name="f")
        + "\n\n"
        + f('if n < 0:\n    raise ValueError("bad")', name="g"),
        f('if n < 0:\n    raise ValueError("bad")', name="g"),
        ("removed bad",),
        1,
    ),
    Row(
        "two equal texts of which the last goes",
        f('if not x:\n    raise ValueError("bad")', name="f")
        + "\n\n"
        + f('if n < 0:\n    raise ValueError("bad")', name="g"),
        f('if not x:\n    raise ValueError("bad")', name="f"),
        ("removed bad",),
        1,
    ),
    Row(
        "two equal texts in one function of which the first goes",
        f('if not x:\n    raise ValueError("bad")\nif n < 0:\n    raise ValueError("bad")'),
        f('x = x or y\nif n < 0:\n    raise ValueError("bad")'),
        ("removed bad > bad", "reguarded bad"),
    ),
    Row(
        "three equal texts of which the middle one goes",
        f(
            'if x == 1:\n    raise ValueError("bad")\nelif x == 2:\n    raise ValueError("bad")\nelif x == 3:\n    raise ValueError("bad")'
        ),
        f('if x == 1:\n    raise ValueError("bad")\nelif x == 3:\n    raise ValueError("bad")'),
        ("removed bad", "reguarded bad"),
        1,
    ),
    # Reworded.
    Row(
        "one word",
        raising('ValueError("expected two arguments")'),
        raising('ValueError("expected three arguments")'),
        ("reworded expected two arguments -> expected three arguments",),
    ),
    Row(
        "one hole more",
        raising('ValueError("bad shape")'),
        raising('ValueError(f"bad shape {x.shape}")'),
        ("reworded bad shape -> bad shape {x.shape}",),
    ),
    Row(
        "one hole less",
        raising('ValueError(f"bad shape {x.shape}")'),
        raising('ValueError("bad shape")'),
        ("reworded bad shape {x.shape} -> bad shape",),
    ),
    Row(
        "a full stop",
        raising('ValueError("bad shape")'),
        raising('ValueError("bad shape.")'),
        ("reworded bad shape -> bad shape.",),
    ),
    Row(
        "white space",
        raising('ValueError("bad  shape")'),
        raising('ValueError("bad shape")'),
        ("reworded bad  shape -> bad shape",),
    ),
    Row(
        "a text where there was none",
        raising("NotImplementedError"),
        raising('NotImplementedError("sparse arrays are not supported")'),
        ("reworded  -> sparse arrays are not supported",),
    ),
    Row(
        "no text any more",
        raising('NotImplementedError("sparse arrays are not supported")'),
        raising("NotImplementedError"),
        ("reworded sparse arrays are not supported -> ",),
    ),
    Row(
        "a typo in one of many",
        CHECKS.replace("dimensions", "dimensoins"),
        CHECKS,
        ("reworded expected {n} dimensoins, got {x.ndim} -> expected {n} dimensions, got {x.ndim}",),
        3,
    ),
    Row(
        "quite another text in the same place",
        raising('ValueError("bad")'),
        raising('ValueError(f"{n} is no number of rows")'),
        ("reworded bad -> {n} is no number of rows",),
    ),
    Row(
        "an alternative more",
        raising("ValueError('bad ' + ('row' if n else 'column'))"),
        raising("ValueError('bad ' + ('row' if n else 'column' if y else 'page'))"),
        ("reworded bad row -> bad row",),
    ),
    Row(
        "alternatives in another order",
        raising("ValueError('bad row' if n else 'bad column')"),
        raising("ValueError('bad column' if not n else 'bad row')"),
        (),
        1,
    ),
    Row(
        "a constant two errors share",
        'HELP = "see the manual"\n\n\n'
        + f('if not x:\n    raise ValueError(f"no x: {HELP}")\nif y:\n    raise ValueError(f"no y, please: {HELP}")'),
        'HELP = "see the guide"\n\n\n'
        + f('if not x:\n    raise ValueError(f"no x: {HELP}")\nif y:\n    raise ValueError(f"no y, please: {HELP}")'),
        (
            "reworded no x: see the manual -> no x: see the guide",
            "reworded no y, please: see the manual -> no y, please: see the guide",
        ),
    ),
    Row(
        "both of two in one function",
        f(
            'if x is None:\n    raise ValueError("x must be given")\nif y is None:\n    raise ValueError("y must be given")'
        ),
        f(
            'if x is None:\n    raise ValueError("x should be given")\nif y is None:\n    raise ValueError("y should be given")'
        ),
        ("reworded x must be given -> x should be given", "reworded y must be given -> y should be given"),
    ),
    Row(
        "texts swapped",
        f('if x is None:\n    raise ValueError("first text")\nif y is None:\n    raise ValueError("other words")'),
        f('if x is None:\n    raise ValueError("other words")\nif y is None:\n    raise ValueError("first text")'),
        ("reguarded first text", "reguarded other words"),
    ),
    Row(
        "texts of two functions swapped",
        raising('ValueError("first text")', name="f") + "\n\n" + raising('ValueError("other words")', name="g"),
        raising('ValueError("other words")', name="f") + "\n\n" + raising('ValueError("first text")', name="g"),
        ("moved first text", "moved other words"),
    ),
    # Reclassed.
    Row(
        "a class that is not caught",
        raising('ValueError("bad")'),
        raising('TypeError("bad")'),
        ("!reclassed bad ValueError -> TypeError",),
    ),
    Row(
        "a narrower class",
        raising('Exception("bad")'),
        raising('ValueError("bad")'),
        ("reclassed bad Exception -> ValueError",),
    ),
    Row(
        "a wider class",
        raising('KeyError("bad")'),
        raising('LookupError("bad")'),
        ("!reworded+reclassed 'bad' -> bad KeyError -> LookupError",),
    ),
    Row(
        "a narrower built-in class",
        raising('LookupError("bad")'),
        raising('KeyError("bad")'),
        ("reworded+reclassed bad -> 'bad' LookupError -> KeyError",),
    ),
    Row(
        "a class of its own below the old one",
        CLASSES + raising('ValueError("bad")'),
        CLASSES + raising('ShapeError("bad")'),
        ("reclassed bad ValueError -> ShapeError",),
    ),
    Row(
        "a class of its own beside the old one",
        CLASSES + raising('ValueError("bad")'),
        CLASSES + raising('DtypeError("bad")'),
        ("!reclassed bad ValueError -> DtypeError",),
    ),
    Row(
        "the base of a class",
        CLASSES + raising('ShapeError("bad")'),
        CLASSES + raising('PackageError("bad")'),
        ("!reclassed bad ShapeError -> PackageError",),
    ),
    Row(
        "a class loses a base",
        CLASSES + raising('ShapeError("bad")'),
        CLASSES.replace("(PackageError, ValueError)", "(PackageError)") + raising('ShapeError("bad")'),
        ("!reclassed bad",),
    ),
    Row(
        "a class gains a base",
        CLASSES + raising('DtypeError("bad")'),
        CLASSES.replace("DtypeError(PackageError)", "DtypeError(PackageError, TypeError)")
        + raising('DtypeError("bad")'),
        ("reclassed bad",),
    ),
    Row(
        "a class loses a private base",
        CLASSES.replace("DtypeError(PackageError)", "DtypeError(_Mixin, PackageError)")
        .replace("class _Mixin:\n    pass\n", "")
        .replace("class PackageError", "class _Mixin:\n    pass\n\n\nclass PackageError")
        + raising('DtypeError("bad")'),
        CLASSES + raising('DtypeError("bad")'),
        (),
        1,
    ),
    Row(
        "a class between a class and its base",
        CLASSES + raising('DtypeError("bad")'),
        CLASSES.replace(
            "class DtypeError(PackageError)",
            "class InputError(PackageError):\n    pass\n\n\nclass DtypeError(InputError)",
        )
        + raising('DtypeError("bad")'),
        ("reclassed bad",),
    ),
    Row(
        "a class whose bases nobody knows",
        raising('ValueError("bad")'),
        "from other import Strange\n\n\n" + raising('Strange("bad")'),
        ("!reclassed bad ValueError -> Strange",),
    ),
    Row(
        "a class of unknown bases that was so before",
        "from other import Strange\n\n\n" + raising('Strange("bad")'),
        "from other import Strange\n\n\n" + raising('Strange("bad")'),
        (),
        1,
    ),
    Row(
        "a class of an unknown module becomes known",
        "from other import Strange\n\n\n" + raising('Strange("bad")'),
        "class Strange(ValueError):\n    pass\n\n\n" + raising('Strange("bad")'),
        (),
        1,
    ),
    Row(
        "a class below one whose bases nobody knows",
        "from other import Strange\n\n\n" + raising('Strange("bad")'),
        "from other import Strange\n\n\nclass Mine(Strange):\n    pass\n\n\n" + raising('Mine("bad")'),
        ("reclassed bad Strange -> Mine",),
    ),
    Row(
        "a class of a parameter",
        f('raise ValueError("bad")', args="error"),
        f('raise error("bad")', args="error"),
        ("!reclassed bad ValueError -> None",),
    ),
    Row(
        "an assert becomes a raise of another class",
        f('assert x, "bad"'),
        f('if not x:\n    raise ValueError("bad")'),
        ("!reclassed bad AssertionError -> ValueError",),
    ),
    Row(
        "an assert becomes a raise of the same class",
        f('assert x, "bad"'),
        f('if not x:\n    raise AssertionError("bad")'),
        (),
        1,
    ),
    Row(
        "a class and a text",
        raising('ValueError("expected two rows")'),
        raising('TypeError("expected three rows")'),
        ("!reworded+reclassed expected two rows -> expected three rows ValueError -> TypeError",),
    ),
    # A class chosen at run time: two records at one place.
    Row(
        "a second class at run time",
        f('if not x:\n    raise ValueError("bad")'),
        f('if not x:\n    error = ValueError if n else TypeError\n    raise error("bad")'),
        ("!added bad < bad",),
        1,
    ),
    Row(
        "a second class at run time that is caught as well",
        f('if not x:\n    raise Exception("bad")'),
        f('if not x:\n    error = Exception if n else ValueError\n    raise error("bad")'),
        ("added bad < bad",),
        1,
    ),
    Row(
        "one of two classes at run time goes",
        f('if not x:\n    error = ValueError if n else TypeError\n    raise error("bad")'),
        f('if not x:\n    raise ValueError("bad")'),
        ("!removed bad > bad",),
        1,
    ),
    Row(
        "one of two classes at run time becomes another",
        f('if not x:\n    error = ValueError if n else TypeError\n    raise error("bad")'),
        f('if not x:\n    error = ValueError if n else RuntimeError\n    raise error("bad")'),
        ("!reclassed bad TypeError -> RuntimeError",),
        1,
    ),
    # Guards.
    Row(
        "a wider condition",
        f('if x is None:\n    raise ValueError("bad")'),
        f('if x is None or n < 0:\n    raise ValueError("bad")'),
        ("reguarded bad",),
    ),
    Row(
        "a condition on other lines",
        f('if x is None and n < 0 and y:\n    raise ValueError("bad")'),
        f('if (x is None\n        and n < 0\n        and y):\n    raise ValueError("bad")'),
        (),
        1,
    ),
    Row(
        "a condition with other white space",
        f('if g(x,n)<0:\n    raise ValueError("bad")'),
        f('if g( x, n ) < 0:\n    raise ValueError("bad")'),
        (),
        1,
    ),
    Row(
        "white space inside a string of a condition",
        f('if x == "a, b":\n    raise ValueError("bad")'),
        f('if x == "a,b":\n    raise ValueError("bad")'),
        ("reguarded bad",),
    ),
    Row(
        "a comment in a condition",
        f('if (x is None or\n        n < 0):\n    raise ValueError("bad")'),
        f('if (x is None or  # nothing\n        n < 0):\n    raise ValueError("bad")'),
        (),
        1,
    ),
    Row(
        "an earlier return",
        f('if x is None:\n    raise ValueError("bad")'),
        f('if n:\n    return\nif x is None:\n    raise ValueError("bad")'),
        ("reguarded bad",),
    ),
    Row(
        "a loop around it",
        f('if x is None:\n    raise ValueError("bad")'),
        f('for x in y:\n    if x is None:\n        raise ValueError("bad")'),
        ("reguarded bad",),
    ),
    Row(
        "no condition any more",
        f('if x is None:\n    raise ValueError("bad")'),
        f('raise ValueError("bad")'),
        ("reguarded bad",),
    ),
    Row(
        "a guard and a text",
        f('if x is None:\n    raise ValueError("x must be given")'),
        f('if x is None or not x:\n    raise ValueError("x must not be empty")'),
        ("reworded+reguarded x must be given -> x must not be empty",),
    ),
    # Moved.
    Row(
        "a function renamed",
        raising('ValueError("bad shape")', name="f"),
        raising('ValueError("bad shape")', name="check"),
        ("moved bad shape",),
    ),
    Row(
        "a file renamed",
        {"pkg/m.py": CHECKS},
        {"pkg/checks.py": CHECKS},
        (
            "moved expected {n} dimensions, got {x.ndim}",
            "moved the array is empty",
            "moved expected dtype {wanted}, got {x.dtype}",
            "moved axis {axis} is out of bounds for array of dimension {ndim}",
        ),
    ),
    Row(
        "a file renamed with half its errors",
        {"pkg/m.py": CHECKS},
        {"pkg/m.py": "\n\n".join(CHECKS.split("\n\n\n")[:1]), "pkg/checks.py": "\n\n".join(CHECKS.split("\n\n\n")[1:])},
        (
            "moved expected dtype {wanted}, got {x.dtype}",
            "moved axis {axis} is out of bounds for array of dimension {ndim}",
        ),
        2,
    ),
    Row(
        "a file renamed where half its errors go",
        {"pkg/m.py": CHECKS},
        {"pkg/checks.py": CHECKS.split("\n\n\n")[0] + "\n"},
        (
            "moved expected {n} dimensions, got {x.ndim}",
            "moved the array is empty",
            "removed expected dtype {wanted}, got {x.dtype}",
            "removed axis {axis} is out of bounds for array of dimension {ndim}",
        ),
    ),
    Row(
        "a method moves into a base class",
        "class A:\n    pass\n\n\nclass B(A):\n    def m(self, x):\n        if not x:\n            raise ValueError('no x for m')\n",
        "class A:\n    def m(self, x):\n        if not x:\n            raise ValueError('no x for m')\n\n\nclass B(A):\n    pass\n",
        ("moved no x for m",),
    ),
    Row(
        "two methods move into one of a base class",
        "class A:\n    pass\n\n\nclass B(A):\n    def m(self, x):\n        if not x:\n            raise ValueError('no x for m')\n\n\nclass C(A):\n    def m(self, x):\n        if not x:\n            raise ValueError('no x for m')\n",
        "class A:\n    def m(self, x):\n        if not x:\n            raise ValueError('no x for m')\n\n\nclass B(A):\n    pass\n\n\nclass C(A):\n    pass\n",
        ("moved no x for m", "removed no x for m > no x for m"),
    ),
    Row(
        "a function becomes an inner one",
        raising('ValueError("bad shape")', name="g"),
        "def outer(y):\n    def g(x):\n        if not x:\n            raise ValueError('bad shape')\n    return g\n",
        ("moved bad shape",),
    ),
    Row(
        "a class renamed",
        READER,
        READER.replace("class Reader", "class FileReader"),
        ("moved no path was given", "moved the reader is closed already"),
    ),
    Row(
        "a function moved and reworded at once",
        {"pkg/m.py": CHECKS, "pkg/n.py": "x = 1\n"},
        {
            "pkg/m.py": "\n\n\n".join(CHECKS.split("\n\n\n")[:2]) + "\n",
            "pkg/n.py": "x = 1\n\n\n"
            + CHECKS.split("\n\n\n")[2].replace("is out of bounds for array of", "is out of range for an array of"),
        },
        (
            "reworded+moved axis {axis} is out of bounds for array of dimension {ndim} -> axis {axis} is out of range for an array of dimension {ndim}",
        ),
        3,
    ),
    Row(
        "a file renamed and all its texts changed",
        {"pkg/m.py": CHECKS},
        {
            "pkg/checks.py": CHECKS.replace("expected", "wanted")
            .replace("the array is", "this array is")
            .replace("bounds", "range")
        },
        (
            "reworded+moved expected {n} dimensions, got {x.ndim} -> wanted {n} dimensions, got {x.ndim}",
            "reworded+moved the array is empty -> this array is empty",
            "reworded+moved expected dtype {wanted}, got {x.dtype} -> wanted dtype {wanted}, got {x.dtype}",
            "reworded+moved axis {axis} is out of bounds for array of dimension {ndim} -> axis {axis} is out of range for array of dimension {ndim}",
        ),
    ),
    Row(
        "moved under another guard",
        raising('ValueError("the grid must have two axes")', name="f"),
        f('if len(y) != 2:\n    raise ValueError("the grid must have two axes")', name="g"),
        ("reguarded+moved the grid must have two axes",),
    ),
    Row(
        "moved, with another class",
        {"pkg/m.py": raising('ValueError("the grid must have two axes")')},
        {"pkg/n.py": raising('TypeError("the grid must have two axes")')},
        ("!reclassed+moved the grid must have two axes ValueError -> TypeError",),
    ),
    Row(
        "everything at once",
        {"pkg/m.py": raising('ValueError("the grid must have two axes")')},
        {"pkg/n.py": f('if len(x) != 2:\n    raise TypeError("the grid must have exactly two axes")')},
        (
            "!reworded+reclassed+reguarded+moved the grid must have two axes -> the grid must have exactly two axes ValueError -> TypeError",
        ),
    ),
    # Split and merged.
    Row(
        "split in two",
        f('if x is None or n < 0:\n    raise ValueError("x must be given and n must not be negative")'),
        f(
            'if x is None:\n    raise ValueError("x must be given")\nif n < 0:\n    raise ValueError("n must not be negative")'
        ),
        (
            "reworded+reguarded x must be given and n must not be negative -> n must not be negative",
            "added x must be given < x must be given and n must not be negative",
        ),
    ),
    Row(
        "the same text at two places",
        f('if x is None or n < 0:\n    raise ValueError("bad arguments of f")'),
        f(
            'if x is None:\n    raise ValueError("bad arguments of f")\nif n < 0:\n    raise ValueError("bad arguments of f")'
        ),
        ("reguarded bad arguments of f", "added bad arguments of f < bad arguments of f"),
    ),
    Row(
        "split, the second with another class",
        f('if x is None or n < 0:\n    raise ValueError("bad arguments of f")'),
        f(
            'if x is None:\n    raise ValueError("bad arguments of f")\nif n < 0:\n    raise TypeError("bad arguments of f")'
        ),
        ("reguarded bad arguments of f", "!added bad arguments of f < bad arguments of f"),
    ),
    Row(
        "two equal ones merged",
        f(
            'if x is None:\n    raise ValueError("bad arguments of f")\nif n < 0:\n    raise ValueError("bad arguments of f")'
        ),
        f('if x is None or n < 0:\n    raise ValueError("bad arguments of f")'),
        ("reguarded bad arguments of f", "removed bad arguments of f > bad arguments of f"),
    ),
    Row(
        "a helper takes over the raise of two",
        raising('ValueError(f"expected a positive number, got {x}")', name="f")
        + "\n\n"
        + raising('ValueError(f"expected a positive number, got {x}")', name="g"),
        raising('ValueError(f"expected a positive number, got {x}")', name="_positive")
        + "\n\n"
        + f("_positive(x)", name="f")
        + "\n\n"
        + f("_positive(x)", name="g"),
        (
            "moved expected a positive number, got {x}",
            "removed expected a positive number, got {x} > expected a positive number, got {x}",
        ),
    ),
    # Texts that are not known, and no text.
    Row("unknown stays unknown", f("raise ValueError(y())"), f("raise ValueError(y())"), (), 1),
    Row(
        "a text becomes one of a call",
        raising('ValueError("bad input")'),
        raising("ValueError(y())"),
        ("reworded bad input -> {y()}",),
    ),
    Row(
        "three without a text, one goes",
        f(
            "if x == 1:\n    raise NotImplementedError\nif x == 2:\n    raise NotImplementedError\nif x == 3:\n    raise NotImplementedError"
        ),
        f("if x == 1:\n    raise NotImplementedError\nif x == 3:\n    raise NotImplementedError"),
        ("removed ", "reguarded "),
        1,
    ),
    Row(
        "without a text, in a renamed function among others",
        f("raise NotImplementedError", name="a") + "\n\n" + f("raise NotImplementedError", name="b"),
        f("raise NotImplementedError", name="a") + "\n\n" + f("raise NotImplementedError", name="c"),
        ("moved ",),
        1,
    ),
    Row(
        "many lines",
        raising('ValueError("first line\\nsecond line")'),
        raising('ValueError("first line\\nthird line")'),
        ("reworded first line\nsecond line -> first line\nthird line",),
    ),
    Row(
        "braces",
        raising('ValueError("bad {} here")'),
        raising('ValueError("bad {} there")'),
        ("reworded bad {} here -> bad {} there",),
    ),
)

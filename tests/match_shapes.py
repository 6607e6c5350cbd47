"""The shapes in which people paste an error, made from its class and message."""

import textwrap
from collections.abc import Callable
from typing import Final

FRAME: Final = '  File "/home/user/train.py", line 12, in <module>\n    main()\n'


def plain(error_class: str, message: str) -> str:
    return f"Traceback (most recent call last):\n{FRAME}{error_class}: {message}\n"


def carets(error_class: str, message: str) -> str:
    frame = '  File "/home/user/train.py", line 12, in <module>\n    main(\n    ~~~~^\n        x)\n        ^^\n'
    repeated = "  [Previous line repeated 3 more times]\n"
    return f"Traceback (most recent call last):\n{frame}{repeated}{error_class}: {message}\n"


def noted(error_class: str, message: str) -> str:
    note = (
        "--------------------\nFor simplicity, JAX has removed its internal frames from the traceback of the following "
        "exception. Set JAX_TRACEBACK_FILTERING=off to include these.\n"
    )
    return plain(error_class, message) + note


def before_transformation(error_class: str, message: str) -> str:
    first = plain("jax._src.source_info_util.JaxStackTraceBeforeTransformation", f"{error_class}: {message}")
    return (
        f"{first}\nThe preceding stack trace is the source of the JAX operation that, once transformed by JAX, "
        "triggered the following exception.\n\n--------------------\n\nThe above exception was the direct cause of the "
        f"following exception:\n\n{plain(error_class, message)}"
    )


def handled(error_class: str, message: str) -> str:
    first = plain("KeyError", "'params'")
    return (
        f"{first}\nDuring handling of the above exception, another exception occurred:\n\n{plain(error_class, message)}"
    )


def group(error_class: str, message: str) -> str:
    inner = textwrap.indent(plain(error_class, message), "    | ", lambda _: True)
    return (
        "  + Exception Group Traceback (most recent call last):\n"
        + textwrap.indent(FRAME, "  | ")
        + "  | ExceptionGroup: several (1 sub-exception)\n  +-+---------------- 1 ----------------\n"
        + inner
        + "    +------------------------------------\n"
    )


def notebook(error_class: str, message: str) -> str:
    name = error_class.rsplit(".", 1)[-1]
    return (
        "-" * 75 + f"\n{name}{'Traceback (most recent call last)':>{75 - len(name)}}\n"
        "Cell In[3], line 2, in f(x)\n      1 def f(x):\n"
        f"----> 2   return g(x)\n\nFile /usr/lib/python3.12/site-packages/lib/mod.py:31, in g(x, axis)\n     30 \n"
        f"---> 31   return h(x)\n     32 \n\n{name}: {message}\n"
    )


def coloured(error_class: str, message: str) -> str:
    red, off = "\x1b[0;31m", "\x1b[0m"
    name = error_class.rsplit(".", 1)[-1]
    return (
        f"{red}{'-' * 75}{off}\n{red}{name}{off}{'Traceback (most recent call last)':>{75 - len(name)}}\n"
        f"\x1b[0;32m<ipython-input-3-1a>{off} in \x1b[0;36m<module>{off}\n"
        f"\x1b[0;32m----> 1{off} f(x)\n\n{red}{name}{off}: {message}\n"
    )


def pytest(error_class: str, message: str) -> str:
    lines = f"{error_class}: {message}".split("\n")
    told = "\n".join(f"E       {line}".rstrip() for line in lines)
    name = error_class.rsplit(".", 1)[-1]
    return (
        "=================================== FAILURES ===================================\n"
        "___________________________________ test_f _____________________________________\n\n"
        f"    def test_f():\n>       f(3)\n\ntests/test_f.py:4: \n_ _ _ _ _ _ _ _ _ _\n\n"
        f"    def f(x):\n>       g(x)\n{told}\n\n"
        f"tests/test_f.py:9: {name}\n=========================== short test summary info ============================\n"
        f"FAILED tests/test_f.py::test_f - {error_class}: {lines[0][:30]}...\n"
    )


def prefixed(prefix: str) -> Callable[[str, str], str]:
    return lambda error_class, message: textwrap.indent(plain(error_class, message), prefix, lambda _: True)


def logged(error_class: str, message: str) -> str:
    before = "E0101 12:00:00.123456  4242 train.py:33] step 12 failed\n"
    return f"{before}{plain(error_class, message)}I0101 12:00:01.000000  4242 train.py:40] bye\n"


def logged_line(error_class: str, message: str) -> str:
    return f"2026-01-02 03:04:05,678 ERROR rank 3: {error_class}: {message}\n"


def fenced(error_class: str, message: str) -> str:
    return f"I get this when I train:\n\n```pytb\n{plain(error_class, message)}```\n\nWhat is wrong?\n"


def windows(error_class: str, message: str) -> str:
    text = plain(error_class, message).replace("/home/user/train.py", "C:\\Users\\me\\train.py")
    return text.replace("\n", "\r\n")


def wrapped(error_class: str, message: str) -> str:
    """As a terminal of 80 columns breaks it: anywhere."""
    head, _, last = plain(error_class, message).rstrip("\n").rpartition(f"{error_class}: ")
    lines = (f"{error_class}: {last}").split("\n")
    pieces = [line[at : at + 80] for line in lines for at in range(0, max(len(line), 1), 80)]
    return head + "\n".join(pieces) + "\n"


def mailed(error_class: str, message: str) -> str:
    """As a mail program breaks it: at spaces, quoted."""
    lines = f"{error_class}: {message}".split("\n")
    pieces = [
        p for line in lines for p in textwrap.wrap(line, 72, break_long_words=False, break_on_hyphens=False) or [""]
    ]
    return textwrap.indent("\n".join(pieces) + "\n", "> ", lambda _: True)


def last_line(error_class: str, message: str) -> str:
    return f"{error_class}: {message}"


def message_only(_: str, message: str) -> str:
    return message


SHAPES: Final[dict[str, Callable[[str, str], str]]] = {
    "plain": plain,
    "carets": carets,
    "noted": noted,
    "before transformation": before_transformation,
    "handled": handled,
    "group": group,
    "notebook": notebook,
    "coloured": coloured,
    "pytest": pytest,
    "quoted": prefixed("> "),
    "indented": prefixed("    "),
    "dated": prefixed("2026-01-02T03:04:05.678Z "),
    "ranked": prefixed("[rank 3]: "),
    "logged": logged,
    "logged line": logged_line,
    "fenced": fenced,
    "windows": windows,
    "wrapped": wrapped,
    "mailed": mailed,
    "last line": last_line,
    "message only": message_only,
}

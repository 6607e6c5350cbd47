"""The three regular-expression engines a pattern must mean the same in: Python's `re`, RE2, JavaScript."""

import atexit
import functools
import json
import re
import shutil
import subprocess
from collections.abc import Sequence

import re2

# Reads a line of JSON, [[pattern, text], ...], and answers a line: for each, whether it is a full match with the
# flags `su` and with `s` alone, and its number of groups; or the error's text.
NODE_PROGRAM = r"""
const answer = ([pattern, text]) => {
  try {
    const [unicode, plain] = ['su', 's'].map(flags => new RegExp('^(?:' + pattern + ')$', flags));
    const groups = new RegExp(pattern + '|', 'su').exec('').length - 1;
    return [unicode.test(text), plain.test(text), groups];
  } catch (error) { return String(error); }
};
require('readline').createInterface({input: process.stdin})
  .on('line', line => console.log(JSON.stringify(JSON.parse(line).map(answer))));
"""


def python_fullmatches(pattern: str, text: str) -> bool:
    return re.compile(pattern, re.DOTALL).fullmatch(text) is not None


def python_groups(pattern: str) -> int:
    return re.compile(pattern).groups


def re2_compile(pattern: str) -> "re2._Regexp":
    """Raise re2.error where RE2 refuses the pattern."""
    options = re2.Options()
    options.dot_nl = True
    options.log_errors = False
    return re2.compile(pattern, options)


def re2_fullmatches(pattern: str, text: str) -> bool:
    return re2_compile(pattern).fullmatch(text) is not None


def has_javascript() -> bool:
    return shutil.which("node") is not None


@functools.cache
def _node() -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        ["node", "-e", NODE_PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    atexit.register(_stop, process)
    return process


def _stop(process: "subprocess.Popen[str]") -> None:
    process.communicate()


def javascript(questions: Sequence[tuple[str, str]]) -> list[list[bool | int] | str]:
    """For each (pattern, text): [full match with `su`, with `s`, number of groups], or the error's text."""
    if not questions:
        return []
    node = _node()
    assert node.stdin is not None
    assert node.stdout is not None
    node.stdin.write(json.dumps(questions) + "\n")
    node.stdin.flush()
    answers: list[list[bool | int] | str] = json.loads(node.stdout.readline())
    return answers

"""What the browser takes over of Python: expressions, classes of characters, rounding."""

import json
import random
import re
import unicodedata

import pytest
from browser_node import STATIC, node

from pipeline.pages.match_rules import javascript, rules

MODULES = STATIC / "match"

JAVASCRIPT = [
    (r"\s*File \"(?P<path>[^\"\n]{1,10})\"\Z", r"[ ]*File \"(?<path>[^\"\n]{1,10})\"$"),
    (r"[\w.]+.", r"[\p{L}\p{N}_.]+[^\n]"),
    (r"\d$", r"[\p{Nd}](?=\n?$)"),
    (r"[\]\\.]\.", r"[\]\\.]\."),
]


@pytest.mark.parametrize(("python", "expected"), JAVASCRIPT)
def test_an_expression_in_javascript(python: str, expected: str) -> None:
    space = rules()["text"]["SPACE"]["regex"]
    assert javascript(re.compile(python)) == expected.replace("[ ]", space)


@pytest.mark.parametrize("python", [r"a\Ab", r"(?i)a", r"\Bx"])
def test_an_expression_without_an_equal_is_refused(python: str) -> None:
    with pytest.raises(ValueError, match="no equal"):
        javascript(re.compile(python))


def test_classes_of_characters_are_those_of_python() -> None:
    asked = {name: javascript(re.compile(name)) for name in (r"\w", r"\d", r"\s", r"\S", ".")}
    script = """
      const asked = JSON.parse(process.argv[1]);
      const found = {};
      for (const [name, source] of Object.entries(asked)) {
        const expression = new RegExp(`^${source}$`, "u");
        found[name] = [];
        for (let code = 0; code <= 0x10ffff; code++) {
          if (expression.test(String.fromCodePoint(code))) found[name].push(code);
        }
      }
      console.log(JSON.stringify(found));
    """
    found = {name: set(codes) for name, codes in json.loads(node("-e", script, json.dumps(asked))).items()}
    known = [code for code in range(0x110000) if unicodedata.category(chr(code)) not in {"Cn", "Cs"}]
    for name, codes in found.items():
        expression = re.compile(name)
        wrong = [hex(code) for code in known if bool(expression.match(chr(code))) != (code in codes)]
        assert not wrong, f"{name}: {wrong[:10]}"


def test_numbers_are_rounded_as_python_does() -> None:
    chance = random.Random(3)
    values = [chance.random() for _ in range(3000)] + [n / 2**k for k in range(1, 9) for n in range(2**k)]
    script = f"""
      import {{ round }} from {json.dumps((MODULES / "text.js").as_uri())};
      const values = JSON.parse(process.argv[1]);
      console.log(JSON.stringify(values.map((value) => [round(value, 3), round(value, 6)])));
    """
    found = json.loads(node("--input-type=module", "-e", script, json.dumps(values)))
    assert found == [[round(value, 3), round(value, 6)] for value in values]


def test_the_engine_is_linear_and_nothing_else_meets_the_patterns() -> None:
    """The only expressions made of a record's or a user's text are re2js's, and one of escaped text."""
    made = {path.name: path.read_text().count("new RegExp") for path in sorted(MODULES.glob("*.js"))}
    assert {name: count for name, count in made.items() if count} == {"lines.js": 1, "text.js": 5}
    assert "../vendor/re2js.js" in (MODULES / "engine.js").read_text()

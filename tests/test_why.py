"""`errcat why`: each step from a raise statement to its text, with file and line."""

import re
from pathlib import Path

import pytest

from pipeline import catalogue
from pipeline.cli import run
from pipeline.source.folder import read_folder
from pipeline.why import why

FILES = {
    "pkg/__init__.py": "",
    "pkg/texts.py": "HEAD = 'cannot do'\n\n\ndef tail(what):\n    return f' it to {what}'\n",
    "pkg/errors.py": (
        "class Base(ValueError):\n    def __init__(self, text):\n"
        "        super().__init__(text + ', see the manual')\n\n\nclass Bad(Base):\n    pass\n"
    ),
    "pkg/main.py": (
        "from pkg import texts\nfrom pkg.errors import Bad\n\n\ndef work(x):\n    if x is None:\n"
        "        said = texts.HEAD + texts.tail(type(x))\n        raise Bad(said)\n"
        "    raise KeyError(str(x))\n"
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "src"


def test_steps_name_what_was_looked_up_and_where(folder: Path) -> None:
    tree = read_folder(folder, repo="local/pkg", under=None)
    records = catalogue.build(tree, analyzed_at="2026-01-01T00:00:00.000Z").records
    bad = next(r for r in records if r.errorClass == "Bad")
    lines = why(bad, tree)
    assert lines[0] == f"{bad.id}  Bad  pkg/main.py:8"
    assert lines[1] == "when  x is None"
    steps = [re.sub(r"^ *\d+  ", "", line) for line in lines[2:-1]]
    assert steps == [
        "name said  pkg/main.py:7  texts.HEAD + texts.tail(type(x))",
        "global HEAD  pkg/texts.py:1  'cannot do'",
        "call of tail  pkg/texts.py:4  def tail(what): return f' it to {what}'",
        "constructor of Base  pkg/errors.py:2  def __init__(self, text): super().__init__(text + ', see the manual')",
    ]
    assert lines[-1] == "text  cannot do it to {type(x)}, see the manual"


def test_an_unknown_text_says_why(folder: Path) -> None:
    tree = read_folder(folder, repo="local/pkg", under=None)
    records = catalogue.build(tree, analyzed_at="2026-01-01T00:00:00.000Z").records
    unknown = next(r for r in records if r.errorClass == "KeyError")
    assert unknown.literalLength is None
    assert "text  KeyError: not known from source: the result of a call: str(x)" in why(unknown, tree)


def test_the_command_wants_the_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["dataset", "--tree", "src", "--repo", "local/pkg"]) == 0
    capsysbinary.readouterr()
    assert run(["why", "cannot-do-it-to"]) == 2
    assert b"was mined from a folder. Say which, with --tree" in capsysbinary.readouterr().err
    assert run(["why", "cannot-do-it-to", "--tree", str(folder)]) == 0
    assert b"global HEAD  pkg/texts.py:1" in capsysbinary.readouterr().out

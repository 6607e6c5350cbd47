"""The cache of what mining found out: the same outcome with it, whatever is done to it."""

import multiprocessing
import os
import sqlite3
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from pipeline import catalogue
from pipeline.catalogue import Catalogue
from pipeline.mine import cache as caching
from pipeline.mine.cache import Cache, Row, row_key
from pipeline.source.folder import read_folder
from pipeline.source.tree import SourceTree

NOW = "2026-01-01T00:00:00.000Z"
SOURCES = {
    "pkg/__init__.py": "",
    "pkg/texts.py": "TOO_BIG = 'is too big'\ndef told(name):\n    return f'{name} {TOO_BIG}'\n",
    "pkg/errors.py": (
        "class Base(Exception):\n    def __str__(self):\n        return 'see the docs'\nclass Bad(Base):\n    pass\n"
    ),
    "pkg/use.py": (
        "from pkg.texts import told\nfrom pkg.errors import Bad\n"
        "def check(x):\n    if x > 9:\n        raise ValueError(told('x'))\n"
        "def other(y):\n    if not y:\n        raise Bad('never printed')\n"
        "def _closed(kind):\n    raise KeyError(f'no {kind} here')\n"
        "def one():\n    _closed('apple')\n"
    ),
}
CHANGES = {
    "a helper's text": {"pkg/texts.py": SOURCES["pkg/texts.py"].replace("too big", "much too big")},
    "a helper": {"pkg/texts.py": "TOO_BIG = 'is too big'\ndef told(name):\n    return 'the ' + name + TOO_BIG\n"},
    "a base class": {"pkg/errors.py": "class Base(Exception):\n    pass\nclass Bad(Base):\n    pass\n"},
    "another caller": {"pkg/more.py": "from pkg.use import _closed\ndef two():\n    _closed('pear')\n"},
    "lines above": {"pkg/use.py": "\n\n\n" + SOURCES["pkg/use.py"]},
    "a guard": {"pkg/use.py": SOURCES["pkg/use.py"].replace("x > 9", "x > 99")},
    "another helper": {"pkg/texts.py": "def told(name):\n    return name\n", "pkg/extra.py": "told = None\n"},
    "a function handed around": {"pkg/use.py": SOURCES["pkg/use.py"] + "TABLE = [_closed]\n"},
    "nothing": {},
}


def written(folder: Path, sources: dict[str, str]) -> SourceTree:
    for name, text in sources.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read_folder(folder, repo="a/b", under=None)


def mined(tree: SourceTree, cache: Cache | None, workers: int | None = 1) -> Catalogue:
    return catalogue.build(tree, analyzed_at=NOW, cache=cache, workers=workers)


def same(one: Catalogue, other: Catalogue) -> bool:
    return one.records == other.records and one.coverage == other.coverage and one.facts == other.facts


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_wherever_it_is(tmp_path: Path, change: str) -> None:
    cache = Cache(tmp_path / "cache.sqlite3")
    before = mined(written(tmp_path / "src", SOURCES), cache)
    tree = written(tmp_path / "src", CHANGES[change])
    after = mined(tree, cache)
    assert same(after, mined(tree, None))
    assert cache.trouble is None
    changed = {r.id: r for r in before.records} != {r.id: r for r in after.records}
    assert changed == (change != "nothing")


def test_what_did_not_change_is_not_evaluated_again(tmp_path: Path) -> None:
    all_made: list[Row] = []
    all_used: list[tuple[bytes, bytes]] = []

    class Watched(Cache):
        def keep(self, made: Iterable[Row], used: Iterable[tuple[bytes, bytes]] = ()) -> None:
            rows, old = list(made), list(used)
            all_made.extend(rows)
            all_used.extend(old)
            super().keep(rows, old)

    cache = Watched(tmp_path / "cache.sqlite3")
    mined(written(tmp_path / "src", SOURCES), cache)
    assert len(all_made) == 4 + 3  # files, and definitions that raise
    all_made.clear()
    all_used.clear()
    mined(written(tmp_path / "src", CHANGES["a helper's text"]), cache)
    assert (len(all_made), len(all_used)) == (2, 5)  # the file, and the one definition that says its text


@pytest.mark.parametrize("harm", ["a row", "every row", "no database", "another layout", "empty", "a folder"])
def test_damage_costs_time_only(tmp_path: Path, harm: str) -> None:
    path = tmp_path / "cache.sqlite3"
    tree = written(tmp_path / "src", SOURCES)
    first = mined(tree, Cache(path))
    if harm in ("a row", "every row"):
        with sqlite3.connect(path) as db:
            which = "" if harm == "every row" else "WHERE rowid = 1"
            db.execute(f"UPDATE rows SET value = substr(value, 1, length(value) - 3) || x'00ff00' {which}")
        db.close()
    elif harm == "another layout":
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA user_version = 99")
        db.close()
    else:
        for left in tmp_path.glob("cache.sqlite3*"):
            left.unlink()
        if harm == "a folder":
            path.mkdir()
        else:
            path.write_bytes(b"no database at all, but something else" * 999 if harm == "no database" else b"")
    cache = Cache(path)
    assert same(mined(tree, cache), first)
    assert (cache.trouble is not None) == (harm == "a folder")
    if harm != "a folder":
        assert len(Cache(path).rows([row_key("facts", f.blob_id) for f in tree.files])) == len(tree.files)


def test_no_space_left(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", small], check=False, capture_output=True)
    if done.returncode:
        pytest.skip("needs the right to mount a small file system")
    try:
        cache = Cache(small / "cache.sqlite3")
        text = "def f(x):\n    raise ValueError('{}')\n"
        sources = {f"pkg/m{i}.py": text.format(os.urandom(200).hex()) for i in range(400)}
        tree = written(tmp_path / "src", sources)
        assert same(mined(tree, cache), mined(tree, None))
        assert "full" in (cache.trouble or "")
    finally:
        subprocess.run(["umount", small], check=True)


def test_no_right_to_write(tmp_path: Path) -> None:
    cache = Cache(Path("/proc/errcat/cache.sqlite3"))
    tree = written(tmp_path / "src", SOURCES)
    assert same(mined(tree, cache), mined(tree, None))
    assert cache.trouble


def _fill(path: str, name: int, times: int) -> None:
    cache = Cache(Path(path))
    for i in range(times):
        rows = [Row(row_key("x", str(name), str(i), str(j)), b"", [name, i, j]) for j in range(20)]
        cache.keep(rows)
        found = cache.rows([row.key for row in rows])
        assert [found[row.key][0].value for row in rows] == [row.value for row in rows]
    assert cache.trouble is None


def test_two_processes_at_once(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=_fill, args=(str(path), name, 25)) for name in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join(60)
    assert [one.exitcode for one in both] == [0, 0]
    keys = [row_key("x", str(n), str(i), str(j)) for n in range(2) for i in range(25) for j in range(20)]
    assert len(Cache(path).rows(keys)) == 1000


def test_it_stays_within_its_size(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.sqlite3", limit=40_000)
    keys = [row_key("n", str(i)) for i in range(100)]
    for key in keys:
        cache.keep([Row(key, b"", os.urandom(1000))])
    left = cache.rows(keys)
    assert 30 <= len(left) <= 40
    assert keys[-1] in left
    assert keys[0] not in left


def test_another_extractor_finds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path / "cache.sqlite3")
    mined(written(tmp_path / "src", SOURCES), cache)
    blob = written(tmp_path / "src", {}).files[0].blob_id
    assert cache.rows([row_key("facts", blob)])
    monkeypatch.setattr(caching, "extractor", lambda: "a later one")
    assert not cache.rows([row_key("facts", blob)])

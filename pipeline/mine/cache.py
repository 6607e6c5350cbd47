"""What mining found out before, kept in SQLite under digests of what it was found out from.

Several processes can use one file at once. Whatever is wrong with it (damage, no space, no right to write), mining
goes on without: a row that is not what it was is left out, a file that is no database is begun anew.
"""

from __future__ import annotations

import pickle
import sqlite3
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from pipeline.source.cache import cache_folder

LIMIT: Final = 1 << 30  # bytes of rows; beyond, those not used for the longest time go
_LAYOUT: Final = 1
_WAIT: Final = 30.0  # seconds for another process that writes
_CHECK: Final = 8  # bytes of a row's check sum
_MANY: Final = 500  # keys asked for at once
_DAY: Final = 86_400
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS rows (
  key BLOB NOT NULL, part BLOB NOT NULL, used INTEGER NOT NULL, size INTEGER NOT NULL, value BLOB NOT NULL,
  PRIMARY KEY (key, part)
);
CREATE INDEX IF NOT EXISTS by_use ON rows (used);
"""


def shared_cache() -> Cache:
    """That of the user's cache folder."""
    return Cache(cache_folder() / "mined.sqlite3")


class Row(NamedTuple):
    """A value under a key; `part` tells apart several values of one key."""

    key: bytes
    part: bytes
    value: Any


def row_key(*words: str) -> bytes:
    """The key of what was found out from these words by this version of the extractor."""
    return blake2b("\0".join((extractor(), *words)).encode("utf-8", "surrogatepass"), digest_size=16).digest()


@cache
def extractor() -> str:
    """A digest of everything that has a part in what mining finds out beside the source."""
    digest = blake2b(digest_size=16)
    for name in ("tree-sitter", "tree-sitter-python"):
        digest.update(f"{name} {version(name)}\0".encode())
    digest.update(f"{sys.version_info[:2]}\0".encode())
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


class Cache:
    """Rows by key. trouble: why it was of no use, or None."""

    def __init__(self, path: Path, *, limit: int = LIMIT) -> None:
        self.path = path
        self.limit = limit
        self.trouble: str | None = None

    def rows(self, keys: Sequence[bytes]) -> dict[bytes, list[Row]]:
        """The rows of each key that has any, the latest used first."""
        out: dict[bytes, list[Row]] = {}
        if not self.path.exists():
            return out
        with suppress(_Unusable), self._open() as db:
            for at in range(0, len(keys), _MANY):
                some = keys[at : at + _MANY]
                places = ",".join("?" * len(some))
                asked = f"SELECT key, part, value FROM rows WHERE key IN ({places}) ORDER BY used DESC, part"  # noqa: S608
                for key, part, stored in self._run(db, asked, some):
                    value = _read(stored)
                    if value is not None:
                        out.setdefault(key, []).append(Row(key, part, value[0]))
        return out

    def keep(self, made: Iterable[Row], used: Iterable[tuple[bytes, bytes]] = ()) -> None:
        """Keep rows; say of others, by key and part, that they were used. What is too much goes."""
        day = int(time.time()) // _DAY
        written = [(row.key, row.part, day, len(stored), stored) for row in made for stored in (_written(row.value),)]
        with suppress(_Unusable), self._open() as db:
            try:
                db.execute("BEGIN IMMEDIATE")
                db.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?)", written)
                db.executemany(
                    "UPDATE rows SET used = ? WHERE key = ? AND part = ? AND used < ?",
                    [(day, key, part, day) for key, part in used],
                )
                self._shrink(db)
                db.execute("COMMIT")
            except sqlite3.Error as error:
                self.trouble = str(error)

    def _shrink(self, db: sqlite3.Connection) -> None:
        """Removes the rows that were not used for the longest time, down to nine tenths of the limit."""
        (total,) = db.execute("SELECT coalesce(sum(size), 0) FROM rows").fetchone()
        if total <= self.limit:
            return
        goal = self.limit * 9 // 10
        for rowid, size in db.execute("SELECT rowid, size FROM rows ORDER BY used, rowid").fetchall():
            if total <= goal:
                break
            db.execute("DELETE FROM rows WHERE rowid = ?", (rowid,))
            total -= size

    def _run(self, db: sqlite3.Connection, statement: str, values: Sequence[bytes]) -> Iterator[tuple[Any, ...]]:
        try:
            yield from db.execute(statement, values)
        except sqlite3.Error as error:
            self._give_up(error)

    def _open(self) -> closing[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return closing(self._connected())
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                self._give_up(error)
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    self.path.with_name(self.path.name + suffix).unlink()
            try:
                return closing(self._connected())
            except (OSError, sqlite3.Error) as again:
                self._give_up(again)
        except OSError as error:
            self._give_up(error)

    def _connected(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None)
        try:
            db.text_factory = bytes  # a damaged row can be of any type
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            (layout,) = db.execute("PRAGMA user_version").fetchone()
            if layout != _LAYOUT:
                db.executescript(f"DROP TABLE IF EXISTS rows; {_TABLES} PRAGMA user_version = {_LAYOUT};")
        except sqlite3.Error:
            db.close()
            raise
        return db

    def _give_up(self, error: Exception) -> NoReturn:
        self.trouble = str(error)
        raise _Unusable from None


class _Unusable(Exception):  # noqa: N818  # no error: mining goes on without
    """The file cannot be used now."""


def _written(value: object) -> bytes:
    packed = zlib.compress(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), 1)
    return blake2b(packed, digest_size=_CHECK).digest() + packed


def _read(stored: bytes) -> tuple[Any] | None:
    """The value in a row, in a tuple; None where the row is damaged."""
    check, packed = stored[:_CHECK], stored[_CHECK:]
    if blake2b(packed, digest_size=_CHECK).digest() != check:
        return None
    try:
        return (pickle.loads(zlib.decompress(packed)),)  # noqa: S301  # written by ourselves, and its sum is right
    except Exception:  # noqa: BLE001  # whatever unpickling says: the row is of no use
        return None

"""The store of answers: what a model was asked and what it said, kept from the moment it arrives.

An answer is looked up by the key of its question, so that nothing is paid for twice. The file is SQLite in WAL mode:
a process that is killed loses nothing that it has stored, and several may use it at once.
"""

import os
import sqlite3
import threading
import zlib
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pipeline.errors import StoreError

VERSION: Final = 1
_WAIT = 60.0  # seconds for another process that writes
_TABLES: Final = """
CREATE TABLE answers (
  key TEXT PRIMARY KEY, model TEXT NOT NULL, request BLOB NOT NULL, reply BLOB NOT NULL, text TEXT, refusal TEXT,
  finish TEXT, input INTEGER NOT NULL, cached INTEGER NOT NULL, output INTEGER NOT NULL, usd REAL NOT NULL,
  fingerprint TEXT, guessed INTEGER NOT NULL, asked_at TEXT NOT NULL, answered_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE batches (id TEXT PRIMARY KEY, endpoint TEXT NOT NULL, created_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE batched (
  batch TEXT NOT NULL, key TEXT NOT NULL, model TEXT NOT NULL, request BLOB NOT NULL, guessed INTEGER NOT NULL,
  PRIMARY KEY (batch, key)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What came back for one question, usable or not.

    text: the content; refusal: what was said instead; finish: why it ended. input (cached among it), output: tokens.
    guessed: the input tokens that were expected. request, reply: as they went over the wire, without any key.
    """

    key: str
    model: str
    request: str
    reply: str
    text: str | None
    refusal: str | None
    finish: str | None
    input: int
    cached: int
    output: int
    usd: float
    fingerprint: str | None
    guessed: int
    asked_at: str
    answered_at: str

    @property
    def fault(self) -> str | None:
        """Why it is no usable answer: truncated, refused or empty; None where it is one."""
        if self.refusal or self.finish == "content_filter":
            return "refused"
        if self.finish == "length":
            return "truncated"
        return None if self.text and self.text.strip() else "empty"


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question that waits in a batch: what an answer is stored with, should its asker be gone by then."""

    key: str
    model: str
    request: str
    guessed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What earlier answers of a model took. answers: how many. input, guessed, output: tokens, all together."""

    answers: int = 0
    input: int = 0
    guessed: int = 0
    output: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Bought:
    """Answers, their tokens and what was paid for them, in dollars."""

    answers: int = 0
    input: int = 0
    output: int = 0
    usd: float = 0.0


_FIELDS: Final = tuple(Answer.__dataclass_fields__)


def store_path() -> Path:
    """Where answers are kept: ERRCAT_CACHE_DIR, else the user's data folder, which nobody empties as a cache."""
    import platformdirs

    folder = os.environ.get("ERRCAT_CACHE_DIR") or platformdirs.user_data_dir("errcat")
    return Path(folder) / "answers.sqlite3"


class Store:
    """Answers on disk. Its methods may be called from any thread. StoreError where the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=_WAIT, check_same_thread=False, isolation_level=None)
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from None

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")  # an answer that was paid for outlives a power cut
        self._db.execute("BEGIN IMMEDIATE")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            for statement in filter(str.strip, _TABLES.split(";")):
                self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version = {VERSION}")
        self._db.execute("COMMIT")
        if version > VERSION:
            raise StoreError(f"{self.path} was written by a newer errcat", hint="Update errcat")

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def get(self, key: str) -> Answer | None:
        """The answer to the question with this key."""
        row = self._query(f"SELECT {', '.join(_FIELDS)} FROM answers WHERE key = ?", (key,))  # noqa: S608  # constants
        return _answer(row[0]) if row else None

    def has(self, keys: Iterable[str]) -> frozenset[str]:
        """Those of the keys that have an answer."""
        return frozenset(key for key in keys if self._query("SELECT 1 FROM answers WHERE key = ?", (key,)))

    def put(self, answer: Answer) -> None:
        """Keep an answer; on disk when this returns. The first answer to a question stays."""
        values = [getattr(answer, name) for name in _FIELDS]
        values[_FIELDS.index("request")] = zlib.compress(answer.request.encode())
        values[_FIELDS.index("reply")] = zlib.compress(answer.reply.encode("utf-8", "replace"))
        marks = ", ".join("?" * len(values))
        self._query(f"INSERT OR IGNORE INTO answers ({', '.join(_FIELDS)}) VALUES ({marks})", values)  # noqa: S608  # constants

    def usage(self, model: str) -> Usage:
        """What all answers of a model took together."""
        sums = "count(*), ifnull(sum(input), 0), ifnull(sum(guessed), 0), ifnull(sum(output), 0)"
        [row] = self._query(f"SELECT {sums} FROM answers WHERE model = ?", (model,))  # noqa: S608  # a constant
        return Usage(answers=row[0], input=row[1], guessed=row[2], output=row[3])

    def bought(self, since: str) -> Bought:
        """What the answers that came since a time took; for telling what a run that was interrupted has cost so far."""
        sums = "count(*), ifnull(sum(input), 0), ifnull(sum(output), 0), ifnull(sum(usd), 0.0)"
        [row] = self._query(f"SELECT {sums} FROM answers WHERE answered_at >= ?", (since,))  # noqa: S608  # a constant
        return Bought(answers=row[0], input=row[1], output=row[2], usd=row[3])

    def add_batch(self, batch: str, endpoint: str, created_at: str, questions: Iterable[Asked]) -> None:
        """Note which questions a batch asks, so that another process can collect it."""
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.execute("INSERT OR IGNORE INTO batches VALUES (?, ?, ?)", (batch, endpoint, created_at))
                rows = [(batch, q.key, q.model, zlib.compress(q.request.encode()), q.guessed) for q in questions]
                self._db.executemany("INSERT OR IGNORE INTO batched VALUES (?, ?, ?, ?, ?)", rows)
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                raise self._unusable(error) from None

    def batches(self, endpoint: str) -> tuple[str, ...]:
        """Ids of batches at an endpoint that were not collected yet, oldest first."""
        rows = self._query("SELECT id FROM batches WHERE endpoint = ? ORDER BY created_at, id", (endpoint,))
        return tuple(row[0] for row in rows)

    def batched(self, batch: str) -> tuple[Asked, ...]:
        """The questions of a batch."""
        rows = self._query("SELECT key, model, request, guessed FROM batched WHERE batch = ?", (batch,))
        return tuple(
            Asked(key=key, model=model, request=zlib.decompress(request).decode(), guessed=guessed)
            for key, model, request, guessed in rows
        )

    def drop_batch(self, batch: str) -> None:
        """Forget a batch whose answers were collected, or that gave none."""
        self._query("DELETE FROM batched WHERE batch = ?", (batch,))
        self._query("DELETE FROM batches WHERE id = ?", (batch,))

    def _query(self, statement: str, values: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                with closing(self._db.execute(statement, tuple(values))) as cursor:
                    return cursor.fetchall()
            except sqlite3.Error as error:
                raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> StoreError:
        hint = "Move it away, or set ERRCAT_CACHE_DIR to another folder"
        return StoreError(f"cannot use the store of answers {self.path}: {error}", hint=hint)


def _answer(row: tuple[Any, ...]) -> Answer:
    values = dict(zip(_FIELDS, row, strict=True))
    for name in ("request", "reply"):
        values[name] = zlib.decompress(values[name]).decode()
    return Answer(**values)

"""Replies that were paid for once: an SQLite file that several processes may use at the same time.

The key holds everything that changes a reply and nothing that does not. Only replies that could be
used are kept: no failure, no refusal, nothing cut off. The prompt itself is not kept, and no secret.
A cache that does not work costs a warning, never a run, and the file is left as it is.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import sqlite3
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from muffakir_eval.judges.protocol import Prompt
from muffakir_eval.records.codec import json_value, strict_json

__all__ = ["CachedReply", "ReplyCache", "canonical_identity", "reply_cache", "reply_key", "schema_json"]

_log = logging.getLogger("muffakir_eval")

_NAME = "judge-replies.sqlite3"
_VERSION = 1
_KEY_FORM = 1  # goes into every key: a new form never meets an old reply
_PATIENCE_MS = 1000


@functools.lru_cache(maxsize=256)
def schema_json(reply_model: type[BaseModel]) -> str:
    """The JSON schema of a reply; the order of its keys is part of it, since it is the order of thought."""
    return json.dumps(reply_model.model_json_schema(), separators=(",", ":"), ensure_ascii=False)


def canonical_identity(identity: Mapping[str, Any]) -> str:
    """Provider, model, base URL and parameters in one spelling, whatever the order of the keys."""
    return json.dumps(json_value(identity), sort_keys=True, separators=(",", ":"))


def reply_key(identity: str, prompt: Prompt, reply_model: type[BaseModel], repeat: int) -> str:
    """SHA-256 of everything that changes a reply.

    The name of the metric, limits and time-outs are not part of it.

    Args:
        identity: From :func:`canonical_identity`.
        prompt: What is asked.
        reply_model: The form of the reply.
        repeat: Number of the repetition.
    """
    content = json.dumps([_KEY_FORM, identity, prompt.system, prompt.user, schema_json(reply_model), repeat])
    return hashlib.sha256(content.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedReply:
    """A reply as it was given.

    Attributes:
        text: Of the reply.
        model: The model as the server named it.
        metric: Who asked first; for whoever reads the file.
        notes: Settings that could not be applied to it.
    """

    text: str
    model: str | None = None
    metric: str | None = None
    notes: tuple[str, ...] = ()


class ReplyCache:
    """The replies in one folder.

    Opened at the first use. Threads may share it, and so may processes. Writing takes a few dozen
    microseconds: the write-ahead log is not forced to the disk at every reply, so a crash of the
    machine (not of the program) may lose the last ones.

    Args:
        folder: Made if it is not there.
    """

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder) / _NAME
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._readable = True
        self._writable = True
        self._was_locked = False

    def get(self, key: str) -> CachedReply | None:
        """The reply under ``key``, or ``None``."""
        with self._lock:
            try:
                if not self._readable or (connection := self._open()) is None:
                    return None
                row = connection.execute("SELECT value FROM replies WHERE key = ?", (key,)).fetchone()
                self._was_reached(connection)
            except sqlite3.Error as error:
                self._complain(error)
                return None
        return None if row is None else _decoded(row[0])

    def put(self, key: str, reply: CachedReply) -> None:
        """Keep ``reply`` under ``key``; it is in the file when this returns."""
        value = strict_json(asdict(reply))
        with self._lock:
            try:
                if not self._writable or (connection := self._open()) is None:
                    return
                connection.execute("INSERT OR REPLACE INTO replies (key, value) VALUES (?, ?)", (key, value))
                self._was_reached(connection)
            except sqlite3.Error as error:
                self._complain(error, writing=True)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection | None:
        if self._connection is None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                self._turn_off(f"its folder cannot be made ({error.strerror or error})")
                return None
            connection = _connected(self.path)
            problem = _prepared(connection)
            if problem is not None:
                connection.close()
                self._turn_off(problem)
                return None
            self._connection = connection
        return self._connection

    def _was_reached(self, connection: sqlite3.Connection) -> None:
        if self._was_locked:
            self._was_locked = False
            connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")

    def _complain(self, error: sqlite3.Error, *, writing: bool = False) -> None:
        if not _is_busy(error):
            if writing and self._connection is not None and not _is_damage(error):
                self._writable = False  # a full disk or a read-only file can still be read from
                self._warn(f"new replies cannot be kept ({error})")
            else:
                self._turn_off(str(error))
        elif not self._was_locked:
            # One wait is enough: as long as the lock stays, replies are neither looked up nor kept.
            self._was_locked = True
            self._warn("another program keeps it locked; replies are asked for anew until it lets go")
            if self._connection is not None:
                self._connection.execute("PRAGMA busy_timeout = 0")

    def _turn_off(self, problem: str) -> None:
        self._readable = self._writable = False
        self._warn(f"{problem}; the run goes on without it")

    def _warn(self, problem: str) -> None:
        _log.warning("the cache of judge replies %s: %s", self.path, problem)


def reply_cache(cache_dir: str | None) -> ReplyCache | None:
    """The cache that the setting ``cache_dir`` names: a folder, ``"auto"`` (the user's cache folder), or none."""
    if cache_dir is None:
        return None
    if cache_dir != "auto":
        return ReplyCache(cache_dir)
    from platformdirs import user_cache_path

    return ReplyCache(user_cache_path("muffakir-eval", appauthor=False))


def _connected(path: Path) -> sqlite3.Connection:
    # Transactions are of one statement each, so there is nothing to commit and nothing half-written.
    return sqlite3.connect(path, timeout=_PATIENCE_MS / 1000, isolation_level=None, check_same_thread=False)


def _prepared(connection: sqlite3.Connection) -> str | None:
    """Make the table where there is none; what is wrong with the file, or ``None``."""
    give_up = time.monotonic() + 2 * _PATIENCE_MS / 1000
    while True:
        try:
            problem = _make_table(connection)
            if problem is None:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
            return problem
        except sqlite3.DatabaseError as error:
            if _is_damage(error):
                return f"the file is damaged ({error}); move it away"
            # SQLite does not wait by itself where two processes switch to the write-ahead log at once.
            if not _is_busy(error) or time.monotonic() > give_up:
                return str(error)
            time.sleep(0.02)


def _make_table(connection: sqlite3.Connection) -> str | None:
    if _version(connection) == _VERSION:
        return None
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)  # another process may have been quicker
        if version == 0 and connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
            connection.execute(
                "CREATE TABLE replies (key TEXT PRIMARY KEY, value TEXT NOT NULL,"
                " stored_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)"
            )
            connection.execute(f"PRAGMA user_version = {_VERSION}")
            version = _VERSION
    finally:
        connection.execute("COMMIT")
    if version == _VERSION:
        return None
    return f"it is no cache of version {_VERSION} (but of {version}, or something else); move the file away"


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _is_busy(error: sqlite3.Error) -> bool:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def _is_damage(error: sqlite3.Error) -> bool:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def _decoded(value: object) -> CachedReply | None:
    """A reply, or ``None`` where the row is not one of ours."""
    try:
        fields = json.loads(str(value))
        if isinstance(fields["text"], str):
            notes = tuple(map(str, fields.get("notes") or ()))
            return CachedReply(text=fields["text"], model=fields.get("model"), metric=fields.get("metric"), notes=notes)
    except (ValueError, TypeError, KeyError):
        return None
    return None

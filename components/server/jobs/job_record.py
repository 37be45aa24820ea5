"""The waiting and running jobs in an SQLite file, so that they survive a restart.

A row is inserted when a job is queued, and marked as started just before its process is launched: whenever the server
ends, no job runs twice.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from chunking.errors import LockedError, StoreError

__all__ = ["JobRecord", "StoredJob"]

_TABLE = """CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT, kind TEXT, name TEXT, asker TEXT, task TEXT, phases TEXT,
    documents TEXT DEFAULT '', started INTEGER DEFAULT 0)"""
_REMOVE = "DELETE FROM jobs WHERE id = ?"


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A recorded job that has not ended: it waits, or its process was about to start."""

    id: int
    workspace: str
    """Address."""
    kind: str
    name: str
    person: str
    task: Mapping[str, Any]
    """Task for the worker, with the settings of when it was queued."""
    phases: tuple[str, ...]
    documents: str
    """Key of the documents when it began to wait; empty if it did not wait."""
    started: bool
    """True if its process was about to start, or ran."""


class JobRecord:
    """Job record of one server, locked against other servers while it holds a job.

    The system releases the lock however the server ends. The file is created with the first job, and open only while it
    holds one: the disk of an idle server can be unmounted.

    Args:
        path: path of the SQLite file.
    Raises:
        LockedError: another server has jobs in it.
        StoreError: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()
        self._connection: sqlite3.Connection | None = None
        self._closed = False
        self._over: set[int] = set()
        """Ids of ended jobs not yet removed; the next write removes them."""
        if path.exists():
            self.all()

    def close(self) -> None:
        """Close the file for good, so that another server can open it; its rows stay.

        Later reads and writes raise StoreError.
        """
        with self._lock:
            self._closed = True
            self._rest()

    def all(self) -> list[StoredJob]:
        """Return all recorded jobs, the oldest first; none without a file."""
        if not self._path.exists():
            return []
        rows = self._do(
            "reading", "SELECT id, workspace, kind, name, asker, task, phases, documents, started FROM jobs ORDER BY id"
        )
        return [
            StoredJob(
                number,
                workspace,
                kind,
                name,
                person,
                json.loads(task),
                tuple(json.loads(phases)),
                documents,
                bool(started),
            )
            for number, workspace, kind, name, person, task, phases, documents, started in rows
        ]

    def add(
        self, workspace: str, kind: str, name: str, person: str, task: Mapping[str, Any], phases: tuple[str, ...]
    ) -> int:
        """Record a queued job; returns its id."""
        values = (workspace, kind, name, person, json.dumps(task), json.dumps(phases))
        statement = (
            "INSERT INTO jobs (workspace, kind, name, asker, task, phases) VALUES (?, ?, ?, ?, ?, ?) RETURNING id"
        )
        return int(self._do("writing", statement, values)[0][0])

    def note_documents(self, number: int, documents: str) -> None:
        """Record the state of the documents, as a key, when a job began to wait."""
        self._do("writing", "UPDATE jobs SET documents = ? WHERE id = ?", (documents, number))

    def note_start(self, number: int) -> None:
        """Record that a job's process is about to start, so that it never restarts automatically."""
        self._do("writing", "UPDATE jobs SET started = 1 WHERE id = ?", (number,))

    def remove(self, number: int) -> None:
        """Remove an ended or dismissed job; if that raises StoreError, the next write does it."""
        self._over.add(number)
        self._do("writing", _REMOVE, (number,))

    def _do(self, doing: str, statement: str, values: tuple[object, ...] = ()) -> list[Any]:
        with self._lock, self._faults(doing):
            connection = self._connect()
            try:
                rows = connection.execute(statement, values).fetchall()
                if doing == "writing" and self._over:
                    with suppress(sqlite3.Error):  # the statement itself has succeeded
                        connection.executemany(_REMOVE, [(number,) for number in self._over])
                        self._over.clear()
                return rows
            finally:
                if not connection.execute("SELECT 1 FROM jobs LIMIT 1").fetchall():
                    self._rest()

    def _connect(self) -> sqlite3.Connection:
        if self._closed:
            raise sqlite3.ProgrammingError("it is closed")
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
            try:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("BEGIN EXCLUSIVE")
                connection.execute(_TABLE)
                connection.execute("COMMIT")
            except sqlite3.Error:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _rest(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _faults(self, doing: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                message = f"Another server keeps its jobs in {self._path}; stop it, or give this one its own workspace."
                raise LockedError(message, where=str(self._path)) from error
            message = (
                f"The record of jobs {self._path} failed while {doing} it ({error}); free some disk space or "
                f"make it writable."
            )
            raise StoreError(message, where=str(self._path)) from error

"""SQLite file in the home folder with a deployment's people, workspaces and roles.

It never contains documents, chunks or vectors. It is created at the first write: one person with one workspace has
none.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from chunking.errors import StoreError

__all__ = ["FILE", "SCHEMA_VERSION", "Directory"]

FILE = "directory.sqlite"
_BUSY = 10.0
"""Seconds that a write waits for another process's."""
_PAUSE = 60.0
"""Seconds without notes after one has failed."""

_FIRST_TABLES = """
CREATE TABLE people (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, first_seen REAL NOT NULL, last_seen REAL NOT NULL,
    suspended INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE workspaces (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, created REAL NOT NULL, created_by TEXT NOT NULL, used REAL NOT NULL,
    deleted REAL
);
CREATE TABLE grants (
    workspace TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE, person TEXT NOT NULL, role TEXT NOT NULL,
    PRIMARY KEY (workspace, person)
);
CREATE INDEX grants_of_person ON grants(person);
CREATE TABLE activity (
    number INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL, person TEXT NOT NULL, at REAL NOT NULL,
    what TEXT NOT NULL, name TEXT NOT NULL
);
CREATE INDEX activity_of_workspace ON activity(workspace, number);
CREATE TABLE invitations (
    id TEXT PRIMARY KEY, workspace TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE, role TEXT NOT NULL,
    made_by TEXT NOT NULL, made REAL NOT NULL, expires REAL NOT NULL, revoked REAL, taken REAL, taken_by TEXT
);
CREATE TABLE snapshots (
    id TEXT PRIMARY KEY, digest TEXT NOT NULL UNIQUE, workspace TEXT NOT NULL, name TEXT NOT NULL, shows TEXT NOT NULL,
    made_by TEXT NOT NULL, made REAL NOT NULL, revoked REAL, visited REAL, visits INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE usage (person TEXT NOT NULL, at REAL NOT NULL, requests INTEGER NOT NULL, cost REAL NOT NULL);
CREATE INDEX usage_of_person ON usage(person, at);
CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
"""
_SIGN_OUTS = "CREATE TABLE sign_outs (person TEXT PRIMARY KEY, at REAL NOT NULL)"
_AGENT_TOKENS = """
CREATE TABLE agent_tokens (
    id TEXT PRIMARY KEY, digest TEXT NOT NULL, workspace TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    person TEXT NOT NULL, role TEXT NOT NULL, name TEXT NOT NULL, made REAL NOT NULL, expires REAL NOT NULL,
    revoked REAL, used REAL
);
CREATE INDEX agent_tokens_of_workspace ON agent_tokens(workspace)
"""
_MIGRATIONS = (_FIRST_TABLES, _SIGN_OUTS, _AGENT_TOKENS)
"""SQL that upgrades the schema, one step per version."""
SCHEMA_VERSION = len(_MIGRATIONS)
"""Version of the schema."""


class Directory:
    """Connection pool of the directory file.

    Connections are not bound to threads: a server's threads come and go with every page run, and SQLite does not close
    the file of an abandoned connection while another one is open.

    Attributes:
        revision: changes with every write of this process, which invalidates cached answers.
    """

    def __init__(self, home: Path) -> None:
        self.file = home / FILE
        self.revision = 0
        self._idle: list[sqlite3.Connection] = []
        self._threads = threading.local()
        """Current connection of each thread, so that reads inside of a write see it."""
        self._note_again = 0.0

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """Open a connection for reading; None if the file does not exist.

        Raises:
            StoreError: the file is damaged, or of a later version.
        """
        if not self._idle and not self.file.exists():
            yield None
            return
        with self._checked(), self._connection() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction for writing, rolled back on errors; one writer at a time, others wait.

        After 10 s a waiting writer gives up with a StoreError.
        Creates the file if it is missing.

        Raises:
            StoreError: the file cannot be written.
        """
        with self._checked(), self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
            self.revision += 1

    def note(self, what: str, statement: str, values: Sequence[object]) -> bool:
        """Write an unimportant value, such as the time of a visit, without failing.

        After a failure, which is logged, nothing is noted for a minute, so that a full disk is not tried at every
        click.

        Args:
            what: subject for the log, such as "The last visit of a person".
        Returns:
            True if it was written.
        """
        if time.monotonic() < self._note_again:
            return False
        try:
            with self.writing() as connection:
                connection.execute(statement, tuple(values))
        except StoreError as error:
            self._note_again = time.monotonic() + _PAUSE
            logging.getLogger(__name__).warning("%s was not recorded. %s", what, error)
            return False
        return True

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        current: sqlite3.Connection | None = getattr(self._threads, "connection", None)
        if current is not None:
            yield current
            return
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._open()
        self._threads.connection = connection
        try:
            yield connection
        finally:
            self._threads.connection = None
            if connection.in_transaction:  # what failed could not be taken back: the file does it when this is closed
                connection.close()
            else:
                self._idle.append(connection)

    def _open(self) -> sqlite3.Connection:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.file, timeout=_BUSY, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA foreign_keys=ON")
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > SCHEMA_VERSION:
            raise StoreError(
                "The directory of this deployment was written by a later version of Chunkscope; run that version.",
                where=FILE,
            )
        if version < SCHEMA_VERSION:
            _migrate(connection)
        return connection

    @contextmanager
    def _checked(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, StoreError):
                raise
            raise StoreError(
                (
                    f"The directory of this deployment cannot be used ({error}); an operator can see why with "
                    f"chunkscope doctor."
                ),
                where=FILE,
            ) from error


def _migrate(connection: sqlite3.Connection) -> None:
    """Run the missing schema steps, unless another process has run them meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    for step in _MIGRATIONS[int(connection.execute("PRAGMA user_version").fetchone()[0]) :]:
        for statement in step.split(";"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    connection.execute("COMMIT")

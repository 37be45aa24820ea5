"""Who did what in a workspace: lines are added, and never changed or deleted while the workspace is there."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass

from chunking.deployment.directory import Directory

__all__ = ["Activity", "ActivityLog"]


@dataclass(frozen=True, slots=True)
class Activity:
    """One line."""

    number: int
    person: str
    """Id."""
    at: float
    """Seconds since 1970."""
    what: str
    """What was done, in the past tense: `added 3 documents`. Never a document's text."""
    name: str
    """Of what it was done to; empty where it is the workspace itself."""
    workspace: str = ""
    """Id."""


class ActivityLog:
    """The table of what was done."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def add(
        self, workspace: str, person: str, what: str, name: str = "", *, transaction: sqlite3.Connection | None = None
    ) -> None:
        """Note what a person did.

        Args:
            transaction: the transaction that it belongs to; else it is one of its own.
        """
        line = (workspace, person, time.time(), what[:200], name[:200])
        add = "INSERT INTO activity (workspace, person, at, what, name) VALUES (?, ?, ?, ?, ?)"
        if transaction is not None:
            transaction.execute(add, line)
            return
        with self._directory.writing() as connection:
            connection.execute(add, line)

    def last(self, workspace: str) -> int:
        """The number of the last line; 0 where there is none. An index answers it: pages ask every few seconds."""
        with self._directory.reading() as connection:
            if connection is None:
                return 0
            row = connection.execute("SELECT max(number) FROM activity WHERE workspace = ?", (workspace,)).fetchone()
        return int(row[0] or 0)

    def of(self, workspace: str, *, most: int = 100, after: int = 0, person: str | None = None) -> list[Activity]:
        """What was done in a workspace, the last first.

        Args:
            after: the number of a line; only those after it.
            person: only what this one did; None: everybody.
        """
        with self._directory.reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                (
                    "SELECT * FROM activity WHERE workspace = ? AND number > ? AND (? IS NULL OR person = ?) "
                    "ORDER BY number DESC LIMIT ?"
                ),
                (workspace, after, person, person, most),
            ).fetchall()
        return [_line(row) for row in rows]

    def recent(self, *, most: int = 100) -> list[Activity]:
        """What was done in all workspaces, the last first; for operators."""
        with self._directory.reading() as connection:
            rows = (
                []
                if connection is None
                else connection.execute("SELECT * FROM activity ORDER BY number DESC LIMIT ?", (most,)).fetchall()
            )
        return [_line(row) for row in rows]


def _line(row: sqlite3.Row) -> Activity:
    return Activity(row["number"], row["person"], row["at"], row["what"], row["name"], row["workspace"])

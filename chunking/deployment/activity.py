"""Activity log of workspaces, to which lines are only added."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass

from chunking.deployment.directory import Directory

__all__ = ["Activity", "ActivityLog"]


@dataclass(frozen=True, slots=True)
class Activity:
    """Line of the activity log: who did what, when, and in which workspace."""

    number: int
    person: str
    """Id of the person."""
    at: float
    """Seconds since 1970."""
    what: str
    """Action in the past tense: `added 3 documents`. Never a document's text."""
    name: str
    """Name of the object of the action; empty for the workspace itself."""
    workspace: str = ""
    """Id of the workspace."""


class ActivityLog:
    """Table of activities in the directory."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def add(
        self, workspace: str, person: str, what: str, name: str = "", *, transaction: sqlite3.Connection | None = None
    ) -> None:
        """Add a line about a person's action, at the current time.

        Args:
            what, name: cut to 200 characters.
            transaction: the transaction to write in; None: a new one.
        """
        line = (workspace, person, time.time(), what[:200], name[:200])
        add = "INSERT INTO activity (workspace, person, at, what, name) VALUES (?, ?, ?, ?, ?)"
        if transaction is not None:
            transaction.execute(add, line)
            return
        with self._directory.writing() as connection:
            connection.execute(add, line)

    def last(self, workspace: str) -> int:
        """Return the number of a workspace's last line, or 0; indexed, as pages ask every few seconds."""
        with self._directory.reading() as connection:
            if connection is None:
                return 0
            row = connection.execute("SELECT max(number) FROM activity WHERE workspace = ?", (workspace,)).fetchone()
        return int(row[0] or 0)

    def of(self, workspace: str, *, most: int = 100, after: int = 0, person: str | None = None) -> list[Activity]:
        """Return the activities in a workspace, newest first.

        Args:
            after: number of a line; only later ones are returned.
            person: only this person's actions; None: everybody's.
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
        """Return the activities in all workspaces, newest first, for operators."""
        with self._directory.reading() as connection:
            rows = (
                []
                if connection is None
                else connection.execute("SELECT * FROM activity ORDER BY number DESC LIMIT ?", (most,)).fetchall()
            )
        return [_line(row) for row in rows]


def _line(row: sqlite3.Row) -> Activity:
    return Activity(row["number"], row["person"], row["at"], row["what"], row["name"], row["workspace"])

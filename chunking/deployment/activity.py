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


class ActivityLog:
    """The table of what was done."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def add(self, workspace: str, person: str, what: str, name: str = "", *, within: sqlite3.Connection | None = None) -> None:
        """Note what a person did.

        Args:
            within: the transaction that it belongs to; else it is one of its own.
        """
        line = (workspace, person, time.time(), what[:200], name[:200])
        add = "INSERT INTO activity (workspace, person, at, what, name) VALUES (?, ?, ?, ?, ?)"
        if within is not None:
            within.execute(add, line)
            return
        with self._directory.writing() as connection:
            connection.execute(add, line)

    def of(self, workspace: str, *, most: int = 100, after: int = 0) -> list[Activity]:
        """What was done in a workspace, the last first.

        Args:
            after: the number of a line; only those after it.
        """
        with self._directory.reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                "SELECT * FROM activity WHERE workspace = ? AND number > ? ORDER BY number DESC LIMIT ?", (workspace, after, most)
            ).fetchall()
        return [Activity(row["number"], row["person"], row["at"], row["what"], row["name"]) for row in rows]

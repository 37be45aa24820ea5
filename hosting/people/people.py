"""Table of everyone who has signed in, by the id from the sign-in."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from dataclasses import replace

from chunking.deployment.directory import Directory
from chunking.deployment.person import Person, readable_name
from chunking.errors import NotFoundError

__all__ = ["People", "person_id"]

_SEEN = 60.0
"""Seconds after which a person's last visit is written anew."""


def person_id(issuer: str, subject: str) -> str:
    """Return a stable id for a user (subject) of a sign-in provider (issuer).

    >>> one, other = person_id("https://a.example", "7"), person_id("https://b.example", "7")
    >>> person_id("https://a.example", "7") == one != other
    True
    """
    return hashlib.sha256(f"{issuer}\n{subject}".encode("utf-8", "surrogatepass")).hexdigest()[:24]


class People:
    """Table of everyone who has signed in."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def record_visit(self, person: Person) -> Person:
        """Store a signed-in person's visit, name and address; return the person as stored.

        If nothing can be written, known people are let in all the same.

        Raises:
            StoreError: a new person, name or address cannot be written.
        """
        now = time.time()
        name, email = readable_name(person.name), readable_name(person.email)
        before = self.get(person.id)
        if before and (before.name, before.email) == (name, email):
            if now - before.last_seen < _SEEN or not self._note_visit(person.id, now):
                return before
            return replace(before, last_seen=now)
        with self._directory.writing() as connection:
            connection.execute(
                "INSERT INTO people (id, name, email, first_seen, last_seen) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET name = excluded.name, email = excluded.email, last_seen = "
                "excluded.last_seen",
                (person.id, name, email, now, now),
            )
        return Person(person.id, name, email, now, before.suspended if before else False)

    def _note_visit(self, id: str, now: float) -> bool:
        return self._directory.note(
            "The last visit of a person", "UPDATE people SET last_seen = ? WHERE id = ?", (now, id)
        )

    def get(self, id: str) -> Person | None:
        """Return a person by id; None if they were never here, or are deleted."""
        return next(iter(self._where("WHERE id = ?", id)), None)

    def by_email(self, email: str) -> Person:
        """Return a person by the address they signed in with, ignoring case.

        Raises:
            NotFoundError: nobody has signed in with it, or several have.
        """
        matches = self._where("WHERE lower(email) = ?", readable_name(email).lower()) if email.strip() else []
        if len(matches) != 1:
            raise NotFoundError(
                (
                    f"Nobody has signed in here as {readable_name(email) or 'that'}; send them an "
                    f"invitation, or ask them to sign in once."
                ),
                where=email,
            )
        return matches[0]

    def all(self) -> list[Person]:
        """Return all people, latest visit first."""
        return self._where("ORDER BY last_seen DESC")

    def names(self) -> dict[str, str]:
        """Return the names of all people, by id."""
        return {person.id: person.name for person in self.all()}

    def suspend(self, id: str, suspended: bool = True) -> None:
        """Suspend or admit a person, from their next click on; their workspaces stay.

        An unknown id changes nothing.
        """
        with self._directory.writing() as connection:
            connection.execute("UPDATE people SET suspended = ? WHERE id = ?", (suspended, id))

    def sign_out(self, id: str, *, transaction: sqlite3.Connection | None = None) -> None:
        """End a person's sign-ins so far, from their next click on, also if they are deleted."""
        add = "INSERT OR REPLACE INTO sign_outs VALUES (?, ?)"
        if transaction is not None:
            transaction.execute(add, (id, time.time()))
            return
        with self._directory.writing() as connection:
            connection.execute(add, (id, time.time()))

    def signed_out(self, id: str) -> float:
        """Return when an operator last signed a person out, in seconds since 1970; 0 for never."""
        with self._directory.reading() as connection:
            row = (
                None
                if connection is None
                else connection.execute("SELECT at FROM sign_outs WHERE person = ?", (id,)).fetchone()
            )
        return float(row["at"]) if row is not None else 0.0

    def _where(self, condition: str, *values: str) -> list[Person]:
        with self._directory.reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(f"SELECT * FROM people {condition}", values).fetchall()
        return [Person(row["id"], row["name"], row["email"], row["last_seen"], bool(row["suspended"])) for row in rows]

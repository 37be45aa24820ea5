"""The people of a deployment: whoever has signed in, by the id that the sign-in vouches for."""

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
    """The id of whom `issuer` knows as `subject`: the same person at each sign-in, another one than another issuer's.

    >>> one, other = person_id("https://a.example", "7"), person_id("https://b.example", "7")
    >>> person_id("https://a.example", "7") == one != other
    True
    """
    return hashlib.sha256(f"{issuer}\n{subject}".encode("utf-8", "surrogatepass")).hexdigest()[:24]


class People:
    """The table of people."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def record_visit(self, person: Person) -> Person:
        """Note a visit of somebody who is signed in; their name and address may have changed since the last one.

        Where nothing can be written, who is known as they are is let in all the same.

        Raises:
            StoreError: they are new, or called something else, and that cannot be written.
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
        """A person by id; None for who was never here."""
        return next(iter(self._where("WHERE id = ?", id)), None)

    def by_email(self, email: str) -> Person:
        """A person by the address they signed in with, upper and lower case alike.

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
        """Everybody, who was here last first."""
        return self._where("ORDER BY last_seen DESC")

    def names(self) -> dict[str, str]:
        """What everybody is called, by id."""
        return {person.id: person.name for person in self.all()}

    def suspend(self, id: str, suspended: bool = True) -> None:
        """Keep somebody out, or let them in again; their workspaces stay. Holds from their next click."""
        with self._directory.writing() as connection:
            connection.execute("UPDATE people SET suspended = ? WHERE id = ?", (suspended, id))

    def sign_out(self, id: str, *, transaction: sqlite3.Connection | None = None) -> None:
        """Refuse every sign-in of before now; who signs in again is let in. Holds from their next click, for people
        deleted too.
        """
        add = "INSERT OR REPLACE INTO sign_outs VALUES (?, ?)"
        if transaction is not None:
            transaction.execute(add, (id, time.time()))
            return
        with self._directory.writing() as connection:
            connection.execute(add, (id, time.time()))

    def signed_out(self, id: str) -> float:
        """When a person was signed out last, in seconds since 1970; 0 for never."""
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

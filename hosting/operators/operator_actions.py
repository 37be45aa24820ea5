"""Actions of operators on people; every call checks that the caller is one."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chunking.deployment.activity import Activity
from chunking.deployment.person import Person
from chunking.errors import AccessError, NotFoundError
from chunking.store.access import Role
from hosting.hosted_deployment import HostedDeployment
from hosting.quotas.usage import FolderUsage, PersonUsage, measured, people_usage

__all__ = ["DeletionPreview", "OperatorActions"]

_NOBODY_ELSE = (
    "NOT EXISTS (SELECT 1 FROM grants AS other WHERE other.workspace = grants.workspace AND other.role = ? AND "
    "other.person != ?)"
)
"""Condition on a grant: its workspace has no other owner. Takes the role of an owner, and the person."""


@dataclass(frozen=True, slots=True)
class DeletionPreview:
    """Consequences of deleting a person."""

    person: Person
    owned: tuple[tuple[str, str], ...]
    """(id, name) of the workspaces that nobody else owns: handed over, or put into the bin."""
    roles: int
    """Number of their roles in workspaces of others, which end."""
    invitations: int
    """Number of their unused invitations, which are revoked."""


class OperatorActions:
    """Actions of one operator on the deployment.

    Args:
        by: the operator; every call raises AccessError if they are none (any more).
    """

    def __init__(self, here: HostedDeployment, by: Person) -> None:
        self._here, self._by = here, by

    def usage(self, measure: Callable[[Path], FolderUsage] = measured) -> list[PersonUsage]:
        """Return the usage of all people, latest visit first.

        Args:
            measure: returns bytes and number of documents of a workspace's folder.
        """
        self._require()
        return people_usage(self._here, measure)

    def activity(self, *, most: int = 100) -> list[Activity]:
        """Return the latest activity in all workspaces, newest first."""
        self._require()
        return self._here.activity.recent(most=most)

    def workspace_names(self) -> dict[str, str]:
        """Return the names of all workspaces by id, also of those in the bin."""
        self._require()
        with self._here.directory.reading() as connection:
            rows = [] if connection is None else connection.execute("SELECT id, name FROM workspaces").fetchall()
        return {row["id"]: row["name"] for row in rows}

    def suspend(self, id: str, suspended: bool = True) -> None:
        """Suspend or admit another person; their workspaces and roles stay.

        Raises:
            AccessError: the operator acts on themselves.
        """
        self._require_other(id)
        self._here.people.suspend(id, suspended)

    def sign_out(self, id: str) -> None:
        """End a person's sign-ins in all browsers, from their next click on."""
        self._require()
        self._here.people.sign_out(id)

    def preview_deletion(self, id: str) -> DeletionPreview:
        """Return the workspaces, roles and invitations that a person's deletion would end.

        Raises:
            NotFoundError: there is no such person.
        """
        self._require()
        person = self._person(id)
        with self._here.directory.reading() as connection:
            assert connection is not None
            owned = _alone(connection, id)
            (roles,) = connection.execute(
                f"SELECT count(*) FROM grants WHERE person = ? AND NOT (role = ? AND {_NOBODY_ELSE})",
                (id, Role.OWNER, Role.OWNER, id),
            ).fetchone()
            (invitations,) = connection.execute(
                (
                    "SELECT count(*) FROM invitations WHERE made_by = ? AND taken IS NULL AND revoked IS NULL "
                    "AND expires > ?"
                ),
                (id, time.time()),
            ).fetchone()
        return DeletionPreview(person, tuple(owned), int(roles), int(invitations))

    def delete(self, id: str, heir: str = "") -> list[str]:
        """Delete a person with roles, request counts and sign-ins, and revoke their unused invitations.

        One transaction. Workspaces that nobody else owns go to the heir; without one, into the bin, out of which only
        the same person could take them back after a new sign-in. Those in the bin already stay there.

        Args:
            heir: id of another person.
        Returns:
            The ids of the workspaces that went into the bin.
        Raises:
            NotFoundError: the person or the heir is not here.
            AccessError: the operator would delete themselves, or the heir is the same person or suspended.
        """
        self._require_other(id)
        self._person(id)
        if heir and (heir == id or self._person(heir).suspended):
            raise AccessError("Hand the workspaces over to another person who is not suspended.")
        activity, by, now = self._here.activity, self._by.id, time.time()
        with self._here.directory.writing() as connection:
            owned = [one for one, _ in _alone(connection, id)]
            for one in owned:
                if heir:
                    connection.execute("INSERT OR REPLACE INTO grants VALUES (?, ?, ?)", (one, heir, Role.OWNER))
                    activity.add(one, by, "handed this workspace over", heir, transaction=connection)
                else:
                    connection.execute("UPDATE workspaces SET deleted = ? WHERE id = ?", (now, one))
                    activity.add(one, by, "put this workspace into the bin", transaction=connection)
            connection.execute(
                f"DELETE FROM grants WHERE person = ? AND NOT (role = ? AND {_NOBODY_ELSE})",
                (id, Role.OWNER, Role.OWNER, id),
            )
            connection.execute(
                "UPDATE invitations SET revoked = ? WHERE made_by = ? AND taken IS NULL AND revoked IS NULL", (now, id)
            )
            connection.execute("DELETE FROM usage WHERE person = ?", (id,))
            connection.execute("DELETE FROM people WHERE id = ?", (id,))
            self._here.people.sign_out(id, transaction=connection)
        return [] if heir else owned

    def _require(self) -> None:
        listed = self._here.people.get(self._by.id)
        if not self._here.is_operator(self._by) or listed is None or listed.suspended:
            raise AccessError("Only operators of this deployment can do that.")

    def _require_other(self, id: str) -> None:
        """Raise AccessError unless the caller is an operator and acts on another person."""
        self._require()
        if id == self._by.id:
            raise AccessError("You cannot suspend or delete yourself; ask another operator.")

    def _person(self, id: str) -> Person:
        person = self._here.people.get(id)
        if person is None:
            raise NotFoundError("That person no longer exists here; reload the page.", where=id)
        return person


def _alone(connection: sqlite3.Connection, person: str) -> list[tuple[str, str]]:
    """Return (id, name) of the workspaces, outside of the bin, that only this person owns."""
    rows = connection.execute(
        "SELECT id, name FROM grants JOIN workspaces ON id = grants.workspace WHERE grants.person = ? AND role = ? "
        f"AND deleted IS NULL AND {_NOBODY_ELSE} ORDER BY used DESC",
        (person, Role.OWNER, Role.OWNER, person),
    ).fetchall()
    return [(row["id"], row["name"]) for row in rows]

"""What operators may do with the people of a deployment; every call asks first whether it is one who asks."""

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
    """What is left behind by a person who is deleted."""

    person: Person
    owned: tuple[tuple[str, str], ...]
    """(id, name) of the workspaces that nobody else owns: handed over, or put into the bin."""
    roles: int
    """In workspaces of others: they end."""
    invitations: int
    """That they made and nobody has used: they are revoked."""


class OperatorActions:
    """The deployment, as one operator handles it.

    Args:
        here: the deployment.
        by: who asks. Raises AccessError, in every call, where they are no operator (any more).
    """

    def __init__(self, here: HostedDeployment, by: Person) -> None:
        self._here, self._by = here, by

    def usage(self, measure: Callable[[Path], FolderUsage] = measured) -> list[PersonUsage]:
        """Everybody with what they use, who was here last first.

        Args:
            measure: what the folder of a workspace holds.
        """
        self._require()
        return people_usage(self._here, measure)

    def activity(self, *, most: int = 100) -> list[Activity]:
        """What was done in all workspaces, the last first."""
        self._require()
        return self._here.activity.recent(most=most)

    def workspace_names(self) -> dict[str, str]:
        """Id to name of all workspaces, those in the bin among them."""
        self._require()
        with self._here.directory.reading() as connection:
            rows = [] if connection is None else connection.execute("SELECT id, name FROM workspaces").fetchall()
        return {row["id"]: row["name"] for row in rows}

    def suspend(self, id: str, suspended: bool = True) -> None:
        """Keep somebody out, or admit them again; their workspaces stay."""
        self._require_other(id)
        self._here.people.suspend(id, suspended)

    def sign_out(self, id: str) -> None:
        """End a person's sign-ins in all browsers: from their next click on they have to sign in again."""
        self._require()
        self._here.people.sign_out(id)

    def preview_deletion(self, id: str) -> DeletionPreview:
        """What would go with a person. Raises NotFoundError."""
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
        """Delete a person in one step: roles, unused invitations and counts of requests go, and their sign-ins end.

        Workspaces that nobody else owns go to the heir; without one, into the bin, out of which only the same person
        could take them back after a new sign-in.

        Args:
            heir: id of another person.
        Returns:
            The ids of the workspaces that went into the bin.
        Raises:
            NotFoundError: the person or the heir is not here.
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
        """An operator does not lock themselves out."""
        self._require()
        if id == self._by.id:
            raise AccessError("You cannot suspend or delete yourself; ask another operator.")

    def _person(self, id: str) -> Person:
        person = self._here.people.get(id)
        if person is None:
            raise NotFoundError("That person no longer exists here; reload the page.", where=id)
        return person


def _alone(connection: sqlite3.Connection, person: str) -> list[tuple[str, str]]:
    """(id, name) of the workspaces, but those in the bin, that only this person owns."""
    rows = connection.execute(
        "SELECT id, name FROM grants JOIN workspaces ON id = grants.workspace WHERE grants.person = ? AND role = ? "
        f"AND deleted IS NULL AND {_NOBODY_ELSE} ORDER BY used DESC",
        (person, Role.OWNER, Role.OWNER, person),
    ).fetchall()
    return [(row["id"], row["name"]) for row in rows]

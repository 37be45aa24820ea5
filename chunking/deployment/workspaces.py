"""Workspaces of a home folder: creation, renaming, deletion to the bin and restoration.

Every change names its person (`by`) and is refused if their role does not allow it, with the same message as for a
workspace that does not exist.
"""

from __future__ import annotations

import logging
import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chunking.deployment.activity import ActivityLog
from chunking.deployment.directory import Directory
from chunking.deployment.person import EVERYONE, LOCAL, readable_name
from chunking.deployment.workspace_access import FreshAnswer, WorkspaceAccess
from chunking.errors import AccessError, ConfigError, StoreError
from chunking.store.access import ROLES, Right, Role, refusal
from chunking.store.copies.home_folder import RANDOM_ID, WORKSPACES, rename_for_removal
from chunking.store.engine.faults import guarded

__all__ = ["FIRST_NAME", "Share", "SharedWorkspace", "Workspaces"]

FIRST_NAME = "My workspace"
"""Name of everybody's first workspace."""
_LONG_AGO = -1.0
"""Time in the bin that marks a permanent deletion: past every limit, and not listed."""
_RANK = {role: place for place, role in enumerate(ROLES)}


@dataclass(frozen=True, slots=True)
class SharedWorkspace:
    """A workspace as one person sees it, with their role."""

    id: str
    name: str
    role: Role
    created: float
    """Creation time in seconds since 1970, like all times here."""
    used: float
    deleted: float | None = None
    """Time of deletion to the bin; None if not deleted."""
    made_by: str = ""
    """Id of the person who created it."""


@dataclass(frozen=True, slots=True)
class Share:
    """A person's role in a workspace."""

    person: str
    """Id of the person, or `EVERYONE`."""
    role: Role


class Workspaces:
    """Workspaces listed in the directory.

    Args:
        directory: the list.
        activity: log of actions.
    """

    def __init__(self, directory: Directory, activity: ActivityLog) -> None:
        self._directory, self._activity = directory, activity

    @property
    def revision(self) -> int:
        """Number that changes with every write of this process."""
        return self._directory.revision

    def place(self, id: str) -> Path:
        """Return the folder of a workspace, whether it exists or not. Raises AccessError for an invalid id."""
        if not RANDOM_ID.fullmatch(id):
            raise refusal(Right.READ)
        return self.folder / id

    @property
    def folder(self) -> Path:
        """Folder of all workspaces."""
        return self._directory.file.parent / WORKSPACES

    def check_there(self, id: str) -> None:
        """Raise StoreError if a listed workspace has lost its folder."""
        if self.place(id).is_dir():
            return
        with self._directory.reading() as connection:
            row = (
                None
                if connection is None
                else connection.execute("SELECT name FROM workspaces WHERE id = ?", (id,)).fetchone()
            )
        if row is not None:
            raise StoreError(
                (
                    f"The workspace “{row['name']}” is no longer on the disk of this server; an operator can "
                    f"restore it from a backup, or you can delete what remains of it."
                ),
                where=id,
            )

    # -- who may do what

    def role(self, id: str, person: str) -> Role | None:
        """Return a person's role, the higher of their own and that of `EVERYONE`.

        The latter applies only to registered users. None: no role, suspended, or the workspace is in the bin.
        """
        with self._directory.reading() as connection:
            if connection is None:
                return None
            rows = connection.execute(
                "SELECT role FROM grants JOIN workspaces ON workspaces.id = workspace LEFT JOIN people ON people.id = "
                "? WHERE workspace = ? AND (person = ? OR (person = ? AND people.id IS NOT NULL)) AND deleted IS NULL "
                "AND NOT coalesce(suspended, 0)",
                (person, id, person, EVERYONE),
            ).fetchall()
        return max((Role(row["role"]) for row in rows), key=_RANK.__getitem__, default=None)

    def access(self, id: str, person: str) -> WorkspaceAccess:
        """Return a person's access to a workspace, which follows later changes, for `Workspace.open`."""
        role = FreshAnswer(lambda: self.revision, lambda: self.role(id, person))
        return WorkspaceAccess(f"{id}/{person}", role, lambda what, name: self.note(id, person, what, name))

    def require(self, id: str, by: str, right: Right = Right.MANAGE) -> Role:
        """Return the role of a person if it has the right. Raises AccessError."""
        role = self.role(id, by)
        if role is None:
            raise refusal(Right.READ)
        if right not in ROLES[role]:
            raise refusal(right)
        return role

    # -- lists

    def of(self, person: str) -> list[SharedWorkspace]:
        """Return the workspaces in which a person has a role, last used first, without those in the bin."""
        return self._listed(person, "deleted IS NULL", "used DESC")

    def bin(self, person: str) -> list[SharedWorkspace]:
        """Return the workspaces in the bin that a person may restore, last deleted first."""
        return [one for one in self._listed(person, "deleted >= 0", "deleted DESC") if one.role is Role.OWNER]

    def _listed(self, person: str, condition: str, order: str) -> list[SharedWorkspace]:
        with self._directory.reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                f"SELECT workspaces.*, group_concat(role) AS roles FROM workspaces JOIN grants ON workspace = id "
                "WHERE (person = ? OR (person = ? AND EXISTS (SELECT 1 FROM people WHERE people.id = ?))) "
                f"AND {condition} GROUP BY workspaces.id ORDER BY {order}",
                (person, EVERYONE, person),
            ).fetchall()
        return [_row(row) for row in rows]

    def shares(self, id: str, by: str) -> list[Share]:
        """Return the roles in a workspace, owners first; AccessError if `by` cannot read it."""
        self.require(id, by, Right.READ)
        with self._directory.reading() as connection:
            assert connection is not None
            rows = connection.execute("SELECT person, role FROM grants WHERE workspace = ?", (id,)).fetchall()
        return sorted(
            (Share(row["person"], Role(row["role"])) for row in rows), key=lambda one: (-_RANK[one.role], one.person)
        )

    # -- changes

    def create(self, name: str, by: str, fill: Callable[[Path], object] | None = None) -> str:
        """Create a workspace of a person and return its id; it is listed once its folder exists.

        Args:
            fill: makes the folder; None: it is empty.
        Raises:
            AccessError: they have never signed in here, such as a snapshot's visitor: nobody would count their disk
                space.
            QuotaError: they have as many as the host allows.
            ConfigError: the name has only white space or control characters.
            ChunkscopeError: as `fill`; nothing is left then.
        """
        id, named = secrets.token_hex(8), _name(name)
        with self._directory.reading() as connection:
            self._check_maker(connection, by)
            if connection is not None:
                self.check_number(connection, by)
        try:
            (fill or _make_folder)(self.place(id))
            self._list(id, named, by)
        except BaseException:
            shutil.rmtree(self.place(id), ignore_errors=True)
            raise
        return id

    def _list(self, id: str, name: str, by: str) -> None:
        now = time.time()
        with self._directory.writing() as connection:
            self._check_maker(connection, by)
            self.check_number(connection, by)
            connection.execute(
                "INSERT INTO workspaces (id, name, created, created_by, used) VALUES (?, ?, ?, ?, ?)",
                (id, name, now, by, now),
            )
            connection.execute("INSERT INTO grants VALUES (?, ?, ?)", (id, by, Role.OWNER))
            self._activity.add(id, by, "made this workspace", transaction=connection)

    def rename(self, id: str, name: str, by: str) -> None:
        """Rename a workspace and log it.

        Raises:
            AccessError: `by` is no owner.
            ConfigError: the name has only white space or control characters.
        """
        with self._directory.writing() as connection:
            self.require(id, by)
            connection.execute("UPDATE workspaces SET name = ? WHERE id = ?", (_name(name), id))
            self._activity.add(id, by, "renamed this workspace to", _name(name), transaction=connection)

    def note(self, id: str, by: str, what: str, name: str) -> None:
        """Log a change in a workspace; if the log cannot be written, the change stays and a warning is logged."""
        try:
            self._activity.add(id, by, what, name)
        except StoreError as error:
            logging.getLogger(__name__).warning("A line of the activity list is missing. %s", error)

    def note_use(self, id: str) -> None:
        """Record the current time as the workspace's last use, which orders the switcher.

        Failures are ignored.
        """
        self._directory.note(
            "The last use of a workspace", "UPDATE workspaces SET used = ? WHERE id = ?", (time.time(), id)
        )

    def delete(self, id: str, by: str, *, for_good: bool = False) -> None:
        """Move a workspace to the bin, from which an owner can restore it.

        Args:
            for_good: nobody can restore it, and the next round of upkeep deletes its folder: for a person who was made
                its owner and whose disk quota it would use up while in the bin.
        Raises:
            AccessError: `by` is no owner; or `for_good` and it is not `is_given` to them.
        """
        with self._directory.writing() as connection:
            self.require(id, by)
            if for_good and not self.is_given(id, by):
                raise AccessError(
                    "Others also own this workspace, or you made it yourself: move it to the bin, which "
                    "keeps it for a while."
                )
            connection.execute(
                "UPDATE workspaces SET deleted = ? WHERE id = ?", (_LONG_AGO if for_good else time.time(), id)
            )
            self._activity.add(
                id,
                by,
                "deleted this workspace" if for_good else "put this workspace into the bin",
                transaction=connection,
            )

    def is_given(self, id: str, person: str) -> bool:
        """True if a person is the only owner of a workspace that somebody else created.

        Raises:
            AccessError: they have no role in it.
        """
        owners = {share.person for share in self.shares(id, person) if share.role is Role.OWNER}
        return owners == {person} and any(one.id == id and one.made_by != person for one in self.of(person))

    def take_back(self, id: str, by: str) -> None:
        """Restore a workspace from the bin.

        Raises:
            AccessError: the person was not its owner, or is suspended.
        """
        with self._directory.writing() as connection:
            if id not in {one.id for one in self.bin(by)}:
                raise refusal(Right.READ)
            if connection.execute("SELECT 1 FROM people WHERE id = ? AND suspended", (by,)).fetchone():
                raise refusal(Right.READ)
            connection.execute("UPDATE workspaces SET deleted = NULL WHERE id = ?", (id,))
            self._activity.add(id, by, "took this workspace back", transaction=connection)

    def outdated(self, days: float) -> list[str]:
        """Return the ids of the workspaces that have been in the bin for more than `days`."""
        with self._directory.reading() as connection:
            if connection is None:
                return []
            rows = connection.execute("SELECT id FROM workspaces WHERE deleted < ?", (_before(days),)).fetchall()
        return [row["id"] for row in rows]

    def remove(self, id: str, days: float) -> bool:
        """Delete a workspace for good after more than `days` in the bin; True if it was deleted.

        A workspace restored meanwhile stays. Its folder is deleted only after it is off the list.

        Raises:
            StoreError: its folder, or the list, cannot be written; it is in the bin as before.
        """
        place, aside = self.place(id), None
        try:
            with self._directory.writing() as connection:
                if (
                    connection.execute(
                        "SELECT 1 FROM workspaces WHERE id = ? AND deleted < ?", (id, _before(days))
                    ).fetchone()
                    is None
                ):
                    return False
                with guarded(str(place), "deleting it"):
                    aside = rename_for_removal(place)
                connection.execute("DELETE FROM workspaces WHERE id = ?", (id,))
        except BaseException:
            if aside is not None:
                aside.rename(place)
            raise
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)
        return True

    def check_number(self, connection: sqlite3.Connection, person: str) -> None:
        """Raise QuotaError if a person has as many workspaces as they may; here never."""

    def _check_maker(self, connection: sqlite3.Connection | None, person: str) -> None:
        if person == LOCAL.id:
            return
        is_known = (
            connection is not None
            and connection.execute("SELECT 1 FROM people WHERE id = ? AND NOT suspended", (person,)).fetchone()
        )
        if not is_known:
            raise AccessError("You must be signed in to make a workspace; sign in first.")


def _before(days: float) -> float:
    """Return the cutoff time: items binned before it have expired."""
    return time.time() - days * 86_400


def _make_folder(place: Path) -> None:
    with guarded(str(place), "making its folder"):
        place.mkdir(parents=True)


def _row(row: sqlite3.Row) -> SharedWorkspace:
    role = max((Role(name) for name in row["roles"].split(",")), key=_RANK.__getitem__)
    return SharedWorkspace(row["id"], row["name"], role, row["created"], row["used"], row["deleted"], row["created_by"])


def _name(name: str) -> str:
    readable = readable_name(name)
    if not readable:
        raise ConfigError("A workspace needs a name; type at least one letter.", where="name")
    return readable

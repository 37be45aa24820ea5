"""Invitations to a workspace: links, each good for one role, one person and some days.

A token is the invitation's id and a signature over what the directory says of it, by a key that never leaves the
directory.
Nothing is granted by holding one, or by opening the link: a person who is signed in accepts it.
"""

from __future__ import annotations

import hmac
import re
import secrets
import sqlite3
import time
from dataclasses import dataclass

from chunking.deployment.activity import ActivityLog
from chunking.deployment.directory import Directory
from chunking.deployment.workspaces import Workspaces
from chunking.errors import AccessError
from chunking.store.access import ROLES, Role

__all__ = ["Invitation", "Invitations", "is_token"]

_KEY = "invitations"
"""Name of the signing key in the table of secrets."""
_KEY_BYTES = 32
_FORGED = "This invitation link is incomplete or was not made here; ask for a new one."
_EXPIRED = "This invitation has expired; ask for a new one."
_REVOKED = "This invitation was revoked; ask for a new one."
_TAKEN = "This invitation was already accepted, and each works only once; ask for a new one."
_TOKEN = re.compile(r"[0-9a-f]{16}\.[0-9a-f]{64}")
_ARTICLES = {Role.VIEWER: "a viewer", Role.EDITOR: "an editor"}
_SELECT = "SELECT invitations.*, workspaces.name FROM invitations JOIN workspaces ON workspaces.id = workspace"


def is_token(text: str) -> bool:
    """True if a text has the form of an invitation's token; its signature is not checked."""
    return _TOKEN.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation that can be accepted now: its workspace, role, maker and times."""

    id: str
    workspace: str
    """Id, as all of these."""
    name: str
    """Name of the workspace."""
    role: Role
    made_by: str
    created: float
    """Seconds since 1970, as all times here."""
    expires: float


class Invitations:
    """Table of invitations: makes, lists, checks, accepts and revokes them.

    Args:
        days: time that one can be used.
    """

    def __init__(self, directory: Directory, activity: ActivityLog, workspaces: Workspaces, days: int) -> None:
        self._directory = directory
        self._activity = activity
        self._workspaces = workspaces
        self.days = days

    def make(self, workspace: str, role: Role, by: str) -> str:
        """Make an invitation and return its token; only owners may.

        Raises:
            AccessError: `by` is no owner, or `role` is OWNER.
        """
        if role is Role.OWNER:
            raise AccessError(
                "An invitation makes a viewer or an editor; to make an owner, hand the workspace over to the "
                "person once they have accepted."
            )
        id, now = secrets.token_hex(8), time.time()
        with self._directory.writing() as connection:
            self._workspaces.require(workspace, by)
            connection.execute("INSERT OR IGNORE INTO secrets VALUES (?, ?)", (_KEY, secrets.token_bytes(_KEY_BYTES)))
            connection.execute(
                "INSERT INTO invitations (id, workspace, role, made_by, made, expires) VALUES (?, ?, ?, ?, ?, ?)",
                (id, workspace, role, by, now, now + self.days * 86_400),
            )
            self._activity.add(workspace, by, f"made an invitation for one {role}", transaction=connection)
            row = _row(connection, id)
            assert row is not None
            return _token(connection, row)

    def open_ones(self, workspace: str, by: str) -> list[tuple[Invitation, str]]:
        """Return a workspace's usable invitations with their tokens, newest first.

        Raises:
            AccessError: `by` is no owner.
        """
        self._workspaces.require(workspace, by)
        with self._directory.reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                (
                    f"{_SELECT} WHERE workspace = ? AND revoked IS NULL AND taken IS NULL AND expires > ? ORDER "
                    f"BY made DESC"
                ),
                (workspace, time.time()),
            ).fetchall()
            return [(_invitation(row), _token(connection, row)) for row in rows if self._stands(row)]

    def revoke(self, id: str, by: str) -> None:
        """Revoke an invitation. Idempotent.

        Raises:
            AccessError: there is none, or `by` does not own its workspace.
        """
        with self._directory.writing() as connection:
            row = _row(connection, id)
            if row is None:
                raise AccessError(_FORGED)
            self._workspaces.require(row["workspace"], by)
            done = connection.execute(
                "UPDATE invitations SET revoked = ? WHERE id = ? AND revoked IS NULL", (time.time(), id)
            ).rowcount
            if done:
                self._activity.add(
                    row["workspace"], by, f"revoked an invitation for one {row['role']}", transaction=connection
                )

    def read(self, token: str) -> Invitation:
        """Return the usable invitation of a token.

        Raises:
            AccessError: it is forged, expired, revoked or accepted already, or its maker no longer owns the workspace.
        """
        with self._directory.reading() as connection:
            if connection is None:
                raise AccessError(_FORGED)
            return _invitation(self._checked(connection, token))

    def accept(self, token: str, by: str) -> str:
        """Give a person the invitation's role, mark it as used, and return the workspace's id.

        A person who already has this role or a higher one keeps it, and the invitation stays usable.

        Raises:
            AccessError: as by `read`.
        """
        with self._directory.writing() as connection:
            row = self._checked(connection, token)
            workspace, role = row["workspace"], Role(row["role"])
            had = self._workspaces.role(workspace, by)
            if had is not None and ROLES[had] >= ROLES[role]:
                return str(workspace)
            connection.execute(
                "UPDATE invitations SET taken = ?, taken_by = ? WHERE id = ?", (time.time(), by, row["id"])
            )
            connection.execute("INSERT OR REPLACE INTO grants VALUES (?, ?, ?)", (workspace, by, role))
            self._activity.add(
                workspace, by, f"accepted an invitation and is now {_ARTICLES[role]}", transaction=connection
            )
        return str(workspace)

    def answered(self, token: str, person: str) -> bool:
        """True if a person has accepted this invitation, or has a role in its workspace."""
        with self._directory.reading() as connection:
            row = _signed(connection, token) if connection else None
        if row is None:
            return False
        return row["taken_by"] == person or self._workspaces.role(row["workspace"], person) is not None

    def _checked(self, connection: sqlite3.Connection, token: str) -> sqlite3.Row:
        row = _signed(connection, token)
        if row is None:
            raise AccessError(_FORGED)
        if row["taken"] is not None:
            raise AccessError(_TAKEN)
        if row["revoked"] is not None or not self._stands(row):
            raise AccessError(_REVOKED)
        if row["expires"] <= time.time():
            raise AccessError(_EXPIRED)
        return row

    def _stands(self, row: sqlite3.Row) -> bool:
        """True if its maker still owns the workspace and it is not in the bin: nobody keeps a way back in."""
        return self._workspaces.role(row["workspace"], row["made_by"]) is Role.OWNER


def _row(connection: sqlite3.Connection, id: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = connection.execute(f"{_SELECT} WHERE invitations.id = ?", (id,)).fetchone()
    return row


def _token(connection: sqlite3.Connection, row: sqlite3.Row) -> str:
    """Return id and signature; an altered row gets another signature."""
    key = connection.execute("SELECT value FROM secrets WHERE name = ?", (_KEY,)).fetchone()["value"]
    signed = "\n".join(str(row[name]) for name in ("id", "workspace", "role", "made_by", "expires"))
    return f"{row['id']}.{hmac.new(key, signed.encode(), 'sha256').hexdigest()}"


def _signed(connection: sqlite3.Connection, token: str) -> sqlite3.Row | None:
    """Return the row of a token; None if the signature is wrong or the row was altered."""
    row = _row(connection, token.partition(".")[0]) if is_token(token) else None
    return row if row is not None and hmac.compare_digest(_token(connection, row), token) else None


def _invitation(row: sqlite3.Row) -> Invitation:
    return Invitation(
        row["id"], row["workspace"], row["name"], Role(row["role"]), row["made_by"], row["made"], row["expires"]
    )

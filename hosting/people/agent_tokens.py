"""Tokens of agents: made for one workspace, shown once, and valid until they expire or are revoked.

A token acts for its person and never has a right that they lack: the directory is asked for the token and for the
person's role at every call. The directory stores a hash of the token; nobody can read the token itself again. Tokens
end with their person's account, when an operator suspends them or signs them out, and with the workspace.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import sqlite3
import time
from dataclasses import dataclass

from chunking.deployment.activity import ActivityLog
from chunking.deployment.directory import Directory
from chunking.deployment.person import readable_name
from chunking.deployment.workspace_access import FreshAnswer, WorkspaceAccess
from chunking.deployment.workspaces import Workspaces
from chunking.errors import AccessError, ConfigError, NotFoundError
from chunking.store.access import ROLES, Right, Role

__all__ = ["MOST_TOKENS", "AgentToken", "AgentTokens", "TokenAccess"]

MOST_TOKENS = 20
"""Most usable tokens of a person in a workspace."""
_PREFIX = "csk_"
"""Start of every token, by which people and secret scanners recognise it."""
_TOKEN = re.compile(_PREFIX + r"([0-9a-f]{16})\.([A-Za-z0-9_-]{43})")
_INVALID = (
    "This token is not valid here: it was revoked, has expired, or its owner has lost the role; make a new one "
    "in the app under Share and activity, Agents."
)
_RIGHT_NEEDED = {Role.VIEWER: Right.READ, Role.EDITOR: Right.WRITE}
"""Role of a token to the right that its maker needs."""
_DAY = 86_400
_USED = 60.0
"""Seconds after which a token's last use is written anew."""
_USABLE = """
SELECT agent_tokens.* FROM agent_tokens JOIN workspaces ON workspaces.id = workspace
LEFT JOIN people ON people.id = agent_tokens.person LEFT JOIN sign_outs ON sign_outs.person = agent_tokens.person
WHERE revoked IS NULL AND expires > ? AND deleted IS NULL AND NOT coalesce(suspended, 0)
AND made > coalesce(sign_outs.at, 0)
"""
"""Query for the tokens that have not expired and that neither their person nor an operator has ended.

Takes the present time; conditions can follow.
"""


class AgentTokens:
    """Table of agents' tokens: makes, lists, checks and revokes them.

    Args:
        days: longest time that a token can be used.
    """

    def __init__(self, directory: Directory, activity: ActivityLog, workspaces: Workspaces, days: int) -> None:
        self._directory, self._activity, self._workspaces = directory, activity, workspaces
        self.days = days

    # -- make, list, revoke

    def make(self, workspace: str, name: str, role: Role, by: str, days: int | None = None) -> str:
        """Make a token and return it; the directory stores only a hash of its secret.

        Args:
            role: VIEWER or EDITOR; at most the role of `by`.
            days: until it expires; None for as long as tokens may last here.
        Raises:
            AccessError: `by` may not do what the token would allow.
            ConfigError: it has no name or another role, would last too long, or the person has too many.
        """
        named, id, secret, now = readable_name(name), secrets.token_hex(8), secrets.token_urlsafe(32), time.time()
        lasting = self.days if days is None else days
        if not named:
            raise ConfigError("A token needs a name, such as the agent's; type at least one letter.", where="name")
        if role not in _RIGHT_NEEDED:
            raise ConfigError("A token makes an agent a viewer or an editor; choose one of these roles.", where="role")
        if not 1 <= lasting <= self.days:
            raise ConfigError(
                f"A token can last 1 to {self.days:,} days here; choose a number in that range.", where="days"
            )
        with self._directory.writing() as connection:
            self._workspaces.require(workspace, by, _RIGHT_NEEDED[role])
            if (
                len(self._usable(connection, "AND workspace = ? AND agent_tokens.person = ?", workspace, by))
                >= MOST_TOKENS
            ):
                raise ConfigError(
                    f"You can have up to {MOST_TOKENS} tokens in a workspace; revoke one that no agent uses.",
                    where="name",
                )
            connection.execute(
                (
                    "INSERT INTO agent_tokens (id, digest, workspace, person, role, name, made, expires) VALUES "
                    "(?, ?, ?, ?, ?, ?, ?, ?)"
                ),
                (id, _digest(secret), workspace, by, role, named, now, now + lasting * _DAY),
            )
            self._activity.add(workspace, by, f"made an agent's token for one {role}", named, transaction=connection)
        return f"{_PREFIX}{id}.{secret}"

    def of(self, workspace: str, by: str) -> list[AgentToken]:
        """Return a workspace's usable tokens, newest first: one's own, or for its owners all.

        Raises AccessError.
        """
        role = self._workspaces.require(workspace, by, Right.READ)
        with self._directory.reading() as connection:
            rows = (
                []
                if connection is None
                else self._usable(connection, "AND workspace = ? ORDER BY made DESC", workspace)
            )
        return [_token(row) for row in rows if role is Role.OWNER or row["person"] == by]

    def revoke(self, id: str, by: str) -> None:
        """End a token; its agent is refused at the next call. Idempotent.

        Raises:
            AccessError: `by` neither made it nor owns its workspace.
            NotFoundError: there is none.
        """
        with self._directory.writing() as connection:
            row = connection.execute("SELECT * FROM agent_tokens WHERE id = ?", (id,)).fetchone()
            if row is None:
                raise NotFoundError("There is no such token; reload the page to see the current ones.", where=id)
            if row["person"] != by:
                self._workspaces.require(row["workspace"], by)
            if connection.execute(
                "UPDATE agent_tokens SET revoked = ? WHERE id = ? AND revoked IS NULL", (time.time(), id)
            ).rowcount:
                self._activity.add(
                    row["workspace"], by, "revoked the agent's token", row["name"], transaction=connection
                )

    # -- use

    def find(self, token: str) -> AgentToken:
        """Return the stored token that a caller sent, if it can be used; notes no use.

        Raises:
            AccessError: forged, expired, revoked, its person lost the role or the account, or the workspace is in the
                bin; one sentence for all of them.
        """
        form = _TOKEN.fullmatch(token)
        row = self._row(form[1]) if form else None
        digest = row["digest"] if row is not None else _digest("")
        if not hmac.compare_digest(digest, _digest(form[2] if form else "?")) or row is None:
            raise AccessError(_INVALID)
        usable = _token(row)
        if self._workspaces.role(usable.workspace, usable.person) is None:
            raise AccessError(_INVALID)
        return usable

    def use(self, token: str) -> AgentToken:
        """Return the stored token that a caller sent, if it can be used; note the use, to a minute.

        Raises:
            AccessError: as `find`.
        """
        usable, now = self.find(token), time.time()
        if usable.used is None or now - usable.used >= _USED:
            self._directory.note(
                "The last use of a token", "UPDATE agent_tokens SET used = ? WHERE id = ?", (now, usable.id)
            )
        return usable

    def is_usable(self, id: str) -> bool:
        """True unless a token is unknown, revoked, expired, or ended with its person or workspace.

        Its person's role is not checked.
        """
        return self._row(id) is not None

    def access(self, token: AgentToken) -> TokenAccess:
        """Return a token's access to its workspace, for `Workspace.seen_by`; it stays current."""
        usable = FreshAnswer(lambda: self._directory.revision, lambda: self.is_usable(token.id))
        return TokenAccess(token, self._workspaces.access(token.workspace, token.person), usable)

    def _row(self, id: str) -> sqlite3.Row | None:
        with self._directory.reading() as connection:
            rows = [] if connection is None else self._usable(connection, "AND agent_tokens.id = ?", id)
        return rows[0] if rows else None

    @staticmethod
    def _usable(connection: sqlite3.Connection, condition: str, *values: str) -> list[sqlite3.Row]:
        return connection.execute(f"{_USABLE} {condition}", (time.time(), *values)).fetchall()


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("ascii")).hexdigest()


def _token(row: sqlite3.Row) -> AgentToken:
    return AgentToken(
        row["id"],
        row["workspace"],
        row["person"],
        Role(row["role"]),
        row["name"],
        row["made"],
        row["expires"],
        row["used"],
    )


@dataclass(frozen=True, slots=True)
class AgentToken:
    """A usable token, without its secret part."""

    id: str
    workspace: str
    """Id, as all of these."""
    person: str
    """Id of the person who made it, and for whom it acts."""
    role: Role
    """Its highest role; the person's own current role limits it further."""
    name: str
    """Name given by its person, such as that of the agent."""
    created: float
    """Seconds since 1970, as all times here."""
    expires: float
    used: float | None = None
    """Last use, to a minute; None before the first."""


class TokenAccess:
    """Access of an agent to a workspace, by the current state of its token and its person's role.

    Args:
        person: access of the token's person.
        usable: whether the token is still usable.
    """

    def __init__(self, token: AgentToken, person: WorkspaceAccess, usable: FreshAnswer[bool]) -> None:
        self._token, self._person, self._usable = token, person, usable

    @property
    def key(self) -> str:
        return f"{self._person.key}/token/{self._token.id}"

    def allows(self, right: Right) -> bool:
        """True if both the token and its person have a right now."""
        return right in ROLES[self._token.role] and self._usable.now() and self._person.allows(right)

    def note(self, what: str, name: str) -> None:
        """Add a line to the activity list: done by the person, through this agent."""
        self._person.note(what, f"{name} (agent {self._token.name})".lstrip())

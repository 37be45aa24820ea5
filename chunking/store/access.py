"""Rights on a workspace, the roles that grant them, and the check before each table call.

A workspace is opened *for* a user (`Workspace.open(uri, access=…)`), and the store checks that access before every call
on a table, whatever page, link, job or export makes it. The answer may change while the workspace is open: a revoked
role is refused at the next call. Without a deployment, users have every right on their own files.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from chunking.errors import AccessError

__all__ = ["EVERYTHING", "ROLES", "Access", "Right", "Role", "RoleAccess", "refusal"]


class Right(StrEnum):
    """Right of a user on a workspace: read, write or manage."""

    READ = "read"
    """View its documents, chunks, questions and runs; search it, export from it."""
    WRITE = "write"
    """Change anything in it, and start jobs that do."""
    MANAGE = "manage"
    """Assign roles in it; rename and delete it."""


class Role(StrEnum):
    """Role of a user in a workspace; `ROLES` lists its rights."""

    VIEWER = "viewer"
    EDITOR = "editor"
    OWNER = "owner"


ROLES: dict[Role, frozenset[Right]] = {
    Role.VIEWER: frozenset({Right.READ}),
    Role.EDITOR: frozenset({Right.READ, Right.WRITE}),
    Role.OWNER: frozenset(Right),
}
"""The rights of each role, from the least to the most."""

_REFUSALS = {
    Right.READ: "You have no access to this workspace; ask its owner to share it with you.",
    Right.WRITE: (
        "You can view this workspace but not change it; ask its owner for the role of an editor, or work in a copy."
    ),
    Right.MANAGE: "Only an owner of this workspace can do that; ask one of them.",
}


class Access(Protocol):
    """Protocol of one user's rights on one workspace; asked before every table call, so fast."""

    @property
    def key(self) -> str:
        """Key under which an open workspace is cached; differs for different users and roles."""
        ...

    def allows(self, right: Right) -> bool:
        """True if the right is granted at this moment."""
        ...

    def note(self, what: str, name: str) -> None:
        """Report a change to the audit log: action in the past tense, and the object's name."""
        ...


@dataclass(frozen=True, slots=True)
class RoleAccess:
    """Access with the rights of one fixed role and no audit log; for users of their own files."""

    role: Role

    @property
    def key(self) -> str:
        return self.role.value

    def allows(self, right: Right) -> bool:
        return right in ROLES[self.role]

    def note(self, what: str, name: str) -> None:
        """Do nothing: a single user needs no audit log."""


EVERYTHING = RoleAccess(Role.OWNER)
"""Access with every right: the default without a deployment."""


def refusal(right: Right) -> AccessError:
    """Return the AccessError for a missing right; it does not tell if a workspace exists."""
    return AccessError(_REFUSALS[right])

"""A person's access to a workspace, asked of the directory: what the store asks before every call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunking.deployment.fresh_answer import FreshAnswer
from chunking.store.access import ROLES, Right, Role

if TYPE_CHECKING:
    from chunking.deployment.workspaces import Workspaces

__all__ = ["WorkspaceAccess"]


class WorkspaceAccess:
    """A person's access to a workspace, as the directory has it now."""

    def __init__(self, workspaces: Workspaces, workspace: str, person: str) -> None:
        self._workspaces = workspaces
        self._workspace, self._person = workspace, person
        self._role = FreshAnswer(lambda: workspaces.revision, lambda: workspaces.role(workspace, person))

    @property
    def key(self) -> str:
        return f"{self._workspace}/{self._person}"

    @property
    def role(self) -> Role | None:
        """The role now; None where there is none (any more)."""
        return self._role.now()

    def allows(self, right: Right) -> bool:
        """Whether the person has the right now."""
        role = self.role
        return role is not None and right in ROLES[role]

    def note(self, what: str, name: str) -> None:
        """Add a line to the list of who did what."""
        self._workspaces.note(self._workspace, self._person, what, name)

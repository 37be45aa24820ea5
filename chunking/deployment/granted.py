"""A person's access to a workspace, asked of the directory: what the store asks before every call."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from chunking.store.access import ROLES, Right, Role

if TYPE_CHECKING:
    from chunking.deployment.workspaces import Workspaces

__all__ = ["Granted"]

_FRESH = 0.5
"""Seconds for which a role is believed that another process may have changed; a change in this one is seen at once."""


class Granted:
    """A person's access to a workspace, as the directory has it now."""

    def __init__(self, workspaces: Workspaces, workspace: str, person: str) -> None:
        self._workspaces = workspaces
        self._workspace, self._person = workspace, person
        self._read: tuple[int, float, Role | None] = (-1, 0.0, None)

    @property
    def key(self) -> str:
        return f"{self._workspace}/{self._person}"

    @property
    def role(self) -> Role | None:
        """The role now; None where there is none (any more)."""
        revision, at, role = self._read
        now = time.monotonic()
        if revision != self._workspaces.revision or now - at > _FRESH:
            revision = self._workspaces.revision
            role = self._workspaces.role(self._workspace, self._person)
            self._read = (revision, now, role)
        return role

    def allows(self, right: Right) -> bool:
        """Whether the person has the right now."""
        role = self.role
        return role is not None and right in ROLES[role]

    def note(self, what: str, name: str) -> None:
        """Add a line to the list of who did what."""
        self._workspaces.note(self._workspace, self._person, what, name)

"""What an agent may do with a workspace: what its token allows, as far as the person behind it still may."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.deployment.fresh_answer import FreshAnswer
from chunking.deployment.workspace_access import WorkspaceAccess
from chunking.store.access import ROLES, Right, Role

__all__ = ["AgentToken", "TokenAccess"]


@dataclass(frozen=True, slots=True)
class AgentToken:
    """A token that can be used, without its secret part."""

    id: str
    workspace: str
    """Id, as all of these."""
    person: str
    """Who made it, and for whom it acts."""
    role: Role
    """The most that it allows; what the person may not do any more, it does not allow either."""
    name: str
    """By which its person knows it, such as that of the agent."""
    made: float
    """Seconds since 1970, as all times here."""
    expires: float
    used: float | None = None
    """The last use, to a minute; None where there was none."""


class TokenAccess:
    """An agent's access to a workspace, as the directory has token and role now.

    Args:
        person: the access of whom the token acts for.
        usable: whether nobody and no date has ended the token.
    """

    def __init__(self, token: AgentToken, person: WorkspaceAccess, usable: FreshAnswer[bool]) -> None:
        self._token, self._person, self._usable = token, person, usable

    @property
    def key(self) -> str:
        return f"{self._person.key}/token/{self._token.id}"

    def allows(self, right: Right) -> bool:
        """Whether token and person both have the right now."""
        return right in ROLES[self._token.role] and self._usable.now() and self._person.allows(right)

    def note(self, what: str, name: str) -> None:
        """Add a line to the list of who did what: the person, by this agent."""
        self._person.note(what, f"{name} (agent {self._token.name})".lstrip())

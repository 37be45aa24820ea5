"""Who an agent's request comes from, and which workspace it is about: by the mode, and in a team by its bearer token alone.

Cookies and headers of a proxy come along with requests that a person's browser was made to send: neither is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chunking.deployment import LOCAL, Deployment, Mode
from chunking.errors import AccessError, NotFoundError
from chunking.llm.metering import Meter
from chunking.store import EVERYTHING, Access, Right, Role, RoleAccess, Workspace
from components.session.current_workspace import DEFAULT, default_uri
from components.session.identity import deployment
from components.session.workspace import demo_base, workspace_of

__all__ = ["AgentCaller", "agent_caller"]

_BEARER = "bearer"
_TOKEN_NEEDED = (
    "Send a token of this deployment (Authorization: Bearer csk_...); whoever has a role in a workspace makes one in the app under Share "
    "and activity, Agents."
)
_YES = frozenset({"1", "true", "yes"})


@dataclass(frozen=True, slots=True)
class AgentCaller:
    """Whom a request acts for, and the workspace that it is about."""

    workspace: str
    """Id."""
    uri: str
    """Address of the workspace."""
    access: Access
    """Asked anew at every call on a table."""
    person: str = ""
    """Id, for whom searches and requests to models count; empty where nothing is counted."""
    token: str = ""
    """Id of the token; empty where none is needed."""
    agent: str = ""
    """Name of the token."""

    @property
    def may_write(self) -> bool:
        """Whether the workspace may be changed now."""
        return self.access.allows(Right.WRITE)

    def open(self) -> Workspace:
        """Open the workspace for this caller. Raises AccessError where role or token were taken away."""
        return workspace_of(self.uri, self.access)

    def check_search(self) -> None:
        """Count a search. Raises QuotaError where its person searches in a loop."""
        if self.person:
            deployment().quotas.check_search(self.person)

    def payer(self) -> Meter | None:
        """Who pays for requests to models; None where nothing is counted."""
        return deployment().quotas.meter(self.person) if self.person else None


def agent_caller(headers: Mapping[str, str], query: Mapping[str, str], client: str) -> AgentCaller:
    """Find out who sends a request; asks the directory, so not on the event loop.

    Args:
        headers: by names in small letters.
        query: of the address. In the mode local, `workspace` chooses another workspace than the first, and `write=1` allows changes.
        client: the sender's network address, by which visitors of a demo are told apart.
    Raises:
        AccessError: no valid token.
        NotFoundError: `query` names a workspace that is not here.
    """
    here = deployment()
    return _CALLERS[here.settings.sharing.mode](here, headers, query, client)


def _of_local(here: Deployment, headers: Mapping[str, str], query: Mapping[str, str], client: str) -> AgentCaller:
    """One person on their own machine: agents read, and change something where the address says so, as the app's own user may."""
    id = query.get("workspace", DEFAULT) or DEFAULT
    if id != DEFAULT and id not in {one.id for one in here.workspaces.of(LOCAL.id)}:
        raise NotFoundError("There is no such workspace here; copy the address from the page Agents of the app.", where="workspace")
    uri = default_uri() if id == DEFAULT else str(here.workspaces.place(id))
    access = EVERYTHING if query.get("write", "").lower() in _YES else RoleAccess(Role.VIEWER)
    return AgentCaller(id, uri, access)


def _of_team(here: Deployment, headers: Mapping[str, str], query: Mapping[str, str], client: str) -> AgentCaller:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() != _BEARER or not given.strip():
        raise AccessError(_TOKEN_NEEDED)
    token = here.agent_tokens.use(given.strip())
    access = here.agent_tokens.access(token)
    return AgentCaller(token.workspace, str(here.workspaces.place(token.workspace)), access, token.person, token.id, token.name)


def _of_demo(here: Deployment, headers: Mapping[str, str], query: Mapping[str, str], client: str) -> AgentCaller:
    """Everybody reads what visitors get copies of; searches and requests count by network address."""
    base = demo_base()
    return AgentCaller("demo", base.uri, RoleAccess(Role.VIEWER), f"agent-{client}")


_CALLERS = {Mode.LOCAL: _of_local, Mode.TEAM: _of_team, Mode.DEMO: _of_demo}

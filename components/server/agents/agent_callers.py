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
from components.session.current_workspace import ASKED, DEFAULT, default_uri
from components.session.identity import deployment
from components.session.workspace import demo_base, workspace_of

__all__ = ["WRITE", "AgentCaller", "AgentRequest", "agent_caller"]

WRITE = "write"
"""Key of the address that allows changes, in the mode local."""
_BEARER = "bearer"
_TOKEN_NEEDED = (
    "Send a token of this deployment (Authorization: Bearer csk_...); whoever has a role in a workspace makes one in the app under Share "
    "and activity, Agents."
)
_YES = frozenset({"1", "true", "yes"})


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """What is read of a request to find out whose it is."""

    headers: Mapping[str, str]
    """By names in small letters."""
    query: Mapping[str, str]
    """Of its address. In the mode local, `workspace` names another workspace than the first, and `write=1` allows changes."""
    client: str
    """The sender's network address, by which visitors of a demo are told apart."""
    app: str
    """Address of the app that it was sent to."""


@dataclass(frozen=True, slots=True)
class AgentCaller:
    """Whom a request acts for, and the workspace that it is about."""

    workspace: str
    """Id; empty: the only one that links need not name."""
    uri: str
    """Address of the workspace."""
    access: Access
    """Asked anew at every call on a table."""
    app: str
    """Address of the app, with which links begin."""
    person: str = LOCAL.id
    """Id, for whom searches, requests to models and jobs count."""
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
        deployment().quotas.check_search(self.person)

    def check_adding(self, size: int) -> None:
        """Raise QuotaError unless a document of so many bytes may come into the workspace."""
        quotas, rows = deployment().quotas, self.open().documents()
        quotas.check_disk(self.person, size, uri=self.uri)
        quotas.check_documents(there=len(rows), adding=1, characters=sum(row.characters for row in rows), more=0)

    def payer(self) -> Meter | None:
        """Who pays for requests to models; None where nothing is counted."""
        return deployment().quotas.meter(self.person)


def agent_caller(request: AgentRequest) -> AgentCaller:
    """Find out who sends a request; asks the directory, so not on the event loop.

    Raises:
        AccessError: no valid token.
        NotFoundError: the address names a workspace that is not here.
    """
    here = deployment()
    return _CALLERS[here.settings.sharing.mode](here, request)


def _of_local(here: Deployment, request: AgentRequest) -> AgentCaller:
    """One person on their own machine: agents read, and change something where the address says so, as the app's own user may."""
    id = request.query.get(ASKED) or DEFAULT
    if id != DEFAULT and id not in {one.id for one in here.workspaces.of(LOCAL.id)}:
        raise NotFoundError("There is no such workspace here; copy the address from the page Agents of the app.", where=ASKED)
    access = EVERYTHING if request.query.get(WRITE, "").lower() in _YES else RoleAccess(Role.VIEWER)
    if id == DEFAULT:
        return AgentCaller("", default_uri(), access, request.app)
    return AgentCaller(id, str(here.workspaces.place(id)), access, request.app)


def _of_team(here: Deployment, request: AgentRequest) -> AgentCaller:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != _BEARER or not given.strip():
        raise AccessError(_TOKEN_NEEDED)
    token = here.agent_tokens.use(given.strip())
    uri, access = str(here.workspaces.place(token.workspace)), here.agent_tokens.access(token)
    return AgentCaller(token.workspace, uri, access, request.app, token.person, token.id, token.name)


def _of_demo(here: Deployment, request: AgentRequest) -> AgentCaller:
    """Everybody reads what visitors get copies of; searches and requests count by network address."""
    return AgentCaller("", demo_base().uri, RoleAccess(Role.VIEWER), request.app, f"agent-{request.client}")


_CALLERS = {Mode.LOCAL: _of_local, Mode.TEAM: _of_team, Mode.DEMO: _of_demo}

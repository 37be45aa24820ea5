"""The caller of an agent's request: its person, rights and workspace."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.llm.metering import Meter
from chunking.store import Right, Workspace
from components.session.host import AgentGrant, AgentRequest, deployment, host
from components.session.workspace import workspace_of

__all__ = ["AgentCaller", "agent_caller"]


@dataclass(frozen=True, slots=True)
class AgentCaller:
    """An agent's person, rights and workspace, for one request."""

    grant: AgentGrant
    app: str
    """Address of the app, with which links begin."""

    @property
    def may_write(self) -> bool:
        """True if this caller may change the workspace now."""
        return self.grant.access.allows(Right.WRITE)

    def open(self) -> Workspace:
        """Open the workspace for this caller. Raises AccessError if role or token were revoked."""
        return workspace_of(self.grant.uri, self.grant.access)

    def check_search(self) -> None:
        """Count a search. Raises QuotaError if this person searches too often."""
        deployment().quotas.check_search(self.grant.person)

    def check_adding(self, size: int) -> None:
        """Raise QuotaError unless a document of `size` bytes may be added to the workspace."""
        quotas, rows = deployment().quotas, self.open().documents()
        quotas.check_disk(self.grant.person, size, uri=self.grant.uri)
        quotas.check_documents(there=len(rows), adding=1, characters=sum(row.characters for row in rows), more=0)

    def payer(self) -> Meter | None:
        """Return the meter that counts this caller's model requests; None if nothing is counted."""
        return deployment().quotas.meter(self.grant.person)


def agent_caller(request: AgentRequest) -> AgentCaller:
    """Identify the sender of a request; not on the event loop. Raises as `Host.agent_grant`."""
    return AgentCaller(host().agent_grant(request), request.app)

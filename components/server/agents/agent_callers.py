"""Whom an agent's request acts for, and the workspace that it is about, as the host says."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.llm.metering import Meter
from chunking.store import Right, Workspace
from components.session.host import AgentGrant, AgentRequest, deployment, host
from components.session.workspace import workspace_of

__all__ = ["AgentCaller", "agent_caller"]


@dataclass(frozen=True, slots=True)
class AgentCaller:
    """An agent at the app with this address, which links begin with."""

    grant: AgentGrant
    app: str

    @property
    def may_write(self) -> bool:
        """True if the workspace may be changed now."""
        return self.grant.access.allows(Right.WRITE)

    def open(self) -> Workspace:
        """Open the workspace for this caller. Raises AccessError if role or token were revoked."""
        return workspace_of(self.grant.uri, self.grant.access)

    def check_search(self) -> None:
        """Count a search. Raises QuotaError if its person searches in a loop."""
        deployment().quotas.check_search(self.grant.person)

    def check_adding(self, size: int) -> None:
        """Raise QuotaError unless a document of so many bytes may come into the workspace."""
        quotas, rows = deployment().quotas, self.open().documents()
        quotas.check_disk(self.grant.person, size, uri=self.grant.uri)
        quotas.check_documents(there=len(rows), adding=1, characters=sum(row.characters for row in rows), more=0)

    def payer(self) -> Meter | None:
        """Who pays for requests to models; None if nothing is counted."""
        return deployment().quotas.meter(self.grant.person)


def agent_caller(request: AgentRequest) -> AgentCaller:
    """Find out who sends a request; not on the event loop. Raises as `Host.agent_grant`."""
    return AgentCaller(host().agent_grant(request), request.app)

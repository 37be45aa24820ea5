"""One deployment, many people: what its operator allows, who its people are, and which workspaces are theirs.

Knows no Streamlit. A person is an id that whoever signs people in vouches for; what a person may do with a workspace is an
`Access` (`chunking.store`), which the store asks before every call.
"""

from __future__ import annotations

from chunking.deployment.agent_tokens.agent_tokens import MOST_TOKENS, AgentTokens
from chunking.deployment.agent_tokens.token_access import AgentToken, TokenAccess
from chunking.deployment.deployment import Deployment
from chunking.deployment.operator.operator_settings import AgentAccess, Mode, OperatorSettings, SignIn
from chunking.deployment.operator.operator_sources import operator_rows, operator_settings
from chunking.deployment.people.activity import Activity, ActivityLog
from chunking.deployment.people.invitations import Invitation
from chunking.deployment.people.people import EVERYONE, LOCAL, SERVER, People, Person, person_id
from chunking.deployment.snapshots.frozen_content import Report, Shows
from chunking.deployment.snapshots.snapshots import OPERATOR, Snapshot, SnapshotAccess
from chunking.deployment.workspaces import Share, SharedWorkspace, Workspaces

__all__ = [
    "EVERYONE",
    "LOCAL",
    "MOST_TOKENS",
    "OPERATOR",
    "SERVER",
    "Activity",
    "ActivityLog",
    "AgentAccess",
    "AgentToken",
    "AgentTokens",
    "Deployment",
    "Invitation",
    "Mode",
    "OperatorSettings",
    "People",
    "Person",
    "Report",
    "Share",
    "SharedWorkspace",
    "Shows",
    "SignIn",
    "Snapshot",
    "SnapshotAccess",
    "TokenAccess",
    "Workspaces",
    "operator_rows",
    "operator_settings",
    "person_id",
]

"""One deployment: its operator's settings, its workspaces, and what may be done with each; for one person.

Knows no Streamlit. What a person may do with a workspace is an `Access` (`chunking.store`), which the store asks before
every call. A deployment for many people is in `hosting/`, and plugs in by the mode (`open_deployment`).
"""

from __future__ import annotations

from chunking.deployment.activity import Activity, ActivityLog
from chunking.deployment.deployment import Deployment, load_hosting, open_deployment
from chunking.deployment.operator_settings import AgentAccess, Mode, OperatorSettings, SignIn
from chunking.deployment.operator_sources import operator_rows, operator_settings
from chunking.deployment.person import EVERYONE, LOCAL, SERVER, Person
from chunking.deployment.workspaces import Share, SharedWorkspace, Workspaces

__all__ = [
    "EVERYONE",
    "LOCAL",
    "SERVER",
    "Activity",
    "ActivityLog",
    "AgentAccess",
    "Deployment",
    "Mode",
    "OperatorSettings",
    "Person",
    "Share",
    "SharedWorkspace",
    "SignIn",
    "Workspaces",
    "load_hosting",
    "open_deployment",
    "operator_rows",
    "operator_settings",
]

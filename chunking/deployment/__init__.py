"""Deployment for one person: the operator's settings, the workspaces and the access to each.

Does not import Streamlit. A person's rights in a workspace are an `Access` (`chunking.store`), which the store checks
before every call. A deployment for many people is in `hosting/`, and plugs in by the mode (`open_deployment`).
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

"""The host protocol: users, workspaces, rights and additions of the host, as the pages ask for them.

`LocalHost` is for one person on their own machine. `hosting/` has the hosts of demos and teams, chosen by the mode. The
store enforces rights, whatever a host says.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from chunking.allowed import allow
from chunking.deployment import (
    LOCAL,
    Deployment,
    Person,
    SharedWorkspace,
    load_hosting,
    open_deployment,
    operator_settings,
)
from chunking.errors import NotFoundError
from chunking.llm.metering import Meter, meter_by
from chunking.store import EVERYTHING, Access, Role, RoleAccess

__all__ = [
    "ASKED",
    "CHOSEN",
    "DEFAULT",
    "WRITE",
    "AgentGrant",
    "AgentRequest",
    "Current",
    "Host",
    "LocalHost",
    "UploadHolder",
    "chosen_id",
    "deployment",
    "host",
    "listed_workspace",
]

DEFAULT = "default"
"""Id of the first workspace in the local mode."""
CHOSEN = "workspace.chosen"
"""Session key of the current workspace's id."""
ASKED = "workspace"
"""URL parameter of the workspace's id, which tells nothing to anybody without a role."""
WRITE = "write"
"""URL parameter of an agent's address that allows changes, in the local mode."""
_YES = frozenset({"1", "true", "yes"})
_VARIABLES = ("CHUNKSCOPE_MODE", "CHUNKSCOPE_HOME", "CHUNKSCOPE_SETTINGS", "CHUNKSCOPE_WORKSPACE")
"""Variables that identify a deployment; the key of its cache, as a page asks many times per run."""


@dataclass(frozen=True, slots=True)
class Current:
    """The session's workspace (id, name, address) and its user's access to it."""

    id: str
    name: str
    uri: str
    access: Access


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """Parts of an agent's request that identify its sender."""

    headers: Mapping[str, str]
    """Values by lower-case name."""
    query: Mapping[str, str]
    """Parameters of its address. In the local mode, `workspace` names another workspace than the first, and `write=1`
    allows changes."""
    client: str
    """Network address of the sender, which tells visitors of a demo apart."""
    app: str
    """Address of the app that received it."""


@dataclass(frozen=True, slots=True)
class AgentGrant:
    """Workspace and access of an agent, and the person it acts for."""

    workspace: str
    """Id; empty for the only one, which links need not name."""
    uri: str
    """Address of the workspace."""
    access: Access
    """Rights, checked again at every call on a table."""
    person: str = LOCAL.id
    """Id of the person to whom searches, model requests and jobs are counted."""
    token: str = ""
    """Id of the token; empty if none is needed."""
    agent: str = ""
    """Name of the token."""


class UploadHolder(Protocol):
    """Object that holds uploaded files."""

    @property
    def bytes_held(self) -> int:
        """Size of the files in bytes."""
        ...


class Host(Protocol):
    """Host of a deployment; its methods answer for the session that calls them."""

    deployment: Deployment
    scripts: tuple[Path, ...]
    """Scripts of the host whose imports are loaded before the first page is drawn."""

    # -- user

    def user(self) -> Person | None:
        """Return the session's user; None before sign-in. Raises AccessError if they are locked out."""

    def counted_as(self) -> str:
        """Return the id to which the session's searches and long splits are counted."""

    def paid_by(self) -> str:
        """Return the id to which model requests are counted; empty if nobody is signed in."""

    def is_operator(self) -> bool:
        """True if the user may see the operators' page and stop every job."""

    def person_name(self, id: str) -> str:
        """Return a person's display name; empty if unknown."""

    # -- workspace and rights

    def current(self) -> Current:
        """Return the session's workspace; for a user without a role, its access allows nothing.

        Raises:
            AccessError: nobody is signed in.
        """

    def choices(self) -> list[SharedWorkspace]:
        """Return the workspaces that the user can switch to; none in a demo or a snapshot.

        The one used last comes first, in the local mode after the default one.
        """

    def linked(self) -> dict[str, str]:
        """Return URL parameters that name workspace or snapshot; empty for the local default."""

    def owners(self, now: Current) -> list[str]:
        """Return the names of the workspace's owners, who can give the user more rights."""

    def agent_grant(self, request: AgentRequest) -> AgentGrant:
        """Return the workspace and access of an agent's request; blocks, so use a thread.

        Raises:
            AccessError: no valid token.
            NotFoundError: the address names an unknown workspace.
        """

    def token_dialog(self) -> Callable[[], object] | None:
        """Return the function that opens the dialog for agent tokens; None if agents need none."""

    def no_agents(self) -> str:
        """Return why agents cannot use the session's workspace; empty if they can."""

    # -- start of a server, a run, an upload

    def prepare(self) -> bool:
        """Open what first visitors see; False if the caller is to open the local workspace."""

    def note_click(self, now: Current) -> bool:
        """Record a use of the workspace; True if it was recreated, so that caches are stale."""

    def watch_uploads(self, holder: UploadHolder) -> None:
        """Count the uploaded files of a holder as the user's while it lives."""

    # -- drawing

    def admit(self) -> None:
        """Draw a sign-in or the reason, and stop the run, unless the user may enter."""

    def pages(self) -> list[StreamlitPage]:
        """Return the host's own pages for the navigation."""

    def draw_menu(self) -> bool:
        """Draw the host's own menu in place of the workspace list; False if it has none."""

    def draw_actions(self, now: Current) -> None:
        """Draw the host's actions on the current workspace in the menu."""

    def draw_account(self) -> None:
        """Draw the signed-in user in the menu."""

    def draw_above(self, page: str) -> bool:
        """Draw the host's lines above a page; False if the page is not about the user's workspace."""

    def draw_instead(self, page: str) -> bool:
        """Draw something in place of a page; False if the page is to be drawn."""

    def draw_llm_usage(self) -> None:
        """Draw the user's share of their quota of model requests; nothing without one."""


class LocalHost:
    """Host for one person on their own machine, who may do everything."""

    scripts: tuple[Path, ...] = ()

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment

    def user(self) -> Person | None:
        return LOCAL

    def counted_as(self) -> str:
        return LOCAL.id

    def paid_by(self) -> str:
        return LOCAL.id

    def is_operator(self) -> bool:
        return False

    def person_name(self, id: str) -> str:
        return ""

    def current(self) -> Current:
        id = chosen_id(lambda: DEFAULT)
        if id == DEFAULT:
            return Current(DEFAULT, self._default_name(), self._default_uri(), EVERYTHING)
        return listed_workspace(self.deployment, id, LOCAL)

    def choices(self) -> list[SharedWorkspace]:
        first = SharedWorkspace(DEFAULT, self._default_name(), Role.OWNER, 0.0, 0.0)
        return [first, *self.deployment.workspaces.of(LOCAL.id)]

    def linked(self) -> dict[str, str]:
        id = st.session_state.get(CHOSEN, DEFAULT)
        return {} if id == DEFAULT else {ASKED: id}

    def owners(self, now: Current) -> list[str]:
        return []

    def agent_grant(self, request: AgentRequest) -> AgentGrant:
        """Return read access to the workspace in the query, or full access with `write=1`.

        Raises:
            NotFoundError: the query names an unknown workspace.
        """
        id = request.query.get(ASKED) or DEFAULT
        access = EVERYTHING if request.query.get(WRITE, "").lower() in _YES else RoleAccess(Role.VIEWER)
        if id == DEFAULT:
            return AgentGrant("", self._default_uri(), access)
        if id not in {one.id for one in self.deployment.workspaces.of(LOCAL.id)}:
            raise NotFoundError(
                "There is no such workspace here; copy the address from the Agents page of the app.", where=ASKED
            )
        return AgentGrant(id, str(self.deployment.workspaces.place(id)), access)

    def token_dialog(self) -> Callable[[], object] | None:
        return None

    def no_agents(self) -> str:
        return ""

    def prepare(self) -> bool:
        return False

    def note_click(self, now: Current) -> bool:
        return False

    def watch_uploads(self, holder: UploadHolder) -> None:
        pass

    def admit(self) -> None:
        pass

    def pages(self) -> list[StreamlitPage]:
        return []

    def draw_menu(self) -> bool:
        return False

    def draw_actions(self, now: Current) -> None:
        pass

    def draw_account(self) -> None:
        pass

    def draw_above(self, page: str) -> bool:
        return True

    def draw_instead(self, page: str) -> bool:
        return False

    def draw_llm_usage(self) -> None:
        pass

    def _default_name(self) -> str:
        """Return CHUNKSCOPE_WORKSPACE_NAME, which `chunkscope app` sets; else Default."""
        return os.environ.get("CHUNKSCOPE_WORKSPACE_NAME") or DEFAULT.capitalize()

    def _default_uri(self) -> str:
        """Return CHUNKSCOPE_WORKSPACE; else a folder in the home folder."""
        return os.environ.get("CHUNKSCOPE_WORKSPACE") or str(self.deployment.settings.home / DEFAULT)


def host() -> Host:
    """Return the host of this server, created once from the operator's settings.

    A change of settings counts from the next start. Each call also activates its allow list (`allow`) and its metering
    of model requests (`meter_by`) in this process.

    Raises:
        ConfigError: a setting is invalid.
    """
    here = _host(tuple(os.environ.get(name, "") for name in _VARIABLES))
    allow(here.deployment.allowed)
    meter_by(_meter)
    return here


def deployment() -> Deployment:
    """Return the deployment of this server. Raises ConfigError as `host`."""
    return host().deployment


@lru_cache(maxsize=4)
def _host(values: tuple[str, ...]) -> Host:
    here = open_deployment(operator_settings())
    if not here.settings.shared:
        return LocalHost(here)
    plugged: Host = load_hosting("hosts").open_host(here)
    return plugged


def _meter() -> Meter | None:
    """Return the meter of the session's model requests; None in a thread without a session."""
    here = host()
    payer = here.paid_by() if get_script_run_ctx(suppress_warning=True) is not None else ""
    return here.deployment.quotas.meter(payer) if payer else None


def chosen_id(first: Callable[[], str]) -> str:
    """Return the workspace id chosen in this session, else linked, else `first`; choose it.

    Args:
        first: returns the id of the workspace that a session starts with.
    """
    id: str = st.session_state.get(CHOSEN) or st.query_params.get(ASKED) or first()
    st.session_state[CHOSEN] = id
    return id


def listed_workspace(here: Deployment, id: str, person: Person) -> Current:
    """Return a workspace as a person sees it; without a role, its access allows nothing.

    The same for an id that no workspace has. Raises AccessError for text that is no id.
    """
    place, access = here.workspaces.place(id), here.workspaces.access(id, person.id)
    name = next((one.name for one in here.workspaces.of(person.id) if one.id == id), "")
    return Current(id, name, str(place), access)

"""What the pages ask of whoever runs the server: who asks, which workspace, what may they, and what the host adds.

`LocalHost` answers for one person on their own machine. `hosting/` has the hosts of demos and teams, and plugs in by
the mode. Rights are enforced in the store, whatever a host says.
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
"""Id of the workspace that one person on their own machine starts with."""
CHOSEN = "workspace.chosen"
"""Session key of the id that is worked in."""
ASKED = "workspace"
"""Key of the address, and of a link: an id, which tells nothing to anybody without a role."""
WRITE = "write"
"""Key of an agent's address that allows changes, in the mode local."""
_YES = frozenset({"1", "true", "yes"})
_VARIABLES = ("CHUNKSCOPE_MODE", "CHUNKSCOPE_HOME", "CHUNKSCOPE_SETTINGS", "CHUNKSCOPE_WORKSPACE")
"""What tells one deployment from another; a page asks many times a run."""


@dataclass(frozen=True, slots=True)
class Current:
    """The workspace that the session works in, and what its user may do there."""

    id: str
    name: str
    uri: str
    access: Access


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """What is read of an agent's request to find out whose it is."""

    headers: Mapping[str, str]
    """By names in small letters."""
    query: Mapping[str, str]
    """Of its address. In the mode local, `workspace` names another workspace than the first, and `write=1` allows
    changes.
    """
    client: str
    """The sender's network address, by which visitors of a demo are told apart."""
    app: str
    """Address of the app that it was sent to."""


@dataclass(frozen=True, slots=True)
class AgentGrant:
    """The workspace that an agent may use, and whom it acts for."""

    workspace: str
    """Id; empty: the only one, which links need not name."""
    uri: str
    """Address of the workspace."""
    access: Access
    """Asked anew at every call on a table."""
    person: str = LOCAL.id
    """Id, for whom searches, requests to models and jobs count."""
    token: str = ""
    """Id of the token; empty if none is needed."""
    agent: str = ""
    """Name of the token."""


class UploadHolder(Protocol):
    """What holds files that somebody has uploaded."""

    @property
    def bytes_held(self) -> int:
        """Their size in bytes."""
        ...


class Host(Protocol):
    """Answers for the people of one deployment, in the session that asks."""

    deployment: Deployment
    scripts: tuple[Path, ...]
    """Scripts of the host whose imports are made before the first page is drawn."""

    # -- who asks

    def user(self) -> Person | None:
        """The session's person; None if they have to sign in first. Raises AccessError if they are kept out."""

    def counted_as(self) -> str:
        """Id for which searches and long splits of the session count."""

    def paid_by(self) -> str:
        """Id for which requests to models of a server count; empty if nobody is signed in."""

    def is_operator(self) -> bool:
        """True if the user may see the operators' page and stop every job."""

    def person_name(self, id: str) -> str:
        """What a person is called; empty if unknown."""

    # -- which workspace, and what may they

    def current(self) -> Current:
        """The session's workspace. Raises AccessError if nobody is signed in, or the user has no role there."""

    def choices(self) -> list[SharedWorkspace]:
        """Workspaces that the user can switch to, the one used last first."""

    def linked(self) -> dict[str, str]:
        """Part of a link that names the workspace; empty for the one that everybody has on their own machine."""

    def owners(self, now: Current) -> list[str]:
        """Names of those who can give the user more rights."""

    def agent_grant(self, request: AgentRequest) -> AgentGrant:
        """What an agent's request may use; not on the event loop.

        Raises:
            AccessError: no valid token.
            NotFoundError: the address names a workspace that is not here.
        """

    def token_dialog(self) -> Callable[[], object] | None:
        """Opens the dialog that makes tokens for agents; None if agents need none."""

    def no_agents(self) -> str:
        """Why agents cannot reach what the session shows; empty if they can."""

    # -- what begins

    def prepare(self) -> bool:
        """Open what first visitors see, before anybody has come; False: what the pages show anyway."""

    def note_click(self, now: Current) -> bool:
        """Note that the user works in the workspace. True if it was made anew: nothing cached of it holds."""

    def watch_uploads(self, holder: UploadHolder) -> None:
        """Count the files of a holder as the user's, for as long as it lives."""

    # -- what the host draws

    def admit(self) -> None:
        """End the run, with what they can do, for anybody who may not come in."""

    def pages(self) -> list[StreamlitPage]:
        """Pages of the host in the navigation."""

    def draw_menu(self) -> bool:
        """Draw the host's own menu in place of the list of workspaces; False if it has none for this session."""

    def draw_actions(self, now: Current) -> None:
        """Draw what the host can do with the current workspace, in the menu."""

    def draw_account(self) -> None:
        """Draw who is signed in, in the menu."""

    def draw_above(self, page: str) -> bool:
        """Draw the host's lines above a page. False if the page is not about a workspace that the user works in."""

    def draw_instead(self, page: str) -> bool:
        """Draw something in place of a page; False if the page is to be drawn."""

    def draw_llm_usage(self) -> None:
        """Draw what the user has used of their requests to models of a server."""


class LocalHost:
    """One person on their own machine, who may do everything."""

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
        """Agents read, and change something if the address says so, as the app's own user may."""
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
        """CHUNKSCOPE_WORKSPACE_NAME, which `chunkscope app` sets; else Default."""
        return os.environ.get("CHUNKSCOPE_WORKSPACE_NAME") or DEFAULT.capitalize()

    def _default_uri(self) -> str:
        """CHUNKSCOPE_WORKSPACE; else a folder in the home folder."""
        return os.environ.get("CHUNKSCOPE_WORKSPACE") or str(self.deployment.settings.home / DEFAULT)


def host() -> Host:
    """The host of this server, by its operator's settings: read once, a change counts from the next start.

    Each call also has its list of what may be named hold (`allow`), and requests to models counted (`meter_by`), in
    this whole process.

    Raises:
        ConfigError: a setting cannot be used.
    """
    here = _host(tuple(os.environ.get(name, "") for name in _VARIABLES))
    allow(here.deployment.allowed)
    meter_by(_meter)
    return here


def deployment() -> Deployment:
    """What this server runs. Raises ConfigError as `host`."""
    return host().deployment


@lru_cache(maxsize=4)
def _host(values: tuple[str, ...]) -> Host:
    here = open_deployment(operator_settings())
    if not here.settings.shared:
        return LocalHost(here)
    plugged: Host = load_hosting("hosts").open_host(here)
    return plugged


def _meter() -> Meter | None:
    """Counter of the session's requests to models of a server; None in a thread without a session."""
    here = host()
    payer = here.paid_by() if get_script_run_ctx(suppress_warning=True) is not None else ""
    return here.deployment.quotas.meter(payer) if payer else None


def chosen_id(first: Callable[[], str]) -> str:
    """Id of the workspace that this session has chosen or a link names; else the first one.

    Args:
        first: id of the one that the session begins with.
    """
    id: str = st.session_state.get(CHOSEN) or st.query_params.get(ASKED) or first()
    st.session_state[CHOSEN] = id
    return id


def listed_workspace(here: Deployment, id: str, person: Person) -> Current:
    """A workspace of the directory as a person sees it; its access allows nothing without a role."""
    place, access = here.workspaces.place(id), here.workspaces.access(id, person.id)
    name = next((one.name for one in here.workspaces.of(person.id) if one.id == id), "")
    return Current(id, name, str(place), access)

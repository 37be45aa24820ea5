"""Which workspace a session works in: chosen in the header or named by a link, and given only to who has a role in it."""

from __future__ import annotations

import os
from dataclasses import dataclass

import streamlit as st

from chunking.deployment import LOCAL, Mode, SharedWorkspace
from chunking.deployment.snapshots.snapshots import ADDRESSED
from chunking.errors import AccessError
from chunking.store import EVERYTHING, Access, Role
from chunking.store.copies.home_folder import COPY
from components.session.identity import asker, deployment, snapshot, snapshot_token
from components.session.session_reset import leave_workspace

__all__ = ["ASKED", "DEFAULT", "Current", "choices", "current", "default_uri", "forget_choice", "linked", "switch"]

DEFAULT = "default"
"""Id of the workspace that one person on their own machine starts with."""
_CHOSEN = "workspace.chosen"
ASKED = "workspace"
"""Key of the address, and of a link: an id, which says nothing to who has no role."""


@dataclass(frozen=True, slots=True)
class Current:
    """The workspace that the session works in, and what its person may do there."""

    id: str
    name: str
    uri: str
    access: Access


def current() -> Current:
    """The one that this session has chosen, or a link names; else the one that its person used last.

    Raises:
        AccessError: nobody is signed in, or the person has no role in it (any more).
    """
    here, person = deployment(), asker()
    if person is None:
        raise AccessError("Sign in to see a workspace.")
    if here.settings.sharing.mode is Mode.DEMO:
        uri = str(here.visits.folder / person.id / COPY)
        return Current(person.id, "Your copy", uri, here.access_to(uri, person.id))
    frozen = snapshot()
    if frozen is not None:
        return Current(frozen.id, frozen.name, str(here.snapshots.place(frozen.id)), here.snapshots.access(frozen))
    local = here.settings.sharing.mode is Mode.LOCAL
    id = st.session_state.get(_CHOSEN) or st.query_params.get(ASKED) or (DEFAULT if local else here.first_workspace(person))
    st.session_state[_CHOSEN] = id
    if local and id == DEFAULT:
        return Current(DEFAULT, _default_name(), default_uri(), EVERYTHING)
    place, access = here.workspaces.place(id), here.workspaces.access(id, person.id)
    name = next((one.name for one in here.workspaces.of(person.id) if one.id == id), "")
    return Current(id, name, str(place), access)


def choices() -> list[SharedWorkspace]:
    """The workspaces that who is asking can switch to, the one used last first."""
    here, person = deployment(), asker()
    if person is None or here.settings.sharing.mode is Mode.DEMO or snapshot_token():
        return []
    first = [SharedWorkspace(DEFAULT, _default_name(), Role.OWNER, 0.0, 0.0)] if person is LOCAL else []
    return [*first, *here.workspaces.of(person.id)]


def switch(id: str) -> None:
    """Work in another workspace from the next run on; what was looked at belongs to the one before."""
    here, person = deployment(), asker()
    if person is None or id not in {one.id for one in choices()}:
        raise AccessError("That workspace is not open to you.")
    if id != st.session_state.get(_CHOSEN):
        leave_workspace()
    st.session_state[_CHOSEN] = id
    if id != DEFAULT:
        here.workspaces.note_use(id)


def forget_choice() -> None:
    """Work in the workspace used last from the next run on: the present one was deleted or left."""
    leave_workspace()
    st.query_params.pop(ASKED, None)


def linked() -> dict[str, str]:
    """The part of a link that says which workspace or snapshot it is about; nothing for the one that everybody has on their own machine."""
    if snapshot_token():
        return {ADDRESSED: snapshot_token()}
    chosen = st.session_state.get(_CHOSEN, DEFAULT)
    return {} if chosen == DEFAULT else {ASKED: chosen}


def _default_name() -> str:
    """CHUNKSCOPE_WORKSPACE_NAME, which `chunkscope app` sets; else Default."""
    return os.environ.get("CHUNKSCOPE_WORKSPACE_NAME") or DEFAULT.capitalize()


def default_uri() -> str:
    """Address of the first workspace of the mode local: CHUNKSCOPE_WORKSPACE, else a folder in the home folder."""
    return os.environ.get("CHUNKSCOPE_WORKSPACE") or str(deployment().settings.home / DEFAULT)

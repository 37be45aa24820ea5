"""Which workspace a session works in: chosen in the header or named by a link."""

from __future__ import annotations

import streamlit as st

from chunking.deployment import SharedWorkspace
from chunking.errors import AccessError
from components.session.host import ASKED, CHOSEN, DEFAULT, Current, deployment, host
from components.session.page.once_a_run import ask_again

__all__ = ["ASKED", "DEFAULT", "Current", "choices", "current", "forget_choice", "leave_workspace", "linked", "switch"]

_STAYS = ("identity.", "frame.", "share.config", "share.turn", "share.faults")
"""Beginnings of the session keys about no workspace: who is asking, the page, the current settings."""


def current() -> Current:
    """The workspace of this session. Raises AccessError as `Host.current`."""
    return host().current()


def choices() -> list[SharedWorkspace]:
    """Workspaces that the user can switch to, the one used last first."""
    return host().choices()


def linked() -> dict[str, str]:
    """Part of a link that names the workspace; empty for the one that everybody has on their own machine."""
    return host().linked()


def switch(id: str) -> None:
    """Work in another workspace from the next run on; what was looked at belongs to the one before."""
    if id not in {one.id for one in choices()}:
        raise AccessError("You have no access to that workspace.")
    if id != st.session_state.get(CHOSEN):
        leave_workspace()
    st.session_state[CHOSEN] = id
    if id != DEFAULT:
        deployment().workspaces.note_use(id)


def forget_choice() -> None:
    """Work in the workspace used last from the next run on: the present one was deleted or left."""
    leave_workspace()
    st.query_params.pop(ASKED, None)


def leave_workspace() -> None:
    """Forget all that the session keeps about the workspace, such as its search and files not yet saved."""
    ask_again()
    for key in [str(key) for key in st.session_state if not str(key).startswith(_STAYS)]:
        del st.session_state[key]

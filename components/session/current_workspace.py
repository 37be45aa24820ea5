"""The workspace of a session, chosen in the header or by a link, and how pages look to people who may only view it.

Widgets that would change it are disabled, with a sentence that says why and whom to ask. The store refuses such
changes anyhow (`chunking.store.access`); the pages say so before anything is typed.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from chunking.deployment import SharedWorkspace
from chunking.errors import AccessError, ChunkscopeError
from chunking.store import EVERYTHING, Right
from components.kit.wording import plain
from components.session.host import ASKED, CHOSEN, DEFAULT, Current, deployment, host
from components.session.page.once_a_run import ask_again

__all__ = [
    "ASKED",
    "DEFAULT",
    "Current",
    "choices",
    "current",
    "editing",
    "forget_choice",
    "linked",
    "switch",
    "tell_viewer",
    "why_only_viewing",
]

_NAMED = 3
"""Owners that the sentence names."""

_STAYS = ("identity.", "frame.", "share.config", "share.turn", "share.faults")
"""Beginnings of the session keys about no workspace: who is asking, the page, the current settings."""


def why_only_viewing() -> str:
    """Why this session cannot change the workspace, as Markdown; empty where it can."""
    here = current()
    if here.access is EVERYTHING or here.access.allows(Right.WRITE):
        return ""
    name, owners = plain(here.name), " or ".join(map(plain, host().owners(here)[:_NAMED]))
    return (
        f"You can view {name}; ask {owners} for the right to edit."
        if owners
        else f"You can view {name} but not change it."
    )


def editing(*, disabled: bool = False, **looks: Any) -> dict[str, Any]:
    """How a widget looks that changes the workspace: as it is given, and disabled for a viewer, with the reason as its
    help.

    Every button, field and uploader of the pages whose use writes takes its looks from here
    (`tests/components/session`).
    """
    why = why_only_viewing()
    return looks | {"disabled": True, "help": why} if why else looks | {"disabled": disabled}


def tell_viewer() -> None:
    """The same sentence above every page; not to who may not even look, since the page says that."""
    try:
        why = why_only_viewing() if current().access.allows(Right.READ) else ""
    except ChunkscopeError:
        return  # the page says it
    if why:
        st.caption(f":material/visibility: {why}")


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

"""The session's workspace, chosen in the header or by a link, and its pages for viewers.

Widgets that would change it are disabled for viewers, with a help text that says why and whom to ask. The store refuses
such changes anyway (`chunking.store.access`); the pages say so before anything is typed.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from chunking.deployment import SharedWorkspace
from chunking.errors import AccessError, ChunkscopeError
from chunking.store import EVERYTHING, Right
from components.kit.wording import plain
from components.session.host import ASKED, CHOSEN, DEFAULT, Current, deployment, host
from components.session.page.once_per_run import forget_answers

__all__ = [
    "ASKED",
    "DEFAULT",
    "Current",
    "choices",
    "current",
    "editing",
    "forget_choice",
    "linked",
    "show_viewer_note",
    "switch",
    "why_only_viewing",
]

_NAMED = 3
"""Most owners named in the sentence."""

_STAYS = ("identity.", "frame.", "share.config", "share.turn", "share.faults")
"""Prefixes of session keys that do not depend on the workspace: user, page, current settings."""


def why_only_viewing() -> str:
    """Return why this session cannot change the workspace, as Markdown; empty if it can."""
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
    """Return a widget's arguments, disabled with the reason as help if the user is only a viewer.

    Every button, field and uploader of the pages that writes takes its arguments from here
    (`tests/components/session`).
    """
    why = why_only_viewing()
    return looks | {"disabled": True, "help": why} if why else looks | {"disabled": disabled}


def show_viewer_note() -> None:
    """Draw a line for viewers that they cannot change the workspace, and whom to ask."""
    try:
        why = why_only_viewing() if current().access.allows(Right.READ) else ""
    except ChunkscopeError:
        return  # the page reports it
    if why:
        st.caption(f":material/visibility: {why}")


def current() -> Current:
    """Return the workspace of this session. Raises AccessError as `Host.current`."""
    return host().current()


def choices() -> list[SharedWorkspace]:
    """Return the workspaces that the user can switch to, ordered as `Host.choices`."""
    return host().choices()


def linked() -> dict[str, str]:
    """Return the URL parameters that name the workspace; empty for the default one of the local mode."""
    return host().linked()


def switch(id: str) -> None:
    """Switch to another workspace from the next run on, and drop this one's session state.

    Choosing the current one drops nothing; user, page and current settings always stay.

    Raises:
        AccessError: the user has no access to it.
    """
    if id not in {one.id for one in choices()}:
        raise AccessError("You have no access to that workspace.")
    if id != st.session_state.get(CHOSEN):
        leave_workspace()
    st.session_state[CHOSEN] = id
    if id != DEFAULT:
        deployment().workspaces.note_use(id)


def forget_choice() -> None:
    """Drop the workspace's session state and its URL parameter, as it was deleted or left.

    The next run opens the workspace that a new session opens.
    """
    leave_workspace()
    st.query_params.pop(ASKED, None)


def leave_workspace() -> None:
    """Delete the session state except user, page and current settings (`_STAYS`)."""
    forget_answers()
    for key in [str(key) for key in st.session_state if not str(key).startswith(_STAYS)]:
        del st.session_state[key]

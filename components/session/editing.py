"""What would change the workspace, for who may only look at it: disabled, with one sentence that says why and whom to
ask.

The store refuses it anyhow (`chunking.store.access`); this is how the pages say so before somebody has typed a
question.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from chunking.errors import ChunkscopeError
from chunking.store import EVERYTHING, Right
from components.kit.wording import plain
from components.session.current_workspace import current
from components.session.host import host

__all__ = ["editing", "tell_viewer", "why_only_viewing"]

_NAMED = 3
"""Owners that the sentence names."""


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

"""A demo's page parts: the visitor's copy, made at the first click, and the menu with its time left."""

from __future__ import annotations

import streamlit as st

from chunking.store import Workspace
from components.kit.wording import duration
from components.session.current_workspace import Current, current
from components.session.host import host
from components.session.jobs import jobs
from components.session.page.page_frame import fragment
from components.session.workspace import open_workspace
from components.workspaces.workspace_file_dialogs import save_button
from hosting.people.identity import hosted

__all__ = ["demo_base", "demo_menu", "note_click"]

_BASE = "base"
"""Subfolder of the home folder with the samples that visitors get copies of."""
_VISITED = "workspace.visited"
_AGAIN = 60
"""Seconds between two checks of the time left; a warning stays until shortly before the next one."""
_SOON = 600.0
"""Seconds before the end of a visit at which a warning appears."""


def demo_base() -> Workspace:
    """Return what visitors get copies of: the operator's workspace, read-only, or the samples'."""
    here = hosted()
    return here.base.open() if here.base.named is not None else open_workspace(str(here.settings.home / _BASE))


def note_click(now: Current) -> bool:
    """Note a visitor's click; True if it made a new copy, also at the first visit.

    Says so in a toast if this session had an earlier copy.
    """
    fresh = hosted().visits.click(now.id, demo_base, lambda: jobs().busy).fresh
    if fresh and st.session_state.get(_VISITED):
        st.toast(
            "Your copy was deleted after a long time without a click. This is a fresh one.",
            icon=":material/restart_alt:",
            duration="long",
        )
    st.session_state[_VISITED] = True
    return fresh


def demo_menu() -> None:
    """Draw the menu of a visitor's copy with its lifetime and a button that saves it as a file.

    Checks every minute, and warns shortly before the copy is deleted. Opening the menu does not count as a click.
    """
    lasts = duration(hosted().visits.idle_seconds)
    with st.popover("Your copy", icon=":material/timelapse:"):
        st.markdown(
            f"This is a **private copy** of the demo. Nobody else sees what you do in it. It is deleted "
            f"{lasts} after your last click."
        )
        st.caption(
            "Save it as one file and open that on your own machine; the Export page has chunks, "
            "configuration and report."
        )
        save_button(current())
    fragment(run_every=_AGAIN)(_warning)()


def _warning() -> None:
    visits, person = hosted().visits, host().user()
    seconds = visits.seconds_left(person.id) if person else 0.0
    if 0 < seconds < min(_SOON, visits.idle_seconds / 4):
        shown = duration(seconds if seconds < 90 else 60 * round(seconds / 60))
        st.toast(
            f"Your copy is deleted in about {shown} unless you click something.",
            icon=":material/timelapse:",
            duration=_AGAIN - 5,
        )
    else:
        # Styles and toasts are in one list of Streamlit's: without a place of its own there, the toast would take that
        # of the next style.
        st.html("<style></style>")

"""What somebody else has just changed in the workspace: said in the header, and shown by a click.

Nothing on the page moves by itself: whoever drags a slider or reads goes on, and every click of their own shows the new
state as well.
Asked only where others have a role, and by the number of the last line of the activity list alone, so that it costs
next to nothing.
"""

from __future__ import annotations

import streamlit as st

from chunking.deployment import EVERYONE, Mode
from chunking.deployment.activity import Activity
from chunking.errors import ChunkscopeError
from components.kit.button import button
from components.kit.clock import said
from components.kit.wording import plain, quantity
from components.session.current_workspace import Current, current
from components.session.host import host
from components.session.page.page_frame import fragment
from hosting.dialogs.activity_list import sentence
from hosting.people.identity import hosted

__all__ = ["others_changes"]

LOOK = 4.0
"""Seconds between two looks."""
_SEEN = "others.seen"
"""Session key: (id of the workspace, the number of the last line when the page was drawn)."""
_MOST = 50


def others_changes() -> None:
    """Draw it; app.py calls it before the page, which then shows everything up to the line that is noted here."""
    if hosted().settings.sharing.mode is not Mode.TEAM:
        return
    try:
        now, person = current(), host().user()
        shares = hosted().workspaces.shares(now.id, person.id) if person else []
    except ChunkscopeError:
        return  # the page says it
    if len(shares) < 2 and all(share.person != EVERYONE for share in shares):
        return
    st.session_state[_SEEN] = (now.id, hosted().activity.last(now.id))
    fragment(run_every=LOOK)(_look)(now)


def _look(now: Current) -> None:
    with st.container(horizontal=True, gap="xsmall", key="others-changes"):
        st.html("<span></span>")  # as beside the jobs: an empty container is not in the page
        lines = _new(now)
        if lines:
            _chip(lines)


def _new(now: Current) -> list[Activity]:
    """What others have done since the page was drawn, the last first."""
    id, last_drawn = st.session_state.get(_SEEN, ("", 0))
    here, person = hosted(), host().user()
    if person is None or id != now.id or here.activity.last(now.id) <= last_drawn:
        return []
    return [
        line
        for line in here.workspaces.activity_of(now.id, person.id, most=_MOST, after=last_drawn)
        if line.person != person.id
    ]


def _chip(lines: list[Activity]) -> None:
    last = lines[0]
    person = hosted().people.get(last.person)
    name, at = plain(person.name) if person else "Somebody", said(last.at)
    more = f" and {quantity(len(lines) - 1, 'more change')}" if len(lines) > 1 else ""
    with st.container(horizontal=True, vertical_alignment="center", gap=None, key="job-chip-changed"):
        clicked = button(
            f"{name} {plain(sentence(last))}{more}",
            key="others.show",
            icon=":material/refresh:",
            type="tertiary",
            help=f"{name}, {at}. Click to show it; your settings and place on the page stay.",
        )
    if clicked:
        st.rerun(scope="app")

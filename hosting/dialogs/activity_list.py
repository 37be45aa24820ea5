"""Activity of a workspace: the list in the share dialog, and the header's notice of others' changes.

Equal lines are drawn as one with a count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from chunking.deployment import EVERYONE, Mode, Person
from chunking.deployment.activity import Activity
from chunking.errors import ChunkscopeError
from components.kit.button import button
from components.kit.clock import moment_text
from components.kit.wording import isolated, plain, quantity
from components.session.current_workspace import Current, current
from components.session.host import host
from components.session.page.page_frame import fragment
from hosting.people.identity import hosted

__all__ = ["activity_list", "group_repeats", "others_changes", "sentence"]

_READ, _SHOWN = 1_000, 200
"""Lines read, and lines shown after repeats are grouped."""
_PERSON = "share.activity.person"

LOOK = 4.0
"""Seconds between two checks for changes."""
_SEEN = "others.seen"
"""Session key: (id of the workspace, the number of the last line when the page was drawn)."""
_MOST = 50

_HOUR = 3600.0


def activity_list(now: Current, person: Person) -> None:
    """Draw a table of the latest activity, repeats grouped, with a filter by person.

    Args:
        person: the viewer. Raises AccessError if they may not see the workspace (any more).
    """
    here = hosted()
    every = here.workspaces.activity_of(now.id, person.id, most=_READ)
    if not every:
        st.caption("No activity here yet.")
        return
    people = list(dict.fromkeys(line.person for line in every))
    chosen = None
    if len(people) > 1:
        chosen = st.selectbox(
            "Done by", [None, *people], format_func=lambda id: _name(id) if id else "Everybody", key=_PERSON, width=260
        )
    lines = every if chosen is None else here.workspaces.activity_of(now.id, person.id, most=_READ, person=chosen)
    rows = [
        {
            "When": datetime.fromtimestamp(one.last.at, UTC),
            "Who": _name(one.last.person),
            "What": sentence(one.last) + (f" · {one.times:,} times" if one.times > 1 else ""),
        }
        for one in group_repeats(lines)[:_SHOWN]
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        height=min(38 + 35 * len(rows), 320),
        column_config={
            "When": st.column_config.DatetimeColumn(format="distance", width=120),
            "Who": st.column_config.TextColumn(width=130),
            "What": st.column_config.TextColumn(width="large"),
        },
        alt="Activity in this workspace, newest first",
    )


def sentence(line: Activity) -> str:
    """Return an activity as a phrase; a person's id is replaced by their name."""
    person = hosted().people.get(line.name) if line.name else None
    about = "everyone" if line.name == EVERYONE else person.name if person else line.name
    return isolated(f"{line.what} {about}".strip())


def _name(id: str) -> str:
    person = hosted().people.get(id)
    return isolated(person.name) if person else "Somebody"


def others_changes() -> None:
    """Check every 4 seconds for others' changes since the page was drawn, and offer to show them.

    Only in team mode, and only in a workspace in which several people, or everyone, have roles.

    app.py calls it before the page, which shows everything up to the line noted here.
    """
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
    """Return others' activity since the page was drawn, newest first."""
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
    name, at = plain(person.name) if person else "Somebody", moment_text(last.at)
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


@dataclass(frozen=True, slots=True)
class RepeatedActivity:
    """Equal lines of activity, each within an hour of the next, with their number."""

    last: Activity
    """The newest of them."""
    times: int


def group_repeats(lines: Iterable[Activity]) -> list[RepeatedActivity]:
    """Group lines of one person about one thing within an hour of each other, newest first.

    Lines of others between them come after the group.

    Args:
        lines: newest first.
    """
    repeats: dict[int, tuple[Activity, float, int]] = {}
    groups: dict[tuple[str, str, str], int] = {}
    for line in lines:
        key = (line.person, line.what, line.name)
        of = groups.get(key)
        if of is not None and repeats[of][1] - line.at <= _HOUR:
            repeats[of] = (repeats[of][0], line.at, repeats[of][2] + 1)
        else:
            groups[key] = line.number
            repeats[line.number] = (line, line.at, 1)
    return [RepeatedActivity(line, times) for line, _, times in repeats.values()]

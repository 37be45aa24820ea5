"""Who did what in a workspace, and when: in its dialog, and in a few words in the header where somebody else has
changed something.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from chunking.deployment import EVERYONE, Person
from chunking.deployment.activity import Activity
from components.kit.wording import apart
from components.session.current_workspace import Current
from hosting.people.identity import hosted
from hosting.people.repeated_activity import group_repeats

__all__ = ["activity_list", "sentence"]

_READ, _SHOWN = 1_000, 200
"""Lines that are read, and that are shown of them once those that repeat one are counted."""
_PERSON = "share.activity.person"


def activity_list(now: Current, person: Person) -> None:
    """The last lines, of everybody or of one person.

    Args:
        person: who is asking. Raises AccessError where they may not see the workspace (any more).
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
    """What was done, and to what: a person by their name, anything else as it is written."""
    person = hosted().people.get(line.name) if line.name else None
    about = "everyone" if line.name == EVERYONE else person.name if person else line.name
    return apart(f"{line.what} {about}".strip())


def _name(id: str) -> str:
    person = hosted().people.get(id)
    return apart(person.name) if person else "Somebody"

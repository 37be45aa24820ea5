"""What people did lately, in all workspaces: who, where and what, without names of documents or their text."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from components.kit.clock import clock_time
from hosting.operators.operator_actions import OperatorActions
from hosting.people.identity import hosted

__all__ = ["activity_list"]

_MOST = 200


def activity_list(actions: OperatorActions) -> None:
    """The last lines of all activity lists."""
    lines, names = actions.activity(most=_MOST), actions.workspace_names()
    if not lines:
        st.caption("No activity yet.")
        return
    people = hosted().people.names()
    table = pd.DataFrame(
        {
            "When": [clock_time(line.at) for line in lines],
            "Who": [people.get(line.person, "A deleted person") for line in lines],
            "What": [f"{line.what} …" if line.name else line.what for line in lines],
            "Workspace": [names.get(line.workspace, "a deleted workspace") for line in lines],
        }
    )
    column = st.column_config
    st.dataframe(
        table,
        hide_index=True,
        height=min(len(lines), 14) * 35 + 38,
        key="operator.activity",
        column_config={
            "When": column.DatetimeColumn(width=150, format="D MMM YYYY, HH:mm", help="On your clock."),
            "Who": column.TextColumn(width=180),
            "What": column.TextColumn(width=300, help="“…” replaces a name that only people in the workspace can see."),
            "Workspace": column.TextColumn(width=220),
        },
    )
    st.caption(f"At most the last {_MOST:,} lines; each workspace keeps all of its own.")

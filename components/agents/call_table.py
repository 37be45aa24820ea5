"""The last calls of agents in this workspace: what they called, what came of it, and how long it took. No texts."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from components.kit.wording import apart
from components.server.agents.call_log import CALLS, RecordedCall
from components.session.identity import deployment
from components.session.page.page_frame import fragment
from components.session.workspace import workspace

__all__ = ["call_table"]

_AGAIN = 5
"""Seconds between two looks."""
_ROW, _HEAD, _MOST = 35, 38, 520
"""Heights in pixels."""


@fragment(run_every=_AGAIN)
def call_table() -> None:
    """Draw it; `workspace()` asks whether who looks may see the workspace."""
    calls = CALLS.of(workspace().uri)
    if not calls:
        st.caption("No agent has called this workspace since the server started.")
        return
    st.dataframe(
        pd.DataFrame([_row(one) for one in calls]),
        hide_index=True,
        height=min(_HEAD + _ROW * len(calls), _MOST),
        column_config={
            "When": st.column_config.DatetimeColumn(format="distance", width=120),
            "Tokens": st.column_config.NumberColumn(format="localized", help="Of the answer, about."),
            "Time": st.column_config.NumberColumn(format="%d ms"),
        },
        alt="The last calls of agents in this workspace, newest first",
    )


def _row(call: RecordedCall) -> dict[str, object]:
    person = deployment().people.get(call.person) if call.token else None
    who = {"Agent": apart(call.agent), "For": apart(person.name) if person else "Somebody"} if call.token else {}
    return {
        "When": datetime.fromtimestamp(call.at, UTC),
        "Tool": call.tool,
        **who,
        "Outcome": call.outcome.capitalize(),
        "Tokens": call.tokens,
        "Time": round(call.ms),
    }

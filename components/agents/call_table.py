"""The last calls of agents in this workspace; who the agent acted for also sees what it asked and got."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from components.agents.answer_view import TIME_HELP, TOKENS_HELP, answer_view
from components.kit.pick_table import pick_row
from components.kit.wording import apart
from components.server.agents.call_log import CALLS, RecordedCall, texts_of
from components.session.host import host
from components.session.page.page_frame import fragment
from components.session.workspace import workspace

__all__ = ["call_table"]

_AGAIN = 5
"""Seconds between two looks."""
_HEIGHT = 285
"""Of the table in pixels, where it is longer than that."""
_SHORT = 7
"""Rows that take less."""
_PICKED = "agents.calls.picked"


@fragment(run_every=_AGAIN)
def call_table() -> None:
    """Draw it; `workspace()` asks whether who looks may see the workspace."""
    calls = CALLS.of(workspace().uri)
    if not calls:
        st.markdown("**No agent has called this workspace yet.**")
        st.caption(
            "Connect one under Connect and ask it something: its calls appear here within seconds. The list holds the "
            "last 50 calls since the server started. A client that starts Chunkscope itself, such as Claude Desktop, "
            "does not call this server."
        )
        return
    picked = calls[_pick(calls)]
    st.session_state[_PICKED] = picked
    person = host().user()
    texts = texts_of(picked, person.id) if person else None
    if texts is not None:
        answer_view(
            picked.tool, texts.given, texts.answer, refused=picked.outcome == "refused", ms=picked.ms, key="agents.call"
        )
    elif person and picked.person != person.id:
        st.caption("An agent's questions and answers are shown only to the person it acted for.")
    else:
        st.caption(
            "The texts of this call are no longer kept: the server keeps only the latest ones, until a document is "
            "deleted."
        )


def _pick(calls: list[RecordedCall]) -> int:
    """The row that is picked stays so when calls are added above it; the newest until somebody picks one."""
    before = st.session_state.get(_PICKED)
    newest = calls[0]
    rows = pd.DataFrame([_row(one) for one in calls])
    return pick_row(
        rows,
        key=f"agents.calls.{newest.number}.{newest.at}",
        default=calls.index(before) if before in calls else 0,
        height=_HEIGHT if len(calls) > _SHORT else "auto",
        columns={
            "When": st.column_config.DatetimeColumn(format="distance", width=130, help="When the answer was sent."),
            "Returned": st.column_config.TextColumn(
                help="Size of the answer. A refused call gets one sentence that says why."
            ),
            "Tokens": st.column_config.NumberColumn(format="localized", help=TOKENS_HELP),
            "Time (ms)": st.column_config.NumberColumn(format="localized", help=TIME_HELP),
        },
        alt="The latest agent calls in this workspace, newest first",
    )


def _row(call: RecordedCall) -> dict[str, object]:
    who = (
        {"Agent": apart(call.agent), "For": apart(host().person_name(call.person)) or "Somebody"} if call.token else {}
    )
    return {
        "When": datetime.fromtimestamp(call.at, UTC),
        "Tool": call.tool,
        "Returned": call.returned or call.outcome.capitalize(),
        **who,
        "Tokens": call.tokens,
        "Time (ms)": round(call.ms),
    }

"""The latest agent calls of the workspace, and one call with its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import streamlit as st

from chunking.llm.metering import tokens_about
from components.kit.pick_table import pick_row
from components.kit.wording import isolated, plain, without_folders
from components.server.agents.call_log import CALLS, RecordedCall, texts_of
from components.session.host import host
from components.session.page.page_frame import fragment
from components.session.workspace import workspace

__all__ = ["answer_view", "call_table"]

_AGAIN = 5
"""Seconds between two updates."""
_HEIGHT = 285
"""Height of a long table in pixels."""
_SHORT = 7
"""Most rows of a table without a fixed height."""
_PICKED = "agents.calls.picked"

_ANSWER_HEIGHT = 520
"""Most height of an answer in pixels."""
_LINE = 21
_LINKS = 5
_SECONDS = 10_000
"""Milliseconds from which a time is shown in seconds."""
TOKENS_HELP = (
    "Tokens of the agent's context that the answer uses, estimated from its length: each model counts a little "
    "differently."
)
TIME_HELP = (
    "Time from the call to its answer, on the server. The first search after a start also loads the embedding model."
)


@fragment(run_every=_AGAIN)
def call_table() -> None:
    """Draw the workspace's latest agent calls, and the picked one's answer; updates by itself.

    Texts are shown only to the person that the agent acted for; `workspace()` checks the viewer's rights.
    """
    calls = CALLS.of(workspace().uri)
    if not calls:
        st.markdown("**No agent has called this workspace yet.**")
        st.caption(
            "Connect one under Connect and ask it something: its calls appear here within seconds. The list "
            "holds the last 50 calls since the server started. A client that starts Chunkscope itself, such "
            "as Claude Desktop, does not call this server."
        )
        return
    picked = calls[_pick(calls)]
    st.session_state[_PICKED] = picked
    person = host().user()
    texts = texts_of(picked, person.id) if person else None
    if texts is not None:
        answer_view(
            picked.tool,
            texts.arguments,
            texts.answer,
            refused=picked.outcome == "refused",
            ms=picked.ms,
            key="agents.call",
        )
    elif person and picked.person != person.id:
        st.caption("An agent's questions and answers are shown only to the person it acted for.")
    else:
        st.caption(
            "The texts of this call are no longer kept: the server keeps only the latest ones, until a "
            "document is deleted."
        )


def _pick(calls: list[RecordedCall]) -> int:
    """Draw the table and return the picked call's number.

    A picked call stays picked when newer ones are added; before that, it is the newest.
    """
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
    agent = (
        {"Agent": isolated(call.agent), "For": isolated(host().person_name(call.person)) or "Somebody"}
        if call.token
        else {}
    )
    return {
        "When": datetime.fromtimestamp(call.at, UTC),
        "Tool": call.tool,
        "Returned": call.returned or call.outcome.capitalize(),
        **agent,
        "Tokens": call.tokens,
        "Time (ms)": round(call.ms),
    }


def answer_view(tool: str, arguments: Mapping[str, Any], answer: str, *, refused: bool, ms: float, key: str) -> None:
    """Draw a tool call, then its answer with tokens, time and links, or why it was refused.

    Args:
        arguments: arguments of the call.
        answer: JSON, or the sentence that refused the call.
        ms: milliseconds it took.
    """
    st.caption("Call")
    st.code(f"{tool} {json.dumps(arguments, ensure_ascii=False)}", language=None, wrap_lines=True)
    if refused:
        st.error(plain(answer), icon=":material/error:")
        return
    with st.container(horizontal=True, gap="medium", key=f"{key}.cost"):
        st.caption("Answer", width="content")
        st.caption(f"about {tokens_about(answer):,} tokens", width="content", help=TOKENS_HELP)
        st.caption(f"{ms:,.0f} ms" if ms < _SECONDS else f"{ms / 1_000:,.1f} s", width="content", help=TIME_HELP)
    _links(answer)
    text = _indented(answer)
    st.code(
        without_folders(text),
        language=None,
        wrap_lines=True,
        height=_ANSWER_HEIGHT if text.count("\n") * _LINE > _ANSWER_HEIGHT else "content",
    )


def _indented(answer: str) -> str:
    try:
        return json.dumps(json.loads(answer), ensure_ascii=False, indent=2)
    except ValueError:  # the beginning of a long one
        return answer


def _links(answer: str) -> None:
    """Draw links to the spans that the answer cites."""
    data: Any = {}
    with suppress(ValueError):
        data = json.loads(answer)
    lines = [data, *data.get("results", []), *data.get("related", [])]
    links = [
        f"[{plain(one['title'])}]({one['url']})"
        for one in lines
        if one.get("title") and str(one.get("url", "")).startswith("http")
    ]
    if links:
        st.markdown(f":small[:material/open_in_new: Open in the app: {' · '.join(links[:_LINKS])}]")

"""Each tool of agents to try: a form made of its arguments, and the very answer that an agent would get."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from chunking.agents import FULL_TOOLS, AgentTool, AppAddress, Toolbox, plain_answer
from chunking.errors import ChunkscopeError
from components.agents.answer_view import answer_view
from components.agents.argument_fields import arguments_of
from components.agents.connect_panel import app_address
from components.kit.wording import apart
from components.server.agents.queued_index import QueuedIndex
from components.session.current_workspace import ASKED, linked
from components.session.editing import editing
from components.session.host import deployment, host
from components.session.workspace import workspace

__all__ = ["tool_panel"]

_ANSWERS = "agents.answers"
_IDS = "agents.ids"
_MOST_IDS = 30
_UNSURE = "Tick the box first: deletions here cannot be undone."


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a tool has answered in this session."""

    uri: str
    """Address of the workspace."""
    given: Mapping[str, Any]
    text: str
    """JSON, or the sentence that refused the call."""
    refused: bool
    ms: float


def tool_panel() -> None:
    """A tool to choose, its form, and its last answer."""
    tools = {tool.name: tool for tool in FULL_TOOLS}
    name = st.segmented_control("Tool", list(tools), default=FULL_TOOLS[0].name, required=True, key="agents.tool")
    tool = tools[name or FULL_TOOLS[0].name]
    st.caption(tool.description)
    target = workspace()
    left, right = st.columns([2, 3], gap="medium")
    answers: dict[str, _Answer] = st.session_state.setdefault(_ANSWERS, {})
    with left, st.form(f"agents.form.{tool.name}"):
        given = arguments_of(tool, target, st.session_state.get(_IDS, {}))
        sure = not tool.destructive or st.checkbox("Delete them for good", key="agents.sure")
        looks = editing(type="primary") if tool.writes else {"type": "primary"}
        if st.form_submit_button("Call", icon=":material/play_arrow:", **looks):
            with st.spinner("Calling …"):
                answers[tool.name] = _called(tool, given) if sure else _Answer(target.uri, given, _UNSURE, True, 0.0)
    answer = answers.get(tool.name)
    with right:
        if answer is None or answer.uri != target.uri:
            st.caption("The answer appears here as an agent gets it: JSON, with its size in tokens and its time.")
        else:
            answer_view(tool.name, answer.given, answer.text, refused=answer.refused, ms=answer.ms, key="agents.try")


def _called(tool: AgentTool, given: dict[str, Any]) -> _Answer:
    target, began = workspace(), time.perf_counter()
    try:
        if tool.searches:
            deployment().quotas.check_search(host().counted_as())
        data = plain_answer(tool.call(_toolbox(), given))
        _note_ids(data)
        text, refused = json.dumps(data, ensure_ascii=False, separators=(",", ":")), False
    except ChunkscopeError as error:
        text, refused = str(error), True
    return _Answer(target.uri, given, text, refused, 1_000 * (time.perf_counter() - began))


def _toolbox() -> Toolbox:
    """Of this session's person, with what they may do in the workspace that they look at."""
    opened, person = workspace(), host().paid_by()
    return Toolbox(
        lambda: opened,
        AppAddress(app_address(), linked().get(ASKED, "")),
        deployment().settings.folders,
        QueuedIndex(person),
    )


def _note_ids(data: Mapping[str, Any]) -> None:
    """Results and sections can be passed on to `fetch`, as an agent passes them on."""
    lines = data.get("results") or data.get("sections") or []
    if lines:
        st.session_state[_IDS] = {one["id"]: apart(one["title"]) for one in lines[:_MOST_IDS]}

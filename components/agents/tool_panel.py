"""Each tool of agents to try: a form made of its arguments, and the very answer that an agent would get."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import streamlit as st
from annotated_types import Ge, Le, MaxLen
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from chunking.agents import FULL_TOOLS, AgentTool, AppAddress, Toolbox, plain_answer
from chunking.errors import ChunkscopeError
from chunking.llm.metering import tokens_about
from components.agents.connect_panel import app_address
from components.kit.wording import plain
from components.server.agents.queued_index import QueuedIndex
from components.session.current_workspace import ASKED, linked
from components.session.editing import editing
from components.session.identity import counted_as, deployment, paid_by
from components.session.workspace import workspace

__all__ = ["tool_panel"]

_ANSWER = "agents.answer"
_LONG = 10_000
"""Characters from which a text gets a field of several lines."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a tool has answered in this session."""

    tool: str
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
    left, right = st.columns([2, 3], gap="medium")
    with left, st.form(f"agents.form.{tool.name}"):
        given = {key: _field(tool, key, field) for key, field in tool.arguments.model_fields.items()}
        looks = editing(type="primary") if tool.writes else {"type": "primary"}
        if st.form_submit_button("Call", icon=":material/play_arrow:", **looks):
            with st.spinner("Calling …"):
                st.session_state[_ANSWER] = _called(tool, _changed(tool, given))
    answer: _Answer | None = st.session_state.get(_ANSWER)
    if answer is not None and answer.tool == tool.name:
        with right:
            _draw(answer)


def _called(tool: AgentTool, given: dict[str, Any]) -> _Answer:
    began = time.perf_counter()
    try:
        if tool.searches:
            deployment().quotas.check_search(counted_as())
        text, refused = json.dumps(plain_answer(tool.call(_toolbox(), given)), ensure_ascii=False), False
    except ChunkscopeError as error:
        text, refused = str(error), True
    return _Answer(tool.name, text, refused, 1_000 * (time.perf_counter() - began))


def _toolbox() -> Toolbox:
    """Of this session's person, with what they may do in the workspace that they look at."""
    opened, person = workspace(), paid_by()
    return Toolbox(lambda: opened, AppAddress(app_address(), linked().get(ASKED, "")), deployment().settings.folders, QueuedIndex(person))


def _draw(answer: _Answer) -> None:
    if answer.refused:
        st.error(plain(answer.text), icon=":material/error:")
        return
    st.caption(f"About {tokens_about(answer.text):,} tokens · {answer.ms:,.0f} ms")
    st.code(json.dumps(json.loads(answer.text), ensure_ascii=False, indent=2), language=None, wrap_lines=True)


# -- a field an argument


def _field(tool: AgentTool, name: str, field: FieldInfo) -> Any:
    draw = next((draw for fits, draw in _FIELDS if fits(field)), _text)
    return draw(name, field, key=f"agents.{tool.name}.{name}", help=field.description)


def _changed(tool: AgentTool, given: Mapping[str, Any]) -> dict[str, Any]:
    """What differs from the defaults: the call that an agent would make."""
    fields = tool.arguments.model_fields
    return {name: value for name, value in given.items() if fields[name].is_required() or value != _shown(fields[name])}


def _shown(field: FieldInfo) -> Any:
    """The default as its field shows it."""
    default = field.get_default(call_default_factory=True)
    if default is PydanticUndefined:
        return ""
    return default if isinstance(default, (bool, int, str)) else json.dumps(default) if default else ""


def _limit(field: FieldInfo, kind: type[Any], name: str) -> Any:
    return next((getattr(one, name) for one in field.metadata if isinstance(one, kind)), None)


def _switch(name: str, field: FieldInfo, **looks: Any) -> bool:
    return st.toggle(name, value=bool(_shown(field)), **looks)


def _number(name: str, field: FieldInfo, **looks: Any) -> int:
    return int(st.number_input(name, _limit(field, Ge, "ge"), _limit(field, Le, "le"), int(_shown(field)), 1, **looks))


def _choice(name: str, field: FieldInfo, **looks: Any) -> str:
    options = list(get_args(field.annotation))
    return str(st.selectbox(name, options, options.index(_shown(field)), format_func=lambda one: one or "all", **looks))


def _text(name: str, field: FieldInfo, **looks: Any) -> str:
    most = _limit(field, MaxLen, "max_length") if field.annotation is str else None
    draw = st.text_area if most is not None and most > _LONG else st.text_input
    return str(draw(name, str(_shown(field)), max_chars=most, **looks))


_FIELDS: tuple[tuple[Callable[[FieldInfo], bool], Callable[..., Any]], ...] = (
    (lambda field: field.annotation is bool, _switch),
    (lambda field: field.annotation is int, _number),
    (lambda field: get_origin(field.annotation) is Literal, _choice),
)
"""Which field an argument gets; others are typed, objects and lists as JSON."""

"""A form to try the agents' tools, generated from their arguments, with the answer an agent gets."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import streamlit as st
from annotated_types import Ge, Le, MaxLen
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from chunking.agents import FULL_TOOLS, AgentTool, AppAddress, Toolbox, plain_answer
from chunking.config import Retrieval
from chunking.errors import ChunkscopeError
from chunking.evaluation import set_names
from chunking.store import DocumentRow, Workspace
from components.agents.call_table import answer_view
from components.agents.connect_panel import app_address
from components.kit.bounded_options import find_options
from components.kit.wording import isolated
from components.search.example_questions import examples
from components.server.agents.app_server import QueuedIndex
from components.session.current_workspace import ASKED, editing, linked
from components.session.host import deployment, host
from components.session.workspace import workspace

__all__ = ["tool_panel"]

_ANSWERS = "agents.answers"
_IDS = "agents.ids"
_MOST_IDS = 30
_UNSURE = "Tick the box first: deletions here cannot be undone."

_LONG = 10_000
"""Most characters of a one-line text field; longer texts get several lines."""
_LABELS = {
    "k": "Results",
    "n": "Documents",
    "doc": "Document",
    "ids": "Documents",
    "id": "Document, section or chunk",
    "budget": "Budget (tokens)",
    "neighbours": "Neighbours (chunks)",
    "operators": "Quotation marks are phrases",
    "cursor": "Cursor",
    "questions": "Question set",
    "part": "Split",
}
"""Labels of arguments whose name says too little."""
_EVERY = {"part": "whole set", "questions": "the newest"}
"""Labels of empty choices."""
_FEW = 3
"""Most arguments that are all in view; of more, only the required ones are."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """Last answer of a tool in this session."""

    uri: str
    """Address of the workspace."""
    arguments: Mapping[str, Any]
    text: str
    """JSON, or the sentence that refused the call."""
    refused: bool
    ms: float


def tool_panel() -> None:
    """Draw the choice of a tool and its form, call it at a click, and draw its last answer."""
    tools = {tool.name: tool for tool in FULL_TOOLS}
    name = st.segmented_control("Tool", list(tools), default=FULL_TOOLS[0].name, required=True, key="agents.tool")
    tool = tools[name or FULL_TOOLS[0].name]
    st.caption(tool.description)
    target = workspace()
    left, right = st.columns([2, 3], gap="medium")
    answers: dict[str, _Answer] = st.session_state.setdefault(_ANSWERS, {})
    with left, st.form(f"agents.form.{tool.name}"):
        arguments = arguments_of(tool, target, st.session_state.get(_IDS, {}))
        sure = not tool.destructive or st.checkbox("Delete them for good", key="agents.sure")
        looks = editing(type="primary") if tool.writes else {"type": "primary"}
        if st.form_submit_button("Call", icon=":material/play_arrow:", **looks):
            with st.spinner("Calling …"):
                answers[tool.name] = (
                    _call_tool(tool, arguments) if sure else _Answer(target.uri, arguments, _UNSURE, True, 0.0)
                )
    answer = answers.get(tool.name)
    with right:
        if answer is None or answer.uri != target.uri:
            st.caption("The answer appears here as an agent gets it: JSON, with its size in tokens and its time.")
        else:
            answer_view(
                tool.name, answer.arguments, answer.text, refused=answer.refused, ms=answer.ms, key="agents.try"
            )


def _call_tool(tool: AgentTool, arguments: dict[str, Any]) -> _Answer:
    target, began = workspace(), time.perf_counter()
    try:
        if tool.searches:
            deployment().quotas.check_search(host().counted_as())
        data = plain_answer(tool.call(_toolbox(), arguments))
        _note_ids(data)
        text, refused = json.dumps(data, ensure_ascii=False, separators=(",", ":")), False
    except ChunkscopeError as error:
        text, refused = str(error), True
    return _Answer(target.uri, arguments, text, refused, 1_000 * (time.perf_counter() - began))


def _toolbox() -> Toolbox:
    """Return the tools of this session's user over the current workspace."""
    target, person = workspace(), host().paid_by()
    return Toolbox(
        lambda: target,
        AppAddress(app_address(), linked().get(ASKED, "")),
        deployment().settings.folders,
        QueuedIndex(person),
    )


def _note_ids(data: Mapping[str, Any]) -> None:
    """Offer the ids of results and sections as arguments of `fetch`."""
    lines = data.get("results") or data.get("sections") or []
    if lines:
        st.session_state[_IDS] = {one["id"]: isolated(one["title"]) for one in lines[:_MOST_IDS]}


def arguments_of(tool: AgentTool, target: Workspace, ids: Mapping[str, str]) -> dict[str, Any]:
    """Draw the fields of a tool, and return its required and its changed arguments.

    Args:
        ids: ids of sections and chunks in earlier answers, with their titles.
    """
    fields = tool.arguments.model_fields
    names = list(fields)
    shown = names if len(names) <= _FEW else [name for name in names if fields[name].is_required()]
    rest = [name for name in names if name not in shown]
    arguments = {name: _field(tool, name, fields[name], target, ids) for name in shown}
    if rest:
        with st.expander("More arguments", key=f"agents.{tool.name}.more"):
            arguments |= {name: _field(tool, name, fields[name], target, ids) for name in rest}
    return {
        name: value
        for name, value in arguments.items()
        if fields[name].is_required() or value != _default(fields[name])
    }


def _field(tool: AgentTool, name: str, field: FieldInfo, target: Workspace, ids: Mapping[str, str]) -> Any:
    label = _LABELS.get(name, name.capitalize())
    looks = {"key": f"agents.{tool.name}.{name}", "help": f"{field.description} Argument `{name}`."}
    if name in _CHOICES:
        return _CHOICES[name](label, field, target, ids, looks)
    draw = next((draw for fits, draw in _FIELDS if fits(field)), _text)
    return draw(label, field, **({"example": _example(name, target)} if draw is _text else {}), **looks)


def _example(name: str, target: Workspace) -> str:
    if name == "query":
        return next(iter(examples(target)), "")
    return {"filters": '{"path": "handbook"}', "name": "notes.md", "path": "A file or folder"}.get(name, "")


def _default(field: FieldInfo) -> Any:
    """Return an argument's default as its field shows it."""
    default = field.get_default(call_default_factory=True)
    if default is PydanticUndefined:
        return ""
    return default if isinstance(default, (bool, int, str)) else json.dumps(default) if default else ""


def _limit(field: FieldInfo, kind: type[Any], name: str) -> Any:
    return next((getattr(one, name) for one in field.metadata if isinstance(one, kind)), None)


# -- by type


def _switch(label: str, field: FieldInfo, **looks: Any) -> bool:
    return st.toggle(label, value=bool(_default(field)), **looks)


def _number(label: str, field: FieldInfo, **looks: Any) -> int:
    return int(
        st.number_input(label, _limit(field, Ge, "ge"), _limit(field, Le, "le"), int(_default(field)), 1, **looks)
    )


def _choice(label: str, field: FieldInfo, **looks: Any) -> str:
    options = list(get_args(field.annotation))
    empty = _EVERY.get(looks["key"].rpartition(".")[2], "all")
    return str(
        st.selectbox(label, options, options.index(_default(field)), format_func=lambda one: one or empty, **looks)
    )


def _text(label: str, field: FieldInfo, *, example: str, **looks: Any) -> str:
    most = _limit(field, MaxLen, "max_length") if field.annotation is str else None
    draw = st.text_area if most is not None and most > _LONG else st.text_input
    first = example if field.is_required() else str(_default(field))  # so that the first call needs no typing
    return str(draw(label, first, max_chars=most, placeholder=example, **looks))


_FIELDS: tuple[tuple[Callable[[FieldInfo], bool], Callable[..., Any]], ...] = (
    (lambda field: field.annotation is bool, _switch),
    (lambda field: field.annotation is int, _number),
    (lambda field: get_origin(field.annotation) is Literal, _choice),
)
"""Tests of arguments with their fields; other arguments are typed, objects as JSON."""


# -- by what the workspace holds; an agent can send anything, so anything can be typed


def _one_of(label: str, titles: Mapping[str, str], looks: Mapping[str, Any]) -> str:
    options = find_options(titles, key=str(looks["key"]))
    chosen = st.selectbox(label, options, format_func=lambda id: titles.get(id, id), accept_new_options=True, **looks)
    return str(chosen or "")


def _titles(rows: Sequence[DocumentRow]) -> dict[str, str]:
    return {row.doc_id: isolated(row.title or row.doc_id) for row in rows}


def _document(label: str, field: FieldInfo, target: Workspace, ids: Mapping[str, str], looks: Mapping[str, Any]) -> str:
    return _one_of(label, target.derived(_titles), looks)


def _part(label: str, field: FieldInfo, target: Workspace, ids: Mapping[str, str], looks: Mapping[str, Any]) -> str:
    return _one_of(label, {**ids, **target.derived(_titles)}, looks)


def _several(
    label: str, field: FieldInfo, target: Workspace, ids: Mapping[str, str], looks: Mapping[str, Any]
) -> list[str]:
    titles = target.derived(_titles)
    return list(
        st.multiselect(
            label,
            find_options(titles, key=str(looks["key"]), chosen=st.session_state.get(looks["key"], ())),
            format_func=lambda id: titles.get(id, id),
            placeholder="Choose documents",
            **looks,
        )
    )


def _retrieval(
    label: str, field: FieldInfo, target: Workspace, ids: Mapping[str, str], looks: Mapping[str, Any]
) -> str:
    return str(st.selectbox(label, [_default(field), *(mode.value for mode in Retrieval)], **looks))


def _questions(
    label: str, field: FieldInfo, target: Workspace, ids: Mapping[str, str], looks: Mapping[str, Any]
) -> str:
    names = ["", *set_names(target)]
    return str(
        st.selectbox(label, names, format_func=lambda name: isolated(name) if name else _EVERY["questions"], **looks)
    )


_CHOICES: Mapping[str, Callable[..., Any]] = {
    "doc": _document,
    "id": _part,
    "ids": _several,
    "retrieval": _retrieval,
    "questions": _questions,
}
"""Fields of arguments that list what the workspace holds."""

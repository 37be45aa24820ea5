"""Ways to come by questions: the samples, a file, the documents themselves, or a person who selects an answer in the
text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import streamlit as st

from chunking.store import Workspace
from components.evaluate.labelling import labelling
from components.evaluate.questions.question_import import importing
from components.evaluate.questions.questions_by_model import asking_model
from components.evaluate.questions.questions_by_rule import generating
from components.session.editing import editing
from components.session.questions.question_state import SAMPLE_SET, sample_set_button, set_names

__all__ = ["beginning", "ways"]

_RULE, _MODEL = "By rule, on this machine", "By a language model"
_OPEN = "evaluate.way"
"""Session key: the way whose form is open."""


class Way(NamedTuple):
    """A way to come by questions."""

    key: str
    icon: str
    title: str
    what: str
    button: str
    """Opens its form; empty where it leads elsewhere."""


_WAYS = (
    Way(
        "samples",
        "science",
        "The sample questions",
        "227 questions on the sample documents, in English and Chinese. One click.",
        "",
    ),
    Way(
        "file",
        "upload_file",
        "A file",
        "CSV or JSONL with questions and the exact text of their gold answers.",
        "Import a file",
    ),
    Way(
        "make",
        "auto_awesome",
        "Generated from your documents",
        "From headings and key phrases, or by a language model.",
        "Make questions",
    ),
    Way(
        "label",
        "fact_check",
        "Real queries, labelled by you",
        "A list of queries, or the searches made here. Mark the answers in the results, by keyboard.",
        "Label queries",
    ),
    Way(
        "write",
        "edit_note",
        "Written by you",
        "Select the answer in the text on the Chunks page, and type the question.",
        "",
    ),
)


def beginning(target: Workspace) -> None:
    """The page before there is any question: what it is for, and the next step."""
    st.markdown(
        "**Which settings find the answers in your documents?** Provide a question set: questions whose answers are "
        "passages of the text. Each question is searched for, and the results are compared with its gold answer, "
        "character by character."
    )
    ways(target)


def ways(target: Workspace) -> None:
    """The ways side by side, and the form of the one that was chosen."""
    there = SAMPLE_SET in set_names()
    shown = [way for way in _WAYS if way.key != "samples" or not there]
    for column, way in zip(st.columns(len(shown), gap="small"), shown, strict=True):
        with column, st.container(border=True, height="stretch", key=f"evaluate.way.{way.key}"):
            st.markdown(f":material/{way.icon}: **{way.title}**")
            st.caption(way.what)
            _go(way, primary=not there)
    chosen: str = st.session_state.get(_OPEN, "")
    if chosen in _FORMS:
        with st.container(border=True, key="evaluate.ways"):
            _FORMS[chosen](target)


def _go(way: Way, *, primary: bool) -> None:
    """What leads along a way."""
    if way.key == "samples":
        if sample_set_button(primary=primary):
            st.rerun()
    elif way.key == "write":
        st.page_link("pages/chunks.py", label="Go to Chunks", icon=":material/arrow_forward:", width="content")
    else:
        st.button(way.button, key=f"evaluate.way.{way.key}.open", on_click=_open, args=(way.key,), **editing())


def _open(key: str) -> None:
    st.session_state[_OPEN] = key


def _make(target: Workspace) -> None:
    """By rule, or by a language model."""
    by = st.segmented_control(
        "Made by", (_RULE, _MODEL), default=_RULE, required=True, label_visibility="collapsed", key="evaluate.make"
    )
    generating(target) if by == _RULE else asking_model(target)


_FORMS: Mapping[str, Callable[[Workspace], None]] = {"file": importing, "make": _make, "label": labelling}

"""Questions made from the documents: by rule, each kind with how it is made, or by a language model where one is
configured.
"""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from chunking.evaluation import Made, generate
from chunking.store import Workspace
from components.evaluate.questions.set_saving import keep, name_field, saved_in
from components.kit.button import button
from components.kit.wording import quantity
from components.session.editing import editing
from components.session.page.page_frame import sentences

__all__ = ["generating"]


class QuestionRule(NamedTuple):
    """A way to make questions by rule."""

    made: Made
    label: str
    how: str


_KINDS = (
    QuestionRule(
        Made.HEADING,
        "Headings",
        (
            "The heading is the question, the first sentences below it are the gold answer. A prefix with titles "
            "makes these easy."
        ),
    ),
    QuestionRule(
        Made.PHRASE,
        "Key phrases",
        "Asks for a phrase typical of a document; the answer is the sentence that explains it.",
    ),
)
_NAME = "Generated questions"
_MOST = 50


def generating(target: Workspace) -> None:
    """Which kinds and how many; pressed, they are made, saved and chosen."""
    st.caption(
        "Generated questions use the words of the text, so any search finds them more easily than real questions: "
        "good for comparing settings, not for judging how good a search is."
    )
    kinds = []
    for kind in _KINDS:
        with st.container(gap=None):
            if st.checkbox(f"**{kind.label}**", value=True, key=f"generating.{kind.made}"):
                kinds.append(kind.made)
            st.caption(kind.how)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        most = int(st.number_input("Questions, at most", 1, 1_000, _MOST, 10, key="generating.most", width=150))
        name = name_field(_NAME, key="generating.name")
        pressed = button(
            "Generate questions", type="primary", key="generating.go", **editing(disabled=not kinds or not name)
        )
    if pressed:
        with sentences():
            with st.spinner(f"Reading {quantity(len(target.documents()), 'document')} …"):
                documents = list(target.read_documents([row.doc_id for row in target.documents()]))
                made = generate(documents, kinds, most=most, taken=saved_in(target, name))
            keep(target, name, made)
            st.rerun()

"""The front page of a workspace with the samples: their story, and the ways on from it."""

from __future__ import annotations

import streamlit as st

from chunking.config import Config
from chunking.evaluation import free_name
from chunking.samples import BASELINE, SAMPLE_SET
from components.guide.guide_steps import STEPS, has_samples, open_again, restore_settings
from components.home.sample_story import missing_runs, sample_story
from components.home.story_picture import draw_story, how_measured
from components.kit.button import button
from components.kit.glossary_lines import glossary_button, glossary_list
from components.kit.wording import quantity
from components.session import share
from components.session.current_workspace import choices, editing, switch, why_only_viewing
from components.session.host import deployment, host
from components.session.page.page_frame import dialog, sentences
from components.session.workspace import begin_empty, empty, workspace, writing

__all__ = ["can_play", "draw_samples"]

_OWN = "My documents"
"""Name of a workspace made for the user's own documents."""


def can_play() -> bool:
    """True if the workspace is the samples, with the guide above its pages: not in a snapshot."""
    return has_samples() and (bool(choices()) or not why_only_viewing())


def draw_samples() -> None:
    """Draw what the program is for, the buttons, and the story of the samples."""
    st.title("Choose how to split your documents for RAG by measuring what search finds.", anchor=False)
    st.caption(
        "For teams building an assistant or search over their own documents (retrieval-augmented generation, RAG)."
    )
    with st.container(horizontal=True, key="home.actions"):
        if button(
            f"Play it: {len(STEPS)} clicks",
            type="primary",
            icon=":material/play_arrow:",
            key="home.play",
            help=_play_help(),
        ):
            _play()
        _own_documents()
        if button("Read how", type="tertiary", icon=":material/menu_book:", key="home.how"):
            read_how()
    story = sample_story()
    if story is not None:
        draw_story(story)
    else:
        _no_story()
    glossary_list("Home")
    glossary_button("home.words")


def _play_help() -> str:
    return f"The guide: {quantity(len(STEPS), 'click')} through these documents, from the baseline to a report."


def _play() -> None:
    """Open the guide at its first step."""
    open_again()
    STEPS[0].act(1)
    st.switch_page(STEPS[0].page)


def _own_documents() -> None:
    """Draw the button that leads to a workspace without documents: a new one, or in a demo the emptied copy."""
    new = bool(choices())
    looks = (
        {"help": "Makes an empty workspace; the samples stay in this one."}
        if new
        else editing(help="Empties your copy. *Reset to samples* on Documents brings the samples back.")
    )
    if not button("Use my documents", icon=":material/upload_file:", key="home.own", **looks):
        return
    with sentences():
        restore_settings()
        if new:
            _switch_to_new()
        else:
            with writing(workspace()):
                empty(workspace())
        share.keep_view(doc=None, chunk=None)
        st.switch_page("pages/documents.py")


def _switch_to_new() -> None:
    here, person = deployment(), host().user()
    assert person is not None
    here.quotas.check_disk(person.id)
    switch(here.workspaces.create(free_name(_OWN, [one.name for one in choices()]), person.id, fill=begin_empty))


def _no_story() -> None:
    """Draw that a measurement is missing, and the button that goes on to make it."""
    config = missing_runs()[0]
    name = "baseline" if config == Config.from_settings(BASELINE) else "defaults"
    st.info(
        "These samples came without their measurements, so there is nothing to compare yet. Evaluate the "
        "baseline and the defaults on the sample questions: this page then shows what each finds.",
        icon=":material/query_stats:",
    )
    if button(f"Evaluate the {name}", icon=":material/arrow_forward:", key="home.measure"):
        share.keep_config(config)
        share.keep_view(questions=SAMPLE_SET, run=None, against=None)
        st.switch_page("pages/evaluate.py")


@dialog("How it works")
def read_how() -> None:
    """Draw how documents become found answers, how the numbers were made, and where to see more."""
    st.markdown(
        "A document is split into **chunks**. A search finds the few that fit a question, and a language model reads "
        "only those: an answer that is split between two, or ranked too low, is lost.\n\n"
        "Chunkscope shows the chunks in your text, searches a real index, and measures with your own questions which "
        "settings find more answers in fewer tokens."
    )
    story = sample_story()
    if story is None:
        return
    st.markdown(
        f"**The numbers.** Both searched the same sample documents. {how_measured(story)} Tokens: "
        "sent to the language model per question, on average."
    )
    if button("See both runs on Evaluate", icon=":material/arrow_forward:", key="home.runs"):
        share.keep_view(questions=SAMPLE_SET, run=story.chosen.run, against=story.baseline.run)
        st.switch_page("pages/evaluate.py")

"""Evaluate page: question sets, and how many gold answers the settings find."""

from __future__ import annotations

import streamlit as st

from chunking.evaluation import QuestionPart, Relocated
from chunking.store import Workspace, document_labels
from components.evaluate.evaluation_job import measure_box
from components.evaluate.labelling import labelling_work, open_queue_name
from components.evaluate.questions.first_questions import question_sources, start_page
from components.evaluate.questions.question_editor import question_editor
from components.evaluate.questions.question_review import tell_saved
from components.evaluate.questions.question_sets import lost_questions, set_actions, set_facts, syntax_toggle
from components.evaluate.run_results import results
from components.kit.glossary_lines import term_line
from components.kit.notes import no_documents
from components.session import share
from components.session.page.page_entry import show
from components.session.questions import question_state
from components.session.questions.run_state import runs_of
from components.session.workspace import workspace

MEASURE, QUESTIONS, MORE = "Evaluate", "Questions", "Add questions"


def draw_set_choice(target: Workspace) -> Relocated | None:
    """Draw the choice of the question set with its summary, and return the active set or None."""
    with st.container(width=380):
        question_state.choose_set(key="evaluate.set", spoken=True)
    active = question_state.active_set()
    if active is not None:
        syntax_toggle(target, active.questions)
        set_facts(active)
    return active


def measure_tab(target: Workspace, active: Relocated) -> None:
    """Draw the start of an evaluation and the runs; a warning if no gold answer is located."""
    questions = active.questions
    if not questions.questions:
        st.warning(
            "No gold answer of this set is in the documents. Add the documents it is about, or choose another set."
        )
        return
    sizes = {"": questions.measured} | {part.value: questions.of(part).measured for part in QuestionPart}
    config = share.config()
    done = [
        part
        for part, of in (("", questions), *((part.value, questions.of(part)) for part in QuestionPart))
        if any(run.config == config and run.answered and not run.error for run in runs_of(of))
    ]
    measure_box(target, questions.name, sizes, done)
    results(target, questions)


def questions_tab(target: Workspace, active: Relocated) -> None:
    """Draw the buttons that split, download or delete the set, and its editable table."""
    questions = active.as_saved or active.questions
    set_actions(target, questions)
    question_editor(target, questions, dict(active.lost), target.derived(document_labels))


def page() -> None:
    """Draw the open labelling queue, else the tabs of the question set, or how to get one."""
    target = workspace()
    bar = st.container(horizontal=True, vertical_alignment="center", gap="medium", key="evaluate.bar")
    bar.title("Evaluate", anchor=False, width="content")
    tell_saved()
    if not target.documents():
        no_documents("ask about")
        return
    labelled = open_queue_name(target)
    if labelled is not None:
        labelling_work(target, labelled, bar)
        return
    with bar:
        active = draw_set_choice(target) if question_state.set_names() else None
    st.caption("Asks every question, and checks whether search finds its answer with the current settings.")
    term_line("Question set", "Gold answer")
    if active is None:
        start_page(target)
        return
    lost_questions(active)
    tabs = st.tabs([MEASURE, QUESTIONS, MORE], key="evaluate.tab", on_change="rerun")
    for tab, draw in zip(tabs, (measure_tab, questions_tab, None), strict=True):
        if tab.open:
            with tab:
                draw(target, active) if draw else question_sources(target)


show(page)

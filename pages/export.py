"""Export page: report, questions, chunks, code and configuration as files."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from chunking.evaluation import EvaluationRun, QuestionPart, QuestionSet
from chunking.export import Material, shared_run
from chunking.store import IndexRow, Workspace
from components.export.cluster_card import cluster_job_card
from components.export.document_choice import document_choice
from components.export.export_cards import (
    configuration_card,
    document_export_cards,
    index_export_cards,
    question_export_cards,
    travel_list,
)
from components.export.report_card import report_card
from components.kit.notes import no_documents
from components.kit.wording import plain, quantity
from components.session import share
from components.session.page.page_entry import show
from components.session.questions import question_state
from components.session.questions.run_state import runs_of
from components.session.settings.settings_row import settings_row
from components.session.workspace import workspace
from components.tune.decision_cards import set_decision

MATERIAL = "export.material"
_MOST_DOCUMENTS = 50
"""Maximum documents that are chosen one by one."""


def choose_index(target: Workspace) -> IndexRow | None:
    """Return the linked index, else the newest, or None; draw a choice if there are several."""
    rows = {row.name: row for row in target.indexes()}
    if not rows:
        return None
    names = list(rows)
    linked = share.view("index")
    present = linked if linked in rows else names[0]
    if len(names) > 1:
        st.session_state["export.index"] = present
        st.selectbox(
            "Index",
            names,
            key="export.index",
            on_change=lambda: share.keep_view(index=st.session_state["export.index"]),
            width=260,
        )
    return rows[present]


def runs_on(questions: QuestionSet) -> list[EvaluationRun]:
    """Return successful runs on a set or its splits, newest first, without paths and addresses."""
    forms = {
        one.fingerprint: one for one in (questions, *(questions.of(part) for part in QuestionPart)) if one.questions
    }
    runs = [run for form in forms.values() for run in runs_of(form) if run.answered and not run.error]
    runs.sort(key=lambda run: run.made_at, reverse=True)
    return [shared_run(run, (workspace().uri,)) for run in runs]


def draw_report(target: Workspace) -> None:
    """Draw the cards of the report and of the questions; hints if there is no set or no run."""
    active = question_state.active_set()
    questions = active.questions if active else None
    if questions is None or not questions.questions:
        st.info(
            "There is no run to report on. Load or make a question set and evaluate the settings on it.",
            icon=":material/quiz:",
        )
        st.page_link("pages/evaluate.py", label="Go to Evaluate", icon=":material/arrow_forward:")
        return
    runs = runs_on(questions)
    material = Material(target, runs=tuple(runs), questions=questions)
    if runs:
        report_card(material, runs)
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info("There is no run on this question set yet: the report needs one.", icon=":material/lab_profile:")
            st.page_link("pages/evaluate.py", label="Go to Evaluate", icon=":material/arrow_forward:", width="content")
    question_export_cards(material)


def index_material(target: Workspace, row: IndexRow) -> Material:
    """Return the input of an index's exports, kept until the workspace changes."""
    key = (target.uri, target.version(), row.name)
    kept = st.session_state.get(MATERIAL)
    if kept is None or kept[0] != key:
        index = target.index(row.name)
        kept = st.session_state[MATERIAL] = (key, Material(target, index, index.config))
    material: Material = kept[1]
    return material


def draw_index_exports(target: Workspace, row: IndexRow | None) -> None:
    """Draw the cards that export an index; without one, a link to the Index page."""
    if row is None:
        st.info(
            "There is no index yet: chunks, scripts and settings are exported from one.", icon=":material/database:"
        )
        st.page_link("pages/index.py", label="Go to Index", icon=":material/arrow_forward:")
        return
    st.caption(
        f"From the index **{plain(row.name)}**: {quantity(row.chunks, 'chunk')} of "
        f"{quantity(row.documents, 'document')}."
    )
    material = index_material(target, row)
    travel_list(material)
    only = document_choice(
        material, "Chunks of some documents only", key="export.only", most=_MOST_DOCUMENTS, none="All documents"
    )
    chosen = replace(material, only=only) if only else material
    if only:
        st.caption(
            f"Chunks, LangChain Documents and LlamaIndex nodes of these documents only: "
            f"{quantity(chosen.chunk_count(every=False), 'chunk')}."
        )
    index_export_cards(chosen)
    settings_column, job_column = st.columns(2)
    with settings_column:
        configuration_card(material)
    with job_column:
        cluster_job_card(material)


def page() -> None:
    """Draw the Export page: report, questions, and the index and documents as files."""
    st.title("Export", anchor=False)
    st.caption(
        "A report, the questions with their results, chunks, code and the configuration, as files. No file contains "
        "paths of this machine, server addresses or keys."
    )
    target = workspace()
    if not target.documents():
        no_documents("export")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="export.bar"):
        if question_state.set_names():
            with st.container(width=320):
                question_state.choose_set(key="export.questions")
        row = choose_index(target)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
            st.markdown("Settings:", width="content")
            settings_row(key="export.settings")
    active = question_state.active_set()
    if active is not None:
        set_decision(active.questions, key="export.decision")
    draw_report(target)
    draw_index_exports(target, row)
    document_export_cards(Material(target))


show(page)

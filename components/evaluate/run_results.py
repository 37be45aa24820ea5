"""Results of a run: metrics, failure analysis and the table of questions."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from chunking.evaluation import (
    EvaluationRun,
    Interval,
    Measure,
    QuestionSet,
    Scores,
    score_run,
    summary,
    too_shallow,
    unjudged_results,
)
from chunking.store import Workspace, document_labels
from components.evaluate.failure_causes import causes_chart, most_help, tried_setting
from components.evaluate.metric_cards import measure_field, measure_words, metric_cards, more_metrics, unanswered_box
from components.evaluate.question_details import opened_question
from components.evaluate.questions.question_outcomes import question_rows, question_table
from components.evaluate.run_choice import choose_run, own_notes, run_facts, runs_of_set, stale_warning
from components.kit.notes import notes_box
from components.kit.wording import quantity
from components.session.document_caches import clear_when_unused
from components.session.page.page_frame import fragment, sentences

__all__ = ["results"]


def results(target: Workspace, questions: QuestionSet) -> None:
    """Draw the chosen run of a set, or a hint if there is none."""
    runs = runs_of_set(questions.name, questions)
    tried_setting(target, questions)
    if not runs:
        st.info(
            "There is no run yet. Evaluating shows how many gold answers these settings find, why the others fail, and "
            "the results of each question in the text.",
            icon=":material/query_stats:",
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="evaluate.runs"):
        run = choose_run(runs)
        run_facts(run, named=len(runs) > 1)
    stale_warning(target, run, questions)
    _numbers(target, run, questions)


@fragment()
def _numbers(target: Workspace, run: EvaluationRun, questions: QuestionSet) -> None:
    """Draw everything that depends on the measure, as a fragment."""
    with sentences():
        measure = measure_field(run)
        scores, summary = _scored(
            target.uri, target.runs.version, run.key, questions.fingerprint, measure, run, questions
        )
        unjudged = unjudged_results(run, questions, measure)
        if unanswered_box(run, questions) and not len(scores):
            return
        if not len(scores):
            st.info("None of the questions of this run is in the set any more. Evaluate again.")
            return
        short = too_shallow(run, measure)
        if short:
            st.caption(
                f"⚠ Too few results were stored for {quantity(short, 'question')}; the numbers are slightly too low."
            )
        rows = question_rows(run, questions, scores)
        numbers, causes = st.columns([1.25, 1], gap="medium")
        with numbers:
            metric_cards(summary, len(scores), measure, unjudged.sentence if unjudged else "")
        with causes, st.container(border=True, height="stretch", key="evaluate.why"):
            st.markdown(f"**Failure analysis**, {measure_words(measure)}")
            causes_chart(rows)
            if any(not row.complete for row in rows):
                most_help(target, run, questions)
        more_metrics(summary, unjudged.sentence if unjudged else "")
        notes_box(own_notes(run), key="evaluate.notes", title="Notes on this run")
        st.header("Questions", anchor=False)
        picked = question_table(rows, document_labels(target.documents()), run.key)
        if picked:
            opened_question(target, picked, measure, run, questions, key=f"{run.key}.{picked.question.id}")


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=32)
def _scored(
    address: str,
    version: str,
    key: str,
    fingerprint: str,
    measure: Measure,
    _run: EvaluationRun,
    _questions: QuestionSet,
) -> tuple[Scores, Mapping[str, Interval]]:
    """Return the scores and the interval of each metric; cached, as the bootstrap takes a second."""
    scores = score_run(_run, _questions, measure)
    return scores, summary(scores) if len(scores) else {}

"""Gold answers that a candidate wins and loses: the job that asks the questions, and its result."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from chunking.evaluation import (
    CAUSES,
    METHODS,
    EvaluationRun,
    Measure,
    OutcomeChange,
    QuestionChange,
    QuestionSet,
    metric_of,
)
from chunking.evaluation.analysis.answer_changes import AnswerChanges, answer_changes
from chunking.evaluation.runs.built_index import known_index_run
from chunking.indexing.index_review import CandidatePair
from chunking.store import Index, Workspace
from components.evaluate.metric_cards import measure_words
from components.kit.button import button
from components.kit.pick_table import pick_row
from components.kit.wording import plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.document_caches import clear_when_unused
from components.session.jobs import REVIEW, jobs
from components.session.jobs.job_line import POLL, job_line, should_show_outcome, watch_outcome
from components.session.page.page_frame import fragment, sentences
from components.session.questions.question_state import active_set, choose_set, sample_set_button
from components.session.workspace import workspace
from components.tune.pair_comparison import SIGNS, two_views
from components.tune.setting_words import difference_sentence
from components.tune.sweep.sweep_results import LeaderboardView

__all__ = ["answers_panel", "known_answers"]

_PAGE = "review"
_ORDER = (OutcomeChange.LOST, OutcomeChange.WORSE, OutcomeChange.GAINED, OutcomeChange.BETTER)
_HELP = (
    "Searches both indexes for every question as they are, with the current search settings, and compares the results "
    "with the gold answers. Nothing is built."
)


def known_answers(target: Workspace, pair: CandidatePair) -> AnswerChanges | None:
    """Return the answers won and lost on the chosen question set; None before both indexes were asked."""
    questions = _questions()
    runs = None if questions is None else _stored_runs(target, pair, questions)
    if questions is None or runs is None:
        return None
    return answer_changes(*runs, questions, Measure(share.config().search.k), changed=pair.changed)


def _questions() -> QuestionSet | None:
    active = active_set()
    return active.questions if active is not None and active.questions.questions else None


def _stored_runs(
    target: Workspace, pair: CandidatePair, questions: QuestionSet
) -> tuple[EvaluationRun, EvaluationRun] | None:
    live, candidate = (_run(target, one, questions) for one in (pair.live, pair.candidate))
    return None if live is None or candidate is None else (live, candidate)


def _run(target: Workspace, index: Index, questions: QuestionSet) -> EvaluationRun | None:
    search = share.config().search
    key = (target.version(), target.runs.version, index.row.table, questions.fingerprint, search.model_dump_json())
    return _stored(target.uri, key, index.name, questions)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=8)
def _stored(address: str, key: tuple[str, ...], name: str, _questions: QuestionSet) -> EvaluationRun | None:
    """Return the stored run of an index; cached per version of documents, indexes and runs."""
    return known_index_run(workspace(), workspace().index(name), _questions, share.config().search)


def answers_panel(target: Workspace, pair: CandidatePair, answers: AnswerChanges | None) -> None:
    """Draw the question set, then the answers won and lost, or the button that asks for them."""
    st.header("Gold answers", anchor=False)
    with st.container(width=380):
        choose_set(key="review.set", spoken=True)
    questions = _questions()
    if questions is None:
        st.caption("A question set shows which gold answers the candidate wins and loses.")
        with st.container(horizontal=True, vertical_alignment="center"):
            if sample_set_button(key="review.samples", primary=False):
                st.rerun()
            st.page_link("pages/evaluate.py", label="Questions of your own", icon=":material/quiz:", width="content")
        return
    if answers is None:
        _ask(target, pair, questions)
        return
    live, candidate = answers.means
    metric, measure = answers.metric, Measure(share.config().search.k)
    st.markdown(
        f"{metric.label}: ◆ **{metric.text(live)}** → ● **{metric.text(candidate)}** {measure_words(measure)}. "
        f"{difference_sentence(metric, answers.difference, '● the candidate', '◆ the live index')}",
        help=f"{METHODS['difference']} {METHODS['needed']}",
    )
    if answers.left_out:
        st.caption(
            f"{quantity(answers.left_out, 'question is', 'questions are')} left out: the documents they are about "
            f"have changed since the live index was built."
        )
    changed = sorted([*answers.lost, *answers.won], key=lambda one: (_ORDER.index(one.change), -abs(one.amount)))
    if not changed:
        st.caption("Every question has the result that it had.")
        return
    picked = changed[_table(changed, answers)]
    runs = _stored_runs(target, pair, questions)
    if runs is not None:
        view = LeaderboardView(metric, measure, 0.0)
        with st.expander("The picked question in both indexes", key="review.question"):
            two_views(target, picked, (runs[1], runs[0]), ("Candidate", "Live index"), view)


def _table(changed: list[QuestionChange], answers: AnswerChanges) -> int:
    """Draw the questions whose result differs; return the picked row."""
    metric = metric_of(answers.metric.name)
    scale = 100 if metric.percent else 1
    number = partial(
        st.column_config.ProgressColumn,
        min_value=0,
        max_value=scale,
        format="%.0f %%" if metric.percent else "%.2f",
        width=110,
    )
    rows = pd.DataFrame(
        {
            "Change": [SIGNS[one.change] for one in changed],
            "Question": [one.question.text for one in changed],
            "◆ Live": [getattr(one.a, metric.name) * scale for one in changed],
            "● Candidate": [getattr(one.b, metric.name) * scale for one in changed],
            "● Why": [CAUSES[one.causes[1]].label if one.causes[1] else "" for one in changed],
        }
    )
    return pick_row(
        rows,
        key=f"review.changes.{hash(tuple((one.question.id, one.change) for one in changed))}",
        height=min(36 * (len(changed) + 1) + 3, 330),
        row_height=36,
        alt="Questions whose result differs between the live index and its candidate",
        columns={
            "Change": st.column_config.TextColumn(width=90, help="▲ gained and △ better, ▼ lost and ▽ worse."),
            "Question": st.column_config.TextColumn(width="large"),
            "◆ Live": number(f"◆ {metric.label}", help="In the live index."),
            "● Candidate": number(f"● {metric.label}", help="In the candidate."),
            "● Why": st.column_config.TextColumn(help="Why the candidate did not find the whole answer."),
        },
    )


def _ask(target: Workspace, pair: CandidatePair, questions: QuestionSet) -> None:
    """Draw the button that asks both indexes all questions, or the progress of that job."""
    job = jobs().of(target.uri, REVIEW)
    if job and job.active:
        watch_outcome(job, _PAGE)
        _watch(target.uri)
        return
    label = f"Ask both indexes {quantity(questions.measured, 'question')}"
    if button(label, key="review.start", type="primary", **editing(help=_HELP)):
        with sentences():
            task = {"name": pair.live.name, "question_set": questions.name, "config": share.config().to_yaml()}
            watch_outcome(jobs().start_job(target.uri, REVIEW, task), _PAGE)
            st.rerun()
    if job and should_show_outcome(job, _PAGE):
        if job.error:
            st.error(plain(job.error), icon=":material/error:")
        elif job.cancelled:
            st.info("Cancelled. Ask again to compare.", icon=":material/cancel:")


@fragment(run_every=POLL)
def _watch(address: str) -> None:
    """Draw the progress of the job, and rerun the page when it has ended."""
    job = jobs().of(address, REVIEW)
    if job is None or not job.active:
        st.rerun()
    job_line(job, _PAGE, "Both indexes stay as they are.")

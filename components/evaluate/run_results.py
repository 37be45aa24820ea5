"""Runs of a question set: choose one, warn if it is out of date, and draw its results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from chunking.config import QuerySyntax, settings
from chunking.display import first_names
from chunking.embedding.language_check import is_language_note
from chunking.evaluation import (
    EvaluationRun,
    Interval,
    Measure,
    QuestionPart,
    QuestionSet,
    Scores,
    documents_key,
    is_current,
    score_run,
    summary,
    too_shallow,
    unjudged_results,
    use_loaded,
)
from chunking.store import Workspace, document_labels
from components.evaluate.failure_causes import causes_chart, most_help, tried_setting
from components.evaluate.metric_cards import measure_field, measure_words, metric_cards, more_metrics, unanswered_box
from components.evaluate.question_details import draw_question
from components.evaluate.questions.question_outcomes import question_rows, question_table
from components.kit.clock import moment_text
from components.kit.notes import notes_box
from components.kit.wording import plain, quantity
from components.session import share
from components.session.document_caches import clear_when_unused
from components.session.page.page_frame import fragment, sentences
from components.session.questions.run_state import all_runs
from components.session.workspace import workspace
from components.tune.decision_cards import set_decision

__all__ = ["own_notes", "results"]

_FIELD = "evaluate.run"
_MOST = 3
"""Most differing settings named."""
_OTHER_SYNTAX = {
    QuerySyntax.OPERATORS: (
        "Out of date: this run treated quotations in the questions as conditions; they are plain text now. "
        "Evaluate again."
    ),
    QuerySyntax.PLAIN: (
        "Out of date: this run treated quotations in the questions as plain text; they are conditions now. "
        "Evaluate again."
    ),
}
"""Sentence about an outdated run, by the syntax of the run."""


def results(target: Workspace, questions: QuestionSet) -> None:
    """Draw the cards of a set, and metrics, failures and questions of its chosen run.

    Without runs there is a hint. The comparison of a setting just tried (`tried_setting`) comes first.
    """
    runs = runs_of_set(questions.name, questions)
    # Streamlit replaces what stands at the same position: without places of their own, what comes and goes here would
    # leave the numbers of two runs under each other for a moment.
    tried, decision, choice, warning = (st.container() for _ in range(4))
    with tried:
        tried_setting(target, questions)
    if not runs:
        st.info(
            "There is no run yet. Evaluating shows how many gold answers these settings find, why they miss the "
            "others, and the results of each question in the text.",
            icon=":material/query_stats:",
        )
        return
    with decision:
        set_decision(questions, key="evaluate.decision")
    with choice, st.container(horizontal=True, vertical_alignment="bottom", key="evaluate.runs"):
        run = choose_run(runs)
        run_facts(run, named=len(runs) > 1)
    with warning:
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
        unanswered, shallow = st.container(), st.container()
        with unanswered:
            unanswerable = unanswered_box(run, questions)
        if unanswerable and not len(scores):
            return
        if not len(scores):
            st.info("None of the questions of this run is in the set any more. Evaluate again.")
            return
        short = too_shallow(run, measure)
        if short:
            shallow.caption(
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
        picked = question_table(rows, target.derived(document_labels), run.key)
        if picked:
            draw_question(target, picked, measure, run, questions, key=f"{run.key}.{picked.question.id}")


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


def runs_of_set(name: str, questions: QuestionSet) -> list[EvaluationRun]:
    """Return the runs of a question set, its splits and its earlier versions, newest first.

    Leaves out failed runs, and runs of a sweep on a sample of the questions.
    """
    sizes = {one.fingerprint: one.measured for one in (questions, *(questions.of(part) for part in QuestionPart))}
    ids = {one.id for one in questions.questions}
    runs = (run for run in all_runs() if run.answered and not run.error)
    return [
        run
        for run in runs
        if len(run.answered) == sizes.get(run.questions) or (run.questions not in sizes and _before(run, name, ids))
    ]


def _before(run: EvaluationRun, name: str, ids: set[str]) -> bool:
    return run.question_set == name and any(one.question_id in ids for one in run.answered)


def choose_run(runs: list[EvaluationRun]) -> EvaluationRun:
    """Return the run of the link, else of the current settings, else the newest.

    Draws a field if there are several. A run that is not from the link is written into the link.

    Args:
        runs: one or more, newest first.
    """
    keys = {run.key: run for run in runs}
    chosen = keys.get(share.view("run") or "")
    if chosen is None:
        chosen = next((run for run in runs if run.config == share.config()), runs[0])
        share.keep_view(run=chosen.key)
    if len(runs) > 1:
        st.session_state[_FIELD] = chosen.key
        st.selectbox(
            "Run",
            list(keys),
            format_func=_lines(runs).__getitem__,
            key=_FIELD,
            on_change=lambda: share.keep_view(run=st.session_state[_FIELD]),
            help=f"{len(runs):,} runs on this set, newest first.",
            width=640,
        )
    return chosen


def _lines(runs: Sequence[EvaluationRun]) -> dict[str, str]:
    """Return the line of each run by key; runs that read alike get the start of their key.

    The browser identifies an option by its text.
    """
    often = Counter(map(run_line, runs))
    return {run.key: run_line(run) + (f" · {run.key[:6]}" if often[run_line(run)] > 1 else "") for run in runs}


def run_line(run: EvaluationRun) -> str:
    """Return a run in a line: label, number of questions, time."""
    return f"{_capitalised_label(run)} · {quantity(len(run.answered), 'question')} · {moment_text(run.made_at)}"


def _capitalised_label(run: EvaluationRun) -> str:
    return run.label[:1].upper() + run.label[1:]


def run_facts(run: EvaluationRun, *, named: bool) -> None:
    """Draw a run's chunk count, how the current settings differ, and a button to use its settings.

    Args:
        run: the chosen run.
        named: True if the run field already shows its label.
    """
    words = [quantity(run.chunks, "chunk")]
    if not named:
        words = [
            f"**{plain(_capitalised_label(run))}**",
            *words,
            quantity(len(run.answered), "question"),
            f"run {moment_text(run.made_at)}",
        ]
    different = _different(run)
    of = f"Run {run.key}, of the index {run.documents} and the questions {run.questions}."
    st.caption(
        " · ".join([*words, *[f"not the current settings: {different}"] * bool(different)]), width="content", help=of
    )
    if different:
        st.button(
            "Use these settings",
            key="evaluate.use",
            help="Apply this run's settings on all pages.",
            on_click=_use,
            args=(run,),
        )


def stale_warning(target: Workspace, run: EvaluationRun, questions: QuestionSet) -> None:
    """Draw a warning with the reason if a run is out of date, else nothing."""
    stale = run_staleness(target, run, questions)
    if stale:
        st.warning(stale, icon=":material/history:")


def own_notes(run: EvaluationRun) -> list[str]:
    """Return a run's notes except those on languages the model cannot read."""
    return [note for note in run.notes if not is_language_note(note)]


def _use(run: EvaluationRun) -> None:
    share.keep_config(run.config)


def _different(run: EvaluationRun) -> str:
    """Return the current settings that differ from the run's, or ""."""
    now = share.config()
    differences = [
        f"{one.title.lower()} {plain(one.text(now)) or 'none'}"
        for one in settings()
        if one.value(now) != one.value(run.config)
    ]
    return first_names(differences, _MOST) or "other settings of categories" * (now != run.config)


def run_staleness(target: Workspace, run: EvaluationRun, questions: QuestionSet) -> str:
    """Return why a run is out of date as a sentence, or "" if it is current."""
    if run.questions not in _fingerprints(questions):
        if run.syntax is not questions.syntax and run.questions in _fingerprints(replace(questions, syntax=run.syntax)):
            return _OTHER_SYNTAX[run.syntax]
        return (
            "Out of date: the questions, or the positions of their answers, have changed since this run. "
            "Evaluate again."
        )
    if not _holds(target.uri, target.version(), run.key, run):
        return "Out of date: the documents, the model or this program have changed since this run. Evaluate again."
    return ""


def _fingerprints(questions: QuestionSet) -> set[str]:
    """Return the fingerprints of a set and of its splits."""
    return {one.fingerprint for one in (questions, *(questions.of(part) for part in QuestionPart))}


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=64)
def _holds(address: str, version: str, key: str, _run: EvaluationRun) -> bool:
    """True if the run is current; cached per version of the documents, external chunks included."""
    use_loaded(workspace())
    return is_current(_run, workspace().derived(documents_key))

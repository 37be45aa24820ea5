"""Which measurement of a question set is looked at, and whether it still holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from chunking.config import QuerySyntax, settings
from chunking.display import first_names
from chunking.embedding.language_check import is_language_note
from chunking.evaluation import EvaluationRun, QuestionPart, QuestionSet, documents_key, is_current, use_loaded
from chunking.store import Workspace
from components.kit.clock import moment_text
from components.kit.wording import plain, quantity
from components.session import share
from components.session.document_caches import clear_when_unused
from components.session.questions.run_state import all_runs
from components.session.workspace import workspace

__all__ = ["choose_run", "outdated", "own_notes", "run_facts", "run_line", "runs_of_set", "stale_warning"]

_FIELD = "evaluate.run"
_MOST = 3
"""Settings that are named, of those that differ."""
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
"""By the syntax of the run."""


def runs_of_set(name: str, questions: QuestionSet) -> list[EvaluationRun]:
    """Runs over these questions or a part of them, and those of the name as it was before; newest first.

    Those that failed, and those of a sweep that asked a sample only, are left out.
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
    """The run of the link; else that of the present settings, else the newest. A field chooses among several.

    Args:
        runs: at least one, the newest first.
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
    """Key to line; the beginning of the key ends those that read alike: the browser gives an option back by what it
    reads.
    """
    often = Counter(map(run_line, runs))
    return {run.key: run_line(run) + (f" · {run.key[:6]}" if often[run_line(run)] > 1 else "") for run in runs}


def run_line(run: EvaluationRun) -> str:
    """A run in a line: what tells it from others, how much was asked, when."""
    return f"{_named(run)} · {quantity(len(run.answered), 'question')} · {moment_text(run.made_at)}"


def _named(run: EvaluationRun) -> str:
    """Its label, as a line begins."""
    return run.label[:1].upper() + run.label[1:]


def run_facts(run: EvaluationRun, *, named: bool) -> None:
    """Beside the field: what was measured, and how the present settings differ.

    Args:
        run: the one that is looked at.
        named: the field names it already.
    """
    words = [quantity(run.chunks, "chunk")]
    if not named:
        words = [
            f"**{plain(_named(run))}**",
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
    """Why the numbers do not hold any more; nothing where they do."""
    stale = outdated(target, run, questions)
    if stale:
        st.warning(stale, icon=":material/history:")


def own_notes(run: EvaluationRun) -> list[str]:
    """Notes of a run, without those on unread languages, which index and search show."""
    return [note for note in run.notes if not is_language_note(note)]


def _use(run: EvaluationRun) -> None:
    share.keep_config(run.config)


def _different(run: EvaluationRun) -> str:
    """How the present settings differ from the run's; empty where they do not."""
    now = share.config()
    differences = [
        f"{one.title.lower()} {plain(one.text(now)) or 'none'}"
        for one in settings()
        if one.value(now) != one.value(run.config)
    ]
    return first_names(differences, _MOST) or "other settings of categories" * (now != run.config)


def outdated(target: Workspace, run: EvaluationRun, questions: QuestionSet) -> str:
    """Why a run's numbers do not hold any more, as a sentence; empty where they do."""
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
    """Of the set and of its parts."""
    return {one.fingerprint for one in (questions, *(questions.of(part) for part in QuestionPart))}


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=64)
def _holds(address: str, version: str, key: str, _run: EvaluationRun) -> bool:
    """Whether it would come out the same now; asked once a version of the documents. Chunks made elsewhere are part of
    that.
    """
    use_loaded(workspace())
    return is_current(_run, documents_key(workspace().documents()))

"""Trying a setting that failure analysis suggests: it is measured, compared with the run it came from, and can be taken
back.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import streamlit as st

from chunking.config import Config
from chunking.evaluation import (
    EvaluationRun,
    Measure,
    OutcomeChange,
    QuestionChange,
    QuestionPart,
    QuestionSet,
    per_question,
)
from chunking.store import Workspace
from components.evaluate.evaluation_job import start_measuring
from components.kit.button import button
from components.kit.wording import plain, quantity
from components.session import share
from components.session.jobs import EVALUATE, jobs
from components.session.questions.run_state import run as kept_run

__all__ = ["can_try", "tried_setting", "try_setting"]

_TRIAL = "evaluate.trial"
_SHOWN = 8
"""Questions that are named on each side."""
_METRIC = "recall"


class SettingTrial(NamedTuple):
    """A setting that is tried."""

    words: str
    """The setting as people say it."""
    before: Config
    """The settings of all pages before."""
    base: str
    """Key of the run that the suggestion came from."""
    number: int
    """Of the job that measures it."""


def can_try(target: Workspace) -> bool:
    """Whether nothing else is being measured."""
    job = jobs().of(target.uri, EVALUATE)
    return job is None or not job.active


def try_setting(target: Workspace, base: EvaluationRun, questions: QuestionSet, words: str, wanted: Config) -> None:
    """Make settings those of all pages, and measure them on the questions of a run.

    Args:
        base: the run that the suggestion came from.
        questions: the set that is looked at.
        words: what is tried, for people.
        wanted: the settings.
    Raises:
        ChunkscopeError: no process can be started.
    """
    part = next((part.value for part in QuestionPart if questions.of(part).fingerprint == base.questions), "")
    before = share.config()
    share.keep_config(wanted)
    job = start_measuring(target, questions.name, part)
    st.session_state[_TRIAL] = SettingTrial(words, before, base.key, job.number)


def tried_setting(target: Workspace, questions: QuestionSet) -> None:
    """What the setting that was tried last gained and lost, and the way back; nothing where none was, or another was
    measured since.
    """
    trial: SettingTrial | None = st.session_state.get(_TRIAL)
    job = jobs().of(target.uri, EVALUATE)
    if trial is None or job is None or job.number != trial.number or job.active:
        return
    base, made = kept_run(trial.base), kept_run(job.report["run"]) if job.report else None
    with st.container(border=True, key="evaluate.trial"):
        if made is None or base is None:
            st.markdown(
                f"**{plain(trial.words)}** was not evaluated: these are the current settings, but they have no run yet."
            )
        else:
            st.markdown(f"**{plain(trial.words)}**, evaluated on {quantity(len(made.answered), 'question')}")
            _changes(per_question(base, made, questions, Measure(made.n), _METRIC))
        if button("Restore the previous settings", key="evaluate.trial.back", help="On all pages; both runs are kept."):
            share.keep_config(trial.before)
            share.keep_view(run=trial.base)
            del st.session_state[_TRIAL]
            st.rerun()


_TOLD = (
    (OutcomeChange.GAINED, "▲", "green"),
    (OutcomeChange.BETTER, "△", "green"),
    (OutcomeChange.LOST, "▼", "red"),
    (OutcomeChange.WORSE, "▽", "red"),
)
"""Each change with its sign and colour, in the order of the page."""


def _changes(changes: tuple[QuestionChange, ...]) -> None:
    """How many questions find more and less of their answers than before, and which."""
    numbers = Counter(one.change for one in changes)
    told = (f":{colour}[{sign} {numbers[change]:,} {change.value}]" for change, sign, colour in _TOLD)
    st.markdown(
        " · ".join([*told, f"{numbers[OutcomeChange.SAME]:,} the same"]),
        help="Gained: part of the answer is found now, none was before. Lost: none of it is found any more. Better "
        "and worse: more or less of it is found.",
    )
    for change, sign, _ in _TOLD:
        some = [one for one in changes if one.change is change]
        for one in some[:_SHOWN]:
            st.caption(
                f"{sign} {plain(one.question.text)} ({100 * one.a.recall:.0f} % → {100 * one.b.recall:.0f} % "
                f"of the answer)"
            )
        if len(some) > _SHOWN:
            st.caption(
                f"{sign} and {quantity(len(some) - _SHOWN, 'question')} more; the Tune page lists all, question "
                f"by question."
            )

"""Causes of failed questions with their counts, and a button that tries the suggested setting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import streamlit as st

from chunking.config import Config
from chunking.config.config import value_label
from chunking.config.settings import Setting
from chunking.errors import ConfigError
from chunking.evaluation import (
    CAUSES,
    Answered,
    Cause,
    EvaluationRun,
    Measure,
    OutcomeChange,
    QuestionChange,
    QuestionPart,
    QuestionSet,
    advice,
    per_question,
)
from chunking.store import Workspace
from chunking.viewing.colours import COLOURS
from components.evaluate.evaluation_job import start_measuring
from components.kit.button import button
from components.kit.charts import CHART_CONFIG, dress
from components.kit.wording import plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.jobs import EVALUATE, jobs
from components.session.page.page_frame import sentences
from components.session.questions.run_state import run as kept_run

__all__ = ["CAUSE_COLOURS", "causes_chart", "help_words", "most_help", "tried_setting", "use_help"]

_TRIAL = "evaluate.trial"
_SHOWN = 8
"""Most questions listed per kind of change."""
_METRIC = "recall"


class QuestionOutcome(Protocol):
    """Attributes of a run's question that `causes_chart` reads."""

    @property
    def answered(self) -> Answered: ...
    @property
    def complete(self) -> bool: ...
    @property
    def cause(self) -> Cause | None: ...


CAUSE_COLOURS: dict[Cause, str] = {
    Cause.EVIDENCE: "second",
    Cause.RANKED_BELOW: "hit",
    Cause.SPLIT: "words",
    Cause.CUT_OFF: "warning",
    Cause.REPEAT: "meaning",
    Cause.NOT_IN_PARSE: "section",
}
"""Role in `COLOURS` of each cause, in the order they are drawn."""
_ADVISED = 3
"""Most suggestions drawn."""
_BAR = 34
"""Pixels per bar, with its margin."""


def causes_chart(rows: Sequence[QuestionOutcome]) -> None:
    """Draw a bar chart of the failed questions by cause; a sentence if none failed or has a cause.

    Args:
        rows: all questions of the run.
    """
    from plotly.graph_objects import Bar, Figure

    failed = [row for row in rows if not row.complete]
    if not failed:
        st.success("Every question was fully answered.", icon=":material/check_circle:")
        return
    numbers = Counter(row.cause for row in failed if row.cause)
    if not numbers:
        st.caption(f"{quantity(len(failed), 'question')} not fully answered.")
        return
    dark = st.context.theme.type == "dark"
    shown = [cause for cause in CAUSE_COLOURS if numbers[cause]]
    figure = Figure(
        Bar(
            x=[numbers[cause] for cause in shown],
            y=[CAUSES[cause].label for cause in shown],
            orientation="h",
            marker_color=[COLOURS[CAUSE_COLOURS[cause]].on(dark=dark) for cause in shown],
            text=[f"{numbers[cause]:,}" for cause in shown],
            textposition="outside",
            cliponaxis=False,
            width=0.62,
            customdata=[CAUSES[cause].meaning for cause in shown],
            hovertemplate="<b>%{y}</b>: %{x:,}<br>%{customdata}<extra></extra>",
        )
    )
    dress(figure, dark=dark, height=24 + _BAR * len(shown))
    figure.update_xaxes(visible=False, range=[0, max(numbers.values()) * 1.15])
    figure.update_yaxes(autorange="reversed", showgrid=False, nticks=len(shown) + 1, ticksuffix="  ")
    figure.update_layout(margin={"l": 0, "r": 24, "t": 4, "b": 4})
    alt = "; ".join(f"{CAUSES[cause].label}: {numbers[cause]}" for cause in shown)
    st.plotly_chart(figure, theme=None, config=CHART_CONFIG, key="evaluate.causes", alt=f"Failure analysis. {alt}")


def most_help(target: Workspace, run: EvaluationRun, questions: QuestionSet) -> None:
    """Draw up to three suggested settings for failed questions, each with a button to try it."""
    for number, one in enumerate(advice(run)[:_ADVISED]):
        with st.container(horizontal=True, vertical_alignment="center", key=f"evaluate.help.{number}"):
            st.caption(
                f"Suggestion for {quantity(one.questions, 'question')}: **{plain(help_words(one.setting))}**",
                width="stretch",
                help="Suggested by the cause of failure, and not evaluated yet: try it.",
            )
            use_help(target, run, questions, one.setting, key=f"evaluate.help.use.{number}")


def help_words(setting: str) -> str:
    """Return a setting such as `search.k=10` as a label.

    >>> help_words("search.k=10")
    'Results: 10'
    >>> help_words("search.rerank=late_interaction")
    'Reranking: late interaction'
    """
    key, _, value = setting.partition("=")
    row = _setting(key)
    if row is None:
        return f"{key}: {value}"
    return f"{row.title}: {value_label(key, value) if row.choices else value}"


def use_help(target: Workspace, run: EvaluationRun, questions: QuestionSet, setting: str, *, key: str) -> None:
    """Draw a button that makes the run's settings with one change current, and evaluates them.

    Draws a note if the change is current already, and nothing if the setting is unknown or invalid with the others.

    Args:
        run: source of the suggestion.
        questions: question set of the run.
        setting: `key=value`, as on the command line.
        key: widget key of the button.
    """
    name, _, value = setting.partition("=")
    row = _setting(name)
    if row is None:
        return
    if row.text(share.config()) == value:
        st.caption("Set.", width="content")
        return
    try:
        config = Config.from_settings({name: value}, run.config)
    except ConfigError:
        return  # it does not go with the other settings
    how = (
        f"Sets {help_words(setting)} on all pages, evaluates it, and shows which questions improve and which get worse."
    )
    free = can_try(target)
    if button(
        "Try it",
        key=key,
        **editing(disabled=not free, help=how if free else "A run is in progress; wait for it, or cancel it."),
    ):
        with sentences():
            try_setting(target, run, questions, help_words(setting), config)
            st.rerun()


def _setting(key: str) -> Setting | None:
    from chunking.config import settings

    return next((one for one in settings() if one.key == key), None)


class SettingTrial(NamedTuple):
    """A tried setting, with the settings before it, the run compared with and the job."""

    words: str
    """Label of the setting."""
    before: Config
    """Current settings before the trial."""
    base: str
    """Key of the run that the suggestion came from."""
    number: int
    """Number of the evaluation job."""


def can_try(target: Workspace) -> bool:
    """True if no evaluation is in progress in the workspace."""
    job = jobs().of(target.uri, EVALUATE)
    return job is None or not job.active


def try_setting(target: Workspace, base: EvaluationRun, questions: QuestionSet, words: str, config: Config) -> None:
    """Make a configuration current, start its evaluation on a run's questions, and store the trial.

    Args:
        base: source of the suggestion.
        questions: question set of the run.
        words: label of the setting.
        config: the configuration to try.
    Raises:
        ChunkscopeError: no process can be started.
    """
    part = next((part.value for part in QuestionPart if questions.of(part).fingerprint == base.questions), "")
    before = share.config()
    share.keep_config(config)
    job = start_measuring(target, questions.name, part)
    st.session_state[_TRIAL] = SettingTrial(words, before, base.key, job.number)


def tried_setting(target: Workspace, questions: QuestionSet) -> None:
    """Draw which questions the tried setting gained and lost, and a button that undoes it.

    Draws nothing if no setting was tried, while its job runs, or if another evaluation was started since.
    """
    trial: SettingTrial | None = st.session_state.get(_TRIAL)
    job = jobs().of(target.uri, EVALUATE)
    if trial is None or job is None or job.number != trial.number or job.active:
        return
    base, trial_run = kept_run(trial.base), kept_run(job.report["run"]) if job.report else None
    with st.container(border=True, key="evaluate.trial"):
        if trial_run is None or base is None:
            st.markdown(
                f"**{plain(trial.words)}** was not evaluated: these are the current settings, but they have no run yet."
            )
        else:
            st.markdown(f"**{plain(trial.words)}**, evaluated on {quantity(len(trial_run.answered), 'question')}")
            _changes(per_question(base, trial_run, questions, Measure(trial_run.n), _METRIC))
        if button("Restore the previous settings", key="evaluate.trial.back", help="On all pages; both runs are kept."):
            share.keep_config(trial.before)
            share.keep_view(run=trial.base)
            del st.session_state[_TRIAL]
            st.rerun()


_CHANGE_SIGNS = (
    (OutcomeChange.GAINED, "▲", "green"),
    (OutcomeChange.BETTER, "△", "green"),
    (OutcomeChange.LOST, "▼", "red"),
    (OutcomeChange.WORSE, "▽", "red"),
)
"""Sign and colour of each change, in the order of the page."""


def _changes(changes: tuple[QuestionChange, ...]) -> None:
    """Draw the number of questions per change, and the first questions of each."""
    numbers = Counter(one.change for one in changes)
    words = (f":{colour}[{sign} {numbers[change]:,} {change.value}]" for change, sign, colour in _CHANGE_SIGNS)
    st.markdown(
        " · ".join([*words, f"{numbers[OutcomeChange.SAME]:,} the same"]),
        help=(
            "Gained: part of the answer is found now, none was before. Lost: none of it is found any more. "
            "Better and worse: more or less of it is found."
        ),
    )
    for change, sign, _ in _CHANGE_SIGNS:
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

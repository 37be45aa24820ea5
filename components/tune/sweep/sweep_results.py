"""Results of the active question set: comparable runs, ranked by a metric under a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from chunking.config import is_baseline, margin_setting
from chunking.evaluation import (
    METRICS,
    CardRole,
    Decision,
    EvaluationRun,
    Heat,
    LeaderboardRun,
    Measure,
    Metric,
    QuestionChange,
    QuestionSet,
    Sensitivity,
    decide,
    heat,
    leaderboard,
    metric_of,
    per_question,
    sensitivity,
    varied,
)
from components.session import share
from components.session.document_caches import clear_when_unused
from components.session.questions.run_state import all_runs, runs_of
from components.session.workspace import workspace
from components.tune.setting_words import spoken_label, spoken_parts

__all__ = [
    *("LeaderboardView", "Results", "changes_of", "current_view", "effects_of", "heat_of", "results_of"),
    "view_controls",
]

BUDGETS = (250, 500, 1000, 2000, 4000)
JUDGED_BY = ("recall", "iou", "precision", "whole", "hit", "ndcg", "reciprocal_rank")
"""Metrics to rank by; tokens and Ω say nothing about retrieval."""

_METRIC, _WHAT, _NEAR, _MARGIN = "tune.metric", "tune.returned", "tune.expanded", "tune.margin"


@dataclass(frozen=True, slots=True)
class LeaderboardView:
    """Metric, measure and margin that runs are ranked by."""

    metric: Metric
    measure: Measure
    margin: float
    """Points by which the recommended configuration may be worse than the best."""


@dataclass(frozen=True, slots=True)
class Results:
    """Comparable runs of a question set, ranked by a view's metric."""

    questions: QuestionSet
    view: LeaderboardView
    lines: tuple[LeaderboardRun, ...]
    """Runs without errors, best first."""
    failed: tuple[EvaluationRun, ...]
    stale: int
    """Number of outdated runs (documents or code changed), which are not compared."""
    keys: tuple[str, ...]
    """Settings that differ among the runs besides the baseline, in the order of the form."""

    @property
    def runs(self) -> list[EvaluationRun]:
        """Runs of the leaderboard, in its order."""
        return [line.run for line in self.lines]

    def line(self, key: str | None) -> LeaderboardRun | None:
        """Return the leaderboard entry of the run with this key, or None."""
        return next((line for line in self.lines if line.run.key == key), None)

    @property
    def decision(self) -> Decision | None:
        """The cards to choose from; None without a run on all questions."""
        return decide(self.lines, self.view.metric.name)

    def label(self, run: EvaluationRun) -> str:
        """Return the settings that distinguish a run, in a line; the baseline's name."""
        if _is_baseline(run):
            return CardRole.BASELINE.label
        return spoken_label(run.config, self.keys, run.parser)

    def parts(self, run: EvaluationRun) -> list[tuple[str, str]]:
        """Return the (title, value) pairs that distinguish a run."""
        parts = [] if _is_baseline(run) else spoken_parts(run.config, self.keys, run.parser)
        return parts or [("", self.label(run))]

    @property
    def version(self) -> tuple[object, ...]:
        """Cache key of everything derived from these results."""
        key = (self.view.metric.name, self.view.measure, self.view.margin)
        return (workspace().uri, self.questions.fingerprint, key, _versions([line.run for line in self.lines]))


def _is_baseline(run: EvaluationRun) -> bool:
    return not run.parser and is_baseline(run.config)


def current_view() -> LeaderboardView:
    """Return the view that this session has chosen on Tune, else recall of the results of a search."""
    most, budget = _counted_results()[0]
    return LeaderboardView(
        metric_of(st.session_state.get(_METRIC, JUDGED_BY[0])),
        Measure(most, budget, st.session_state.get(_NEAR, False)),
        st.session_state.get(_MARGIN, float(margin_setting().default)),
    )


def _counted_results() -> tuple[tuple[int | None, int | None], list[tuple[int | None, int | None]]]:
    """Return the chosen (number of results, token budget), and all there are to choose from."""
    rows: list[tuple[int | None, int | None]] = [
        (share.config().search.k, None),
        *((None, budget) for budget in BUDGETS),
    ]
    chosen = st.session_state.get(_WHAT)
    return chosen if chosen in rows else rows[0], rows


def view_controls() -> None:
    """Draw the fields for metric, counted results, neighbours and margin of `current_view`."""
    chosen, rows = _counted_results()
    view = current_view()
    st.session_state[_METRIC + ".field"] = view.metric.name
    st.session_state[_WHAT + ".field"] = chosen
    st.session_state[_NEAR + ".field"] = view.measure.expanded
    margin = margin_setting()
    st.session_state[_MARGIN + ".field"] = view.margin

    def keep(key: str) -> None:
        st.session_state[key] = st.session_state[key + ".field"]

    by_name = {one.name: one for one in METRICS}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="tune.stand"):
        st.selectbox(
            "Judged by",
            JUDGED_BY,
            key=_METRIC + ".field",
            format_func=lambda name: by_name[name].label,
            width=160,
            on_change=keep,
            args=(_METRIC,),
            help="  \n".join(f"**{by_name[name].label}**: {by_name[name].help}" for name in JUDGED_BY),
        )
        st.selectbox(
            "Evaluated results",
            rows,
            key=_WHAT + ".field",
            format_func=lambda row: f"the first {row[0]} results" if row[1] is None else f"the first {row[1]:,} tokens",
            width=190,
            on_change=keep,
            args=(_WHAT,),
            help=(
                "The first results, or as many as fit a token budget, which compares chunks of different "
                "sizes at the same cost."
            ),
        )
        st.toggle(
            "With neighbours",
            key=_NEAR + ".field",
            on_change=keep,
            args=(_NEAR,),
            help="Include the neighbours that are returned with each result.",
        )
        st.number_input(
            f"{margin.title} ({margin.unit})",
            min_value=margin.minimum,
            max_value=margin.maximum,
            step=0.5,
            format="%.1f",
            key=_MARGIN + ".field",
            width=130,
            on_change=keep,
            args=(_MARGIN,),
            help=margin.help,
        )


def results_of(questions: QuestionSet, view: LeaderboardView) -> Results:
    """Return the current runs on exactly these questions, ranked; failed ones are listed apart."""
    stored = runs_of(questions, parsers=True)
    measured, failed = [run for run in stored if not run.error], tuple(run for run in stored if run.error)
    lines = _ranked(
        workspace().uri,
        questions.fingerprint,
        _versions(measured),
        view.measure,
        view.metric.name,
        view.margin,
        measured,
        questions,
    )
    stale = sum(run.questions == questions.fingerprint for run in all_runs()) - len(stored)
    return Results(questions, view, lines, failed, stale, varied(run for run in measured if not _is_baseline(run)))


def _versions(runs: Sequence[EvaluationRun]) -> tuple[tuple[str, str, int], ...]:
    """Return a key that changes with every run; run keys stay when a sampled run gets more questions."""
    return tuple((run.key, run.made_at, len(run.answered)) for run in runs)


@clear_when_unused
@st.cache_resource(show_spinner="Comparing runs …", max_entries=16)
def _ranked(
    address: str,
    fingerprint: str,
    versions: tuple[tuple[str, str, int], ...],
    measure: Measure,
    metric: str,
    margin: float,
    _runs: Sequence[EvaluationRun],
    _questions: QuestionSet,
) -> tuple[LeaderboardRun, ...]:
    return leaderboard(_runs, _questions, measure, metric, margin=margin)


def heat_of(results: Results, key_x: str, key_y: str) -> Heat:
    """Return the mean metric per combination of values of two settings, from a cache."""
    return _heat(results.version, key_x, key_y, results)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=16)
def _heat(version: tuple[object, ...], key_x: str, key_y: str, _results: Results) -> Heat:
    view = _results.view
    return heat(_results.runs, _results.questions, key_x, key_y, view.measure, view.metric.name)


def effects_of(results: Results) -> tuple[Sensitivity, ...]:
    """Return how much the metric changes with the values of each varied setting, from a cache."""
    return _effects(results.version, results)


@clear_when_unused
@st.cache_resource(show_spinner="Comparing the settings …", max_entries=16)
def _effects(version: tuple[object, ...], _results: Results) -> tuple[Sensitivity, ...]:
    view = _results.view
    return sensitivity(_results.runs, _results.questions, view.measure, view.metric.name)


def changes_of(results: Results, first: EvaluationRun, second: EvaluationRun) -> tuple[QuestionChange, ...]:
    """Return how each question's result changes from the first run to the second, from a cache."""
    return _changes(results.version, first.key, second.key, results, first, second)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=16)
def _changes(
    version: tuple[object, ...],
    first: str,
    second: str,
    _results: Results,
    _first: EvaluationRun,
    _second: EvaluationRun,
) -> tuple[QuestionChange, ...]:
    view = _results.view
    return per_question(_first, _second, _results.questions, view.measure, view.metric.name)

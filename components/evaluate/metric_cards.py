"""Metric cards of a run with confidence intervals, the measure to use, and unanswerable questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from chunking.evaluation import (
    CORRECTLY_UNANSWERED,
    METHODS,
    METRICS,
    WRONGLY_UNANSWERED,
    EvaluationRun,
    Interval,
    Measure,
    Metric,
    QuestionSet,
    metric_of,
    unanswered,
)
from components.kit.wording import plain, quantity

__all__ = ["measure_field", "measure_words", "metric_cards", "more_metrics", "unanswered_box"]

_MOST = 100
"""Most questions listed."""

_FIRST_METRICS, _BUDGET = "First results", "Token budget"
_KIND, _N, _TOKENS, _AROUND = (f"evaluating.measure.{name}" for name in ("way", "n", "budget", "expanded"))
"""Session keys of the chosen values, which outlive the page; widget keys end in `.field`."""
_LEAST, _MOST_OFFERED, _OFFERED = 50, 100_000, 1_000


class PlainMetric(NamedTuple):
    """A metric with a plain-words line under its number, and its tooltip."""

    name: str
    of: str
    """Line under the number: what the share or number counts."""
    how: str
    """Tooltip; `{where}` stands for the measure in words."""


_FIRST = (
    PlainMetric(
        "recall",
        "of the answers' text is found",
        "The share of the gold answers' text found {where}; the mean over the questions.",
    ),
    PlainMetric(
        "whole",
        "of {questions} fully answered",
        "The share of questions whose gold answers are found completely {where}.",
    ),
    PlainMetric(
        "hit",
        "of {questions} at least partly answered",
        "The share of questions for which any part of a gold answer is found {where}.",
    ),
    PlainMetric("context_tokens", "sent per question", metric_of("context_tokens").help),
)
"""Metrics of the first cards, in this order."""
_FEW = 2
"""Fewest questions for statistics."""


def metric_cards(summary: Mapping[str, Interval], questions: int, measure: Measure, unjudged: str = "") -> None:
    """Draw cards of recall, questions fully and partly answered, and context tokens.

    Args:
        summary: every metric's name to its mean with the interval, as `summary` gives them.
        questions: number of questions counted.
        measure: which results count.
        unjudged: sentence about results never judged, drawn under the cards and in each tooltip.
    """
    where, count = measure_words(measure), quantity(questions, "question")
    with st.container(height="stretch", key="evaluate.cards"):
        for one in _FIRST:
            with st.container(border=True, height="stretch", gap="xsmall", key=f"evaluate.card.{one.name}"):
                metric, how = metric_of(one.name), _how(one.how.format(where=where), unjudged)
                _card(metric, summary[one.name], label=metric.label, how=how, border=False)
                st.caption(one.of.format(questions=count))
    if unjudged:
        st.caption(f"⚠ {unjudged}")
    if questions < _FEW:
        st.caption("Only one question: no confidence interval and no other statistics. Add questions, at least twenty.")


def _how(words: str, unjudged: str) -> str:
    return f"{words}\n\n{unjudged}" if unjudged else words


def more_metrics(summary: Mapping[str, Interval], unjudged: str = "") -> None:
    """Draw the metrics without a main card, with their intervals, in an expander."""
    first = {one.name for one in _FIRST}
    with st.expander("All metrics", key="evaluate.metrics"), st.container(key="evaluate.metrics.more"):
        for metric in METRICS:
            if metric.name not in first:
                _card(metric, summary[metric.name], label=metric.label, how=_how(metric.help, unjudged), border=True)


def _card(metric: Metric, interval: Interval, *, label: str, how: str, border: bool) -> None:
    low, high = metric.text(interval.low), metric.text(interval.high)
    unit = f" {metric.unit}" if metric.unit else ""
    st.metric(
        label,
        metric.text(interval.mean),
        f"{low.removesuffix(unit)} to {high}" if interval.known else None,
        delta_color="off",
        delta_arrow="off",
        help=f"{how}\n\n{_spread(metric, interval.std, interval.n)}" if interval.known else how,
        border=border,
    )


def _spread(metric: Metric, deviation: float, questions: int) -> str:
    """Return the tooltip sentence about the confidence interval and the standard deviation."""
    return (
        f"The range below: {METHODS['interval']} Of {questions:,} questions; standard deviation between them "
        f"{metric.text(deviation)}."
    )


def unanswered_box(run: EvaluationRun, questions: QuestionSet) -> bool:
    """Draw how often a run rightly or wrongly gave no answer, and the questions wrongly answered.

    Args:
        run: the run.
        questions: its question set.
    Returns:
        False, with nothing drawn, if the run asked no unanswerable question.
    """
    share = unanswered(run, questions)
    if share is None:
        return False
    with st.container(border=True, key="evaluate.unanswered"):
        st.markdown(f"**{plain(share.sentence)}**")
        with st.container(horizontal=True, gap="large"):
            _share("Correctly unanswered", share.correct, CORRECTLY_UNANSWERED, "without an answer")
            if share.wrong is not None:
                _share("Wrongly unanswered", share.wrong, WRONGLY_UNANSWERED, "with an answer")
        if questions.all_unanswerable:
            st.caption(
                "Nothing in the documents answers any question of this set, so recall and the other metrics "
                "are undefined. Add questions with answers to measure them."
            )
        if (
            share.missed
            and (box := st.expander("Wrongly answered", key="evaluate.unanswered.missed", on_change="rerun")).open
        ):
            with box:
                for one in share.missed[:_MOST]:
                    st.caption(plain(one.text))
                if len(share.missed) > _MOST:
                    st.caption(f"… and {quantity(len(share.missed) - _MOST, 'more question')}.")
    return True


def _share(label: str, share: Interval, how: str, whose: str) -> None:
    interval = f"{100 * share.low:.1f} to {100 * share.high:.1f} %" if share.known else None
    with st.container(width=260, gap="xsmall"):
        st.metric(label, f"{100 * share.mean:.1f} %", interval, delta_color="off", delta_arrow="off", help=how)
        st.caption(f"of {quantity(share.n, 'question')} {whose}")


def measure_field(run: EvaluationRun) -> Measure:
    """Draw which results count, with a button that opens the fields to change it, and return it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="evaluate.measure"):
        line = st.empty()
        with st.popover("Change", key="evaluate.measure.change"):
            measure = _measure_fields(run)
        line.markdown(f"Measured **{measure_words(measure)}**", width="content")
    return measure


def _measure_fields(run: EvaluationRun) -> Measure:
    """Draw the fields for a number of results or a token budget, and return the chosen measure.

    A toggle includes the neighbours of each result; it is disabled if the run has none.
    """
    deepest, expandable = max(run.depth, run.n), has_neighbours(run)
    choice = st.segmented_control(
        "Evaluate",
        (_FIRST_METRICS, _BUDGET),
        default=_kept(_KIND, _FIRST_METRICS),
        required=True,
        key=f"{_KIND}.field",
        help=(
            "A fixed number of results, or as many as fit a token budget. A budget compares small and large "
            "chunks fairly."
        ),
    )
    st.session_state[_KIND] = choice
    if choice == _BUDGET:
        help_ = "The last result is cut at the budget."
        tokens = st.number_input(
            "Tokens",
            _LEAST,
            _MOST_OFFERED,
            _kept(_TOKENS, _OFFERED),
            100,
            key=f"{_TOKENS}.field",
            width=150,
            help=help_,
        )
        st.session_state[_TOKENS] = tokens
    else:
        help_ = (
            f"The settings return {run.n:,}. The run stored {deepest:,} per question, so any number up to that "
            "needs no new run."
        )
        own = f"{_N}.{run.n}"  # per number of results, which differs between runs
        n = st.number_input(
            "Results",
            1,
            deepest,
            min(_kept(own, run.n), deepest),
            key=f"{own}.field.{deepest}",
            width=130,
            help=help_,
        )
        st.session_state[own] = n
    expanded = st.toggle(
        "With neighbours",
        value=_kept(_AROUND, False) and expandable,
        disabled=not expandable,
        key=f"{_AROUND}.field.{expandable}",
        help="Include the neighbours of each result, as a language model would get them."
        if expandable
        else (
            "These settings return no neighbours: set neighbours before or after on the Search page, and "
            "evaluate again."
        ),
    )
    if expandable:
        st.session_state[_AROUND] = expanded
    return (
        Measure.at_budget(int(tokens), expanded=expanded) if choice == _BUDGET else Measure(int(n), expanded=expanded)
    )


def _kept(key: str, otherwise: Any) -> Any:
    return st.session_state.get(key, otherwise)


def has_neighbours(run: EvaluationRun) -> bool:
    """True if any result of a run was returned with neighbours."""
    return any(
        interval.first < interval.start or interval.end < interval.last
        for one in run.answered
        for interval in one.results
    )


def measure_words(measure: Measure) -> str:
    """Return a measure as words, such as `in the first 5 results`.

    >>> measure_words(Measure(5)), measure_words(Measure.at_budget(1000, expanded=True))
    ('in the first 5 results', 'in 1,000 tokens of results with their neighbours')
    """
    suffix = " with their neighbours" if measure.expanded else ""
    if measure.budget is not None:
        return f"in {measure.budget:,} tokens of results{suffix}"
    return (
        f"in the first {measure.n:,} results{suffix}"
        if measure.n != 1
        else f"in the first result{suffix.replace('their', 'its')}"
    )

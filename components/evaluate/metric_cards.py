"""The numbers of a run: a few in everybody's words, the rest one click further; each with its interval and how it was
made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from chunking.evaluation import METHODS, METRICS, Interval, Measure, Metric, metric_of
from components.evaluate.measure_field import measure_words
from components.kit.wording import quantity

__all__ = ["metric_cards", "more_metrics"]


class Plain(NamedTuple):
    """A metric with a line in everybody's words."""

    name: str
    of: str
    """What it is a share or a number of; stands under it."""
    how: str


_FIRST = (
    Plain(
        "recall",
        "of the answers' text is found",
        "The share of the gold answers' text found {where}; the mean over the questions.",
    ),
    Plain(
        "whole",
        "of {questions} fully answered",
        "The share of questions whose gold answers are found completely {where}.",
    ),
    Plain(
        "hit",
        "of {questions} at least partly answered",
        "The share of questions for which any part of a gold answer is found {where}.",
    ),
    Plain("context_tokens", "sent per question", metric_of("context_tokens").help),
)
"""What everybody asks first, in this order."""
_GRID = """<style>
.st-key-evaluate-cards, .st-key-evaluate-metrics-more { display: grid; gap: 0.75rem; }
.st-key-evaluate-cards { grid-template-columns: repeat(2, minmax(0, 1fr)); grid-auto-rows: 1fr; }
.st-key-evaluate-cards > div { height: 100%; }
.st-key-evaluate-metrics-more { grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); }
</style>"""
"""Streamlit's own rows leave the cards at one width: two would stand beside an empty place."""
_FEW = 2
"""Fewest questions that statistics can be made of."""


def metric_cards(found: Mapping[str, Interval], questions: int, measure: Measure, unjudged: str = "") -> None:
    """What everybody asks first.

    Args:
        found: metric to its mean with the interval, as `summary` gives them.
        questions: that were counted.
        measure: how they were counted.
        unjudged: what of the results was never judged, as a sentence; stands under the cards and on the hover of each.
    """
    st.html(_GRID)
    where, asked = measure_words(measure), quantity(questions, "question")
    with st.container(height="stretch", key="evaluate.cards"):
        for one in _FIRST:
            with st.container(border=True, height="stretch", gap="xsmall", key=f"evaluate.card.{one.name}"):
                metric, how = metric_of(one.name), _how(one.how.format(where=where), unjudged)
                _card(metric, found[one.name], label=metric.label, how=how, border=False)
                st.caption(one.of.format(questions=asked))
    if unjudged:
        st.caption(f"⚠ {unjudged}")
    if questions < _FEW:
        st.caption("Only one question: no confidence interval and no other statistics. Add questions, at least twenty.")


def _how(words: str, unjudged: str) -> str:
    return f"{words}\n\n{unjudged}" if unjudged else words


def more_metrics(found: Mapping[str, Interval], unjudged: str = "") -> None:
    """The other metrics, behind a click."""
    first = {one.name for one in _FIRST}
    with st.expander("All metrics", key="evaluate.metrics"), st.container(key="evaluate.metrics.more"):
        for metric in METRICS:
            if metric.name not in first:
                _card(metric, found[metric.name], label=metric.label, how=_how(metric.help, unjudged), border=True)


def _card(metric: Metric, found: Interval, *, label: str, how: str, border: bool) -> None:
    low, high = metric.text(found.low), metric.text(found.high)
    unit = f" {metric.unit}" if metric.unit else ""
    st.metric(
        label,
        metric.text(found.mean),
        f"{low.removesuffix(unit)} to {high}" if found.known else None,
        delta_color="off",
        delta_arrow="off",
        help=f"{how}\n\n{_spread(metric, found.std, found.n)}" if found.known else how,
        border=border,
    )


def _spread(metric: Metric, deviation: float, questions: int) -> str:
    """What the hover says of the range."""
    return (
        f"The range below: {METHODS['interval']} Of {questions:,} questions; standard deviation between them "
        f"{metric.text(deviation)}."
    )

"""Table of metrics: name, label, unit, range and help text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from chunking.errors import QuestionError
from chunking.evaluation.analysis.statistics import SHARE, Bounds
from chunking.glossary import term

__all__ = ["COST", "METRICS", "Metric", "metric_of"]

_LOW = Bounds(0.0, None)
"""Range of shares far below 1, as a chunk is longer than an answer."""
COST = "context_tokens"
"""Name of the cost metric, which decides between equally good configurations."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric's label, unit, range and definition; formats its values and differences."""

    name: str
    """Name of the field in `Scores`."""
    label: str
    unit: str
    """`%`, `tokens`, or nothing."""
    percent: bool
    """True for a share, stored as 0 to 1 and shown as 0 to 100 %."""
    higher_is_better: bool
    help: str
    """Definition in a sentence or two."""
    bounds: Bounds | None = SHARE
    """Range of a question's value; None: any number from 0 up."""

    def text(self, value: float) -> str:
        """Format a value with its unit; a dash for NaN or infinity."""
        if not math.isfinite(value):
            return "–"
        if self.percent:
            return f"{100 * value:.1f} %"
        return f"{value:,.0f} {self.unit}" if self.unit else f"{value:.3f}"

    def points(self, value: float, *, sign: bool = True) -> str:
        """Format a difference with its unit, shares in points; without `sign`, only its size.

        >>> metric_of("recall").points(0.051), metric_of("tokens").points(-120, sign=False)
        ('+5.1 points', '120 tokens')
        """
        size = 100 * value if self.percent else value
        digits = ".1f" if self.percent else ",.0f" if self.unit else ".3f"
        number = f"{size:+{digits}}" if sign else f"{abs(size):{digits}}"
        unit = "points" if self.percent else self.unit
        return f"{number.replace('-', '−')} {unit}".strip()

    def apart(self, value: float, other: float) -> float:
        """Return value minus other, each as it is printed: next to both, the difference adds up.

        >>> recall = metric_of("recall")
        >>> recall.text(0.7964), recall.text(0.9616), recall.points(recall.apart(0.9616, 0.7964))
        ('79.6 %', '96.2 %', '+16.6 points')
        """
        size, places = (100, 1) if self.percent else (1, 0 if self.unit else 3)
        printed, other_printed = (float(f"{size * one:.{places}f}") for one in (value, other))
        return (printed - other_printed) / size

    def margin(self, points: float, best: float) -> float:
        """Convert a margin in points into the unit of the metric's values.

        A point is 0.01 of a share or a rank metric; for tokens, 1 % of the best mean.

        >>> metric_of("recall").margin(2, 0.9), metric_of("tokens").margin(2, 800.0)
        (0.02, 16.0)
        """
        return points / 100 if self.bounds is not None else points / 100 * abs(best)

    def margin_text(self, points: float) -> str:
        """Format a margin, such as `2 points`, or `2 %` of tokens."""
        unit = "%" if self.bounds is None else "point" if points == 1 else "points"
        return f"{points:g} {unit}"


METRICS: tuple[Metric, ...] = (
    Metric(
        "recall",
        "Recall",
        "%",
        True,
        True,
        f"{term('Recall').line} It is the share of the gold answers' characters that was returned.",
    ),
    Metric(
        "precision",
        "Precision",
        "%",
        True,
        True,
        "The share of the returned characters that belongs to a gold answer; text that is returned twice counts twice.",
        _LOW,
    ),
    Metric(
        "omega",
        "Precision Ω",
        "%",
        True,
        True,
        (
            "The precision if exactly the chunks that touch an answer were returned: the limit set by chunk "
            "boundaries alone, independent of the search."
        ),
        _LOW,
    ),
    Metric(
        "iou",
        "IoU",
        "%",
        True,
        True,
        (
            "Intersection over union: answer characters returned, divided by all characters that were returned "
            "or belong to an answer."
        ),
        _LOW,
    ),
    Metric(
        "hit",
        "Hit rate",
        "%",
        True,
        True,
        "The share of questions for which at least one character of an answer was returned.",
    ),
    Metric(
        "reciprocal_rank",
        "MRR",
        "",
        False,
        True,
        (
            "Mean reciprocal rank: 1 divided by the rank of the first result that holds part of an answer, 0 "
            "where none does."
        ),
    ),
    Metric(
        "ndcg",
        "nDCG",
        "",
        False,
        True,
        (
            "Normalised discounted cumulative gain: each result counts by the share of the answers that no "
            "earlier result contains, discounted by its rank (1 / log2(1 + rank)), relative to the best "
            "possible order: each document's answers as one result, the largest first."
        ),
    ),
    Metric(
        "document_recall",
        "Document recall",
        "%",
        True,
        True,
        (
            "The share of the documents with a question's gold answers from which at least one character of an "
            "answer was returned; for questions that need several documents. If each needs one, it is the hit "
            "rate."
        ),
    ),
    Metric(
        "whole",
        "Complete answers",
        "%",
        True,
        True,
        (
            "The share of questions for which every answer was returned from start to end; missing white "
            "space between chunks does not count."
        ),
    ),
    Metric(
        "context_tokens",
        "Context tokens",
        "tokens",
        False,
        False,
        f"{term('Context tokens').line} They count the results with neighbours and citations, shared text once, within "
        "the context budget of the search settings.",
        None,
    ),
    Metric(
        "tokens",
        "Hit tokens",
        "tokens",
        False,
        False,
        "Tokens of the hits alone, including prefixes, without the neighbours and citations sent with them.",
        None,
    ),
)
"""In display order."""

_BY_NAME: Mapping[str, Metric] = {one.name: one for one in METRICS}


def metric_of(name: str) -> Metric:
    """Return the metric with a name.

    Raises:
        QuestionError: there is no such metric.
    """
    if name not in _BY_NAME:
        raise QuestionError(f"There is no metric '{name}'; choose one of {', '.join(_BY_NAME)}.", where=name)
    return _BY_NAME[name]

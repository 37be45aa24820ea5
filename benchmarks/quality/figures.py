"""Figures of rankings: the product's metrics at each cutoff, means over collections, and paired intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.quality.rankings import SHOWN, Ranking
from chunking.evaluation import Measure, QuestionSet, Scores, score_spans
from chunking.evaluation.analysis.statistics import CONFIDENCE, paired, resampled

__all__ = [
    "AT_RESULTS",
    "AT_TOKENS",
    "CURVE",
    "RANKED",
    "Figures",
    "MeanDifference",
    "figures",
    "mean_difference",
]

AT_RESULTS = Measure(SHOWN)
AT_TOKENS = (Measure.at_budget(1_000), Measure.at_budget(2_000))
RANKED = Measure(10)
"""Cutoff of MRR and nDCG."""
CURVE = tuple(Measure(n) for n in range(1, 11))
MEASURES = tuple(dict.fromkeys((AT_RESULTS, *AT_TOKENS, RANKED, *CURVE)))
_DRAWS = 2_000

Figures = Mapping[Measure, Scores]
"""Scores of every question at each cutoff."""


class MeanDifference(NamedTuple):
    """Difference of two means over collections, with its 95 % interval."""

    mean: float
    low: float
    high: float


def figures(questions: QuestionSet, rankings: Sequence[Ranking]) -> Figures:
    """Score the rankings of all questions at every cutoff."""
    ids = [one.id for one in questions.questions]
    pairs = list(zip(questions.questions, rankings, strict=True))
    return {
        measure: Scores.of(ids, [score_spans(one.answers, results, measure) for one, results in pairs])
        for measure in MEASURES
    }


def mean_difference(differences: Sequence[tuple[str, np.ndarray]]) -> MeanDifference:
    """Return the mean of the collections' mean differences, with a paired bootstrap of the questions of each.

    Collections of one family ask the same questions, so each draw takes the same ones in all of them. The interval of
    one collection alone is that of the product, which is wider for few questions.

    Args:
        differences: (family, (questions,) differences) of each collection.
    """
    if len(differences) == 1:
        values = differences[0][1]
        alone = paired(values, np.zeros(len(values)))
        return MeanDifference(alone.mean, alone.low, alone.high)
    seeds = {family: seed for seed, family in enumerate(dict.fromkeys(family for family, _ in differences))}
    draws = np.mean([resampled(len(values), _DRAWS, seeds[family]) @ values for family, values in differences], axis=0)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return MeanDifference(float(np.mean([values.mean() for _, values in differences])), float(low), float(high))

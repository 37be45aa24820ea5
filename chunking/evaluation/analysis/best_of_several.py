"""Comparison of several configurations with the best, corrected for the number of comparisons.

Multiple comparisons with the best (Hsu 1984) with a bootstrapped critical value: how far the luckiest configuration
would get ahead by chance if all were equal. The more configurations, the larger that lead; the truly best one is called
worse in at most 2.5 of 100 samples, however many there are. With two configurations it is the paired comparison.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from chunking.evaluation.analysis.statistics import CONFIDENCE, Difference, differences, needed, resampled, t_quantile

__all__ = ["against_best", "against_one"]


def against_best(
    scores: np.ndarray, *, higher_is_better: bool = True, draws: int = 2000, seed: int = 0
) -> tuple[int, tuple[Difference, ...]]:
    """Return the column with the best mean, and the difference of every column to that column.

    Args:
        scores: (questions, configurations) float64; a row holds one question's scores.
    Returns:
        Index of the best column (the first of equals), and each column minus the best: the interval corrected for the
        number of configurations, `p` uncorrected. The best column's difference is 0 and not significant.
    """
    means = scores.mean(axis=0)
    best = int(np.argmax(means if higher_is_better else -means))
    count = len(scores)
    alone = differences(scores - scores[:, [best]], draws=draws, seed=seed)
    if count < 2 or len(alone) < 2:
        return best, alone
    critical = _critical(scores if higher_is_better else -scores, range(len(alone)), draws, seed)
    return best, tuple(_corrected(one, reach) for one, reach in zip(alone, critical.tolist(), strict=True))


def against_one(scores: np.ndarray, column: int, *, draws: int = 2000, seed: int = 0) -> tuple[Difference, ...]:
    """Return each configuration's lead over a configuration chosen beforehand; higher is better.

    Args:
        scores: (questions, configurations) float64; a row holds one question's scores.
        column: index of the chosen configuration, such as the current settings.
    Returns:
        Each column minus the chosen one: the interval corrected for the number of configurations, `p` uncorrected. If
        none is truly ahead, one is called ahead in at most 2.5 of 100 samples.
    """
    alone = differences(scores - scores[:, [column]], draws=draws, seed=seed)
    if len(scores) < 2 or len(alone) < 2:
        return alone
    (reach,) = _critical(scores, (column,), draws, seed).tolist()
    return tuple(_corrected(one, reach) for one in alone)


def _critical(scores: np.ndarray, columns: Sequence[int], draws: int, seed: int) -> np.ndarray:
    """Return each column's critical value: the luckiest other's lead in 2.5 of 100 draws, if all equal.

    (columns,) in standard errors.
    """
    count = len(scores)
    weights = resampled(count, draws, seed)
    centred = weights @ (scores - scores.mean(axis=0))
    covariance = np.cov(scores, rowvar=False)
    spread = np.diag(covariance)
    few = math.sqrt(count / (count - 1)) * t_quantile(count - 1) / NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
    reached = np.zeros(len(columns))
    for place, column in enumerate(columns):
        error = np.sqrt(np.maximum(spread + spread[column] - 2 * covariance[column], 0) / count)
        apart = error > 1e-12
        if apart.any():
            ahead = (centred[:, apart] - centred[:, [column]]) / error[apart]
            reached[place] = few * np.quantile(ahead.max(axis=1), 0.5 + CONFIDENCE / 2)
    return reached


def _corrected(one: Difference, critical: float) -> Difference:
    """Widen an interval for the number of comparisons; never narrow it below that of a single comparison."""
    if not one.differing:
        return one
    error = one.std / math.sqrt(one.n)
    low, high = min(one.low, one.mean - critical * error), max(one.high, one.mean + critical * error)
    shown = one.shown and (low > 0 or high < 0)
    more = None if shown else needed(one.mean, one.std, one.n, one.differing, critical=critical)
    return Difference(one.mean, low, high, one.n, one.p, one.std, shown, more, one.differing)

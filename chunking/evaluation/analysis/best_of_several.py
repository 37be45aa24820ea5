"""Several configurations with the best of them: which are worse, beyond what chance gives the one that looks best.

Multiple comparisons with the best (Hsu 1984), the critical value by a bootstrap of the largest statistic: for each
configuration it is asked how far the luckiest of the others would get ahead of it if all were equal. The more
configurations, the further ahead that is; so the one that is truly best is called worse in at most 2.5 of 100 samples,
however many there are.
With two configurations it is the paired comparison.
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
    """The column with the best mean, and how each falls short of it.

    Args:
        scores: (questions, configurations) float64, each row the same question for all.
    Returns:
        Which column is best (the first of equals), and each column less that one: the interval corrected for the number
        of configurations, `p` not corrected. The best's own is 0, not shown.
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
    """How far each configuration is ahead of one that was chosen beforehand, such as the present one; higher is better.

    Args:
        scores: (questions, configurations) float64, each row the same question for all.
        column: of the chosen one.
    Returns:
        Each column less that one: the interval corrected for the number of configurations, `p` not corrected. Where
            none is truly
        ahead, one is shown to be so in at most 2.5 of 100 samples.
    """
    alone = differences(scores - scores[:, [column]], draws=draws, seed=seed)
    if len(scores) < 2 or len(alone) < 2:
        return alone
    (reach,) = _critical(scores, (column,), draws, seed).tolist()
    return tuple(_corrected(one, reach) for one in alone)


def _critical(scores: np.ndarray, columns: Sequence[int], draws: int, seed: int) -> np.ndarray:
    """(columns,) standard errors by which the luckiest of the others is ahead of each in 2.5 of 100 draws, were all
    equal.
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
    """The interval as wide as the number of comparisons asks for; never narrower than that of the two alone."""
    if not one.differing:
        return one
    error = one.std / math.sqrt(one.n)
    low, high = min(one.low, one.mean - critical * error), max(one.high, one.mean + critical * error)
    shown = one.shown and (low > 0 or high < 0)
    more = None if shown else needed(one.mean, one.std, one.n, one.differing, critical=critical)
    return Difference(one.mean, low, high, one.n, one.p, one.std, shown, more, one.differing)

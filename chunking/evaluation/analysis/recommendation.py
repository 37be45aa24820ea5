"""Recommended configuration: the cheapest one shown to be at most a margin worse than the best.

A test of non-inferiority. The shortfall of a configuration is the distance of its true mean below that of the truly
best one. The upper bounds hold for all configurations at once in 95 of 100 samples: each configuration is compared,
question by question, with every other as if that were the best, at a critical value that allows for the number of
comparisons (multiple comparisons with the best, Hsu 1984; the largest statistic of a bootstrap, never beyond
Bonferroni's). So a configuration recommended because its bound is within the margin is worse by more than the margin in
at most 5 of 100 samples. If no bound is within the margin, the best mean so far is named, without a claim.

The sample may lack questions that would tell two configurations apart: from 100 questions on which both agree nothing
follows about a share below 3 %. Each comparison therefore adds one or two pseudo-questions that the recommended
configuration loses entirely, so that the bound for two that never differ is exact ("rule of three"), as Agresti and Min
(2005) do for proportions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from chunking.evaluation.analysis.statistics import CONFIDENCE, MOST_NEEDED, POWER, resampled, t_quantile

__all__ = ["FEWEST", "Recommendation", "recommend"]

FEWEST = 30
"""Minimum number of questions for a decision, however large the lead: bounds from fewer are unreliable."""
_MOST_DRAWN = 300
"""Most configurations for which the critical value is bootstrapped (quadratic time); beyond, Bonferroni's is used."""
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The recommended configuration, and whether the questions suffice to decide."""

    at: int
    """Column of the recommended configuration."""
    decided: bool
    """True if it is shown to be at most `margin` below the best; else it only has the best mean so far."""
    margin: float
    """In the unit of the scores: 0.02 is two points of a share."""
    shortfalls: tuple[float, ...]
    """(configurations,) upper bounds of the true mean's distance below the best (95 %, all at once); infinity below two
    questions.
    """
    questions: int
    """Number of questions asked."""
    needed: int | None
    """Estimated total number of questions that would decide which configuration to recommend, or, once that is decided,
    whether a cheaper one is within the margin (80 % power, at the observed differences). None if nothing is open, or
    more than 100,000 would be needed.
    """
    cheaper: int
    """Number of cheaper configurations that may or may not be within the margin."""

    @property
    def shortfall(self) -> float:
        """Upper bound of the recommended configuration's distance below the best mean."""
        return self.shortfalls[self.at]

    @property
    def compared(self) -> int:
        """Number of configurations compared, including the recommended one."""
        return len(self.shortfalls)

    def as_record(self) -> dict[str, bool | int | float | str | None]:
        """Return a mapping for JSON: kind, margin, shortfall, questions, needed, cheaper, compared.

        `shortfall` is that of the recommended configuration; None if infinite. `cheaper` is the number of cheaper
        configurations that may or may not be within the margin.
        """
        return {
            "kind": "decided" if self.decided else "undecided",
            "margin": self.margin,
            "shortfall": self.shortfall if math.isfinite(self.shortfall) else None,
            "questions": self.questions,
            "needed": self.needed,
            "cheaper": self.cheaper,
            "compared": self.compared,
        }


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Comparison of every configuration (row) with every other (column) as if the column were the best."""

    lag: np.ndarray
    """(k, k) float64: mean of the column minus mean of the row."""
    spread: np.ndarray
    """(k, k) float64: standard deviation of the per-question differences."""
    critical: np.ndarray
    """(k,) critical value of each column, in standard errors."""
    bound: np.ndarray
    """(k, k) float64: upper bound of the true lag; minus infinity on the diagonal."""
    lost: float
    """Number of pseudo-questions added that the row loses."""
    scale: float
    """Loss of a pseudo-question: the highest score observed."""


def recommend(
    scores: np.ndarray,
    costs: np.ndarray,
    margin: float,
    *,
    higher_is_better: bool = True,
    draws: int = 2000,
    seed: int = 0,
) -> Recommendation:
    """Recommend the cheapest configuration shown to be within `margin` of the best, else the best.

    If none is shown to be, the one with the best mean is named, and `decided` is False: always so below 30 questions
    (`FEWEST`) or two configurations.

    Args:
        scores: (questions, configurations) float64; a row holds one question's scores; at least one of each.
        costs: (configurations,) float64, such as tokens per question; ties go to the higher mean.
        margin: >= 0, in the unit of the scores.
    """
    signed = scores if higher_is_better else -scores
    count, columns = signed.shape
    means = signed.mean(axis=0)
    best = int(np.lexsort((costs, -means))[0])
    if count < 2 or columns < 2:
        unknown = math.inf if columns > 1 else 0.0
        return Recommendation(best, False, margin, (unknown,) * columns, count, None, 0)
    pairs = _pairs(signed, draws, seed)
    bounds = _shortfalls(pairs)
    eligible = np.flatnonzero(bounds <= margin) if count >= FEWEST else np.empty(0, np.int64)
    decided = bool(len(eligible))
    at = int(eligible[np.lexsort((-means[eligible], costs[eligible]))[0]]) if decided else best
    # a cheaper one is open until its true lag is known to be on one side of the margin; here the best mean's own bounds
    # are read
    # the other way round: how far it is ahead of each at least
    behind = -pairs.bound[best] > margin
    cheaper = np.flatnonzero((costs < costs[at]) & (bounds > margin) & ~behind)
    questions_needed = _needed_either_way(pairs, best, cheaper, margin) if decided else _needed(pairs, margin)
    needed = None if questions_needed > MOST_NEEDED else max(math.ceil(questions_needed), count + 1, FEWEST)
    return Recommendation(at, decided, margin, tuple(bounds.tolist()), count, needed, len(cheaper))


def _pairs(scores: np.ndarray, draws: int, seed: int) -> _Pairs:
    """Compare every pair of configurations; higher scores are better."""
    count, columns = scores.shape
    means = scores.mean(axis=0)
    lag = means[None, :] - means[:, None]
    centred = scores - means
    products = centred.T @ centred
    squares = np.maximum(np.diag(products)[:, None] + np.diag(products)[None, :] - 2 * products, 0.0)
    np.fill_diagonal(squares, 0.0)
    scale = float(np.abs(scores).max()) or 1.0
    alone, several = (1 - share for share in (CONFIDENCE, 1 - (1 - CONFIDENCE) / (columns - 1)))
    lost = _lost(several)
    total = count + lost
    mean = (count * lag + lost * scale) / total
    error = np.sqrt(np.maximum((squares + count * lag**2 + lost * scale**2) / total - mean**2, 0.0) / total)
    least, most = (t_quantile(count - 1, 1 - tail) for tail in (alone, several))
    critical = np.full(columns, most)
    if columns <= _MOST_DRAWN:
        ahead = resampled(count, draws, seed) @ centred
        ahead += _noise(draws, columns, seed) * (math.sqrt(lost) * scale / total)
        few = least / _NORMAL.inv_cdf(CONFIDENCE)
        critical = np.array([_critical(ahead, error[:, column], column) for column in range(columns)]) * few
        critical = np.asarray(np.clip(critical, least, most))
    bound = mean + critical[None, :] * error
    np.fill_diagonal(bound, -math.inf)
    return _Pairs(lag, np.sqrt(squares / (count - 1)), critical, bound, lost, scale)


def _critical(ahead: np.ndarray, error: np.ndarray, best: int) -> float:
    """Return the luckiest's lead over the best in 5 of 100 draws, if all are equal, in standard errors."""
    apart = np.divide(ahead - ahead[:, [best]], error, out=np.zeros_like(ahead), where=error > 0)
    apart[:, best] = -math.inf
    return float(np.quantile(apart.max(axis=1), CONFIDENCE))


@lru_cache(maxsize=2)
def _noise(draws: int, columns: int, seed: int) -> np.ndarray:
    """(draws, columns) normal noise standing for the pseudo-questions, independent per configuration."""
    noise = np.random.default_rng(seed + 3).normal(size=(draws, columns))
    noise.setflags(write=False)
    return noise


def _lost(tail: float) -> float:
    """Number of pseudo-failures that make the zero-loss bound exact: -ln(tail) / n.

    >>> round(_lost(0.05), 2), round(_lost(0.05 / 23), 2)
    (1.2, 2.05)
    """
    z = _NORMAL.inv_cdf(1 - tail)
    return float(((math.sqrt(z * z - 4 * math.log(tail)) - z) / 2) ** 2)


def _shortfalls(pairs: _Pairs) -> np.ndarray:
    most: np.ndarray = np.maximum(pairs.bound.max(axis=1), 0.0)
    return most


def _needed(pairs: _Pairs, margin: float) -> float:
    """Questions needed to show one configuration within the margin of all others; infinity for never."""
    each = _questions(margin - pairs.lag, pairs.spread, pairs.critical[None, :], pairs)
    np.fill_diagonal(each, 0.0)
    return float(each.max(axis=1).min())


def _needed_either_way(pairs: _Pairs, best: int, cheaper: np.ndarray, margin: float) -> float:
    """Questions needed to show a cheaper configuration inside or outside the margin; infinity for never."""
    if not len(cheaper):
        return math.inf
    room = np.abs(margin - pairs.lag[cheaper, best])
    return float(_questions(room, pairs.spread[cheaper, best], pairs.critical[best], pairs).min())


def _questions(room: np.ndarray, spread: np.ndarray, critical: np.ndarray | float, pairs: _Pairs) -> np.ndarray:
    """Questions until critical value plus power, in standard errors, fit the room; infinity for never.

    The larger solution n of `r (s² n + m c²)^½ + m c = a n`: a the room, r the reach, s the spread, m pseudo-questions
    that cost c each.
    """
    reach = critical + _NORMAL.inv_cdf(POWER)
    there = np.where(room > 0, room, 1.0)
    added = pairs.lost * pairs.scale
    half = there * added + (reach * spread) ** 2 / 2
    rest = (there * pairs.scale) ** 2 * (pairs.lost**2 - reach**2 * pairs.lost)
    questions_needed: np.ndarray = np.where(
        room > 0, (half + np.sqrt(np.maximum(half**2 - rest, 0.0))) / there**2, math.inf
    )
    return questions_needed

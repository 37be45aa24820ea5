"""Which of several configurations is recommended: the cheapest that is shown to be hardly worse than the best, if any
is.

A test of non-inferiority. The shortfall of a configuration is how far its true mean is below that of the truly best
one. An upper bound of it holds for all configurations at once in 95 of 100 samples, whichever is the best and however
it is chosen:
each is compared, question by question, with every other as if that were the best, at a critical value that allows for
the number of comparisons (multiple comparisons with the best, Hsu 1984; the largest statistic of a bootstrap, never
beyond Bonferroni's). So a configuration that is called recommended because its bound is within the margin is worse by
more than the margin in at most 5 of 100 samples. Where no bound is within it, the best mean so far is named, and
nothing is claimed for it.

Questions that would tell two apart may not have been asked yet: of 100 on which two agree nothing follows about a share
below 3 % of them. Each comparison is therefore made with one or two more questions that the recommended one loses
whole, so many that for two which never differ the bound is the exact one ("rule of three"), as Agresti and Min (2005)
do for proportions.
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
"""Questions below which nothing is decided, however far one is ahead: no bound is to be trusted that rests on fewer."""
_MOST_DRAWN = 300
"""Configurations up to which the critical value is drawn; the time grows with their square, and beyond it Bonferroni's
is taken.
"""
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Which configuration to take, and whether the questions decide it."""

    at: int
    """Its column."""
    decided: bool
    """It is shown to be at most `margin` below the best. Else it has the best mean so far, and that may be chance."""
    margin: float
    """In the unit of the scores: 0.02 are two points of a share."""
    shortfalls: tuple[float, ...]
    """Of every configuration: its true mean is at most so far below that of the best (95 %, for all at once); infinity
    below two questions."""
    questions: int
    """Asked."""
    needed: int | None
    """About so many questions in all would decide (in 8 of 10 samples, were the differences as seen): which to
    recommend, or where that is decided whether a cheaper one would do. None where nothing is open, or no number within
    reason (100,000) would."""
    cheaper: int
    """Configurations that cost less of which it is not known whether they are within the margin."""

    @property
    def shortfall(self) -> float:
        """Of the recommended one."""
        return self.shortfalls[self.at]

    @property
    def compared(self) -> int:
        """Configurations, this one included."""
        return len(self.shortfalls)

    def as_record(self) -> dict[str, bool | int | float | str | None]:
        """As plain values for JSON; what is not known is None."""
        shortfall = self.shortfall if math.isfinite(self.shortfall) else None
        kind = "decided" if self.decided else "undecided"
        plain: dict[str, bool | int | float | str | None] = {
            "kind": kind,
            "margin": self.margin,
            "shortfall": shortfall,
        }
        return plain | {
            "questions": self.questions,
            "needed": self.needed,
            "cheaper": self.cheaper,
            "compared": self.compared,
        }


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Every configuration (row) against every other one (column) as if that were the best."""

    lag: np.ndarray
    """(k, k) float64: mean of the column less that of the row."""
    spread: np.ndarray
    """(k, k) float64: standard deviation of the questions' differences."""
    critical: np.ndarray
    """(k,) standard errors, for each column."""
    bound: np.ndarray
    """(k, k) float64: the true lag is at most this; minus infinity on the diagonal."""
    lost: float
    """Questions added that the row loses."""
    scale: float
    """What a question lost whole costs: the highest score seen."""


def recommend(
    scores: np.ndarray,
    costs: np.ndarray,
    margin: float,
    *,
    higher_is_better: bool = True,
    draws: int = 2000,
    seed: int = 0,
) -> Recommendation:
    """The cheapest configuration that is shown to be at most `margin` below the best, else the best mean.

    Args:
        scores: (questions, configurations) float64, each row the same question for all; at least one of each.
        costs: (configurations,) float64, tokens a question, say. Of equally cheap ones the higher mean is taken.
        margin: in the unit of the scores, from 0 up.
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
    """Every pair, of scores of which more is better."""
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
    """Standard errors by which the luckiest gets ahead of the best in 5 of 100 draws, were they equal."""
    apart = np.divide(ahead - ahead[:, [best]], error, out=np.zeros_like(ahead), where=error > 0)
    apart[:, best] = -math.inf
    return float(np.quantile(apart.max(axis=1), CONFIDENCE))


@lru_cache(maxsize=2)
def _noise(draws: int, columns: int, seed: int) -> np.ndarray:
    """(draws, columns) float64, normal: what the questions not asked yet would do, each configuration by itself."""
    noise = np.random.default_rng(seed + 3).normal(size=(draws, columns))
    noise.setflags(write=False)
    return noise


def _lost(tail: float) -> float:
    """Questions that are lost in addition, so that the bound of a share of which none was seen is the exact one,
    -ln(tail) / n.

    >>> round(_lost(0.05), 2), round(_lost(0.05 / 23), 2)
    (1.2, 2.05)
    """
    z = _NORMAL.inv_cdf(1 - tail)
    return float(((math.sqrt(z * z - 4 * math.log(tail)) - z) / 2) ** 2)


def _shortfalls(pairs: _Pairs) -> np.ndarray:
    most: np.ndarray = np.maximum(pairs.bound.max(axis=1), 0.0)
    return most


def _needed(pairs: _Pairs, margin: float) -> float:
    """Questions with which the first configuration would be shown to be within the margin of all others; infinity for
    never.
    """
    each = _questions(margin - pairs.lag, pairs.spread, pairs.critical[None, :], pairs)
    np.fill_diagonal(each, 0.0)
    return float(each.max(axis=1).min())


def _needed_either_way(pairs: _Pairs, best: int, cheaper: np.ndarray, margin: float) -> float:
    """Questions with which one of the cheaper ones would be known to be within the margin, or beyond it; infinity for
    never.
    """
    if not len(cheaper):
        return math.inf
    room = np.abs(margin - pairs.lag[cheaper, best])
    return float(_questions(room, pairs.spread[cheaper, best], pairs.critical[best], pairs).min())


def _questions(room: np.ndarray, spread: np.ndarray, critical: np.ndarray | float, pairs: _Pairs) -> np.ndarray:
    """How many until critical value and power, in standard errors, fit into the room with the questions added; infinity
    for never.

    Of `r (s² n + m c²)^½ + m c = a n` the larger n: a the room, r the reach, s the spread, m questions added that cost
    c each.
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

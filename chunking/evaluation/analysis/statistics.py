"""How sure a mean and a difference are: a bootstrap over the questions, and a test that asks what chance would give.

Interval of a share: a Bayesian bootstrap (Rubin 1981) with one more question, which scores the least possible for the
low end and the most possible for the high end (Gaffke 2005, "Three test statistics for a nonparametric one-sided
hypothesis on the mean of a nonnegative variable"; Learned-Miller and Thomas 2020, "A new confidence interval for the
mean of a bounded random variable"). Of scores that are 0 or 1 that is the exact interval of Clopper and Pearson (1934),
so that 117 of 117 found gives 96.9 to 100 %; it holds for scores between, too.
Interval of anything else, such as a difference: percentiles of the means of resampled questions (Efron and Tibshirani
1993), as far out as the t distribution asks for few questions (Hesterberg 2015, "What Teachers Should Know About the
Bootstrap", the expanded percentile interval).
Test: were the two configurations equal, each question's difference might as well have the other sign (Fisher's
randomisation test). A difference is shown where both say so. The test matters where few questions differ at all: there
the bootstrap alone is too sure.
Quantiles of Student's t are exact to full float precision (Abramowitz and Stegun 1972, 26.7.3 and 26.7.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from chunking.errors import QuestionError

__all__ = [
    "CONFIDENCE",
    "MOST_NEEDED",
    "POWER",
    "SHARE",
    "Bounds",
    "Difference",
    "Interval",
    "differences",
    "interval",
    "intervals",
    "needed",
    "paired",
    "resampled",
    "t_quantile",
]

CONFIDENCE = 0.95
POWER = 0.8
"""Chance with which the needed number of questions shows a difference as large as the one seen."""
MOST_NEEDED = 100_000
"""More questions than that are as good as never."""
_FEWEST = 6
"""Questions that have to differ: of five, chance gives all the same sign in more than 5 of 100."""
_NORMAL = NormalDist()

Values = Sequence[float] | np.ndarray

_MOST_STEPS = 200
_CLOSE = 4e-15
"""A step of Newton's that is shorter than this share of where it stands is the last."""


class Bounds(NamedTuple):
    """Between which the values of a metric lie."""

    low: float
    high: float | None
    """None: no question comes near what is possible, so the highest value seen is taken for the most."""


SHARE = Bounds(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over questions, and how sure it is."""

    mean: float
    """NaN without questions."""
    low: float
    """Of the 95 % interval; NaN below two questions."""
    high: float
    std: float
    """Of the questions, with n - 1; NaN below two questions."""
    n: int
    """Questions."""

    @property
    def known(self) -> bool:
        """Whether there are enough questions for an interval: two."""
        return self.n > 1

    def as_record(self) -> dict[str, float | int | None]:
        """As plain values for JSON; what is not known is None."""
        values = {"mean": self.mean, "low": self.low, "high": self.high, "std": self.std}
        return {name: value if math.isfinite(value) else None for name, value in values.items()} | {"n": self.n}


@dataclass(frozen=True, slots=True)
class Difference:
    """Two configurations on the same questions: the first less the second."""

    mean: float
    low: float
    """Of the 95 % interval; NaN below two questions."""
    high: float
    n: int
    """Questions that both have."""
    p: float
    """Chance of a difference at least this large, were they equal; 1 where there is no telling."""
    std: float
    """Of the questions' differences, with n - 1; NaN below two questions."""
    shown: bool
    """Statistically significant: the interval excludes 0, which it only does where the test agrees."""
    needed: int | None
    """About so many more questions would show a difference as large as the one seen (in 8 of 10 samples); None where it
    is shown already, or no number of questions within reason would do."""
    differing: int = 0
    """Questions on which the two differ at all."""

    def as_record(self) -> dict[str, float | int | bool | None]:
        """As plain values for JSON; what is not known is None."""
        values = {"mean": self.mean, "low": self.low, "high": self.high, "std": self.std, "p": self.p}
        plain: dict[str, float | int | bool | None] = {
            name: one if math.isfinite(one) else None for name, one in values.items()
        }
        return plain | {"n": self.n, "differing": self.differing, "shown": self.shown, "needed": self.needed}


def interval(values: Values, *, bounds: Bounds | None = None, draws: int = 2000, seed: int = 0) -> Interval:
    """Mean of values, one a question, with its 95 % interval.

    Args:
        bounds: between which every value must lie; None: anywhere.

    >>> one = interval([0.0, 1.0] * 50, bounds=SHARE)
    >>> one.mean, round(one.low, 1), round(one.high, 1), one.n
    (0.5, 0.4, 0.6, 100)
    >>> all_found = interval([1.0] * 117, bounds=SHARE)
    >>> round(all_found.low, 2), all_found.high
    (0.97, 1.0)
    """
    return intervals(
        np.asarray(values, np.float64)[:, None], None if bounds is None else [bounds], draws=draws, seed=seed
    )[0]


def intervals(
    matrix: np.ndarray, bounds: Sequence[Bounds | None] | None = None, *, draws: int = 2000, seed: int = 0
) -> tuple[Interval, ...]:
    """Of each column of (questions, columns) float64, all from the same draws.

    Args:
        bounds: of each column; None: none has any.
    """
    count, columns = len(matrix), matrix.shape[1]
    if not count:
        return tuple(Interval(math.nan, math.nan, math.nan, math.nan, 0) for _ in range(columns))
    means = matrix.mean(axis=0)
    if count == 1:
        return tuple(Interval(float(mean), math.nan, math.nan, math.nan, 1) for mean in means)
    ends = np.empty((2, columns))
    tested = [place for place, one in enumerate(bounds or ()) if one is not None]
    free = [place for place in range(columns) if place not in tested]
    if free:
        ends[:, free] = _percentiles(matrix[:, free], draws, seed)
    if tested and bounds is not None:
        ends[:, tested] = _bounded(matrix[:, tested], [one for one in bounds if one is not None], draws, seed)
    rows: list[list[float]] = np.stack([means, *ends, matrix.std(axis=0, ddof=1)], axis=1).tolist()
    return tuple(Interval(mean, low, high, std, count) for mean, low, high, std in rows)


def _percentiles(matrix: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """(2, columns) float64: the ends of the expanded percentile interval."""
    ends = np.quantile(resampled(len(matrix), draws, seed) @ matrix, _tails(len(matrix)), axis=0)
    clipped: np.ndarray = np.clip(
        ends, matrix.min(axis=0), matrix.max(axis=0)
    )  # rounding may put a mean of ones above 1
    return clipped


def _bounded(matrix: np.ndarray, bounds: Sequence[Bounds], draws: int, seed: int) -> np.ndarray:
    """(2, columns) float64: the ends of the interval with one more question at the least, and at the most, that is
    possible.
    """
    least = np.array([one.low for one in bounds])
    largest = matrix.max(axis=0)
    most = np.array(
        [
            one.high if one.high is not None else top if top > one.low else 1.0
            for one, top in zip(bounds, largest, strict=True)
        ]
    )
    weights, added = _waits(len(matrix), draws, seed)
    total, whole = weights @ matrix, weights.sum(axis=1, keepdims=True) + added
    tail = (1 - CONFIDENCE) / 2
    low = np.quantile((total + added * least) / whole, tail, axis=0)
    high = np.quantile((total + added * most) / whole, 1 - tail, axis=0)
    ends: np.ndarray = np.clip(
        np.stack([low, high]), least, np.maximum(largest, most)
    )  # rounding may put a mean of ones above 1
    return ends


def paired(a: Values, b: Values, *, draws: int = 2000, seed: int = 0) -> Difference:
    """`a` less `b`, question by question.

    Args:
        a, b: (n,) of the same questions in the same order.
    Raises:
        QuestionError: they are not equally many.
    """
    if len(a) != len(b):
        raise QuestionError(
            f"{len(a)} and {len(b)} questions cannot be compared in pairs; give those that both runs have."
        )
    return differences((np.asarray(a, np.float64) - np.asarray(b, np.float64))[:, None], draws=draws, seed=seed)[0]


def differences(matrix: np.ndarray, *, draws: int = 2000, seed: int = 0) -> tuple[Difference, ...]:
    """One per column of (questions, columns) float64 differences, all from the same draws."""
    chances = _chances(matrix, draws, seed)
    return tuple(
        _difference(*row) for row in zip(matrix.T, intervals(matrix, draws=draws, seed=seed), chances, strict=True)
    )


def _difference(column: np.ndarray, interval: Interval, p: float) -> Difference:
    differing = int(np.count_nonzero(column))
    if not interval.known:
        return Difference(
            interval.mean, interval.low, interval.high, interval.n, 1.0, interval.std, False, None, differing
        )
    low, high = interval.low, interval.high
    if p >= 1 - CONFIDENCE:  # the interval never says more than the test
        low, high = min(low, 0.0), max(high, 0.0)
    shown = low > 0 or high < 0
    more = None if shown else needed(interval.mean, interval.std, interval.n, differing)
    return Difference(interval.mean, low, high, interval.n, p, interval.std, shown, more, differing)


def needed(
    mean: float, std: float, n: int, differing: int | None = None, *, critical: float | None = None
) -> int | None:
    """About how many more questions would show a mean difference in 8 of 10 samples, if it is as large as seen.

    Args:
        std: of the questions' differences.
        n: questions that there are.
        differing: those of them that differ at all; by default all.
        critical: standard errors that a difference has to reach; 1.96 by default.
    Returns:
        None where the difference is so small that no number within reason (100,000) would do.
    """
    if not mean or not math.isfinite(std):
        return None
    reach = (_NORMAL.inv_cdf(0.5 + CONFIDENCE / 2) if critical is None else critical) + _NORMAL.inv_cdf(POWER)
    enough = max(math.ceil((reach * std / mean) ** 2), math.ceil(_FEWEST * n / (n if differing is None else differing)))
    return None if enough > MOST_NEEDED else max(enough - n, 1)


@lru_cache(maxsize=4)
def resampled(count: int, draws: int, seed: int) -> np.ndarray:
    """(draws, count) float64: how much each question counts in each draw with replacement; a row sums to 1. Not to be
    written to.
    """
    chosen = np.random.default_rng(seed).integers(0, count, (draws, count))
    chosen += np.arange(draws)[:, None] * count
    weights = np.bincount(chosen.ravel(), minlength=draws * count).reshape(draws, count) / count
    weights.setflags(write=False)
    return weights


@lru_cache(maxsize=4)
def _waits(count: int, draws: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(draws, count) and (draws, 1) float64, exponential: how much each question, and the one added, count in each draw
    before they are made to sum to 1. Not to be written to."""
    waits = np.random.default_rng(seed + 2).exponential(size=(draws, count + 1))
    waits.setflags(write=False)
    return waits[:, :-1], waits[:, -1:]


@lru_cache(maxsize=4)
def _signs(count: int, draws: int, seed: int) -> np.ndarray:
    """(draws, count) float64 of 1 and -1."""
    signs = np.random.default_rng(seed + 1).integers(0, 2, (draws, count)) * 2.0 - 1.0
    signs.setflags(write=False)
    return signs


@lru_cache(maxsize=16)
def _all_signs(count: int) -> np.ndarray:
    """(2^count, count) float64: every way to give so many values a sign."""
    return (np.arange(2**count)[:, None] >> np.arange(count) & 1) * 2.0 - 1.0


def _chances(matrix: np.ndarray, draws: int, seed: int) -> list[float]:
    """Of each column, the share of the sign flips that give a sum at least as large: of all flips where they are few,
    else of those drawn and the one seen."""
    sums = np.abs(matrix.sum(axis=0)) * (1 - 1e-12)
    reached = (np.abs(_signs(len(matrix), draws, seed) @ matrix) >= sums).sum(axis=0)
    return [
        _chance(column[column != 0], float(least), int(times), draws)
        for column, least, times in zip(matrix.T, sums, reached, strict=True)
    ]


def _chance(values: np.ndarray, least: float, reached: int, draws: int) -> float:
    if 2 ** len(values) > draws:
        return (reached + 1) / (draws + 1)
    return float((np.abs(_all_signs(len(values)) @ values) >= least).mean())


def _tails(count: int) -> tuple[float, float]:
    """Where the percentiles are read: further out for few questions, whose resampled means spread too little."""
    low = _NORMAL.cdf(-math.sqrt(count / (count - 1)) * t_quantile(count - 1))
    return low, 1 - low


@lru_cache(maxsize=256)
def t_quantile(freedom: int, share: float = 0.975) -> float:
    """What a value that follows Student's t stays below with a probability of `share`.

    Args:
        freedom: degrees of freedom, >= 1.
        share: between 0 and 1.
    Raises:
        ValueError: one of them is out of range.

    >>> [round(t_quantile(freedom), 2) for freedom in (1, 5, 10, 30, 1000)]
    [12.71, 2.57, 2.23, 2.04, 1.96]
    >>> round(t_quantile(29, 0.999), 2), round(t_quantile(2, 0.999), 2)
    (3.4, 22.33)
    """
    if freedom < 1 or not 0 < share < 1:
        raise ValueError(f"no quantile of Student's t for {freedom} degrees of freedom and a share of {share}")
    if share < 0.5:
        return -t_quantile(freedom, 1 - share)
    # The normal quantile lies below; from there Newton's steps never go too far, because the curve flattens towards the
    # right.
    t = _NORMAL.inv_cdf(share)
    scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    weights = _weights(freedom)
    for _ in range(_MOST_STEPS):
        density = math.exp(scale - (freedom + 1) / 2 * math.log1p(t * t / freedom))
        step = (share - 0.5 - _between(t, freedom, weights) / 2) / density
        t += step
        if abs(step) <= _CLOSE * max(t, 1.0):
            break
    return t


def _between(t: float, freedom: int, weights: np.ndarray) -> float:
    """The probability of a value between -t and t."""
    angle = math.atan(t / math.sqrt(freedom))
    powers = np.exp(np.arange(len(weights)) * (-math.log1p(t * t / freedom)))  # of the squared cosine
    total = float((weights * powers).sum())
    if freedom % 2 == 0:
        return math.sin(angle) * total
    return 2 / math.pi * (angle + math.sin(angle) * math.cos(angle) * total)


def _weights(freedom: int) -> np.ndarray:
    """1, 1/2, 1·3/(2·4) ... where the degrees of freedom are even, 1, 2/3, 2·4/(3·5) ... where they are odd."""
    k = np.arange(1, freedom // 2)
    ratios = (2 * k - 1) / (2 * k) if freedom % 2 == 0 else 2 * k / (2 * k + 1)
    return np.concatenate(([1.0], np.cumprod(ratios))) if freedom > 1 else np.zeros(1)

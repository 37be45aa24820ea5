"""Confidence intervals and significance tests: bootstrap over the questions, and a randomisation test.

Interval of a share: a Bayesian bootstrap (Rubin 1981) with one more question, which scores the minimum for the low end
and the maximum for the high end (Gaffke 2005, "Three test statistics for a nonparametric one-sided hypothesis on the
mean of a nonnegative variable"; Learned-Miller and Thomas 2020, "A new confidence interval for the mean of a bounded
random variable"). For scores of 0 or 1 that is the exact interval of Clopper and Pearson (1934), so that 117 hits of
117 give 96.9 to 100 %; it also holds for scores in between.

Interval of anything else, such as a difference: percentiles of the means of resampled questions (Efron and Tibshirani
1993), widened by the t distribution for few questions (Hesterberg 2015, "What Teachers Should Know About the
Bootstrap", the expanded percentile interval).

Test: if two configurations are equal, each question's difference might as well have the opposite sign (Fisher's
randomisation test). A difference is significant if interval and test agree. The test matters where few questions
differ: there the bootstrap alone is overconfident.

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
"""Probability with which the needed number of questions shows a difference of the observed size."""
MOST_NEEDED = 100_000
"""Larger numbers of needed questions are reported as None."""
_FEWEST = 6
"""Minimum number of differing questions: with five, all have the same sign by chance in more than 5 of 100 samples."""
_NORMAL = NormalDist()

Values = Sequence[float] | np.ndarray

_MOST_STEPS = 200
_CLOSE = 4e-15
"""Relative size of the last step of Newton's method."""


class Bounds(NamedTuple):
    """Range of a metric's values."""

    low: float
    high: float | None
    """None: unbounded in practice, so the highest observed value is used."""


SHARE = Bounds(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Interval:
    """Mean over questions with its 95 % confidence interval."""

    mean: float
    """NaN without questions."""
    low: float
    """Lower end of the 95 % interval; NaN below two questions."""
    high: float
    std: float
    """Standard deviation over the questions (n - 1); NaN below two questions."""
    n: int
    """Number of questions."""

    @property
    def known(self) -> bool:
        """True if there are enough questions for an interval: two."""
        return self.n > 1

    def as_record(self) -> dict[str, float | int | None]:
        """Return plain values for JSON; None for an unknown value."""
        values = {"mean": self.mean, "low": self.low, "high": self.high, "std": self.std}
        return {name: value if math.isfinite(value) else None for name, value in values.items()} | {"n": self.n}


@dataclass(frozen=True, slots=True)
class Difference:
    """Paired difference of two configurations on the same questions: the first minus the second."""

    mean: float
    low: float
    """Lower end of the 95 % interval; NaN below two questions."""
    high: float
    n: int
    """Number of questions common to both."""
    p: float
    """Probability of a difference at least this large if both are equal; 1 if not computable."""
    std: float
    """Standard deviation of the per-question differences (n - 1); NaN below two questions."""
    shown: bool
    """True if statistically significant: the interval excludes 0, which requires that the test agrees."""
    needed: int | None
    """Estimated number of additional questions that would make the observed difference significant (80 % power); None
    if it is significant already, or more than 100,000 would be needed.
    """
    differing: int = 0
    """Number of questions on which the two differ."""

    def as_record(self) -> dict[str, float | int | bool | None]:
        """Return plain values for JSON; None for an unknown value."""
        values = {"mean": self.mean, "low": self.low, "high": self.high, "std": self.std, "p": self.p}
        plain: dict[str, float | int | bool | None] = {
            name: one if math.isfinite(one) else None for name, one in values.items()
        }
        return plain | {"n": self.n, "differing": self.differing, "shown": self.shown, "needed": self.needed}


def interval(values: Values, *, bounds: Bounds | None = None, draws: int = 2000, seed: int = 0) -> Interval:
    """Return the mean of per-question values with its 95 % confidence interval.

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
    """Return each column's mean with its bootstrapped 95 % confidence interval.

    All columns with bounds share one set of weights of the questions, all others one set of resamples. The ends are NaN
    below two questions.

    Args:
        matrix: (questions, columns) float64.
        bounds: range of each column's values; one more question at its minimum and at its maximum widens the interval,
            so that it is no point if all values are equal. None: unbounded, by percentiles.
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
    """Return (2, columns) float64: ends of the expanded percentile interval."""
    ends = np.quantile(resampled(len(matrix), draws, seed) @ matrix, _tails(len(matrix)), axis=0)
    clipped: np.ndarray = np.clip(
        ends, matrix.min(axis=0), matrix.max(axis=0)
    )  # rounding may put a mean of ones above 1
    return clipped


def _bounded(matrix: np.ndarray, bounds: Sequence[Bounds], draws: int, seed: int) -> np.ndarray:
    """Return (2, columns) float64: interval ends with one more question at the minimum and at the maximum."""
    least = np.array([one.low for one in bounds])
    largest = matrix.max(axis=0)
    most = np.array(
        [
            one.high if one.high is not None else top if top > one.low else 1.0
            for one, top in zip(bounds, largest, strict=True)
        ]
    )
    weights, added = _waits(len(matrix), draws, seed)
    total, weight_sum = weights @ matrix, weights.sum(axis=1, keepdims=True) + added
    tail = (1 - CONFIDENCE) / 2
    low = np.quantile((total + added * least) / weight_sum, tail, axis=0)
    high = np.quantile((total + added * most) / weight_sum, 1 - tail, axis=0)
    ends: np.ndarray = np.clip(
        np.stack([low, high]), least, np.maximum(largest, most)
    )  # rounding may put a mean of ones above 1
    return ends


def paired(a: Values, b: Values, *, draws: int = 2000, seed: int = 0) -> Difference:
    """Return the mean difference `a` minus `b`, paired by question, with interval and test.

    Args:
        a, b: (n,) scores of the same questions in the same order.
    Raises:
        QuestionError: the lengths differ.
    """
    if len(a) != len(b):
        raise QuestionError(
            f"{len(a)} and {len(b)} questions cannot be compared in pairs; give those that both runs have."
        )
    return differences((np.asarray(a, np.float64) - np.asarray(b, np.float64))[:, None], draws=draws, seed=seed)[0]


def differences(matrix: np.ndarray, *, draws: int = 2000, seed: int = 0) -> tuple[Difference, ...]:
    """Return mean, interval and test of each column of differences, over the same resamples.

    Args:
        matrix: (questions, columns) float64 differences.
    """
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
    """Estimate how many more questions would make a mean difference significant (80 % power).

    Args:
        std: standard deviation of the per-question differences.
        n: number of questions so far.
        differing: number of questions that differ; default: all.
        critical: standard errors a difference must reach; default: 1.96.
    Returns:
        At least 1; None if more than 100,000 would be needed, the mean is 0, or `std` is unknown.
    """
    if not mean or not math.isfinite(std):
        return None
    reach = (_NORMAL.inv_cdf(0.5 + CONFIDENCE / 2) if critical is None else critical) + _NORMAL.inv_cdf(POWER)
    enough = max(math.ceil((reach * std / mean) ** 2), math.ceil(_FEWEST * n / (n if differing is None else differing)))
    return None if enough > MOST_NEEDED else max(enough - n, 1)


@lru_cache(maxsize=4)
def resampled(count: int, draws: int, seed: int) -> np.ndarray:
    """Return read-only (draws, count) float64 bootstrap weights of questions; rows sum to 1."""
    chosen = np.random.default_rng(seed).integers(0, count, (draws, count))
    chosen += np.arange(draws)[:, None] * count
    weights = np.bincount(chosen.ravel(), minlength=draws * count).reshape(draws, count) / count
    weights.setflags(write=False)
    return weights


@lru_cache(maxsize=4)
def _waits(count: int, draws: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return read-only exponential weights: (draws, count) of the questions, (draws, 1) of the added one."""
    waits = np.random.default_rng(seed + 2).exponential(size=(draws, count + 1))
    waits.setflags(write=False)
    return waits[:, :-1], waits[:, -1:]


@lru_cache(maxsize=4)
def _signs(count: int, draws: int, seed: int) -> np.ndarray:
    """Return (draws, count) float64 random signs, 1 or -1."""
    signs = np.random.default_rng(seed + 1).integers(0, 2, (draws, count)) * 2.0 - 1.0
    signs.setflags(write=False)
    return signs


@lru_cache(maxsize=16)
def _all_signs(count: int) -> np.ndarray:
    """Return (2^count, count) float64: every combination of signs."""
    return (np.arange(2**count)[:, None] >> np.arange(count) & 1) * 2.0 - 1.0


def _chances(matrix: np.ndarray, draws: int, seed: int) -> list[float]:
    """Return the p-value of each column: the share of sign flips with a sum at least as large.

    All flips are enumerated if they are few; else random flips and the observed one count.
    """
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
    """Return the percentiles to read, further out for few questions, whose means vary too little."""
    low = _NORMAL.cdf(-math.sqrt(count / (count - 1)) * t_quantile(count - 1))
    return low, 1 - low


@lru_cache(maxsize=256)
def t_quantile(freedom: int, share: float = 0.975) -> float:
    """Return the quantile of Student's t: a value stays below it with probability `share`.

    Args:
        freedom: degrees of freedom, >= 1.
        share: between 0 and 1.
    Raises:
        ValueError: an argument is out of range.

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
    """Return the probability of a value between -t and t."""
    angle = math.atan(t / math.sqrt(freedom))
    powers = np.exp(np.arange(len(weights)) * (-math.log1p(t * t / freedom)))  # of the squared cosine
    total = float((weights * powers).sum())
    if freedom % 2 == 0:
        return math.sin(angle) * total
    return 2 / math.pi * (angle + math.sin(angle) * math.cos(angle) * total)


def _weights(freedom: int) -> np.ndarray:
    """Return the coefficients: 1, 1/2, 1·3/(2·4) ... for even freedom; 1, 2/3, 2·4/(3·5) ... for odd."""
    k = np.arange(1, freedom // 2)
    ratios = (2 * k - 1) / (2 * k) if freedom % 2 == 0 else 2 * k / (2 * k + 1)
    return np.concatenate(([1.0], np.cumprod(ratios))) if freedom > 1 else np.zeros(1)

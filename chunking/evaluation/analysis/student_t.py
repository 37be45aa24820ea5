"""Quantiles of Student's t to full float precision (Abramowitz and Stegun 1972, 26.7.3 and 26.7.4)."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

__all__ = ["t_quantile"]

_NORMAL = NormalDist()
_MOST_STEPS = 200
_CLOSE = 4e-15
"""A step of Newton's that is shorter than this share of where it stands is the last."""


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

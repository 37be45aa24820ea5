"""Gaussian mixtures: how many BIC finds, and which rows belong to which with some probability."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from chunking.enrichment.raptor.reducing import SEED, Rows

__all__ = ["memberships"]

_MOST = 50
"""Components tried, as in the paper's code."""
_PATIENCE = 5
"""Numbers of components tried after the best one so far: BIC falls, then rises. The paper's code tries all."""
_SAMPLE = 2_000
"""Rows on which the number is chosen: a fit costs rows times components."""


def memberships(rows: Rows, threshold: float) -> list[NDArray[np.intp]]:
    """The rows of each component of the best mixture, ascending; a row may be in several, and is in one at least.

    Args:
        rows: (n, d), no two alike, n > 1.
        threshold: least probability with which a row belongs to a component.
    """
    from threadpoolctl import threadpool_limits

    scaled = rows / max(float(rows.std()), 1e-12)
    generator = np.random.default_rng(SEED)
    sample = (
        scaled if len(scaled) <= _SAMPLE else scaled[np.sort(generator.choice(len(scaled), _SAMPLE, replace=False))]
    )
    # On matrices as small as these, several threads wait for each other: on a busy machine it took 30 times as long.
    with threadpool_limits(limits=1):
        chances = _fitted(sample, _best_number(sample)).predict_proba(scaled)
    belongs = chances > threshold
    belongs[np.arange(len(rows)), chances.argmax(axis=1)] = True
    return [members for component in range(chances.shape[1]) if len(members := np.flatnonzero(belongs[:, component]))]


def _best_number(rows: Rows) -> int:
    """The number of components with the lowest Bayesian information criterion."""
    best, lowest = 1, np.inf
    for number in range(1, min(_MOST, len(rows))):
        criterion = _fitted(rows, number).bic(rows)
        if criterion < lowest:
            best, lowest = number, criterion
        elif number >= best + _PATIENCE:
            break
    return best


def _fitted(rows: Rows, number: int):  # type: ignore[no-untyped-def]
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    # Rows are nearly alike where a group is dense: a floor under the variances keeps a component from shrinking onto
    # one row.
    mixture = GaussianMixture(number, random_state=SEED, reg_covar=1e-3)
    with warnings.catch_warnings():
        # A fit that has not settled after 100 rounds is compared by its BIC as any other.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return mixture.fit(rows)

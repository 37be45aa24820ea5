"""Vectors with fewer dimensions, in which a mixture can be fitted; the same input gives the same output."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from chunking.config import Reduction
from chunking.errors import ConfigError

__all__ = ["DIMENSIONS", "SEED", "Reduce", "check_reduction", "reducer"]

DIMENSIONS = 10
"""Of the reduced vectors, as in the paper's code."""
SEED = 224
"""That of the paper's code."""
_LOCAL_NEIGHBOURS = 10

Rows = NDArray[np.float64]
Reduce = Callable[[Rows, bool], Rows]
"""(n, d) unit rows, and whether their global shape matters (else the local one), to (n, at most DIMENSIONS)."""


def check_reduction(wanted: Reduction) -> bool:
    """Whether vectors are reduced by umap; loads nothing, so that a plan can ask before anything is done.

    Raises:
        ConfigError: umap is wanted and not installed, or scikit-learn is not.
    """
    if find_spec("sklearn") is None:
        raise ConfigError.needs_full_installation("The setting enrich.raptor", where="enrich.raptor")
    installed = find_spec("umap") is not None
    if wanted is Reduction.UMAP and not installed:
        raise ConfigError(
            "raptor_reduction: is umap, which is not installed; install chunkscope[umap] or choose pca",
            where="enrich.raptor_reduction",
        )
    return installed and wanted is not Reduction.PCA


def reducer(wanted: Reduction) -> Reduce:
    """The function for a setting.

    Raises:
        ConfigError: umap is wanted and not installed.
    """
    return _umap if check_reduction(wanted) else _pca


def _pca(rows: Rows, whole: bool) -> Rows:
    """Principal components: one shape, global or local."""
    from sklearn.decomposition import PCA

    count = min(DIMENSIONS, len(rows) - 2, rows.shape[1])
    reduced: Rows = PCA(n_components=count, svd_solver="full").fit_transform(rows)
    return reduced


def _umap(rows: Rows, whole: bool) -> Rows:
    """As the paper: many neighbours for the global shape, ten for the local one."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ImportWarning
        )  # that tensorflow is not there, which only its parametric form needs
        from umap import UMAP
    neighbours = int((len(rows) - 1) ** 0.5) if whole else min(_LOCAL_NEIGHBOURS, len(rows) - 1)
    count = min(DIMENSIONS, len(rows) - 2)
    # A seed makes UMAP run on one thread; to say so ourselves keeps it from warning. Random starts: the spectral one
    # fails on few rows, and gives up with a warning on rows in several parts.
    model = UMAP(
        n_neighbors=max(neighbours, 2),
        n_components=count,
        metric="cosine",
        init="random",
        min_dist=0.0,
        random_state=SEED,
        n_jobs=1,
    )
    return np.asarray(model.fit_transform(rows), np.float64)

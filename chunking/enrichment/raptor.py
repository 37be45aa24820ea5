"""RAPTOR tree: similar chunks clustered and summarised, level by level, up to one node.

After Sarthi et al. 2024 (arXiv 2401.18059): fewer dimensions (UMAP, or PCA if it is not installed), Gaussian mixtures
whose number BIC chooses, clusters first global and then local, none longer than the input of a summary.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from chunking.config import EnrichConfig, Reduction
from chunking.errors import Cancelled, ConfigError, ModelError

__all__ = ["TreeNode", "build_tree", "check_reduction", "group", "memberships", "node_id", "reducer"]

DIMENSIONS = 10
"""Dimensions of the reduced vectors, as in the paper's code."""
SEED = 224
"""Random seed of the paper's code."""
_LOCAL_NEIGHBOURS = 10

Rows = NDArray[np.float64]
Reduce = Callable[[Rows, bool], Rows]
"""Reduction of (n, d) unit rows, and whether their global shape matters, to (n, at most DIMENSIONS)."""

Summarise = Callable[[Sequence[Sequence[str]]], Sequence[str]]
"""Function from the texts of each cluster of a level to its summary."""
Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Function from (n,) texts to (n, d) unit vectors."""
OnProgress = Callable[[str], None]


def check_reduction(reduction: Reduction) -> bool:
    """True if vectors are reduced by umap; loads nothing, so that a plan can call it early.

    Raises:
        ConfigError: umap is requested and not installed, or scikit-learn is not.
    """
    if find_spec("sklearn") is None:
        raise ConfigError.needs_full_installation("The setting enrich.raptor", where="enrich.raptor")
    installed = find_spec("umap") is not None
    if reduction is Reduction.UMAP and not installed:
        raise ConfigError(
            "raptor_reduction: is umap, which is not installed; install chunkscope[umap] or choose pca",
            where="enrich.raptor_reduction",
        )
    return installed and reduction is not Reduction.PCA


def reducer(reduction: Reduction) -> Reduce:
    """Return the reduction function of a setting.

    Raises:
        ConfigError: as `check_reduction`.
    """
    return _umap if check_reduction(reduction) else _pca


def _pca(rows: Rows, is_global: bool) -> Rows:
    """Reduce by principal components, equally for the global and the local shape."""
    from sklearn.decomposition import PCA

    count = min(DIMENSIONS, len(rows) - 2, rows.shape[1])
    reduced: Rows = PCA(n_components=count, svd_solver="full").fit_transform(rows)
    return reduced


def _umap(rows: Rows, is_global: bool) -> Rows:
    """Reduce by UMAP as in the paper: many neighbours for the global shape, ten for the local one."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ImportWarning
        )  # that tensorflow is not there, which only its parametric form needs
        from umap import UMAP
    neighbours = int((len(rows) - 1) ** 0.5) if is_global else min(_LOCAL_NEIGHBOURS, len(rows) - 1)
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


Members = NDArray[np.intp]
FEW = DIMENSIONS + 1
"""Maximum distinct rows that form one cluster, as in the paper's code.

They are too few to reduce and fit.
"""

_MOST = 50
"""Maximum number of components tried, as in the paper's code."""
_PATIENCE = 5
"""Numbers of components tried after the best one so far.

BIC falls, then rises. The paper's code tries all.
"""
_SAMPLE = 2_000
"""Rows sampled to choose the number of components: a fit costs rows times components."""


# -- groups of one level


def group(
    rows: Rows, lengths: Members, limit: int, reduce: Reduce, threshold: float, check: Callable[[], None]
) -> list[tuple[int, ...]]:
    """Cluster similar rows; a row may be in several clusters, and is in at least one.

    Args:
        rows: (n, d) unit rows, n > 1.
        lengths: (n,) tokens of each row's text.
        limit: maximum tokens of a cluster, except for clusters of two or three; a row that was alone may come on top.
        check: called before each fit; raises to stop.
    Returns:
        Fewer clusters than rows, each of two or more ascending rows, ordered by first row; none is contained in
        another.
    """
    parts = _without_singles(
        _unique(_split(rows, np.arange(len(rows)), lengths, limit, reduce, threshold, check)), rows
    )
    if len(parts) >= len(rows):
        parts = list(_halved(np.arange(len(rows)), rows, lengths, limit))
    return parts


def _split(
    rows: Rows,
    members: Members,
    lengths: Members,
    limit: int,
    reduce: Reduce,
    threshold: float,
    check: Callable[[], None],
) -> Iterator[tuple[int, ...]]:
    """Cluster some rows with a mixture, splitting clusters over the limit again."""
    check()
    groups = [members[some] for some in _clusters(rows[members], reduce, threshold, check)]
    for some in groups:
        if len(some) <= 2 or int(lengths[some].sum()) <= limit:
            yield tuple(some.tolist())
        elif len(some) < len(members):
            yield from _split(rows, some, lengths, limit, reduce, threshold, check)
        else:  # the mixture finds no parts in it
            yield from _halved(some, rows, lengths, limit)


def _clusters(rows: Rows, reduce: Reduce, threshold: float, check: Callable[[], None]) -> list[Members]:
    """Cluster globally, then each cluster locally; equal rows are merged, as no mixture can separate them."""
    different, place = np.unique(rows.round(6), axis=0, return_inverse=True)
    if len(different) <= FEW:
        return [np.arange(len(rows))]
    parts = []
    for some in memberships(reduce(different, True), threshold):
        check()
        local = [np.arange(len(some))] if len(some) <= FEW else memberships(reduce(different[some], False), threshold)
        parts += [np.flatnonzero(np.isin(place, some[part])) for part in local]
    return parts


def _halved(members: Members, rows: Rows, lengths: Members, limit: int) -> Iterator[tuple[int, ...]]:
    """Halve along the axis of largest variance until each part fits the limit."""
    if len(members) <= 3 or int(lengths[members].sum()) <= limit:
        yield tuple(members.tolist())
        return
    centred = rows[members] - rows[members].mean(axis=0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    order = np.argsort(centred @ axis, kind="stable")
    for half in np.array_split(order, 2):
        yield from _halved(members[np.sort(half)], rows, lengths, limit)


def _unique(groups: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Drop clusters contained in another: their summary would add nothing."""
    kept: list[frozenset[int]] = []
    holders: dict[int, list[frozenset[int]]] = {}
    for some in sorted(set(groups), key=lambda some: (-len(some), some)):
        own = frozenset(some)
        if not any(own <= other for other in holders.get(some[0], ())):
            kept.append(own)
            for row in some:
                holders.setdefault(row, []).append(own)
    return sorted(tuple(sorted(own)) for own in kept)


def _without_singles(groups: list[tuple[int, ...]], rows: Rows) -> list[tuple[int, ...]]:
    """Add each row that is alone to the cluster with the nearest centroid."""
    several, alone = [set(some) for some in groups if len(some) > 1], [some[0] for some in groups if len(some) == 1]
    if not several:
        return [tuple(range(len(rows)))]
    middles = np.stack([rows[sorted(some)].mean(axis=0) for some in several])
    for row in alone:
        several[int((middles @ rows[row]).argmax())].add(row)
    return sorted(tuple(sorted(some)) for some in several)


# -- mixtures


def memberships(rows: Rows, threshold: float) -> list[NDArray[np.intp]]:
    """Return the rows of each component of the best mixture, ascending; each row is in at least one.

    Args:
        rows: (n, d), pairwise different, n > 1.
        threshold: minimum probability with which a row belongs to a component.
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
    """Return the number of components with the lowest Bayesian information criterion."""
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


# -- the tree


@dataclass(frozen=True, slots=True)
class TreeNode:
    """Node of a RAPTOR tree: a summary of chunks, or of nodes one level down, with its vector."""

    level: int
    """Level, from 1 for summaries of chunks."""
    number: int
    """Number within the level, from 0."""
    children: tuple[str, ...]
    """Ids of chunks on level 1, else of nodes (`node_id`); a child may have several parents."""
    summary: str
    vector: NDArray[np.float32]
    """(d,) vector of the summary."""

    @property
    def node_id(self) -> str:
        """Id: `cluster_{level}_{number}`."""
        return node_id(self.level, self.number)


def node_id(level: int, number: int) -> str:
    """Return the id of a node.

    >>> node_id(1, 0)
    'cluster_1_0'
    """
    return f"cluster_{level}_{number}"


def build_tree(
    ids: Sequence[str],
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    *,
    embed: Embed,
    summarise: Summarise,
    count: Callable[[str], int],
    config: EnrichConfig,
    limit_tokens: int = 3_500,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> list[TreeNode]:
    """Build a RAPTOR tree: cluster texts by vector, summarise clusters, repeat on the summaries.

    The method is that of Sarthi et al. 2024 (arXiv 2401.18059) and its code: reduction to ten dimensions, global then
    local; Gaussian mixtures with the number that BIC finds; soft membership. Here a text in a cluster of its own joins
    the nearest one, and levels are added until one has a single node or is number `config.raptor_levels`; the paper's
    code stops at eleven nodes. The same input gives the same tree.

    Args:
        ids: (n,) of the chunks.
        texts: (n,) text of each chunk to summarise.
        vectors: (n, d) unit vectors of the chunks.
        summarise: called once per level.
        limit_tokens: maximum tokens of a cluster's texts; longer ones are split again.
        on_progress: called with a sentence at each level.
        cancelled: called before each fit and each level.
    Returns:
        All nodes, level by level; none for fewer than two chunks.
    Raises:
        ConfigError: umap is requested and not installed.
        ModelError: a vector has values that are not numbers.
        Cancelled: `cancelled` returned True.
    """
    reduce = reducer(config.raptor_reduction)

    def check() -> None:
        if cancelled is not None and cancelled():
            raise Cancelled("Building the RAPTOR summary tree was stopped; none of the tree was saved.")

    nodes: list[TreeNode] = []
    for level in range(1, config.raptor_levels + 1):
        if len(ids) < 2:
            break
        check()
        if on_progress:
            on_progress(f"Clustering {len(ids)} texts for level {level} of the summary tree")
        lengths = np.array([count(text) for text in texts])
        groups = group(_checked(ids, vectors), lengths, limit_tokens, reduce, config.raptor_threshold, check)
        summaries = summarise([[texts[row] for row in some] for some in groups])
        embedded = embed(summaries)
        own = [
            TreeNode(level, number, tuple(ids[row] for row in some), summaries[number], embedded[number])
            for number, some in enumerate(groups)
        ]
        nodes += own
        ids, texts, vectors = [node.node_id for node in own], summaries, embedded
    return nodes


def _checked(ids: Sequence[str], vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Normalise rows to unit length; a zero vector stays zero.

    Raises:
        ModelError: see `build_tree`.
    """
    rows = np.asarray(vectors, np.float64)
    broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(broken):
        raise ModelError(
            f"The vector of {ids[int(broken[0])]} contains values that are not numbers; build the index again.",
            where=ids[int(broken[0])],
        )
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float64] = rows / np.where(norms > 0, norms, 1.0)
    return unit

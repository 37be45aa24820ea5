"""The tree of RAPTOR: similar chunks grouped and summarised, level by level, up to one node.

After Sarthi et al. 2024 (arXiv 2401.18059): fewer dimensions (UMAP, or PCA where it is not installed), Gaussian
mixtures whose number BIC chooses, groups first global and then local, none longer than a summary can be made of.
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
"""Of the reduced vectors, as in the paper's code."""
SEED = 224
"""That of the paper's code."""
_LOCAL_NEIGHBOURS = 10

Rows = NDArray[np.float64]
Reduce = Callable[[Rows, bool], Rows]
"""(n, d) unit rows, and whether their global shape matters (else the local one), to (n, at most DIMENSIONS)."""

Summarise = Callable[[Sequence[Sequence[str]]], Sequence[str]]
"""The texts of each group of a level to a summary of each."""
Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""(n,) texts to (n, d) unit vectors."""
OnProgress = Callable[[str], None]


def check_reduction(reduction: Reduction) -> bool:
    """Whether vectors are reduced by umap; loads nothing, so that a plan can ask before anything is done.

    Raises:
        ConfigError: umap is wanted and not installed, or scikit-learn is not.
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
    """The function for a setting.

    Raises:
        ConfigError: umap is wanted and not installed.
    """
    return _umap if check_reduction(reduction) else _pca


def _pca(rows: Rows, is_global: bool) -> Rows:
    """Principal components: one shape, global or local."""
    from sklearn.decomposition import PCA

    count = min(DIMENSIONS, len(rows) - 2, rows.shape[1])
    reduced: Rows = PCA(n_components=count, svd_solver="full").fit_transform(rows)
    return reduced


def _umap(rows: Rows, is_global: bool) -> Rows:
    """As the paper: many neighbours for the global shape, ten for the local one."""
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
"""So many different rows are one group, as in the paper's code: there are too few to reduce and fit."""

_MOST = 50
"""Components tried, as in the paper's code."""
_PATIENCE = 5
"""Numbers of components tried after the best one so far: BIC falls, then rises. The paper's code tries all."""
_SAMPLE = 2_000
"""Rows on which the number is chosen: a fit costs rows times components."""


# -- groups of one level


def group(
    rows: Rows, lengths: Members, limit: int, reduce: Reduce, threshold: float, check: Callable[[], None]
) -> list[tuple[int, ...]]:
    """Groups of rows that are alike; a row may be in several, and is in one at least.

    Args:
        rows: (n, d) unit rows, n > 1.
        lengths: (n,) tokens of each row's text.
        limit: most tokens of a group, but for groups of two or three; a row that stood alone may come on top.
        check: called before each fit; raises to stop.
    Returns:
        Fewer groups than rows, each of two or more, ascending, in the order of their first rows; none holds no more
        than another.
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
    """Groups of some rows: those of the mixture, and those of each that is too long again."""
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
    """Global groups, each in its local ones. Rows that are alike are taken as one: no mixture can tell them apart."""
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
    """Halves along the direction in which they differ most, and their halves, until each is short enough."""
    if len(members) <= 3 or int(lengths[members].sum()) <= limit:
        yield tuple(members.tolist())
        return
    centred = rows[members] - rows[members].mean(axis=0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    order = np.argsort(centred @ axis, kind="stable")
    for half in np.array_split(order, 2):
        yield from _halved(members[np.sort(half)], rows, lengths, limit)


def _unique(groups: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Without those whose rows another has all: their summary would say nothing more."""
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
    """A row alone joins the group whose middle is nearest: a summary of one text is no summary."""
    several, alone = [set(some) for some in groups if len(some) > 1], [some[0] for some in groups if len(some) == 1]
    if not several:
        return [tuple(range(len(rows)))]
    middles = np.stack([rows[sorted(some)].mean(axis=0) for some in several])
    for row in alone:
        several[int((middles @ rows[row]).argmax())].add(row)
    return sorted(tuple(sorted(some)) for some in several)


# -- mixtures


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


# -- the tree


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A summary of chunks, or of nodes a level below."""

    level: int
    """From 1, over the chunks."""
    number: int
    """From 0 in its level."""
    children: tuple[str, ...]
    """Ids of chunks on level 1, of nodes (`node_id`) above. A child may have several nodes over it."""
    summary: str
    vector: NDArray[np.float32]
    """(d,) of the summary."""

    @property
    def node_id(self) -> str:
        """`cluster_{level}_{number}`."""
        return node_id(self.level, self.number)


def node_id(level: int, number: int) -> str:
    """Id of a node.

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
    """Group texts by their vectors and summarise each group, then the summaries, until there is one.

    The method is that of Sarthi et al. 2024 (arXiv 2401.18059) and its code: reduction to ten dimensions, global then
    local; Gaussian mixtures with the number that BIC finds; soft membership. Here a text of a group of its own joins
    the nearest one, and the last level is one node, where the paper's code stops at eleven. The same input gives the
    same tree.

    Args:
        ids: (n,) of the chunks.
        texts: (n,) what is summarised of each.
        vectors: (n, d) unit vectors of them.
        summarise: called once a level.
        limit_tokens: most that a group's texts have together; longer ones are split again.
        on_progress: gets a sentence at each level.
        cancelled: asked before each fit and each level.
    Returns:
        All nodes, level by level; none for fewer than two chunks.
    Raises:
        ConfigError: umap is asked for and not installed.
        ModelError: a vector has numbers that are none.
        Cancelled: `cancelled` said so.
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
    """Unit rows; a zero vector stays zero.

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

"""Levels of summaries over chunks, until one node stands over all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunking.config import EnrichConfig
from chunking.enrichment.raptor.grouping import group
from chunking.enrichment.raptor.reducing import reducer
from chunking.errors import Cancelled, ModelError

__all__ = ["Summarise", "TreeNode", "build_tree", "node_id"]

Summarise = Callable[[Sequence[Sequence[str]]], Sequence[str]]
"""The texts of each group of a level to a summary of each."""
Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""(n,) texts to (n, d) unit vectors."""
OnProgress = Callable[[str], None]


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
    local;
    Gaussian mixtures with the number that BIC finds; soft membership. Here a text of a group of its own joins the
    nearest
    one, and the last level is one node, where the paper's code stops at eleven. The same input gives the same tree.

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
        made = embed(summaries)
        own = [
            TreeNode(level, number, tuple(ids[row] for row in some), summaries[number], made[number])
            for number, some in enumerate(groups)
        ]
        nodes += own
        ids, texts, vectors = [node.node_id for node in own], summaries, made
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

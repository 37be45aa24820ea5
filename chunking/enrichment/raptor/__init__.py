"""Chunks that are alike, grouped and summarised again and again: the tree of RAPTOR (Sarthi et al. 2024, arXiv
2401.18059).

reducing.py   fewer dimensions: UMAP, or PCA where it is not installed
mixture.py    Gaussian mixtures whose number BIC chooses, and who belongs to which
grouping.py   the groups of one level: global, then local; none over the limit
tree.py       levels until one node
"""

from __future__ import annotations

from chunking.enrichment.raptor.grouping import check_reduction
from chunking.enrichment.raptor.raptor_tree import TreeNode, build_tree, node_id

__all__ = ["TreeNode", "build_tree", "check_reduction", "node_id"]

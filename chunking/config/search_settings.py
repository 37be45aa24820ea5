"""Settings of how an index is searched."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from chunking.config.choices import Fusion, Rerank, Retrieval, SearchMode, TreeSearch
from chunking.config.settings import Settings, knob, some_of

__all__ = ["SearchConfig"]

RerankList = Annotated[tuple[Rerank, ...], BeforeValidator(some_of(Rerank))]


class SearchConfig(Settings):
    """How an index is searched."""

    mode: SearchMode = knob(SearchMode.HYBRID, "Mode", "hybrid: by meaning and by words. vector: by meaning only. text: by words only.")
    retrieval: Retrieval = knob(
        Retrieval.MULTISIZE,
        "Results are",
        "chunk: the chunks that were found. parent: their parents, best child's score. merge: a parent takes the place of its chunks "
        "where enough of them were found. hierarchical: chunks and the summaries above them. multisize: chunks, which profit from the "
        "larger ones they stand in.",
    )
    vector_weight: float = knob(
        0.65, "Weight of meaning", "Share of the vector leg in a hybrid score; the words have the rest.", ge=0.0, le=1.0
    )
    k: int = knob(5, "Results", "Number of chunks found.", unit="chunks", ge=1, le=200)
    drop_repeats: bool = knob(True, "Drop repeats", "Show a text that stands in several places once, and list the other places.")
    before: int = knob(1, "Neighbours before", "Chunks shown before each hit.", unit="chunks", ge=0, le=20)
    after: int = knob(1, "Neighbours after", "Chunks shown after each hit.", unit="chunks", ge=0, le=20)
    fusion: Fusion = knob(
        Fusion.STANDARDISED,
        "Fusion",
        "standardised: weighted sum of both legs' z-scores. reciprocal_rank: weighted sum of 1 / (60 + rank).",
        detail=True,
    )
    across_parents: bool = knob(
        False, "Neighbours across sections", "Neighbours may come from another section, or parent, than the hit's.", detail=True
    )
    min_similarity: float = knob(
        0.0, "Minimum similarity", "Vector hits with a lower cosine are dropped. 0: none.", detail=True, ge=0.0, le=1.0
    )
    candidates: int = knob(
        0,
        "Candidates per leg",
        "Chunks each leg hands to fusion. 0: ten times the results, at least 100.",
        unit="chunks",
        detail=True,
        ge=0,
        le=10_000,
    )

    budget: int = knob(
        0,
        "Context budget",
        "Most tokens handed to the language model, whole results first. 0: no limit.",
        unit="tokens",
        ge=0,
        le=1_000_000,
    )
    larger_weight: float = knob(
        0.5,
        "Weight of larger sizes",
        "With multisize: the share of a larger chunk's score that its chunks get.",
        detail=True,
        ge=0.0,
        le=2.0,
    )
    merge_share: float = knob(
        0.34,
        "Merge from",
        "With merge: the share of a parent's tokens that the found chunks must hold, at least two of them; it rises to twice as much as "
        "the budget fills (HiChunk).",
        detail=True,
        ge=0.05,
        le=1.0,
    )
    tree: TreeSearch = knob(
        TreeSearch.COLLAPSED,
        "Tree is searched",
        "With hierarchical. collapsed: all levels at once. top_down: from the best summaries to what stands under them.",
        detail=True,
    )
    rerank: RerankList = knob(
        (),
        "Second look",
        "title: results whose headings hold words of the query rise. late_interaction: token by token, with the local model. "
        "cross_encoder: query and chunk read together, by the model below. diversity: results that repeat others sink (MMR).",
    )
    rerank_model: str = knob(
        "cross-encoder/ms-marco-MiniLM-L6-v2", "Cross-encoder", "Name of a model at hand, or its folder.", detail=True, max_length=500
    )
    rerank_depth: int = knob(50, "Second look at", "Candidates that are looked at again.", unit="chunks", detail=True, ge=2, le=1_000)
    title_boost: float = knob(
        0.5, "Weight of titles", "What a full match of the headings adds, in standard deviations.", detail=True, ge=0.0, le=5.0
    )
    diversity: float = knob(
        0.3, "Weight of diversity", "0: only relevance counts; 1: only difference from the results above.", detail=True, ge=0.0, le=1.0
    )
    probes: int = knob(20, "Partitions searched", "With a vector index.", detail=True, ge=1, le=4_096)
    refine: int = knob(
        5, "Refine", "With a vector index: this many times as many vectors are compared exactly.", unit="×", detail=True, ge=1, le=50
    )

    @property
    def candidate_count(self) -> int:
        """Candidates of each leg: as set but at least 3 k; by default max(100, 10 k)."""
        return max(3 * self.k, self.candidates) if self.candidates else max(100, 10 * self.k)

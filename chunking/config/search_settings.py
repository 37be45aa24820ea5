"""Settings for searching an index."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from chunking.config.choices import Fusion, Rerank, Retrieval, SearchMode, TreeSearch
from chunking.config.settings import AUTO, Settings, count_or_auto, knob, some_of

__all__ = ["SearchConfig"]

RerankList = Annotated[tuple[Rerank, ...], BeforeValidator(some_of(Rerank))]
Neighbours = Annotated[Annotated[int, Field(ge=0, le=20)] | Literal["auto"], BeforeValidator(count_or_auto)]

_AUTO_HELP = "auto: one where it adds evidence or completes a sentence, a list or its lead-in, else none."


class SearchConfig(Settings):
    """Settings for searching an index."""

    mode: SearchMode = knob(
        SearchMode.HYBRID,
        "Search mode",
        "How candidates are found. hybrid: vector and full-text search, fused. vector: dense search, by meaning. text: "
        "full-text search (BM25), by words.",
    )
    retrieval: Retrieval = knob(
        Retrieval.MULTI_GRANULARITY,
        "Retrieval",
        "Retrieval mode: what a result is.",
    )
    vector_weight: float = knob(
        0.45,
        "Vector weight",
        ("Weight of vector search in a hybrid score. Full-text search has the rest."),
        ge=0.0,
        le=1.0,
    )
    k: int = knob(5, "Results", "How many results to return.", unit="chunks", ge=1, le=200)
    cut: float = knob(
        0.0,
        "Evidence cut",
        (
            "Leaves out results whose score is below this, on the scale from the lowest candidate (0) to the best "
            "result (1), so that the evidence decides how many results a question gets. 0: keep all."
        ),
        ge=0.0,
        le=1.0,
    )
    trim: float = knob(
        0.0,
        "Evidence trim",
        (
            "Keeps of each result the sentences around its best one that have at least this share of its evidence: "
            "similarity to the query, and the query's words by rarity. A row keeps its table from the header on, code "
            "stays complete. 0: keep all of it."
        ),
        ge=0.0,
        le=1.0,
    )
    deduplicate: bool = knob(True, "Deduplicate", "Show duplicate texts once, and list the other places.")
    before: Neighbours = knob(
        1,
        "Neighbours before",
        f"How many chunks to add before each hit (window expansion). {_AUTO_HELP}",
        unit="chunks",
    )
    after: Neighbours = knob(
        1,
        "Neighbours after",
        f"How many chunks to add after each hit (window expansion). {_AUTO_HELP}",
        unit="chunks",
    )
    fusion: Fusion = knob(
        Fusion.STANDARDISED,
        "Fusion",
        (
            "How vector and full-text scores are fused. standardised: weighted sum of both legs' z-scores. "
            "reciprocal_rank (RRF): weighted sum of 1 / (60 + rank)."
        ),
        detail=True,
    )
    across_parents: bool = knob(
        False,
        "Expand across sections",
        "Neighbours may come from another section or parent than the hit's.",
        detail=True,
    )
    min_similarity: float = knob(
        0.0,
        "Minimum similarity",
        "Vector hits with a lower cosine similarity are dropped. 0: keep all.",
        detail=True,
        ge=0.0,
        le=1.0,
    )
    candidates: int = knob(
        0,
        "Candidates per leg",
        "How many chunks each leg (vector, full text) passes to fusion. 0: ten times the results, at least 100.",
        unit="chunks",
        detail=True,
        ge=0,
        le=10_000,
    )

    budget: int = knob(
        0,
        "Context budget",
        "Maximum number of tokens passed to the language model; whole results, best first. 0: no limit.",
        unit="tokens",
        ge=0,
        le=1_000_000,
    )
    granularity_weight: float = knob(
        0.5,
        "Granularity weight",
        "Share of a larger chunk's score that its chunks receive. For retrieval multi_granularity.",
        detail=True,
        ge=0.0,
        le=2.0,
    )
    merge_share: float = knob(
        0.34,
        "Merge threshold",
        (
            "A parent replaces its chunks once at least two of them were found and hold at least this share "
            "of its tokens. The threshold doubles as the context budget fills (HiChunk). For retrieval merge "
            "(auto-merging)."
        ),
        detail=True,
        ge=0.05,
        le=1.0,
    )
    tree: TreeSearch = knob(
        TreeSearch.COLLAPSED,
        "Tree search",
        (
            "How the summary tree is searched. collapsed: all levels at once. top_down: the best summaries "
            "first, then their children. For retrieval hierarchical."
        ),
        detail=True,
    )
    rerank: RerankList = knob(
        (),
        "Reranking",
        "Reorder the best candidates with a closer, slower comparison.",
    )
    rerank_model: str = knob(
        "cross-encoder/ms-marco-MiniLM-L6-v2",
        "Cross-encoder",
        "The model that reads query and chunk together: its name on this machine, or its folder.",
        detail=True,
        max_length=500,
    )
    rerank_depth: int = knob(
        50,
        "Candidates to rerank",
        "How many of the best candidates are reranked.",
        unit="chunks",
        detail=True,
        ge=2,
        le=1_000,
    )
    title_boost: float = knob(
        0.5,
        "Title weight",
        "Bonus for a full match of the headings, in standard deviations of the score.",
        detail=True,
        ge=0.0,
        le=5.0,
    )
    diversity: float = knob(
        0.3,
        "Diversity",
        (
            "How much results should differ from each other. 0: only relevance counts; 1: only the "
            "difference from higher-ranked results."
        ),
        detail=True,
        ge=0.0,
        le=1.0,
    )
    probes: int = knob(
        20,
        "nprobes",
        "Number of partitions of the vector index to search: more partitions raise recall and take longer.",
        detail=True,
        ge=1,
        le=4_096,
    )
    refine: int = knob(
        5,
        "Refine factor",
        ("The vector index's candidates to compare again exactly, as a multiple of the requested number."),
        unit="×",
        detail=True,
        ge=1,
        le=50,
    )

    ef_search: int = knob(
        0,
        "HNSW: ef_search",
        (
            "Number of candidates a search keeps while it walks an HNSW graph: more raise recall and take longer; "
            "never fewer than are compared again (the candidates per leg times the refine factor). 0: one and a "
            "half times as many. For vector index ivf_hnsw_sq."
        ),
        unit="candidates",
        detail=True,
        ge=0,
        le=100_000,
    )

    @property
    def candidate_count(self) -> int:
        """Candidates of each leg: as set but at least 3 k; by default max(100, 10 k)."""
        return max(3 * self.k, self.candidates) if self.candidates else max(100, 10 * self.k)

    @property
    def reach(self) -> tuple[int, int]:
        """Most neighbours before and after a hit; one on a side that is `auto`."""
        before, after = (side if isinstance(side, int) else 1 for side in (self.before, self.after))
        return before, after

    @property
    def adaptive(self) -> tuple[bool, bool]:
        """True for each side, before and after, whose neighbours are chosen by evidence."""
        return self.before == AUTO, self.after == AUTO

    @property
    def judges(self) -> bool:
        """True if results are left out or trimmed for too little evidence."""
        return self.cut > 0 or self.trim > 0

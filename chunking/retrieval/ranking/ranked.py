"""Ranked candidates of a search, and exact duplicates among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from chunking.model import Chunk
from chunking.retrieval.query.query_terms import Terms
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.results.citation import cite

__all__ = ["Ranked", "RepeatedText", "deduplicate", "repeated_text"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates of all legs as one list.

    Each later step (phrases, duplicates, rerankers) makes a new one.
    """

    hits: tuple[Fused, ...]
    """Hits, best first."""
    chunks: Mapping[str, Chunk]
    """Chunks matched by any leg, by id: the chunk of each hit, and summaries that led to some."""
    terms: Terms
    """Terms to highlight: the query's terms, and its characters if hits were matched by those."""
    by_words: frozenset[str] = frozenset()
    """Ids matched by the text leg, which matches phrases by its own rules (stems, other accents)."""
    exact: bool = False
    """True if the hits contain the query's characters, not its words."""
    repeats: Mapping[str, tuple[RepeatedText, ...]] = field(default_factory=dict)
    """Other places of the same text, by the id of its hit."""


# -- repeats: the best one stays and lists the others


@dataclass(frozen=True, slots=True)
class RepeatedText:
    """Another place with the text of a hit."""

    chunk_id: str
    doc_id: str
    start: int
    end: int
    citation: str


def deduplicate(
    hits: Iterable[Fused], chunks: Mapping[str, Chunk]
) -> tuple[list[Fused], dict[str, tuple[RepeatedText, ...]]]:
    """Keep the best hit of each text.

    Repeated text wastes the first places (one corpus of the benchmark repeats 44 % of itself). Chunks are duplicates if
    the hashes of their normalised contents are equal, whatever their prefixes.

    Args:
        hits: best first.
        chunks: the chunk of each hit by id.
    Returns:
        The remaining hits, in order, and the duplicates of each that has any.
    """
    kept: dict[str, Fused] = {}
    others: dict[str, tuple[RepeatedText, ...]] = {}
    for hit in hits:
        chunk = chunks[hit.chunk_id]
        best = kept.setdefault(chunk.hash, hit)
        if best is not hit:
            others[best.chunk_id] = (*others.get(best.chunk_id, ()), repeated_text(chunk))
    return list(kept.values()), others


def repeated_text(chunk: Chunk) -> RepeatedText:
    """Return a chunk's ids, span and citation."""
    return RepeatedText(chunk.chunk_id, chunk.doc_id, chunk.start, chunk.end, cite(chunk))

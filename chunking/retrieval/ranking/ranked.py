"""The ranked candidates of a search, and exact repeats among them."""

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
    """Candidates of all legs as one list; each later step (phrases, repeats, rerankers) makes a new one."""

    hits: tuple[Fused, ...]
    """Best first."""
    chunks: Mapping[str, Chunk]
    """Everything that a leg matched, by id: the chunk of each hit, and summaries that led to some."""
    terms: Terms
    """What to highlight: the query's terms, and its characters where hits were matched by those."""
    by_words: frozenset[str] = frozenset()
    """Ids matched by the text leg, which holds the phrases by its own rules (stems, other accents)."""
    exact: bool = False
    """The hits hold the query's characters, not its words."""
    repeats: Mapping[str, tuple[RepeatedText, ...]] = field(default_factory=dict)
    """For some hits, where their text occurs again."""


# -- repeats: the best one stays and lists the others


@dataclass(frozen=True, slots=True)
class RepeatedText:
    """Another place where the text of a hit occurs."""

    chunk_id: str
    doc_id: str
    start: int
    end: int
    citation: str


def deduplicate(
    hits: Iterable[Fused], chunks: Mapping[str, Chunk]
) -> tuple[list[Fused], dict[str, tuple[RepeatedText, ...]]]:
    """Keep the best hit of each text.

    Repeated text wastes the first places (one corpus of the benchmark repeats 44 % of itself). Two chunks repeat each
    other when the hash of their normalised content is the same, whatever their prefixes.

    Args:
        hits: best first.
        chunks: the chunk of each hit by id.
    Returns:
        The remaining hits, in order, and the repeats of each that has any.
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
    return RepeatedText(chunk.chunk_id, chunk.doc_id, chunk.start, chunk.end, cite(chunk))

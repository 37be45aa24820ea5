"""Exact repeats among hits: one stays and says where else its text stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from chunking.model import Chunk
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.results.citation import cite
from chunking.retrieval.results.results import RepeatedText

__all__ = ["deduplicate", "place"]


def deduplicate(
    hits: Iterable[Fused], chunks: Mapping[str, Chunk]
) -> tuple[list[Fused], dict[str, tuple[RepeatedText, ...]]]:
    """The best hit of each text.

    Repeated text wastes the first places (one corpus of the benchmark repeats 44 % of itself). Two chunks repeat each
    other
    when the hash of their normalised content is the same, whatever their prefixes.

    Args:
        hits: best first.
        chunks: the chunk of each hit by id.
    Returns:
        The hits that stay, in order, and for each that has repeats, where those stand.
    """
    kept: dict[str, Fused] = {}
    others: dict[str, tuple[RepeatedText, ...]] = {}
    for hit in hits:
        chunk = chunks[hit.chunk_id]
        best = kept.setdefault(chunk.hash, hit)
        if best is not hit:
            others[best.chunk_id] = (*others.get(best.chunk_id, ()), place(chunk))
    return list(kept.values()), others


def place(chunk: Chunk) -> RepeatedText:
    return RepeatedText(chunk.chunk_id, chunk.doc_id, chunk.start, chunk.end, cite(chunk))

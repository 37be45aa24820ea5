"""Hits by document: the second stage of a two-stage search."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.model import Chunk
from chunking.retrieval.context.expansion import passages
from chunking.retrieval.results.citation import document_file, document_title
from chunking.retrieval.results.search_result import DocumentGroup, Result

__all__ = ["group"]


def group(results: Sequence[Result]) -> tuple[DocumentGroup, ...]:
    """Results by document.

    Args:
        results: best first.
    Returns:
        A group a document, in the order of their best hits; its score is that hit's.
    """
    by_document: dict[str, list[Result]] = {}
    for result in results:
        by_document.setdefault(result.chunk.doc_id, []).append(result)
    return tuple(_group(doc_id, matched) for doc_id, matched in by_document.items())


def _group(doc_id: str, matched: Sequence[Result]) -> DocumentGroup:
    hit_ids = {result.chunk.chunk_id for result in matched}
    neighbours: dict[str, Chunk] = {
        chunk.chunk_id: chunk for result in matched for chunk in result.neighbours if chunk.chunk_id not in hit_ids
    }
    return DocumentGroup(
        doc_id,
        document_title(matched[0].chunk),
        matched[0].score,
        tuple(matched),
        tuple(sorted(neighbours.values(), key=lambda chunk: chunk.chunk_index)),
        passages((result.chunk, result.neighbours) for result in matched),
        document_file(matched[0].chunk),
    )

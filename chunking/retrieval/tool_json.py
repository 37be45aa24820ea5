"""Search results in the form that a language model's `search` tool returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chunking.model import Chunk
from chunking.retrieval.fusion import Leg
from chunking.retrieval.results import Result, SearchResult

__all__ = ["PREVIEW_CHARACTERS", "to_tool_json"]

PREVIEW_CHARACTERS = 200

_FROM_DOCUMENT: tuple[tuple[str, Any], ...] = (
    ("file_path", ""),
    ("relative_path", ""),
    ("file_name", ""),
    ("path_hierarchy", ()),
    ("category", "doc"),
)
"""Keys of the metadata that are the document's, and what stands there when it has none."""


def to_tool_json(result: SearchResult) -> dict[str, Any]:
    """One JSON object: `query, mode, fingerprint, results`, made of plain lists, dicts, texts and numbers.

    A leg that did not find a hit (or was not searched) is null.
    """
    return {
        "query": result.query,
        "mode": result.mode.value,
        "fingerprint": result.fingerprint,
        "results": [_hit(hit, result.doc_tocs) for hit in result.results],
    }


def _hit(hit: Result, doc_tocs: Mapping[str, str]) -> dict[str, Any]:
    chunk = hit.chunk
    return {
        "rank": hit.rank,
        "doc_id": chunk.doc_id,
        "chunk_id": chunk.chunk_id,
        "score": hit.score,
        "content": chunk.content,
        "content_preview": chunk.content[:PREVIEW_CHARACTERS],
        "metadata": _metadata(chunk, doc_tocs.get(chunk.doc_id, "")),
        "start": chunk.start,
        "end": chunk.end,
        "legs": {name: _leg(hit.legs.get(name)) for name in ("vector", "text")},
        "neighbours": [
            {"chunk_id": near.chunk_id, "start": near.start, "end": near.end, "content": near.content} for near in hit.neighbours
        ],
        "citation": hit.citation,
    }


def _metadata(chunk: Chunk, doc_toc: str) -> dict[str, Any]:
    metadata = {key: chunk.metadata.get(key, default) for key, default in _FROM_DOCUMENT}
    metadata["path_hierarchy"] = list(metadata["path_hierarchy"])
    metadata |= {
        "chunk_index": chunk.chunk_index,
        "total_chunks": chunk.total_chunks,
        "chunk_type": chunk.metadata.get("chunk_type", chunk.content_type),
        "section_path": list(chunk.title_path),
        "doc_toc": doc_toc,
    }
    summary = chunk.metadata.get("summary")
    return metadata | ({"summary": summary} if summary else {})


def _leg(leg: Leg | None) -> dict[str, Any] | None:
    return {"rank": leg.rank, "score": leg.score} if leg is not None and leg.found else None

"""Search results in the form that a language model's `search` tool returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chunking.model import Chunk
from chunking.parsing.outline import chunk_toc
from chunking.retrieval.answerability.absence import Absence
from chunking.retrieval.ranking.fused_hits import Leg
from chunking.retrieval.results.results import Result, SearchResult, Source

__all__ = ["PREVIEW_CHARACTERS", "explained", "to_tool_json"]

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

    Where the documents probably do not hold what was asked, `probably_absent` says so in front of the results, with its evidence.
    A leg that did not find a hit (or was not searched) is null.
    """
    return {
        "query": result.query,
        "mode": result.mode.value,
        "fingerprint": result.fingerprint,
        **_probably_absent(result),
        "results": [_hit(hit, result.doc_tocs) for hit in result.results],
    }


def explained(result: SearchResult) -> dict[str, Any]:
    """The same with `explain` in each result (how its score came about), `notes`, `stages` and the `context` under the budget."""
    made, context = to_tool_json(result), result.context
    for hit, row in zip(result.results, made["results"], strict=True):
        row["explain"] = {
            "steps": [{"name": step.name, "amount": step.amount, "explanation": step.explanation} for step in hit.steps],
            "matched": [
                {
                    "chunk_id": child.chunk.chunk_id,
                    "start": child.chunk.start,
                    "end": child.chunk.end,
                    "score": child.score,
                    "rank": child.rank,
                }
                for child in hit.matched
            ],
        }
    return made | {
        "retrieval": result.retrieval.value,
        "weights": dict(result.weights),
        "notes": list(result.notes),
        "absence": _absence(result.absence) if result.absence else None,
        "stages": [
            {"name": stage.name, "phase": stage.phase, "count": stage.count, "milliseconds": round(stage.milliseconds, 3)}
            for stage in result.stages
        ],
        "context": {
            "text": context.text,
            "tokens": context.tokens,
            "budget": context.budget,
            "left_out": context.left_out,
            "sources": [_source(source) for source in context.sources],
        },
    }


def _probably_absent(result: SearchResult) -> dict[str, Any]:
    """Nothing where the sign is not given."""
    sign = result.absence
    if sign is None or not sign.probable:
        return {}
    return {"probably_absent": {"probability": round(sign.probability, 3), "evidence": sign.evidence, "reliability": sign.reliability}}


def _absence(sign: Absence) -> dict[str, Any]:
    """The judgement with all that it was made of, whether the sign is given or not."""
    return {
        "probable": sign.probable,
        "probability": round(sign.probability, 3),
        "calibration": sign.calibration.name,
        "threshold": sign.calibration.threshold,
        "missing": list(sign.missing),
        "coverage": round(sign.coverage, 3),
        "similarity": None if sign.similarity is None else round(sign.similarity, 3),
    }


def _source(source: Source) -> dict[str, Any]:
    return {
        "number": source.number,
        "citation": source.citation,
        "doc_id": source.doc_id,
        "start": source.start,
        "end": source.end,
        "tokens": source.tokens,
        "chunk_ids": list(source.chunk_ids),
    }


def _hit(hit: Result, doc_tocs: Mapping[str, str]) -> dict[str, Any]:
    """Where a summary was found, it stands as the content, and again as `summary` of the metadata, which says that it is one."""
    chunk, content = hit.chunk, hit.chunk.content or hit.chunk.summary
    return {
        "rank": hit.rank,
        "doc_id": chunk.doc_id,
        "chunk_id": chunk.chunk_id,
        "score": hit.score,
        "content": content,
        "content_preview": content[:PREVIEW_CHARACTERS],
        "metadata": _metadata(chunk, chunk_toc(doc_tocs.get(chunk.doc_id, ""))),
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
    some = {"related_chunk_ids": chunk.metadata.get("related_chunk_ids"), "summary": chunk.summary}
    return metadata | {key: list(value) if isinstance(value, tuple) else value for key, value in some.items() if value}


def _leg(leg: Leg | None) -> dict[str, Any] | None:
    return {"rank": leg.rank, "score": leg.score} if leg is not None and leg.found else None

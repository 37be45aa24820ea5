"""JSON of search results, in the form of a language model's `search` tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chunking.model import Chunk
from chunking.parsing.outline import chunk_toc
from chunking.retrieval.answers.absence import Absence
from chunking.retrieval.document_siblings import Siblings
from chunking.retrieval.ranking.fused_hits import Leg
from chunking.retrieval.ranking.sentence_evidence import HitEvidence, SentenceEvidence
from chunking.retrieval.results.search_result import ContextSource, DocumentGroup, MatchedChild, Result, SearchResult

__all__ = ["PREVIEW_CHARACTERS", "explained", "to_tool_json"]

PREVIEW_CHARACTERS = 200

_FROM_DOCUMENT: tuple[tuple[str, Any], ...] = (
    ("file_path", ""),
    ("relative_path", ""),
    ("file_name", ""),
    ("path_hierarchy", ()),
    ("category", "doc"),
)
"""Metadata keys of the document, and their defaults."""


def to_tool_json(result: SearchResult, siblings: Mapping[str, Siblings] | None = None) -> dict[str, Any]:
    """Convert to plain JSON: `query`, `mode`, `fingerprint`, `results` and `documents`.

    `probably_absent` precedes the results, with its evidence, if the documents probably hold no answer. If results were
    judged by the evidence of their sentences, `evidence` says so, with those left out; content and span of a hit are
    then what is left of it, and `chunk` is the span of all of it. A leg that did not match a hit (or was not searched)
    is null. `documents` are the same hits by document, best first: matched
    chunks, context chunks and highlights; texts are in `results`, once.

    Args:
        siblings: of the documents, by id (`siblings_of`); null for others.
    """
    return {
        "query": result.query,
        "mode": result.mode.value,
        "fingerprint": result.fingerprint,
        **_probably_absent(result),
        **_evidence(result),
        "results": [_hit(hit, result.doc_tocs) for hit in result.results],
        "documents": [_document(group, (siblings or {}).get(group.doc_id)) for group in result.documents],
    }


def explained(result: SearchResult, siblings: Mapping[str, Siblings] | None = None) -> dict[str, Any]:
    """Return `to_tool_json` with score steps in each result, and notes, stages and context."""
    tree, context = to_tool_json(result, siblings), result.context
    for hit, row in zip(result.results, tree["results"], strict=True):
        row["explain"] = {
            "steps": [
                {"name": step.name, "amount": step.amount, "explanation": step.explanation} for step in hit.steps
            ],
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
            **({"evidence": _hit_evidence(hit.evidence)} if hit.evidence else {}),
        }
    return tree | {
        "retrieval": result.retrieval.value,
        "weights": dict(result.weights),
        **({"weight_reason": result.weight_reason} if result.weight_reason else {}),
        "notes": list(result.notes),
        "absence": _absence(result.absence) if result.absence else None,
        "stages": [
            {
                "name": stage.name,
                "phase": stage.phase,
                "count": stage.count,
                "milliseconds": round(stage.milliseconds, 3),
            }
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
    """Return the warning that the documents probably hold no answer; empty if it is not given."""
    sign = result.absence
    if sign is None or not sign.probable:
        return {}
    return {
        "probably_absent": {
            "probability": round(sign.probability, 3),
            "evidence": sign.evidence,
            "reliability": sign.reliability,
        }
    }


def _evidence(result: SearchResult) -> dict[str, Any]:
    """Return how the results were judged, and those left out; empty if they were not judged."""
    if result.evidence is None:
        return {}
    left_out = [
        {
            "rank": hit.rank,
            "chunk_id": hit.chunk.chunk_id,
            "citation": hit.citation,
            "evidence": round(hit.evidence.score, 3) if hit.evidence else None,
        }
        for hit in result.left_out
    ]
    own = result.evidence
    return {"evidence": {"sentence": own.sentence, "threshold": round(own.threshold, 3), "left_out": left_out}}


def _hit_evidence(own: HitEvidence) -> dict[str, Any]:
    """Return how a hit was judged."""
    return {
        "score": round(own.score, 3),
        "threshold": round(own.threshold, 3),
        "sentence": _sentence(own.sentence) if own.sentence else None,
        "explanation": own.explanation,
    }


def _sentence(own: SentenceEvidence) -> dict[str, Any]:
    return {
        "start": own.span.start,
        "end": own.span.end,
        "score": round(own.score, 3),
        "words": None if own.words is None else round(own.words, 3),
        "similarity": None if own.similarity is None else round(own.similarity, 3),
    }


def _absence(sign: Absence) -> dict[str, Any]:
    """Return the estimate with its inputs, whether a warning is given or not."""
    return {
        "probable": sign.probable,
        "probability": round(sign.probability, 3),
        "calibration": sign.calibration.name,
        "threshold": sign.calibration.threshold,
        "missing": list(sign.missing),
        "coverage": round(sign.coverage, 3),
        "similarity": None if sign.similarity is None else round(sign.similarity, 3),
    }


def _source(source: ContextSource) -> dict[str, Any]:
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
    """Convert a hit to JSON; a summary is its content, and also `summary` of the metadata."""
    chunk = hit.part
    content = chunk.content or chunk.summary
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
        **({"chunk": {"start": hit.chunk.start, "end": hit.chunk.end}} if hit.trimmed else {}),
        "legs": {name: _leg(hit.legs.get(name)) for name in ("vector", "text")},
        "neighbours": [
            {
                "chunk_id": neighbour.chunk_id,
                "start": neighbour.start,
                "end": neighbour.end,
                "content": neighbour.content,
                **({"reason": reason} if (reason := hit.neighbour_reasons.get(neighbour.chunk_id)) else {}),
            }
            for neighbour in hit.neighbours
        ],
        "citation": hit.citation,
        "matched_fields": list(hit.matched_fields),
        "highlights": [{"start": start, "end": end, "text": text} for start, end, text in _highlighted(hit)],
    }


def _highlighted(hit: Result | MatchedChild) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, text) of each highlight in what is left of a chunk; a summary has none."""
    chunk = hit.part if isinstance(hit, Result) else hit.chunk
    for start, end in hit.highlights if chunk.content else ():
        if chunk.start <= start and end <= chunk.end:
            yield start, end, chunk.content[start - chunk.start : end - chunk.start]


def _document(group: DocumentGroup, siblings: Siblings | None) -> dict[str, Any]:
    """Convert a document's hits to JSON; for a returned parent, its matched chunks."""
    children = [(hit.rank, one) for hit in group.matched for one in (hit.matched or (hit,))]
    return {
        "doc_id": group.doc_id,
        "title": group.title,
        "relative_path": group.file,
        "score": group.score,
        "matched_fields": [
            name for name in ("content", "heading") if any(name in hit.matched_fields for hit in group.matched)
        ],
        "highlights": list(dict.fromkeys(text for _, one in children for _, _, text in _highlighted(one))),
        "matched_chunks": [{"result": rank, **_placed(one.chunk), "score": one.score} for rank, one in children],
        "context_chunks": [_placed(chunk) for chunk in group.context],
        "siblings": None if siblings is None else _siblings(siblings),
    }


def _placed(chunk: Chunk) -> dict[str, Any]:
    return {
        "chunk_id": chunk.chunk_id,
        "chunk_index": chunk.chunk_index,
        "heading": chunk.title_path[-1] if chunk.title_path else "",
        "start": chunk.start,
        "end": chunk.end,
    }


def _siblings(siblings: Siblings) -> dict[str, Any]:
    nearest = [{"doc_id": row.doc_id, "relative_path": row.source, "title": row.title} for row in siblings.nearest]
    return {"path": list(siblings.path), "count": siblings.count, "nearest": nearest}


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
    return {"rank": leg.rank, "score": leg.score} if leg is not None and leg.matched else None

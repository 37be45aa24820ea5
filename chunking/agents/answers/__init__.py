"""Answers of the agents' tools: their models, and the functions that compute them."""

from __future__ import annotations

from chunking.agents.answers.answer_models import (
    Collected,
    Deleted,
    DocumentLine,
    DocumentPage,
    Evaluated,
    Fetched,
    MetricLine,
    NeighbourText,
    RelatedLine,
    RelatedList,
    ResearchFetched,
    ResearchHit,
    ResearchHits,
    SearchHit,
    SearchHits,
    SectionLine,
    ShownChunks,
    TocPage,
    plain_answer,
    plain_text,
)

__all__ = [
    "Collected",
    "Deleted",
    "DocumentLine",
    "DocumentPage",
    "Evaluated",
    "Fetched",
    "MetricLine",
    "NeighbourText",
    "RelatedLine",
    "RelatedList",
    "ResearchFetched",
    "ResearchHit",
    "ResearchHits",
    "SearchHit",
    "SearchHits",
    "SectionLine",
    "ShownChunks",
    "TocPage",
    "plain_answer",
    "plain_text",
]

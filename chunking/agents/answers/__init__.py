"""The answers of the tools: their models, and how each is made from what the library finds."""

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

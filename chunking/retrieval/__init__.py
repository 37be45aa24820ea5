"""From a question to spans of documents: legs, fusion, neighbours, grouping, citations."""

from __future__ import annotations

from chunking.retrieval.comparing import Comparison, compare
from chunking.retrieval.documents import Siblings, fetch, siblings
from chunking.retrieval.expansion import Passage
from chunking.retrieval.fusion import Leg
from chunking.retrieval.related import Related, related_documents
from chunking.retrieval.results import (
    Context,
    Cost,
    DocumentGroup,
    Matched,
    Place,
    Result,
    ScoreStep,
    SearchResult,
    Source,
    Stage,
)
from chunking.retrieval.search import search
from chunking.retrieval.tool_json import explained, to_tool_json

__all__ = [
    "Comparison",
    "Context",
    "Cost",
    "DocumentGroup",
    "Leg",
    "Matched",
    "Passage",
    "Place",
    "Related",
    "Result",
    "ScoreStep",
    "SearchResult",
    "Siblings",
    "Source",
    "Stage",
    "compare",
    "explained",
    "fetch",
    "related_documents",
    "search",
    "siblings",
    "to_tool_json",
]

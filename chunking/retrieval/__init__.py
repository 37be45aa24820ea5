"""From a question to spans of documents: legs, fusion, neighbours, grouping, citations."""

from __future__ import annotations

from chunking.retrieval.documents import Siblings, fetch, siblings
from chunking.retrieval.expansion import Passage
from chunking.retrieval.fusion import Leg
from chunking.retrieval.results import DocumentGroup, Place, Result, SearchResult, Stage
from chunking.retrieval.search import search
from chunking.retrieval.tool_json import to_tool_json

__all__ = [
    "DocumentGroup",
    "Leg",
    "Passage",
    "Place",
    "Result",
    "SearchResult",
    "Siblings",
    "Stage",
    "fetch",
    "search",
    "siblings",
    "to_tool_json",
]

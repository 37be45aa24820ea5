"""Retrieval: from a query to spans of documents, with neighbours, groups and citations."""

from __future__ import annotations

from chunking.retrieval.answers.absence import Absence
from chunking.retrieval.context.expansion import ContextPassage
from chunking.retrieval.document_search import search_documents
from chunking.retrieval.document_siblings import Siblings, fetch, siblings, siblings_of
from chunking.retrieval.modes.retrieval_modes import RetrievalMode, register_mode
from chunking.retrieval.ranking.fused_hits import Leg
from chunking.retrieval.ranking.ranked import RepeatedText
from chunking.retrieval.related_documents import RelatedDocument, related_documents
from chunking.retrieval.results.search_result import (
    Context,
    ContextSource,
    Cost,
    DocumentGroup,
    MatchedChild,
    Result,
    ScoreStep,
    SearchComparison,
    SearchResult,
    compare,
)
from chunking.retrieval.results.tool_json import explained, to_tool_json
from chunking.retrieval.search import search
from chunking.retrieval.search_trace import Stage

__all__ = [
    "Absence",
    "Context",
    "ContextPassage",
    "ContextSource",
    "Cost",
    "DocumentGroup",
    "Leg",
    "MatchedChild",
    "RelatedDocument",
    "RepeatedText",
    "Result",
    "RetrievalMode",
    "ScoreStep",
    "SearchComparison",
    "SearchResult",
    "Siblings",
    "Stage",
    "compare",
    "explained",
    "fetch",
    "register_mode",
    "related_documents",
    "search",
    "search_documents",
    "siblings",
    "siblings_of",
    "to_tool_json",
]

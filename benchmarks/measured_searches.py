"""Searches of a collection's questions with many settings, through the product, with shared work.

Documents, chunks and vectors lie in a workspace that is kept, so that a second run embeds nothing. Of one index, what a
leg finds is asked for once: weighing, fusion, larger sizes, rerankers and repeats are the product's own, run again for
each setting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from benchmarks.ir_collections import Collection, recall
from benchmarks.kept_workspaces import kept_workspace, sources_of, tokens_of
from benchmarks.spans import Span
from chunking import Config, build_index
from chunking.config import SearchConfig
from chunking.embedding import CachedEmbedder, load_embedder
from chunking.retrieval.leg_search import LegSearch
from chunking.retrieval.modes.retrieval_modes import MODES
from chunking.retrieval.query.query import Query
from chunking.retrieval.query.query_parts import QueryParts, understand
from chunking.retrieval.query.query_terms import search_terms
from chunking.retrieval.ranking.ranked import deduplicate
from chunking.retrieval.ranking.readability import Weighing
from chunking.retrieval.ranking.reranking import rerank
from chunking.retrieval.search_trace import Trace

__all__ = ["BUDGET", "SHOWN", "Measured", "MeasuredCollection"]

SHOWN = 5
BUDGET = 750
"""Token budget: the most that five chunks of the default size hold."""
_DEEP = 30
"""Ranked results: enough for the budget at any measured size."""
_LEGS = frozenset({"vector_search", "start_text_search", "vector_scores", "start_text_scores", "substring_search"})


class Measured:
    """Scores of one configuration on one collection, (questions,) each, 0 to 1."""

    __slots__ = ("budgeted", "recall", "tokens")

    def __init__(self, recalls: Sequence[float], budgeted: Sequence[float], tokens: Sequence[int]) -> None:
        self.recall = np.array(recalls)
        """Recall of the first `k` results."""
        self.budgeted = np.array(budgeted)
        """Recall of the first 750 tokens of results, the last one cut."""
        self.tokens = np.array(tokens)
        """Tokens of the first `k` results."""


class _RememberedIndex:
    """Index that searches each leg of a question only once."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self._answers: dict[str, Any] = {}
        self.question = ""

    def __getattr__(self, name: str) -> Any:
        own = getattr(self._index, name)
        if name not in _LEGS:
            return own

        def remembered(*args: Any, **options: Any) -> Any:
            key = repr(
                (name, self.question, [one for one in args if not isinstance(one, np.ndarray)], sorted(options.items()))
            )
            if key not in self._answers:
                self._answers[key] = own(*args, **options)
            return self._answers[key]

        return remembered


class MeasuredCollection:
    """Collection's documents in a workspace, with its questions' vectors.

    Args:
        collection: must be at hand.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.workspace = kept_workspace(collection)
        self._names = sources_of(self.workspace)
        self._texts = {one.doc_id: one.text for one in self.workspace.read_documents(list(self._names))}
        self._index: _RememberedIndex | None = None

    @cached_property
    def queries(self) -> tuple[tuple[QueryParts, np.ndarray], ...]:
        """Parsed questions with their vectors."""
        queries = [understand(question.text) for question in self.collection.questions]
        plain = [replace(query, words=query.text, phrases=()) for query in queries]
        embedder = CachedEmbedder(load_embedder(Config().embedding), self.workspace.vectors)
        return tuple(zip(plain, embedder.embed([query.text for query in plain], role="query"), strict=True))

    def measure(self, settings: Mapping[str, str], *, trusted: bool = False) -> Measured:
        """Measure a configuration; builds the index first if it differs from the previous one.

        Args:
            trusted: vectors keep their weight in a language that the model does not read.
        """
        config = Config.from_settings(settings)
        name = config.fingerprint()
        if self._index is None or self._index.name != name:
            build_index(self.workspace, config, name=name)
            self._index = _RememberedIndex(self.workspace.index(name))
        recalls, budgeted, tokens = [], [], []
        for question, (query, vector) in zip(self.collection.questions, self.queries, strict=True):
            self._index.question = query.text
            ranking = self._ranked(query, vector, config.search, trusted=trusted)
            first = ranking[: config.search.k]
            recalls.append(recall(question, [self._named(span) for span in first]))
            budgeted.append(recall(question, [self._named(span) for span in self._fit_budget(ranking, BUDGET)]))
            tokens.append(sum(self._tokens(span) for span in first))
        return Measured(recalls, budgeted, tokens)

    def _ranked(self, query: QueryParts, vector: np.ndarray, config: SearchConfig, *, trusted: bool) -> list[Span]:
        """Return the chunks of a search, best first."""
        assert self._index is not None
        index: Any = self._index
        request, trace = Query(index, query, search_terms(query), config, {}, None, vector), Trace()
        legs = LegSearch(request, trace)
        shares = {"vector": config.vector_weight, "text": 1 - config.vector_weight}
        weighing = Weighing({name: share for name, share in shares.items() if share}) if trusted else legs.weighing()
        ranking = MODES[config.retrieval].rank(legs, weighing)
        if config.deduplicate:
            ranking = replace(ranking, hits=tuple(deduplicate(ranking.hits, ranking.chunks)[0]))
        best = rerank(request, trace, ranking).hits[:_DEEP]
        return [Span(chunk.doc_id, chunk.start, chunk.end) for chunk in (ranking.chunks[hit.chunk_id] for hit in best)]

    def _named(self, span: Span) -> Span:
        return span._replace(doc_id=self._names[span.doc_id])

    def _fit_budget(self, spans: Sequence[Span], budget: int) -> list[Span]:
        """Return the first spans within the budget; the last one ends in proportion."""
        kept = list[Span]()
        for span in spans:
            tokens = self._tokens(span)
            if tokens >= budget:
                return [*kept, span._replace(end=span.start + (span.end - span.start) * budget // tokens)]
            kept.append(span)
            budget -= tokens
        return kept

    def _tokens(self, span: Span) -> int:
        return tokens_of(self._texts[span.doc_id][span.start : span.end])

"""Parallel search of an index for questions, with results, diagnosis and context tokens."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chunking.config import Config, QuerySyntax, SearchConfig
from chunking.errors import NotFoundError
from chunking.evaluation.analysis.failure_diagnosis import diagnose
from chunking.evaluation.metrics.scoring import omega
from chunking.evaluation.questions.question import Question
from chunking.evaluation.runs.answered import Answered, Found
from chunking.evaluation.runs.run import Cancel, check_cancelled
from chunking.model import Chunk, Document
from chunking.retrieval import Result, search
from chunking.retrieval.context.context import costs, hit_tokens
from chunking.retrieval.context.context_tokens import context_counter
from chunking.retrieval.modes.retrieval_modes import MODES
from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.ranking.readability import unreadable
from chunking.retrieval.ranking.reranking import RERANKERS
from chunking.splitting import shaped

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder
    from chunking.evaluation.runs.trial_indexes import TrialIndex, Trials

__all__ = ["QuestionSearch", "deepened", "encoded_queries", "results_wanted"]

_AT_ONCE = min(4, os.cpu_count() or 1)
"""Parallel searches: each waits for the storage engine half of the time."""
_NUMBER = re.compile(r"\d+")


def deepened(config: SearchConfig, n: int, depth: int) -> SearchConfig:
    """Return settings for up to `depth` results, or `n` if more would change the first `n`.

    Candidates stay as many as for `n`; beyond `n`, results are at most a third of them, and with a reranker its depth.

    >>> deepened(SearchConfig(), 5, 30).k, deepened(SearchConfig(retrieval="merge"), 5, 30).k
    (30, 5)
    """
    search = config.model_copy(update={"k": n})
    if first_depend_on_k(config):
        return search
    most = min(depth, search.candidate_count // 3, config.rerank_depth if config.rerank else depth)
    return config.model_copy(update={"k": max(n, most), "candidates": search.candidate_count})


def first_depend_on_k(config: SearchConfig) -> bool:
    """True if the first results depend on the number requested, as parents and a cut do."""
    return MODES[config.retrieval].depends_on_k(config) or config.cut > 0


def results_wanted(config: SearchConfig, n: int, budget: int | None, depth: int) -> int:
    """Return the number of results to ask for: `n`, or at least `depth` to fill a token budget.

    `depth` applies only to retrieval modes whose first results depend on `k`; for others, `deepened` asks for more.

    >>> results_wanted(SearchConfig(), 5, 1000, 30), results_wanted(SearchConfig(retrieval="merge"), 5, 1000, 30)
    (5, 30)
    """
    return max(n, depth) if budget and first_depend_on_k(config) else n


@dataclass(slots=True)
class QuestionSearch:
    """Searcher of a trial index for questions; reads the answers' documents and chunks once.

    Args:
        n: results that count.
        depth: results stored, unless more than `n` would change the first `n`.
        syntax: of the question set.
    """

    trials: Trials
    trial: TrialIndex
    config: Config
    n: int
    depth: int
    syntax: QuerySyntax
    _documents: dict[str, Document | None] = field(default_factory=dict)
    _chunks: dict[str, Sequence[Chunk]] = field(default_factory=dict)
    _notes: list[str] = field(default_factory=list)

    @property
    def search(self) -> SearchConfig:
        """Search settings with the number of results to store."""
        return deepened(self.config.search, self.n, self.depth)

    def answers(self, questions: Sequence[Question], cancelled: Cancel | None = None) -> Iterator[Answered]:
        """Search for each question on up to 4 threads; yield its results and diagnosis in order.

        With a reranker that runs a model, or sentences to weigh, one thread searches.

        Raises:
            Cancelled: `cancelled` returned True; it is called before each yield.
            ChunkscopeError: as `retrieval.search`.
        """
        for doc_id in dict.fromkeys(answer.doc_id for question in questions for answer in question.answers):
            self._read(doc_id)
        vectors, embedder = self._vectors([question.text for question in questions]), self.trials.embedder(self.config)
        alone = self.config.search.trim > 0 or any(RERANKERS[name].asks_model for name in self.config.search.rerank)
        with ThreadPoolExecutor(1 if alone else _AT_ONCE) as pool:
            try:
                for answered, notes in pool.map(
                    lambda question: self._answer(question, vectors.get(question.text), embedder), questions
                ):
                    check_cancelled(cancelled)
                    self._notes += notes
                    yield answered
            finally:
                pool.shutdown(
                    wait=True, cancel_futures=True
                )  # the searches under way end before their index is deleted

    def notes(self, total: int) -> tuple[str, ...]:
        """Return the notes of the searches so far, each with the number of questions that have it.

        Notes that differ only in numbers are merged under the first.

        Args:
            total: number of questions asked, for the sentences.
        """
        alike: dict[str, list[str]] = {}
        for note in self._notes:
            alike.setdefault(_NUMBER.sub("", note), []).append(note)
        return tuple(f"{some[0]} ({len(some)} of {total} questions)" for some in alike.values())

    def _read(self, doc_id: str) -> None:
        try:
            self._documents[doc_id] = shaped(self.trials.scratch.document(doc_id), self.config)
            self._chunks[doc_id] = self.trial.index.chunks_of(doc_id)
        except NotFoundError:
            self._documents[doc_id], self._chunks[doc_id] = None, ()

    def _vectors(self, texts: Sequence[str]) -> Mapping[str, np.ndarray]:
        """Encode the questions that use vector search, in one batch; cached for other configurations."""
        queries = encoded_queries(self.config, texts, self.syntax)
        if not queries:
            return {}
        different = list(dict.fromkeys(queries.values()))
        vectors = dict(zip(different, self.trials.query_vectors(self.config, different), strict=True))
        return {text: vectors[query] for text, query in queries.items()}

    def _answer(
        self, question: Question, vector: np.ndarray | None, embedder: Embedder
    ) -> tuple[Answered, tuple[str, ...]]:
        scratch = self.trials.scratch
        result = search(
            scratch,
            question.text,
            self.search,
            index=self.trial.name,
            embedder=embedder,
            vector=vector,
            syntax=self.syntax,
        )
        spans = [
            (one.doc_id, one.start, one.end)
            for doc_id in {a.doc_id for a in question.answers}
            for one in self._chunks[doc_id]
        ]
        why = diagnose(
            question, result, self._documents.get, lambda doc_id: self._chunks.get(doc_id, ()), self.n, self.config
        )
        counter, _ = context_counter(
            self.trial.index.config.embedding
        )  # what there is to say of it, the search has said
        tokens = tuple(cost.context for cost in costs(result.results, self.config.search.budget, counter))
        results = tuple(_found_of(one, hit_tokens(one, counter)) for one in result.results)
        absent = not result.results or (result.absence is not None and result.absence.probable)
        return Answered(question.id, results, omega(question.answers, spans), why, tokens, absent), result.notes


def encoded_queries(config: Config, texts: Iterable[str], syntax: QuerySyntax) -> dict[str, str]:
    """Return by question the text that the model encodes, for questions that use vector search.

    Questions that the model cannot read are absent.
    """
    search = config.search
    if search.mode == "text" or (search.mode == "hybrid" and not search.vector_weight):
        return {}
    queries = {text: understand(text, syntax).text for text in texts}
    readable = {query for query in set(queries.values()) if not unreadable(config.embedding, query)}
    return {text: query for text, query in queries.items() if query in readable}


def _found_of(result: Result, tokens: int) -> Found:
    """Convert a result into a span with its tokens.

    A summary has no place in the text: it counts its length and holds no character of the text.
    """
    chunk = result.part
    if chunk.summary:
        return Found("", 0, len(chunk.summary), tokens, 0, len(chunk.summary))
    context = [chunk, *result.neighbours]
    return Found(
        chunk.doc_id, chunk.start, chunk.end, tokens, min(c.start for c in context), max(c.end for c in context)
    )

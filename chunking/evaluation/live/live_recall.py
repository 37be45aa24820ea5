"""Live recall: estimated scores of a configuration as a slider moves, from documents encoded once.

live_prepared.py  the only step that calls the model: encodes documents and questions, counts words and context tokens
live_terms.py     positions of the questions' words
live_levels.py    a configuration's chunks and larger sizes as arrays, with pooled vectors
live_search.py    BM25 by addition; the legs and levels that a configuration ranks by
live_results.py   rankings to results and scores, and their distance from the real index
live_trim.py      results trimmed to their best sentences
live_curve.py     recall along one setting

Below the class: the settings that live recall does not follow, each with a note.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from threading import Lock, RLock
from typing import TYPE_CHECKING

from chunking.config import (
    Config,
    EmbeddingConfig,
    EmbeddingMode,
    FullTextTokenizer,
    SearchConfig,
    SearchMode,
    remote_name,
)
from chunking.enrichment.enrichment_table import ENRICHMENTS
from chunking.errors import QuestionError
from chunking.evaluation.analysis.answer_states import PlacedAnswers
from chunking.evaluation.live.live_levels import split_documents
from chunking.evaluation.live.live_prepared import (
    Caches,
    DocumentMeasurer,
    OnLiveProgress,
    PreparedEvaluation,
    everything_cached,
    prepare,
)
from chunking.evaluation.live.live_results import LiveScores, omegas, ranked_results
from chunking.evaluation.live.live_search import (
    CountedWords,
    IdentifierPlaces,
    LiveMatches,
    Ranking,
    adjusted,
    ranked,
    weighings,
    word_scores,
)
from chunking.evaluation.live.live_trim import DocumentSentences, TellingWords, lowest_cosines, trimmed_results
from chunking.evaluation.metrics.counted_results import Measure, counted
from chunking.evaluation.metrics.scoring import Scores, score_spans
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.answered import Found
from chunking.model import Document
from chunking.retrieval.modes.retrieval_modes import MODES
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.ranking.readability import Weighing

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

    from chunking.embedding import EncodingCache, VectorCache
    from chunking.splitting import Chunker

__all__ = ["DEPTH", "LiveRecall", "gaps_of", "notes_of"]

DEPTH = 30
"""Results per question if only a token budget is measured."""
_MOST_SPLITS = 4
"""Configurations whose chunks are cached: changing a search setting, or going one step back, splits nothing."""

_POOLED = "The index embeds each chunk by itself; live vectors are pooled from one encoding of the document."
_GAPS: tuple[tuple[Callable[[Config], bool], str], ...] = (
    (lambda config: bool(config.search.rerank), "Reranking is not simulated: live results are those before reranking."),
    *((row.on, row.live_gap) for row in ENRICHMENTS if row.live_gap),
    (
        lambda config: config.index.tokenizer is FullTextTokenizer.NGRAM,
        "The index uses the n-gram tokenizer; live scores use whole words (icu).",
    ),
)
"""(condition, note) of the settings that live recall does not follow."""
_VECTOR_SETTINGS = ("late_window", "query_prefix", "passage_prefix")
"""Model settings, besides the name, that change the vectors."""
_BLAS_LIMIT = Lock()
"""Held while the number of BLAS threads, a setting of the process, is limited."""


class LiveRecall:
    """Scores configurations on documents and questions encoded once; sessions may share it.

    Args:
        documents: those of the workspace.
        embedding: the model. Vectors are pooled (late) whatever the mode.
        questions: answers in other documents count as not found, questions without an answer are ignored.
        encodings: cache of encodings, such as `Workspace.encodings`.
        vectors: cache of the vectors of questions and titles, such as `Workspace.vectors`.
        chunker: returns the measured chunker of a document, if available already.
        shape: the configuration whose patterns decide the documents' sections (`headings_from`); None: the documents'
            own. `scores` only accepts configurations with the same patterns for headings.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        embedding: EmbeddingConfig,
        questions: QuestionSet,
        *,
        encodings: EncodingCache | None = None,
        vectors: VectorCache | None = None,
        chunker: Callable[[Document], Chunker] | None = None,
        shape: Config | None = None,
    ) -> None:
        self._headings = _headings_key(shape or Config())
        self.documents = tuple(_shaped(one, shape) if shape and self._headings else one for one in documents)
        self.embedding = embedding
        answerable = tuple(
            one for one in questions.questions if any(answer.end > answer.start for answer in one.answers)
        )
        self.questions = replace(questions, questions=answerable)
        self._caches = Caches(encodings, vectors)
        self._measurer = DocumentMeasurer(embedding)
        self._chunker = chunker or self._measurer.chunker
        self._answers = [PlacedAnswers(one, self.questions) for one in documents]
        self._prepared: PreparedEvaluation | None = None
        self._matched: OrderedDict[object, LiveMatches] = OrderedDict()
        self._sentences: DocumentSentences | None = None
        self._identifiers: IdentifierPlaces | None = None
        self._counted: dict[FullTextTokenizer, CountedWords] = {}
        self._lock = RLock()

    @property
    def ready(self) -> bool:
        """True once `prepare` is done."""
        return self._prepared is not None

    @property
    def is_cached(self) -> bool:
        """True if `prepare` is done, or needs no model call; reads the saved encodings.

        Raises:
            ModelError: the model is not installed, and may not be downloaded.
        """
        return self.ready or everything_cached(self.documents, self.embedding, self.questions, self._caches)

    def prepare(self, on_progress: OnLiveProgress | None = None) -> None:
        """Measure and encode documents, embed questions; the only step that calls the model.

        A second call does nothing.

        Raises:
            QuestionError: there is no question with an answer, or no document.
            ModelError: the model cannot be loaded, or fails.
        """
        with self._lock:
            if self._prepared is not None:
                return
            if not self.questions.questions or not self.documents:
                what = "a question with an answer" if self.documents else "a document"
                raise QuestionError(f"Live recall needs {what}; add one.", where=self.questions.name)
            chunkers = [self._chunker(one) for one in self.documents]
            report = on_progress or _silent
            self._prepared = prepare(chunkers, self.embedding, self.questions, self._caches, report, self._measurer)

    def scores(self, config: Config, measure: Measure | None = None, *, keep: bool = True) -> LiveScores:
        """Estimate the scores of a configuration without building an index or calling a model.

        Args:
            measure: number of results or token budget, in place of `search.k`; default: `Measure(5)`.
            keep: cache the chunks for the next change of a search setting.
        Raises:
            QuestionError: `prepare` was not called, or the heading patterns differ.
            ChunkscopeError: the documents cannot be split, such as by a user's splitter.
        """
        prepared, measure = self._prepared, measure or Measure()
        if _headings_key(config) != self._headings:
            raise QuestionError(
                "This configuration has other heading patterns; live recall is prepared again for them."
            )
        if prepared is None:
            raise QuestionError("The documents are not encoded yet; prepare them first.", where=self.questions.name)
        search = config.search.model_copy(update={"k": measure.n or config.search.k})
        matched = self._match(prepared, config, keep)
        weights = adjusted(weighings(search, self.embedding, prepared.live_questions), matched)
        ranking = ranked(matched, weights, search)
        results = ranked_results(
            matched.split, ranking, search, measure.n or DEPTH, [one.doc_id for one in self.documents]
        )
        if search.trim:
            results = self._trimmed(prepared, config, search, results, matched, ranking, weights)
        questions = self.questions.questions
        boundaries = {one.doc_id: bounds for one, bounds in zip(self.documents, matched.split.boundaries, strict=True)}
        omega = omegas(questions, boundaries)
        sent = [some[: counted(some, measure)] for some in results]
        rows = [
            score_spans(one.answers, some, measure, omega=share)
            for one, some, share in zip(questions, results, omega, strict=True)
        ]
        ids = tuple(one.id for one in questions)
        return LiveScores(
            config=config,
            measure=measure,
            question_ids=ids,
            scores=replace(Scores.of(ids, rows), context_tokens=prepared.contexts.of(sent, search.budget)),
            results=results,
            answers=tuple(
                state
                for some, bounds in zip(self._answers, matched.split.boundaries, strict=True)
                for state in some.states(bounds)
            ),
            chunks=len(matched.split.chunks),
            notes=notes_of(config, self.embedding, prepared.live_questions.queries, weights),
            warnings=tuple(
                dict.fromkeys(sentence for bounds in matched.split.boundaries for sentence in bounds.warnings)
            ),
        )

    def _trimmed(
        self,
        prepared: PreparedEvaluation,
        config: Config,
        search: SearchConfig,
        results: tuple[tuple[Found, ...], ...],
        matched: LiveMatches,
        ranking: Ranking,
        weights: Sequence[Weighing],
    ) -> tuple[tuple[Found, ...], ...]:
        """Trim results to their best sentences; those of the documents are located once."""
        tokenized = prepared.tokenized(_tokenizer(config))
        with self._lock, _single_threaded():
            if self._sentences is None:
                self._sentences = DocumentSentences.of(self.documents)
            languages = {document.language for document in self.documents}
            words = TellingWords.of(prepared.live_questions.queries, tokenized.vocabulary, languages)
            return trimmed_results(
                results,
                self._sentences,
                words,
                prepared,
                tokenized,
                matched.split.chunks,
                ranking,
                weights,
                lowest_cosines(matched.cosines[0], search.candidate_count),
                search.trim,
            )

    def _match(self, prepared: PreparedEvaluation, config: Config, keep: bool) -> LiveMatches:
        """Split the documents and score every chunk by both legs."""
        tokenizer = _tokenizer(config)
        configs = tuple(config.for_category(one.category).chunk for one in self.documents)
        key = configs, tokenizer
        with self._lock, _single_threaded():
            matches = self._matched.get(key)
            if matches is None:
                tokenized = prepared.tokenized(tokenizer)
                split = split_documents(tokenized.documents, configs, tokenized.shared_terms)
                levels = (split.chunks, *split.larger.values())
                cosines = tuple(prepared.cosines(level) for level in levels)
                words = tuple(word_scores(tokenized.word_counts, levels, tokenized.headings))
                if self._identifiers is None:
                    self._identifiers = IdentifierPlaces.of(prepared.live_questions.queries, split.texts)
                if tokenizer not in self._counted:
                    languages = sorted({one.language for one in self.documents})
                    queries, vocabulary = prepared.live_questions.queries, tokenized.vocabulary
                    self._counted[tokenizer] = CountedWords.of_queries(queries, vocabulary, languages)
                coverage = self._counted[tokenizer].coverage(words[0], split.chunks, tokenized.word_counts.shape[1])
                matches = LiveMatches(split, cosines, words, self._identifiers.shares(split), coverage)
            if keep:
                self._matched[key] = matches
                self._matched.move_to_end(key)
                while len(self._matched) > _MOST_SPLITS:
                    self._matched.popitem(last=False)
            return matches


def _tokenizer(config: Config) -> FullTextTokenizer:
    simple = config.index.tokenizer is FullTextTokenizer.SIMPLE
    return FullTextTokenizer.SIMPLE if simple else FullTextTokenizer.ICU


@contextmanager
def _single_threaded() -> Iterator[None]:
    """Run matrix products on one thread, one caller at a time.

    The products are so small that threads wait longer than they work. The limit applies to the entire process, so
    callers must take turns: each restores the previous limit.
    """
    with _BLAS_LIMIT, _threads().limit(limits=1, user_api="blas"):
        yield


@cache
def _threads() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _headings_key(config: Config) -> object:
    from chunking.splitting import headings_key

    return headings_key(config)


def _shaped(document: Document, config: Config) -> Document:
    from chunking.splitting import shaped

    return shaped(document, config)


def _silent(share: float, what: str) -> None:
    """Ignore progress."""


def gaps_of(config: Config) -> tuple[str, ...]:
    """Return a sentence for each setting of a configuration that live recall does not follow.

    With any of these, live scores are those of another configuration.

    >>> gaps_of(Config()), len(gaps_of(Config.from_settings({"search.rerank": "title", "search.retrieval": "merge"})))
    ((), 2)
    """
    return tuple(_gaps(config, config.embedding))


def _gaps(config: Config, embedding: EmbeddingConfig) -> Iterator[str]:
    if remote_name(embedding.model) is not None and config.search.mode is not SearchMode.TEXT:
        yield f"{embedding.model} cannot be pooled: live scores come from full-text search only."
    if gap := MODES[config.search.retrieval].live_gap:
        yield gap
    yield from (sentence for applies, sentence in _GAPS if applies(config))


def notes_of(
    config: Config, embedding: EmbeddingConfig, queries: Sequence[QueryParts], weights: Sequence[Weighing]
) -> tuple[str, ...]:
    """Return sentences for the user about the limits of live scores of a configuration.

    Those of `gaps_of`, and others on a different model, pooled vectors, quoted phrases and unreadable words.

    Args:
        embedding: the model that encoded the documents.
        weights: leg weights of each question.
    """
    return tuple(_notes(config, embedding, queries, weights))


def _notes(
    config: Config, embedding: EmbeddingConfig, queries: Sequence[QueryParts], weights: Sequence[Weighing]
) -> Iterator[str]:
    if config.embedding.model != embedding.model:
        yield (
            f"Live vectors were made with {embedding.model}, the configuration asks for {config.embedding.model}: "
            "prepare them again."
        )
    elif any(getattr(config.embedding, name) != getattr(embedding, name) for name in _VECTOR_SETTINGS):
        yield "Live vectors were made with other model settings (window or prefixes): prepare them again."
    if config.embedding.mode is EmbeddingMode.STANDARD and config.search.mode is not SearchMode.TEXT:
        yield _POOLED
    yield from _gaps(config, embedding)
    phrases = sum(bool(query.phrases) for query in queries)
    if phrases:
        yield f"{_questions(phrases)} a phrase in quotation marks: live scores look for its words one by one."
    if config.search.mode is not SearchMode.TEXT:
        unread = sum(bool(one.notes) for one in weights)
        if unread:
            yield (
                f"{_questions(unread)} words that {embedding.model} cannot read, or ask about such texts: vector "
                "search has less weight there."
            )


def _questions(number: int) -> str:
    return f"{number} question{'s have' if number != 1 else ' has'}"

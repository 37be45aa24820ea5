"""Preparation for live recall, done once: encodings of documents and questions, words, context tokens.

Exact context tokens come from `retrieval.context.costs`: passages under numbered citations, adjacent ones joined. Here
passages are counted from the measured text, with the citation of the section where a passage begins; pages are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, EmbeddingConfig, FullTextTokenizer, remote_name
from chunking.embedding.model_folder import counting_folder
from chunking.evaluation.live.live_levels import LiveDocument, LiveLevel, PooledDocument
from chunking.evaluation.live.live_search import Headings, LiveQuestions, query_words
from chunking.evaluation.live.live_terms import TextTerms, WordOccurrences, find_terms
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.answered import Found
from chunking.model import Document
from chunking.retrieval.context.context_tokens import context_counter
from chunking.retrieval.query.query_parts import QueryParts, understand
from chunking.retrieval.ranking.readability import unread_share
from chunking.retrieval.results.citation import cited_place
from chunking.splitting import Chunker, TokenCounter
from chunking.store import latin_language
from chunking.store.index.full_text import query_stems

if TYPE_CHECKING:
    from chunking.embedding import EncodingCache, VectorCache
    from chunking.splitting import Chunker

__all__ = [
    "LOADING",
    "Caches",
    "DocumentMeasurer",
    "OnLiveProgress",
    "PreparedEvaluation",
    "TokenizedInputs",
    "characters_to_encode",
    "everything_cached",
    "prepare",
]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
OnLiveProgress = Callable[[float, str], None]
"""Called with the share done, 0 to 1, and the name of the step; may raise to stop."""

LOADING = "Loading the model"
"""Name of the step that reports nothing until the model is loaded."""
_ENCODED, _EMBEDDED = 0.9, 0.97
"""Shares of the work done once the documents are encoded, and once the questions are embedded."""


class Caches(NamedTuple):
    """Caches of encodings and vectors, such as a workspace's; None: nothing is cached."""

    encodings: EncodingCache | None
    vectors: VectorCache | None


@dataclass(frozen=True, slots=True, eq=False)
class TokenizedInputs:
    """Documents and questions, split into words by one full-text tokenizer."""

    documents: tuple[LiveDocument, ...]
    word_counts: Floats
    """(q, words) word counts: see `query_words`."""
    headings: Headings
    shared_terms: TextTerms
    vocabulary: Mapping[str, int]
    """Number of each word of the questions."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedEvaluation:
    """Encoded documents and questions, with word and token counts; the same for all settings."""

    live_questions: LiveQuestions
    pooled: tuple[tuple[Chunker, PooledDocument | None], ...]
    finish: Callable[[Floats, Floats], Floats] | None
    """Turns sums of states and numbers of tokens into vectors; None if the model's vectors cannot be pooled."""
    contexts: ContextCounts
    _tokenized: dict[FullTextTokenizer, TokenizedInputs] = field(default_factory=dict)

    def tokenized(self, tokenizer: FullTextTokenizer) -> TokenizedInputs:
        """Return documents and questions split into words by a tokenizer; split once, cached."""
        if tokenizer not in self._tokenized:
            self._tokenized[tokenizer] = _tokenize(self.live_questions.queries, self.pooled, tokenizer)
        return self._tokenized[tokenizer]

    def cosines(self, level: LiveLevel) -> Floats:
        """Return (q, n) cosines of questions and a level's chunks; zeros without vectors."""
        if self.finish is None or not len(level):
            return np.zeros((len(self.live_questions.queries), len(level)), np.float32)
        scores: Floats = self.live_questions.vectors @ self.finish(level.sums, level.counts).T
        return scores


class DocumentMeasurer:
    """Factory of chunkers that count with the model's tokenizer.

    After `pool_with`, a document's sentence vectors (strategy semantic) are pooled from its encoding, so that no split
    calls the model; before, they come from the model.
    """

    def __init__(self, embedding: EmbeddingConfig) -> None:
        self._embedding = embedding
        self._encoded: dict[str, Callable[[Ints, Ints], Floats]] = {}

    def chunker(self, document: Document) -> Chunker:
        """Create a chunker of a document, measured with the model's tokenizer; not cached."""
        from chunking.splitting import Chunker, token_counter

        folder = counting_folder(self._embedding)
        return Chunker(
            document, token_counter(folder.path), max_tokens=folder.content_tokens, sentences=self._sentences
        )

    def pool_with(self, document: Document, pool: Callable[[Ints, Ints], Floats]) -> None:
        """Register the function that pools vectors of a document's sentences."""
        self._encoded[document.doc_id] = pool

    def _sentences(self, document: Document, starts: Ints, ends: Ints) -> Floats:
        from chunking.splitting import model_sentences

        pool = self._encoded.get(document.doc_id)
        return model_sentences(self._embedding)(document, starts, ends) if pool is None else pool(starts, ends)


def prepare(
    chunkers: Sequence[Chunker],
    embedding: EmbeddingConfig,
    questions: QuestionSet,
    caches: Caches,
    report: OnLiveProgress,
    measurer: DocumentMeasurer | None = None,
) -> PreparedEvaluation:
    """Encode documents and questions, or load them from the caches, and count the questions' words.

    With a remote model nothing is encoded: live recall then has full-text search only.

    Args:
        measurer: receives the function that pools each document's sentence vectors.
    Raises:
        ModelError: the model cannot be loaded, or fails.
    """
    queries, contexts = tuple(_queries(questions)), ContextCounts(chunkers, embedding)
    unknown = tuple(unread_share(embedding, one.text) for one in queries)
    if remote_name(embedding.model) is not None:
        nothing = np.zeros((len(queries), 0), np.float32)
        prepared = PreparedEvaluation(
            LiveQuestions(queries, nothing, unknown, 0.0),
            tuple((chunker, None) for chunker in chunkers),
            None,
            contexts,
        )
    else:
        prepared = _encode(
            chunkers, contexts, embedding, queries, unknown, caches, report, measurer or DocumentMeasurer(embedding)
        )
    report(_EMBEDDED, "Counting words")
    prepared.tokenized(FullTextTokenizer.ICU)
    report(1.0, "Ready")
    return prepared


def everything_cached(
    documents: Sequence[Document], embedding: EmbeddingConfig, questions: QuestionSet, caches: Caches
) -> bool:
    """True if the caches hold all encodings and vectors, or a remote model needs none.

    For a local model, False unless there are both caches; reads all encodings.

    Raises:
        ModelError: the model is not installed, and may not be downloaded.
    """
    from chunking.embedding import CachedEmbedder, LateEncoder, LocalEmbedder, load_embedder

    if remote_name(embedding.model) is not None:
        return True
    encodings, vectors = caches
    if encodings is None or vectors is None:
        return False
    embedder = load_embedder(embedding)
    assert isinstance(embedder, LocalEmbedder)
    encoder = LateEncoder(embedder, embedding.late_window, encodings, vectors)
    if CachedEmbedder(embedder, vectors).missing([one.text for one in _queries(questions)], role="query"):
        return False
    titles = {key for one in documents for key in encoder.context_texts(one, ()).texts}
    if len(vectors.get(list(titles))) < len(titles):
        return False
    return all(encodings.get(encoder.encoding_key(one)) is not None for one in documents)


def characters_to_encode(
    documents: Sequence[Document], embedding: EmbeddingConfig, encodings: EncodingCache | None
) -> int:
    """Count the characters of documents without a cached encoding; 0 for a remote model.

    Raises:
        ModelError: the model is not installed, and may not be downloaded.
    """
    from chunking.embedding import LateEncoder, LocalEmbedder, load_embedder

    if remote_name(embedding.model) is not None:
        return 0
    embedder = load_embedder(embedding)
    assert isinstance(embedder, LocalEmbedder)
    encoder = LateEncoder(embedder, embedding.late_window, encodings, None)
    keys = [encoder.encoding_key(one) for one in documents]
    stored = encodings.stored_keys(keys) if encodings is not None else set()
    return sum(len(one.text) for one, key in zip(documents, keys, strict=True) if key not in stored)


def _queries(questions: QuestionSet) -> Iterator[QueryParts]:
    return (understand(one.text, questions.syntax) for one in questions.questions)


def _encode(
    chunkers: Sequence[Chunker],
    contexts: ContextCounts,
    embedding: EmbeddingConfig,
    queries: tuple[QueryParts, ...],
    unknown: tuple[float, ...],
    caches: Caches,
    report: OnLiveProgress,
    measurer: DocumentMeasurer,
) -> PreparedEvaluation:
    from chunking.embedding import CachedEmbedder, LateEncoder, LocalEmbedder, load_embedder
    from chunking.embedding.late.context_parts import title_texts

    embedder = load_embedder(embedding)
    assert isinstance(embedder, LocalEmbedder)  # a remote one has no states to pool
    encoder = LateEncoder(embedder, embedding.late_window, caches.encodings, caches.vectors)
    total, done, pooled = max(sum(len(one.document.text) for one in chunkers), 1), 0, []
    asking = embedder if caches.vectors is None else CachedEmbedder(embedder, caches.vectors)
    documents, texts = [one.document for one in chunkers], [one.text for one in queries]
    asks = not isinstance(asking, CachedEmbedder) or bool(asking.missing(texts, role="query"))
    if not embedder.loaded and (asks or characters_to_encode(documents, embedding, caches.encodings)):
        report(0.0, LOADING)
        embedder.prepare()
    for chunker in chunkers:
        document = chunker.document
        say = _progress(report, f"Encoding {document.source}", done, total)
        say(0)
        encoding = encoder.encode(document, say)
        one = PooledDocument(document, encoding, encoder.text_states(title_texts(document)))
        measurer.pool_with(document, partial(_spans, one, encoder.to_vectors))
        pooled.append((chunker, one))
        done += len(document.text)
    report(_ENCODED, "Embedding the questions")
    vectors = asking.embed(texts, role="query")
    live_questions = LiveQuestions(queries, vectors, unknown, _corpus_unknown(chunkers, embedding))
    return PreparedEvaluation(live_questions, tuple(pooled), encoder.to_vectors, contexts)


def _spans(pooled: PooledDocument, finish: Callable[[Floats, Floats], Floats], starts: Ints, ends: Ints) -> Floats:
    return finish(*pooled.span_sums(starts, ends))


def _progress(report: OnLiveProgress, what: str, done: int, total: int) -> Callable[[int], None]:
    return lambda characters: report(_ENCODED * (done + characters) / total, what)


def _corpus_unknown(chunkers: Sequence[Chunker], embedding: EmbeddingConfig) -> float:
    """Share of the documents' words that the model cannot read, over a sample of chunks as in an index."""
    from chunking.embedding import check_language
    from chunking.splitting import token_counter

    config, texts = ChunkConfig(), list[str]()
    for chunker in chunkers:
        boundaries = chunker.boundaries(config)
        texts += [
            chunker.document.text[start:end]
            for start, end in zip(boundaries.starts.tolist(), boundaries.ends.tolist(), strict=True)
        ]
    folder = counting_folder(embedding)
    return check_language(texts, token_counter(folder.path), folder.name).share


def _tokenize(
    queries: Sequence[QueryParts], pooled: Sequence[tuple[Chunker, PooledDocument | None]], tokenizer: FullTextTokenizer
) -> TokenizedInputs:
    vocabulary: dict[str, int] = {}
    languages = sorted({latin_language(chunker.document.language) for chunker, _ in pooled})
    numbers = [
        [vocabulary.setdefault(word, len(vocabulary)) for word in query_stems(query.text, languages, tokenizer)]
        for query in queries
    ]
    shared_terms, documents = TextTerms(vocabulary, tokenizer), list[LiveDocument]()
    headings = list[tuple[Ints, WordOccurrences]]()
    first = 0
    for chunker, one in pooled:
        document = chunker.document
        places = find_terms(document.text, vocabulary, tokenizer, document.language)
        documents.append(LiveDocument(chunker, one, places, first))
        paths = ["\n".join(section.title_path) for section in document.sections] + [""]
        lengths, (chunk, term) = shared_terms.occurrences(paths, document.language)
        headings.append((lengths, WordOccurrences(chunk + first, term)))
        first += len(paths)
    return TokenizedInputs(
        tuple(documents),
        query_words(numbers, max(len(vocabulary), 1)),
        Headings.joined(headings),
        shared_terms,
        vocabulary,
    )


class _Counted(NamedTuple):
    """A document with the tokens of its citations."""

    chunker: Chunker
    sections: Ints
    """(s,) start offsets of the sections, ascending."""
    citations: Ints
    """(s + 1,) tokens of each section's citation; the first is for text before any section."""


class ContextCounts:
    """Counts context tokens of results; calls the tokenizer once, for the citations.

    Args:
        embedding: the model with whose tokenizer contexts are counted.
    """

    def __init__(self, chunkers: Sequence[Chunker], embedding: EmbeddingConfig) -> None:
        counter, _ = context_counter(embedding)
        self._documents = {one.document.doc_id: _counted(one, counter) for one in chunkers}

    def of(self, results: Sequence[Sequence[Found]], budget: int) -> NDArray[np.float64]:
        """Return (q,) tokens of each question's results as context, with neighbours and citations.

        Args:
            results: results that count.
            budget: most tokens of a context; 0: no limit.
        """
        owners: dict[str, list[tuple[int, int, int]]] = {}
        for row, some in enumerate(results):
            for doc_id, start, end in self._passages(some):
                owners.setdefault(doc_id, []).append((row, start, end))
        total = np.zeros(len(results))
        for doc_id, rows in owners.items():
            one, (row, starts, ends) = self._documents[doc_id], np.array(rows, np.int32).T
            cited = one.citations[np.searchsorted(one.sections, starts, side="right")]
            np.add.at(total, row, one.chunker.measured.tokens_between(starts, ends) + cited)
        return np.minimum(total, budget) if budget else total

    def _passages(self, results: Sequence[Found]) -> list[tuple[str, int, int]]:
        """Merge the results and their neighbours into passages without gaps of text."""
        runs: list[tuple[str, int, int]] = []
        for doc_id, start, end in sorted(
            (one.doc_id, min(one.first, one.start), max(one.last, one.end)) for one in results
        ):
            last = runs[-1] if runs else ("", 0, 0)
            if last[0] == doc_id and (
                start <= last[2] or not self._documents[doc_id].chunker.document.text[last[2] : start].strip()
            ):
                runs[-1] = doc_id, last[1], max(last[2], end)
            else:
                runs.append((doc_id, start, end))
        return runs


def _counted(chunker: Chunker, counter: TokenCounter) -> _Counted:
    document = chunker.document
    texts = [_heading(document, (), 0, len(document.text))]
    texts += [_heading(document, one.title_path, one.start, one.end) for one in document.sections]
    sections = np.array([one.start for one in document.sections], np.int32)
    return _Counted(chunker, sections, counter.count_each(texts).astype(np.int32))


def _heading(document: Document, path: Sequence[str], start: int, end: int) -> str:
    return f"[1] {' · '.join(cited_place(document.title or document.doc_id, document.source, path, start, end))}"

"""Live results trimmed to their best sentences, from what live recall has in memory.

Sentences of the documents are located once. Their vectors are pooled from the encodings, and their words looked up
among the located ones, for the results of a step only. The decision is the search's own (`retrieval.ranking.cutoff`);
a row of a table is compared without its header.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunking.evaluation.live.live_levels import LiveLevel
from chunking.evaluation.live.live_prepared import PreparedEvaluation, TokenizedInputs
from chunking.evaluation.live.live_search import Ranking
from chunking.evaluation.live.live_terms import expand_ranges
from chunking.evaluation.runs.answered import Found
from chunking.model import BlockType, Document
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.query.query_terms import telling_words
from chunking.retrieval.ranking.cutoff import SentenceRuns, sentence_runs
from chunking.retrieval.ranking.readability import Weighing
from chunking.retrieval.ranking.sentence_evidence import evidence, idf, scaled_similarity
from chunking.retrieval.results.hit_sentences import split_sentences

__all__ = ["DocumentSentences", "TellingWords", "lowest_cosines", "trimmed_results"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Rows = NDArray[np.int64]
Results = tuple[tuple[Found, ...], ...]

_CODE = (BlockType.CODE, BlockType.EQUATION, BlockType.HTML)
_AT_ONCE = 8_192
"""Sentences whose vectors are pooled in one batch, which bounds the memory."""


@dataclass(frozen=True, slots=True, eq=False)
class DocumentSentences:
    """Sentences of all documents as arrays, document after document."""

    starts: Ints
    ends: Ints
    leads: Ints
    """(s,) start of the text that stays with each sentence: of its table's header; else its own start."""
    first: Rows
    """(documents + 1,) first sentence of each document, then s."""

    @classmethod
    def of(cls, documents: Sequence[Document]) -> DocumentSentences:
        """Find the sentences of documents."""
        rows = [_sentences(one) for one in documents]
        columns = np.concatenate([np.zeros((0, 3), np.int32), *rows]).T
        starts, ends, leads = (np.ascontiguousarray(column) for column in columns)
        return cls(starts, ends, leads, np.cumsum([0, *map(len, rows)]))

    def ranges(self, spans: Ints) -> tuple[Rows, Rows]:
        """Return the first sentence that each span touches, and one past the last.

        Args:
            spans: (h, 3) document, start and end.
        """
        low, high = np.zeros(len(spans), np.int64), np.zeros(len(spans), np.int64)
        for number, rows in _by_value(spans[:, 0]):
            first, after = int(self.first[number]), int(self.first[number + 1])
            low[rows] = first + np.searchsorted(self.ends[first:after], spans[rows, 1], side="right")
            high[rows] = first + np.searchsorted(self.starts[first:after], spans[rows, 2])
        return low, high


def _sentences(document: Document) -> Ints:
    """Return start, end and lead of each sentence of a document, (s, 3)."""
    code = [(block.start, block.end) for block in document.blocks if block.type in _CODE]
    tables = [(block.start, block.end) for block in document.blocks if block.type is BlockType.TABLE]
    titles = {section.title for section in document.sections}
    rows = split_sentences(document.text, code=code, tables=tables, titles=titles)
    return np.array([(one.start, one.end, one.lead) for one in rows], np.int32)


def _by_value(values: NDArray[np.integer]) -> Iterator[tuple[int, Rows]]:
    """Yield each distinct value with the rows that have it."""
    order = np.argsort(values, kind="stable")
    kinds, first = np.unique(values[order], return_index=True)
    for kind, rows in zip(kinds.tolist(), np.split(order, first[1:]), strict=True):
        yield int(kind), rows


# -- words of the questions


@dataclass(frozen=True, slots=True, eq=False)
class TellingWords:
    """Telling words of q questions, by their numbers in the vocabulary."""

    question: Rows
    """(t,) number of the question of each word."""
    term: Rows
    """(t,) number of the word."""
    telling: NDArray[np.bool_]
    """(q,) True for a question with such words."""

    @classmethod
    def of(
        cls, queries: Sequence[QueryParts], vocabulary: Mapping[str, int], languages: Collection[str]
    ) -> TellingWords:
        """Look up the telling words of each question, by their stems in each language of the documents."""
        words = [telling_words(query, languages) for query in queries]
        lookup = {(row, vocabulary.get(word.stem, -1)) for row, some in enumerate(words) for word in some}
        rows = sorted(pair for pair in lookup if pair[1] >= 0)
        question, term = np.array(rows, np.int64).reshape(-1, 2).T
        return cls(question, term, np.array([bool(some) for some in words], np.bool_))

    def weights(self, ranking: Ranking, chunks: LiveLevel, words: int) -> Floats:
        """Return the (q, words) rarity of each question's words among its candidates; 0 for others."""
        n = max(len(chunks), 1)
        pairs_of_words = np.unique(chunks.occurrences.term.astype(np.int64) * n + chunks.occurrences.chunk)
        terms, numbers = np.divmod(pairs_of_words, n)
        low, high = np.searchsorted(terms, self.term), np.searchsorted(terms, self.term, side="right")
        pairs = expand_ranges(low, high)
        is_candidate = ranking.candidates[self.question[pairs.owner], numbers[pairs.number]]
        holding = np.bincount(pairs.owner, is_candidate, len(self.term)).astype(np.float32)
        weights = np.zeros((len(ranking.candidates), words), np.float32)
        weights[self.question, self.term] = idf(ranking.candidates.sum(axis=1)[self.question], holding)
        return weights


# -- results


def trimmed_results(
    results: Results,
    sentences: DocumentSentences,
    words: TellingWords,
    prepared: PreparedEvaluation,
    tokenized: TokenizedInputs,
    chunks: LiveLevel,
    ranking: Ranking,
    weights: Sequence[Weighing],
    lowest: Floats,
    trim: float,
) -> Results:
    """Trim results to the sentences around their best ones, as a search with this setting does.

    Args:
        results: of each question, best first.
        sentences: of all documents.
        words: telling words of the questions.
        ranking: its candidates say how rare a word is.
        weights: of each question's legs; sentences are compared by vectors where it has a vector leg.
        lowest: (q,) lowest cosine of each question's candidates by vectors (`lowest_cosines`).
    """
    numbers = {one.chunker.document.doc_id: number for number, one in enumerate(tokenized.documents)}
    hits = [(row, one) for row, some in enumerate(results) for one in some]
    if not hits:
        return results
    questions = np.array([row for row, _ in hits], np.int64)
    spans = np.array([(numbers[one.doc_id], one.start, one.end) for _, one in hits], np.int32)
    parts = _HitSentences.of(spans, sentences)
    by_vector = np.array(["vector" in one.weights for one in weights], np.bool_)[questions[parts.hit]]
    by_words = words.telling[questions[parts.hit]]
    rarities = words.weights(ranking, chunks, tokenized.word_counts.shape[1])
    shares = parts.word_shares(tokenized, rarities, questions)
    cosines = parts.cosines(prepared, questions) if by_vector.any() else np.zeros(len(parts.hit), np.float32)
    cosines = scaled_similarity(cosines, lowest[questions[parts.hit]])
    alone = np.where(by_words, shares, cosines)
    scores = np.where(by_words & by_vector, evidence(shares, cosines), alone).astype(np.float32)
    sparse = (by_words & ~by_vector)[parts.offsets[:-1]]
    remaining = parts.remaining(sentence_runs(scores, parts.offsets, trim=trim, sparse=sparse))
    tokens = _trimmed_tokens(tokenized, parts.spans, remaining)
    judgeable = (by_words | by_vector)[parts.offsets[:-1]]
    rows: list[list[Found]] = [[] for _ in results]
    for number, (row, one) in enumerate(hits):
        start, end = remaining[number].tolist()
        rows[row].append(_left(one, start, end, one.tokens - int(tokens[number])) if judgeable[number] else one)
    return tuple(map(tuple, rows))


def lowest_cosines(cosines: Floats, candidates: int) -> Floats:
    """Return the (q,) lowest cosine among each question's best candidates by vectors.

    Args:
        cosines: (q, n) of all chunks.
        candidates: most candidates of the vector leg.
    """
    most = min(candidates, cosines.shape[1])
    if not most:
        return np.zeros(len(cosines), np.float32)
    return -np.partition(-cosines, most - 1, axis=1)[:, most - 1]


def _left(one: Found, start: int, end: int, tokens: int) -> Found:
    """Return what is left of a result; its neighbours stay on the sides where nothing was trimmed."""
    first, last = (one.first if start == one.start else start), (one.last if end == one.end else end)
    return one._replace(start=start, end=end, tokens=tokens, first=first, last=last)


def _trimmed_tokens(tokenized: TokenizedInputs, spans: Ints, remaining: Ints) -> Rows:
    """Return the (h,) tokens that trimming takes from each hit."""
    trimmed = np.zeros(len(spans), np.int64)
    for number, rows in _by_value(spans[:, 0]):
        between = tokenized.documents[number].chunker.measured.tokens_between
        trimmed[rows] = between(spans[rows, 1], remaining[rows, 0]) + between(remaining[rows, 1], spans[rows, 2])
    return trimmed


@dataclass(frozen=True, slots=True, eq=False)
class _HitSentences:
    """Sentences of h hits, hit after hit, clipped to them; at least one each."""

    spans: Ints
    """(h, 3) document, start and end of each hit."""
    offsets: Rows
    """(h + 1,) first sentence of each hit, then n."""
    hit: Rows
    """(n,) number of each sentence's hit."""
    starts: Ints
    ends: Ints
    leads: Ints

    @classmethod
    def of(cls, spans: Ints, sentences: DocumentSentences) -> _HitSentences:
        """Find the sentences of hits; a hit without any is a sentence itself."""
        low, high = sentences.ranges(spans)
        alone = high <= low
        low = np.where(alone, np.minimum(low, len(sentences.starts) - 1), low)
        found_ranges = expand_ranges(low, np.where(alone, low + 1, high))
        hit, number = found_ranges.owner, found_ranges.number
        first, last = spans[hit, 1], spans[hit, 2]
        single = alone[hit]
        starts = np.where(single, first, np.maximum(sentences.starts[number], first))
        ends = np.where(single, last, np.minimum(sentences.ends[number], last))
        leads = np.where(single, first, np.clip(sentences.leads[number], first, starts))
        offsets = np.searchsorted(hit, np.arange(len(spans) + 1))
        return cls(spans, offsets, hit, *(column.astype(np.int32) for column in (starts, ends, leads)))

    def remaining(self, runs: SentenceRuns) -> Ints:
        """Return (h, 2) start and end of what is left of each hit."""
        first, last = self.offsets[:-1], self.offsets[1:] - 1
        starts, ends = self.leads[runs.first], self.ends[runs.after - 1]
        starts = np.where(starts <= self.starts[first], self.spans[:, 1], starts)
        ends = np.where(runs.after - 1 == last, self.spans[:, 2], ends)
        return np.stack([starts, ends], axis=1).astype(np.int32)

    def cosines(self, prepared: PreparedEvaluation, questions: Rows) -> Floats:
        """Return (n,) cosines of sentences and their questions; 0 without vectors."""
        cosines = np.zeros(len(self.hit), np.float32)
        vectors, finish = prepared.live_questions.vectors, prepared.finish
        if finish is None:
            return cosines
        for number, every in _by_value(self.spans[self.hit, 0]):
            pooled = prepared.pooled[number][1]
            if pooled is None:
                continue
            for begin in range(0, len(every), _AT_ONCE):
                rows = every[begin : begin + _AT_ONCE]
                own = finish(*pooled.span_sums(self.starts[rows], self.ends[rows]))
                cosines[rows] = np.einsum("ij,ij->i", own, vectors[questions[self.hit[rows]]])
        return cosines

    def word_shares(self, tokenized: TokenizedInputs, weights: Floats, questions: Rows) -> Floats:
        """Return the (n,) share of each question's words in its sentences, by weight."""
        mass = np.zeros(len(self.hit), np.float64)
        words = weights.shape[1]
        for number, rows in _by_value(self.spans[self.hit, 0]):
            places = tokenized.documents[number].terms
            low = np.searchsorted(places.positions, self.starts[rows])
            pairs = expand_ranges(low, np.searchsorted(places.positions, self.ends[rows]))
            owner, term = np.divmod(np.unique(pairs.owner * words + places.terms[pairs.number]), words)
            own = weights[questions[self.hit[rows[owner]]], term]
            mass[rows] += np.bincount(owner, own, len(rows))
        total = weights.sum(axis=1)[questions[self.hit]]
        shares: Floats = (mass / np.where(total > 0, total, 1.0)).astype(np.float32)
        return shares

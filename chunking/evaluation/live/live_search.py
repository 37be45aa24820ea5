"""Ranking of every chunk for every question over arrays: BM25, vectors, larger sizes, and leg weights.

The full-text engine (Lance) counts all levels of an index together, takes the better of the text's score and half of
the headings', and counts a repeated word of a question twice. BM25 with k1 = 1.2 and b = 0.75; a test compares both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chunking.config import EmbeddingConfig, SearchConfig, SearchMode
from chunking.evaluation.live.live_levels import LiveLevel, SplitDocuments
from chunking.evaluation.live.live_terms import WordOccurrences
from chunking.retrieval.modes.retrieval_modes import MODES
from chunking.retrieval.query.identifiers import QueryIdentifiers
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.query.query_terms import LONGEST_COUNTED
from chunking.retrieval.query.query_terms import query_words as query_content
from chunking.retrieval.ranking.fusion import LegCandidates, best_first, from_larger, fused
from chunking.retrieval.ranking.identifier_boost import BOOST
from chunking.retrieval.ranking.readability import BEST_HITS, Weighing, weigh, weigh_by_coverage
from chunking.store.index.full_text import TextQuery
from chunking.text.folding import fold, fold_with_offsets

__all__ = [
    "CountedWords",
    "Headings",
    "IdentifierPlaces",
    "LiveMatches",
    "LiveQuestions",
    "Ranking",
    "adjusted",
    "candidates_of",
    "query_words",
    "ranked",
    "weighings",
    "word_scores",
]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
_MOST_WEIGHTS = 100
_MOST_PREFIXES = 20_000
"""Prefixes whose identifiers are remembered."""
_DIGITS = 5
"""Significant digits of a score: the precision of float32 sums."""

_K1, _B = 1.2, 0.75
_AT_ONCE = 8_192
"""Chunks whose words are weighed in one batch, which bounds the memory of large workspaces."""


@dataclass(frozen=True, slots=True, eq=False)
class LiveQuestions:
    """Parsed questions with their vectors, and the share of words the model cannot read."""

    queries: tuple[QueryParts, ...]
    vectors: Floats
    """(q, d) vectors; no columns if the model's vectors cannot be pooled."""
    unknown: tuple[float, ...]
    """Share of each question's words that the model cannot read."""
    corpus_unknown: float
    """Share of the documents' words that the model cannot read."""
    weighed: dict[tuple[SearchMode, float], tuple[Weighing, ...]] = field(default_factory=dict)
    """Cache of `weighings`, by search mode and vector weight."""


@dataclass(frozen=True, slots=True, eq=False)
class LiveMatches:
    """Split documents with the scores of every chunk in both legs."""

    split: SplitDocuments
    cosines: tuple[Floats, ...]
    """(q, n) cosines of the chunks, then of each larger size."""
    bm25: tuple[Floats, ...]
    """(q, n) BM25 scores, 0 without a common word."""
    identified: Mapping[int, Floats]
    """By question with identifiers: (n,) the share of its words that are identifiers which each chunk contains."""
    coverage: Floats
    """(q,) largest share of each question's words in one of its best chunks by full text."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Scores of all n chunks for q questions, and the chunks that are candidates."""

    scores: Floats
    """(q, n) scores of all chunks."""
    candidates: NDArray[np.bool_]
    """(q, n) True for a candidate."""

    def best(self, most: int) -> tuple[NDArray[np.int64], Floats]:
        """Return (q, c) chunk numbers and scores of each question's best candidates, best first.

        c is at most `most`; rows with fewer candidates are padded with -inf.
        """
        return best_first(self.scores, self.candidates, most, digits=_DIGITS)


def weighings(search: SearchConfig, embedding: EmbeddingConfig, questions: LiveQuestions) -> tuple[Weighing, ...]:
    """Return each question's weights of vector and full-text search, cached by setting.

    Full text only if vectors cannot be pooled or have no weight; vectors only for a question without letters or digits;
    less weight for vectors in hybrid search if the model cannot read words of the question or the documents.
    """
    key = search.mode, search.vector_weight
    cached = questions.weighed.get(key)
    if cached is None:
        if len(questions.weighed) > _MOST_WEIGHTS:
            questions.weighed.clear()
        cached = questions.weighed[key] = _weighed(search, embedding, questions)
    return cached


def _weighed(search: SearchConfig, embedding: EmbeddingConfig, questions: LiveQuestions) -> tuple[Weighing, ...]:
    pooled = questions.vectors.shape[1] > 0
    only_words = Weighing({"text": 1.0})
    if not pooled or search.mode is SearchMode.TEXT or (search.mode is SearchMode.HYBRID and not search.vector_weight):
        return (only_words,) * len(questions.queries)
    weighings = []
    for query, unknown in zip(questions.queries, questions.unknown, strict=True):
        one = weigh(search, embedding.model, unknown, questions.corpus_unknown)
        weighings.append(Weighing({"vector": 1.0}) if "vector" in one.weights and not query.searchable else one)
    return tuple(weighings)


def adjusted(weights: Sequence[Weighing], matched: LiveMatches) -> tuple[Weighing, ...]:
    """Move weight from full text to vectors where its best hits lack the question's words."""
    return tuple(weigh_by_coverage(one, float(share)) for one, share in zip(weights, matched.coverage, strict=True))


def ranked(matched: LiveMatches, weights: Sequence[Weighing], search: SearchConfig) -> Ranking:
    """Fuse both legs' scores of every chunk for every question, with those of larger sizes.

    Larger sizes count only in the retrieval mode that uses them.

    Args:
        weights: of each question: see `weighings` and `adjusted`.
    """
    by_leg = {
        name: np.array([one.weights.get(name, 0.0) for one in weights], np.float32) for name in ("vector", "text")
    }
    floors = {"vector": search.min_similarity or -np.inf, "text": 0.0}
    scores = {"vector": matched.cosines, "text": matched.bm25}
    used = [name for name in by_leg if by_leg[name].any()]

    def level(number: int) -> tuple[Floats, NDArray[np.bool_]]:
        legs = [
            candidates_of(scores[name][number], by_leg[name], floors[name], search.candidate_count) for name in used
        ]
        scores_of_legs = fused(legs, scores[used[0]][number].shape[1], search.fusion)
        return scores_of_legs.totals, scores_of_legs.candidates

    own, candidates = level(0)
    total = own.copy()
    for number, multiple in enumerate(matched.split.larger, start=1) if MODES[search.retrieval].larger_scores else ():
        total += np.float32(search.granularity_weight) * from_larger(
            own, level(number)[0], matched.split.outer[multiple]
        )
    for row, share in matched.identified.items():
        if by_leg["text"][row]:
            candidates[row] |= share > 0
            spread = np.ptp(total[row, candidates[row]]) if candidates[row].any() else 0
            total[row] += np.float32(BOOST) * (spread or np.float32(1)) * share
    return Ranking(total, candidates)


def candidates_of(scores: Floats, weights: Floats, floor: float, count: int) -> LegCandidates:
    """Return the `count` best chunks of a leg for each question, unsorted, valid if above `floor`.

    Args:
        scores: (q, n) of every chunk.
        weights: (q,) of the leg in each question's sum; passed on.
    """
    n = scores.shape[1]
    if count < n:
        columns = np.argpartition(scores, n - count, axis=1)[:, n - count :]
        scores = np.take_along_axis(scores, columns, axis=1)
    else:
        columns = np.broadcast_to(np.arange(n), scores.shape)
    return LegCandidates(columns, scores, scores > floor, weights)


@dataclass(frozen=True, slots=True, eq=False)
class CountedWords:
    """Content words of q questions by their numbers in the vocabulary: a row per word and stem."""

    question: NDArray[np.int64]
    word: NDArray[np.int64]
    """Number of the word, over all questions."""
    term: NDArray[np.int64]
    """Number of a stem of the word; -1 for one that no text of any language contains."""
    letters: Floats
    """(words,) letters of each word that count."""
    of: NDArray[np.int64]
    """(words,) its question."""
    questions: int

    @classmethod
    def of_queries(
        cls, queries: Sequence[QueryParts], vocabulary: Mapping[str, int], languages: Sequence[str]
    ) -> CountedWords:
        """Look up the content words of each question, by their stems in each language of the documents."""
        rows, letters, of = list[tuple[int, int, int]](), list[int](), list[int]()
        for question, query in enumerate(queries):
            stems: dict[str, set[str]] = {}
            for language in languages:
                for word in query_content(query, language):
                    stems.setdefault(word.text, set()).add(word.stem)
            for some in stems.values():
                numbers = [vocabulary.get(stem, -1) for stem in some]
                rows += [(question, len(letters), number) for number in numbers]
                letters.append(min(max(map(len, some)), LONGEST_COUNTED))
                of.append(question)
        question_of, word_of, term = np.array(rows, np.int64).reshape(-1, 3).T
        return cls(question_of, word_of, term, np.array(letters, np.float32), np.array(of, np.int64), len(queries))

    def coverage(self, bm25: Floats, level: LiveLevel, words: int) -> Floats:
        """Return (q,) the largest share of each question's words in a best chunk; 1 without words.

        Args:
            bm25: (q, n) of the level.
            words: size of the vocabulary.
        """
        total = np.bincount(self.of, self.letters, self.questions)
        if not len(level):
            return np.ones(self.questions, np.float32)
        best = np.zeros(self.questions)
        count = min(BEST_HITS, bm25.shape[1])
        tops = np.argpartition(bm25, bm25.shape[1] - count, axis=1)[:, bm25.shape[1] - count :]
        flags = np.zeros(len(level), np.bool_)
        flags[tops.ravel()] = True
        in_tops = flags[level.occurrences.chunk]
        codes = np.unique(level.occurrences.chunk[in_tops] * words + level.occurrences.term[in_tops])
        for column in tops.T:
            present = np.isin(column[self.question] * words + self.term, codes) & (self.term >= 0)
            present &= bm25[self.question, column[self.question]] > 0
            matched_words = np.bincount(self.word, present, len(self.letters)) > 0
            best = np.maximum(best, np.bincount(self.of, self.letters * matched_words, self.questions))
        return np.where(total > 0, best / np.maximum(total, 1), 1.0).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class IdentifierPlaces:
    """Places of the questions' identifiers in the documents, located once."""

    names: Mapping[int, QueryIdentifiers]
    """Identifiers by question."""
    places: Mapping[tuple[int, int], Sequence[tuple[int, float, int, int]]]
    """By question and document: number, level, start and end of each occurrence."""
    _prefixes: dict[str, Floats] = field(default_factory=dict)
    """Cache by prefix: levels of the identifiers of all questions, one after the other."""

    @classmethod
    def of(cls, queries: Sequence[QueryParts], texts: Sequence[str]) -> IdentifierPlaces:
        """Locate the identifiers of questions in the texts of all documents."""
        every = {row: QueryIdentifiers.of(query) for row, query in enumerate(queries)}
        names = {row: one for row, one in every.items() if one.names}
        rows = dict[tuple[int, int], list[tuple[int, float, int, int]]]()
        for number, text in enumerate(texts if names else ()):
            folded = fold_with_offsets(text)
            rows |= {(row, number): some for row, one in names.items() if (some := list(one.places(folded)))}
        return cls(names, rows)

    def shares(self, split: SplitDocuments) -> dict[int, Floats]:
        """Return for each question with identifiers their (n,) share in the chunks, prefixes included."""
        chunks = split.chunks
        levels = {row: np.zeros((len(one.names), len(chunks)), np.float32) for row, one in self.names.items()}
        firsts = np.searchsorted(chunks.document, np.arange(len(split.boundaries) + 1))
        for (row, document), some in self.places.items():
            low, high = firsts[document], firsts[document + 1]
            for number, level, start, end in some:
                first = low + np.searchsorted(chunks.ends[low:high], end)
                after = low + np.searchsorted(chunks.starts[low:high], start, side="right")
                own = levels[row][number, first:after]
                np.maximum(own, np.float32(level), out=own)
        prefixes = [prefix for bounds in split.boundaries for prefix in bounds.prefixes]
        if self.names and prefixes:
            kinds = {prefix: number for number, prefix in enumerate(dict.fromkeys(prefixes))}
            of_kinds = np.stack([self._in_prefix(prefix) for prefix in kinds], axis=1)
            kind = np.fromiter(map(kinds.__getitem__, prefixes), np.int64, len(prefixes))
            first = 0
            for own in levels.values():
                np.maximum(own, of_kinds[first : first + len(own), kind], out=own)
                first += len(own)
        return {row: levels[row].sum(axis=0) / np.float32(one.words) for row, one in self.names.items()}

    def _in_prefix(self, prefix: str) -> Floats:
        """Return the levels of the identifiers of all questions in a prefix, looked for once."""
        levels = self._prefixes.get(prefix)
        if levels is None:
            if len(self._prefixes) >= _MOST_PREFIXES:
                self._prefixes.clear()
            folded = fold(prefix).casefold()
            every = [level for one in self.names.values() for level in one.levels_in(folded)]
            levels = self._prefixes[prefix] = np.array(every, np.float32)
        return levels


@dataclass(frozen=True, slots=True, eq=False)
class Headings:
    """Word counts of all r title paths, including an empty one at the end of each document."""

    lengths: Ints
    occurrences: WordOccurrences

    @classmethod
    def joined(cls, parts: Sequence[tuple[Ints, WordOccurrences]]) -> Headings:
        """Join the counts of several documents; their rows are numbered through."""
        if not parts:
            return cls(np.zeros(0, np.int32), WordOccurrences(np.zeros(0, np.int64), np.zeros(0, np.int32)))
        chunk, term = (
            np.concatenate(column) for column in zip(*(occurrences for _, occurrences in parts), strict=True)
        )
        return cls(np.concatenate([lengths for lengths, _ in parts]), WordOccurrences(chunk, term))


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """Word counts: a row for each pair of text and word."""

    row: NDArray[np.int64]
    """Number of the text, ascending."""
    term: NDArray[np.int64]
    times: Floats
    lengths: Floats
    """(n,)"""


def query_words(questions: Sequence[Sequence[int]], words: int) -> Floats:
    """Return (q, words) the number of occurrences of each word in each question."""
    word_counts = np.zeros((len(questions), words), np.float32)
    for row, numbers in enumerate(questions):
        np.add.at(word_counts[row], list(numbers), 1.0)
    return word_counts


def word_scores(word_counts: Floats, levels: Sequence[LiveLevel], headings: Headings) -> list[Floats]:
    """Return (q, n) BM25 scores for each level; 0 without a common word.

    A chunk has the better of its text's score and its headings', which counts by `TextQuery.headings_boost`.

    Args:
        word_counts: (q, words) word counts: see `query_words`.
        levels: all levels of the index.
    """
    texts = [_count(level.occurrences, level.lengths, word_counts.shape[1]) for level in levels]
    of_text = _scored(word_counts, texts)
    used = np.bincount(np.concatenate([level.headings for level in levels]), minlength=len(headings.lengths))
    named = _count(headings.occurrences, headings.lengths, word_counts.shape[1])
    (of_heading,) = _scored(word_counts, [named], used)
    of_heading *= np.float32(TextQuery().headings_boost)
    return [np.maximum(own, of_heading[:, level.headings], out=own) for own, level in zip(of_text, levels, strict=True)]


def _count(occurrences: WordOccurrences, lengths: Ints, words: int) -> _Counted:
    codes = occurrences.chunk * words + occurrences.term
    codes.sort()
    new = np.ones(len(codes), np.bool_)
    new[1:] = codes[1:] != codes[:-1]
    first = np.flatnonzero(new)
    times = np.diff(np.append(first, len(codes))).astype(np.float32)
    row, term = np.divmod(codes[first], max(words, 1))
    return _Counted(row, term, times, lengths.astype(np.float32))


def _scored(word_counts: Floats, tables: Sequence[_Counted], often: NDArray[np.int64] | None = None) -> list[Floats]:
    """Return (q, n) BM25 scores for each table, with the word statistics of all tables together.

    Args:
        often: (n,) number of index rows for each row of the only table; None: 1 each.
    """
    words = word_counts.shape[1]
    weights = [np.ones(len(table.lengths)) if often is None else often for table in tables]
    rows = sum(float(some.sum()) for some in weights)
    length = sum(float((table.lengths * some).sum()) for table, some in zip(tables, weights, strict=True))
    if not rows or not length:
        return [np.zeros((len(word_counts), len(table.lengths)), np.float32) for table in tables]
    holding = sum(np.bincount(table.term, some[table.row], words) for table, some in zip(tables, weights, strict=True))
    rarity = np.log1p((rows - holding + 0.5) / (holding + 0.5)).astype(np.float32)
    return [_bm25(word_counts * rarity, table, np.float32(rows / length)) for table in tables]


def _bm25(counts: Floats, table: _Counted, per_length: np.float32) -> Floats:
    penalty = np.float32(_K1) * (np.float32(1 - _B) + np.float32(_B) * table.lengths * per_length)
    values = table.times * np.float32(_K1 + 1) / (table.times + penalty[table.row])
    scores = np.empty((len(counts), len(table.lengths)), np.float32)
    for first in range(0, len(table.lengths), _AT_ONCE):
        after = min(first + _AT_ONCE, len(table.lengths))
        low, high = np.searchsorted(table.row, (first, after))
        dense = np.zeros((counts.shape[1], after - first), np.float32)
        dense[table.term[low:high], table.row[low:high] - first] = values[low:high]
        np.matmul(counts, dense, out=scores[:, first:after])
    return scores

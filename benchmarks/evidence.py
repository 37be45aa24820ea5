"""Results that know where to stop: recall against tokens, with and without `search.cut` and `search.trim`.

Each question is searched once, through the product with its default settings; cut and trim are then the product's own
arithmetic on its hits, so that a grid of values costs little. The tune halves of the collections choose, the report
halves say what the choice gives, against the first five results as they are.

Other signals for the cut are compared on the tune halves: the best sentence of a hit against the best of all, by
similarity and words, and mixtures of it with the score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from benchmarks.ir_collections import COLLECTIONS, HALVES, Collection, recall
from benchmarks.kept_workspaces import built_index, kept_workspace, sources_of, tokens_of
from benchmarks.report import Row, Table
from benchmarks.spans import Span, paired_interval
from chunking import Config, search
from chunking.config import QuerySyntax
from chunking.embedding import CachedEmbedder, load_embedder
from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.query.query_terms import telling_words
from chunking.retrieval.ranking.cutoff import enough, relative_scores, sentence_runs
from chunking.retrieval.ranking.sentence_evidence import (
    LanguageText,
    evidence,
    rarity,
    scaled_similarity,
    word_shares,
)
from chunking.retrieval.results.hit_sentences import HitSentence, sentences_of
from chunking.retrieval.results.search_result import SearchResult

__all__ = ["Choice", "LeftOver", "WeighedCollection", "run"]

NAMES = ("Chroma", "Evidence Inference", "DRCD", "XQuAD en", "XQuAD zh")
TUNE, REPORT = 0, 1
SHOWN = 5
"""Results of the reference."""
DEPTHS = (5, 8, 10)
CUTS = (0.5, 0.55, 0.6, 0.65, 0.7)
TRIMS = (0.0, 0.15, 0.3, 0.5)
SIGNALS = (1.0, 0.7, 0.0)
"""Shares of the score in the evidence of a hit; its best sentence has the rest. The product's is 1."""
_DEEP = max(DEPTHS)
_MOST_LOST = 0.01
"""Recall that a choice may lose in each collection."""


class LeftOver(NamedTuple):
    """Scores of what some settings leave, by question, (questions,) each."""

    recall: np.ndarray
    iou: np.ndarray
    tokens: np.ndarray
    """Tokens of the results' text, without prefixes."""


class Choice(NamedTuple):
    """Settings of a row."""

    k: int
    cut: float = 0.0
    trim: float = 0.0
    score: float = 1.0
    """Share of the score in the evidence of a hit."""

    @property
    def words(self) -> str:
        own = f"k = {self.k}, cut {self.cut:g}, trim {self.trim:g}"
        signal = {1.0: "", 0.0: ", cut by sentences"}.get(
            self.score, f", cut by {self.score:.0%} score, rest sentences"
        )
        return f"{own}{signal}"


@dataclass(frozen=True, slots=True)
class _Hit:
    """A hit with its relative score and the evidence of its sentences."""

    doc_id: str
    start: int
    text: str
    score: float
    sentences: tuple[HitSentence, ...]
    evidence: np.ndarray
    by_words: bool
    """True if sentences were weighed by words alone."""


class WeighedCollection:
    """A collection's questions with their first ten hits, scored and with sentences weighed.

    Args:
        collection: must be at hand.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.workspace = kept_workspace(collection)
        self._names = sources_of(self.workspace)

    @cached_property
    def hits(self) -> tuple[tuple[_Hit, ...], ...]:
        """The hits of each question, best first."""
        results = self._results()
        texts = {
            sentence.text(hit.chunk.content): None
            for result in results
            if "vector" in result.weights
            for hit in result.results
            for sentence in sentences_of(hit.chunk)
        }
        vectors = dict(zip(texts, self._embedder.embed(list(texts)), strict=True))
        return tuple(self._weighed(result, vectors) for result in results)

    def measure(self, choice: Choice) -> LeftOver:
        """Score what some settings leave of the first `k` results."""
        rows = [self._scored(number, self._left(hits[: choice.k], choice)) for number, hits in enumerate(self.hits)]
        return LeftOver(*np.array(rows).T)

    def _results(self) -> list[SearchResult]:
        config = Config.from_settings({"search.k": _DEEP, "search.before": 0, "search.after": 0})
        name = built_index(self.workspace, config)
        texts = [question.text for question in self.collection.questions]
        vectors = self._embedder.embed([understand(text, QuerySyntax.PLAIN).text for text in texts], role="query")
        return [
            search(self.workspace, text, config.search, index=name, vector=vector, syntax=QuerySyntax.PLAIN)
            for text, vector in zip(texts, vectors, strict=True)
        ]

    @cached_property
    def _embedder(self) -> CachedEmbedder:
        return CachedEmbedder(load_embedder(Config().embedding), self.workspace.vectors)

    def _weighed(self, result: SearchResult, vectors: Mapping[str, np.ndarray]) -> tuple[_Hit, ...]:
        parts = understand(result.query, QuerySyntax.PLAIN)
        words = telling_words(parts, {one.chunk.language for one in result.candidates})
        weights = rarity(words, (LanguageText(one.chunk.content, one.chunk.language) for one in result.candidates))
        (query,) = self._embedder.embed([parts.text], role="query")
        scores = np.array([one.score for one in result.results])
        lowest = min((one.score for one in result.candidates), default=0.0)
        legs = [one.legs["vector"].score for one in result.candidates if "vector" in one.legs]
        floor = min((score for score in legs if score is not None), default=0.0)
        rows = []
        for one, score in zip(result.results, relative_scores(scores, lowest, scores.max(initial=lowest)), strict=True):
            sentences = sentences_of(one.chunk)
            texts = [sentence.text(one.chunk.content) for sentence in sentences]
            own_words = [LanguageText(text, one.chunk.language) for text in texts]
            shares = word_shares(words, weights, own_words) if words else None
            cosines = None
            if "vector" in result.weights:
                cosines = scaled_similarity(np.stack([vectors[text] for text in texts]) @ query, floor)
            own = np.zeros(len(texts), np.float32) if shares is None and cosines is None else evidence(shares, cosines)
            chunk = one.chunk
            rows.append(
                _Hit(
                    self._names[chunk.doc_id], chunk.start, chunk.content, float(score), sentences, own, cosines is None
                )
            )
        return tuple(rows)

    def _left(self, hits: Sequence[_Hit], choice: Choice) -> list[tuple[Span, str]]:
        """Return the spans that stay, with their texts."""
        if not hits:
            return []
        judged = np.array([one.score for one in hits])
        if choice.score < 1:
            best = np.array([one.evidence.max() for one in hits])
            sentences = best / best.max() if best.max() else np.ones(len(best))
            judged = choice.score * judged + (1 - choice.score) * sentences
            judged /= judged.max()
        stay = [one for one, stays in zip(hits, enough(judged, choice.cut), strict=True) if stays]
        starts = np.cumsum([0, *(len(one.sentences) for one in stay)])
        sparse = np.array([one.by_words for one in stay])
        runs = sentence_runs(np.concatenate([one.evidence for one in stay]), starts, trim=choice.trim, sparse=sparse)
        spans = []
        for one, start, first, after in zip(stay, starts[:-1], runs.first, runs.after, strict=True):
            low = 0 if first == start else one.sentences[int(first - start)].lead
            at_end = after - start == len(one.sentences)
            high = len(one.text) if at_end else one.sentences[int(after - start) - 1].end
            spans.append((Span(one.doc_id, one.start + low, one.start + high), one.text[low:high]))
        return spans

    def _scored(self, number: int, left: Sequence[tuple[Span, str]]) -> tuple[float, float, float]:
        question = self.collection.questions[number]
        share = recall(question, [span for span, _ in left])
        total = sum(answer.end - answer.start for answer in question.answers)
        returned = sum(span.end - span.start for span, _ in left)
        return (
            share,
            share * total / (returned + total - share * total),
            float(sum(tokens_of(text) for _, text in left)),
        )


def best(weighed: Sequence[WeighedCollection]) -> Choice | None:
    """Return the choice with the best mean IoU of those that lose little on every tune half; None without.

    It may lose at most one point of recall on any of them, and send no more tokens than five complete results on the
    mean of them: each counts alike.
    """
    bases = [one.measure(Choice(SHOWN)) for one in weighed]
    halves = [one.collection.half(TUNE) for one in weighed]
    allowed = []
    for choice in (Choice(k, cut, trim) for k in DEPTHS for cut in CUTS for trim in TRIMS):
        left = [one.measure(choice) for one in weighed]
        rows = list(zip(left, bases, halves, strict=True))
        lost = max(base.recall[half].mean() - own.recall[half].mean() for own, base, half in rows)
        tokens = np.mean([own.tokens[half].mean() / base.tokens[half].mean() for own, base, half in rows])
        if lost <= _MOST_LOST + 1e-9 and tokens <= 1:
            allowed.append((float(np.mean([own.iou[half].mean() for own, _, half in rows])), choice))
    return max(allowed)[1] if allowed else None


def run() -> Table:
    """Measure the collections at hand."""
    weighed = [WeighedCollection(COLLECTIONS[name]) for name in NAMES if COLLECTIONS[name].at_hand]
    chosen = best(weighed)
    rows = [row for one in weighed for row in _curve(one, chosen)]
    rows += [row for one in weighed for row in _signals(one)]
    said = f"Chosen on the tune halves: {chosen.words}." if chosen else "No value passed on all tune halves."
    notes = (
        "Recall and IoU in percent, tokens of the results' text: means over a half's questions;",
        f"against the first {SHOWN} results as they are; intervals: paired bootstrap, 95 %.",
        said,
    )
    return Table(f"Results that know where to stop, {Config().embedding.model}", rows, notes)


def _curve(one: WeighedCollection, chosen: Choice | None) -> Iterator[Row]:
    """Yield recall against tokens of a collection: complete results, then cut ones, then trimmed ones."""
    plain = [Choice(k) for k in (3, SHOWN, 8)]
    cut = [Choice(8, value) for value in (0.55, 0.65)]
    trimmed = [Choice(8, 0.65, trim) for trim in (0.15, 0.3)]
    choices = dict.fromkeys((*plain, *cut, *trimmed, *([chosen] if chosen else [])))
    for choice in choices:
        yield _row(one, choice, REPORT, chosen=choice == chosen)


def _signals(one: WeighedCollection) -> Iterator[Row]:
    """Yield other signals for the cut, on the tune half, which chose."""
    for share in SIGNALS:
        yield _row(one, Choice(8, 0.65, 0.0, share), TUNE)


def _row(one: WeighedCollection, choice: Choice, which: int, *, chosen: bool = False) -> Row:
    half, base, own = one.collection.half(which), one.measure(Choice(SHOWN)), one.measure(choice)
    mean, low, high = paired_interval(own.recall[half], base.recall[half])
    tokens, full = own.tokens[half].mean(), base.tokens[half].mean()
    return Row(
        f"{one.collection.name}, {HALVES[which]}: {choice.words}{', chosen' if chosen else ''}",
        f"recall {100 * own.recall[half].mean():.1f}, IoU {100 * own.iou[half].mean():.1f}",
        f"{tokens:.0f} of {full:.0f} tokens",
        f"recall {100 * mean:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})",
        "≥ -1 at no more tokens" if chosen else "",
        bool(mean >= -_MOST_LOST - 1e-9 and tokens <= full) if chosen else None,
    )


if __name__ == "__main__":
    print(run().markdown())

"""Results that know where to stop: recall against tokens, with and without `search.cut` and `search.trim`.

Each question is searched once, through the product with its default settings; its hits' sentences are weighed by the
product's own functions. Cut and trim are then arithmetic, so that a grid of values costs little. The tune halves of the
collections choose, the report halves say what the choice gives, against the first five results as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from benchmarks.ir_collections import COLLECTIONS, HALVES, Collection, recall
from benchmarks.measured_searches import KEPT
from benchmarks.report import Row, Table
from benchmarks.spans import Span, paired_interval
from chunking import Config, Workspace, add_files, build_index, search
from chunking.config import QuerySyntax
from chunking.embedding import CachedEmbedder, load_embedder
from chunking.embedding.model_folder import find_model
from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.ranking.cutoff import decide
from chunking.retrieval.ranking.sentence_evidence import evidence, rarity, telling_words, word_shares
from chunking.retrieval.results.hit_sentences import HitSentence, sentences_of
from chunking.retrieval.results.search_result import Result, SearchResult
from chunking.splitting import TokenCounter, token_counter

__all__ = ["Kept", "WeighedCollection", "run"]

NAMES = ("Chroma", "Evidence Inference", "DRCD", "XQuAD en", "XQuAD zh")
TUNE, REPORT = 0, 1
SHOWN = 5
"""Results of the reference."""
DEPTHS = (8, 10)
CUTS = (0.0, 0.4, 0.5, 0.6, 0.7, 0.8)
TRIMS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5)
_DEEP = max(DEPTHS)
_MOST_LOST = 0.01
"""Recall that the choice may lose in each collection."""


class Kept(NamedTuple):
    """Scores of some settings by question, (questions,) each."""

    recall: np.ndarray
    iou: np.ndarray
    tokens: np.ndarray
    """Tokens of what is left of the results, without prefixes."""


@dataclass(frozen=True, slots=True)
class _Hit:
    """A hit with the evidence of its sentences."""

    doc_id: str
    start: int
    end: int
    text: str
    sentences: tuple[HitSentence, ...]
    scores: np.ndarray


class WeighedCollection:
    """A collection's questions with their first ten hits, sentences weighed.

    Args:
        collection: must be at hand.
        mix: share of similarity in the evidence; None: the product's.
    """

    def __init__(self, collection: Collection, mix: float | None = None) -> None:
        self.collection, self.mix = collection, mix
        self.workspace = Workspace.open(KEPT / collection.name.replace(" ", "_"))
        add_files(self.workspace, [collection.folder])
        self._names: dict[str, str] = {row.doc_id: row.source for row in self.workspace.documents()}

    @cached_property
    def results(self) -> tuple[SearchResult, ...]:
        """Searches of all questions."""
        config = Config.from_settings({"search.k": _DEEP, "search.before": 0, "search.after": 0})
        name = config.fingerprint()
        if name not in {row.name for row in self.workspace.indexes()}:
            build_index(self.workspace, config, name=name)
        texts = [question.text for question in self.collection.questions]
        queries = [understand(text, QuerySyntax.PLAIN).text for text in texts]
        vectors = self._embedder.embed(queries, role="query")
        return tuple(
            search(self.workspace, text, config.search, index=name, vector=vector, syntax=QuerySyntax.PLAIN)
            for text, vector in zip(texts, vectors, strict=True)
        )

    @cached_property
    def hits(self) -> tuple[tuple[_Hit, ...], ...]:
        """The hits of each question, best first."""
        sentences = {
            (result.chunk.chunk_id): sentences_of(result.chunk) for one in self.results for result in one.results
        }
        texts = {
            sentence.text(result.chunk.content): None
            for one in self.results
            for result in one.results
            for sentence in sentences[result.chunk.chunk_id]
        }
        vectors = dict(zip(texts, self._embedder.embed(list(texts)), strict=True))
        return tuple(self._weighed(one, sentences, vectors) for one in self.results)

    @cached_property
    def _embedder(self) -> CachedEmbedder:
        return CachedEmbedder(load_embedder(Config().embedding), self.workspace.vectors)

    def _weighed(
        self, result: SearchResult, sentences: Mapping[str, tuple[HitSentence, ...]], vectors: Mapping[str, np.ndarray]
    ) -> tuple[_Hit, ...]:
        parts = understand(result.query, QuerySyntax.PLAIN)
        words = telling_words(parts)
        weights = rarity(words, (one.chunk.content for one in result.candidates))
        (query,) = self._embedder.embed([parts.text], role="query")
        rows = []
        for one in result.results:
            own = sentences[one.chunk.chunk_id]
            texts = [sentence.text(one.chunk.content) for sentence in own]
            shares = word_shares(words, weights, texts) if words else None
            cosines = np.stack([vectors[text] for text in texts]) @ query if "vector" in result.weights else None
            rows.append(self._hit(one, own, self._evidence(shares, cosines)))
        return tuple(rows)

    def _evidence(self, shares: np.ndarray | None, cosines: np.ndarray | None) -> np.ndarray:
        if self.mix is None or shares is None or cosines is None:
            return evidence(shares, cosines)
        mixed: np.ndarray = self.mix * np.clip(cosines, 0, 1) + (1 - self.mix) * shares
        return mixed.astype(np.float32)

    def _hit(self, one: Result, sentences: tuple[HitSentence, ...], scores: np.ndarray) -> _Hit:
        chunk = one.chunk
        return _Hit(self._names[chunk.doc_id], chunk.start, chunk.end, chunk.content, sentences, scores)

    def measure(self, k: int, cut: float = 0.0, trim: float = 0.0) -> Kept:
        """Score the first `k` results, cut and trimmed."""
        rows = [self._scored(number, self._kept(hits[:k], cut, trim)) for number, hits in enumerate(self.hits)]
        return Kept(*np.array(rows).T)

    def _kept(self, hits: Sequence[_Hit], cut: float, trim: float) -> list[tuple[Span, str]]:
        """Return the spans that stay, with their texts."""
        if not hits:
            return []
        starts = np.cumsum([0, *(len(one.sentences) for one in hits)])
        scores = np.concatenate([one.scores for one in hits])
        cutoff = decide(scores, starts, np.zeros(len(hits), np.int64), cut=cut, trim=trim)
        spans = []
        for row, one in enumerate(hits):
            if cutoff.enough[row]:
                first, after = int(cutoff.first[row] - starts[row]), int(cutoff.after[row] - starts[row])
                low = 0 if first == 0 else one.sentences[first].lead
                high = len(one.text) if after == len(one.sentences) else one.sentences[after - 1].end
                spans.append((Span(one.doc_id, one.start + low, one.start + high), one.text[low:high]))
        return spans

    def _scored(self, number: int, kept: Sequence[tuple[Span, str]]) -> tuple[float, float, float]:
        question = self.collection.questions[number]
        share = recall(question, [span for span, _ in kept])
        total = sum(answer.end - answer.start for answer in question.answers)
        returned = sum(span.end - span.start for span, _ in kept)
        return share, share * total / (returned + total - share * total), float(sum(_count(text) for _, text in kept))


@lru_cache(maxsize=500_000)
def _count(text: str) -> int:
    return _counter().count(text)


@lru_cache
def _counter() -> TokenCounter:
    return token_counter(find_model(Config().embedding.model).path)


class Choice(NamedTuple):
    """Settings of a row."""

    k: int
    cut: float
    trim: float

    @property
    def words(self) -> str:
        return f"k = {self.k}, cut {self.cut:g}, trim {self.trim:g}"


def choices() -> Iterator[Choice]:
    """Yield the grid."""
    for k in DEPTHS:
        for cut in CUTS:
            for trim in TRIMS:
                if cut or trim:
                    yield Choice(k, cut, trim)


def best(weighed: Sequence[WeighedCollection]) -> Choice | None:
    """Return the choice with the best mean IoU of those that lose little on every tune half; None without.

    It may send no more tokens than five complete results on any of them, and lose at most one point of recall.
    """
    allowed = []
    for choice in choices():
        ious = []
        for one in weighed:
            half = one.collection.half(TUNE)
            base, kept = one.measure(SHOWN), one.measure(*choice)
            if kept.recall[half].mean() < base.recall[half].mean() - _MOST_LOST:
                break
            if kept.tokens[half].mean() > base.tokens[half].mean():
                break
            ious.append(kept.iou[half].mean())
        else:
            allowed.append((float(np.mean(ious)), choice))
    return max(allowed)[1] if allowed else None


def run() -> Table:
    """Measure the collections at hand."""
    weighed = [WeighedCollection(COLLECTIONS[name]) for name in NAMES if COLLECTIONS[name].at_hand]
    chosen = best(weighed)
    rows = [row for one in weighed for row in _curve(one, chosen)]
    said = f"Chosen on the tune halves: {chosen.words}." if chosen else "No value passed on all tune halves."
    notes = (
        f"Recall and IoU in percent and tokens of the results' text, means over the questions of the report halves; "
        f"against the first {SHOWN} results as they are; intervals: paired bootstrap, 95 %. {said}",
    )
    return Table("Results that know where to stop, all-MiniLM-L6-v2", rows, notes)


def _curve(one: WeighedCollection, chosen: Choice | None) -> Iterator[Row]:
    """Yield recall against tokens of a collection: complete results, and cut and trimmed ones."""
    half = one.collection.half(REPORT)
    base = one.measure(SHOWN)
    plain = [Choice(k, 0.0, 0.0) for k in (1, 3, SHOWN, *DEPTHS)]
    shaped = [Choice(10, cut, trim) for cut, trim in ((0.8, 0.5), (0.7, 0.25), (0.6, 0.0), (0.6, 0.15), (0.5, 0.15))]
    for choice in (*plain, *shaped, *([chosen] if chosen else [])):
        kept = one.measure(*choice)
        mean, low, high = paired_interval(kept.recall[half], base.recall[half])
        is_chosen = choice == chosen
        yield Row(
            f"{one.collection.name}, {HALVES[REPORT]}: {choice.words}{', chosen' if is_chosen else ''}",
            f"recall {100 * kept.recall[half].mean():.1f}, IoU {100 * kept.iou[half].mean():.1f}",
            f"{kept.tokens[half].mean():.0f} of {base.tokens[half].mean():.0f} tokens",
            f"recall {100 * mean:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})",
            "≥ -1 at no more tokens" if is_chosen else "",
            bool(mean >= -_MOST_LOST and kept.tokens[half].mean() <= base.tokens[half].mean()) if is_chosen else None,
        )


if __name__ == "__main__":
    print(run().markdown())

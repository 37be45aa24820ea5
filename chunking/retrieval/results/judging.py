"""Judge the results of a search by the evidence of their sentences: leave some out, trim the others.

The sentences of all results are embedded in one call of the model, and each once in a process; no storage is asked.
Results of parents may have hundreds of sentences: only the most promising ones are embedded then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chunking.config import SearchConfig
from chunking.model import Span
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.ranking.cutoff import Cutoff, decide
from chunking.retrieval.ranking.sentence_evidence import (
    HitEvidence,
    SearchEvidence,
    basis_of,
    evidence,
    rarity,
    telling_words,
    word_shares,
)
from chunking.retrieval.results.citation import cite
from chunking.retrieval.results.hit_sentences import HitSentence, sentences_of
from chunking.retrieval.results.search_result import Result
from chunking.text.byte_caches import MB, ByteCache

if TYPE_CHECKING:
    from chunking.embedding import Embedder

__all__ = ["MOST_EMBEDDED", "JudgedResults", "Similarity", "judge", "sentence_similarity"]

Floats = NDArray[np.float32]
Similarity = Callable[[Sequence[str]], Floats]
"""Returns the (n,) cosine similarities of sentences and the query."""

MOST_EMBEDDED = 400
"""Maximum sentences of a search that are embedded: those with most words of the query; others have similarity 0."""

_vectors: ByteCache[Floats] = ByteCache(f"{__name__}.sentence_similarity", 48 * MB, holds_text=False)
"""Vectors of sentences by their key: 30,000 of 384 numbers, enough for the questions of an evaluation."""


@dataclass(frozen=True, slots=True)
class JudgedResults:
    """Results that stay, and those left out."""

    results: tuple[Result, ...]
    """Results that stay, trimmed, ranked from 1."""
    left_out: tuple[Result, ...] = ()
    """Results with too little evidence, untrimmed, with their ranks among all."""
    evidence: SearchEvidence | None = None
    """How they were judged; None if they were not."""


def judge(
    results: Sequence[Result],
    parts: QueryParts,
    config: SearchConfig,
    texts: Iterable[str],
    similarity: Similarity | None,
) -> JudgedResults:
    """Judge results by the settings `cut` and `trim`.

    All results stay complete if both are off, or if the query offers nothing to judge by: neither telling words nor a
    vector, or a match of its characters.

    Args:
        results: best first.
        parts: the query.
        texts: of all candidates, which say how rare a word is.
        similarity: of sentences and the query; None without vectors.
    """
    words = telling_words(parts)
    basis = basis_of(words=bool(words), vectors=similarity is not None)
    if not config.weighs_sentences or basis is None or not results or any(result.exact for result in results):
        return JudgedResults(tuple(results))
    sentences = [sentences_of(result.chunk) for result in results]
    starts = np.cumsum([0, *map(len, sentences)])
    in_order = [
        one.text(result.chunk.content or result.chunk.summary)
        for result, some in zip(results, sentences, strict=True)
        for one in some
    ]
    shares = word_shares(words, rarity(words, texts), in_order) if words else None
    cosines = None if similarity is None else _similarities(in_order, shares, similarity)
    total = evidence(shares, cosines)
    cutoff = decide(total, starts, np.zeros(len(results), np.int64), cut=config.cut, trim=config.trim)
    judged = [
        _judged(result, some, row, int(starts[row]), cutoff, shares, cosines)
        for row, (result, some) in enumerate(zip(results, sentences, strict=True))
    ]
    enough = [result for result, stays in zip(judged, cutoff.enough.tolist(), strict=True) if stays]
    left_out = [
        replace(result, evidence=one.evidence)
        for result, one, stays in zip(results, judged, cutoff.enough.tolist(), strict=True)
        if not stays
    ]
    return JudgedResults(
        tuple(replace(result, rank=rank) for rank, result in enumerate(enough, start=1)),
        tuple(left_out),
        SearchEvidence(
            basis,
            best=float(cutoff.scores.max()),
            threshold=float(cutoff.thresholds[0]),
            judged=len(results),
            enough=len(enough),
            trimmed=sum(result.trimmed is not None for result in enough),
        ),
    )


def _similarities(sentences: Sequence[str], shares: Floats | None, similarity: Similarity) -> Floats:
    """Return (n,) similarities; 0 for those that are not embedded, as there are too many."""
    if len(sentences) <= MOST_EMBEDDED:
        return similarity(sentences)
    promise = np.zeros(len(sentences), np.float32) if shares is None else shares
    chosen = np.sort(np.argsort(-promise, kind="stable")[:MOST_EMBEDDED])
    cosines = np.zeros(len(sentences), np.float32)
    cosines[chosen] = similarity([sentences[number] for number in chosen.tolist()])
    return cosines


def _judged(
    result: Result,
    sentences: Sequence[HitSentence],
    row: int,
    start: int,
    cutoff: Cutoff,
    shares: Floats | None,
    cosines: Floats | None,
) -> Result:
    """Return a result with its evidence and the span that stays."""
    best, first, after = (int(column[row]) - start for column in (cutoff.best, cutoff.first, cutoff.after))
    chunk = result.chunk
    offset = chunk.start if chunk.content else 0
    span, before, behind = _remaining(sentences, first, after, len(chunk.content))
    low, high = span
    judged = HitEvidence(
        score=float(cutoff.scores[row]),
        words=None if shares is None else float(shares[start + best]),
        similarity=None if cosines is None else max(float(cosines[start + best]), 0.0),
        sentence=Span(offset + sentences[best].start, offset + sentences[best].end),
        threshold=float(cutoff.thresholds[row]),
        best=float(cutoff.scores.max()),
        sentences=len(sentences),
        remaining=sum(low <= one.start and one.end <= high for one in sentences) if chunk.content else len(sentences),
    )
    if not chunk.content or (before and behind):
        return replace(result, evidence=judged)
    neighbours = tuple(one for one in result.neighbours if (before if one.start < chunk.start else behind))
    trimmed = replace(
        result, evidence=judged, trimmed=Span(chunk.start + low, chunk.start + high), neighbours=neighbours
    )
    return replace(trimmed, citation=cite(trimmed.part))


def _remaining(sentences: Sequence[HitSentence], first: int, after: int, length: int) -> tuple[Span, bool, bool]:
    """Return the span of a run of sentences, and whether it reaches the start and the end of the text.

    Only there do the neighbours of the text continue it.
    """
    start, end = sentences[first].lead, sentences[after - 1].end
    before, behind = start <= sentences[0].start, after == len(sentences)
    return Span(0 if before else start, length if behind else end), before, behind


# -- similarity of sentences


def sentence_similarity(embedder: Embedder, vector: Floats, load: Callable[[], None]) -> Similarity:
    """Return a function that compares sentences with a query; new ones are embedded in one call.

    Args:
        embedder: the model of the query.
        vector: (d,) the query's.
        load: called before a call of the model, to load it.
    """

    def similarities(sentences: Sequence[str]) -> Floats:
        keys = {text: embedder.cache_key(text) for text in dict.fromkeys(sentences)}
        rows = {text: row for text, key in keys.items() if (row := _vectors.get(key)) is not None}
        missing = [text for text in keys if text not in rows]
        if missing:
            load()
            for text, row in zip(missing, embedder.embed(missing), strict=True):
                rows[text] = row
                _vectors.put(embedder.cache_key(text), row.copy())  # a row keeps its whole batch in memory
        cosines: Floats = np.stack([rows[text] for text in sentences]) @ vector
        return cosines

    return similarities

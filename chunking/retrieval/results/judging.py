"""Judge the results of a search: leave out those far below the best, trim the others.

Leaving out compares scores, and costs nothing. For trimming, the sentences of all results that stay are embedded in
one call of the model, and each once in a process; no storage is asked. Results of parents may have hundreds of
sentences: only the most promising ones are embedded then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import SearchConfig
from chunking.model import Span
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.query.query_terms import telling_words
from chunking.retrieval.ranking.cutoff import comparable, enough, relative_scores, sentence_runs
from chunking.retrieval.ranking.sentence_evidence import (
    EvidenceBasis,
    HitEvidence,
    LanguageText,
    SearchEvidence,
    SentenceEvidence,
    basis_of,
    evidence,
    rarity,
    scaled_similarity,
    word_shares,
)
from chunking.retrieval.results.citation import cite
from chunking.retrieval.results.hit_sentences import HitSentence, sentences_of
from chunking.retrieval.results.search_result import Result
from chunking.text.byte_caches import MB, ByteCache

if TYPE_CHECKING:
    from chunking.embedding import Embedder

__all__ = ["MOST_EMBEDDED", "Candidates", "JudgedResults", "Similarity", "judge", "sentence_similarity"]

Floats = NDArray[np.float32]
Similarity = Callable[[Sequence[str]], Floats]
"""Returns the (n,) cosine similarities of sentences and the query."""

_EXACT = "These hits contain exactly the characters of the query and have no scores, so nothing is cut or trimmed."
_FEW = "{candidates} candidates are too few to compare results with, so none is left out."
_NO_SENTENCES = "Nothing is trimmed: the query has no telling word and no vector that sentences could be compared with."

MOST_EMBEDDED = 400
"""Maximum sentences of a search that are embedded: those with most words of the query; others have similarity 0."""

_vectors: ByteCache[Floats] = ByteCache(f"{__name__}.sentence_similarity", 48 * MB, holds_text=False)
"""Vectors of sentences by their key: 30,000 of 384 numbers, enough for the questions of an evaluation."""


class Candidates(NamedTuple):
    """Scores and texts of all candidates of a search."""

    scores: Sequence[float]
    texts: Iterable[LanguageText]
    """Texts, which say how rare a word is; read only for trimming."""
    languages: Collection[str]
    """Languages of the documents searched."""
    lowest_cosine: float = 0.0
    """Lowest cosine similarity that the vector leg found; 0 without that leg."""


@dataclass(frozen=True, slots=True)
class JudgedResults:
    """Results that stay, and those left out."""

    results: tuple[Result, ...]
    """Results that stay, trimmed, ranked from 1."""
    left_out: tuple[Result, ...] = ()
    """Results with too little evidence, untrimmed, with their ranks among all."""
    evidence: SearchEvidence | None = None
    """How they were judged; None if they were not."""
    notes: tuple[str, ...] = ()
    """Sentences for the user about a judgement that was not possible."""


def judge(
    results: Sequence[Result],
    parts: QueryParts,
    config: SearchConfig,
    candidates: Candidates,
    similarity: Similarity | None,
) -> JudgedResults:
    """Judge results by the settings `cut` and `trim`.

    All stay if they match the query's characters only, which have no scores; none is left out among few candidates.

    Args:
        results: best first.
        parts: the query.
        candidates: what results are compared with.
        similarity: of sentences and the query; None without vectors.
    """
    if not config.judges or not results:
        return JudgedResults(tuple(results))
    if any(result.exact for result in results):
        return JudgedResults(tuple(results), notes=(_EXACT,))
    cut = config.cut if comparable(len(candidates.scores), config.k) else 0.0
    scores = np.array([result.score for result in results])
    relative = relative_scores(scores, min(candidates.scores), float(scores.max()))
    stays = enough(relative, cut).tolist()
    judged = [
        replace(result, evidence=HitEvidence(score, cut))
        for result, score in zip(results, relative.tolist(), strict=True)
    ]
    remaining = [result for result, own in zip(judged, stays, strict=True) if own]
    trimmed, basis = (
        _trimmed(remaining, parts, config.trim, candidates, similarity) if config.trim else (remaining, None)
    )
    notes = [
        *([_FEW.format(candidates=len(candidates.scores))] if config.cut and not cut else []),
        *([_NO_SENTENCES] if config.trim and basis is None else []),
    ]
    return JudgedResults(
        tuple(replace(result, rank=rank) for rank, result in enumerate(trimmed, start=1)),
        tuple(result for result, own in zip(judged, stays, strict=True) if not own),
        SearchEvidence(
            threshold=cut,
            judged=len(results),
            enough=len(trimmed),
            trimmed=sum(result.trimmed is not None for result in trimmed),
            basis=basis,
        ),
        tuple(notes),
    )


# -- trimming


def _trimmed(
    results: Sequence[Result],
    parts: QueryParts,
    trim: float,
    candidates: Candidates,
    similarity: Similarity | None,
) -> tuple[list[Result], EvidenceBasis | None]:
    """Return results trimmed around their best sentences, and what the evidence of sentences consists of.

    Nothing is trimmed if a query has neither telling words nor a vector.
    """
    words = telling_words(parts, candidates.languages)
    basis = basis_of(words=bool(words), vectors=similarity is not None)
    if basis is None:
        return list(results), None
    sentences = [sentences_of(result.chunk) for result in results]
    starts = np.cumsum([0, *map(len, sentences)])
    in_order = [
        LanguageText(one.text(result.chunk.content or result.chunk.summary), result.chunk.language)
        for result, some in zip(results, sentences, strict=True)
        for one in some
    ]
    shares = word_shares(words, rarity(words, candidates.texts), in_order) if words else None
    cosines = None if similarity is None else _similarities([one.text for one in in_order], shares, similarity)
    scaled = None if cosines is None else scaled_similarity(cosines, candidates.lowest_cosine)
    scores = evidence(shares, scaled)
    runs = sentence_runs(scores, starts, trim=trim, sparse=basis is EvidenceBasis.WORDS)
    rows = zip(results, sentences, starts[:-1].tolist(), runs.best, runs.first, runs.after, strict=True)
    return [
        _trimmed_to(
            result,
            some,
            _Run(int(best) - start, int(first) - start, int(after) - start),
            float(scores[best]),
            None if shares is None else float(shares[best]),
            None if cosines is None else max(float(cosines[best]), 0.0),
        )
        for result, some, start, best, first, after in rows
    ], basis


class _Run(NamedTuple):
    """Run of a hit's sentences that stays."""

    best: int
    first: int
    after: int


def _trimmed_to(
    result: Result,
    sentences: Sequence[HitSentence],
    run: _Run,
    score: float,
    words: float | None,
    similarity: float | None,
) -> Result:
    """Return a result with the evidence of its best sentence and the span that stays."""
    chunk, own = result.chunk, result.evidence
    assert own is not None  # judged by its score before
    offset = chunk.start if chunk.content else 0
    (low, high), before, behind = _remaining(sentences, run.first, run.after, len(chunk.content))
    inside = sum(low <= one.start and one.end <= high for one in sentences) if chunk.content else len(sentences)
    best = sentences[run.best]
    span = Span(offset + best.start, offset + best.end)
    judged = replace(own, sentence=SentenceEvidence(score, words, similarity, span, len(sentences), inside))
    if chunk.content and similarity and not result.highlights:
        result = replace(result, highlights=(span,))
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


def _similarities(sentences: Sequence[str], shares: Floats | None, similarity: Similarity) -> Floats:
    """Return (n,) similarities; 0 for those that are not embedded, as there are too many."""
    if len(sentences) <= MOST_EMBEDDED:
        return similarity(sentences)
    promise = np.zeros(len(sentences), np.float32) if shares is None else shares
    chosen = np.sort(np.argsort(-promise, kind="stable")[:MOST_EMBEDDED])
    cosines = np.zeros(len(sentences), np.float32)
    cosines[chosen] = similarity([sentences[number] for number in chosen.tolist()])
    return cosines


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

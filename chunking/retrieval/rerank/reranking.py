"""Rerankers of the first candidates, as a table; each adds a step to their scores.

| look | asks | costs |
|---|---|---|
| title | do the headings hold the query's words? | nothing |
| late_interaction | does each token of the query meet one like it? (MaxSim) | the model, once a candidate |
| cross_encoder | does a model that reads both together find them to fit? | a larger model, each time |
| diversity | is it not said by a result above already? (MMR) | one storage call |

A look that scores by itself is standardised over the candidates and counts as much as everything before it: its
deviation
is made that of the scores it is added to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from chunking.config.choices import Rerank
from chunking.model import Chunk
from chunking.retrieval.ranking.fused_hits import Addition, Fused
from chunking.retrieval.ranking.fusion import deviations, standardised
from chunking.retrieval.ranking.readability import unreadable
from chunking.retrieval.rerank.diversity import most_diverse
from chunking.retrieval.results.highlights import Terms, word_stem, words_of
from chunking.retrieval.search_request import Candidates, SearchRequest, Trace
from chunking.text.folding import fold

if TYPE_CHECKING:
    from chunking.embedding import LocalEmbedder
    from chunking.embedding.rerankers.late_interaction import LateInteraction

__all__ = ["RERANKERS", "Reranker", "reranked", "title_share"]

Scores = Sequence[float]


@dataclass(frozen=True, slots=True)
class Reranker:
    """A way to reorder the first candidates."""

    name: Rerank
    """With its label, and its line in the help text of the setting."""
    rerank: Callable[[SearchRequest, Trace, Candidates], list[Fused]]
    """The candidates with what it adds to their scores, in any order."""
    stage: str
    """What the stage of a search, and the step of a score, are called on screen."""
    good_for: str
    """Which questions or collections it suits, as the end of a sentence."""
    cost: str = "none"
    """What a user feels of it."""
    settings: tuple[str, ...] = ()
    """Names of search settings that say nothing without it."""
    asks_model: bool = False
    """A model is asked for each question, and takes all processors by itself."""
    index_model: bool = False
    """That model is the one whose vectors the index holds."""


def reranked(request: SearchRequest, trace: Trace, ranked: Candidates) -> Candidates:
    """The candidates after all requested reranking steps, best first.

    Only the first `rerank_depth` are looked at, at least as many as are shown; those behind stay where they are. Hits
    that hold the
    query's characters are left as they are: there is nothing to tell them apart by.
    """
    depth = max(request.config.rerank_depth, request.config.k)
    first, rest = ranked.hits[:depth], ranked.hits[depth:]
    for name, row in RERANKERS.items():
        if name in request.config.rerank and len(first) > 1 and not ranked.exact:
            looked = trace.timed(
                name.value, "rerank", partial(row.rerank, request, trace, replace(ranked, hits=first)), len
            )
            first = tuple(sorted(looked, key=lambda hit: (-hit.score, hit.chunk_id)))
    return replace(ranked, hits=(*first, *rest))


def _title(request: SearchRequest, _trace: Trace, ranked: Candidates) -> list[Fused]:
    """Headings that hold words of the query."""
    weight = request.config.title_boost * _deviation([hit.score for hit in ranked.hits])
    shares = [title_share(ranked.chunks[hit.chunk_id], ranked.terms) for hit in ranked.hits]

    def because(share: float) -> str:
        return f"The headings contain {share:.0%} of the query's words, × {weight:.2f} = {weight * share:+.2f}."

    rows = zip(ranked.hits, shares, strict=True)
    return [hit.plus(Addition("title", weight * share, partial(because, share))) for hit, share in rows]


def title_share(chunk: Chunk, wanted: Terms) -> float:
    """Share of the query's telling words (of a script without spaces: pairs of characters) that stand in a chunk's
    headings, 0 to 1.
    """
    folded = fold(text := "\n".join(chunk.title_path))
    stems = {word_stem(word) for word in words_of(text)}
    shortest = min(map(len, wanted.grams), default=0)
    grams = [gram for gram in wanted.grams if len(gram) == shortest]
    matched = len(wanted.stems & stems) + sum(gram in folded for gram in grams)
    return matched / (len(wanted.stems) + len(grams)) if wanted.stems or grams else 0.0


def _late_interaction(request: SearchRequest, trace: Trace, ranked: Candidates) -> list[Fused]:
    """Token by token, with the states of the model that made the vectors."""
    from chunking.embedding import LocalEmbedder

    model, name = request.model(), request.index.config.embedding.model
    if not isinstance(model, LocalEmbedder):
        trace.note(
            f"Late interaction needs token embeddings from a model on this machine; {name} gives none, so it "
            f"was skipped."
        )
        return list(ranked.hits)
    if unreadable(request.index.config.embedding, request.query.text):
        trace.note(f"{name} cannot read this query, so late interaction was skipped.")
        return list(ranked.hits)
    scores = _interaction(model).scores(request.query.text, _texts(ranked))
    return _added("late_interaction", "Late interaction", ranked.hits, [float(score) for score in scores])


@lru_cache(maxsize=4)
def _interaction(embedder: LocalEmbedder) -> LateInteraction:
    """One an embedder and process: it remembers the texts that it has read."""
    from chunking.embedding.rerankers.late_interaction import LateInteraction

    return LateInteraction(embedder)


def _cross_encoder(request: SearchRequest, _trace: Trace, ranked: Candidates) -> list[Fused]:
    """Query and text read together.

    Raises:
        ModelError: the weights are not at hand.
    """
    from chunking.embedding.rerankers.cross_encoder import load_cross_encoder

    model = load_cross_encoder(
        request.config.rerank_model, allow_download=request.index.config.embedding.allow_download
    )
    scores = model.scores(request.query.text, _texts(ranked))
    return _added("cross_encoder", "Cross-encoder", ranked.hits, [float(score) for score in scores])


def _diversity(request: SearchRequest, _trace: Trace, ranked: Candidates) -> list[Fused]:
    """Maximal marginal relevance, over the vectors of the index."""
    vectors = request.index.vectors_by_id([hit.chunk_id for hit in ranked.hits])
    return most_diverse(ranked.hits, vectors, request.config.diversity)


RERANKERS: Mapping[Rerank, Reranker] = {
    row.name: row
    for row in (
        Reranker(
            Rerank.TITLE,
            _title,
            stage="headings",
            good_for="questions that name a section",
            settings=("title_boost",),
        ),
        Reranker(
            Rerank.LATE_INTERACTION,
            _late_interaction,
            stage="late interaction",
            good_for="precise questions, matched token by token",
            cost="the candidates pass through the model once",
            asks_model=True,
            index_model=True,
        ),
        Reranker(
            Rerank.CROSS_ENCODER,
            _cross_encoder,
            stage="cross-encoder",
            good_for="the best ranking, in English",
            cost="a second model; seconds without a graphics card",
            settings=("rerank_model",),
            asks_model=True,
        ),
        Reranker(
            Rerank.DIVERSITY,
            _diversity,
            stage="diversity",
            good_for="collections with much repetition",
            settings=("diversity",),
        ),
    )
}
"""In the order in which they are taken: diversity is last, since it compares with what the others put above."""


def _texts(ranked: Candidates) -> list[str]:
    return [ranked.chunks[hit.chunk_id].embedding_content for hit in ranked.hits]


def _added(name: str, label: str, hits: Sequence[Fused], scores: Scores) -> list[Fused]:
    """Candidates with a look's scores, put on the scale of theirs."""
    scale = _deviation([hit.score for hit in hits])
    z = standardised(np.array([scores], np.float64))[0][0].tolist()

    def because(score: float, standard: float) -> str:
        return f"{label}: {score:.3f}, standardised {standard:+.2f} × {scale:.2f} = {standard * scale:+.2f}."

    return [
        hit.plus(Addition(name, standard * scale, partial(because, score, standard)))
        for hit, score, standard in zip(hits, scores, z, strict=True)
    ]


def _deviation(scores: Scores) -> float:
    """Standard deviation; 1 where the scores are all alike, so that a look decides alone."""
    return float(deviations(np.array([scores], np.float64))[0]) or 1.0

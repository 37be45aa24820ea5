"""Rerankers of the first candidates, as a table; each adds a step to their scores.

| reranker | compares | costs |
|---|---|---|
| title | do the headings hold the query's words? | nothing |
| late_interaction | does each token of the query meet one like it? (MaxSim) | the model, once a candidate |
| cross_encoder | does a model that reads both together find them to fit? | a larger model, each time |
| diversity | is it not said by a result above already? (MMR) | one storage call |

Scores of a model are standardised over the candidates and scaled to the deviation of the scores they are added to, so
they count as much as all steps before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from chunking.config.choices import Rerank
from chunking.model import Chunk
from chunking.retrieval.query.query import Query
from chunking.retrieval.query.query_terms import Terms, text_stems
from chunking.retrieval.ranking.fused_hits import Addition, Fused
from chunking.retrieval.ranking.fusion import deviations, standardised
from chunking.retrieval.ranking.ranked import Ranked
from chunking.retrieval.ranking.readability import unreadable
from chunking.retrieval.search_trace import Trace
from chunking.text.folding import fold

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import LocalEmbedder
    from chunking.embedding.rerankers import LateInteraction

__all__ = ["RERANKERS", "Reranker", "most_diverse", "rerank", "title_share"]

Scores = Sequence[float]


@dataclass(frozen=True, slots=True)
class Reranker:
    """A reranker: its function, cost, settings and texts about it."""

    name: Rerank
    """Name, with its label and its line in the help text of the setting."""
    rerank: Callable[[Query, Trace, Ranked], list[Fused]]
    """Function that adds to the scores of the candidates; any order."""
    stage: str
    """Name on screen, of the stage of a search and of the step of a score."""
    good_for: str
    """Suitable questions or collections, as the end of a sentence."""
    cost: str = "none"
    """Cost that a user notices."""
    settings: tuple[str, ...] = ()
    """Names of search settings that apply only with it."""
    asks_model: bool = False
    """True if it runs a model for each question, which occupies all processors."""
    index_model: bool = False
    """True if that model is the index's embedding model."""


def rerank(query: Query, trace: Trace, ranked: Ranked) -> Ranked:
    """Rerank the first candidates with each configured reranker, in the order of `RERANKERS`.

    Only the first `rerank_depth` candidates, at least as many as are shown, are reranked; the rest keep their places.
    Hits matched by the query's characters stay as they are: nothing distinguishes them.
    """
    depth = max(query.config.rerank_depth, query.config.k)
    first, rest = ranked.hits[:depth], ranked.hits[depth:]
    for name, row in RERANKERS.items():
        if name in query.config.rerank and len(first) > 1 and not ranked.exact:
            scored = trace.timed(
                name.value, "rerank", partial(row.rerank, query, trace, replace(ranked, hits=first)), len
            )
            first = tuple(sorted(scored, key=lambda hit: (-hit.score, hit.chunk_id)))
    return replace(ranked, hits=(*first, *rest))


def _title(query: Query, _trace: Trace, ranked: Ranked) -> list[Fused]:
    """Boost chunks whose headings contain words of the query."""
    weight = query.config.title_boost * _deviation([hit.score for hit in ranked.hits])
    shares = [title_share(ranked.chunks[hit.chunk_id], ranked.terms) for hit in ranked.hits]

    def because(share: float) -> str:
        return f"The headings contain {share:.0%} of the query's words, × {weight:.2f} = {weight * share:+.2f}."

    rows = zip(ranked.hits, shares, strict=True)
    return [hit.plus(Addition("title", weight * share, partial(because, share))) for hit, share in rows]


def title_share(chunk: Chunk, terms: Terms) -> float:
    """Return the share of the query's terms in a chunk's headings, 0 to 1.

    In scripts without spaces, terms are pairs of characters.
    """
    folded = fold(text := "\n".join(chunk.title_path))
    stems = terms.stems(chunk.language)
    shortest = min(map(len, terms.grams), default=0)
    grams = [gram for gram in terms.grams if len(gram) == shortest]
    matched = len(stems & text_stems(text, chunk.language)) + sum(gram in folded for gram in grams)
    return matched / (len(stems) + len(grams)) if stems or grams else 0.0


def _late_interaction(query: Query, trace: Trace, ranked: Ranked) -> list[Fused]:
    """Compare token by token, with the states of the index's model."""
    from chunking.embedding import LocalEmbedder

    model, name = query.model(), query.index.config.embedding.model
    if not isinstance(model, LocalEmbedder):
        trace.note(
            f"Late interaction needs token embeddings from a model on this machine; {name} gives none, so it "
            f"was skipped."
        )
        return list(ranked.hits)
    if unreadable(query.index.config.embedding, query.parts.text):
        trace.note(f"{name} cannot read this query, so late interaction was skipped.")
        return list(ranked.hits)
    trace.untimed(model.prepare)
    scores = _interaction(model).scores(query.parts.text, _texts(ranked))
    return _added("late_interaction", "Late interaction", ranked.hits, [float(score) for score in scores])


@lru_cache(maxsize=4)
def _interaction(embedder: LocalEmbedder) -> LateInteraction:
    """Return the late interaction of an embedder, cached with the texts it has read."""
    from chunking.embedding.rerankers import LateInteraction

    return LateInteraction(embedder)


def _cross_encoder(query: Query, _trace: Trace, ranked: Ranked) -> list[Fused]:
    """Score query and text together with a cross-encoder.

    Raises:
        ModelError: the weights are missing.
    """
    from chunking.embedding.rerankers import load_cross_encoder

    model = load_cross_encoder(query.config.rerank_model, allow_download=query.index.config.embedding.allow_download)
    scores = model.scores(query.parts.text, _texts(ranked))
    return _added("cross_encoder", "Cross-encoder", ranked.hits, [float(score) for score in scores])


def _diversity(query: Query, _trace: Trace, ranked: Ranked) -> list[Fused]:
    """Apply maximal marginal relevance to the vectors of the index."""
    vectors = query.index.vectors_by_id([hit.chunk_id for hit in ranked.hits])
    return most_diverse(ranked.hits, vectors, query.config.diversity)


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
"""Rerankers in the order of application: diversity compares with higher-ranked results, so it is last."""


def _texts(ranked: Ranked) -> list[str]:
    return [ranked.chunks[hit.chunk_id].embedding_content for hit in ranked.hits]


def _added(name: str, label: str, hits: Sequence[Fused], scores: Scores) -> list[Fused]:
    """Add a model's scores, scaled to those of the candidates."""
    scale = _deviation([hit.score for hit in hits])
    z = standardised(np.array([scores], np.float64))[0][0].tolist()

    def because(score: float, standard: float) -> str:
        return f"{label}: {score:.3f}, standardised {standard:+.2f} × {scale:.2f} = {standard * scale:+.2f}."

    return [
        hit.plus(Addition(name, standard * scale, partial(because, score, standard)))
        for hit, score, standard in zip(hits, scores, z, strict=True)
    ]


def _deviation(scores: Scores) -> float:
    """Return the standard deviation; 1 if all scores are equal, so that the reranker decides alone."""
    return float(deviations(np.array([scores], np.float64))[0]) or 1.0


# -- diversity: of two results that say the same the second sinks


def most_diverse(hits: Sequence[Fused], vectors: Mapping[str, np.ndarray], weight: float) -> list[Fused]:
    """Return candidates with new scores by maximal marginal relevance, best first.

    After Carbonell and Goldstein, SIGIR 1998. Weight 0 changes nothing.

    Each place goes to the candidate with the largest (1 - weight) × relevance - weight × likeness, where relevance is
    its score scaled from the least (0) to the best (1), and likeness the greatest cosine to those placed above. The
    step added to a score makes it that value, in the units of the scores; since likeness only grows, values fall with
    the rank.

    Args:
        hits: candidates, best first.
        vectors: (d,) unit vectors by id; a candidate without one is like nothing.
        weight: 0: only relevance counts; 1: only difference.
    """
    import numpy as np

    if not hits or not weight:
        return list(hits)
    width = next((len(vector) for vector in vectors.values()), 1)
    matrix = np.stack([vectors.get(hit.chunk_id, np.zeros(width, np.float32)) for hit in hits])
    scores = np.array([hit.score for hit in hits])
    least, spread = scores.min(), float(np.ptp(scores)) or 1.0
    likeness, left, ordered = np.zeros(len(hits)), list(range(len(hits))), list[Fused]()
    while left:
        values = (1 - weight) * (scores[left] - least) - weight * spread * likeness[left]
        best = left.pop(int(np.argmax(values)))
        ordered.append(_lowered(hits[best], float(scores[best] - least), float(likeness[best]), weight, spread))
        likeness = np.maximum(likeness, matrix @ matrix[best])
    return ordered


def _lowered(hit: Fused, margin: float, likeness: float, weight: float, spread: float) -> Fused:
    def because(amount: float) -> str:
        sum_ = f"{likeness:.2f} × {spread:.2f} + {margin:.2f}"
        return (
            f"Like the results above by {likeness:.2f}, {margin:.2f} over the least: -{weight:.2f} × ({sum_}) = "
            f"{amount:+.2f}."
        )

    amount = -weight * (margin + spread * likeness)
    return hit.plus(Addition("diversity", amount, partial(because, amount)))

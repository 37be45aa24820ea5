"""Weights of the legs: by what the model can read, and how much of the query full text finds.

A model reads an unknown script as [UNK] or letter by letter: all-MiniLM-L6-v2 alone finds 29 % on Chinese, full text
99 %, and their fusion at equal weight 62 %. So the share of unreadable words takes weight from the vector leg.

Where the best hits of full text have hardly a word of the query, it is in another language than the documents, or in
other words; what they share is a number or a name. So such a query takes weight from the text leg.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from chunking.config import MULTILINGUAL_MODEL, EmbeddingConfig, SearchConfig, SearchMode

__all__ = [
    "BEST_HITS",
    "FULL_COVERAGE",
    "Weighing",
    "readable_share",
    "text_share",
    "unread_share",
    "unreadable",
    "weigh",
    "weigh_by_coverage",
]

_QUERY_LIMITS = (0.1, 0.4)
"""Unread share of a query up to which vectors have full weight, and from which they have none.

One foreign name among ten words is harmless.
"""
_CORPUS_LIMITS = (0.55, 0.75)
"""Unread share of an index up to which vectors have full weight, and from which they have none.

Higher than for a query, since half of a mixed corpus may be readable; a corpus all in Russian, Arabic or Chinese
measures 0.9 or more.
"""

FULL_COVERAGE = 0.2
"""Share of the query in one of the best hits of full text from which that leg has full weight.

From 0.3 on, German questions lost up to 3 points with a model that hardly reads German.
"""
BEST_HITS = 3
"""Best hits of full text that say how much of the query it finds."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """Weights of a search's legs, and notes about them for the user."""

    weights: Mapping[str, float]
    """Weights by name of the legs worth searching; they sum to 1."""
    notes: tuple[str, ...] = ()
    reason: str = ""
    """Why full text has less weight than the setting gives it, for "Why this hit"."""


def weigh(config: SearchConfig, model: str, query_unread: float, corpus_unread: float) -> Weighing:
    """Choose legs and weights; in hybrid mode vectors lose weight on text the model cannot read.

    Args:
        config: search settings with mode and vector weight.
        model: its name, for the note.
        query_unread: share of the query's words that the model cannot read (0 to 1).
        corpus_unread: the same for the texts of the index.
    """
    if config.mode is not SearchMode.HYBRID:
        notes = _notes(model, query_unread, corpus_unread, "these results are unreliable; use full-text search")
        return Weighing({config.mode.value: 1.0}, notes if config.mode is SearchMode.VECTOR else ())
    share = min(readable_share(query_unread, _QUERY_LIMITS), readable_share(corpus_unread, _CORPUS_LIMITS))
    weight = config.vector_weight * share
    weights = {name: value for name, value in (("vector", weight), ("text", 1 - weight)) if value > 0}
    what = (
        "vector search is off"
        if share == 0
        else f"vector search has weight {weight:.2f} instead of {config.vector_weight:.2f}"
    )
    return Weighing(weights, _notes(model, query_unread, corpus_unread, what) if config.vector_weight else ())


def weigh_by_coverage(weighing: Weighing, coverage: float) -> Weighing:
    """Move weight from full text to vectors, as far as its best hits lack words of the query.

    Unchanged for a single leg, and where the model cannot read everything: then words are the better sign.

    Args:
        coverage: largest share (0 to 1) of the query's words in one of the best hits of full text.

    >>> weigh_by_coverage(Weighing({"vector": 0.4, "text": 0.6}), 0.1).weights
    {'vector': 0.7, 'text': 0.3}
    """
    text = weighing.weights.get("text", 0.0)
    share = text_share(coverage)
    if share == 1 or len(weighing.weights) < 2 or weighing.notes:
        return weighing
    weights = {"vector": round(1 - text * share, 12), "text": round(text * share, 12)}
    reason = (
        f"Full text has weight {text * share:.2f} instead of {text:.2f}, since none of its best hits contains more "
        f"than {coverage:.0%} of the query."
    )
    return replace(weighing, weights=weights, reason=reason)


def text_share(coverage: float) -> float:
    """Return the share of its weight that full text keeps.

    >>> [text_share(coverage) for coverage in (0.0, 0.1, 0.2, 1.0)]
    [0.0, 0.5, 1.0, 1.0]
    """
    return min(1.0, coverage / FULL_COVERAGE)


def unread_share(config: EmbeddingConfig, text: str) -> float:
    """Return the share of a query's words that the model cannot read; 0 for a remote model.

    Uses the tokenizer alone, so that a model that cannot read the query is never loaded.

    Raises:
        ModelError: the model is missing, and may not be downloaded.
    """
    from chunking.config import remote_name
    from chunking.embedding.model_folder import counting_folder
    from chunking.splitting.measure.token_counter import token_counter

    if remote_name(config.model) is not None:
        return 0.0
    return token_counter(counting_folder(config).path).unread_share(text)


def unreadable(config: EmbeddingConfig, text: str) -> bool:
    """True if the model reads too little of a query for vector search."""
    return readable_share(unread_share(config, text), _QUERY_LIMITS) == 0


def readable_share(unread: float, limits: tuple[float, float]) -> float:
    """Return 1 up to the first limit, 0 from the second, and a linear value between.

    >>> [readable_share(unread, (0.1, 0.4)) for unread in (0.0, 0.1, 0.25, 0.4, 1.0)]
    [1.0, 1.0, 0.5, 0.0, 0.0]
    """
    full, none = limits
    return round(min(1.0, max(0.0, (none - unread) / (none - full))), 12)


def _notes(model: str, query_unread: float, corpus_unread: float, what: str) -> tuple[str, ...]:
    rows = (("this query", query_unread, _QUERY_LIMITS), ("the texts of this index", corpus_unread, _CORPUS_LIMITS))
    for name, unread, limits in rows:
        if readable_share(unread, limits) < 1:
            other = "another model" if model == MULTILINGUAL_MODEL else f"a model such as {MULTILINGUAL_MODEL}"
            return (f"{model} cannot read {unread:.0%} of {name}: {what}; {other} may read it.",)
    return ()

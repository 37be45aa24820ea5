"""How far the vector leg can be trusted.

A model that does not know a script reads every character of it as [UNK]: all-MiniLM-L6-v2 alone finds 29 % on Chinese where
full text finds 99 %, and their fusion at equal weight 62 %. So the share of unknown tokens takes weight from the vector leg.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from chunking.config import EmbeddingConfig, SearchConfig, SearchMode

__all__ = ["Weighing", "readable_share", "unknown_share", "unreadable", "weigh"]

_WORD = re.compile(r"\w+")
_QUERY_LIMITS = (0.1, 0.4)
"""Unknown share of a query up to which it is read in full, and from which it is not read. One foreign name among ten words is harmless."""
_CORPUS_LIMITS = (0.35, 0.55)
"""The same for an index. Higher, since half of a mixed one may be readable; all Chinese measures 0.58 to 0.60."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """The weights of a search's legs and what to tell the user about them."""

    weights: Mapping[str, float]
    """Those of the legs worth searching, by name; they sum to 1."""
    notes: tuple[str, ...] = ()


def weigh(config: SearchConfig, model: str, query_unknown: float, corpus_unknown: float) -> Weighing:
    """The legs to search and their weights.

    Args:
        config: mode and the weight asked for.
        model: its name, for the note.
        query_unknown: share of the query's tokens that the model does not know (0 to 1).
        corpus_unknown: the same for the texts of the index.
    """
    if config.mode is not SearchMode.HYBRID:
        notes = _notes(model, query_unknown, corpus_unknown, "these results are unreliable; use full-text search")
        return Weighing({config.mode.value: 1.0}, notes if config.mode is SearchMode.VECTOR else ())
    share = min(readable_share(query_unknown, _QUERY_LIMITS), readable_share(corpus_unknown, _CORPUS_LIMITS))
    weight = config.vector_weight * share
    weights = {name: value for name, value in (("vector", weight), ("text", 1 - weight)) if value > 0}
    what = "vector search is off" if share == 0 else f"vector search has weight {weight:.2f} instead of {config.vector_weight:.2f}"
    return Weighing(weights, _notes(model, query_unknown, corpus_unknown, what) if config.vector_weight else ())


def unknown_share(config: EmbeddingConfig, text: str) -> float:
    """Share of a query's tokens that the model does not know, by its tokenizer alone: where the answer is "most of them",
    the model itself need not be loaded. Only words count: an emoji or a dash takes nothing from the words around it.
    0 for a remote model, whose tokenizer is not at hand.

    Raises:
        ModelError: the model is not at hand.
    """
    from chunking.config import remote_name
    from chunking.embedding.model_folder import counting_folder
    from chunking.splitting.measure.token_counter import token_counter

    if remote_name(config.model) is not None:
        return 0.0
    return token_counter(counting_folder(config).path).unknown_share(" ".join(_WORD.findall(text)))


def unreadable(config: EmbeddingConfig, text: str) -> bool:
    """Whether the model does not know so much of a query that nothing it says of it counts."""
    return readable_share(unknown_share(config, text), _QUERY_LIMITS) == 0


def readable_share(unknown: float, limits: tuple[float, float]) -> float:
    """1 up to the first limit, 0 from the second, a straight line between.

    >>> [readable_share(unknown, (0.1, 0.4)) for unknown in (0.0, 0.1, 0.25, 0.4, 1.0)]
    [1.0, 1.0, 0.5, 0.0, 0.0]
    """
    full, none = limits
    return round(min(1.0, max(0.0, (none - unknown) / (none - full))), 12)


def _notes(model: str, query_unknown: float, corpus_unknown: float, what: str) -> tuple[str, ...]:
    rows = (("this query", query_unknown, _QUERY_LIMITS), ("the texts of this index", corpus_unknown, _CORPUS_LIMITS))
    for name, unknown, limits in rows:
        if readable_share(unknown, limits) < 1:
            return (f"{model} cannot read {unknown:.0%} of {name}: {what}; a multilingual model would read it.",)
    return ()

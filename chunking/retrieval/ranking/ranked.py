"""The ranked candidates of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from chunking.model import Chunk
from chunking.retrieval.query.query_terms import Terms
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.ranking.repeats import RepeatedText

__all__ = ["Ranked"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates of all legs as one list; each later step (phrases, repeats, rerankers) makes a new one."""

    hits: tuple[Fused, ...]
    """Best first."""
    chunks: Mapping[str, Chunk]
    """Everything that a leg matched, by id: the chunk of each hit, and summaries that led to some."""
    terms: Terms
    """What to highlight: the query's terms, and its characters where hits were matched by those."""
    by_words: frozenset[str] = frozenset()
    """Ids matched by the text leg, which holds the phrases by its own rules (stems, other accents)."""
    exact: bool = False
    """The hits hold the query's characters, not its words."""
    repeats: Mapping[str, tuple[RepeatedText, ...]] = field(default_factory=dict)
    """For some hits, where their text occurs again."""

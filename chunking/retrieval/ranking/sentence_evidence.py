"""Evidence of sentences: how much each says that a query asks for, by words and by similarity.

Evidence is half the cosine similarity of sentence and query, half the share of the query's words that the sentence
contains, weighted by rarity. Without vectors, or without telling words in the query, the other half counts alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from chunking.model import Span
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.query.query_terms import QueryWord, content_runs, matching_stems, query_words

__all__ = [
    "EvidenceBasis",
    "HitEvidence",
    "SearchEvidence",
    "basis_of",
    "evidence",
    "idf",
    "rarity",
    "telling_words",
    "word_shares",
]

Floats = NDArray[np.float32]


class EvidenceBasis(StrEnum):
    """What the evidence of sentences consists of."""

    BOTH = "similarity and words"
    SIMILARITY = "similarity"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class HitEvidence:
    """Evidence of a hit: that of its best sentence, and what the cut required."""

    score: float
    """Evidence of its best sentence, 0 to 1."""
    words: float | None
    """Share of the query's words in that sentence, weighted by rarity; None for a query without telling words."""
    similarity: float | None
    """Cosine similarity of that sentence and the query, at least 0; None without vectors."""
    sentence: Span
    """Place of that sentence in the document; of a summary, in the summary."""
    threshold: float
    """Evidence required for the hit to stay; 0 if nothing is cut."""
    best: float
    """Evidence of the best sentence of all hits."""
    sentences: int
    """Number of sentences of the hit."""
    remaining: int
    """Number of its sentences after trimming."""

    @property
    def explanation(self) -> str:
        """Sentences about how the hit was judged."""
        parts = [
            *([f"similarity {self.similarity:.2f}"] if self.similarity is not None else []),
            *([f"{self.words:.0%} of the query's words by rarity"] if self.words is not None else []),
        ]
        alone = ", words alone" if self.similarity is None else ", similarity alone" if self.words is None else ""
        place = f"characters {self.sentence.start:,}–{self.sentence.end:,}"
        text = f"Evidence {self.score:.2f} in its best sentence ({place}): {' and '.join(parts)}{alone}."
        if self.threshold:
            text += f" {self.threshold:.2f} is required (the best sentence of all results has {self.best:.2f})."
        if self.remaining < self.sentences:
            text += f" Trimmed to {self.remaining} of its {self.sentences} sentences."
        return text


@dataclass(frozen=True, slots=True)
class SearchEvidence:
    """How the results of a search were judged."""

    basis: EvidenceBasis
    best: float
    """Evidence of the best sentence of all results."""
    threshold: float
    """Evidence required; 0 if nothing is cut."""
    judged: int
    """Number of results judged."""
    enough: int
    """Number of results with enough evidence."""
    trimmed: int
    """Number of results of which only a part stays."""

    @property
    def sentence(self) -> str:
        """Summary for people, such as `5 of 8 results have enough evidence (words alone)`."""
        alone = "" if self.basis is EvidenceBasis.BOTH else f", judged by {self.basis} alone"
        parts = [f"{self.enough} of {self.judged} results have enough evidence"] if self.threshold else []
        if self.trimmed:
            parts.append(
                f"{self.trimmed} {'is' if self.trimmed == 1 else 'are'} trimmed to the sentences that carry it"
            )
        text = "; ".join(parts) or "Nothing was left out"
        return f"{text}{alone}."


def basis_of(*, words: bool, vectors: bool) -> EvidenceBasis | None:
    """Return what evidence can consist of; None if a query has neither telling words nor a usable vector."""
    if words:
        return EvidenceBasis.BOTH if vectors else EvidenceBasis.WORDS
    return EvidenceBasis.SIMILARITY if vectors else None


def telling_words(query: QueryParts) -> tuple[QueryWord, ...]:
    """Return the words to look for in sentences: content words, and pairs of unspaced characters.

    A pair is found in any sentence that has the word, however a dictionary divides it.

    >>> from chunking.retrieval.query.query_parts import understand
    >>> [word.text for word in telling_words(understand("How to restore it? 怎么更换滤芯"))]
    ['restore', '更换', '换滤', '滤芯']
    """
    spaced = [word for word in query_words(query) if word.spaced]
    runs = content_runs(query.text)
    size = min(2, max(map(len, runs), default=1))
    pairs = dict.fromkeys(run[at : at + size] for run in runs for at in range(len(run) - size + 1))
    return (*spaced, *(QueryWord(pair, pair, False) for pair in pairs))


def evidence(shares: Floats | None, cosines: Floats | None) -> Floats:
    """Return the evidence of n sentences, 0 to 1: the mean of both halves, or the one there is.

    Args:
        shares: (n,) share of the query's words by rarity, 0 to 1.
        cosines: (n,) cosine similarity to the query; below 0 counts as 0.

    >>> evidence(np.array([1, 0.5], np.float32), np.array([0.5, -0.1], np.float32)).tolist()
    [0.75, 0.25]
    """
    halves = [np.clip(half, 0, 1) for half in (shares, cosines) if half is not None]
    total: Floats = np.mean(halves, axis=0, dtype=np.float32)
    return total


def rarity(words: Sequence[QueryWord], texts: Iterable[str]) -> dict[str, float]:
    """Return BM25's idf of each word, by stem, among some texts, such as a search's candidates."""
    holding = [matching_stems(words, text) for text in texts]
    counts = np.array([sum(word.stem in stems for stems in holding) for word in words], np.float32)
    return dict(zip((word.stem for word in words), idf(len(holding), counts).tolist(), strict=True))


def idf(texts: int | NDArray[np.integer], holding: Floats) -> Floats:
    """Return BM25's idf of words that `holding` of some texts contain; 0 for those in none."""
    weights = np.log1p((texts - holding + 0.5) / (holding + 0.5))
    return np.where(holding > 0, weights, 0).astype(np.float32)


def word_shares(words: Sequence[QueryWord], weights: Mapping[str, float], sentences: Iterable[str]) -> Floats:
    """Return the (n,) share of the query's words in each sentence, by weight.

    >>> words = [QueryWord("backup", "backup", True), QueryWord("night", "night", True)]
    >>> word_shares(words, {"backup": 1.0, "night": 3.0}, ["A backup.", "Backups at night.", "No."]).tolist()
    [0.25, 1.0, 0.0]
    """
    total = sum(weights.values()) or 1.0
    shares = [sum(weights[stem] for stem in matching_stems(words, text)) / total for text in sentences]
    return np.array(shares, np.float32)

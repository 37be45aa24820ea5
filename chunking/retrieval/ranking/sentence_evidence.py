"""Evidence: how a hit was judged, and how much a sentence says of what a query asks for.

The evidence of a sentence is half its similarity to the query, half the share of the query's words that it contains,
weighted by rarity. Without vectors, or without telling words in the query, the other half counts alone. Similarity is
the cosine on the scale from the lowest candidate of the vector leg (0) to 1: some models give unrelated texts 0.1,
others 0.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.model import Span
from chunking.retrieval.query.query_terms import QueryWord, matching_stems

__all__ = [
    "EvidenceBasis",
    "HitEvidence",
    "LanguageText",
    "SearchEvidence",
    "SentenceEvidence",
    "basis_of",
    "evidence",
    "idf",
    "rarity",
    "scaled_similarity",
    "word_shares",
]

Floats = NDArray[np.float32]


class EvidenceBasis(StrEnum):
    """What the evidence of sentences consists of."""

    BOTH = "similarity and words"
    SIMILARITY = "similarity"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class SentenceEvidence:
    """Best sentence of a trimmed hit, and how many of its sentences stay."""

    score: float
    """Evidence of the sentence, 0 to 1."""
    words: float | None
    """Share of the query's words in it, weighted by rarity; None for a query without telling words."""
    similarity: float | None
    """Cosine similarity of it and the query, at least 0; None without vectors."""
    span: Span
    """Place of it in the document; of a summary, in the summary."""
    sentences: int
    """Number of sentences of the hit."""
    remaining: int
    """Number of its sentences after trimming."""

    @property
    def explanation(self) -> str:
        """Sentence about the best sentence and what stays around it."""
        parts = [
            *([f"similarity {self.similarity:.2f}"] if self.similarity is not None else []),
            *([f"{self.words:.0%} of the query's words by rarity"] if self.words is not None else []),
        ]
        alone = ", words alone" if self.similarity is None else ", similarity alone" if self.words is None else ""
        place = f"characters {self.span.start:,}–{self.span.end:,}"
        stays = "all" if self.remaining == self.sentences else f"{self.remaining}"
        return (
            f"Best sentence ({place}): evidence {self.score:.2f} ({' and '.join(parts)}{alone}); {stays} of its "
            f"{self.sentences} sentences stay."
        )


@dataclass(frozen=True, slots=True)
class HitEvidence:
    """How a hit was judged: by its score, and by its best sentence if hits are trimmed."""

    score: float
    """Score between the lowest candidate's (0) and the best hit's (1)."""
    threshold: float
    """Score required for the hit to stay; 0 if nothing is cut."""
    sentence: SentenceEvidence | None = None
    """Best sentence; None without trimming."""

    @property
    def explanation(self) -> str:
        """Sentences about how the hit was judged."""
        required = f"; {self.threshold:.2f} is required" if self.threshold else ""
        own = f"Evidence {self.score:.2f} of the best result's, on the scale from the lowest candidate{required}."
        return f"{own} {self.sentence.explanation}" if self.sentence else own


@dataclass(frozen=True, slots=True)
class SearchEvidence:
    """How the results of a search were judged."""

    threshold: float
    """Relative score required; 0 if nothing is cut."""
    judged: int
    """Number of results judged."""
    enough: int
    """Number of results with enough evidence."""
    trimmed: int
    """Number of results of which only a part stays."""
    basis: EvidenceBasis | None
    """What the evidence of sentences consists of; None without trimming."""

    @property
    def sentence(self) -> str:
        """Summary for people, such as `5 of 8 results have enough evidence.`"""
        parts = [f"{self.enough} of {self.judged} results have enough evidence"] if self.threshold else []
        if self.trimmed:
            alone = f", by {self.basis} alone" if self.basis is not EvidenceBasis.BOTH else ""
            verb = "is" if self.trimmed == 1 else "are"
            parts.append(f"{self.trimmed} {verb} trimmed to the sentences that carry it{alone}")
        return f"{'; '.join(parts) or 'All sentences of these results carry enough evidence'}."


class LanguageText(NamedTuple):
    """A text and the language (BCP 47) in which its words are stemmed: its document's."""

    text: str
    language: str = ""


def basis_of(*, words: bool, vectors: bool) -> EvidenceBasis | None:
    """Return what evidence can consist of; None if a query has neither telling words nor a usable vector."""
    if words:
        return EvidenceBasis.BOTH if vectors else EvidenceBasis.WORDS
    return EvidenceBasis.SIMILARITY if vectors else None


def evidence(shares: Floats | None, cosines: Floats | None) -> Floats:
    """Return the evidence of n sentences, 0 to 1: the mean of both halves, or the one there is.

    Args:
        shares: (n,) share of the query's words by rarity, 0 to 1.
        cosines: (n,) scaled similarity to the query; below 0 counts as 0.

    >>> evidence(np.array([1, 0.5], np.float32), np.array([0.5, -0.1], np.float32)).tolist()
    [0.75, 0.25]
    """
    halves = [np.clip(half, 0, 1) for half in (shares, cosines) if half is not None]
    total: Floats = np.mean(halves, axis=0, dtype=np.float32)
    return total


def scaled_similarity(cosines: Floats, lowest: Floats | float) -> Floats:
    """Return cosines on the scale from the lowest candidate's (0) to 1.

    Args:
        cosines: (n,) cosine similarities of sentences and the query.
        lowest: lowest cosine of the vector leg's candidates, or (n,) one for each; below 0 counts as 0.

    >>> scaled_similarity(np.array([0.9, 0.8, 0.7], np.float32), 0.8).round(2).tolist()
    [0.5, 0.0, 0.0]
    """
    floor = np.clip(lowest, 0.0, 0.99)
    scaled: Floats = np.clip((cosines - floor) / (1 - floor), 0, 1).astype(np.float32)
    return scaled


def rarity(words: Sequence[QueryWord], texts: Iterable[LanguageText]) -> dict[str, float]:
    """Return BM25's idf of each word, by stem, among some texts, such as a search's candidates."""
    holding = [matching_stems(words, *text) for text in texts]
    counts = np.array([sum(word.stem in stems for stems in holding) for word in words], np.float32)
    return dict(zip((word.stem for word in words), idf(len(holding), counts).tolist(), strict=True))


def idf(texts: int | NDArray[np.integer], holding: Floats) -> Floats:
    """Return BM25's idf of words that `holding` of some texts contain; 0 for those in none."""
    weights = np.log1p((texts - holding + 0.5) / (holding + 0.5))
    return np.where(holding > 0, weights, 0).astype(np.float32)


def word_shares(words: Sequence[QueryWord], weights: Mapping[str, float], sentences: Iterable[LanguageText]) -> Floats:
    """Return the (n,) share of the query's words in each sentence, by weight.

    >>> words = [QueryWord("backup", "backup", True), QueryWord("night", "night", True)]
    >>> texts = [LanguageText(text) for text in ("A backup.", "Backups at night.", "No.")]
    >>> word_shares(words, {"backup": 1.0, "night": 3.0}, texts).tolist()
    [0.25, 1.0, 0.0]
    """
    total = sum(weights.values()) or 1.0
    shares = [sum(weights[stem] for stem in matching_stems(words, *text)) / total for text in sentences]
    return np.array(shares, np.float32)

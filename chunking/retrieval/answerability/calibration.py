"""The constants of the sign that the documents do not hold an answer, and how often it is wrong.

They are logistic regressions on searches with the default settings over the test corpora (three of Chroma's, DRCD,
Evidence Inference),
each divided into two halves of documents with an index of its own. Each question was asked of the index with its
document (it has an
answer), of the other half of its corpus (none, though the subject is the same; questions whose answer stands there word
for word were
left out), of the same halves of all corpora together, and of two other corpora (another subject). Corpora weigh alike.
Questions about
the first half of the documents chose the constants, and the threshold: the highest of those at which a corpus has 5 %
false alarms.
Questions about the second half gave the counts, which are of searches. One corpus stands out: a speech, whose questions
say what it does
not say (who speaks, and when), has most of the false alarms.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from chunking.config import DEFAULT_MODEL

__all__ = ["BY_SIMILARITY", "BY_WORDS", "MODEL", "Calibration", "CountShare"]

MODEL = DEFAULT_MODEL
"""The embedding model whose similarities were measured, each chunk embedded by itself."""


@dataclass(frozen=True, slots=True)
class CountShare:
    """Some of all."""

    some: int
    all: int

    @property
    def share(self) -> float:
        return self.some / self.all


@dataclass(frozen=True, slots=True)
class Calibration:
    """One logistic regression: what it was fitted to, and its errors on questions that had no part in it."""

    name: str
    """`similarity and words` or `words`."""
    bias: float
    similarity: float
    """Weight of the best cosine similarity; 0 where it has no say."""
    coverage: float
    """Weight of the share of the query that one of the best chunks holds."""
    threshold: float
    """The sign is given from this probability on."""
    false_alarms: CountShare
    """Searches with an answer that got the sign."""
    worst: CountShare
    """The same in the corpus with the most of them."""
    missed_same_subject: CountShare
    """Searches without an answer, in documents on their subject, that did not get the sign."""
    missed_other_subject: CountShare
    """The same in documents on another subject."""

    def probability(self, similarity: float, coverage: float) -> float:
        """That there is no answer, where before the search as much speaks for it as against it."""
        return 1 / (1 + exp(-(self.bias + self.similarity * similarity + self.coverage * coverage)))


BY_SIMILARITY = Calibration(
    name="similarity and words",
    bias=5.7,
    similarity=-4.2,
    coverage=-8.0,
    threshold=0.85,
    false_alarms=CountShare(5, 445),
    worst=CountShare(5, 70),
    missed_same_subject=CountShare(244, 445),
    missed_other_subject=CountShare(25, 343),
)
"""For English questions, where the model is `MODEL`."""

BY_WORDS = Calibration(
    name="words",
    bias=4.5,
    similarity=0.0,
    coverage=-10.7,
    threshold=0.85,
    false_alarms=CountShare(7, 736),
    worst=CountShare(3, 70),
    missed_same_subject=CountShare(411, 736),
    missed_other_subject=CountShare(57, 736),
)
"""For any model and for full-text search, in English and Chinese."""

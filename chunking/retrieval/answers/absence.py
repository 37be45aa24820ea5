"""A warning that the documents probably hold no answer, with its evidence; the hits stay.

Two features separate questions with an answer from those without: the share of the query's words in one of the best
chunks, and the similarity of the nearest vector.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp

from chunking.config import ENGLISH_MODEL, MULTILINGUAL_MODEL, EmbeddingMode
from chunking.embedding.model_folder import model_of
from chunking.model import Chunk
from chunking.retrieval.query.query import Query
from chunking.retrieval.query.query_terms import matching_stems, query_words, words_share
from chunking.retrieval.ranking.ranked import Ranked
from chunking.text.characters import main_script, script_of

__all__ = ["BY_SIMILARITY", "BY_WORDS", "Absence", "Calibration", "absence_of"]

_BEST = 3
"""Top hits of each leg whose words count."""
_FEWEST_WORDS = 3
"""Minimum words of a judged query: hardly any question of the calibration was shorter."""
_NAMED = 4
"""Maximum missing words named in the evidence."""


@dataclass(frozen=True, slots=True)
class Absence:
    """Probability that the documents searched hold no answer, and its evidence."""

    probability: float
    """Probability from 0 to 1, with a prior of one half."""
    calibration: Calibration
    missing: tuple[str, ...]
    """Words of the query that none of the best chunks contains."""
    coverage: float
    """Largest share (0 to 1) of the letters of the query's content words in one of the best chunks."""
    similarity: float | None
    """Best cosine similarity; None without vector search, or with a model that was not calibrated."""

    @property
    def probable(self) -> bool:
        """True if a warning is due.

        False proves nothing: most questions without an answer look like those with one.
        """
        return self.probability >= self.calibration.threshold

    @property
    def evidence(self) -> str:
        """Up to three sentences: words missing in the best hits, share covered, best similarity."""
        named = " or ".join(f"“{word}”" for word in self.missing[:_NAMED])
        others = " or others of the question's words" if len(self.missing) > _NAMED else ""
        sentences = [f"None of the best hits contains {named}{others}."] if named else []
        if self.coverage:
            sentences.append(f"None of the best hits contains more than {self.coverage:.0%} of the question.")
        if self.similarity is not None:
            sentences.append(
                f"The best similarity is {self.similarity:.2f}; it is usually above {self.calibration.usual} "
                "where there is an answer."
            )
        return " ".join(sentences)

    @property
    def reliability(self) -> str:
        """Sentences about how often the warning was wrong, or missing, in the calibration."""
        rates = self.calibration
        return (
            (
                f"Measured on {rates.false_alarms.all} searches with an answer: {rates.false_alarms.share:.1%} "
                f"of them got this warning by mistake ({rates.worst.share:.0%} in the worst "
                f"collection). Of searches without an answer, {rates.missed_other_subject.share:.0%} did not "
                f"get it if the documents were on another subject, and {rates.missed_same_subject.share:.0%} if "
                f"they were on the same one. "
            )
            + (
                ""
                if self.similarity is not None
                else "Similarities are not calibrated for this search, so only the words of the question count. "
            )
            + "Hits are never hidden."
        )


def absence_of(query: Query, ranked: Ranked) -> Absence | None:
    """Estimate the probability that the documents hold no answer.

    None if that cannot be judged: too few content words, a search by characters, no hit, no hit in the query's script,
    so that none could have its words.

    Args:
        ranked: candidates of the legs, before any is dropped.
    """
    best = [hit for hit in ranked.hits if any(leg.rank is not None and leg.rank <= _BEST for leg in hit.legs.values())]
    if ranked.exact or not best:
        return None
    chunks = [ranked.chunks[hit.chunk_id] for hit in best]
    words = {language: query_words(query.parts, language) for language in {chunk.language for chunk in chunks}}
    first = words[chunks[0].language]
    if len(first) < _FEWEST_WORDS or not _share_script(query.parts.text, chunks):
        return None
    coverage, present = 0.0, set[str]()
    for chunk in chunks:
        own, text = words[chunk.language], chunk.indexed_text if chunk.content else chunk.summary
        stems = matching_stems(own, text, chunk.language)
        coverage = max(coverage, words_share(own, stems))
        present |= {word.text for word in own if word.stem in stems}
    missing = tuple(word.text for word in first if word.text not in present)
    by_model = _calibration(query)
    similarity = _best_similarity(ranked) if by_model else None
    calibration = BY_WORDS if by_model is None or similarity is None else by_model
    return Absence(calibration.probability(similarity or 0.0, coverage), calibration, missing, coverage, similarity)


def _calibration(query: Query) -> Calibration | None:
    """Return the calibration of the index's model; None if its similarities were not calibrated."""
    index = query.index
    if index.config.embedding.mode is not EmbeddingMode.STANDARD:
        return None
    return BY_SIMILARITY.get(model_of(index.row.model_key).partition("@")[0])


def _best_similarity(ranked: Ranked) -> float | None:
    """Return the similarity of the nearest vector; None without vector search."""
    scores = [leg.score for hit in ranked.hits if (leg := hit.legs.get("vector")) is not None and leg.score is not None]
    return max(scores, default=None)


def _share_script(query: str, chunks: Iterable[Chunk]) -> bool:
    """True if any chunk has letters of the script that most of the query is in."""
    script = main_script(query)
    return any(script_of(letter) == script for chunk in chunks for letter in chunk.indexed_text or chunk.summary)


# -- calibration: constants and error rates, measured


@dataclass(frozen=True, slots=True)
class CountShare:
    """A count and its total."""

    some: int
    all: int

    @property
    def share(self) -> float:
        return self.some / self.all


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic regression with its error rates on held-out questions."""

    name: str
    """Name: `similarity and words` or `words`."""
    bias: float
    similarity: float
    """Weight of the best cosine similarity; 0 if it is not used."""
    coverage: float
    """Weight of the share of the query in one of the best chunks."""
    threshold: float
    """Minimum probability for a warning."""
    false_alarms: CountShare
    """Searches with an answer that got the warning."""
    worst: CountShare
    """False alarms of the worst corpus."""
    missed_same_subject: CountShare
    """Searches without an answer, in documents on their subject, that got no warning."""
    missed_other_subject: CountShare
    """Searches without an answer, in documents on another subject, that got no warning."""
    usual: float = 0.0
    """Fifth percentile of the best similarity of the answerable questions that chose the constants."""

    def probability(self, similarity: float, coverage: float) -> float:
        """Return the probability that there is no answer, with a prior of one half."""
        return 1 / (1 + exp(-(self.bias + self.similarity * similarity + self.coverage * coverage)))


BY_SIMILARITY = {
    MULTILINGUAL_MODEL: Calibration(
        name="similarity and words",
        bias=43.7,
        similarity=-47.8,
        coverage=-7.3,
        threshold=0.9,
        false_alarms=CountShare(2, 130),
        worst=CountShare(2, 35),
        missed_same_subject=CountShare(43, 130),
        missed_other_subject=CountShare(0, 260),
        usual=0.84,
    ),
    ENGLISH_MODEL: Calibration(
        name="similarity and words",
        bias=5.7,
        similarity=-4.2,
        coverage=-8.0,
        threshold=0.85,
        false_alarms=CountShare(5, 445),
        worst=CountShare(5, 70),
        missed_same_subject=CountShare(244, 445),
        missed_other_subject=CountShare(25, 343),
        usual=0.43,
    ),
}
"""Calibration of each model with standard embedding; error rates of the multilingual one are on Chroma's corpora."""

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
"""Calibration for any model and for full-text search, in English and Chinese."""

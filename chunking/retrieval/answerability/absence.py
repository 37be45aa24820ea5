"""The sign that the documents probably do not hold what was asked, with its evidence. It never changes what is found.

Two things tell questions with an answer from those without: how much of the query one of the best chunks holds, by its
words, and how
similar the nearest vector is. The constants, and how often the sign is wrong, stand in `calibration`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chunking.config import EmbeddingMode
from chunking.embedding.model_folder import model_of
from chunking.retrieval.answerability.calibration import BY_SIMILARITY, BY_WORDS, MODEL, Calibration
from chunking.retrieval.answerability.query_words import QueryWord, held, query_words
from chunking.retrieval.search_request import Candidates, SearchRequest

__all__ = ["Absence", "absence_of"]

_BEST = 3
"""Of each leg, whose words are looked at."""
_FEWEST_WORDS = 3
"""Of a shorter query nothing is said: hardly any question that the sign was calibrated on was shorter."""
_LONGEST = 10
"""Letters of a word that count: longer words say more, up to here."""
_USUAL = 0.43
"""The best similarity of 95 % of the questions with an answer that the sign was calibrated on."""
_NAMED = 4
"""Missing words that are named."""


@dataclass(frozen=True, slots=True)
class Absence:
    """How probable it is that there is no answer in the documents that were searched."""

    probability: float
    """0 to 1, where before the search as much speaks for it as against it."""
    calibration: Calibration
    missing: tuple[str, ...]
    """Words of the query that none of the best chunks holds, as they stand in it."""
    coverage: float
    """The largest share of the query's letters, in words that say something, that one of the best chunks holds (0 to
    1).
    """
    similarity: float | None
    """The best cosine similarity; None where vectors were not searched, or another model has made them."""

    @property
    def probable(self) -> bool:
        """Whether the sign is given. Where it is not, nothing is said: most questions without an answer look like those
        with one.
        """
        return self.probability >= self.calibration.threshold

    @property
    def evidence(self) -> str:
        """What speaks for it, in a sentence or two."""
        named = " or ".join(f"“{word}”" for word in self.missing[:_NAMED])
        others = " or others of the question's words" if len(self.missing) > _NAMED else ""
        said = [f"None of the best hits contains {named}{others}."] if named else []
        said += [f"None of the best hits holds more than {self.coverage:.0%} of the question."] if self.coverage else []
        if self.similarity is not None:
            said += [
                f"The best similarity is {self.similarity:.2f}; it is usually above {_USUAL} where there is an answer."
            ]
        return " ".join(said)

    @property
    def reliability(self) -> str:
        """How often the sign is wrong, as measured."""
        rates = self.calibration
        return (
            f"Measured on {rates.false_alarms.all} searches with an answer: {rates.false_alarms.share:.1%} "
            f"of them got this sign by "
            f"mistake ({rates.worst.share:.0%} in the worst of five collections). Of searches without one, "
            f"{rates.missed_other_subject.share:.0%} did not get it where the documents were on another subject, and "
            f"{rates.missed_same_subject.share:.0%} where they were on the same. "
            + (
                ""
                if self.similarity is not None
                else "Similarities are not calibrated for this search; only the words of the question count. "
            )
            + "Hits are never hidden."
        )


def absence_of(request: SearchRequest, found: Candidates) -> Absence | None:
    """How probable it is that what was asked is not in the documents; None where that cannot be judged.

    It cannot where the query has too few words that say something, where it was looked for as characters, and where
    nothing was found.

    Args:
        found: the candidates of the legs, before anything of them is left out.
    """
    wanted = query_words(request.query)
    best = [hit for hit in found.hits if any(leg.rank is not None and leg.rank <= _BEST for leg in hit.legs.values())]
    if len(wanted) < _FEWEST_WORDS or found.exact or not best:
        return None
    texts = [found.chunks[hit.chunk_id] for hit in best]
    each = [held(wanted, chunk.indexed_text if chunk.content else chunk.summary) for chunk in texts]
    coverage = max(_share(wanted, stems) for stems in each)
    missing = tuple(word.text for word in wanted if not any(word.stem in stems for stems in each))
    similarity = _best_similarity(request, found)
    calibration = BY_WORDS if similarity is None else BY_SIMILARITY
    return Absence(calibration.probability(similarity or 0.0, coverage), calibration, missing, coverage, similarity)


def _best_similarity(request: SearchRequest, found: Candidates) -> float | None:
    """That of the nearest vector, where it was calibrated."""
    index = request.index
    if (
        model_of(index.row.model_key).partition("@")[0] != MODEL
        or index.config.embedding.mode is not EmbeddingMode.STANDARD
    ):
        return None
    scores = [leg.score for hit in found.hits if (leg := hit.legs.get("vector")) is not None and leg.score is not None]
    return max(scores, default=None)


def _share(wanted: Iterable[QueryWord], stems: frozenset[str]) -> float:
    """The share of the query's letters in words of these stems."""
    letters = {word.stem: min(len(word.stem), _LONGEST) for word in wanted}
    return sum(letters[stem] for stem in stems) / sum(letters.values())

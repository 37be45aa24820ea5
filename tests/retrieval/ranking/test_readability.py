"""The weight of the vector leg where the model cannot read, and what the user is told."""

from __future__ import annotations

import pytest

from chunking.config import SearchConfig
from chunking.retrieval.ranking.readability import Weighing, weigh, weigh_by_coverage
from tests.support.facts import tells

MODEL = "all-MiniLM-L6-v2"


def test_a_readable_query_keeps_the_setting() -> None:
    """Nothing unknown: the weight is the user's, and there is nothing to say."""
    weighing = weigh(SearchConfig(vector_weight=0.7), MODEL, 0.0, 0.2)
    assert weighing.weights == {"vector": 0.7, "text": pytest.approx(0.3)}
    assert weighing.notes == ()


def test_an_unreadable_query_is_searched_by_words_and_the_user_told() -> None:
    """Over 40 % unknown, as in Chinese: the leg is not searched at all."""
    weighing = weigh(SearchConfig(), MODEL, 0.58, 0.3)
    assert weighing.weights == {"text": 1.0}
    assert tells(weighing.notes, "all-MiniLM-L6-v2 58% query off multilingual")


def test_a_partly_readable_query_is_weighed_down() -> None:
    """Halfway between the limits counts half, and the note says both numbers."""
    weighing = weigh(SearchConfig(vector_weight=0.5), MODEL, 0.25, 0.0)
    assert weighing.weights == {"vector": 0.25, "text": 0.75}
    assert "weight 0.25 instead of 0.50" in weighing.notes[0]


def test_an_unreadable_index_is_searched_by_words() -> None:
    """A query in English over texts in Russian has no vectors worth comparing with; over texts of which half are, it
    has.
    """
    weighing = weigh(SearchConfig(), MODEL, 0.0, 0.92)
    assert weighing.weights == {"text": 1.0}
    assert "92% of the texts" in weighing.notes[0]
    assert weigh(SearchConfig(vector_weight=0.5), MODEL, 0.0, 0.5).weights == {"vector": 0.5, "text": 0.5}


def test_a_search_by_meaning_alone_warns_and_obeys() -> None:
    """The user asked for vectors: they get them, with a warning."""
    weighing = weigh(SearchConfig(mode="vector"), MODEL, 0.58, 0.0)
    assert weighing.weights == {"vector": 1.0}
    assert "these results are unreliable" in weighing.notes[0]


@pytest.mark.parametrize(
    ("config", "leg"),
    [({"mode": "text"}, "text"), ({"vector_weight": 0.0}, "text"), ({"vector_weight": 1.0}, "vector")],
)
def test_a_leg_without_weight_is_not_searched(config: dict[str, object], leg: str) -> None:
    """One mode, or a weight at an end of its range, means one storage call less."""
    weighing = weigh(SearchConfig.model_validate(config), MODEL, 0.0, 0.0)
    assert (weighing.weights, weighing.notes) == ({leg: 1.0}, ())


@pytest.mark.parametrize(
    ("coverage", "text"), [(1.0, 0.6), (0.2, 0.6), (0.1, 0.3), (0.0, 0.0)], ids=["all", "a fifth", "a tenth", "nothing"]
)
def test_full_text_that_finds_hardly_a_word_loses_its_weight(coverage: float, text: float) -> None:
    """The weights sum to 1, and the reason says both numbers."""
    weighing = weigh_by_coverage(Weighing({"vector": 0.4, "text": 0.6}), coverage)
    assert weighing.weights == {"vector": pytest.approx(1 - text), "text": pytest.approx(text)}
    assert bool(weighing.reason) == (text < 0.6)
    if weighing.reason:
        assert tells((weighing.reason,), f"{text:.2f} 0.60 {coverage:.0%}")


def test_what_the_model_cannot_read_stays_with_full_text() -> None:
    """A query read in part keeps its weights: vectors are the worse sign of the two."""
    weighing = weigh(SearchConfig(vector_weight=0.5), MODEL, 0.25, 0.0)
    assert weigh_by_coverage(weighing, 0.0) == weighing
    assert weigh_by_coverage(Weighing({"text": 1.0}), 0.0).weights == {"text": 1.0}

"""Fusion against a naive reading of the formulas, and where the formulas have no answer."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chunking.config import Fusion
from chunking.retrieval.ranking.fused_hits import fuse
from chunking.retrieval.ranking.fusion import standardised
from tests.support.facts import tells

IDS = st.sampled_from([f"d_chunk{n}" for n in range(12)])
LEG = st.dictionaries(IDS, st.integers(-50, 50).map(lambda n: n / 8), max_size=12)
WEIGHT = st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9])


def naive_standardised(vector: dict[str, float], text: dict[str, float], w: float) -> dict[str, float]:
    """ARCHITECTURE's formula, said with the statistics module; only for legs with at least two different scores."""

    def z(leg: dict[str, float], name: str) -> float:
        values = list(leg.values())
        return (leg.get(name, min(values)) - statistics.fmean(values)) / statistics.pstdev(values)

    return {name: w * z(vector, name) + (1 - w) * z(text, name) for name in vector.keys() | text.keys()}


def naive_reciprocal(vector: dict[str, float], text: dict[str, float], w: float) -> dict[str, float]:
    """The paper's formula, each leg sorted anew for each candidate."""

    def part(leg: dict[str, float], name: str) -> float:
        order = sorted(leg.items(), key=lambda item: (-item[1], item[0]))
        return sum(1 / (60 + place) for place, (other, _) in enumerate(order, 1) if other == name)

    return {name: w * part(vector, name) + (1 - w) * part(text, name) for name in vector.keys() | text.keys()}


@given(vector=LEG, text=LEG, w=WEIGHT)
def test_standardised_mix_is_the_naive_formula(vector: dict[str, float], text: dict[str, float], w: float) -> None:
    """Scores are those of the formula, best first, ties by id."""
    assume(min(len(set(vector.values())), len(set(text.values()))) >= 2)
    expected = naive_standardised(vector, text, w)
    fused = fuse({"vector": vector, "text": text}, {"vector": w, "text": 1 - w})
    assert {hit.chunk_id: pytest.approx(hit.score, abs=1e-9) for hit in fused} == expected
    assert [(-hit.score, hit.chunk_id) for hit in fused] == sorted((-hit.score, hit.chunk_id) for hit in fused)


@given(vector=LEG, text=LEG, w=WEIGHT)
def test_reciprocal_rank_fusion_is_the_naive_formula(
    vector: dict[str, float], text: dict[str, float], w: float
) -> None:
    """Weighted reciprocal ranks, with a leg that is empty too."""
    expected = naive_reciprocal(vector, text, w)
    fused = fuse({"vector": vector, "text": text}, {"vector": w, "text": 1 - w}, Fusion.RECIPROCAL_RANK)
    assert {hit.chunk_id: pytest.approx(hit.score, abs=1e-9) for hit in fused} == expected


@given(vector=LEG, text=LEG, w=WEIGHT, fusion=st.sampled_from(Fusion))
def test_every_score_is_the_sum_of_its_legs(
    vector: dict[str, float], text: dict[str, float], w: float, fusion: Fusion
) -> None:
    """Each hit explains itself: rank, raw score, standardised score, weight and part of each leg, and their sum."""
    for hit in fuse({"vector": vector, "text": text}, {"vector": w, "text": 1 - w}, fusion):
        assert hit.score == pytest.approx(sum(leg.part for leg in hit.legs.values()), abs=1e-9)
        for name, scores in (("vector", vector), ("text", text)):
            leg = hit.legs[name]
            best = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
            z, missing = standardised(np.array([[scores[chunk_id] for chunk_id in best]]))
            assert leg.score == scores.get(hit.chunk_id)
            assert leg.rank == (best.index(hit.chunk_id) + 1 if leg.matched else None)
            assert leg.candidates == len(scores)
            assert leg.z == pytest.approx(z[0, leg.rank - 1] if leg.rank else missing[0])


@given(vector=LEG, text=LEG, w=WEIGHT, scale=st.sampled_from([0.5, 2, 1000]), shift=st.integers(-9, 9))
def test_the_scale_of_a_leg_does_not_matter(
    vector: dict[str, float], text: dict[str, float], w: float, scale: float, shift: int
) -> None:
    """BM25 may be ten times as large tomorrow: standardised scores stay."""
    weights = {"vector": w, "text": 1 - w}
    scaled = {chunk_id: score * scale + shift for chunk_id, score in text.items()}
    before, after = (fuse({"vector": vector, "text": leg}, weights) for leg in (text, scaled))
    assert {hit.chunk_id: pytest.approx(hit.score, abs=1e-6) for hit in before} == {
        hit.chunk_id: hit.score for hit in after
    }


def test_the_only_match_of_a_leg_counts_for_it() -> None:
    """One candidate has no deviation; what the leg found still goes before what it did not find."""
    fused = fuse({"vector": {"a": 0.6, "b": 0.6}, "text": {"b": 3.0}}, {"vector": 0.5, "text": 0.5})
    assert [hit.chunk_id for hit in fused] == ["b", "a"]
    assert fused[0].legs["text"].z == 1.0
    assert fused[1].legs["text"].z == -1.0
    assert "not among its 1" in fused[1].explanation


def test_scores_all_alike_leave_the_order_to_the_other_leg() -> None:
    """Zero variance, also with the noise of float32 in the last digits, is no difference."""
    noisy = {"a": 0.70000001, "b": 0.7, "c": 0.70000002}
    fused = fuse({"vector": noisy, "text": {"c": 3.0, "b": 2.0, "a": 1.0}}, {"vector": 0.5, "text": 0.5})
    assert [hit.chunk_id for hit in fused] == ["c", "b", "a"]


@pytest.mark.parametrize("fusion", Fusion)
def test_an_empty_leg_changes_nothing_in_the_order(fusion: Fusion) -> None:
    """No words found: the meaning decides; nothing found at all: nothing comes back."""
    weights = {"vector": 0.5, "text": 0.5}
    assert [hit.chunk_id for hit in fuse({"vector": {"b": 0.9, "a": 0.5}, "text": {}}, weights, fusion)] == ["b", "a"]
    assert "Full text: found nothing. " in fuse({"vector": {"a": 0.9}, "text": {}}, weights, fusion)[0].explanation
    assert fuse({"vector": {}, "text": {}}, weights, fusion) == ()


def test_a_leg_alone_keeps_its_own_scores() -> None:
    """A cosine stays a cosine when nothing is mixed."""
    fused = fuse({"vector": {"a": 0.5, "b": 0.75}}, {"vector": 1.0})
    assert [(hit.chunk_id, hit.score) for hit in fused] == [("b", 0.75), ("a", 0.5)]
    assert tells(fused[0].explanation, "vector rank 1 2 cosine 0.750")


def test_a_leg_without_weight_brings_no_candidates() -> None:
    """What only a leg of weight 0 found is not a hit; what it says about the others is shown."""
    fused = fuse({"vector": {"a": 0.9, "b": 0.1}, "text": {"b": 5.0}}, {"vector": 0.0, "text": 1.0})
    assert [hit.chunk_id for hit in fused] == ["b"]
    assert fused[0].legs["vector"].rank == 2


@given(leg=LEG)
def test_ties_stand_in_the_order_of_their_ids(leg: dict[str, float]) -> None:
    """The order does not depend on the order in which a leg came."""
    shuffled = dict(reversed(leg.items()))
    assert fuse({"text": leg}, {"text": 1.0}) == fuse({"text": shuffled}, {"text": 1.0})

"""The scorer against ranx, where both define a metric: rankings of documents that are relevant as a whole.

Relevant documents of one length: recall, precision, MRR and nDCG with judgements of 0 and 1. Of several lengths: nDCG
with the length as the judgement. ranx (MIT) compiles with numba, and is no requirement: its own test runs where it is
installed (`pip install ranx`), and its numbers for one ranking are written down here.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from chunking.evaluation import AnswerSpan, Found, Measure, Score, score_spans

CUTOFFS = (1, 3, 5, 10)


def scored(ranking: Sequence[str], relevant: Sequence[str], lengths: Mapping[str, int], n: int) -> Score:
    answers = [AnswerSpan(name, 0, lengths[name], "x" * lengths[name]) for name in relevant]
    results = [Found(name, 0, lengths[name], 1, 0, lengths[name]) for name in ranking]
    return score_spans(answers, results, Measure(n))


def test_a_ranking_scored_by_hand_and_by_ranx() -> None:
    """Relevant are a, b and c; a is second and c fourth: 2 of 3, 2 of 5, 1/2. ranx 0.3.21 gives the same."""
    ranking, relevant = ["x", "a", "y", "c", "z"], ["a", "b", "c"]
    one = scored(ranking, relevant, dict.fromkeys([*ranking, "b"], 20), 5)
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert (one.recall, one.precision, one.reciprocal_rank) == (pytest.approx(2 / 3), pytest.approx(0.4), 0.5)
    assert one.ndcg == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)
    assert one.ndcg == pytest.approx(RANX_BINARY, abs=1e-9)
    lengths = {"x": 9, "y": 9, "z": 9, "a": 10, "b": 40, "c": 30}
    graded = scored(ranking, relevant, lengths, 5).ndcg
    assert graded == pytest.approx(
        (10 / math.log2(3) + 30 / math.log2(5)) / (40 + 30 / math.log2(3) + 10 / math.log2(4))
    )
    assert graded == pytest.approx(RANX_GRADED, abs=1e-9)


RANX_BINARY, RANX_GRADED = 0.49818925746641285, 0.30080131682250266
"""nDCG at 5 of the ranking above as ranx 0.3.21 gives it, with judgements of 1, and of the lengths."""


@pytest.mark.skipif(importlib.util.find_spec("ranx") is None, reason="ranx is not installed: it brings numba along")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("graded", [False, True])
def test_random_rankings_are_scored_as_by_ranx(graded: bool) -> None:
    from ranx import Qrels, Run, evaluate

    draw = np.random.default_rng(5)
    names = [f"d{number}" for number in range(20)]
    lengths = {name: int(draw.integers(1, 90)) if graded else 30 for name in names}
    rankings = {f"q{number:02}": draw.permutation(names)[:12].tolist() for number in range(60)}
    relevant = {query: draw.permutation(names)[: draw.integers(1, 6)].tolist() for query in rankings}
    judgements = Qrels(
        {query: {name: lengths[name] if graded else 1 for name in some} for query, some in relevant.items()}
    )
    run = Run({query: {name: 1 / rank for rank, name in enumerate(some, 1)} for query, some in rankings.items()})
    pairs = (
        {"ndcg": "ndcg"}
        if graded
        else {"recall": "recall", "precision": "precision", "reciprocal_rank": "mrr", "ndcg": "ndcg"}
    )
    for n in CUTOFFS:
        ours = [scored(rankings[query], relevant[query], lengths, n) for query in rankings]
        for metric, theirs in pairs.items():
            expected = evaluate(judgements, run, f"{theirs}@{n}", return_mean=False)
            assert [getattr(one, metric) for one in ours] == pytest.approx(list(expected), abs=1e-9), (metric, n)

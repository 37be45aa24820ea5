"""Scores of several sizes added up, against the formula, and the walk down a tree of summaries."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.model import CLUSTER, DOCUMENT, SECTION, Chunk
from chunking.retrieval.modes.mode_ranking import Size, under_the_best, with_larger
from chunking.retrieval.ranking.fused_hits import fuse, least
from tests.retrieval.cut_texts import make_chunks

TEXT = "0123456789" * 4
CHUNKS = {
    chunk.chunk_id: replace(chunk, larger_ids=(f"doc_x2_{n // 2}", f"doc_x4_{n // 4}"))
    for n, chunk in enumerate(make_chunks(TEXT, [(5 * n, 5 * n + 5) for n in range(8)]))
}
SCORES = st.integers(-40, 40).map(lambda n: n / 8)
WEIGHTS = {"vector": 0.5, "text": 0.5}


def legs(draw: st.DrawFn, ids: list[str]) -> dict[str, dict[str, float]]:
    return {name: draw(st.dictionaries(st.sampled_from(ids), SCORES, min_size=1)) for name in WEIGHTS}


@given(data=st.data(), weight=st.sampled_from([0.0, 0.5, 2.0]))
def test_a_score_is_its_own_and_a_share_of_each_larger_one(data: st.DataObject, weight: float) -> None:
    """A missing larger chunk scores as one that no leg matched: never above a match."""
    draw = data.draw
    own_legs = legs(draw, list(CHUNKS))
    own = fuse(own_legs, WEIGHTS, raw=False)
    sizes, scores = [], {}
    for level, count in (("x2", 4), ("x4", 2)):
        result = legs(draw, [f"doc_{level}_{n}" for n in range(count)])
        sizes.append(Size(level, fuse(result, WEIGHTS, raw=False), least(result, WEIGHTS)))
        scores[level] = {hit.chunk_id: hit.score for hit in sizes[-1].hits}
        assert sizes[-1].least <= min(scores[level].values()) + 1e-9
    output = with_larger(own, sizes, CHUNKS, weight)
    before = {hit.chunk_id: hit.score for hit in own}
    assert {hit.chunk_id for hit in output} == before.keys()
    for hit in output:
        neighbours = zip(("x2", "x4"), CHUNKS[hit.chunk_id].larger_ids, sizes, strict=True)
        larger = math.fsum(scores[level].get(name, size.least) for level, name, size in neighbours)
        assert hit.score == pytest.approx(before[hit.chunk_id] + weight * larger, abs=1e-9)
        assert hit.score == pytest.approx(math.fsum(amount for _, amount, _ in hit.parts), abs=1e-9)
    assert [(-hit.score, hit.chunk_id) for hit in output] == sorted((-hit.score, hit.chunk_id) for hit in output)


def test_a_chunk_without_a_larger_one_stands_for_itself() -> None:
    """Documents of a category may be cut without that size: they neither gain nor lose by it."""
    alone = {name: replace(chunk, larger_ids=()) for name, chunk in CHUNKS.items()}
    own = fuse({"text": {"doc_chunk0": 2.0, "doc_chunk5": 1.0}}, {"text": 1.0}, raw=False)
    output = with_larger(own, [Size("x2", (), -3.0)], alone, 0.5)
    assert [(hit.chunk_id, hit.score) for hit in output] == [("doc_chunk0", 1.5), ("doc_chunk5", -1.5)]
    assert "No larger chunk around it (x2)" in output[0].explanation


def node(name: str, level: str, *children: str) -> Chunk:
    return replace(CHUNKS["doc_chunk0"], chunk_id=name, level=level, children=children, content="", summary=name)


def test_a_walk_follows_the_best_summaries() -> None:
    """Document by document, section by section, cluster by cluster; subsections follow their sections."""
    nodes = {
        one.chunk_id: one
        for one in (
            node("a_doc", DOCUMENT, "a_sec0", "a_sec1"),
            node("b_doc", DOCUMENT, "b_sec0"),
            node("a_sec0", SECTION, "a_chunk0", "a_chunk1"),
            node("a_sec1", SECTION, "a_chunk2", "a_sec2"),
            node("a_sec2", SECTION, "a_chunk3"),
            node("b_sec0", SECTION, "b_chunk0"),
            node("cluster_2_0", CLUSTER, "cluster_1_0", "cluster_1_1"),
            node("cluster_1_0", CLUSTER, "a_chunk7"),
            node("cluster_1_1", CLUSTER, "b_chunk7"),
        )
    }

    def walk(*order: str, width: int = 1) -> set[str]:
        return under_the_best(
            fuse({"text": {name: -float(n) for n, name in enumerate(order)}}, {"text": 1.0}), nodes, width
        )

    assert walk("b_sec0", "a_doc", "a_sec1", "a_sec0", "a_sec2", "b_doc") == {"a_chunk2", "a_chunk3"}
    assert walk("a_doc", "b_doc", "a_sec0", "b_sec0", width=2) == {"a_chunk0", "a_chunk1", "b_chunk0"}
    assert walk("cluster_1_1", "cluster_2_0", "cluster_1_0") == {"b_chunk7"}
    assert walk("a_sec2", "b_sec0") == {"a_chunk3"}  # no document among the candidates: the best sections begin
    assert walk() == set()

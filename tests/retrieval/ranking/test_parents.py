"""Auto-merging, condition by condition, on chunks whose sizes are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from chunking.model import CHUNK, PARENT, SECTION, Chunk
from chunking.retrieval.modes.mode_results import Merging, ParentTree, by_parent, merge
from chunking.retrieval.ranking.fused_hits import fuse
from chunking.retrieval.results.result_items import ShownResult
from tests.retrieval.cut_texts import make_chunks
from tests.support.facts import tells

TEXT = "0123456789" * 10
SPANS = [(start, start + 10) for start in range(0, 100, 10)]


def levels() -> tuple[dict[str, Chunk], ParentTree]:
    """Ten chunks of ten characters: three parents of four, four and two, the first two of which are one section."""
    chunks = [
        replace(chunk, parent_id=f"doc_parent{n // 4}", section_id=f"s{n // 8}")
        for n, chunk in enumerate(make_chunks(TEXT, SPANS))
    ]
    rows: dict[str, Chunk] = {}
    for number in range(3):
        parts = chunks[4 * number : 4 * number + 4]
        rows[f"doc_parent{number}"] = replace(
            parts[0],
            chunk_id=f"doc_parent{number}",
            parent_id=parts[0].section_id,
            content="".join(part.content for part in parts),
            end=parts[-1].end,
            level=PARENT,
            children=tuple(part.chunk_id for part in parts),
        )
    return {chunk.chunk_id: chunk for chunk in chunks}, ParentTree(rows, {"s0"})


def run(order: Sequence[int], *, most: int = 10, share: float = 0.5, budget: int = 0) -> list[ShownResult]:
    """Merge the chunks of some numbers, best first; a token is a character."""
    chunks, tree = levels()
    hits = fuse({"text": {f"doc_chunk{n}": 1 - place / 100 for place, n in enumerate(order)}}, {"text": 1.0})
    return merge(hits, chunks, Merging(tree, lambda chunk: len(chunk.content), share, budget), most)


def shown(result: Sequence[ShownResult]) -> list[str]:
    return [one.chunk.chunk_id.removeprefix("doc_") for one in result]


def test_half_of_a_parent_is_enough_for_half() -> None:
    """Two of four chunks: the parent stands where the best of them stood, with both as children."""
    result = run([5, 9, 6])
    assert shown(result) == ["parent1", "chunk9"]
    assert [hit.chunk_id for hit in result[0].children] == ["doc_chunk5", "doc_chunk6"]
    assert result[0].hit.chunk_id == "doc_chunk5"
    assert tells(result[0].because, "2 4 chunks 20 40 tokens 50% best")
    assert result[1].children == ()


@pytest.mark.parametrize(
    ("order", "share", "expected"),
    [
        ([0], 0.05, ["chunk0"]),  # one child is never enough
        ([0, 4], 0.05, ["chunk0", "chunk4"]),  # children of different parents
        ([0, 1], 0.51, ["chunk0", "chunk1"]),  # half is less than 51 %
        ([0, 1, 2], 0.75, ["parent0"]),
        ([8, 9], 1.0, ["parent2"]),  # all of it
    ],
)
def test_the_conditions_of_a_merge(order: list[int], share: float, expected: list[str]) -> None:
    """At least two children, which hold the share that is asked for."""
    assert shown(run(order, share=share)) == expected


def test_the_fuller_the_budget_the_more_must_be_found() -> None:
    """Share × (1 + used / budget): with 40 of 80 tokens used, 50 % become 75 %; and the parent must fit."""
    assert shown(run([5, 6], budget=1_000)) == ["chunk5", "chunk6"]  # 20 of 1,000: 51 % are needed, 50 % are there
    assert shown(run([5, 6], share=0.49, budget=1_000)) == ["parent1"]
    assert shown(run([0, 9, 5, 6], share=0.4, budget=80)) == [
        "chunk0",
        "chunk9",
        "chunk5",
        "chunk6",
    ]  # 40 of 80: 60 % are needed
    assert shown(run([5, 6, 7], share=0.3, budget=30)) == ["chunk5", "chunk6", "chunk7"]  # no room for 40
    assert shown(run([0, 1, 5, 9], share=1.0, budget=20)) == ["chunk0", "chunk1"]  # full: nothing more is taken


def test_a_merge_frees_places_and_goes_on_above() -> None:
    """Places of merged chunks go to the next candidates; two parents of one section become the section, exactly."""
    assert shown(run([0, 1, 9], most=2)) == ["parent0", "chunk9"]
    result = run([0, 1, 4, 5])
    assert shown(result) == ["s0"]
    assert (result[0].chunk.level, result[0].chunk.content) == (SECTION, TEXT[:80])
    assert [hit.chunk_id for hit in result[0].children] == [f"doc_chunk{n}" for n in (0, 1, 4, 5)]


def test_what_lies_in_a_result_joins_it() -> None:
    """A child found later is one more child, not one more result; also when there is no place left."""
    result = run([0, 1, 3], most=1)
    assert shown(result) == ["chunk0"]
    result = run([0, 1, 3, 9], most=2)
    assert shown(result) == ["parent0", "chunk9"]
    assert len(result[0].children) == 3


def test_parents_in_the_order_of_their_best_children() -> None:
    """As many as asked for; later children still join those."""
    chunks, _ = levels()
    hits = fuse({"text": {f"doc_chunk{n}": 1 - place / 100 for place, n in enumerate([5, 0, 9, 6])}}, {"text": 1.0})
    grouped = by_parent(hits, chunks, 2)
    assert {name: [hit.chunk_id for hit in some] for name, some in grouped.items()} == {
        "doc_parent1": ["doc_chunk5", "doc_chunk6"],
        "doc_parent0": ["doc_chunk0"],
    }
    assert all(chunk.level == CHUNK for chunk in chunks.values())


def test_a_parent_stands_where_its_best_child_was_ranked() -> None:
    """Also where a second look has put scores under those of candidates that it did not reach, which stand behind."""
    chunks, tree = levels()
    hits = {
        hit.chunk_id: hit
        for hit in fuse({"text": {"doc_chunk0": 0.1, "doc_chunk5": 0.9, "doc_chunk6": 0.8}}, {"text": 1.0})
    }
    order = [hits[f"doc_chunk{n}"] for n in (0, 6, 5)]
    result = merge(order, chunks, Merging(tree, lambda chunk: len(chunk.content), 0.5, 0), 5)
    assert shown(result) == ["chunk0", "parent1"]
    assert [hit.chunk_id for hit in result[1].children] == ["doc_chunk6", "doc_chunk5"]

"""Neighbours and passages against a walk along the chain, and against the document's text."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.config import SearchConfig
from chunking.model import Chunk
from chunking.retrieval import SearchResult, search
from chunking.retrieval.context.expansion import (
    adaptive_neighbours,
    boundary_reason,
    join,
    neighbour_reason,
    passages,
)
from chunking.store import Workspace
from tests.retrieval.cut_texts import cut_texts, make_chunks

HOPS = st.integers(0, 5)
TEXTS = cut_texts()


def naive_neighbours(hit: Chunk, reference: dict[str, Chunk], before: int, after: int, across: bool) -> list[Chunk]:
    """Follow prev_id and next_id, one step at a time."""

    def walk(direction: str, hops: int) -> list[Chunk]:
        result: list[Chunk] = []
        at = getattr(hit, direction)
        while at is not None and len(result) < hops and (across or reference[at].parent_id == hit.parent_id):
            result.append(reference[at])
            at = getattr(reference[at], direction)
        return result

    return walk("prev_id", before)[::-1] + walk("next_id", after)


@given(cut=TEXTS, data=st.data(), before=HOPS, after=HOPS, across=st.booleans())
def test_passages_are_exact_text_of_the_document(
    cut: tuple[str, list[Chunk]], data: st.DataObject, before: int, after: int, across: bool
) -> None:
    """Overlaps stand once, gaps as they are; every chunk is in one passage; passages do not touch."""
    text, chunks = cut
    reference = {chunk.chunk_id: chunk for chunk in chunks}
    hits = data.draw(st.lists(st.sampled_from(chunks), min_size=1, unique_by=lambda chunk: chunk.chunk_id))
    neighbours = [(hit, naive_neighbours(hit, reference, before, after, across)) for hit in hits]
    result = passages(neighbours)
    assert all(passage.text == text[passage.start : passage.end] for passage in result)
    in_order = [chunk_id for passage in result for chunk_id in passage.chunk_ids]
    assert in_order == sorted(
        {c.chunk_id for hit, others in neighbours for c in (hit, *others)}, key=lambda name: reference[name].chunk_index
    )
    assert {name for passage in result for name in passage.hit_ids} == {hit.chunk_id for hit in hits}
    indices = [[reference[name].chunk_index for name in passage.chunk_ids] for passage in result]
    assert all(later[0] > earlier[-1] + 1 for earlier, later in itertools.pairwise(indices))


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize(("before", "after"), [(0, 0), (1, 1), (0, 3), (5, 2), (20, 20)])
def test_neighbours_are_those_of_the_chain(shelf: Workspace, before: int, after: int, across: bool) -> None:
    """A search, with one storage call for all its hits, finds what following prev_id and next_id finds hop by hop."""
    reference = {chunk.chunk_id: chunk for row in shelf.documents() for chunk in shelf.index().chunks_of(row.doc_id)}
    config = SearchConfig(mode="text", k=20, before=before, after=after, across_parents=across)
    result = search(shelf, "backup service account archive", config)
    assert len(result.results) > 3
    for hit in result.results:
        assert list(hit.neighbours) == naive_neighbours(reference[hit.chunk.chunk_id], reference, before, after, across)


def test_documents_come_by_their_best_hit() -> None:
    """Inside a document the order is the reader's, between documents the search's."""
    first, second = (
        make_chunks("ab", [(0, 1), (1, 2)], doc_id="z"),
        make_chunks("abc", [(0, 1), (1, 2), (2, 3)], doc_id="a"),
    )
    result = passages([(first[1], ()), (second[2], ()), (second[0], ()), (first[0], ())])
    assert [(passage.doc_id, passage.start, passage.end) for passage in result] == [
        ("z", 0, 2),
        ("a", 0, 1),
        ("a", 2, 3),
    ]


def test_chunks_with_one_left_out_are_not_joined() -> None:
    """A text that would not be the document's is refused, in a sentence."""
    chunks = make_chunks("abcdef", [(0, 2), (2, 4), (4, 6)])
    with pytest.raises(ValueError, match="join chunks that follow"):
        join([chunks[0], chunks[2]])
    with pytest.raises(ValueError, match="nothing to join"):
        join([])


def test_an_adaptive_side_has_the_neighbours_that_add_evidence(shelf: Workspace) -> None:
    """A part of those of a fixed side, each with its reason, for the same storage calls."""
    query = "How is a backup restored from the archive?"

    def ask(front: int | str, behind: int | str) -> SearchResult:
        own = {"mode": "text", "k": 6, "before": front, "after": behind, "across_parents": True}
        return search(shelf, query, SearchConfig.model_validate(own))

    fixed, auto, mixed = ask(1, 1), ask("auto", "auto"), ask(2, "auto")
    assert auto.storage_calls == fixed.storage_calls
    assert [one.chunk for one in auto.results] == [one.chunk for one in fixed.results]
    chosen = [{chunk.chunk_id for chunk in one.neighbours} for one in auto.results]
    every = [{chunk.chunk_id for chunk in one.neighbours} for one in fixed.results]
    assert all(some <= more for some, more in zip(chosen, every, strict=True))
    assert 0 < sum(map(len, chosen)) < sum(map(len, every))
    assert chosen[0] == every[0]  # next to the best
    for one in auto.results:
        assert set(one.neighbour_reasons) == {chunk.chunk_id for chunk in one.neighbours}
        assert all(one.neighbour_reasons.values())
    assert not any(one.neighbour_reasons for one in fixed.results)
    for one in mixed.results:
        assert set(one.neighbour_reasons) == {
            chunk.chunk_id for chunk in one.neighbours if chunk.start > one.chunk.start
        }
    assert auto.context.tokens < fixed.context.tokens


@pytest.mark.parametrize(
    ("left", "right", "belongs"),
    [
        ("The pump has a valve that is ", "red and old. It leaks.", True),
        ("The pump has a valve. ", "It leaks.", False),
        ("水泵有一个红色的阀门，", "它会漏水。", True),
        ("水泵有一个红色的阀门。", "它会漏水。", False),
        ("Close both of these valves before the pump is\n", "opened for the yearly inspection.", True),
        ("return total\n", "if total:", False),
        ("Take these steps:\n\n", "1. Open it.", True),
        ("步骤如下：\n", "1. 打开。", True),
        ("1. Open it.\n", "2. Close it.", True),
        ("- Open it.\n\n", "# Close\n\nIt closes.", False),
        ("It is red.\n\n", "It is old.", False),
        ("| a | b |\n", "| c | d |", False),
        ("", "It is old.", False),
        (" \n", "It is old.", False),
    ],
)
def test_text_that_goes_on_over_a_boundary_belongs_together(left: str, right: str, belongs: bool) -> None:
    """A sentence, a wrapped line, a list, a lead-in; not two sentences, headings, code or rows."""
    assert bool(boundary_reason(left, right)) is belongs


def test_a_neighbour_needs_evidence_unless_the_text_goes_on() -> None:
    """Of both: of a strong hit a weaker neighbour suffices; the best result keeps both of its own."""
    assert not neighbour_reason(0.4, 0.2, str)
    assert neighbour_reason(0.9, 0.4, str)
    assert not neighbour_reason(0.2, 0.4, str)
    assert not neighbour_reason(0.9, 0.0, str)
    assert neighbour_reason(1.0, 0.0, str)
    assert neighbour_reason(0.0, 0.0, lambda: "one list") == "one list"


@given(cut=TEXTS, data=st.data(), adaptive=st.tuples(st.booleans(), st.booleans()))
def test_adaptive_neighbours_are_some_of_the_fixed_ones(
    cut: tuple[str, list[Chunk]], data: st.DataObject, adaptive: tuple[bool, bool]
) -> None:
    """For any text, overlap, gap and scores; in reading order, and all of a side that is not adaptive."""
    _, chunks = cut
    hit = data.draw(st.sampled_from(chunks))
    scores = {chunk.chunk_id: data.draw(st.floats(0, 1)) for chunk in chunks}
    adjacent = [chunk for chunk in chunks if abs(chunk.chunk_index - hit.chunk_index) == 1]
    chosen = adaptive_neighbours(hit, adjacent, adaptive, scores[hit.chunk_id], scores.__getitem__)
    assert [chunk for chunk in adjacent if chunk in chosen.chunks] == list(chosen.chunks)
    for chunk in adjacent:
        if not adaptive[chunk.start > hit.start]:
            assert chunk in chosen.chunks
            assert chunk.chunk_id not in chosen.reasons

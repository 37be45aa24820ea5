"""Reads of an index that cost the same at any size: some documents, and an even sample of vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.model import CHUNK
from chunking.store import Index, Workspace, stream_chunks
from chunking.store.index.index_samples import first_chunks, spread
from tests.store.indexed import INSTALL, MANUAL, fill
from tests.support import store_rows as made


@pytest.fixture
def twenty(workspace: Workspace) -> Index:
    """An index of twenty documents of three chunks each."""
    return fill(workspace, *(made.document(f"d{n:02d}", f"one {n}", f"two {n}", f"three {n}") for n in range(20)))


def test_some_documents_are_those_of_all(workspace: Workspace, index: Index) -> None:
    """The same facts, in one call; an unknown id is left out."""
    every, before = index.documents(), workspace.calls
    assert index.some_documents([MANUAL.doc_id, "nobody"]) == {MANUAL.doc_id: every[MANUAL.doc_id]}
    assert index.some_documents([]) == {}
    assert workspace.calls == before + 1
    assert index.some_documents([INSTALL.doc_id, MANUAL.doc_id]) == every


@pytest.mark.parametrize("most", [1, 7, 59])
def test_a_sample_is_bounded_even_and_the_same_again(twenty: Index, most: int) -> None:
    """About so many vectors, each that of its chunk, from the whole table; and how many there are."""
    every = twenty.vectors_of()
    sample, total = twenty.vector_sample(most)
    assert total == len(every.ids) == 60
    assert len(sample.ids) == len(set(sample.ids)) == most
    assert sample.ids == twenty.vector_sample(most).vectors.ids
    stored = dict(zip(every.ids, every.vectors, strict=True))
    assert all(np.array_equal(stored[key], vector) for key, vector in zip(sample.ids, sample.vectors, strict=True))
    assert most < 7 or len(set(sample.doc_ids)) >= min(most, 20) * 0.9


def test_of_few_chunks_all_are_the_sample(twenty: Index) -> None:
    """As if no sample had been asked for."""
    sample, total = twenty.vector_sample(60)
    every = twenty.vectors_of()
    assert (sample.ids, total) == (every.ids, 60)
    assert np.array_equal(sample.vectors, every.vectors)


def test_deleted_rows_are_in_no_sample(workspace: Workspace, twenty: Index) -> None:
    """Places are counted over the rows that are left."""
    workspace.delete_documents(["d03", "d04"])
    sample, total = workspace.index("main").vector_sample(53)
    assert total == 54
    assert len(sample.ids) == 53
    assert not {"d03", "d04"} & set(sample.doc_ids)


def test_the_first_chunks_are_those_of_the_stream(twenty: Index) -> None:
    """In the same order; ids that the index lacks are skipped."""
    ids = [f"d{n:02d}" for n in reversed(range(20))]
    assert list(first_chunks(twenty, [*ids, "nobody"], (CHUNK,))) == list(stream_chunks(twenty))


@given(st.integers(0, 5_000), st.integers(1, 200))
def test_places_are_spread_from_the_first_to_the_last(count: int, most: int) -> None:
    """At most so many places, ascending, each once, from the first to the last."""
    places = spread(count, most)
    assert len(places) == min(count, most)
    assert (np.diff(places) > 0).all()
    assert not count or places[0] == 0
    assert count < 2 or most < 2 or places[-1] == count - 1

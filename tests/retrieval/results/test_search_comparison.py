"""Two searches side by side."""

from __future__ import annotations

from chunking.config import Config, SearchConfig
from chunking.retrieval import compare, search
from chunking.store import Workspace
from tests.support.shelf import SHELF, fill
from tests.support.word_embedder import WordEmbedder


def test_chunks_of_different_sizes_are_compared_by_their_places(tmp_path, embedder: WordEmbedder) -> None:
    """What one found alone does not overlap what the other found; every result is accounted for."""
    workspace = Workspace.open(tmp_path)
    fill(workspace, SHELF, embedder, Config.from_settings({"size": "32", "min_size": "0"}), name="small")
    fill(workspace, SHELF, embedder, Config.from_settings({"size": "100", "min_size": "0"}), name="large")
    one, two = (
        search(workspace, "restore a backup", SearchConfig(k=4, deduplicate=False), index=name, embedder=embedder)
        for name in ("small", "large")
    )
    results = compare(one, two)
    assert results.both
    assert results.only_a or results.only_b
    assert {a.rank for a, _ in results.both} | {a.rank for a in results.only_a} == {
        result.rank for result in one.results
    }
    assert {b.rank for _, b in results.both} | {b.rank for b in results.only_b} == {
        result.rank for result in two.results
    }
    for a, b in results.both:
        assert a.chunk.doc_id == b.chunk.doc_id
        assert max(a.chunk.start, b.chunk.start) < min(a.chunk.end, b.chunk.end)
    for alone in results.only_a:
        assert not any(
            alone.chunk.doc_id == b.chunk.doc_id
            and alone.chunk.start >= b.chunk.start
            and alone.chunk.end <= b.chunk.end
            for b in two.results
        )


def test_a_search_is_the_same_as_itself(shelf: Workspace, tiers: Workspace, embedder: WordEmbedder) -> None:
    """Also where repeats were dropped on one side only, and where a parent stands for its chunks."""
    config = SearchConfig(k=3)
    one = search(shelf, "restore a backup", config, embedder=embedder)
    assert (compare(one, one).only_a, compare(one, one).only_b) == ((), ())
    kept = search(
        shelf, "restore a backup", config.model_copy(update={"deduplicate": False, "k": 1}), embedder=embedder
    )
    assert compare(kept, one).only_a == ()
    parents = search(tiers, "restore a backup", SearchConfig(retrieval="parent", k=3), embedder=embedder)
    chunks = search(tiers, "restore a backup", SearchConfig(k=1), embedder=embedder)
    assert compare(chunks, parents).only_a == ()

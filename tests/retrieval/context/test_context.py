"""The context that a language model would receive: exact passages, numbered, never over the budget."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.config import EmbeddingConfig, SearchConfig
from chunking.model import PARENT, SECTION, Chunk
from chunking.retrieval import Result, search
from chunking.retrieval.context.context import assemble, costs
from chunking.retrieval.context.context_tokens import counter
from chunking.retrieval.results.citation import cite
from chunking.store import Workspace
from tests.retrieval.cut_texts import cut_texts, make_chunks
from tests.support.facts import tells
from tests.support.word_embedder import WordEmbedder

COUNTER = counter(EmbeddingConfig())
TEXT = "Alpha one. Beta two. Gamma three. Delta four. Epsilon five."
SPANS = [(0, 10), (11, 20), (21, 33), (34, 45), (46, 59)]


def result(rank: int, chunk: Chunk, *near: Chunk) -> Result:
    """A hit as the context needs it."""
    return Result(rank, chunk, 1 / rank, {}, "", (), (), near, (), cite(chunk))


@settings(deadline=None, max_examples=60)
@given(cut=cut_texts(), data=st.data(), budget=st.integers(0, 120))
def test_the_context_is_exact_text_within_its_budget(
    cut: tuple[str, list[Chunk]], data: st.DataObject, budget: int
) -> None:
    """Every source is a slice of the document; no text stands twice; tokens are those of the whole text."""
    text, chunks = cut
    hits = data.draw(st.lists(st.sampled_from(chunks), min_size=1, unique_by=lambda chunk: chunk.chunk_id))
    neighbours = [chunk for chunk in chunks if chunk not in hits][:2]
    results = [result(rank, hit, *neighbours) for rank, hit in enumerate(hits, 1)]
    output = assemble(results, budget, COUNTER)
    assert output.tokens == COUNTER.count(output.text)
    assert [one.context for one in costs(results, budget, COUNTER)] == [
        assemble(results[:count], budget, COUNTER).tokens for count in range(1, len(results) + 1)
    ]
    assert not budget or output.tokens <= budget
    assert [source.number for source in output.sources] == list(range(1, len(output.sources) + 1))
    assert sum(source.tokens for source in output.sources) == output.tokens
    for source in output.sources:
        assert source.text == text[source.start : source.end]
        assert f"[{source.number}] {source.citation}\n{source.text}" in output.text
    covered = [place for source in output.sources for place in range(source.start, source.end)]
    assert len(covered) == len(set(covered))
    there = {name for source in output.sources for name in source.chunk_ids}
    assert output.left_out == sum(hit.chunk_id not in there for hit in hits)
    assert budget or there == {chunk.chunk_id for chunk in (*hits, *neighbours)}


def test_results_come_before_neighbours_and_small_ones_after_large_ones() -> None:
    """What has no room is left out whole; what still fits comes, in the order of ranks."""
    first, second, third = (make_chunks(TEXT * 9, [(0, len(TEXT) * size)], doc_id=f"d{size}")[0] for size in (1, 9, 1))
    third = replace(third, chunk_id="other_chunk0", doc_id="other")
    neighbours = replace(
        first, chunk_id="d1_chunk1", start=900, end=900 + len(TEXT), metadata={"title": "Guide", "gap": ""}
    )
    room = 2 * COUNTER.count(f"[1] {cite(first)}\n{first.content}") + 4
    output = assemble([result(1, first, neighbours), result(2, second), result(3, third)], room, COUNTER)
    assert [source.doc_id for source in output.sources] == ["d1", "other"]
    assert output.left_out == 1
    wide = assemble([result(1, first, neighbours), result(2, second), result(3, third)], 2_000, COUNTER)
    assert (len(wide.sources), wide.left_out) == (4, 0)
    assert assemble([result(1, first)], 5, COUNTER).sources == ()


def test_a_parent_swallows_its_chunks_and_its_neighbour_joins_it() -> None:
    """Chunks of two levels in one passage, each text once."""
    chunks = make_chunks(TEXT, SPANS)
    parent = replace(chunks[1], chunk_id="doc_parent0", level=PARENT, content=TEXT[0:33], start=0, end=33)
    output = assemble([result(1, parent), result(2, chunks[1]), result(3, chunks[3])], 0, COUNTER)
    assert [(source.start, source.end) for source in output.sources] == [(0, 45)]
    assert output.sources[0].chunk_ids == ("doc_parent0", "doc_chunk1", "doc_chunk3")


def test_a_summary_stands_before_the_text_it_is_of() -> None:
    """Under a citation that says so."""
    chunk = make_chunks(TEXT, SPANS)[2]
    node = replace(chunk, chunk_id="doc_sec0", level=SECTION, content="", summary="All of it.", start=0, end=59)
    output = assemble([result(1, chunk), result(2, node)], 0, COUNTER)
    assert [source.text for source in output.sources] == ["All of it.", "Gamma three."]
    assert output.sources[0].citation.startswith("Summary of Guide")


@pytest.mark.parametrize("query", ["restore a backup", "滤芯更换"])
@pytest.mark.parametrize("retrieval", ["chunk", "parent", "merge", "hierarchical", "multi_granularity"])
def test_a_budget_bounds_what_is_handed_over(
    tiers: Workspace, embedder: WordEmbedder, retrieval: str, query: str
) -> None:
    """In every mode: whole results, fewer with less room, none at all is said."""
    tokens = []
    for budget in (10, 60, 150, 1_000):
        config = SearchConfig.model_validate({"retrieval": retrieval, "budget": budget, "k": 8})
        results = search(tiers, query, config, embedder=embedder)
        assert results.context.tokens <= budget == results.context.budget
        assert bool(results.context.sources) != any("fits the budget" in note for note in results.notes)
        tokens.append(results.context.tokens)
    assert tokens == sorted(tokens)
    assert tokens[0] == 0 < tokens[3]


def test_a_model_that_is_not_at_hand_does_not_stop_a_search_by_words(
    shelf: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tokens are then counted by the packaged tokenizer, and that is said."""
    index = shelf.index()
    gone = index.config.model_copy(update={"embedding": EmbeddingConfig(model="./gone")})
    monkeypatch.setattr(type(index), "config", gone)
    results = search(shelf, "restore a backup", SearchConfig(mode="text", retrieval="chunk"))
    assert results.context.tokens
    assert tells(results.notes, "./gone tokens all-MiniLM-L6-v2")

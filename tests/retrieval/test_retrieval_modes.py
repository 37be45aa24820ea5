"""What each mode of retrieval changes in the hits, on English and Chinese text in a real store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from chunking.config import Config, Retrieval, SearchConfig
from chunking.model import CHUNK, CLUSTER, PARENT, SECTION
from chunking.retrieval import SearchResult, search
from chunking.retrieval.modes.retrieval_modes import MODES
from chunking.store import Workspace
from tests.support.facts import tells
from tests.support.shelf import fill
from tests.support.word_embedder import WordEmbedder

Find = Callable[..., SearchResult]
QUESTIONS = ("restore a backup at night", "滤芯更换前请先关闭什么", '"copy the archive back"', "阀并", "`")


@pytest.fixture
def find(tiers: Workspace, embedder: WordEmbedder) -> Find:
    """`find(query, retrieval=..., k=...)` on the documents in all their levels."""

    def run(query: str, *, where: dict[str, str] | None = None, **settings: object) -> SearchResult:
        return search(
            tiers,
            query,
            SearchConfig.model_validate({"retrieval": "chunk", **settings}),
            where=where,
            embedder=embedder,
        )

    return run


@pytest.mark.parametrize("retrieval", Retrieval)
@pytest.mark.parametrize("query", QUESTIONS)
def test_every_mode_tells_where_and_why(find: Find, tiers: Workspace, retrieval: Retrieval, query: str) -> None:
    """Exact text, highlights inside it, a waterfall that adds up, children inside their parent; words, phrases and
    characters.
    """
    results = find(query, retrieval=retrieval, k=6)
    assert results.results
    assert results.retrieval is retrieval
    assert [result.rank for result in results.results] == list(range(1, len(results.results) + 1))
    assert [result.score for result in results.results] == sorted(
        (result.score for result in results.results), reverse=True
    )
    for result in results.results:
        chunk = result.chunk
        assert sum(step.amount for step in result.steps) == pytest.approx(result.score)
        assert all(step.explanation.endswith(".") for step in result.steps)
        if chunk.content:
            assert tiers.document(chunk.doc_id).text[chunk.start : chunk.end] == chunk.content
        else:
            assert chunk.summary
        assert all(chunk.start <= start < end <= chunk.end for start, end in result.highlights)
        for child in result.matched:
            assert chunk.start <= child.chunk.start < child.chunk.end <= chunk.end
            assert child.chunk.level == CHUNK
    best = results.results[0]
    if best.chunk.content and results.weights.get("text"):
        assert best.highlights


@pytest.mark.parametrize("retrieval", Retrieval)
def test_repeats_filters_and_phrases_hold_in_every_mode(find: Find, retrieval: Retrieval) -> None:
    """The paragraph that stands in two documents comes once, its other place is told; conditions bind every level."""
    results = find('"stop the service, copy the archive back"', retrieval=retrieval, k=6)
    holding = [result for result in results.results if "copy the archive back" in result.chunk.content]
    assert len(holding) == 1
    assert {place.doc_id for place in holding[0].repeats} | {holding[0].chunk.doc_id} == {
        "guide_handbook",
        "guide_quick_start",
    }
    assert any(tells(note, "only quoted phrases") for note in results.notes)
    only = find("backup service account", retrieval=retrieval, where={"document": "guide_quick_start"}, k=6)
    assert {result.chunk.doc_id for result in only.results} == {"guide_quick_start"}


def test_parents_come_in_the_place_of_their_chunks(find: Find) -> None:
    """A parent has its best child's score and lists the children that were found; each comes once."""
    chunks, parents = (
        find("restore a backup at night", k=20),
        find("restore a backup at night", retrieval="parent", k=20),
    )
    assert {result.chunk.level for result in parents.results} == {PARENT}
    assert len({result.chunk.chunk_id for result in parents.results}) == len(parents.results) < len(chunks.results)
    best = {result.chunk.parent_id: result.score for result in reversed(chunks.results)}
    assert {result.chunk.chunk_id: result.score for result in parents.results} == best
    first = parents.results[0]
    assert len(first.matched) > 1
    assert [child.chunk.parent_id for child in first.matched] == [first.chunk.chunk_id] * len(first.matched)
    assert first.score == first.matched[0].score > first.matched[1].score
    assert first.matched[0].rank == 1
    assert first.steps[-1].name == "children"
    assert f"{len(first.matched)} of its {len(first.chunk.children)} chunks" in first.steps[-1].explanation
    assert any(child.highlights for child in first.matched)


def test_a_section_is_the_parent_where_there_are_no_others(shelf: Workspace, embedder: WordEmbedder) -> None:
    """Its chunks together, read in the same call."""
    result = search(shelf, "restore a backup", SearchConfig(retrieval="parent", k=3), embedder=embedder)
    best = result.results[0].chunk
    assert (best.level, best.chunk_id) == (SECTION, best.section_id)
    assert best.content == shelf.document(best.doc_id).text[best.start : best.end]
    assert len(best.children) > 1
    assert result.storage_calls == 3
    assert not result.notes


JOINED = """# Handbook

Welcome to the handbook of the archive.

## Backups

Backups run every night at two.

## Users

Accounts are made by an administrator, nobody can register alone, and a forgotten password is reset by mail within an \
hour.

## Hours

The archive opens at nine.

## Prices

The archive is free.

## Keys

Keys of the archive are kept at the desk.
"""


@pytest.mark.parametrize("retrieval", ["parent", "merge"])
@pytest.mark.parametrize("more", [{}, {"granularities": "2,4"}, {"enrich.summaries": "true"}, {"parent_size": "40"}])
def test_a_parents_text_is_exact_whatever_else_stands_under_its_section(
    tmp_path: Path, embedder: WordEmbedder, retrieval: str, more: dict[str, str]
) -> None:
    """Larger sizes and nodes of subsections are no parts; what small sections joined to, away from the others, is a
    parent of its own.
    """
    config = Config.from_settings({"size": "32", "min_size": "32", "prefix": "none", "granularities": "none", **more})
    workspace = Workspace.open(tmp_path)
    fill(workspace, {"handbook.md": JOINED}, embedder, config)
    for k in (1, 9):
        settings = SearchConfig.model_validate({"retrieval": retrieval, "k": k, "merge_share": 0.05, "mode": "vector"})
        results = search(workspace, "archive", settings, embedder=embedder)
        assert 0 < len(results.results) <= k
        assert len({result.chunk.chunk_id for result in results.results}) == len(results.results)
        for result in results.results:
            assert JOINED[result.chunk.start : result.chunk.end] == result.chunk.content
            assert all(
                result.chunk.start <= child.chunk.start and child.chunk.end <= result.chunk.end
                for child in result.matched
            )


def test_a_parent_takes_over_where_enough_of_it_was_found(find: Find) -> None:
    """With merge: what is found alone stays a chunk with its neighbours, what is found together becomes its parent; the
    share asked for decides."""
    results = find("restore a backup at night", retrieval="merge", k=5, merge_share=0.3)
    levels = {result.chunk.level for result in results.results}
    assert PARENT in levels
    assert CHUNK in levels
    for result in results.results:
        assert (result.chunk.level == CHUNK) == (not result.matched)
        assert result.matched == () or len(result.matched) > 1
    spans = [(result.chunk.doc_id, result.chunk.start, result.chunk.end) for result in results.results]
    assert not any(
        one[0] == two[0] and max(one[1], two[1]) < min(one[2], two[2]) for one in spans for two in spans if one != two
    )
    none = find("restore a backup at night", retrieval="merge", k=3, merge_share=1.0, budget=60)
    assert {result.chunk.level for result in none.results} == {CHUNK}


def test_chinese_chunks_merge_too(find: Find) -> None:
    """Two sentences of a section that both answer: the section's paragraph comes whole."""
    result = find("滤芯更换", retrieval="merge", k=3)
    best = result.results[0]
    assert best.chunk.level in (PARENT, SECTION)
    assert len(best.matched) > 1
    assert "每六个月更换一次" in best.chunk.content
    assert best.highlights


def test_a_chunk_profits_from_the_larger_ones_around_it(find: Find, tiers: Workspace) -> None:
    """Its score is its own and half of each larger one's; the order changes where the surroundings are about the
    question.
    """
    single = find("restore a backup at night", k=20)
    several = find("restore a backup at night", retrieval="multi_granularity", k=20)
    own = {result.chunk.chunk_id: result.score for result in single.results}
    assert [result.chunk.chunk_id for result in several.results] != [result.chunk.chunk_id for result in single.results]
    for result in several.results:
        amounts = {step.name: step.amount for step in result.steps}
        assert amounts.keys() == {"vector", "text", "x2", "x4"}
        assert amounts["vector"] + amounts["text"] == pytest.approx(own[result.chunk.chunk_id])
    same = find("restore a backup at night", retrieval="multi_granularity", k=20, granularity_weight=0.0)
    assert [result.chunk.chunk_id for result in same.results] == [result.chunk.chunk_id for result in single.results]
    neighbours = tiers.index().rows_by_id(several.results[0].chunk.larger_ids)
    assert {chunk.level for chunk in neighbours.values()} == {"x2", "x4"}


def test_one_leg_is_standardised_where_sizes_are_added(find: Find) -> None:
    """Words alone: BM25 of different sizes has different scales."""
    result = find("滤芯更换", mode="text", retrieval="multi_granularity", k=3)
    assert result.results[0].legs["text"].part == pytest.approx(result.results[0].legs["text"].z)
    assert result.results[0].explanation.endswith(f"Sum {result.results[0].score:.2f}.")


def test_a_collapsed_tree_finds_summaries_next_to_chunks(find: Find) -> None:
    """All levels in one list; a summary explains itself, cites what it is of, and stands in the context."""
    results = find("handbook of the archive backups users", retrieval="hierarchical", k=12)
    levels = {result.chunk.level for result in results.results}
    assert CHUNK in levels
    assert levels & {SECTION, "document", CLUSTER}
    for result in results.results:
        if not result.chunk.content:
            assert result.citation.startswith("Summary of ")
            assert result.chunk.summary in results.context.text
            assert not result.neighbours
        else:
            assert result.chunk.level == CHUNK
    assert any(result.neighbours for result in results.results)


def test_a_tree_searched_from_the_top_gives_chunks_under_the_best_summaries(find: Find) -> None:
    """Summaries first, then only what stands under them."""
    results = find("administrator account password", retrieval="hierarchical", tree="top_down", k=3)
    assert {result.chunk.level for result in results.results} == {CHUNK}
    assert "administrator" in results.results[0].chunk.content
    assert [stage.name for stage in results.stages if stage.phase == "legs"] == [
        *("query vector", "vector summaries", "text summaries", "best summaries", "vector", "text")
    ]
    nothing = find("阀并", retrieval="hierarchical", tree="top_down", k=3)
    assert "阀并" in nothing.results[0].chunk.content


@pytest.mark.parametrize(
    ("retrieval", "setting"), [("hierarchical", "enrich.summaries"), ("multi_granularity", "chunk.granularities")]
)
def test_a_mode_that_the_index_has_no_levels_for_says_what_to_build(
    shelf: Workspace, embedder: WordEmbedder, retrieval: str, setting: str
) -> None:
    """The nearest mode answers, and is named."""
    results = search(
        shelf, "restore a backup", SearchConfig.model_validate({"retrieval": retrieval}), embedder=embedder
    )
    plain = search(shelf, "restore a backup", SearchConfig(retrieval=Retrieval.CHUNK), embedder=embedder)
    assert results.retrieval is Retrieval.CHUNK
    assert [result.chunk.chunk_id for result in results.results] == [result.chunk.chunk_id for result in plain.results]
    assert len(results.notes) == 1
    assert setting in results.notes[0]


def test_the_table_has_a_row_a_mode() -> None:
    """And each row that needs levels says what is missing."""
    assert list(MODES) == list(Retrieval)
    assert all(bool(mode.levels) == bool(mode.lacking) for mode in MODES.values())
    assert all(mode.levels for mode in MODES.values() if mode.instead)


def test_candidates_are_everything_that_was_ranked(find: Find) -> None:
    """Best first, with ranks, also what is not shown."""
    results = find("restore a backup at night", k=2)
    assert len(results.candidates) > len(results.results)
    assert [one.rank for one in results.candidates] == list(range(1, len(results.candidates) + 1))
    assert [one.chunk.chunk_id for one in results.candidates[:2]] == [
        result.chunk.chunk_id for result in results.results
    ]


def test_a_hybrid_query_without_words_goes_to_the_characters(find: Find) -> None:
    """What no word says and no model reads is looked for as it stands; meaning has the say only where it stands
    nowhere.
    """
    results = find("`")
    assert results.weights == {"text": 1.0}
    assert all("`" in result.chunk.content and result.exact for result in results.results)
    nowhere = find("🙂")
    assert nowhere.weights == {"vector": 1.0}
    assert not any(result.exact for result in nowhere.results)


def test_a_sections_id_finds_its_subsections(find: Find, tiers: Workspace) -> None:
    """The filter of a section covers everything under its heading."""
    section = next(one for one in tiers.document("guide_handbook").sections if one.title == "Backups")
    titles = {
        result.chunk.title_path[-1]
        for result in find("hour nightly run", where={"section": section.section_id}, k=20).results
    }
    assert titles == {"Backups", "Schedule"}


def test_scores_alone_are_those_of_the_search(tiers: Workspace, embedder: WordEmbedder) -> None:
    """Larger sizes are read without their texts: the same ids and scores, on every level."""
    from chunking.store import TextQuery

    index, vector, words = (
        tiers.index(),
        embedder.embed(["restore a backup"], role="query")[0],
        TextQuery("restore a backup 滤芯"),
    )
    for level in ("chunk", "x2", "x4"):
        result = index.vector_search(vector, 100, {"path": "guide"}, levels=(level,))
        assert index.vector_scores(vector, 100, {"path": "guide"}, levels=(level,)) == {
            hit.chunk.chunk_id: hit.score for hit in result
        }
        by_words = index.text_search(words, 100, levels=(level,))
        assert index.start_text_scores(words, 100, levels=(level,))() == {
            hit.chunk.chunk_id: hit.score for hit in by_words
        }
        assert result
        assert by_words
    assert index.start_text_scores(TextQuery(), 100)() == {}

"""Searches on a real store: what comes back, how it explains itself, and what goes wrong clearly."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chunking.config import Config, SearchConfig, SearchMode
from chunking.errors import ModelError, NotFoundError, QueryError, StoreError
from chunking.retrieval import SearchResult, search
from chunking.store import Index, Workspace
from chunking.store.engine.lance_tables import Tables
from tests.support.facts import tells
from tests.support.shelf import SHELF, fill
from tests.support.word_embedder import WordEmbedder

Find = Callable[..., SearchResult]
HOSTILE = (
    *("*", "🙂🙂", 'unbalanced "quote', "a:b AND (c OR d", "'; DROP TABLE --"),
    *("x\x00y", "lone \ud800 half", "word " * 2_000, "字" * 10_000),
)
RESTORE = "To restore a backup, stop the service"


@pytest.fixture
def find(shelf: Workspace, embedder: WordEmbedder) -> Find:
    """`find(query, mode=..., k=..., where=...)` on the shelf."""

    def run(query: str, *, where: dict[str, str] | None = None, **settings: object) -> SearchResult:
        return search(
            shelf,
            query,
            SearchConfig.model_validate({"retrieval": "chunk", **settings}),
            where=where,
            embedder=embedder,
        )

    return run


@pytest.mark.parametrize("mode", SearchMode)
def test_every_hit_is_a_span_of_its_document(find: Find, shelf: Workspace, mode: SearchMode) -> None:
    """Chunk, highlights, neighbours and passages are exact slices of the stored text."""
    result = find("restore the nightly backup", mode=mode, before=2, after=2)
    assert result.results
    for hit in result.results:
        text = shelf.document(hit.chunk.doc_id).text
        assert all(text[chunk.start : chunk.end] == chunk.content for chunk in (hit.chunk, *hit.neighbours))
        assert all(hit.chunk.start <= start < end <= hit.chunk.end for start, end in hit.highlights)
    for passage in result.passages:
        assert passage.text == shelf.document(passage.doc_id).text[passage.start : passage.end]


def test_a_hybrid_hit_explains_its_score(find: Find) -> None:
    """Both legs' rank, score, standardised score and weight, and the sum; as numbers and as a sentence."""
    hit = find("reset a forgotten password by mail").results[0]
    assert "forgotten password" in hit.chunk.content
    assert {name: leg.rank for name, leg in hit.legs.items()} == {"vector": 1, "text": 1}
    assert hit.score == pytest.approx(sum(leg.weight * leg.z for leg in hit.legs.values()))
    assert hit.explanation.startswith("Vector: rank 1 of ")
    assert hit.explanation.endswith(f"Sum {hit.score:.2f}.")
    assert hit.matched_fields == ("content",)
    assert hit.citation == f"Handbook › Users · guide/handbook.md · characters {hit.chunk.start}–{hit.chunk.end}"


@pytest.mark.parametrize("mode", ["vector", "text"])
def test_a_mode_alone_searches_one_leg(find: Find, mode: str) -> None:
    """Its own scores, its own order, and no other leg."""
    result = find("restore a backup", mode=mode)
    assert result.weights == {mode: 1.0}
    assert [hit.legs[mode].rank for hit in result.results] == sorted(hit.legs[mode].rank or 0 for hit in result.results)
    assert all(hit.legs.keys() == {mode} and hit.score == hit.legs[mode].score for hit in result.results)


def test_a_repeated_text_is_found_once_and_says_where_else(find: Find) -> None:
    """The same paragraph stands in two documents; with the setting off both are hits."""
    result = find(RESTORE)
    hits = [hit for hit in result.results if hit.chunk.content.strip().startswith(RESTORE)]
    assert len(hits) == 1
    other = hits[0].repeats[0]
    assert {hits[0].chunk.doc_id, other.doc_id} == {"guide_handbook", "guide_quick_start"}
    assert f"characters {other.start}–{other.end}" in other.citation
    both = [hit for hit in find(RESTORE, deduplicate=False).results if hit.chunk.content.strip().startswith(RESTORE)]
    assert len(both) == 2
    assert not both[0].repeats


def test_neighbours_stay_in_the_section_unless_told(find: Find) -> None:
    """Three hops each way: within the parent by default, across when asked."""
    inside = find("forgotten password", k=1, before=3, after=3).results[0]
    across = find("forgotten password", k=1, before=3, after=3, across_parents=True).results[0]
    assert {chunk.parent_id for chunk in inside.neighbours} <= {inside.chunk.parent_id}
    assert len({chunk.parent_id for chunk in across.neighbours}) > 1
    assert [chunk.chunk_index for chunk in across.neighbours] == sorted(
        chunk.chunk_index for chunk in across.neighbours
    )
    assert not find("forgotten password", before=0, after=0).results[0].neighbours


def test_hits_come_grouped_by_document(find: Find) -> None:
    """Each document once, with its best score, its hits and the context between them."""
    result = find("backup service account", k=6)
    assert [group.score for group in result.documents] == sorted(
        (group.score for group in result.documents), reverse=True
    )
    assert sorted(hit.rank for group in result.documents for hit in group.matched) == [
        hit.rank for hit in result.results
    ]
    for group in result.documents:
        assert group.score == max(hit.score for hit in group.matched)
        assert not {hit.chunk.chunk_id for hit in group.matched} & {chunk.chunk_id for chunk in group.context}
    assert result.documents[0].title in ("Handbook", "Quick start")
    assert "  Backups" in result.doc_tocs["guide_handbook"]


@pytest.mark.parametrize("mode", SearchMode)
@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"document": "guide_quick_start"}, {"guide_quick_start"}),
        ({"path": "guide"}, {"guide_handbook", "guide_quick_start"}),
        ({"section": "Backups"}, {"guide_handbook"}),
        ({"path": "guide", "section": "First steps"}, {"guide_quick_start"}),
        ({"content_type": "equation"}, set()),
    ],
)
def test_filters_hold_in_every_mode(find: Find, mode: SearchMode, where: dict[str, str], expected: set[str]) -> None:
    """Every hit fulfils every condition, and what fulfils them is found."""
    result = find("service administrator account backup", mode=mode, where=where, k=20)
    assert {hit.chunk.doc_id for hit in result.results} == expected


def test_a_phrase_is_searched_as_one(find: Find) -> None:
    """Words in this order only; by words alone nothing else comes."""
    assert [hit.chunk.doc_id for hit in find('"copy the archive back"', mode="text", deduplicate=False).results]
    assert not find('"back archive the copy"', mode="text").results
    hits = find("“滤芯前”", mode="text").results
    assert [hit.chunk.doc_id for hit in hits] == ["manuals_manual"]


def test_a_phrase_binds_every_leg(find: Find) -> None:
    """Quoted words are asked for as they are: what is near in meaning and lacks them is left out, and that is said."""
    result = find('"copy the archive back"', k=50, deduplicate=False)
    assert {"vector", "text"} == result.weights.keys()
    assert result.results
    assert all("copy the archive back" in hit.chunk.content for hit in result.results)
    assert tells(result.notes, "only quoted phrases")
    only_meaning = find('"Copy  the archive back"', mode="vector", k=50, deduplicate=False)
    assert {hit.chunk.chunk_id for hit in only_meaning.results} == {hit.chunk.chunk_id for hit in result.results}


def test_a_phrase_that_stands_nowhere_is_reported(find: Find) -> None:
    """The nearest without it are better than an empty page, but never passed off as holding it."""
    result = find('"back archive the copy"')
    assert result.results
    assert tells(result.notes, "no chunk quoted phrases nearest without")


def test_phrases_in_an_index_of_pairs_of_characters(tmp_path: Path, embedder: WordEmbedder) -> None:
    """The engine takes most of a phrase's pairs for the phrase; we do not."""
    workspace = Workspace.open(tmp_path / "pairs")
    fill(workspace, SHELF, embedder, Config.from_settings({"size": "32", "min_size": "0", "index.tokenizer": "ngram"}))
    texts = SearchConfig(mode=SearchMode.TEXT, deduplicate=False)
    assert search(workspace, '"copy the archive back"', texts).results
    assert not search(workspace, '"back archive the copy"', texts).results


@pytest.mark.parametrize("mode", ["hybrid", "text"])
@pytest.mark.parametrize("query", ["水阀并断", "阀并"])
def test_chinese_cut_across_words_is_found_as_characters(find: Find, mode: str, query: str) -> None:
    """Full text knows words; what begins or ends inside one is looked for as it stands, and explained as that."""
    result = find(query, mode=mode)
    assert result.results
    assert all(query in hit.chunk.content for hit in result.results)
    assert result.storage_calls <= 3


def test_characters_that_are_no_words_are_found(find: Find) -> None:
    """A backtick is no word; by words alone, chunks that hold one are found and say why."""
    result = find("`", mode="text", k=50)
    assert result.results
    assert all("`" in hit.chunk.content for hit in result.results)
    assert result.results[0].explanation.startswith("Contains exactly")
    assert tells(result.notes[-1:], "full text words exactly characters")


def test_chinese_goes_to_the_words_and_the_user_is_reported(find: Find) -> None:
    """The packaged model reads [UNK] for most of it, so the vector leg is off, and the right chunk comes first."""
    result = find("滤芯多久更换一次？")
    assert result.language == "zh"
    assert result.weights == {"text": 1.0}
    assert "cannot read" in result.notes[0]
    assert "每六个月更换一次" in result.results[0].chunk.content
    text = result.results[0].chunk
    assert "更换一次" in {
        text.content[start - text.start : end - text.start] for start, end in result.results[0].highlights
    }


def test_minimum_similarity_drops_vector_hits_below(find: Find) -> None:
    """By meaning only what is near enough; what the words find stays."""
    neighbours = find("restore a backup", mode="vector", min_similarity=0.3, k=50)
    assert neighbours.results
    assert all(hit.score >= 0.3 for hit in neighbours.results)
    assert len(neighbours.results) < len(find("restore a backup", mode="vector", k=50).results)
    assert find("restore a backup", min_similarity=1.0).results


@pytest.mark.parametrize("mode", SearchMode)
@pytest.mark.parametrize("query", HOSTILE)
def test_hostile_queries_are_safe(find: Find, mode: SearchMode, query: str) -> None:
    """No error in any mode; at most nothing is found."""
    result = find(query, mode=mode)
    assert result.query == query
    assert len(result.results) <= 5


def test_a_query_without_words_says_so(find: Find) -> None:
    """Nothing for full text to look up: said, not silently empty."""
    assert tells(find("* 🙂", mode="text").notes, "no word query full text")


def test_bad_requests_are_one_sentence(find: Find, shelf: Workspace, embedder: WordEmbedder) -> None:
    """An empty query, an unknown filter, an unknown index."""
    with pytest.raises(QueryError, match="query is empty"):
        find("  ")
    with pytest.raises(QueryError, match="no filter 'colour'"):
        find("backup", where={"colour": "red"})
    with pytest.raises(NotFoundError, match="no index 'other'"):
        search(shelf, "backup", index="other", embedder=embedder)


def test_an_index_is_searched_with_its_own_model_only(shelf: Workspace) -> None:
    """Vectors of another model would give nonsense silently."""

    class Other(WordEmbedder):
        key = "other@2+fp32"

    with pytest.raises(ModelError, match=r"vectors of words@1, not of other@2"):
        search(shelf, "backup", SearchConfig(), embedder=Other())


def test_a_search_by_words_loads_no_model(shelf: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither torch nor the embedder is touched, even when there is no embedder at all."""
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    assert search(shelf, "restore a backup", SearchConfig(mode="text")).results


def test_the_same_question_is_embedded_once(shelf: Workspace) -> None:
    """Going back to a question costs no model."""
    mine = WordEmbedder()
    for _ in range(3):
        search(shelf, "a question that nobody asked before", SearchConfig(), embedder=mine)
    assert mine.texts_encoded == 1


def test_stages_say_how_many_and_how_long(find: Find) -> None:
    """Each step with its count, in the order in which it ran."""
    result = find("restore a backup")
    assert [stage.name for stage in result.stages] == [
        *("query vector", "vector", "text", "fusion", "deduplication", "neighbours", "results", "documents", "context")
    ]
    counts = {stage.name: stage.count for stage in result.stages}
    assert counts["results"] == len(result.results)
    assert counts["fusion"] >= counts["deduplication"] >= counts["results"]
    assert all(stage.milliseconds >= 0 for stage in result.stages)


def test_the_indexs_own_settings_are_the_default(tmp_path: Path, embedder: WordEmbedder) -> None:
    """Without settings a search uses those that the index was made with; the newest index without a name."""
    workspace = Workspace.open(tmp_path)
    fill(workspace, SHELF, embedder, Config.from_settings({"search.k": "2", "search.mode": "text"}), name="older")
    fill(workspace, SHELF, embedder, Config.from_settings({"search.k": "3", "search.mode": "text"}), name="newer")
    assert (search(workspace, "backup").index, len(search(workspace, "backup service account").results)) == ("newer", 3)
    assert search(workspace, "backup", index="older").mode == "text"


def test_an_index_built_anew_meanwhile_is_searched_again(
    tmp_path: Path, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a worker replaces the table during a search, the new table answers, without an error."""
    workspace = Workspace.open(tmp_path / "rebuilt")
    fill(workspace, SHELF, embedder)
    steps = Index.neighbours
    rebuilt: list[str] = []

    def neighbours(index: Index, *args: object, **settings: object) -> object:
        if not rebuilt:
            rebuilt.append(index.row.table)
            fill(Workspace.open(workspace.uri), SHELF, embedder)
        return steps(index, *args, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr(Index, "neighbours", neighbours)
    result = search(workspace, "restore a backup", SearchConfig(mode=SearchMode.TEXT))
    assert result.results
    assert rebuilt != [workspace.index().row.table]


def test_an_index_that_is_damaged_is_not_searched_for_ever(tmp_path: Path, embedder: WordEmbedder) -> None:
    """Its table is gone and no other has come: one sentence."""
    workspace = Workspace.open(tmp_path / "damaged")
    fill(workspace, SHELF, embedder)
    workspace._tables.drop(workspace.index().row.table)
    with pytest.raises(StoreError, match="build the index again"):
        search(workspace, "backup", SearchConfig(mode=SearchMode.TEXT))


def test_both_legs_are_under_way_before_the_search_waits_for_one(
    find: Find, shelf: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors and full text take the time of the slower one; neighbours are read after both."""
    start, order = Tables.start, list[str]()

    def watched(tables: Tables, what: str, query: object) -> Callable[[], object]:
        wait = start(tables, what, query)
        order.append("started")

        def waited() -> object:
            order.append("waited")
            return wait()

        return waited

    find("backup")
    monkeypatch.setattr(Tables, "start", watched)
    result = find("backup", before=1)
    assert order == ["started", "started", "waited", "waited", "started", "waited"]
    assert result.storage_calls == 3

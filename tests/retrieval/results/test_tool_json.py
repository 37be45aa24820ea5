"""The form in which a language model gets results, key by key, and whole documents."""

from __future__ import annotations

import json

import pytest

from chunking.config import Config, SearchConfig
from chunking.errors import NotFoundError
from chunking.retrieval import explained, fetch, search, siblings, siblings_of, to_tool_json
from chunking.store import Workspace
from tests.support.shelf import HANDBOOK, SHELF, fill
from tests.support.word_embedder import WordEmbedder

HIT_KEYS = (
    *("rank", "doc_id", "chunk_id", "score", "content", "content_preview", "metadata", "start", "end"),
    *("legs", "neighbours", "citation", "matched_fields", "highlights"),
)
DOCUMENT_KEYS = (
    *("doc_id", "title", "relative_path", "score", "matched_fields", "highlights"),
    *("matched_chunks", "context_chunks", "siblings"),
)
METADATA_KEYS = {
    *("file_path", "relative_path", "file_name", "path_hierarchy", "category", "chunk_index", "total_chunks"),
    *("chunk_type", "section_path", "doc_toc"),
}


def test_search_results_have_exactly_the_promised_keys(shelf: Workspace, embedder: WordEmbedder) -> None:
    """As the command line's `search` prints them; JSON all the way down."""
    output = to_tool_json(search(shelf, "restore a backup", SearchConfig(k=3), embedder=embedder))
    assert json.loads(json.dumps(output, allow_nan=False)) == output
    assert list(output) == ["query", "mode", "fingerprint", "results", "documents"]
    assert [hit["rank"] for hit in output["results"]] == [1, 2, 3]
    for hit in output["results"]:
        assert tuple(hit) == HIT_KEYS
        assert hit["metadata"].keys() == METADATA_KEYS
        assert hit["content_preview"] == hit["content"][:200]
        assert hit["legs"].keys() == {"vector", "text"}
        assert all(leg is None or leg.keys() == {"rank", "score"} for leg in hit["legs"].values())
        assert all(neighbours.keys() == {"chunk_id", "start", "end", "content"} for neighbours in hit["neighbours"])


def test_hits_are_grouped_by_document(shelf: Workspace, embedder: WordEmbedder) -> None:
    """Which chunks matched, which stand around them, what is highlighted, and the siblings where they are given; no
    text twice.
    """
    result = search(shelf, "restore a backup of the archive", SearchConfig(k=4), embedder=embedder)
    output = to_tool_json(result, siblings_of(shelf, [group.doc_id for group in result.documents], 1))
    assert json.loads(json.dumps(output, allow_nan=False)) == output
    rows = {hit["chunk_id"]: hit for hit in output["results"]}
    neighbours = {one["chunk_id"] for hit in output["results"] for one in hit["neighbours"]} - rows.keys()
    assert [one["score"] for one in output["documents"]] == sorted(
        (one["score"] for one in output["documents"]), reverse=True
    )
    for one in output["documents"]:
        assert tuple(one) == DOCUMENT_KEYS
        hits = [hit for hit in output["results"] if hit["doc_id"] == one["doc_id"]]
        assert [(child["chunk_id"], child["result"]) for child in one["matched_chunks"]] == [
            (hit["chunk_id"], hit["rank"]) for hit in hits
        ]
        assert one["score"] == hits[0]["score"]
        assert set(one["highlights"]) == {mark["text"] for hit in hits for mark in hit["highlights"]}
        text = shelf.document(one["doc_id"]).text
        assert all(text[mark["start"] : mark["end"]] == mark["text"] for hit in hits for mark in hit["highlights"])
        assert all("content" not in child for child in (*one["matched_chunks"], *one["context_chunks"]))
        neighbours -= {child["chunk_id"] for child in one["context_chunks"]}
    assert neighbours == set()
    handbook = next(one for one in output["documents"] if one["doc_id"] == "guide_handbook")
    assert handbook["siblings"] == {
        "path": ["guide"],
        "count": 1,
        "nearest": [{"doc_id": "guide_quick_start", "relative_path": "guide/quick_start.md", "title": "Quick start"}],
    }
    assert {"backup", "archive"} <= {text.lower() for text in handbook["highlights"]}
    assert [one["siblings"] for one in to_tool_json(result)["documents"]] == [None] * len(output["documents"])


def test_of_a_parent_the_chunks_found_in_it_are_listed(tiers: Workspace, embedder: WordEmbedder) -> None:
    """With the rank of the result that holds them."""
    result = search(
        tiers, "restore a backup", SearchConfig.model_validate({"retrieval": "parent", "k": 3}), embedder=embedder
    )
    output = to_tool_json(result)
    children = {(child.chunk.chunk_id, hit.rank) for hit in result.results for child in hit.matched}
    listed = {(child["chunk_id"], child["result"]) for one in output["documents"] for child in one["matched_chunks"]}
    assert children
    assert children <= listed


def test_metadata_says_where_a_chunk_belongs(shelf: Workspace, embedder: WordEmbedder) -> None:
    """Path, place, title path and the document's whole outline."""
    first = to_tool_json(search(shelf, "nightly hour setting backup.toml", SearchConfig(k=1), embedder=embedder))[
        "results"
    ][0]
    metadata = first["metadata"]
    assert metadata["relative_path"] == "guide/handbook.md"
    assert metadata["file_name"] == "handbook.md"
    assert metadata["path_hierarchy"] == ["guide"]
    assert metadata["section_path"] == ["Handbook", "Backups", "Schedule"]
    assert metadata["doc_toc"] == shelf.document("guide_handbook").doc_toc
    assert 0 <= metadata["chunk_index"] < metadata["total_chunks"]
    assert HANDBOOK[first["start"] : first["end"]] == first["content"]


def test_a_leg_that_was_not_searched_is_null(shelf: Workspace) -> None:
    """Both keys stand there in every mode."""
    for hit in to_tool_json(search(shelf, "backup", SearchConfig(mode="text")))["results"]:
        assert hit["legs"]["vector"] is None
        assert hit["legs"]["text"]["rank"] == hit["rank"]


def test_a_summary_stands_in_the_metadata(tiers: Workspace, embedder: WordEmbedder) -> None:
    """And as the content of a hit that has no text of its own; chunks have no such key."""
    config = SearchConfig.model_validate({"retrieval": "hierarchical", "k": 12})
    hits = to_tool_json(search(tiers, "handbook of the archive backups users", config, embedder=embedder))["results"]
    summaries = [hit for hit in hits if "summary" in hit["metadata"]]
    assert 0 < len(summaries) < len(hits)
    for hit in summaries:
        assert tuple(hit) == HIT_KEYS
        assert hit["content"] == hit["metadata"]["summary"]


@pytest.mark.parametrize("retrieval", ["chunk", "parent", "merge", "hierarchical", "multi_granularity"])
def test_an_explained_search_has_everything_and_the_rest_as_it_was(
    tiers: Workspace, embedder: WordEmbedder, retrieval: str
) -> None:
    """JSON all the way; steps add up to the score; the context is the one that fits."""
    config = SearchConfig.model_validate({"retrieval": retrieval, "k": 4, "budget": 300, "rerank": "title"})
    result = search(tiers, "restore a backup 滤芯", config, embedder=embedder)
    output, plain = explained(result), to_tool_json(result)
    assert json.loads(json.dumps(output, allow_nan=False)) == output
    assert list(output) == [*plain, "retrieval", "weights", "notes", "absence", "stages", "context"]
    assert [{key: value for key, value in hit.items() if key != "explain"} for hit in output["results"]] == plain[
        "results"
    ]
    for hit in output["results"]:
        assert list(hit["explain"]) == ["steps", "matched"]
        assert sum(step["amount"] for step in hit["explain"]["steps"]) == pytest.approx(hit["score"])
    assert output["context"]["tokens"] <= 300
    assert {stage["phase"] for stage in output["stages"]} >= {"legs", "fusion", "rerank", "expand", "assemble"}


def test_fetch_gives_the_whole_document_once(tmp_path, embedder: WordEmbedder) -> None:
    """Two lines and the exact text, though the chunks overlap."""
    workspace = Workspace.open(tmp_path)
    fill(workspace, SHELF, embedder, Config.from_settings({"size": "32", "min_size": "0", "overlap": "50%"}))
    total = len(workspace.index().chunks_of("guide_handbook"))
    assert total > 5
    assert fetch(workspace, "guide_handbook") == f"Document: guide_handbook\nTotal chunks: {total}\n\n{HANDBOOK}"
    with pytest.raises(NotFoundError):
        fetch(workspace, "nobody")


def test_fetch_works_before_there_is_an_index(tmp_path) -> None:
    """Nothing is cut yet: no chunks, and the text all the same."""
    from chunking.parsing import parse

    workspace = Workspace.open(tmp_path)
    workspace.put_document(parse(b"# One\n\nText.", "one.md"))
    assert fetch(workspace, "one") == "Document: one\nTotal chunks: 0\n\n# One\n\nText."


def test_siblings_are_the_nearest_in_the_folder(tmp_path) -> None:
    """By name as people sort them; other folders and subfolders do not count."""
    from chunking.parsing import parse

    workspace = Workspace.open(tmp_path)
    sources = [*(f"guide/c{n}.md" for n in range(1, 12)), "guide/deep/c5.md", "other/c6.md", "alone.md"]
    workspace.put_documents([parse(b"# Chapter\n\nText.", source) for source in sources])
    result = siblings(workspace, "guide_c9", 3)
    assert (result.path, result.count) == (("guide",), 10)
    assert [row.source for row in result.nearest] == ["guide/c7.md", "guide/c8.md", "guide/c10.md"]
    assert siblings(workspace, "alone") == siblings(workspace, "alone", 0)
    assert siblings(workspace, "alone").count == 0
    with pytest.raises(NotFoundError, match="no document 'nobody'"):
        siblings(workspace, "nobody")

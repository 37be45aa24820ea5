"""Search over whole documents, where there is no index yet."""

from __future__ import annotations

import pytest

from chunking.config import SearchConfig
from chunking.errors import NotFoundError, QueryError
from chunking.parsing import parse
from chunking.retrieval import SearchResult, explained, search, search_documents
from chunking.store import Workspace
from tests.support.shelf import SHELF


@pytest.fixture(scope="module")
def unindexed(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The shelf, only parsed. Not to be written to."""
    workspace = Workspace.open(tmp_path_factory.mktemp("unindexed") / "workspace")
    workspace.put_documents([parse(text.encode(), source) for source, text in SHELF.items()])
    return workspace


def sources(results: SearchResult) -> list[str]:
    return [result.chunk.doc_id for result in results.results]


@pytest.mark.parametrize(
    ("query", "first", "says"),
    [
        ("How do I reset a forgotten password?", "guide_handbook", "password is reset"),
        ("beginning without reading the whole handbook", "guide_quick_start", "begin at once"),
        ("整机保修期限是多久", "manuals_manual", "两年"),
        ("SCHEDULED backups: nightly", "guide_handbook", "nightly run"),
    ],
)
def test_the_document_and_its_chunk_are_found(unindexed: Workspace, query: str, first: str, says: str) -> None:
    """A result a document, the chunk in it that says most; its text, neighbours and highlights are exact spans."""
    results = search(unindexed, query)
    best = results.results[0]
    assert best.chunk.doc_id == first
    assert says in best.chunk.content
    assert len(set(sources(results))) == len(results.results)
    for result in results.results:
        text = unindexed.document(result.chunk.doc_id).text
        for chunk in (result.chunk, *result.neighbours):
            assert text[chunk.start : chunk.end] == chunk.content
        assert all(result.chunk.start <= span.start < span.end <= result.chunk.end for span in result.highlights)
        assert result.score == pytest.approx(sum(step.amount for step in result.steps))
    assert best.highlights
    assert results.context.sources[0].doc_id == first
    assert (results.index, results.fingerprint, [group.doc_id for group in results.documents]) == (
        "",
        "",
        sources(results),
    )
    assert any("no index" in note for note in results.notes)
    assert explained(results)["results"][0]["legs"]["vector"] is None


def test_a_phrase_decides(unindexed: Workspace) -> None:
    """Only the documents that hold it; where none does, those of the words, and a note."""
    assert set(sources(search_documents(unindexed, '"restore a backup"'))) == {"guide_handbook", "guide_quick_start"}
    assert sources(search_documents(unindexed, '"hour of the nightly" backup')) == ["guide_handbook"]
    missing = search_documents(unindexed, '"backup of the moon"')
    assert missing.results
    assert any("quoted" in note for note in missing.notes)


def test_filters_and_k(unindexed: Workspace) -> None:
    """Those about documents count; one about chunks, or an unknown one, is a sentence."""
    assert set(sources(search_documents(unindexed, "backup 保修", where={"path": "./guide/"}))) <= {
        "guide_handbook",
        "guide_quick_start",
    }
    assert sources(search_documents(unindexed, "backup", where={"document": "guide/quick_start.md"})) == [
        "guide_quick_start"
    ]
    assert sources(search_documents(unindexed, "backup 保修", where={"language": "zh"})) == ["manuals_manual"]
    assert len(search_documents(unindexed, "backup", SearchConfig(k=1)).results) == 1
    for key in ("section", "colour"):
        with pytest.raises(QueryError, match=key):
            search_documents(unindexed, "backup", where={key: "x"})


@pytest.mark.parametrize("query", ["zebra", "*", "🙂", "a:b AND (c", "' OR 1=1 --", "\udc80 x"])
def test_any_query_is_safe(unindexed: Workspace, query: str) -> None:
    """Hits or none."""
    assert all(result.score > 0 for result in search_documents(unindexed, query).results)


def test_calls_do_not_grow_with_the_results(unindexed: Workspace) -> None:
    """One for the texts, one for the documents of the results; the list of documents is read once."""
    search_documents(unindexed, "backup")
    assert [search_documents(unindexed, "backup 保修 password", SearchConfig(k=k)).storage_calls for k in (1, 3)] == [
        2,
        2,
    ]


def test_nothing_there_is_a_sentence(tmp_path) -> None:
    """Neither an index nor a document; and an index that is named has to be there."""
    workspace = Workspace.open(tmp_path)
    with pytest.raises(NotFoundError, match="no index yet"):
        search(workspace, "backup")
    workspace.put_document(parse(b"---\ntitle: Backup\n---\n", "bare.md"))
    assert len(search(workspace, "backup").results) <= 1
    with pytest.raises(NotFoundError):
        search(workspace, "backup", index="main")

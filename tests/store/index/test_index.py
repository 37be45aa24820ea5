"""Searching and replacing the chunks of an index."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chunking.config import Config
from chunking.errors import QueryError, StoreError
from chunking.store import Index, TextQuery, Workspace
from tests.store.indexed import INSTALL, MANUAL
from tests.support import store_rows as made


def ids(hits: list) -> list[str]:
    return [hit.chunk.chunk_id for hit in hits]


def test_vector_search_finds_the_chunk_its_vector_came_from(index: Index) -> None:
    """The text's own vector comes first, with cosine 1, and nothing of the chunk is lost on the way."""
    chunk = made.chunks(INSTALL)[1]
    hits = index.vector_search(made.vector(chunk.embedding_content), 3)
    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert hits[0].score == pytest.approx(1.0, abs=1e-5)
    result = hits[0].chunk
    assert replace(result, metadata={}) == replace(chunk, metadata={})
    assert result.metadata == {"n": 1, "title": "install", "gap": "\n\n"}


def test_wrong_dimension_names_both_numbers(index: Index) -> None:
    """The engine's own message is misleading; ours says what the index holds."""
    with pytest.raises(QueryError, match=r"\(3,\).*8 dimensions"):
        index.vector_search(np.ones(3, np.float32), 3)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        (TextQuery("jumping foxes"), "install_chunk1"),
        (TextQuery("备份"), "手册_chunk0"),
        (TextQuery("服务器"), "手册_chunk1"),
        (TextQuery(phrases=("brown fox",)), "install_chunk1"),
        (TextQuery("database", phrases=("configure the",)), "install_chunk2"),
    ],
)
def test_text_search_in_both_languages(index: Index, query: TextQuery, first: str) -> None:
    """Stemmed English, segmented Chinese and phrases are found, before and after the index is optimized."""
    assert ids(index.text_search(query, 5))[0] == first
    index.optimize()
    assert ids(index.text_search(query, 5))[0] == first


def test_a_phrase_must_match(index: Index) -> None:
    """Words in another order are not the phrase."""
    assert index.text_search(TextQuery("fox", phrases=("fox brown",)), 5) == []


def test_headings_are_searched_apart(index: Index) -> None:
    """A query over headings finds all chunks under one, and none for a word of the body."""
    assert len(index.text_search(TextQuery("install", fields=("headings",)), 9)) == 3
    assert index.text_search(TextQuery("fox", fields=("headings",)), 9) == []


@pytest.mark.parametrize(
    "text", ["", "  ", '"', "'; drop table x", "a AND (b", "*", "🎉", "\x00", "\ud800", "词" * 10_000, "title:fox^2~"]
)
def test_any_text_is_a_query(index: Index, text: str) -> None:
    """Nothing a person types is an operator or an error."""
    index.text_search(TextQuery(text, phrases=(text,)), 5)
    index.text_search(TextQuery(text), 5)
    index.substring_search(text, 5)


def test_ties_come_in_reading_order(workspace: Workspace, index: Index) -> None:
    """Chunks of one score are ranked by their place."""
    same = made.document("same", *["alpha beta"] * 6)
    rows = [replace(chunk, content="alpha beta", prefix="") for chunk in made.chunks(same)]
    index.replace_document(same, rows, made.vectors(rows), "f")
    assert ids(index.text_search(TextQuery("alpha"), 10)) == [chunk.chunk_id for chunk in rows]


def test_substrings_are_found_exactly(index: Index) -> None:
    """Half a word and punctuation are found, where they stand."""
    assert ids(index.substring_search("quick br", 5)) == ["install_chunk1"]
    assert ids(index.substring_search("，请", 5)) == ["手册_chunk0"]
    assert index.substring_search("quick  br", 5) == []


@pytest.mark.parametrize(
    ("where", "documents"),
    [
        ({"document": "install"}, {"install"}),
        ({"document": "guide/install.md"}, {"install"}),
        ({"category": "manual"}, {"手册"}),
        ({"path": "guide"}, {"install"}),
        ({"path": "guide/"}, {"install"}),
        ({"path": "guid"}, set()),
        ({"path": ".\\guide\\install.md"}, {"install"}),
        ({"path": "/"}, {"install", "手册"}),
        ({"path": ""}, {"install", "手册"}),
        ({"path": "guide2/手册.md"}, {"手册"}),
        ({"content_type": "table"}, set()),
        ({"section": "install"}, {"install"}),
        ({"section": "手册_sec0"}, {"手册"}),
        ({"language": "zh", "category": "manual"}, {"手册"}),
        ({"page": "3"}, {"install"}),
        ({"category": "x' OR '1'='1"}, set()),
        ({"category": "\ud800\x00\\"}, set()),
    ],
)
def test_filters_in_every_search(index: Index, where: dict[str, str], documents: set[str]) -> None:
    """Both legs and the substring scan obey the same conditions."""
    result = index.vector_search(made.vector("anything"), 20, where)
    assert {hit.chunk.doc_id for hit in result} == documents
    words = index.text_search(TextQuery("install database fox 安装 服务器 administrator"), 20, where)
    assert {hit.chunk.doc_id for hit in words} == documents
    assert {hit.chunk.doc_id for hit in index.substring_search("e", 20, where)} <= documents


def test_unknown_filter_names_the_filters(index: Index) -> None:
    """A wrong key is the user's to mend, so the sentence lists the right ones."""
    with pytest.raises(QueryError, match=r"no filter 'colour'.*document, category, path"):
        index.vector_search(made.vector("x"), 3, {"colour": "red"})


def test_chunks_by_id_is_one_call(workspace: Workspace, index: Index) -> None:
    """Unknown ids are left out, no ids cost nothing."""
    before = workspace.calls
    result = index.chunks_by_id(["手册_chunk1", "install_chunk0", "nobody_chunk0", "install_chunk0", "o'x\ud800"])
    assert sorted(result) == ["install_chunk0", "手册_chunk1"]
    assert workspace.calls - before == 1
    assert index.chunks_by_id([]) == {}
    assert workspace.calls - before == 1


@pytest.mark.parametrize("count", [1, 5])
def test_neighbours_are_one_call_whatever_the_hits(workspace: Workspace, index: Index, count: int) -> None:
    """Law 8: neighbours and outlines of all hits together come in one query."""
    hits = [hit.chunk for hit in index.vector_search(made.vector("x"), count)]
    before = workspace.calls
    result = index.neighbours(hits, 2, 2)
    assert workspace.calls - before == 1
    assert set(result.by_chunk) == {chunk.chunk_id for chunk in hits}
    assert all(result.doc_tocs[chunk.doc_id] == chunk.doc_id for chunk in hits)


def test_neighbours_stand_in_reading_order(index: Index) -> None:
    """Before and after, without the chunk itself, not beyond the document's ends."""
    first, second, third = index.chunks_of("install")
    result = index.neighbours([second, third], 2, 1).by_chunk
    assert result[second.chunk_id] == (first, third)
    assert result[third.chunk_id] == (first, second)


def test_neighbours_keep_to_their_parent(index: Index) -> None:
    """A chunk under another section is a neighbour only on request."""
    rows = made.chunks(INSTALL)
    rows[2] = replace(rows[2], parent_id="install_sec1")
    index.replace_document(INSTALL, rows, made.vectors(rows), "f")
    second = index.chunks_of("install")[1]
    assert [chunk.chunk_index for chunk in index.neighbours([second], 3, 3).by_chunk[second.chunk_id]] == [0]
    assert [
        chunk.chunk_index for chunk in index.neighbours([second], 3, 3, across_parents=True).by_chunk[second.chunk_id]
    ] == [0, 2]


def test_a_document_is_replaced_by_a_shorter_one(workspace: Workspace, index: Index) -> None:
    """It leaves nothing of the longer one, and other documents alone: a commit for what goes, one for what comes."""
    table = workspace._tables.table(index.row.table)
    shorter = made.document("install", "Only this is left.")
    rows = made.chunks(shorter)
    before = table.version
    index.replace_document(shorter, rows, made.vectors(rows), "new")
    assert table.version - before == 2
    assert [chunk.content for chunk in index.chunks_of("install")] == [rows[0].content]
    assert len(index.chunks_of("手册")) == 2
    assert index.document_fingerprints() == {"install": "new", "手册": f"fingerprint of {MANUAL.hash}"}


def test_documents_are_removed_by_their_own_id_only(index: Index) -> None:
    """An id with quotes is no condition."""
    index.remove_document("x' OR '1'='1")
    assert index.count() == 5
    index.remove_document("install")
    assert index.count() == 2


def test_chunks_that_do_not_fit_are_refused(index: Index) -> None:
    """Vectors of another dimension and doubled ids never reach the table."""
    rows = made.chunks(INSTALL)
    with pytest.raises(StoreError, match="8 dimensions"):
        index.replace_document(INSTALL, rows, np.zeros((3, 4), np.float32), "f")
    doubled = [rows[0], rows[0]]
    with pytest.raises(StoreError, match="the same id"):
        index.replace_document(INSTALL, doubled, made.vectors(doubled), "f")
    assert index.count() == 5


@pytest.mark.parametrize(
    ("tokenizer", "result", "lost"),
    [("icu", ["foxes", "数据库"], ["rown fo"]), ("ngram", ["rown", "据库"], ["zzzz"]), ("simple", ["foxes"], ["据库"])],
)
def test_each_setting_of_words_works(workspace: Workspace, tokenizer: str, result: list[str], lost: list[str]) -> None:
    """icu: words of both languages; ngram: parts of words; simple: what stands between spaces and punctuation."""
    config = Config.from_settings({"index.tokenizer": tokenizer})
    index = workspace.publish(workspace.create_index("words", config, model_key="fake@1", dimension=made.DIMENSION))
    for document in (INSTALL, MANUAL):
        rows = made.chunks(document)
        index.replace_document(document, rows, made.vectors(rows), "f", has_rows=False)
    index.optimize()
    assert all(index.text_search(TextQuery(text), 3) for text in result)
    assert not any(index.text_search(TextQuery(phrases=(text,)), 3) for text in lost)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("has_rows", [True, False])
def test_vectors_that_are_no_numbers_are_refused(index: Index, bad: float, has_rows: bool) -> None:
    """A failing model's are not taken for rows without a vector."""
    rows = made.chunks(INSTALL)
    broken = made.vectors(rows)
    broken[1, 3] = bad
    with pytest.raises(StoreError, match="not numbers"):
        index.replace_document(INSTALL, rows, broken, "f", has_rows=has_rows)
    assert index.count() == 5

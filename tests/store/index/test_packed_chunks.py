"""A chunk restored from one column is the chunk that all its columns give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.config import Config
from chunking.config.choices import FullTextTokenizer
from chunking.model import Chunk, Flag
from chunking.store import Index, TextQuery, Workspace
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import PACKED
from chunking.store.index.chunk_arrow import (
    CHUNK_FIELDS,
    PACKED_FIELDS,
    chunk_columns,
    restored_chunks,
    table_schema,
    with_packed,
)
from tests.store.indexed import INSTALL, MANUAL, fill
from tests.store.levels import all_levels, vectors
from tests.support import store_rows as made

TEXTS = st.text(st.characters(codec="utf-32-le"), max_size=30) | st.sampled_from(["", '"}', "\\", "\ud800", "[]", "手"])


@st.composite
def changed_chunks(draw: st.DrawFn) -> Chunk:
    """A chunk whose texts and lists are any, and whose embedded text ends with the content or does not."""
    content = draw(TEXTS)
    return replace(
        made.chunks(INSTALL)[draw(st.integers(0, 2))],
        content=content,
        embedding_content=draw(TEXTS) + draw(st.sampled_from([content, "", "no"])),
        prefix=draw(TEXTS),
        title_path=tuple(draw(st.lists(TEXTS, max_size=3))),
        pages=tuple(draw(st.lists(st.integers(0, 9), max_size=3))),
        bboxes=tuple(draw(st.lists(st.sampled_from([(0.5, 2.0, 3.25, 4.0)]), max_size=2))),
        flags=tuple(draw(st.lists(st.sampled_from(Flag), max_size=2))),
        metadata=draw(st.dictionaries(TEXTS, TEXTS | st.integers() | st.lists(TEXTS), max_size=3)),
        description=draw(TEXTS),
        children=tuple(draw(st.lists(TEXTS, max_size=2))),
        prev_id=draw(st.none() | TEXTS),
        summary=draw(TEXTS),
    )


@given(st.lists(changed_chunks(), max_size=4))
def test_both_ways_give_the_same_chunks(chunks: list[Chunk]) -> None:
    rows = chunk_columns(INSTALL, chunks, "f", FullTextTokenizer.SIMPLE)
    packed = with_packed(rows).select(PACKED_FIELDS)
    assert restored_chunks(packed) == restored_chunks(rows.select(CHUNK_FIELDS))


def test_searches_and_neighbours_read_two_columns(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the score, or the outline: the engine's time for a row grows with the columns."""
    read: list[set[str]] = []
    start = Tables.start_columns

    def noted(self: Tables, what: str, name: str, query: object, columns: tuple[str, ...]) -> object:
        read.append(set(columns))
        return start(self, what, name, query, columns)

    monkeypatch.setattr(Tables, "start_columns", noted)
    hits = index.vector_search(made.vector("fox"), 3)
    index.text_search(TextQuery("fox"), 3)
    index.substring_search("fox", 3)
    index.neighbours([hit.chunk for hit in hits], 1, 1)
    assert [columns - set(PACKED_FIELDS) for columns in read] == [{"_distance"}, {"_score"}, set(), {"doc_toc"}]
    assert all(columns > set(PACKED_FIELDS) or columns == set(PACKED_FIELDS) for columns in read)


def test_an_index_of_before_stays_without_the_column(workspace: Workspace) -> None:
    """It is searched and written as before, so that no row of it is restored from an empty value."""
    index = fill(workspace, INSTALL, MANUAL)
    lasting = index.vector_search(made.vector("fox"), 9)
    workspace._tables.table(index.row.table).drop_columns([PACKED])
    index = Index(Workspace.open(workspace.uri)._tables, index.row)
    assert index.vector_search(made.vector("fox"), 9) == lasting
    other = made.document("other", "One.", "Two.")
    rows = all_levels(other)
    index.replace_document(other, rows, vectors(rows), "g")
    index.replace_document(other, rows[:1], vectors(rows[:1]), "h", has_rows=True)
    assert [chunk.chunk_id for chunk in index.of_documents(["other"])] == ["other_chunk0"]
    assert PACKED not in workspace._tables.table(index.row.table).schema.names


def test_a_new_index_has_the_column(workspace: Workspace) -> None:
    assert not workspace._tables.is_packed("chunks_later")
    workspace._tables.table("chunks_later", table_schema(made.DIMENSION))
    assert workspace._tables.is_packed("chunks_later")
    index = workspace.create_index("main", Config(), model_key="fake", dimension=made.DIMENSION)
    index.add_rows(
        chunk_columns(INSTALL, made.chunks(INSTALL), "f", FullTextTokenizer.SIMPLE),
        np.eye(3, made.DIMENSION, dtype=np.float32),
    )
    assert index._tables.is_packed(index.row.table)
    assert [chunk.content for chunk in index.chunks_of("install")] == [one.content for one in made.chunks(INSTALL)]

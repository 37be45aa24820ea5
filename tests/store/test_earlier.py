"""Workspaces that versions made which knew no levels."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from chunking.model import CHUNK, PARENT
from chunking.store import Index, TextQuery, Workspace
from chunking.store.engine.schema import INDEXES, LATER, later_columns
from chunking.store.index.build_record import BuildReport
from tests.store.indexed import INSTALL, MANUAL, fill
from tests.store.levels import all_levels, vectors
from tests.support import store_rows as made


@pytest.fixture
def earlier(workspace: Workspace) -> Index:
    """An index as such a version leaves it: without the columns that came later, in its table and in the list."""
    index = fill(workspace, INSTALL, MANUAL)
    workspace.publish(index, replace(index.row, state="complete", fingerprint="f", documents=2, chunks=5))
    for name in (INDEXES, index.row.table):
        table = workspace._tables.table(name)
        table.drop_columns(list(later_columns(name)))
    return Workspace.open(workspace.uri).index()


def test_an_earlier_index_opens_and_searches(earlier: Index) -> None:
    """It holds chunks only, and nothing of it says so; what they do not have is empty."""
    assert earlier.row.built == BuildReport()
    assert (earlier.levels, earlier.count_levels(), earlier.count()) == ({CHUNK: 5}, {CHUNK: 5}, 5)
    chunk = made.chunks(INSTALL)[1]
    hit = earlier.vector_search(made.vector(chunk.embedding_content), 1)[0]
    assert replace(hit.chunk, metadata={}) == replace(chunk, metadata={})
    assert earlier.text_search(TextQuery("foxes"), 3)[0].chunk.level == CHUNK
    assert len(earlier.substring_search("the", 9, {"language": "en"})) == 2


def test_other_levels_are_not_there(earlier: Index) -> None:
    """Not an error: no row is found."""
    assert earlier.vector_search(made.vector("x"), 9, levels=("x2", PARENT)) == []
    assert earlier.text_search(TextQuery("fox"), 9, levels=(PARENT,)) == []
    assert earlier.substring_search("fox", 9, levels=(PARENT,)) == []
    assert (earlier.by_level(PARENT), earlier.vectors_of("x2").ids) == ([], [])
    assert len(earlier.vector_search(made.vector("x"), 9, levels=(CHUNK, PARENT))) == 5


def test_it_is_read_as_before(earlier: Index) -> None:
    """Neighbours, documents, vectors."""
    (hit,) = earlier.vector_search(made.vector("x"), 1)
    result = earlier.neighbours([hit.chunk], 1, 1, also=["install_chunk0", "install_parent0"])
    assert result.also.keys() == {"install_chunk0"}
    assert result.doc_tocs == {hit.chunk.doc_id: hit.chunk.doc_id}
    assert earlier.documents().keys() == {"install", "手册"}
    assert earlier.vectors_of().vectors.shape == (5, made.DIMENSION)
    assert earlier.document_vectors()[0] == ["install", "手册"]


@pytest.mark.parametrize("has_rows", [True, False])
def test_it_takes_levels_when_it_is_written(earlier: Index, has_rows: bool) -> None:
    """The columns are added; what stood there before is chunks."""
    other = made.document("other", "One.", "Two.")
    rows = all_levels(other)
    earlier.replace_document(other, rows, vectors(rows), "f", has_rows=has_rows)
    assert earlier.count_levels() == {CHUNK: 7, "document": 1, PARENT: 1, "section": 1, "x2": 1}
    fresh = Workspace.open(earlier._tables.uri).index()
    assert {hit.chunk.chunk_id for hit in fresh.vector_search(made.vector("x"), 99, levels=("x2",))} == {"other_x2_0"}
    assert len(fresh.vector_search(made.vector("x"), 99)) == 7


def test_its_documents_can_be_deleted_and_its_line_written(earlier: Index) -> None:
    """The list of indexes takes the new column."""
    workspace = Workspace.open(earlier._tables.uri)
    assert workspace.delete_documents(["手册"]) == 2
    row = replace(workspace.index().row, built=BuildReport(writer_model="m"))
    workspace.publish(workspace.index(), row)
    assert Workspace.open(workspace.uri).index().row.built.writer_model == "m"
    assert Workspace.open(workspace.uri).index().count() == 3


def test_a_kill_between_the_new_columns_is_mended(earlier: Index) -> None:
    """Each is added by itself; those that are missing come with the next write."""
    table = earlier._tables.table(earlier.row.table)
    for column in LATER["chunks_"][:2]:
        added = {"level": "'chunk'"} if column == "level" else [made_field(earlier, column)]
        partial(table.add_columns, added)()
    rows = all_levels(INSTALL)
    earlier.replace_document(INSTALL, rows, vectors(rows), "f")
    assert earlier.levels[PARENT] == 2
    assert np.isclose(earlier.vector_search(vectors(rows)[0], 1)[0].score, 1.0, atol=1e-5)


def made_field(index: Index, column: str) -> object:
    """The column's field in the schema of today."""
    from chunking.store.index.chunk_arrow import chunks_schema

    return chunks_schema(index.dimension).field(column)

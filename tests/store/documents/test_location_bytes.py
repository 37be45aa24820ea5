"""Locations in the store, and tables made before there were any."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.model import Document, Location
from chunking.store import Workspace, document_stamp
from chunking.store.documents.document_rows import packed_locations, unpacked_locations
from chunking.store.engine.schema import DOCUMENTS, LATER
from chunking.store.index.build_record import chunk_fingerprint
from tests.store.indexed import INSTALL, fill
from tests.support import store_rows as made

PLACES = (
    Location(0, 5, 1, (0.1, 1 / 3, 0.9, 0.35)),
    Location(6, 9, 1),
    Location(10, 14, 3, (0, 0, 1, 1)),
)


def placed(document: Document) -> Document:
    """A document with locations."""
    return replace(document, format="pdf", locations=PLACES, page_count=3)


def test_locations_come_back_exactly() -> None:
    """Boxes to the last bit, and where there is none, None."""
    assert unpacked_locations(packed_locations(PLACES)) == PLACES
    assert unpacked_locations(packed_locations(())) == unpacked_locations(None) == ()


def test_a_located_document_comes_back_as_it_was(workspace: Workspace) -> None:
    """With its fingerprint; its row counts the pages."""
    document = placed(INSTALL)
    workspace.put_document(document)
    stored = workspace.document(document.doc_id)
    assert stored == document
    assert chunk_fingerprint(Config(), stored) == chunk_fingerprint(Config(), document)
    (row,) = workspace.documents()
    assert (row.pages, row.as_record()["pages"], row.stamp) == (3, 3, document_stamp(document))


def test_locations_are_part_of_a_documents_stamp() -> None:
    """They reach the chunks. Without them a stamp is what it was before there were any, so that no index is out of
    date.
    """
    moved = replace(placed(INSTALL), locations=(PLACES[0]._replace(page=2), *PLACES[1:]))
    assert len({document_stamp(one) for one in (INSTALL, placed(INSTALL), moved)}) == 3
    assert document_stamp(INSTALL) == document_stamp(replace(INSTALL, format="pdf"))


def test_a_page_is_found_in_a_chunk_that_has_it_many_times(workspace: Workspace) -> None:
    """A page for every line: the filter still takes page 1 for page 1, not for 11."""
    index = fill(workspace, INSTALL)
    chunks = [
        replace(chunk, pages=pages, bboxes=((0.0, 0.0, 1.0, 1.0),) * 3)
        for chunk, pages in zip(made.chunks(INSTALL), [(1, 1, 2), (11, 11, 12), (2, 2, 3)], strict=True)
    ]
    with workspace.writer():
        index.replace_document(INSTALL, chunks, made.vectors(chunks), "x")
    vector = made.vector("anything")
    for page, result in {"1": {0}, "2": {0, 2}, "11": {1}, "4": set()}.items():
        assert {hit.chunk.chunk_index for hit in index.vector_search(vector, 9, {"page": page})} == result
    assert [chunk.pages for chunk in index.chunks_of(INSTALL.doc_id)] == [(1, 1, 2), (11, 11, 12), (2, 2, 3)]


@pytest.fixture
def old_workspace(tmp_path: Path) -> Workspace:
    """A workspace as the version before wrote it: `documents` without the columns that came later."""
    import lancedb

    workspace = Workspace.open(tmp_path / "old")
    fill(workspace, INSTALL)
    lancedb.connect(workspace.uri).open_table(DOCUMENTS).drop_columns(list(LATER[DOCUMENTS]))
    return Workspace.open(workspace.uri)


def test_an_old_workspace_opens(old_workspace: Workspace) -> None:
    """Read without being written to: no pages, no locations, everything else as it was; its index searches."""
    before = old_workspace.version()
    assert old_workspace.document(INSTALL.doc_id) == INSTALL
    assert [row.pages for row in old_workspace.documents()] == [0]
    assert list(old_workspace.read_documents([INSTALL.doc_id])) == [INSTALL]
    assert old_workspace.index().vector_search(made.vector("anything"), 1)
    assert old_workspace.version() == before


def test_an_old_workspace_takes_new_documents(old_workspace: Workspace) -> None:
    """The first write adds the columns; what was there stays, also for a reader that had the table open."""
    reader = Workspace.open(old_workspace.uri)
    assert reader.document(INSTALL.doc_id) == INSTALL
    new = placed(made.document("new", "Text."))
    old_workspace.put_document(new)
    for workspace in (old_workspace, reader, Workspace.open(old_workspace.uri)):
        assert (workspace.document("new"), workspace.document(INSTALL.doc_id)) == (new, INSTALL)
        assert {row.doc_id: row.pages for row in workspace.documents()} == {"new": 3, INSTALL.doc_id: 0}

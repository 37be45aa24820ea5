"""The list of an index's documents, kept through this process's writes and read again after others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.model import CLUSTER, Chunk, Document
from chunking.store import DocumentChunks, Index, Indexed, Workspace
from tests.store.indexed import INSTALL, MANUAL, fill
from tests.support import store_rows as made

SHORTER, EMPTY = made.document("install", "Only this."), made.document("install", "A paragraph.")
NODE = replace(made.chunks(INSTALL)[0], chunk_id="cluster_1_0", doc_id="", level=CLUSTER)


def stored(workspace: Workspace, index: Index) -> dict[str, Indexed]:
    """The documents as the table has them, read anew."""
    workspace._tables.listings.pop(index.row.table, None)
    return index.documents()


def put(index: Index, document: Document, rows: list[Chunk] | None = None) -> None:
    """Replace a document's rows."""
    rows = made.chunks(document) if rows is None else rows
    index.replace_documents(
        [DocumentChunks(document, rows, made.vectors(rows), document.hash)], has_rows={INSTALL.doc_id, MANUAL.doc_id}
    )


@contextmanager
def no_reads(index: Index, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail if the table is read for its documents."""
    with monkeypatch.context() as patch:
        patch.setattr(type(index), "_documents_where", lambda *_: pytest.fail("the list was read again"))
        yield


@pytest.mark.parametrize("place", ["folder", "memory"])
def test_own_writes_are_added_to_the_list(tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each kind of write the list is the table's, without a read."""
    workspace = Workspace.open(tmp_path if place == "folder" else "memory://")
    index = fill(workspace, INSTALL, MANUAL)
    new = [made.document(f"new {n}", "text") for n in range(2)]
    writes: list[Callable[[], object]] = [
        lambda: put(index, new[0]),
        lambda: put(index, SHORTER),
        lambda: put(index, INSTALL),
        lambda: index.replace_tree([NODE], made.vectors([NODE])),
        lambda: put(index, EMPTY, []),
        lambda: index.remove_document(MANUAL.doc_id),
        lambda: index.remove_tree(),
    ]
    with workspace.writer():
        index.documents()
        for write in writes:
            write()
            with no_reads(index, monkeypatch):
                listed = index.documents()
            assert listed == stored(workspace, index)
    assert listed.keys() == {"new 0"}


def test_a_write_of_another_process_is_read(tmp_path: Path) -> None:
    """Before one's own write, and in the middle of it: a list is never kept over it."""
    workspace = Workspace.open(tmp_path)
    index = fill(workspace, INSTALL)
    theirs = Workspace.open(tmp_path).index()
    assert index.documents().keys() == {"install"}
    put(theirs, MANUAL)
    assert index.documents().keys() == {"install", MANUAL.doc_id}
    put(theirs, made.document("their first", "text"))
    put(index, made.document("mine", "text"))
    assert index.documents() == stored(workspace, index)
    with index._writing(["mine"]):
        put(theirs, made.document("their second", "text"))
        index._tables.table(index.row.table).delete("doc_id = 'mine'")  # type: ignore[union-attr]
    assert index.documents().keys() == {"install", MANUAL.doc_id, "their first", "their second"}


def test_a_document_half_replaced_stays_in_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails after the rows without a successor are gone leaves the others, with the old stamp."""
    workspace = Workspace.open(tmp_path)
    index = fill(workspace, INSTALL)
    before = index.documents()
    monkeypatch.setattr(workspace._tables, "upsert", lambda *_, **__: 1 / 0)
    with workspace.writer(), pytest.raises(ZeroDivisionError):
        put(index, SHORTER)
    assert index.count() == 1
    assert index.documents() == before == stored(workspace, index)


def test_the_list_of_a_deleted_index_is_not_kept(tmp_path: Path) -> None:
    """It goes once the registry is read without it."""
    workspace = Workspace.open(tmp_path)
    index = fill(workspace, INSTALL)
    index.documents()
    assert index.row.table in workspace._tables.listings
    workspace.drop_index(index.name)
    assert workspace.indexes() == []
    assert index.row.table not in workspace._tables.listings


def test_levels_are_counted_by_their_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No row is read for the levels of the last build; a level that is new is noticed."""
    workspace = Workspace.open(tmp_path)
    index = fill(workspace, INSTALL, MANUAL)
    levels = index.count_levels()
    built = replace(index.row.built, levels={"chunk": 1, "parent": 7})
    index = Index(workspace._tables, replace(index.row, built=built))
    with monkeypatch.context() as patch:
        patch.setattr(workspace._tables, "columns", lambda *_: pytest.fail("the rows were read"))
        assert index.count_levels() == levels == {"chunk": 5}
    with workspace.writer():
        index.replace_tree([NODE], made.vectors([NODE]))
    assert index.count_levels() == {"chunk": 5, "cluster": 1}

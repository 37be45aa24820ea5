"""The source files of documents: kept by hash, replaced and deleted with their documents, and never lost half way."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.errors import StoreError
from chunking.model import Document
from chunking.store import Workspace
from tests.support import store_rows as made
from tests.support.disks import full_at


def with_file(doc_id: str, data: bytes) -> tuple[Document, dict[str, bytes]]:
    """A document read from some bytes, and these by their hash."""
    digest = hashlib.sha256(data).hexdigest()
    return replace(made.document(doc_id, "Text."), hash=digest), {digest: data}


def test_a_file_comes_back_byte_for_byte(workspace: Workspace) -> None:
    """In this process and for one that opens the workspace later; None for a document without one."""
    data = bytes(range(256)) * 1000
    document, files = with_file("a", data)
    workspace.put_documents([document, made.document("b", "Text.")], files)
    assert workspace.file(document.hash) == data
    reopened = Workspace.open(workspace.uri)
    assert [reopened.file(row.hash) for row in reopened.documents()] == [data, None]
    assert Workspace.open(workspace.uri).file("no such hash' OR 1=1") is None


def test_a_file_goes_with_the_last_document_that_has_it(workspace: Workspace) -> None:
    """Two documents of the same bytes share one."""
    first, files = with_file("a", b"%PDF")
    second, _ = with_file("b", b"%PDF")
    workspace.put_documents([first, second], files)
    workspace.delete_documents(["a"])
    assert workspace.file(first.hash) == b"%PDF"
    workspace.delete_documents(["b"])
    assert workspace.file(first.hash) is None


def test_a_new_version_replaces_the_file(workspace: Workspace) -> None:
    """The earlier version stays known by its hash, not by its bytes; saving the same again changes nothing."""
    old, files = with_file("a", b"one")
    new, later = with_file("a", b"two")
    workspace.put_documents([old], files)
    workspace.put_document(old)
    assert workspace.file(old.hash) == b"one"
    workspace.put_documents([new], later)
    assert (workspace.file(old.hash), workspace.file(new.hash)) == (None, b"two")


@pytest.mark.parametrize("most_by_id", [0, 1000])
def test_a_file_may_be_put_by_itself(workspace: Workspace, most_by_id: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before its document, while the workspace is held; one whose document never came is cleared away, of many, too."""
    monkeypatch.setattr("chunking.store.documents.document_table._MOST_BY_ID", most_by_id)
    document, files = with_file("a", b"one")
    with workspace.writer():
        workspace.put_file(document.hash, files[document.hash])
        workspace.put_document(made.document("b", "Text."))
        workspace.put_document(document)
    workspace.put_file("orphan", b"two")
    workspace.tidy()
    assert (workspace.file(document.hash), workspace.file("orphan")) == (b"one", None)


@pytest.mark.parametrize("call", range(1, 9))
def test_law_9_a_disk_that_fails_at_any_call(workspace: Workspace, call: int) -> None:
    """Each storage call of a save fails in turn: every document still has the file of its version."""
    old, files = with_file("a", b"one")
    new, later = with_file("a", b"two")
    workspace.put_documents([old], files)
    with full_at(workspace, call) as came:
        try:
            workspace.put_documents([new], later)
            assert not came()
        except StoreError:
            pass
    reopened = Workspace.open(workspace.uri)
    (row,) = reopened.documents()
    assert reopened.file(row.hash) == {old.hash: b"one", new.hash: b"two"}[row.hash]
    reopened.put_documents([new], later)
    reopened.tidy()
    assert (reopened.file(old.hash), reopened.file(new.hash)) == (None, b"two")


def test_a_workspace_that_never_had_files_has_no_table_for_them(workspace: Workspace) -> None:
    """And is not asked for one."""
    workspace.put_document(made.document("a", "Text."))
    workspace.delete_documents(["a"])
    assert "files" not in workspace._tables.names()
    assert not list(Path(workspace.uri).glob("files*"))

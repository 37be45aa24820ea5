"""Pins kept by a workspace: on every document that it hands out, in its stamp, and in a copy that is measured beside it."""

from __future__ import annotations

from pathlib import Path

from chunking.model import Pin, PinKind
from chunking.splitting.pins.pin_files import PinnedDocument
from chunking.splitting.pins.stored_pins import PINS, StoredPin
from chunking.store import Workspace
from chunking.store.documents.pinned_documents import add_pins, pinned_documents, pins_of
from tests.store.indexed import INSTALL, MANUAL


def test_documents_bear_their_pins(workspace: Workspace, tmp_path: Path) -> None:
    """Wherever they are read, a copy in another workspace too; undone, the stamp is the one before."""
    workspace.put_documents([INSTALL, MANUAL])
    stamps = {row.doc_id: row.stamp for row in workspace.documents()}
    at = INSTALL.text.index("jumps")
    pins = (StoredPin.of(INSTALL, PinKind.SPLIT, at), StoredPin.of(INSTALL, PinKind.LEAVE_OUT, 0, 3, "why"))
    assert add_pins(workspace, [INSTALL, MANUAL], [PinnedDocument("install", "", pins)]) == 2
    assert add_pins(workspace, [INSTALL, MANUAL], [PinnedDocument("install", "", pins)]) == 0
    read = workspace.document("install")
    assert read.pins == (Pin(PinKind.SPLIT, at, at), Pin(PinKind.LEAVE_OUT, 0, 3, "why"))
    assert [one.reason for one in read.omitted] == ["why"]
    assert workspace.parsed("install").pins == workspace.document(MANUAL.doc_id).pins == ()
    pinned = {row.doc_id: row.stamp for row in workspace.documents()}
    assert [doc_id for doc_id in stamps if stamps[doc_id] != pinned[doc_id]] == ["install"]
    (listed,) = pinned_documents(workspace)
    assert [(one.kind, one.anchor) for one in listed.pins] == [(one.kind, one.anchor) for one in pins]
    copy = Workspace.open(tmp_path / "copy")
    copy.put_documents(list(workspace.read_documents(["install"])))
    assert copy.document("install") == read
    assert copy.documents()[0].stamp == pinned["install"]
    workspace.changes.undo("install", PINS)
    assert not pins_of(workspace, "install")
    assert {row.doc_id: row.stamp for row in workspace.documents()} == stamps


def test_pins_of_a_deleted_document_wait_for_it(workspace: Workspace) -> None:
    """They are not exported while it is away, and hold again when it is back."""
    workspace.put_documents([INSTALL])
    add_pins(workspace, [INSTALL], [PinnedDocument("install", "", (StoredPin.of(INSTALL, PinKind.SPLIT, 9),))])
    workspace.delete_documents(["install"])
    assert not list(pinned_documents(workspace))
    workspace.put_documents([INSTALL])
    assert len(workspace.document("install").pins) == 1

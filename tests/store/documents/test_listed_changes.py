"""Changes kept by a workspace, pins here: on every document that it hands out, in its stamp, and in a copy that is
measured beside it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from chunking.model import Pin, PinKind
from chunking.parsing.edits import EDIT_FILE, EditedDocument, LeaveOut
from chunking.splitting.pins.stored_pins import PIN_FILE, PINS, PinnedDocument, StoredPin
from chunking.store import Workspace
from chunking.store.documents.listed_changes import add_changes, changed_documents, changes_of
from chunking.text.anchors import Anchor
from tests.store.indexed import INSTALL, MANUAL
from tests.support.facts import tells


def test_documents_bear_their_pins(workspace: Workspace, tmp_path: Path) -> None:
    """Wherever they are read, a copy in another workspace too; undone, the stamp is the one before."""
    workspace.put_documents([INSTALL, MANUAL])
    stamps = {row.doc_id: row.stamp for row in workspace.documents()}
    at = INSTALL.text.index("jumps")
    pins = (StoredPin.of(INSTALL, PinKind.SPLIT, at), StoredPin.of(INSTALL, PinKind.LEAVE_OUT, 0, 3, "why"))
    assert add_changes(workspace, [INSTALL, MANUAL], [PinnedDocument("install", "", pins)], PIN_FILE) == 2
    assert add_changes(workspace, [INSTALL, MANUAL], [PinnedDocument("install", "", pins)], PIN_FILE) == 0
    read = workspace.document("install")
    assert read.pins == (Pin(PinKind.SPLIT, at, at), Pin(PinKind.LEAVE_OUT, 0, 3, "why"))
    assert [one.reason for one in read.omitted] == ["why"]
    assert workspace.parsed("install").pins == workspace.document(MANUAL.doc_id).pins == ()
    pinned = {row.doc_id: row.stamp for row in workspace.documents()}
    assert [doc_id for doc_id in stamps if stamps[doc_id] != pinned[doc_id]] == ["install"]
    (listed,) = changed_documents(workspace, PIN_FILE)
    assert [(one.kind, one.anchor) for one in listed.changes] == [(one.kind, one.anchor) for one in pins]
    copy = Workspace.open(tmp_path / "copy")
    copy.put_documents(list(workspace.read_documents(["install"])))
    assert copy.document("install") == read
    assert copy.documents()[0].stamp == pinned["install"]
    workspace.changes.undo("install", PINS)
    assert not changes_of(workspace, "install", PIN_FILE)
    assert {row.doc_id: row.stamp for row in workspace.documents()} == stamps


def test_pins_of_a_deleted_document_wait_for_it(workspace: Workspace) -> None:
    """They are not exported while it is away, and hold again when it is back."""
    workspace.put_documents([INSTALL])
    add_changes(
        workspace, [INSTALL], [PinnedDocument("install", "", (StoredPin.of(INSTALL, PinKind.SPLIT, 9),))], PIN_FILE
    )
    workspace.delete_documents(["install"])
    assert not list(changed_documents(workspace, PIN_FILE))
    workspace.put_documents([INSTALL])
    assert len(workspace.document("install").pins) == 1


def test_what_is_there_is_not_added_again(workspace: Workspace) -> None:
    """Neither from the list nor twice from the file; two edits that say the same are two, as long as each has its own
    id.
    """
    workspace.put_documents([INSTALL])
    pin = StoredPin.of(INSTALL, PinKind.SPLIT, 9)
    values = [PinnedDocument("install", "", (pin, replace(pin, id="other")))] * 2
    assert add_changes(workspace, [INSTALL], values, PIN_FILE) == 1
    block = INSTALL.blocks[-1]
    edits = [LeaveOut(anchor=Anchor.of(INSTALL.text, block.start, block.end)) for _ in range(2)]
    for added in (2, 0):
        assert add_changes(workspace, [INSTALL], [EditedDocument("install", "", tuple(edits))] * 2, EDIT_FILE) == added


def test_ten_thousand_are_looked_up(workspace: Workspace) -> None:
    """A list that is imported again compares no pin with every other."""
    text = INSTALL.text
    pins = tuple(StoredPin(PinKind.SPLIT, Anchor(n, n, after=text[:8])) for n in range(10_000))
    compared = 0

    class Counted(StoredPin):
        __hash__ = StoredPin.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return super().__eq__(other)

    def counted(pin: StoredPin) -> StoredPin:
        return Counted(pin.kind, pin.anchor, pin.reason)

    for added in (10_000, 0):
        of = replace(PIN_FILE, to_add=counted)
        assert add_changes(workspace, [INSTALL], [PinnedDocument("install", "", pins)], of) == added
    assert compared <= 20_000


def test_what_a_later_version_wrote_is_passed_over(workspace: Workspace) -> None:
    """It stays in its list, and the document says so."""
    workspace.put_documents([INSTALL])
    workspace.changes.append("install", PINS, [{"kind": "glue"}, StoredPin.of(INSTALL, PinKind.SPLIT, 9).as_record()])
    assert len(changes_of(workspace, "install", PIN_FILE)) == len(workspace.document("install").pins) == 1
    assert tells(workspace.document("install").warnings, "1 pin another version")
    (listed,) = changed_documents(workspace, PIN_FILE)
    assert len(listed.changes) == 1
    assert len(workspace.changes.log("install", PINS).changes) == 2

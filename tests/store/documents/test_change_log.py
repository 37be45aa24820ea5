"""What people did to documents: stored by document and kind, undone and redone, and applied wherever a document is
read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ChangeError
from chunking.model import Document
from chunking.store import Workspace, document_stamp
from chunking.store.documents import change_log, changed_documents
from chunking.store.documents.change_log import ChangeLog, LogStep
from chunking.store.documents.changed_documents import ChangeKind
from tests.store.indexed import INSTALL, MANUAL


def retitle(document: Document, changes: Sequence[Mapping[str, Any]]) -> Document:
    """A change of a test: its title is the document's."""
    return replace(document, title=str(changes[-1]["title"]))


@pytest.fixture
def _titles(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind of change that gives another title."""
    monkeypatch.setattr(changed_documents, "KINDS", (ChangeKind("titles", f"{__name__}:retitle"),))


def titles(log: ChangeLog) -> list[str]:
    return [str(change["title"]) for change in log.changes]


def test_steps_are_undone_and_redone(workspace: Workspace) -> None:
    """One after the other, in another process too; a new step forgets what was undone."""
    logs = workspace.changes
    assert logs.log("a", "titles") == ChangeLog("a", "titles")
    assert logs.version == "0"
    first = logs.append("a", "titles", [{"title": "One"}, {"title": "Two"}], label="Two titles").log
    ids = [str(change["id"]) for change in first.changes]
    assert len(set(ids)) == 2
    logs.append("a", "titles", [{"title": "Three"}], removed=ids[:1])
    assert titles(logs.log("a", "titles")) == ["Two", "Three"]
    again = Workspace.open(workspace.uri).changes
    assert titles(again.undo("a", "titles").log) == ["One", "Two"]
    undone = logs.log("a", "titles")
    assert undone.undoable == LogStep(first.changes, (), "Two titles")
    assert undone.redoable is not None
    assert titles(logs.undo("a", "titles").log) == []
    assert titles(logs.undo("a", "titles").log) == []
    assert titles(logs.redo("a", "titles").log) == ["One", "Two"]
    assert titles(logs.append("a", "titles", [{"title": "Four"}]).log) == ["One", "Two", "Four"]
    assert logs.redo("a", "titles").log.redoable is None
    assert titles(logs.log("a", "pins")) == titles(logs.log("b", "titles")) == []


def test_another_tab_is_reported(workspace: Workspace) -> None:
    """A step is made all the same; undo and redo are not, since they would take back what the person did not see."""
    here, there = workspace.changes, Workspace.open(workspace.uri).changes
    calls = here.append("a", "titles", [{"title": "Mine"}], seen_revision=0)
    assert not calls.elsewhere
    there.append("a", "titles", [{"title": "Theirs"}])
    assert here.undo("a", "titles", seen_revision=calls.log.revision).elsewhere
    added = here.append("a", "titles", [{"title": "Mine, too"}], seen_revision=calls.log.revision)
    assert added.elsewhere
    assert titles(added.log) == ["Mine", "Theirs", "Mine, too"]


def test_only_plain_values_and_not_without_end(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence each, and what was there before is still there."""
    monkeypatch.setattr(change_log, "MOST_CHANGES", 3)
    logs = workspace.changes
    logs.append("a", "titles", [{"title": str(number)} for number in range(3)])
    with pytest.raises(ChangeError, match="3 titles"):
        logs.append("a", "titles", [{"title": "4"}])
    with pytest.raises(ChangeError, match="plain values"):
        logs.append("b", "titles", [{"title": object()}])
    assert titles(logs.log("a", "titles")) == ["0", "1", "2"]
    first = str(logs.log("a", "titles").changes[0]["id"])
    assert titles(logs.append("a", "titles", [{"title": "\ud800 中"}], removed=[first]).log) == ["1", "2", "\ud800 中"]


def test_old_steps_stay_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """They cannot be undone any more, and nothing of them is lost."""
    monkeypatch.setattr(change_log, "_MOST_STEPS", 2)
    log = ChangeLog("a", "titles")
    for number in range(5):
        log = log.with_step(LogStep(({"id": str(number), "title": str(number)},)))
    assert titles(log) == ["0", "1", "2", "3", "4"]
    assert (len(log.steps), log.done, log.revision) == (2, 2, 5)


@pytest.mark.usefixtures("_titles")
def test_a_document_is_read_with_its_changes(workspace: Workspace) -> None:
    """One by one, several at once, and as a row; the stamp that an index goes by is that of the document as it is with
    them.
    """
    workspace.put_documents([INSTALL, MANUAL])
    before, version = workspace.documents(), workspace.version()
    workspace.changes.append(INSTALL.doc_id, "titles", [{"title": "Mended"}])
    assert workspace.version() != version
    for read in (workspace, Workspace.open(workspace.uri)):
        mended = read.document(INSTALL.doc_id)
        assert mended == replace(INSTALL, title="Mended")
        assert list(read.read_documents([MANUAL.doc_id, INSTALL.doc_id])) == [MANUAL, mended]
        rows = {row.doc_id: row for row in read.documents()}
        assert rows[INSTALL.doc_id].title == "Mended"
        assert rows[INSTALL.doc_id].stamp == document_stamp(mended)
        assert rows[MANUAL.doc_id] in before
        assert read.parsed(INSTALL.doc_id) == INSTALL
    workspace.changes.undo(INSTALL.doc_id, "titles")
    assert workspace.documents() == before
    assert workspace.document(INSTALL.doc_id) == INSTALL


@pytest.mark.usefixtures("_titles")
def test_changes_hold_for_new_versions_and_for_a_document_that_comes_back(workspace: Workspace) -> None:
    """They belong to its id; only who empties the workspace loses them."""
    workspace.put_document(INSTALL)
    workspace.changes.append(INSTALL.doc_id, "titles", [{"title": "Mended"}])
    newer = replace(INSTALL, hash="1" * 64, text=INSTALL.text.replace("nginx", "caddy"))
    workspace.put_document(newer)
    assert workspace.document(INSTALL.doc_id) == replace(newer, title="Mended")
    workspace.delete_documents([INSTALL.doc_id])
    assert workspace.documents() == []
    workspace.tidy()
    workspace.put_document(INSTALL)
    assert workspace.document(INSTALL.doc_id).title == "Mended"
    workspace.changes.clear()
    assert workspace.document(INSTALL.doc_id) == INSTALL


@pytest.mark.usefixtures("_titles")
def test_a_workspace_without_changes_makes_no_call_for_them(workspace: Workspace, tmp_path: Path) -> None:
    """Law 8 for the feature nobody uses: as many storage calls as before there were changes."""
    workspace.put_documents([INSTALL, MANUAL])
    workspace.documents()
    before = workspace.calls
    workspace.documents()
    workspace.document(INSTALL.doc_id)
    assert workspace.calls == before + 1

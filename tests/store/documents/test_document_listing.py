"""Values derived from the list of documents, kept until a document is written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from chunking.store import EVERYTHING, DocumentRow, Workspace, document_labels
from tests.support import store_rows as made

_counts: list[int] = []


def count_of(rows: Sequence[DocumentRow]) -> int:
    """The number of documents; notes that it was asked."""
    _counts.append(len(rows))
    return len(rows)


def test_a_value_is_made_once_until_something_is_written(tmp_path: Path) -> None:
    """For every user of the workspace; a write by another process counts as well."""
    _counts.clear()
    workspace = Workspace.open(tmp_path)
    assert [workspace.derived(count_of) for _ in range(3)] == [0, 0, 0]
    workspace.put_documents([made.document("a", "text"), made.document("b", "text")])
    assert [workspace.derived(count_of), workspace.seen_by(EVERYTHING).derived(count_of)] == [2, 2]
    Workspace.open(tmp_path).put_document(made.document("c", "text"))
    assert workspace.derived(count_of) == 3
    assert _counts == [0, 2, 3]
    assert workspace.derived(document_labels) == document_labels(workspace.documents())


def test_the_rows_are_read_once_for_all_users(tmp_path: Path) -> None:
    """A second view of the workspace reads no table."""
    workspace = Workspace.open(tmp_path)
    workspace.put_document(made.document("a", "text"))
    rows, view = workspace.documents(), workspace.seen_by(EVERYTHING)
    assert view.documents() == rows
    assert view.calls == 0
    rows.clear()  # a list of the caller's own
    assert len(workspace.documents()) == 1

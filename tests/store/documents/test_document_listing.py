"""Values derived from the list of documents, kept until a document is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("place", ["folder", "memory"])
def test_own_writes_are_added_to_the_rows(tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of a table of documents are read after another process's write only."""
    workspace = Workspace.open(tmp_path / "w" if place == "folder" else "memory://")
    reads: list[str] = []
    columns = workspace._tables.read_columns
    monkeypatch.setattr(
        workspace._tables, "read_columns", lambda what, *rest: (reads.append(what), columns(what, *rest))[1]
    )

    assert workspace.documents() == []
    parent, inner = made.document("m", "mail"), replace(made.document("m_inner", "inside"), parent_id="m")
    writes: list[Callable[[], object]] = [
        lambda: workspace.put_documents([made.document(name, f"text {name}") for name in "cab"]),
        lambda: workspace.put_document(made.document("b", "another text\ud800 of b")),
        lambda: workspace.put_documents([parent, inner]),
        lambda: workspace.put_document(parent),
        lambda: workspace.delete_documents(["a", "m"]),
        lambda: workspace.delete_documents(["b", "c"]),
    ]
    for write in writes:
        reads.clear()
        write()
        rows = workspace.documents()
        assert "listing the documents" not in reads
        listings = dict(workspace._tables.listings)
        workspace._tables.listings.clear()
        assert rows == workspace.documents()
        workspace._tables.listings.update(listings)
    if place == "folder":
        reads.clear()
        Workspace.open(tmp_path / "w").put_document(made.document("z", "text"))
        workspace.put_document(made.document("y", "text"))
        assert [row.doc_id for row in workspace.documents()] == ["y", "z"]
        assert reads.count("listing the documents") == 1


@pytest.mark.parametrize("kept", [True, False])
def test_stamps_and_some_rows_are_those_of_all_rows(tmp_path: Path, kept: bool) -> None:
    """In the same order and with users' changes, whether the rows are in memory or not."""
    parts = [made.document(f"x_{n}", f"text {n}", source="x.md") for n in (2, 10)]
    writer = Workspace.open(tmp_path)
    assert (len(writer.document_stamps()), writer.documents(["a"]), writer.documents([])) == (0, [], [])
    writer.put_documents([made.document("y", "text"), *reversed(parts), made.document("b", "text")])
    writer.changes.append("y", "pins", [{"kind": "split", "quote": "te", "start": 5}])
    writer.changes.append("gone", "pins", [{"kind": "split", "quote": "te", "start": 5}])
    rows, workspace = writer.documents(), Workspace.open(tmp_path)
    if kept:
        workspace.documents()
    stamps = workspace.document_stamps()
    assert workspace.documents(["y", "x_10", "none"]) == [row for row in rows if row.doc_id in ("y", "x_10")]
    assert list(stamps.doc_ids) == [row.doc_id for row in rows] == ["b", "x_2", "x_10", "y"]
    assert stamps.rows["stamp"].to_pylist() == [row.stamp for row in rows]
    writer.delete_documents(["b"])
    assert workspace.document_stamps().doc_ids == ("x_2", "x_10", "y")

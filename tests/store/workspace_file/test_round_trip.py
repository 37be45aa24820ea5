"""A workspace saved to one file and opened from it is the same workspace."""

from __future__ import annotations

import hashlib
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chunking.errors import Cancelled, StoreError, WorkspaceFileError
from chunking.store import Index, TextQuery, Workspace
from chunking.store.engine.schema import INDEXES, later_columns
from chunking.store.index.build_record import index_fingerprint
from chunking.store.workspace_file import arrow_streams
from chunking.store.workspace_file.archive import FileLimits
from chunking.store.workspace_file.opening import open_workspace_file
from chunking.store.workspace_file.saving import save_workspace
from tests.store.levels import all_levels, vectors
from tests.store.workspace_file.forged import entries, saved
from tests.support import store_rows as made


def complete(index: Index, workspace: Workspace) -> Index:
    """As a finished run lists it."""
    with workspace.writer():
        index.build()
    reference = index.documents()
    fingerprint = index_fingerprint(one.fingerprint for one in reference.values())
    row = replace(index.row, state="complete", fingerprint=fingerprint, documents=len(reference), chunks=index.count())
    return workspace.publish(index, row)


@pytest.fixture
def full(index: Index, workspace: Workspace) -> Workspace:
    """A workspace with something in every table."""
    levels = made.document("levels", "One.", "Two.", "Three.")
    data = b"a source file"
    with workspace.writer():
        workspace.put_document(levels)
        rows = all_levels(levels)
        index.replace_document(levels, rows, vectors(rows), "of levels")
    complete(index, workspace)
    digest = hashlib.sha256(data).hexdigest()
    workspace.put_documents([replace(made.document("paper", "Text."), hash=digest)], {digest: data})
    workspace.put_document(replace(levels, hash="0" * 64))  # a second version
    workspace.changes.append("install", "pins", [{"kind": "split", "quote": "x"}], label="Split")
    workspace.changes.append("gone", "edits", [{"kind": "text"}])
    workspace.question_sets.put({"a": "{}"})
    workspace.runs.put({"r": "{}"})
    workspace.texts.put({"key": "text"}, "m")
    workspace.vectors.put({"key": made.vector("x"), "other model": np.ones(3, np.float32)})
    workspace.encodings.put("key", b"data")
    workspace.search_history.add("fox")
    return workspace


def everything(workspace: Workspace) -> dict[str, object]:
    """What it answers."""
    index = workspace.index()
    listed = sorted(index.table_rows(), key=lambda row: str(row["id"]))
    reference = index.vectors_by_id(row["id"] for row in listed)
    return {
        "documents": [(row, workspace.document(row.doc_id)) for row in workspace.documents()],
        "files": [workspace.file(row.hash) for row in workspace.documents()],
        "changes": {key: (one.digest, workspace.changes.log(*key)) for key, one in workspace.changes.listed().items()},
        "records": [workspace.question_sets.all(), workspace.runs.all()],
        "caches": [
            workspace.texts.get(["key"]),
            workspace.encodings.get("key"),
            workspace.vectors.stored_keys(["key", "other model"]),
        ],
        "vectors": {name: value.tolist() for name, value in workspace.vectors.get(["key", "other model"]).items()},
        "indexes": [replace(row, table="") for row in workspace.indexes()],
        "chunks": listed,
        "chunk vectors": {name: value.tolist() for name, value in reference.items()},
        "search": [hit.chunk.chunk_id for hit in index.vector_search(made.vector("x"), 9)],
        "words": [(hit.chunk.chunk_id, hit.score) for hit in index.text_search(TextQuery("quick fox 安装"), 9)],
    }


def test_a_workspace_comes_back_complete(full: Workspace, tmp_path: Path) -> None:
    """Documents, files, changes, records, caches, indexes with fingerprints and vectors; and it can be worked in."""
    path = saved(full, tmp_path / "w.chunkscope")
    result = open_workspace_file(path, tmp_path / "opened")
    reopened = Workspace.open(result.folder, create=False)
    assert everything(reopened) == everything(full)
    assert result.indexes == {"main": full.index().row.fingerprint} == {"main": reopened.index().row.fingerprint}
    assert result.documents == 4
    reopened.delete_documents(["install"])
    reopened.tidy()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["opened", "w.chunkscope", "workspace"]


def test_a_second_round_changes_nothing(full: Workspace, tmp_path: Path) -> None:
    """What was opened is saved to the same rows."""
    first = saved(full, tmp_path / "first.chunkscope")
    open_workspace_file(first, tmp_path / "opened")
    second = saved(Workspace.open(tmp_path / "opened"), tmp_path / "second.chunkscope")
    assert {name: len(data) for name, data in entries(first).items()} == {
        name: len(data) for name, data in entries(second).items()
    }


def test_what_was_searched_for_is_private(full: Workspace, tmp_path: Path) -> None:
    """It goes into the file only where that is asked for."""
    without = saved(full, tmp_path / "without.chunkscope")
    assert not any("search_history" in name for name in entries(without))
    assert b"search_history" not in entries(without)["manifest.json"]
    path = saved(full, tmp_path / "with.chunkscope", history=True)
    open_workspace_file(path, tmp_path / "opened")
    assert Workspace.open(tmp_path / "opened").search_history.queries() == ["fox"]


def test_opening_a_file_embeds_nothing(full: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors are those that were saved."""
    import chunking.embedding

    path = saved(full, tmp_path / "w.chunkscope")
    monkeypatch.setattr(chunking.embedding, "load_embedder", None)
    open_workspace_file(path, tmp_path / "opened")


def test_an_empty_workspace(workspace: Workspace, tmp_path: Path) -> None:
    """Is one again."""
    result = open_workspace_file(saved(workspace, tmp_path / "w.chunkscope"), tmp_path / "opened")
    assert (result.documents, result.indexes) == (0, {})
    assert Workspace.open(result.folder).documents() == []


def test_a_file_of_an_earlier_version_opens(index: Index, workspace: Workspace, tmp_path: Path) -> None:
    """Without the columns that came later, in its tables."""
    complete(index, workspace)
    for name in ("documents", INDEXES, index.row.table):
        workspace._tables.table(name).drop_columns(list(later_columns(name)))
    earlier = Workspace.open(workspace.uri)
    before = (
        [row.as_record() for row in earlier.documents()],
        earlier.index().count_levels(),
        earlier.index().row.fingerprint,
    )
    open_workspace_file(saved(earlier, tmp_path / "w.chunkscope"), tmp_path / "opened")
    reopened = Workspace.open(tmp_path / "opened")
    assert (
        [row.as_record() for row in reopened.documents()],
        reopened.index().count_levels(),
        reopened.index().row.fingerprint,
    ) == before


def test_it_is_read_and_written_in_parts(full: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than a few megabytes at once; both tell how far they are."""
    monkeypatch.setattr(arrow_streams, "_AT_ONCE", 1)
    message: list[tuple[str, int, int]] = []
    with (tmp_path / "w.chunkscope").open("wb") as sink:
        manifest = save_workspace(full, sink, on_progress=lambda *what: message.append(what))
    assert [number for _, number, _ in message] == list(range(1, len(message) + 1))
    message.clear()
    open_workspace_file(tmp_path / "w.chunkscope", tmp_path / "opened", on_progress=lambda *what: message.append(what))
    assert len(message) == sum(table.rows for table in manifest.tables) + len(manifest.tables)
    assert everything(Workspace.open(tmp_path / "opened")) == everything(full)
    assert all(done <= every for _, done, every in message)


def test_it_is_saved_as_it_is_between_two_commits(
    full: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written while it is being saved is not in the file, nor a part of it."""
    before = everything(full)

    def write(name: str, *_: int) -> None:
        if name == "documents":
            full.delete_documents(["install"])
            full.tidy()

    with (tmp_path / "w.chunkscope").open("wb") as sink:
        save_workspace(full, sink, on_progress=write)
    open_workspace_file(tmp_path / "w.chunkscope", tmp_path / "opened")
    assert everything(Workspace.open(tmp_path / "opened")) == before


def test_saving_and_opening_can_be_cancelled(full: Workspace, tmp_path: Path) -> None:
    """Nothing is left beside the workspace."""
    path = saved(full, tmp_path / "w.chunkscope")
    with pytest.raises(Cancelled):
        save_workspace(full, io.BytesIO(), cancelled=lambda: True)
    looks = iter([False] * 5)
    with pytest.raises(Cancelled):
        open_workspace_file(path, tmp_path / "opened", cancelled=lambda: next(looks, True))
    with pytest.raises(WorkspaceFileError):
        open_workspace_file(path, tmp_path / "opened", limits=FileLimits(seconds=-1))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["w.chunkscope", "workspace"]


def test_opening_a_file_overwrites_nothing(full: Workspace, tmp_path: Path) -> None:
    """A folder with something in it stays as it is."""
    path = saved(full, tmp_path / "w.chunkscope")
    before = everything(full)
    with pytest.raises(StoreError):
        open_workspace_file(path, full.uri)
    assert everything(full) == before


def test_a_row_too_large_for_a_file_is_reported_when_it_is_saved(
    full: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not when it is opened."""
    monkeypatch.setattr("chunking.store.workspace_file.saving.FileLimits", lambda: FileLimits(batch_bytes=10))
    with pytest.raises(WorkspaceFileError, match="MB"):
        save_workspace(full, io.BytesIO())

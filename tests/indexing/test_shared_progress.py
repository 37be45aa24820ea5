"""The progress of an index run as other processes see it, and their request to stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.errors import Cancelled
from chunking.indexing import IndexProgress, build_index, index_files
from chunking.indexing.run import shared_progress
from chunking.parsing import parse
from chunking.store import Workspace
from chunking.store.index_run_file import IndexRunStatus, RunOutcome, ask_to_stop, index_run_of
from tests.support.store_rows import FakeEmbedder


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each report is written, and each look at a request to stop is taken."""
    monkeypatch.setattr(shared_progress, "_PERIOD", 0.0)


def status_of(workspace: Workspace) -> IndexRunStatus:
    status = index_run_of(workspace)
    assert status is not None
    return status


def test_files_then_chunks_are_counted(tmp_path: Path) -> None:
    """In one run of one id, whose last word is its outcome."""
    place = tmp_path / "files"
    place.mkdir()
    for name in ("a", "b"):
        (place / f"{name}.md").write_text(f"# {name}\n\nThe {name} is described here.\n")
    workspace = Workspace.open(tmp_path / "workspace")
    statuses: list[IndexRunStatus] = []
    index_files(
        workspace,
        place,
        name="second",
        embedder=FakeEmbedder(),
        on_progress=lambda _: statuses.append(status_of(workspace)),
    )
    over = status_of(workspace)
    assert {one.id for one in statuses} == {over.id}
    assert [one.counted for one in statuses][:3] == ["files", "files", "chunks"]
    assert (statuses[1].done, statuses[1].total) == (2, 2)
    assert (statuses[-1].step, statuses[-1].steps, statuses[-1].outcome) == (3, 3, None)
    assert (over.name, over.outcome) == ("second", RunOutcome.DONE)


def test_a_request_to_stop_cancels_the_run(tmp_path: Path) -> None:
    """The request is about one run: the next one is not stopped by it."""
    workspace = Workspace.open(tmp_path)
    workspace.put_document(parse(b"# Pumps\n\nThe pump got quieter.\n", "pumps.md"))

    def on_progress(_: IndexProgress) -> None:
        ask_to_stop(workspace, status_of(workspace).id)

    with pytest.raises(Cancelled):
        build_index(workspace, embedder=FakeEmbedder(), on_progress=on_progress)
    assert status_of(workspace).outcome is RunOutcome.CANCELLED
    build_index(workspace, embedder=FakeEmbedder())
    assert status_of(workspace).outcome is RunOutcome.DONE


def test_a_failed_run_says_so(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    workspace.put_document(parse(b"# Pumps\n\nThe pump got quieter.\n", "pumps.md"))

    def on_progress(_: IndexProgress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        build_index(workspace, embedder=FakeEmbedder(), on_progress=on_progress)
    assert status_of(workspace).outcome is RunOutcome.FAILED

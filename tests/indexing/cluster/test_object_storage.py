"""A build in object storage leaves what the embedded engine leaves in a folder: a real server of S3 is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from chunking.errors import AccessError, StoreError
from chunking.indexing import IndexReport, index_files, staleness
from chunking.indexing.cluster.run_folder import RunFolder
from chunking.store import Workspace
from chunking.store.bulk import shared_files
from chunking.store.index import vector_index
from tests.support.cluster_builds import LEVELS, Killed, LoopEngine, build, check_equal, killed_at
from tests.support.object_store import environment_of, new_bucket, object_store
from tests.support.store_rows import FakeEmbedder

_numbers = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Return the address of object storage on this machine."""
    with object_store() as address:
        yield address


@pytest.fixture
def place(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of a workspace in an empty bucket."""
    for name, value in environment_of(server).items():
        monkeypatch.setenv(name, value)
    return f"{new_bucket(server, f'bucket{next(_numbers)}')}/workspace"


def test_all_tables_are_those_of_the_embedded_engine(
    files: Path, embedded: tuple[Workspace, IndexReport], place: str
) -> None:
    """By a driver that is killed twice and started again; no part is done twice, and no record of the run is left."""
    engine = LoopEngine(3)
    for stop in (7, 15):
        with pytest.raises(Killed):
            build(Workspace.open(place, sole_writer=True), files, engine, on_progress=killed_at(stop))
        assert RunFolder.unfinished(place)
    workspace = Workspace.open(place, sole_writer=True)
    build(workspace, files, engine)
    assert max(Counter(engine.ran).values()) == 1
    check_equal(workspace, embedded[0])
    assert not RunFolder.unfinished(place)
    assert not staleness(workspace, workspace.indexes()[0], LEVELS)


def test_segments_and_a_changed_document(
    files: Path, embedded: tuple[Workspace, IndexReport], place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search structures come in segments; then workers update the workspace as the embedded engine does."""
    monkeypatch.setattr(vector_index, "_ROWS_PER_SEGMENT", 10)
    workspace = Workspace.open(place, sole_writer=True)
    build(workspace, files)
    check_equal(workspace, embedded[0])
    listed = workspace.index().on_table("listing indexes", lambda table: list(table.list_indices()))
    assert {one.num_segments for one in listed} == {2}
    (tmp_path / "page0.md").write_text("# Birds\n\nAn osprey dives for fish.\n")
    report = build(workspace, tmp_path)
    ours = Workspace.open(tmp_path / "embedded")
    index_files(ours, files, LEVELS, embedder=FakeEmbedder())
    expected = index_files(ours, tmp_path / "page0.md", LEVELS, embedder=FakeEmbedder())
    assert (report.documents, report.removed) == (expected.documents, expected.removed)
    check_equal(workspace, ours)


def test_what_it_refuses(files: Path, place: str) -> None:
    """Without the word that nothing else writes there, as it has no lock; and a sweep, whose indexes need a folder."""
    engine = LoopEngine()
    with pytest.raises(AccessError):
        build(Workspace.open(place), files, engine)
    assert not engine.ran
    assert not RunFolder.unfinished(place)
    with pytest.raises(StoreError):
        _ = Workspace.open(place, sole_writer=True).bulk_writer().folder


def test_a_server_that_does_not_answer_is_one_sentence(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine's own words are several lines of its source."""
    for name, value in environment_of("http://127.0.0.1:9").items():
        monkeypatch.setenv(name, value)
    with pytest.raises(StoreError, match="object storage"):
        build(Workspace.open("s3://elsewhere/workspace", sole_writer=True), files)


def test_a_server_that_is_gone_is_one_sentence(
    files: Path, embedded: tuple[Workspace, IndexReport], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the run goes on once it is back."""
    with pytest.raises(Killed):
        build(Workspace.open(place, sole_writer=True), files, on_progress=killed_at(12))
    with monkeypatch.context() as patch:
        patch.setattr(shared_files._ObjectFiles, "create", _gone)
        with pytest.raises(StoreError, match="object storage"):
            build(Workspace.open(place, sole_writer=True), files)
    build(Workspace.open(place, sole_writer=True), files)
    check_equal(Workspace.open(place), embedded[0])


def _gone(*_: object) -> None:
    raise OSError("Generic S3 error: Error performing PUT http://127.0.0.1:9/x")

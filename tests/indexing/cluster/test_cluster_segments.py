"""A large table's search structures are built by workers, in segments; the rest of the build knows no difference."""

from __future__ import annotations

from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.errors import StoreError
from chunking.indexing import IndexPhase, IndexProgress, IndexReport, index_files
from chunking.indexing.cluster import build_driver
from chunking.indexing.cluster.run_folder import RunFolder
from chunking.store import TextQuery, Workspace
from chunking.store.index import vector_index
from tests.support.cluster_builds import LEVELS, Killed, LoopEngine, build, check_equal, write_files
from tests.support.store_rows import FakeEmbedder

CONFIG = Config.from_settings({"index.vector_index": "ivf_sq", "index.partitions": "2"}, LEVELS)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of files with over 512 vectors."""
    folder = tmp_path_factory.mktemp("pages")
    write_files(folder, pages=40)
    return folder


@pytest.fixture(scope="module")
def one_piece(pages: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, IndexReport]:
    """Return the workspace and report of the embedded engine."""
    workspace = Workspace.open(tmp_path_factory.mktemp("one_piece"))
    return workspace, index_files(workspace, pages, CONFIG, embedder=FakeEmbedder())


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a table of these files be large, and its four parts be merged to two files."""
    monkeypatch.setattr(vector_index, "_ROWS_PER_SEGMENT", 100)
    monkeypatch.setattr(build_driver, "_FILES_PER_SEGMENT", 1)
    monkeypatch.setattr(LoopEngine, "workers", 3)


def segments_of(workspace: Workspace) -> set[int]:
    """Numbers of segments of an index's search structures."""
    listed = workspace.index().on_table("listing indexes", lambda table: list(table.list_indices()))
    assert len(listed) == 6
    return {one.num_segments for one in listed}


def hits(workspace: Workspace, text: str) -> dict[str, float]:
    return {hit.chunk.chunk_id: hit.score for hit in workspace.index().text_search(TextQuery(text), 50)}


@pytest.mark.usefixtures("small_segments")
def test_segments_change_no_row_and_no_score(
    pages: Path, one_piece: tuple[Workspace, IndexReport], tmp_path: Path
) -> None:
    """Tables, registry and found chunks are those of one piece; the embedded engine goes on from it."""
    workspace, engine = Workspace.open(tmp_path), LoopEngine(1)
    build(workspace, pages, engine, config=CONFIG)
    check_equal(workspace, one_piece[0])
    assert segments_of(workspace) == {2}
    assert segments_of(one_piece[0]) == {1}
    assert Counter(task for task, _ in engine.ran if task in ("merge_part", "train_part", "segment_part")) == {
        "merge_part": 2,
        "train_part": 1,
        "segment_part": 12,
    }
    assert hits(workspace, "turn it off") == pytest.approx(hits(one_piece[0], "turn it off"), rel=1e-5)
    again = index_files(workspace, pages, CONFIG, embedder=FakeEmbedder())
    assert (again.embedded, again.fingerprint) == (0, one_piece[1].fingerprint)


@pytest.mark.usefixtures("small_segments")
@pytest.mark.parametrize("stop", [2, 4, 12, 18, 20])
def test_a_driver_killed_while_segments_are_built_goes_on(
    pages: Path, one_piece: tuple[Workspace, IndexReport], tmp_path: Path, stop: int
) -> None:
    """No segment is built twice, and none is listed twice."""
    engine, steps = LoopEngine(stop), count(1)

    def die(progress: IndexProgress) -> None:
        if progress.phase is IndexPhase.FINISH and "Writing" not in progress.message and next(steps) == stop:
            raise Killed

    with pytest.raises(Killed):
        build(Workspace.open(tmp_path), pages, engine, config=CONFIG, on_progress=die)
    build(Workspace.open(tmp_path), pages, engine, config=CONFIG)
    assert max(Counter(engine.ran).values()) == 1
    assert segments_of(Workspace.open(tmp_path)) == {2}
    check_equal(Workspace.open(tmp_path), one_piece[0])


@pytest.mark.usefixtures("small_segments")
def test_a_worker_that_always_dies_at_a_segment_stops_the_run(pages: Path, tmp_path: Path) -> None:
    """With a sentence that names the run, which goes on later."""
    with pytest.raises(StoreError) as stopped:
        build(Workspace.open(tmp_path), pages, LoopEngine(loses=lambda task, *_: task == "segment_part"), config=CONFIG)
    (run,) = RunFolder.unfinished(str(tmp_path))
    assert run.id in str(stopped.value)
    assert build(Workspace.open(tmp_path), pages, config=CONFIG).documents
    assert segments_of(Workspace.open(tmp_path)) == {2}

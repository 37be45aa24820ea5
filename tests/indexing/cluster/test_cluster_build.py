"""A build in parts leaves what the embedded engine leaves, however often it is stopped."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from chunking.config import Config
from chunking.embedding import CachedEmbedder
from chunking.errors import ChunkscopeError, ConfigError, LockedError, ModelError, NotFoundError, StoreError
from chunking.indexing import IndexProgress, IndexReport, index_files, staleness
from chunking.indexing.cluster.build_tasks import ListedFile
from chunking.indexing.cluster.cluster_index import build_on_engine, list_files, start_run
from chunking.indexing.cluster.run_folder import RunFolder
from chunking.store import Workspace
from chunking.store.bulk import bulk_writer, fragments, shared_files
from chunking.store.scratch_folder import RUNS
from tests.support.cluster_builds import LEVELS, Killed, LoopEngine, build, check_equal, killed_at, tables
from tests.support.disks import mounted, remount
from tests.support.facts import tells
from tests.support.store_rows import FakeEmbedder


@pytest.mark.parametrize("seed", [1, 2])
def test_all_tables_are_those_of_the_embedded_engine(
    files: Path, embedded: tuple[Workspace, IndexReport], tmp_path: Path, seed: int
) -> None:
    """Rows, vectors, fingerprints and report, whatever the order of the parts."""
    workspace = Workspace.open(tmp_path)
    report = build(workspace, files, LoopEngine(seed))
    check_equal(workspace, embedded[0])
    same = replace(report, seconds=embedded[1].seconds)
    assert same == embedded[1]
    assert len(report.failed) == 2
    assert not (tmp_path / RUNS).exists()
    assert not staleness(workspace, workspace.indexes()[0], LEVELS)
    workspace.check()


def test_the_embedded_engine_goes_on_from_it(files: Path, tmp_path: Path) -> None:
    """A changed document is embedded, and nothing else."""
    workspace, embedder = Workspace.open(tmp_path), FakeEmbedder()
    before = build(workspace, files)
    doc_id = next(row.doc_id for row in workspace.documents() if row.source == "page0.md")
    document = workspace.document(doc_id)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "page0.md").write_text(document.text + "\n## More\n\nAn osprey dives for fish.\n")
    report = index_files(workspace, tmp_path / "new", LEVELS, embedder=embedder)
    assert report.documents == before.documents
    assert 0 < embedder.texts_encoded < before.embedded / 2
    assert any("osprey" in chunk.content for chunk in workspace.index().chunks_of(doc_id))


@pytest.mark.parametrize("stop", [2, 7, 10, 13, 17, 21])
def test_a_killed_driver_goes_on_where_it_was(
    files: Path, embedded: tuple[Workspace, IndexReport], tmp_path: Path, stop: int
) -> None:
    """No part is done twice, and the rows are those of a build in one go."""
    workspace, engine = Workspace.open(tmp_path), LoopEngine(stop)
    with pytest.raises(Killed):
        build(workspace, files, engine, on_progress=killed_at(stop))
    assert RunFolder.unfinished(str(tmp_path))
    build(Workspace.open(tmp_path), files, engine)
    assert max(Counter(engine.ran).values()) == 1
    check_equal(Workspace.open(tmp_path), embedded[0])


def test_a_driver_killed_between_a_commit_and_its_record_commits_once(
    files: Path, embedded: tuple[Workspace, IndexReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each table in turn; the transaction itself says that it was."""
    for _ in range(5):
        with monkeypatch.context() as patch:
            commit = fragments.commit_fragments

            def dying(*arguments: Any, commit: Any = commit) -> bool:
                if commit(*arguments):
                    raise Killed
                return False

            patch.setattr(bulk_writer, "commit_fragments", dying)
            with pytest.raises(Killed):
                build(Workspace.open(tmp_path), files)
    build(Workspace.open(tmp_path), files)
    check_equal(Workspace.open(tmp_path), embedded[0])


def test_a_file_that_kills_its_reader_is_one_line(files: Path, tmp_path: Path) -> None:
    """The other files of its part are read, and every file is a document or a failure."""
    total = len(list_files(Workspace.open(tmp_path), files))

    def loses(task: str, part: str, arguments: tuple[Any, ...]) -> bool:
        return task == "parse_part" and any(file.source == "page1.md" for file in arguments[0])

    workspace = Workspace.open(tmp_path)
    report = build(workspace, files, LoopEngine(loses=loses))
    assert [failure.source for failure in report.failed].count("page1.md") == 1
    assert "page1.md" not in {row.source for row in workspace.documents()}
    read = sum(not row.parent_id for row in workspace.documents())
    assert read + len(report.failed) == total


def test_a_worker_that_always_dies_at_a_document_stops_the_run(files: Path, tmp_path: Path) -> None:
    """With a sentence that names the run, which goes on later."""
    workspace = Workspace.open(tmp_path)
    with pytest.raises(StoreError) as stopped:
        build(workspace, files, LoopEngine(loses=lambda task, *_: task == "cut_part"))
    (run,) = RunFolder.unfinished(str(tmp_path))
    assert run.id in str(stopped.value)
    assert build(workspace, files).documents


def test_a_text_in_the_cache_is_not_embedded(files: Path, tmp_path: Path, embedded: tuple[Workspace, Any]) -> None:
    """Law 7, over the workers: each text once in the life of a workspace."""
    workspace, embedder = Workspace.open(tmp_path), FakeEmbedder()
    rows = tables(embedded[0])["chunks"]
    texts = sorted({text for text in rows["embedding_content"].to_pylist()[:10] if text})
    CachedEmbedder(embedder, workspace.vectors).embed(texts)
    report = build(workspace, files, embedder=embedder)
    assert max(embedder.embedded_texts.values()) == 1
    assert report.embedded < embedded[1].embedded
    assert tables(workspace)["embeddings"].equals(tables(embedded[0])["embeddings"])


def test_no_files_make_an_empty_index(tmp_path: Path) -> None:
    """And every file the same, or none that can be read, is no fault either."""
    (tmp_path / "files").mkdir()
    for number in range(3):
        (tmp_path / "files" / f"{number}.md").write_text("")
    report = build(Workspace.open(tmp_path / "empty"), tmp_path / "files")
    assert (report.documents, len(report.failed)) == (0, 3)
    for number in range(3):
        (tmp_path / "files" / f"{number}.md").write_text("The same in all of them.")
    embedder = FakeEmbedder()
    report = build(Workspace.open(tmp_path / "same"), tmp_path / "files", embedder=embedder)
    assert (report.documents, len(report.failed)) == (3, 0)


# -- what is refused


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("embedding.mode", "late"),
        ("enrich.raptor", "true"),
        ("prefix", "context"),
        ("enrich.summaries", "true"),
        ("strategy", "semantic"),
        ("category.faq.prefix", "summary"),
    ],
)
def test_settings_that_need_all_documents_are_refused(files: Path, tmp_path: Path, key: str, value: str) -> None:
    """Before anything is read or written."""
    workspace = Workspace.open(tmp_path)
    with pytest.raises(ConfigError):
        build(workspace, files, config=Config.from_settings({key: value}))
    assert workspace.untouched
    assert not RunFolder.unfinished(str(tmp_path))


def test_memory_and_an_unknown_run_are_refused(files: Path, tmp_path: Path) -> None:
    """As other machines do not see the memory of this one."""
    with pytest.raises(StoreError):
        build(Workspace.open("memory://"), files)
    with pytest.raises(NotFoundError):
        index_files(Workspace.open(tmp_path), files, engine="ray", resume="20260101-000000-abcd")


def test_two_drivers_do_not_meet(files: Path, tmp_path: Path) -> None:
    """The lock of the workspace is the driver's."""
    first, second = Workspace.open(tmp_path), Workspace.open(tmp_path)
    with first.writer(), pytest.raises(LockedError):
        index_files(second, files, LEVELS, engine="ray", embedder=FakeEmbedder())


def test_a_worker_with_another_version_is_refused(files: Path, tmp_path: Path) -> None:
    """Rows of two versions would not compare."""
    workspace = Workspace.open(tmp_path)
    with workspace.writer():
        run = start_run(workspace, list_files(workspace, files), LEVELS, "main", {"ocr": False}, 1)
        plan = {**run.plan, "code": "other"}
        Path(run.place, "plan", "all.json").unlink()
        run.write("plan", "all", plan)
        with pytest.raises(StoreError):
            build_on_engine(workspace, LoopEngine(), run, FakeEmbedder())


def test_a_worker_with_another_precision_is_refused(files: Path, tmp_path: Path) -> None:
    """Vectors of two precisions would not compare."""

    class OtherEmbedder(FakeEmbedder):
        key = "fake@1+bf16"

    workspace, engine = Workspace.open(tmp_path), LoopEngine()

    def dying(progress: IndexProgress) -> None:
        if any(task == "describe_model" for task, _ in engine.ran):
            raise Killed

    with pytest.raises(Killed):
        build(workspace, files, engine, on_progress=dying)
    with pytest.raises(ChunkscopeError) as refused:
        build(workspace, files, engine, OtherEmbedder())
    assert all(key in str(refused.value) for key in (FakeEmbedder.key, OtherEmbedder.key))


def test_parts_are_large_but_not_too_large(files: Path, tmp_path: Path) -> None:
    """A file of 50 MB is a part of its own; small ones come together, and all workers get some."""
    workspace = Workspace.open(tmp_path)
    sizes = [1_000] * 100 + [50 * 2**20] + [1_000] * 100
    listed = [ListedFile(f"/{n}", "/", f"{n}", None, "built-in", size, 0) for n, size in enumerate(sizes)]
    run = start_run(workspace, listed, LEVELS, "main", {}, 2)
    spans = run.plan["parts"]
    assert [one for first, end in spans for one in range(first, end)] == list(range(len(sizes)))
    assert [100, 101] in spans
    assert len(spans) >= 8


# -- disks, models and clocks


def full_disk(*_: Any, **__: Any) -> None:
    """Fail as a disk without space does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("where", ["commit", "part", "record"])
def test_a_full_disk_is_one_sentence_and_the_run_goes_on(
    files: Path, embedded: tuple[Workspace, IndexReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """In a commit, a worker's file and a record; no part that was done is done again."""
    import lance

    target = {
        "commit": (lance.LanceDataset, "commit"),
        "part": (shared_files, "write_arrow"),
        "record": (os, "link"),
    }[where]
    engine = LoopEngine()
    with monkeypatch.context() as patch:
        patch.setattr(*target, full_disk)
        with pytest.raises(StoreError) as stopped:
            build(Workspace.open(tmp_path), files, engine)
    assert tells(str(stopped.value), "disk full")
    build(Workspace.open(tmp_path), files, engine)
    assert max(Counter(engine.ran).values()) == 1
    check_equal(Workspace.open(tmp_path), embedded[0])


def test_a_folder_that_disappears_is_one_sentence_and_the_run_goes_on(
    files: Path, embedded: tuple[Workspace, IndexReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """During the commit, as a disk of the network does; it is back later."""
    place, elsewhere = tmp_path / "workspace", tmp_path / "elsewhere"
    commit = fragments.commit_fragments

    def gone(*arguments: Any) -> bool:
        place.rename(elsewhere)
        return commit(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(bulk_writer, "commit_fragments", gone)
        with pytest.raises(StoreError) as stopped:
            build(Workspace.open(place), files)
    assert tells(str(stopped.value), "gone")
    shutil.rmtree(place, ignore_errors=True)
    elsewhere.rename(place)
    build(Workspace.open(place), files)
    check_equal(Workspace.open(place), embedded[0])


def test_a_read_only_disk_is_one_sentence(files: Path, tmp_path: Path) -> None:
    """Before a file is read."""
    with mounted(tmp_path / "disk", "size=64m") as disk:
        workspace, engine = Workspace.open(disk / "workspace"), LoopEngine()
        remount(disk, "ro")
        with pytest.raises(StoreError) as refused:
            build(workspace, files, engine)
    assert tells(str(refused.value), "read-only")
    assert not engine.ran


def test_a_worker_without_the_model_is_named(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver may well have it."""
    monkeypatch.setattr("socket.gethostname", lambda: "node7")
    workspace = Workspace.open(tmp_path)
    config = Config.from_settings({"embedding.model": "nobody/has-this-model"})
    with workspace.writer():
        run = start_run(workspace, list_files(workspace, files), config, "main", {"ocr": False}, 1)
        with pytest.raises(ModelError) as refused:
            build_on_engine(workspace, LoopEngine(), run)
    assert tells(str(refused.value), "node7 nobody/has-this-model")


def test_clocks_of_workers_decide_nothing(
    files: Path, embedded: tuple[Workspace, IndexReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each task runs an hour before or after the others."""
    hours, now = count(), time.time

    class Elsewhen(LoopEngine):
        def each(self, *arguments: Any) -> Iterator[tuple[str, str]]:
            for one in super().each(*arguments):
                shift = 3600 * (-1) ** next(hours)
                monkeypatch.setattr(time, "time", lambda shift=shift: now() + shift)
                yield one

    build(Workspace.open(tmp_path), files, Elsewhen())
    monkeypatch.undo()
    check_equal(Workspace.open(tmp_path), embedded[0])

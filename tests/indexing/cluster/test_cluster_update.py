"""A run on a workspace with documents does what has changed, and leaves what the embedded engine leaves."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.errors import ConfigError
from chunking.indexing import IndexReport, index_files, staleness
from chunking.indexing.cluster import build_tasks
from chunking.indexing.cluster.build_tasks import BuildJob, ListedFile
from chunking.indexing.cluster.run_folder import RunFolder
from chunking.model import Document
from chunking.store import Workspace
from tests.support.cluster_builds import LEVELS, MAIL, STAMP, Killed, LoopEngine, build, check_equal, killed_at
from tests.support.store_rows import FakeEmbedder


@pytest.fixture(scope="module")
def changed(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder as it is later: files changed, added, renamed, broken and gone."""
    folder = tmp_path_factory.mktemp("later") / "files"
    shutil.copytree(files, folder)
    write(folder / "page0.md", (folder / "page0.md").read_text() + "\n## More\n\nAn osprey dives for fish.\n")
    write(folder / "mail.eml", "Subject: Valves\n\nThe mail in it is gone.\n")
    write(folder / "note.eml", MAIL.decode())
    write(folder / "empty.md", "No longer.")
    write(folder / "Page.html", "")
    (folder / "a guide.md").rename(folder / "guide.md")
    (folder / "page1.md").unlink()
    return folder


@pytest.fixture(scope="module")
def built(embedded: tuple[Workspace, IndexReport]) -> Path:
    """Return the folder of the embedded engine's workspace, to be copied."""
    folder = embedded[0].folder
    assert folder
    return folder


@pytest.fixture(scope="module")
def updated(built: Path, changed: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, IndexReport]:
    """Return the workspace after the embedded engine's run over the changed files."""
    workspace = copy_of(built, tmp_path_factory.mktemp("updated"))
    return workspace, index_files(workspace, changed, LEVELS, embedder=FakeEmbedder())


def write(path: Path, text: str) -> None:
    """Write a file with the date that all files have."""
    path.write_text(text)
    os.utime(path, (STAMP, STAMP))


def copy_of(built: Path, folder: Path) -> Workspace:
    """Return a copy of a workspace."""
    shutil.copytree(built, folder / "workspace")
    return Workspace.open(folder / "workspace")


@pytest.mark.parametrize("seed", [1, 2])
def test_an_update_is_that_of_the_embedded_engine(
    built: Path, changed: Path, updated: tuple[Workspace, IndexReport], tmp_path: Path, seed: int
) -> None:
    """Rows, vectors, versions, ids and report; and no text is embedded that the embedded engine does not."""
    workspace, embedder = copy_of(built, tmp_path), FakeEmbedder()
    report = build(workspace, changed, LoopEngine(seed), embedder)
    check_equal(workspace, updated[0])
    assert replace(report, seconds=updated[1].seconds) == updated[1]
    assert max(embedder.embedded_texts.values()) == 1
    assert 0 < report.embedded < report.vectors / 2
    assert not RunFolder.unfinished(str(workspace.folder or tmp_path))
    assert not staleness(workspace, workspace.indexes()[0], LEVELS)
    workspace.check()


def test_what_is_unchanged_is_neither_read_nor_split(
    built: Path, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a second run over the same files; `again` reads them, and changes nothing."""
    parsed: list[str] = []
    parse = build_tasks.parse_file

    def counted(job: BuildJob, file: ListedFile) -> tuple[Document, ...]:
        parsed.append(file.source)
        return parse(job, file)

    monkeypatch.setattr(build_tasks, "parse_file", counted)
    workspace, engine, embedder = copy_of(built, tmp_path), LoopEngine(), FakeEmbedder()
    report = build(workspace, files, engine, embedder)
    assert sorted(parsed) == ["broken.docx", "empty.md"]
    assert not {task for task, _ in engine.ran} & {"text_part", "embed_partition"}
    assert (report.embedded, embedder.texts_encoded) == (0, 0)
    check_equal(workspace, Workspace.open(built))
    build(workspace, files, again=True)
    assert len(parsed) > len(report.failed) * 3
    check_equal(workspace, Workspace.open(built))


def test_the_engines_take_turns(files: Path, tmp_path: Path) -> None:
    """A build by parts, then a document changed by the embedded engine and one by parts."""
    ours, theirs = Workspace.open(tmp_path / "ours"), Workspace.open(tmp_path / "theirs")
    later = tmp_path / "files"
    shutil.copytree(files, later)
    build(ours, later)
    index_files(theirs, later, LEVELS, embedder=FakeEmbedder())
    write(later / "page0.md", "# Osprey\n\nAn osprey dives for fish.\n")
    for workspace in (ours, theirs):
        index_files(workspace, later, LEVELS, embedder=FakeEmbedder())
    write(later / "page1.md", "# Finch\n\nThe finch is small and sings.\n")
    build(ours, later)
    index_files(theirs, later, LEVELS, embedder=FakeEmbedder())
    check_equal(ours, theirs)


def test_other_settings_rebuild_the_index(built: Path, changed: Path, tmp_path: Path) -> None:
    """As the embedded engine does."""
    config = Config.from_settings({"size": "30", "overlap": "8"})
    ours, theirs = copy_of(built, tmp_path / "ours"), copy_of(built, tmp_path / "theirs")
    build(ours, changed, config=config)
    index_files(theirs, changed, config, embedder=FakeEmbedder())
    check_equal(ours, theirs)


@pytest.mark.parametrize("stop", [2, 4, 9, 13, 17])
def test_a_killed_driver_goes_on_where_it_was(
    built: Path, changed: Path, updated: tuple[Workspace, IndexReport], tmp_path: Path, stop: int
) -> None:
    """At any step, with no part done twice."""
    workspace, engine = copy_of(built, tmp_path), LoopEngine(stop)
    with pytest.raises(Killed):
        build(workspace, changed, engine, on_progress=killed_at(stop))
    build(Workspace.open(workspace.uri), changed, engine)
    assert max(Counter(engine.ran).values()) == 1
    check_equal(Workspace.open(workspace.uri), updated[0])


def test_documents_that_came_meanwhile_are_kept(files: Path, tmp_path: Path) -> None:
    """A run in an empty workspace is stopped, and another adds documents before it is started again."""
    ours, theirs = Workspace.open(tmp_path / "ours"), Workspace.open(tmp_path / "theirs")
    with pytest.raises(Killed):
        build(ours, files, on_progress=killed_at(1))
    (run,) = RunFolder.unfinished(str(tmp_path / "ours"))
    for workspace in (ours, theirs):
        index_files(workspace, files / "page0.md", LEVELS, embedder=FakeEmbedder())
    with pytest.raises(ConfigError):
        index_files(ours, files, engine="ray", resume=run.id)
    build(ours, files)
    index_files(theirs, files, LEVELS, embedder=FakeEmbedder())
    check_equal(ours, theirs)

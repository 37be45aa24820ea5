"""Backups of a home folder, taken while another process writes, and restored elsewhere; what compacting clears away."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import LockedError, NotFoundError, StoreError
from chunking.store import TextQuery, Workspace
from chunking.store.copies.home_folder import JOBS, VISITS, remove_folder, workspace_folders
from chunking.store.copies.linked_copy import Copied, compact, linked_copy
from chunking.store.copies.workspace_files import folder_bytes, own_bytes
from chunking.store.index.build_record import index_fingerprint
from hosting import backups
from hosting.backups import back_up, restore
from tests.store.indexed import INSTALL, fill
from tests.support import store_rows as made

WRITER = """
import itertools, os, sys
from chunking.store import Workspace
from tests.store.indexed import fill
from tests.support import store_rows as made

workspace = Workspace.open(sys.argv[1])
for n in itertools.count():
    with workspace.writer():
        fill(workspace, made.document("busy", f"Text {n}.", *["More."] * (n % 5)), made.document("calm", f"Text {n}."))
    workspace.changes.append("busy", "pins", [{"kind": "split", "n": n}])
    workspace.question_sets.put({"a": str(n)})
    if n == 2:
        print("busy", flush=True)
    if os.path.exists(sys.argv[2]):
        break
    if n % 7 == 6:
        workspace.tidy()
"""
"""Builds an index anew, edits and saves without a pause, until a file is there."""


def test_what_is_restored_is_what_was_there(home: Path, tmp_path: Path) -> None:
    """Workspaces, the database and files; neither locks, links nor what was left unfinished."""
    saved = back_up(home, tmp_path / "backup")
    result = restore(tmp_path / "backup", tmp_path / "restored")
    assert result == saved.workspaces
    assert set(result) == {"people/first", "second"} == set(workspace_folders(tmp_path / "restored"))
    assert sorted(path.name for path in (tmp_path / "restored").iterdir()) == [
        "directory.sqlite",
        "operator.toml",
        "people",
        "second",
    ]
    first = Workspace.open(tmp_path / "restored" / "people" / "first", create=False)
    assert first.index().text_search(TextQuery("fox"), 1)[0].chunk.doc_id == "install"
    with closing(sqlite3.connect(tmp_path / "restored" / "directory.sqlite")) as database:
        assert database.execute("select name from people").fetchall() == [("A",)]


def test_unpacked_models_are_left_out(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a container the user's folder is the home folder; a server unpacks the model again from its package."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    for name in ("chunkscope/models/e5/model.safetensors", "huggingface/hub/model.safetensors"):
        (home / ".cache" / name).parent.mkdir(parents=True)
        (home / ".cache" / name).touch()
    back_up(home, tmp_path / "backup")
    restore(tmp_path / "backup", tmp_path / "restored")
    assert [path.parent.name for path in (tmp_path / "restored").rglob("*.safetensors")] == ["hub"]


def test_it_costs_no_bytes_and_the_restored_shares_none(home: Path, tmp_path: Path) -> None:
    """On one disk; copying can be asked for."""
    saved = back_up(home, tmp_path / "backup")
    assert saved.own_bytes == own_bytes(tmp_path / "backup" / "home")
    assert saved.shared_bytes > 0
    restore(tmp_path / "backup", tmp_path / "restored")
    assert own_bytes(tmp_path / "restored") == saved.own_bytes + saved.shared_bytes
    copied = back_up(home, tmp_path / "copied", link=False)
    assert (copied.shared_bytes, copied.reason) == (0, "")


def test_of_one_workspace(home: Path, tmp_path: Path) -> None:
    """It need not be a home folder."""
    saved = back_up(home / "second", tmp_path / "backup")
    assert set(saved.workspaces) == {""}
    assert restore(tmp_path / "backup", tmp_path / "restored") == saved.workspaces
    assert Workspace.open(tmp_path / "restored", create=False).index().count() == 3


def test_neither_backup_nor_restore_overwrites_anything(home: Path, tmp_path: Path) -> None:
    """Neither by a backup nor by restoring one; a backup does not stand in what it is of."""
    back_up(home, tmp_path / "backup")
    with pytest.raises(StoreError):
        back_up(home, tmp_path / "backup")
    with pytest.raises(StoreError):
        restore(tmp_path / "backup", home)
    with pytest.raises(StoreError):
        back_up(home, home / "backup")


def test_a_name_need_not_be_unicode(home: Path, tmp_path: Path) -> None:
    """Some old file of somebody's in the home folder fails no backup."""
    (home / os.fsdecode(b"caf\xe9")).write_text("x")
    back_up(home, tmp_path / "backup")
    restore(tmp_path / "backup", tmp_path / "restored")
    assert (tmp_path / "restored" / os.fsdecode(b"caf\xe9")).read_text() == "x"


def test_a_backup_without_sizes(home: Path, tmp_path: Path) -> None:
    """Earlier ones have none, and are restored."""
    saved = back_up(home, tmp_path / "backup")
    listed = json.loads((tmp_path / "backup" / "backup.json").read_text())
    del listed["bytes"]
    (tmp_path / "backup" / "backup.json").write_text(json.dumps(listed))
    assert restore(tmp_path / "backup", tmp_path / "restored") == saved.workspaces


def test_taken_while_another_process_builds_and_edits(tmp_path: Path) -> None:
    """Each backup is one state: it restores elsewhere to the same fingerprints, and its tables fit one another."""
    busy, stop = tmp_path / "home" / "busy", tmp_path / "stop"
    fill(Workspace.open(busy), made.document("busy", "Text."))
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(busy), str(stop)], stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "busy\n"
        saved = [back_up(tmp_path / "home", tmp_path / f"backup{n}") for n in range(4)]
    finally:
        stop.touch()
        assert writer.wait(60) == 0
        writer.stdout.close()
    rounds = []
    for n, one in enumerate(saved):
        assert restore(one.folder, tmp_path / f"restored{n}") == one.workspaces
        open_one = Workspace.open(tmp_path / f"restored{n}" / "busy", create=False)
        index, document = open_one.index(), open_one.parsed("busy")
        names = index.documents()
        assert one.workspaces == {"busy": {"main": index_fingerprint(one.fingerprint for one in names.values())}}
        assert set(names) <= {row.doc_id for row in open_one.documents()}
        assert index.count() == sum(one.chunks for one in names.values())
        rounds.append(int(document.text.split("Text ")[1].split(".")[0]))
        open_one.tidy()
        fill(open_one, made.document("new", "After."))
        assert Workspace.open(open_one.uri).document("new").text
    assert rounds == sorted(rounds)
    assert {one.workspaces["busy"]["main"] for one in saved} != {""}


@pytest.mark.parametrize("moment", ["before its turn", "while it is linked"])
def test_what_is_deleted_meanwhile_is_no_part_of_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """A workspace leaves the bin for good, at whatever moment; all others are there, and the report counts it."""
    going = home / "people" / "ab12"
    fill(Workspace.open(going), INSTALL)

    def link(source: Workspace, folder: Path, *, link: bool) -> Copied:
        copied = linked_copy(source, folder, link=link)
        if source.folder == going:
            remove_folder(going)
        return copied

    def before(path: str, number: int, every: int) -> None:
        if moment == "before its turn" and number == 1:
            remove_folder(going)

    monkeypatch.setattr(backups, "linked_copy", link)
    saved = back_up(home, tmp_path / "backup", on_progress=before)
    assert saved.deleted == 1
    assert set(restore(tmp_path / "backup", tmp_path / "restored")) == {"people/first", "second"}


@pytest.mark.parametrize("fault", ["busy", "damaged"])
def test_one_that_cannot_be_taken_keeps_no_other_from_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """It is named with its reason, and nothing of it is in the backup, which restores; where none can be taken, there
    is none.
    """

    def link(source: Workspace, folder: Path, *, link: bool) -> Copied:
        if source.folder == home / "people" / "first":
            raise LockedError("Somebody writes.")
        return linked_copy(source, folder, link=link)

    if fault == "busy":
        monkeypatch.setattr(backups, "linked_copy", link)
    else:
        for file in (home / "people" / "first").glob("chunks_*.lance/data/*"):
            file.unlink()
    saved = back_up(home, tmp_path / "backup")
    assert saved.failed.keys() == {"people/first"}
    assert all(saved.failed.values())
    assert set(restore(tmp_path / "backup", tmp_path / "restored")) == {"second"} == saved.workspaces.keys()
    assert not (tmp_path / "restored" / "people" / "first").exists()
    remove_folder(home / "second")
    with pytest.raises(StoreError):
        back_up(home, tmp_path / "another")
    assert not (tmp_path / "another").exists()


def test_private_copies_of_a_demo_are_no_part_of_it(home: Path, tmp_path: Path) -> None:
    """They end by themselves within hours. A folder of the same name that somebody made themselves is theirs."""
    fill(Workspace.open(home / VISITS / ("0" * 24) / "workspace"), INSTALL)
    fill(Workspace.open(home / "bases" / ("0" * 16)), INSTALL)
    fill(Workspace.open(home / VISITS / "museum"), INSTALL)
    fill(Workspace.open(home / VISITS / f"{'0' * 24}-1.gone" / "workspace"), INSTALL)
    saved = back_up(home, tmp_path / "backup")
    assert saved.private == 2
    result = restore(tmp_path / "backup", tmp_path / "restored")
    assert set(result) == {"people/first", "second", "visits/museum"} == set(workspace_folders(tmp_path / "restored"))


def test_of_nothing_but_private_copies(tmp_path: Path) -> None:
    """There is nothing to back up."""
    fill(Workspace.open(tmp_path / "home" / VISITS / ("0" * 24) / "workspace"), INSTALL)
    with pytest.raises(NotFoundError):
        back_up(tmp_path / "home", tmp_path / "backup")


def test_the_queue_of_a_server_is_no_part_of_it(home: Path, tmp_path: Path) -> None:
    """A server has it for itself while a job waits or runs: a backup that waited for that would never end on a busy
    one.
    """
    with closing(sqlite3.connect(home / JOBS, isolation_level=None)) as record:
        record.execute("PRAGMA locking_mode = EXCLUSIVE")
        record.execute("CREATE TABLE jobs (id)")
        back_up(home, tmp_path / "backup")
    assert not (tmp_path / "backup" / "home" / JOBS).exists()


def test_compacting_a_home(home: Path, workspace: Workspace, tmp_path: Path) -> None:
    """Each workspace; one that is written to is told and left; what a killed copy left a day ago is cleared away."""
    old = home / ".second.12345678.unfinished"
    os.utime(old, (0, 0))
    (home / ".second.0abcdef9.unfinished").mkdir()
    second = Workspace.open(home / "second")
    with second.writer():
        second.create_index("left", second.index().config, model_key="fake@1", dimension=made.DIMENSION)
    with Workspace.open(home / "people" / "first").writer():
        rows = {row.path: row for row in compact(home)}
    assert (rows["people/first"].locked, rows["second"].locked) == (True, False)
    assert rows["second"].after < rows["second"].before
    assert not old.exists()
    assert (home / ".second.0abcdef9.unfinished").exists()


def test_compacting_passes_over_what_is_deleted_meanwhile(home: Path) -> None:
    """A visit of a demo ends while others are compacted."""
    rows = compact(home)
    assert next(rows).path == "people/first"
    remove_folder(home / "second")
    assert list(rows) == []


@pytest.fixture
def locked_folders(monkeypatch: pytest.MonkeyPatch) -> set[Path]:
    """Folders that nobody may read, whoever runs the test."""
    folders, scandir = set[Path](), os.scandir

    def refusing(folder: Any = ".") -> Any:
        if not isinstance(folder, int) and Path(folder) in folders:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refusing)
    return folders


def test_a_home_that_is_all_of_a_disk(home: Path, tmp_path: Path, locked_folders: set[Path]) -> None:
    """The folder that the system keeps there for itself is in nobody's way; deeper a folder of that name is as any
    other.
    """
    locked_folders.add(home / "lost+found")
    (home / "lost+found").mkdir()
    fill(Workspace.open(home / "people" / "lost+found"), INSTALL)
    assert folder_bytes(home) > 0
    assert {row.path for row in compact(home)} == {"people/first", "people/lost+found", "second"}
    back_up(home, tmp_path / "backup")
    result = restore(tmp_path / "backup", tmp_path / "restored")
    assert set(result) == {"people/first", "people/lost+found", "second"}
    assert not (tmp_path / "restored" / "lost+found").exists()


@pytest.mark.parametrize("deep", ["closed", "people/closed", "a/b/c/d/e/closed"])
def test_a_folder_that_may_not_be_read_is_reported(
    home: Path, tmp_path: Path, locked_folders: set[Path], deep: str
) -> None:
    """It may hold a workspace, or what somebody wants to have back: no backup is without it unseen."""
    (home / deep).mkdir(parents=True)
    locked_folders.add(home / deep)
    with pytest.raises(StoreError, match="closed"):
        back_up(home, tmp_path / "backup")
    assert not (tmp_path / "backup").exists()
    with pytest.raises(StoreError, match="closed"):
        folder_bytes(home)


def test_a_folder_without_workspaces_is_not_backed_up(tmp_path: Path) -> None:
    """A folder of anything else, or none."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    for place in (tmp_path, tmp_path / "missing"):
        with pytest.raises(NotFoundError):
            back_up(place, tmp_path / "backup")
        with pytest.raises(NotFoundError):
            list(compact(place))

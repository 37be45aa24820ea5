"""`backup`, `restore` and `compact`: from the words to what is on disk."""

from __future__ import annotations

import json
from pathlib import Path

from chunking.store import Workspace
from chunking.store.copies.linked_copy import linked_copy
from tests.cli.command import Run


def test_a_backup_is_restored_and_compacted(run: Run, samples: Path, tmp_path: Path) -> None:
    """Of a workspace as of a home folder."""
    created = run("backup", samples, tmp_path / "backup").row
    assert created["shared_bytes"] > 100 * created["own_bytes"]
    restored = run("restore", tmp_path / "backup", tmp_path / "home" / "a").row
    assert restored["workspaces"] == created["workspaces"]
    assert run("restore", tmp_path / "backup", tmp_path / "home" / "a").code == 1
    compacted = run("compact", tmp_path / "home").row
    assert [one["path"] for one in compacted["workspaces"]] == ["a"]
    assert compacted["freed"] == sum(one["before"] - one["after"] for one in compacted["workspaces"])
    copied = run("backup", samples, tmp_path / "copied", "--copy").row
    assert copied["shared_bytes"] == 0


def test_a_backup_without_a_workspace_ends_with_1(run: Run, samples: Path, tmp_path: Path) -> None:
    """It names the one, and holds the other."""
    for name in ("a", "b"):
        linked_copy(Workspace.open(samples, create=False), tmp_path / "home" / name, link=False)
    for file in (tmp_path / "home" / "a").glob("chunks_*.lance/data/*"):
        file.unlink()
    created = run("backup", tmp_path / "home", tmp_path / "backup")
    row = json.loads(created.out)
    assert (created.code, list(row["workspaces"]), list(row["failed"])) == (1, ["b"], ["a"])
    assert row["failed"]["a"] in created.err
    assert str(tmp_path / "home" / "a") in created.err

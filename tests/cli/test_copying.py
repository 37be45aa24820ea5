"""`save`, `open`, `backup`, `restore`, `compact`: from the words to what is on disk."""

from __future__ import annotations

import json
from pathlib import Path

from chunking.store import Workspace
from chunking.store.copies.linked_copy import linked_copy
from tests.cli.command import Run


def test_a_workspace_goes_into_one_file_and_comes_back(run: Run, samples: Path, tmp_path: Path) -> None:
    """With its fingerprints; what is searched finds the same."""
    file, opened = tmp_path / "samples.chunkscope", tmp_path / "opened"
    saved = run("save", file, "--workspace", samples)
    assert saved.code == 0
    assert saved.row["bytes"] == file.stat().st_size
    told = run("open", file, "--workspace", opened).row
    assert told["indexes"] == saved.row["indexes"] != {}
    assert told["documents"] == saved.row["rows"]["documents"]
    before, after = (
        run("search", "restore a backup", "--workspace", folder, "--k", 5).row for folder in (samples, opened)
    )
    assert [one["chunk_id"] for one in before["results"]] == [one["chunk_id"] for one in after["results"]]
    assert before["fingerprint"] == after["fingerprint"]
    again = run("open", file, "--workspace", opened)
    assert (again.code, again.out, again.err.count("\n")) == (1, "", 1)


def test_another_file_is_none(run: Run, tmp_path: Path) -> None:
    """One line, and nothing made."""
    file = tmp_path / "x.chunkscope"
    file.write_bytes(b"x")
    ran = run("open", file, "--workspace", tmp_path / "opened")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["x.chunkscope"]
    assert run("save", tmp_path / "y", "--workspace", tmp_path / "missing").code == 1


def test_a_backup_is_restored_and_compacted(run: Run, samples: Path, tmp_path: Path) -> None:
    """Of a workspace as of a home folder."""
    made = run("backup", samples, tmp_path / "backup").row
    assert made["shared_bytes"] > 100 * made["own_bytes"]
    restored = run("restore", tmp_path / "backup", tmp_path / "home" / "a").row
    assert restored["workspaces"] == made["workspaces"]
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
    made = run("backup", tmp_path / "home", tmp_path / "backup")
    row = json.loads(made.out)
    assert (made.code, list(row["workspaces"]), list(row["failed"])) == (1, ["b"], ["a"])
    assert row["failed"]["a"] in made.err
    assert str(tmp_path / "home" / "a") in made.err

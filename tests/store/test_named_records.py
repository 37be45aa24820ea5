"""Question sets, runs and sweeps stay in the workspace, by kind and name."""

from __future__ import annotations

from pathlib import Path

from chunking.store import Workspace


def test_kept_by_kind_and_name(tmp_path: Path) -> None:
    """Another kind of the same name is another row; the newest stands first; a name's new JSON replaces the old."""
    workspace = Workspace.open(tmp_path)
    assert workspace.runs.names() == []
    assert workspace.runs.get("a") is None
    workspace.runs.put({"a": "1"})
    workspace.sweeps.put({"a": "2"})
    workspace.runs.put({"b/b'": '{"中": 3}'})
    workspace.runs.put({"a": "4"})
    again = Workspace.open(tmp_path)
    assert again.runs.names() == ["a", "b/b'"]
    assert again.runs.all() == {"a": "4", "b/b'": '{"中": 3}'}
    assert again.sweeps.get("a") == "2"
    again.runs.delete(["a", "not there"])
    assert workspace.runs.names() == ["b/b'"]
    assert workspace.sweeps.names() == ["a"]


def test_keeping_moves_its_version_only(tmp_path: Path) -> None:
    """What is derived from documents and indexes is not made again for a run that was kept."""
    workspace = Workspace.open(tmp_path)
    before, documents = workspace.runs.version, workspace.version()
    workspace.runs.put({"a": "1"})
    assert workspace.runs.version != before
    assert workspace.version() == documents

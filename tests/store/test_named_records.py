"""Question sets, runs and sweeps stay in the workspace, by kind and name."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

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


def test_of_two_who_add_to_one_name_both_do(tmp_path: Path) -> None:
    """Each through a workspace of its own, as two sessions of a server or two processes have it."""
    places = [Workspace.open(tmp_path) for _ in range(2)]
    places[0].question_sets.put({"list": "[]"})

    def add(place: int) -> None:
        for _ in range(10):
            places[place].question_sets.change("list", lambda kept: json.dumps([*json.loads(kept or "[]"), place]))

    with ThreadPoolExecutor(2) as both:
        list(both.map(add, range(2)))
    kept = json.loads(places[0].question_sets.get("list") or "")
    assert sorted(kept) == [0] * 10 + [1] * 10


def test_an_empty_change_writes_nothing_and_none_deletes(tmp_path: Path) -> None:
    """What the change raises leaves the name as it was."""
    workspace = Workspace.open(tmp_path)
    assert workspace.runs.change("a", lambda kept: f"{kept} 1") == "None 1"
    before = workspace.runs.version
    assert workspace.runs.change("a", lambda kept: kept) == "None 1"
    with pytest.raises(ZeroDivisionError):
        workspace.runs.change("a", lambda kept: str(1 // 0))
    assert workspace.runs.version == before
    assert workspace.runs.change("a", lambda kept: None) is None
    assert workspace.runs.names() == []

"""What was searched for in a workspace: in order, with repeats, bounded, and gone when it is deleted."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from chunking.store import Workspace, workspace_records
from chunking.store.engine import table_upkeep


def test_queries_are_kept_in_their_order(tmp_path: Path) -> None:
    """Of this workspace alone, seen by who opens it later; odd ones are kept as text, endless ones are not."""
    target = Workspace.open(tmp_path / "one")
    assert target.search_history.queries() == []
    before = target.search_history.version
    for query in ("second  words", "first", "second  words", " ", "long " * 1_000, "a\ud800\x00b 'quoted\" <b>"):
        target.search_history.add(query)
    assert target.search_history.version != before
    kept = Workspace.open(tmp_path / "one").search_history.queries()
    assert kept[:3] == ["second words", "first", "second words"]
    assert len(kept) == 4
    assert Workspace.open(tmp_path / "two").search_history.queries() == []
    target.tidy()
    assert target.search_history.queries() == kept


def test_a_deleted_history_leaves_nothing(tmp_path: Path) -> None:
    """No row and no file; the next query begins anew."""
    target = Workspace.open(tmp_path / "one")
    target.search_history.add("secret words")
    target.search_history.clear()
    assert target.search_history.queries() == []
    assert not any(b"secret words" in file.read_bytes() for file in (tmp_path / "one").rglob("*") if file.is_file())
    target.search_history.clear()
    target.search_history.add("new")
    assert target.search_history.queries() == ["new"]


def test_searching_in_a_loop_fills_no_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest queries go, and so do the versions that each commit leaves; the order of those that are left is the
    same.
    """
    monkeypatch.setattr(workspace_records, "MOST_QUERIES", 30)
    monkeypatch.setattr(workspace_records, "_FORGET_EVERY", 20)
    monkeypatch.setattr(table_upkeep, "_MOST_VERSIONS", 20)
    monkeypatch.setattr(table_upkeep, "_OLD", timedelta(milliseconds=1))
    target = Workspace.open(tmp_path / "one")
    queries = [f"query {number}" for number in range(100)]
    for query in queries:
        target.search_history.add(query)
    kept = Workspace.open(tmp_path / "one").search_history.queries()
    assert 30 <= len(kept) < 50
    assert kept == queries[-len(kept) :]
    files = [file for file in (tmp_path / "one" / "search_history.lance").rglob("*") if file.is_file()]
    assert len(files) < 100

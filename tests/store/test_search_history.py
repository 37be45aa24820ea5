"""What was searched for in a workspace: in order, with repeats, bounded, and gone when it is deleted."""

from __future__ import annotations

from pathlib import Path

from chunking.store import Workspace


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

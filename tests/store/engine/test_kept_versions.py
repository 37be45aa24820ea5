"""What stays of the versions that people write: on the disk, and in the memory of a reader of a workspace."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pytest

from chunking.errors import StoreError
from chunking.store import Workspace
from chunking.store.engine import lance_tables, table_upkeep
from chunking.store.engine.schema import CHANGES, NAMED_RECORDS, SEARCH_HISTORY

CLICKS: dict[str, Callable[[Workspace, int], object]] = {
    NAMED_RECORDS: lambda workspace, number: workspace.question_sets.put({"a": str(number)}),
    CHANGES: lambda workspace, number: workspace.changes.append("a", "pins", [{"kind": "split", "n": number}]),
    SEARCH_HISTORY: lambda workspace, number: workspace.search_history.add(f"query {number}"),
}
"""Table to what writes to it once."""


def manifests(workspace: Workspace, table: str) -> list[Path]:
    """The files of its versions."""
    return list(Path(workspace.uri, f"{table}.lance", "_versions").glob("*.manifest"))


@pytest.mark.filterwarnings("ignore:optimize.cleanup_older_than=0")
@pytest.mark.parametrize("table", CLICKS)
def test_a_table_with_one_commit_a_click_does_not_grow_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    """Each write comes from another process and no index is built meanwhile; nothing is lost."""
    monkeypatch.setattr(table_upkeep, "_MOST_VERSIONS", 15)
    monkeypatch.setattr(table_upkeep, "_OLD", timedelta(0))
    workspace, most, largest = Workspace.open(tmp_path), 0, 0
    for number in range(100):
        CLICKS[table](workspace, number)
        result = manifests(workspace, table)
        most, largest = max(most, len(result)), max(largest, *(file.stat().st_size for file in result))
        if number % 40 == 39:
            workspace = Workspace.open(tmp_path)
    assert 15 <= most < 20
    assert largest < 6_000
    assert workspace.question_sets.all() == ({"a": "99"} if table == NAMED_RECORDS else {})
    assert len(workspace.changes.log("a", "pins").changes) == (100 if table == CHANGES else 0)
    assert workspace.search_history.queries() == (
        [f"query {number}" for number in range(100)] if table == SEARCH_HISTORY else []
    )


@pytest.mark.parametrize("table", CLICKS)
def test_upkeep_comes_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, table: str
) -> None:
    """Versions too young are kept too; after a failure the data stays, and cleaning is retried later."""
    monkeypatch.setattr(table_upkeep, "_MOST_VERSIONS", 15)
    workspace, calls, upkeep = Workspace.open(tmp_path), list[str](), table_upkeep.upkeep

    def counted(tables: lance_tables.Tables, name: str) -> None:
        calls.append(name)
        if len(calls) == 2:
            raise StoreError("The disk is full.")
        upkeep(tables, name)

    monkeypatch.setattr(table_upkeep, "upkeep", counted)
    for number in range(50):
        CLICKS[table](workspace, number)
    assert calls == [table] * 3
    assert "disk is full" in caplog.text


def test_it_keeps_the_last_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tab that stays open for months over a workspace that people write to holds no more than after an hour."""
    sessions: list[Any] = []
    begin = lancedb.Session
    monkeypatch.setattr(lance_tables, "_KEPT", 500_000)
    writer = Workspace.open(tmp_path)
    monkeypatch.setattr(lancedb, "Session", lambda **sizes: sessions.append(begin(**sizes)) or sessions[-1])
    reader = Workspace.open(tmp_path)
    contents = []
    for number in range(60):
        writer.runs.put({"a": str(number)})
        assert reader.runs.get("a") == str(number)
        contents.append(max(one.size_bytes for one in sessions))
    assert (
        100_000 < contents[10] < max(contents) < 550_000
    )  # that of each version is something: 870,000 at the end otherwise

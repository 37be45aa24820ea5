"""What a reader of a workspace keeps in memory of the versions that others have written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lancedb
import pytest

from chunking.store import Workspace
from chunking.store.engine import tables


def test_it_keeps_the_last_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tab that stays open for months over a workspace that people write to holds no more than after an hour."""
    sessions: list[Any] = []
    begin = lancedb.Session
    monkeypatch.setattr(tables, "_KEPT", 500_000)
    writer = Workspace.open(tmp_path)
    monkeypatch.setattr(lancedb, "Session", lambda **sizes: sessions.append(begin(**sizes)) or sessions[-1])
    reader = Workspace.open(tmp_path)
    held = []
    for number in range(60):
        writer.runs.put({"a": str(number)})
        assert reader.runs.get("a") == str(number)
        held.append(max(one.size_bytes for one in sessions))
    assert 100_000 < held[10] < max(held) < 550_000  # that of each version is something: 870,000 at the end otherwise

"""Files for download are made in the server's memory: how large one may be, and that it ends there."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.errors import QuotaError
from chunking.parsing import parse
from chunking.store import Workspace
from components.session import file_memory
from components.session.file_memory import BoundedFile, too_large
from components.workspaces import workspace_file_dialogs

GIGABYTE = 10**9


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 16 GB."""
    monkeypatch.setattr(file_memory, "machine_memory", lambda: 16 * GIGABYTE)


def test_a_file_of_more_than_its_share_is_not_made() -> None:
    """The sentence has both numbers, and the command that needs no memory for it."""
    assert too_large(2 * GIGABYTE, "chunkscope save") == ""
    sentence = too_large(3 * GIGABYTE, "chunkscope save")
    assert all(words in sentence for words in ("3.0 GB", "2.0 GB", "chunkscope save"))


def test_where_the_memory_is_not_known_there_is_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a small machine makes small files."""
    monkeypatch.setattr(file_memory, "machine_memory", lambda: 0)
    assert too_large(10**15, "chunkscope save") == ""
    monkeypatch.setattr(file_memory, "machine_memory", lambda: 10**9)
    assert too_large(150 * 10**6, "chunkscope save") == ""


def test_a_file_that_was_thought_smaller_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The size of an index's export is told from its first chunks: what comes after them may be larger."""
    monkeypatch.setattr(file_memory, "_LEAST", 100)
    monkeypatch.setattr(file_memory, "machine_memory", lambda: 8)
    sink = BoundedFile("chunkscope export")
    sink.write(bytes(60))
    sink.seek(0)
    sink.write(bytes(90))
    with pytest.raises(QuotaError, match="chunkscope export"):
        sink.write(bytes(11))
    assert sink.getvalue() == bytes(90)


def test_a_large_workspace_is_not_saved_from_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its size on the disk is looked at first, and the making ends where that was wrong."""
    target = Workspace.open(tmp_path / "one")
    target.put_document(parse(b"# One\n\nWords.\n", "one.md"))
    assert workspace_file_dialogs._too_large(target) == ""
    assert workspace_file_dialogs._saved(target)
    monkeypatch.setattr(file_memory, "_LEAST", 300)
    monkeypatch.setattr(file_memory, "machine_memory", lambda: 8)
    assert "chunkscope save" in workspace_file_dialogs._too_large(target)
    with pytest.raises(QuotaError):
        workspace_file_dialogs._saved(target)

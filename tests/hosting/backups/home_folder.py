"""A home folder to back up."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from chunking.store import Index, Workspace
from tests.store.indexed import INSTALL, fill


@pytest.fixture
def home(index: Index, workspace: Workspace, tmp_path: Path) -> Path:
    """A home folder: two workspaces, one of them deeper, a database with a write-ahead log, a file, and what does not
    belong to it.
    """
    folder = tmp_path / "home"
    (folder / "people").mkdir(parents=True)
    os.rename(workspace.uri, folder / "people" / "first")
    fill(Workspace.open(folder / "second"), INSTALL)
    with closing(sqlite3.connect(folder / "directory.sqlite")) as database:
        database.execute("pragma journal_mode=wal")
        database.execute("create table people (name)")
        database.execute("insert into people values ('A')")
        database.commit()
    (folder / "operator.toml").write_text("mode = 'team'")
    (folder / ".second.12345678.unfinished").mkdir()
    (folder / "queue.lock").touch()
    (folder / "elsewhere").symlink_to(tmp_path)
    return folder

"""A workspace with one small index."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.store import Index, Workspace
from tests.store.indexed import INSTALL, MANUAL, fill


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty workspace."""
    return Workspace.open(tmp_path / "workspace")


@pytest.fixture
def index(workspace: Workspace) -> Index:
    """An index over an English and a Chinese document."""
    return fill(workspace, INSTALL, MANUAL)

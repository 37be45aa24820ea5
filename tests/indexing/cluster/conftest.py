"""Files that all builds on a cluster read, and what the embedded engine makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.indexing import IndexReport, index_files
from chunking.store import Workspace
from tests.support.cluster_builds import LEVELS, write_files
from tests.support.store_rows import FakeEmbedder


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of files that no test changes."""
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    return folder


@pytest.fixture(scope="session")
def embedded(files: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, IndexReport]:
    """Return the workspace and report of the embedded engine, which no test changes."""
    workspace = Workspace.open(tmp_path_factory.mktemp("embedded"))
    return workspace, index_files(workspace, files, LEVELS, embedder=FakeEmbedder())

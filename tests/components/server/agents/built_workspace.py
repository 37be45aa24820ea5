"""Indexed workspaces for servers that agents call."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import Config
from chunking.indexing import add_files, build_index
from chunking.store import Workspace
from tests.support.shelf import SHELF
from tests.support.stand_in_model import stand_in_model


def built_workspace(folder: Path, texts: dict[str, str]) -> Path:
    """The folder of a workspace with an index of small chunks."""
    files = folder / "files"
    for source, text in texts.items():
        path = files / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    workspace = Workspace.open(folder / "workspace")
    with stand_in_model():
        add_files(workspace, [files])
        build_index(workspace, Config.from_settings({"size": "32", "min_size": "0"}))
    return folder / "workspace"


@pytest.fixture(scope="package")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a workspace with three documents and an index of small chunks. Not to be written to."""
    return built_workspace(tmp_path_factory.mktemp("shelf"), SHELF)

"""Workspaces for the pages, each test with one of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from chunking.config import Config
from chunking.indexing import build_index
from chunking.parsing import find_files, parse_file
from chunking.store import Workspace
from tests.pages.app_session import SAMPLES
from tests.support.scanning import scanned_once
from tests.support.stand_in_model import stand_in_model


@pytest.fixture(scope="package", autouse=True)
def _stand_in() -> Iterator[None]:
    """What the pages do with vectors is tested here, not the model that makes them."""
    with stand_in_model(), scanned_once():
        yield


@pytest.fixture(scope="package")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the samples, as the first start makes it."""
    folder = tmp_path_factory.mktemp("made") / "workspace"
    Workspace.open(folder).put_documents([parse_file(path, root=root) for path, root in find_files([SAMPLES])])
    return folder


@pytest.fixture(scope="package")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the FAQ, and an index of it."""
    folder = tmp_path_factory.mktemp("built") / "workspace"
    workspace = Workspace.open(folder)
    workspace.put_document(parse_file(SAMPLES / "faq" / "faq.txt", root=SAMPLES))
    build_index(workspace, Config())
    return folder


@pytest.fixture
def samples(sample_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The app's workspace is a copy of that with the samples."""
    return _copied(sample_folder, tmp_path, monkeypatch)


@pytest.fixture
def indexed(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The app's workspace is a copy of that with the FAQ and its index."""
    return _copied(built, tmp_path, monkeypatch)


def _copied(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    folder = tmp_path / "workspace"
    shutil.copytree(source, folder)
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(folder))
    return Workspace.open(folder)


@pytest.fixture
def dialogs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw dialogs in the page: AppTest does not show them. They close with the run: open and confirm in one."""

    def dialog(title: str, **_: Any) -> Any:
        return lambda body: body

    monkeypatch.setattr(st, "dialog", dialog)


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long for a lock."""
    monkeypatch.setattr("components.session.workspace.PATIENCE", 0.2)


@pytest.fixture(autouse=True)
def _started(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that knows of app.py's navigation; each run of AppTest is else the first of a server's life, and clicks
    are lost in it.
    """
    begin = PagesManager.__init__

    def init(self: PagesManager, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", init)


@pytest.fixture(autouse=True)
def _own_cache() -> Iterator[None]:
    """What one test's server remembers, the next one's does not."""
    yield
    st.cache_resource.clear()
    st.cache_data.clear()

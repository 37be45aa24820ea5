"""A workspace of invented documents, and what evaluates configurations on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.evaluation import Trials
from chunking.store import Workspace
from tests.support.plants import filled
from tests.support.store_rows import FakeEmbedder


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return filled(tmp_path / "workspace")


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def trials(workspace: Workspace, embedder: FakeEmbedder) -> Iterator[Trials]:
    with Trials(workspace, embedder=embedder) as trials:
        yield trials

"""Workspaces with the documents of the shelf."""

from __future__ import annotations

import pytest

from chunking.store import Workspace
from tests.support.shelf import LEVELS, SHELF, fill
from tests.support.word_embedder import WordEmbedder


@pytest.fixture(scope="session")
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory, embedder: WordEmbedder) -> Workspace:
    """Three documents in an index of chunks of 32 tokens. Not to be written to."""
    workspace = Workspace.open(tmp_path_factory.mktemp("shelf") / "workspace")
    fill(workspace, SHELF, embedder)
    return workspace


@pytest.fixture(scope="session")
def tiers(tmp_path_factory: pytest.TempPathFactory, embedder: WordEmbedder) -> Workspace:
    """The same documents with parents, two larger sizes, summaries and a cluster tree. Not to be written to."""
    workspace = Workspace.open(tmp_path_factory.mktemp("tiers") / "workspace")
    fill(workspace, SHELF, embedder, LEVELS)
    return workspace

"""Workspaces with an index and runs, some of them with everything in their texts that a file could be broken with; no
model.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.store import Workspace
from tests.support.shelf import SHELF
from tests.support.stored_runs import EVIL, HOSTILE, filled, with_runs


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Three plain documents, in English and Chinese; for reading only."""
    return filled(tmp_path_factory.mktemp("shelf") / "workspace", dict(SHELF))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A document whose every text is an attack, and one beside it; for reading only."""
    files = {f"=1+1/{EVIL[:60].replace('/', '_')}.md": HOSTILE, "plain.md": "# Plain\n\nNothing to see."}
    return filled(tmp_path_factory.mktemp("hostile") / "workspace", files)


@pytest.fixture
def measured(tmp_path: Path) -> Workspace:
    """A workspace with a question set and two runs over it, of which one finds clearly more."""
    return with_runs(filled(tmp_path / "measured", dict(SHELF)))

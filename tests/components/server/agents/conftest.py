"""A server that agents of one person call; its local model is a stand-in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.app import running_app
from tests.components.server.agents import built_workspace as built

shelf = built.shelf


@pytest.fixture(scope="package")
def local(shelf: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server of one person, whose workspace is a copy of the shelf."""
    place = shutil.copytree(shelf, tmp_path_factory.mktemp("local") / "home" / "workspace")
    with running_app(Path(place), "serve.py", stand_in=True) as address:
        yield f"{address}/mcp"

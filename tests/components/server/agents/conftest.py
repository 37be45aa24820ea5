"""Servers that agents call: of one person, and of a team; their local model is a stand-in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.deployment import Deployment, operator_settings
from chunking.indexing import add_files, build_index
from chunking.store import Workspace
from tests.browser.app import running_app
from tests.components.server.agents.team_server import ANN, BOB, TeamServer
from tests.support.shelf import SHELF
from tests.support.stand_in_model import stand_in_model


@pytest.fixture(scope="package")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a workspace with three documents and an index of small chunks. Not to be written to."""
    return _built(tmp_path_factory.mktemp("shelf"), SHELF)


@pytest.fixture(scope="package")
def local(shelf: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server of one person, whose workspace is a copy of the shelf."""
    place = shutil.copytree(shelf, tmp_path_factory.mktemp("local") / "home" / "workspace")
    with running_app(Path(place), "serve.py", stand_in=True) as address:
        yield f"{address}/mcp"


@pytest.fixture(scope="package")
def team(shelf: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamServer]:
    """A server of a team."""
    folder = tmp_path_factory.mktemp("team")
    inbox = folder / "inbox"
    inbox.mkdir()
    given = {"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(folder / "home"), "CHUNKSCOPE_ALLOW_FOLDERS": str(inbox)}
    here = Deployment(operator_settings(given))
    for person in (ANN, BOB):
        here.people.seen(person)
    pumps = _built(folder / "pumps", {"pump.md": "# Pump\n\nSwitch the pump off before you open it.\n"})
    anns, bobs = (
        here.workspaces.create(name, by.id, fill=lambda place, source=source: shutil.copytree(source, place))  # type: ignore[misc]
        for name, by, source in (("Shelf", ANN, shelf), ("Pumps", BOB, pumps))
    )
    with running_app(folder / "unused", "serve.py", stand_in=True, environment=given) as address:
        yield TeamServer(f"{address}/mcp", here, anns, bobs, inbox)


def _built(folder: Path, texts: dict[str, str]) -> Path:
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

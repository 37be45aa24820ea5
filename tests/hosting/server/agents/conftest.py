"""A server that agents of a team call; its local model is a stand-in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.deployment import operator_settings
from hosting.hosted_deployment import HostedDeployment
from tests.browser.app import running_app
from tests.components.server.agents import built_workspace as built
from tests.hosting.server.agents.team_server import ANN, BOB, TeamServer

shelf = built.shelf


@pytest.fixture(scope="package")
def team(shelf: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamServer]:
    """A server of a team."""
    folder = tmp_path_factory.mktemp("team")
    inbox = folder / "inbox"
    inbox.mkdir()
    arguments = {
        "CHUNKSCOPE_MODE": "team",
        "CHUNKSCOPE_HOME": str(folder / "home"),
        "CHUNKSCOPE_ALLOW_FOLDERS": str(inbox),
    }
    here = HostedDeployment(operator_settings(arguments))
    for person in (ANN, BOB):
        here.people.record_visit(person)
    pumps = built.built_workspace(folder / "pumps", {"pump.md": "# Pump\n\nSwitch the pump off before you open it.\n"})
    anns, bobs = (
        here.workspaces.create(name, by.id, fill=lambda place, source=source: shutil.copytree(source, place))  # type: ignore[misc]
        for name, by, source in (("Shelf", ANN, shelf), ("Pumps", BOB, pumps))
    )
    with running_app(folder / "unused", "serve.py", stand_in=True, environment=arguments) as address:
        yield TeamServer(f"{address}/mcp", here, anns, bobs, inbox)

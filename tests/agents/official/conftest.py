"""The app with the samples, as programs of others meet it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.official.npm_programs import NpmPrograms, npm_programs
from tests.browser.app import running_app


@pytest.fixture(scope="package")
def programs(tmp_path_factory: pytest.TempPathFactory) -> NpmPrograms:
    """Before anything that takes time to start: without them the tests are skipped."""
    return npm_programs(tmp_path_factory.mktemp("npm"))


@pytest.fixture(scope="package")
def own_samples(programs: NpmPrograms, samples_place: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a copy of the samples' workspace."""
    return Path(shutil.copytree(samples_place, tmp_path_factory.mktemp("own") / "home" / "workspace"))


@pytest.fixture(scope="package")
def mount(own_samples: Path) -> Iterator[str]:
    """Address at which a running app answers agents."""
    with running_app(own_samples, "serve.py", stand_in=True) as address:
        yield f"{address}/mcp"

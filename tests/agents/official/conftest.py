"""The app with the samples, as programs of others meet it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.evaluation import load_set, save_set
from chunking.store import Workspace
from tests.agents.official.npm_programs import NpmPrograms, npm_programs
from tests.browser.app import running_app


@pytest.fixture(scope="package")
def programs(tmp_path_factory: pytest.TempPathFactory) -> NpmPrograms:
    """Before anything that takes time to start: without them the tests are skipped."""
    return npm_programs(tmp_path_factory.mktemp("npm"))


@pytest.fixture(scope="package")
def own_samples(programs: NpmPrograms, samples_place: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a copy of the samples' workspace, with a set of three questions beside the whole one."""
    place = Path(shutil.copytree(samples_place, tmp_path_factory.mktemp("own") / "home" / "workspace"))
    workspace = Workspace.open(place)
    questions = load_set(workspace, "questions").questions
    save_set(workspace, replace(questions, name="few", questions=questions.questions[:3]))
    return place


@pytest.fixture(scope="package")
def mount(own_samples: Path) -> Iterator[str]:
    """Address at which a running app answers agents."""
    with running_app(own_samples, "serve.py", stand_in=True) as address:
        yield f"{address}/mcp"

"""The command, run in this process, and one workspace with the samples for all tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from chunking.cli import main
from tests.cli.command import SAMPLES, Ran, Run
from tests.support.stand_in_model import stand_in_model


@pytest.fixture(scope="package", autouse=True)
def _stand_in() -> Iterator[None]:
    """What the command does with vectors is tested here, not the model that makes them."""
    with stand_in_model():
        yield


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in this process."""

    def run(*words: object) -> Ran:
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Ran(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="package")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the samples, indexed with the defaults once a test run; for reading only."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder  # the workers of a run share it
    place = folder / "cli-samples"
    with FileLock(folder / "cli-samples.lock"):
        if not place.exists():
            unfinished = tmp_path_factory.mktemp("samples") / "workspace"
            assert main(["index", str(SAMPLES), "--workspace", str(unfinished)]) == 0
            unfinished.rename(place)
    return place


@pytest.fixture
def own_samples(samples: Path, tmp_path: Path) -> Path:
    """A copy of that workspace to change."""
    return Path(shutil.copytree(samples, tmp_path / "own"))

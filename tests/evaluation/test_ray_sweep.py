"""Sweeps on Ray, with two workers on this machine, in one session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chunking.evaluation import Trials, run_sweep
from chunking.store import Workspace
from tests.support.cluster_builds import DyingEmbedder
from tests.support.cluster_sweeps import TWO, check_equal, few_questions
from tests.support.plants import filled
from tests.support.ray_processes import RAY_WARNINGS, ray_of_two_workers
from tests.support.store_rows import FakeEmbedder

pytestmark = RAY_WARNINGS


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Return Ray with two workers, which all tests of the module use."""
    with ray_of_two_workers() as running:
        yield running


def test_runs_of_ray_are_those_of_this_process(ray: Any, workspace: Workspace, tmp_path: Path) -> None:
    """A worker is killed while it embeds, and its part is done by another."""
    other, flag = filled(tmp_path / "other"), tmp_path / "flag"
    flag.touch()
    with Trials(workspace, embedder=DyingEmbedder(flag)) as trials:
        ours = run_sweep(workspace, TWO, few_questions(workspace), trials=trials, engine="ray", workers=2)
    assert not flag.exists()
    with Trials(other, embedder=FakeEmbedder()) as trials:
        expected = run_sweep(other, TWO, few_questions(other), trials=trials)
    check_equal(workspace, ours, other, expected)

"""Fake workers, and a record of jobs that one server after the other opens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from components.server.jobs import JobRecord
from tests.support.fake_workers import FakeWorkers


@pytest.fixture
def workers() -> FakeWorkers:
    return FakeWorkers()


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Any]:
    """Opens the same record, as each server does that comes after another."""
    created: list[JobRecord] = []

    def open_one() -> JobRecord:
        for one in created:
            one.close()
        created.append(JobRecord(tmp_path / "state" / "jobs"))
        return created[-1]

    yield open_one
    for one in created:
        one.close()

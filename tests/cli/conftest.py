"""Runs the command, mostly in this process; one workspace with the samples for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import GUIDE
from tests.cli.command_fixtures import _stand_in, own_samples, run, samples  # noqa: F401


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    """A folder with one small document in a folder."""
    (tmp_path / "docs" / "pump").mkdir(parents=True)
    (tmp_path / "docs" / "pump" / "guide.md").write_text(GUIDE, encoding="utf-8")
    return tmp_path / "docs"

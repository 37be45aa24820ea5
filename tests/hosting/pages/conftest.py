"""Pages of a deployment for many people; each test has a home folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from hosting.server import hosted_parts
from tests.pages.page_fixtures import (  # noqa: F401
    _hasty,
    _own_cache,
    _stand_in,
    _started,
    built,
    dialogs,
    indexed,
    sample_folder,
    samples,
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of a team's deployment."""
    monkeypatch.delenv("CHUNKSCOPE_WORKSPACE", raising=False)
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(autouse=True)
def _protected(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if serve.py had started the server: people may share it."""
    monkeypatch.setattr(hosted_parts, "_protected", True)

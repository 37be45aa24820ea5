"""The key that visits are signed with in these tests, and a home folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from hosting.demo import visit_cookies
from tests.hosting.server.layers.asking import KEY


@pytest.fixture(autouse=True)
def _signed_visits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(visit_cookies, "_key", lambda home: KEY)

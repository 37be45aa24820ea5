"""A server in the mode demo, whose its sessions are, and the key that visits are signed with."""

from __future__ import annotations

from pathlib import Path

import pytest

from hosting.demo import visit_cookies
from hosting.demo.visits import visit_id
from tests.hosting.server.asking import ANN_TOKEN, BOB_TOKEN, KEY


@pytest.fixture(autouse=True)
def _signed_visits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(visit_cookies, "_key", lambda home: KEY)


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the mode demo."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Session to its person: one of Ann's, one of Bob's, one of somebody without cookies."""
    people = {"of-ann": visit_id(ANN_TOKEN), "of-bob": visit_id(BOB_TOKEN), "of-nobody": ""}
    for module in ("media_access", "request_limits"):
        monkeypatch.setattr(f"hosting.server.{module}.owner", people.get)
    return people

"""A server in the mode demo, and whose its sessions are."""

from __future__ import annotations

import pytest

from hosting.demo.visits import visit_id
from tests.hosting.server.layers.asking import ANN_TOKEN, BOB_TOKEN


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this mode."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Session to its person: one of Ann's, one of Bob's, one of who keeps no cookies."""
    known = {"of-ann": visit_id(ANN_TOKEN), "of-bob": visit_id(BOB_TOKEN), "of-nobody": ""}
    for module in ("media_access", "request_limits"):
        monkeypatch.setattr(f"hosting.server.layers.{module}.owner", known.get)
    return known

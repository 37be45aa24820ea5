"""Metrics are there where the operator has named them, and nowhere else; health always is."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from components.server.security_headers import MetricsGate


@pytest.mark.parametrize(("setting", "code"), [("", 404), ("true", 200), ("certainly", 404)])
@pytest.mark.parametrize("base", ["", "/chunkscope"])
def test_metrics_are_off_unless_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, code: int, base: str
) -> None:
    """Also below a base path, and with a setting that cannot be read."""
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path))
    monkeypatch.setenv("CHUNKSCOPE_METRICS", setting)
    paths = (f"{base}/_stcore/metrics", f"{base}/_stcore/health")
    routes = [Route(path, lambda request: PlainTextResponse("ok")) for path in paths]
    client = TestClient(Starlette(routes=routes, middleware=[Middleware(MetricsGate)]))
    assert [client.get(path).status_code for path in paths] == [code, 200]

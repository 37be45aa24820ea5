"""Requests that pages of other sites send."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit import config

from chunking.deployment import operator_settings
from hosting.server import request_limits
from hosting.server.request_limits import OriginCheck, allow_public_address
from tests.hosting.server.asking import ANN, answered
from tests.support.event_loop import run_in_thread

pytestmark = pytest.mark.usefixtures("demo")


@pytest.mark.parametrize(
    ("origin", "host", "status"),
    [
        ("http://here", "here", 200),
        (None, "here", 200),
        ("https://demo.example.com", "127.0.0.1:8501", 200),
        ("https://demo.example.com.evil.example", "demo.example.com", 403),
        ("http://localhost:3000", "demo.example.com", 403),
        ("http://demo.example.com:8080", "demo.example.com", 403),
        ("null", "demo.example.com", 403),
        ("http://[", "demo.example.com", 403),
    ],
)
def test_pages_of_other_sites_change_nothing(
    origin: str | None, host: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor open a WebSocket; behind a proxy that passes on another host, the public address is the deployment's own."""
    monkeypatch.setenv("CHUNKSCOPE_PUBLIC_URL", "https://demo.example.com/")
    monkeypatch.setattr(request_limits, "deployment", lambda: SimpleNamespace(settings=operator_settings()))
    before = config.get_option("server.corsAllowedOrigins")
    allow_public_address()
    allow_public_address()
    assert config.get_option("server.corsAllowedOrigins") == [*before, "https://demo.example.com"]
    reached: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope["type"])
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    headers = {"host": host, **({"origin": origin} if origin else {})}
    try:
        layer = OriginCheck(app)
        assert answered(layer, "PUT", "/x", ANN, headers=headers).status_code == status
        assert answered(layer, "GET", "/x", ANN, headers=headers).status_code == 200
        sent: list[Any] = []

        async def keep(message: Any) -> None:
            sent.append(message)

        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        run_in_thread(lambda: layer({"type": "websocket", "headers": raw}, None, keep))  # type: ignore[arg-type]
    finally:
        config.set_option("server.corsAllowedOrigins", before)
    assert sent == ([] if status == 200 else [{"type": "websocket.close", "code": 1008}])
    assert reached.count("websocket") == (status == 200)

"""Answers on an open connection are sent at once, and the server asks nobody on the internet for its address."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import uvicorn
from streamlit import net_util
from streamlit.web.server import server_util
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from components.streamlit_patches import connections
from components.streamlit_patches.connections import block_external_ip, set_tcp_nodelay
from tests.support.event_loop import run_in_thread

Send = Callable[[dict[str, Any]], Awaitable[None]]


async def _hello(scope: dict[str, Any], receive: object, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


async def _delay_options() -> list[int]:
    """TCP_NODELAY of the server's end of a connection to a port that was bound as Streamlit binds it."""
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    bound.listen()
    bound.setblocking(False)
    options: list[int] = []
    connect = AutoHTTPProtocol.connection_made

    def note(self: object, transport: asyncio.Transport) -> None:
        connect(self, transport)
        options.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    AutoHTTPProtocol.connection_made = note  # type: ignore[method-assign]
    server = uvicorn.Server(uvicorn.Config(_hello, lifespan="off", log_config=None))
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    reader, writer = await asyncio.open_connection("127.0.0.1", bound.getsockname()[1])
    for _ in range(2):
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b"hello")
    writer.close()
    await writer.wait_closed()
    server.should_exit = True
    await serving
    AutoHTTPProtocol.connection_made = connect
    return options


def test_a_connection_to_a_socket_of_streamlits_sends_without_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """The option is set before the first answer, and the connection is kept open for a second request."""
    monkeypatch.setattr(AutoHTTPProtocol, "connection_made", connections._connect)
    assert run_in_thread(_delay_options) == [0]
    set_tcp_nodelay()
    assert run_in_thread(_delay_options) == [1]


def test_a_connection_without_a_socket_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A local socket, or a transport of another kind, has no such option."""
    monkeypatch.setattr(AutoHTTPProtocol, "connection_made", connections._connect)
    calls: list[object] = []
    monkeypatch.setattr(
        "components.streamlit_patches.connections._connect", lambda _self, transport: calls.append(transport)
    )
    set_tcp_nodelay()

    class NoSocket(asyncio.Transport):
        def get_extra_info(self, name: str, default: Any = None) -> Any:
            return default

    AutoHTTPProtocol.connection_made(object(), NoSocket())  # type: ignore[attr-defined]
    assert len(calls) == 1


def test_a_foreign_origin_is_refused_without_a_question_to_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit looks the machine's external address up for it."""
    lookups: list[str] = []
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda url, **_: lookups.append(url))
    monkeypatch.setattr(net_util, "get_external_ip", net_util.get_external_ip)  # put back afterwards
    assert not server_util.is_url_from_allowed_origins("https://elsewhere.example.com")
    assert lookups, "Streamlit does not ask any more: block_external_ip can go"
    lookups.clear()
    block_external_ip()
    assert not server_util.is_url_from_allowed_origins("https://elsewhere.example.com")
    assert server_util.is_url_from_allowed_origins("http://localhost:8501")
    assert lookups == []

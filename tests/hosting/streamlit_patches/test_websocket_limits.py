"""How much of an unfinished message a connection may make the server hold, and for how long."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from streamlit import config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from components.streamlit_patches import connections
from hosting.demo import visit_cookies
from hosting.people.identity import COOKIE
from hosting.server import hosted_parts
from tests.hosting.server.asking import ANN, KEY
from tests.support.event_loop import run_in_thread

Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]
LARGE = 2_000_000
REFUSED = 1009


async def _echo(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Answer each message with its length."""
    await receive()
    await send({"type": "websocket.accept"})
    while (event := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": str(len(event.get("bytes") or event.get("text") or ""))})


@pytest.fixture(autouse=True)
def _limits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(WebSocketsSansIOProtocol, "data_received", WebSocketsSansIOProtocol.data_received)
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path))
    monkeypatch.setattr(config, "get_option", lambda _: 3)
    hosted_parts._limit_strangers()


@asynccontextmanager
async def _connection(**options: Any) -> AsyncIterator[ClientConnection]:
    """A connection to a server that takes messages as Streamlit's does."""
    settings = uvicorn.Config(
        _echo, port=0, lifespan="off", log_config=None, ws="websockets-sansio", ws_max_size=200_000_000
    )
    server = uvicorn.Server(settings)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        async with connect(f"ws://127.0.0.1:{port}/_stcore/stream", **options) as connection:
            yield connection
    finally:
        server.should_exit = True
        await serving


async def _answer(connection: ClientConnection, message: Any) -> int:
    """The length that the server has read; `REFUSED` where it has closed the connection, with or without time to say
    why.
    """
    try:
        await connection.send(message)
        return int(await connection.recv())
    except ConnectionClosed as error:
        return error.rcvd.code if error.rcvd else REFUSED


def _parts(count: int, size: int) -> AsyncIterator[bytes]:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(count):
            yield b"x" * size

    return parts()


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (b"x" * LARGE, LARGE),
        (b"x" * 4_000_001, REFUSED),
        (_parts(10, 1000), 10_000),
        (_parts(60_000, 0), REFUSED),
        (_parts(5, 10**6), REFUSED),
    ],
)
def test_a_message_has_the_apps_size_and_few_parts(message: Any, answer: int) -> None:
    """At once or in parts: one that the app would refuse anyway is not collected. Empty parts fill more than one read
    of 256 KiB.
    """

    async def run() -> int:
        async with _connection() as connection:
            return await _answer(connection, message)

    assert run_in_thread(run) == answer


@pytest.mark.parametrize(
    ("cookie", "answer"), [("", REFUSED), (f"{COOKIE}={'a' * 43}", REFUSED), (f"{COOKIE}={ANN[COOKIE]}", LARGE)]
)
def test_somebody_unknown_sends_little(monkeypatch: pytest.MonkeyPatch, cookie: str, answer: int) -> None:
    """In a demo without the cookie of a visit, or with one that the browser has made itself."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    monkeypatch.setattr(visit_cookies, "_key", lambda home: KEY)

    async def run() -> int:
        async with _connection(additional_headers={"Cookie": cookie} if cookie else {}) as connection:
            return await _answer(connection, b"x" * LARGE)

    assert run_in_thread(run) == answer


@pytest.mark.parametrize("in_parts", [True, False])
def test_a_message_has_a_deadline(monkeypatch: pytest.MonkeyPatch, in_parts: bool) -> None:
    """One that never ends is ended; a connection on which nothing is said, and the next message, are left alone."""
    monkeypatch.setattr(connections, "_DEADLINE", 0.05)

    async def run() -> tuple[int, int]:
        async with _connection() as connection:
            first = await _answer(connection, b"hello")
            await asyncio.sleep(0.2)
            assert await _answer(connection, b"hello again") == 11
            if in_parts:
                connection.protocol.send_binary(b"begins", fin=False)
                connection.transport.write(b"".join(connection.protocol.data_to_send()))
            else:
                connection.transport.write(b"\x82\xfe\x00\xff")  # the head of a message of 255 bytes, and none of them
            await connection.wait_closed()
            return first, connection.close_code or 0

    assert run_in_thread(run) == (5, 1008)


def test_uvicorn_alone_collects_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Streamlit has a setting for the size, the correction can go."""
    monkeypatch.setattr(WebSocketsSansIOProtocol, "data_received", connections._receive)

    async def run() -> int:
        async with _connection(max_size=None) as connection:
            return await _answer(connection, b"x" * 4_000_001)

    assert run_in_thread(run) == 4_000_001


def test_a_lost_connection_leaves_no_message_until_its_deadline() -> None:
    """A message that somebody begins and drops with the connection does not stay for a minute."""

    def unfinished() -> int:
        gc.collect()
        return sum(isinstance(one, WebSocketsSansIOProtocol) for one in gc.get_objects())

    async def run() -> tuple[int, int]:
        async with _connection() as connection:
            await _answer(connection, b"hello")
            connection.protocol.send_binary(b"begins", fin=False)
            connection.transport.write(b"".join(connection.protocol.data_to_send()))
            await asyncio.sleep(0.2)
            before = unfinished()
            connection.transport.abort()
            await asyncio.sleep(0.2)
            return before, unfinished()

    before, after = run_in_thread(run)
    assert before - after == 1

"""How many WebSockets one person has at a time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hosting.people.identity import COOKIE
from hosting.server.request_limits import MOST_CONNECTIONS, MOST_OF_ADDRESS, ConnectionLimit
from tests.hosting.server.layers.asking import visit
from tests.support.event_loop import run_in_thread

ANN, BOB = visit("a" * 43)[COOKIE], visit("b" * 43)[COOKIE]


class Tabs:
    """Connections that stay open until they are told to close."""

    def __init__(self) -> None:
        self.close, self.taken = asyncio.Event(), 0
        self.layer = ConnectionLimit(self._app)
        self._tasks: list[asyncio.Task[None]] = []

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        self.taken += 1
        await self.close.wait()
        raise ConnectionError("the browser has gone")

    async def open(self, token: str, count: int, address: str = "10.0.0.1") -> tuple[int, list[int]]:
        """So many of a browser's tabs at an address; how many were taken, and the codes of those that were not."""
        before, codes = self.taken, list[int]()

        async def send(message: Any) -> None:
            codes.append(message["code"])

        headers = (
            [(b"cookie", f"{COOKIE}={token}".encode())] if token else [(b"x-forwarded-for", str(self.taken).encode())]
        )
        scope: Any = {"type": "websocket", "headers": headers, "client": (address, 5_000)}
        self._tasks += [asyncio.ensure_future(self.layer(scope, None, send)) for _ in range(count)]  # type: ignore[arg-type]
        await asyncio.sleep(0)
        return self.taken - before, codes

    async def end(self) -> None:
        """All of them are closed, each with an error of the connection."""
        self.close.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.close.clear()


@pytest.mark.parametrize(("mode", "refused"), [("demo", 5), ("local", 0)])
def test_one_person_leaves_room_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, refused: int
) -> None:
    """Those that are closed count no more, however they ended; who has not signed in is not counted as one."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", mode)
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path))

    async def tried() -> None:
        tabs = Tabs()
        assert await tabs.open(ANN, MOST_CONNECTIONS + 5) == (MOST_CONNECTIONS + 5 - refused, [1013] * refused)
        assert await tabs.open(BOB, 1) == (1, [])
        assert await tabs.open("", MOST_CONNECTIONS + 5) == (MOST_CONNECTIONS + 5, [])
        await tabs.end()
        assert not tabs.layer._open
        assert await tabs.open(ANN, 1) == (1, [])
        await tabs.end()

    run_in_thread(tried)


@pytest.mark.parametrize(("mode", "refused"), [("demo", 5), ("local", 0)])
def test_who_has_not_signed_in_is_counted_by_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, refused: int
) -> None:
    """Whatever a header says of where they come from; other addresses, and people known at this one, have room."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", mode)
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path))

    async def tried() -> None:
        tabs = Tabs()
        assert await tabs.open("", MOST_OF_ADDRESS + 5) == (MOST_OF_ADDRESS + 5 - refused, [1013] * refused)
        assert await tabs.open("", 1, "10.0.0.2") == (1, [])
        assert await tabs.open(ANN, 1) == (1, [])
        await tabs.end()
        assert not tabs.layer._open

    run_in_thread(tried)

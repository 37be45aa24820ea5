"""Uploads, behind the layer that takes those of a session from its own browser, and no more than there is room for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_routes import create_upload_routes

from hosting.demo.visits import visit_id
from hosting.people.identity import COOKIE
from hosting.server.request_limits import MOST_CONNECTIONS, MOST_OF_ADDRESS, ConnectionLimit, UploadLimits
from hosting.server.upload_room import UploadAllowance, UploadRoom
from tests.hosting.server.asking import ANN, BOB, NOBODY, answered, visit
from tests.support.event_loop import run_in_thread

SIZE = 100_000
"""Bytes of an upload here, for 50 MB."""

pytestmark = pytest.mark.usefixtures("demo")

ANN_SCOPE, BOB_SCOPE = visit("a" * 43)[COOKIE], visit("b" * 43)[COOKIE]


class Uploads:
    """Streamlit's uploads, behind the layer."""

    def __init__(self, sessions: dict[str, str]) -> None:
        self.manager, self.pauses = MemoryUploadedFileManager("/_stcore/upload_file"), 0
        self._sessions = sessions
        runtime: Any = SimpleNamespace(is_active_session=sessions.__contains__)
        routes = create_upload_routes(runtime, self.manager, "")
        self.app = UploadLimits(Starlette(routes=routes), UploadRoom(), self._kept, self._pause)
        self.most = 0

    def _kept(self) -> dict[str, int]:
        return {
            self._sessions[of]: sum(len(file.data) for file in files.values())
            for of, files in self.manager.file_storage.items()
        }

    async def _pause(self, seconds: float) -> None:
        self.pauses += 1

    def put(self, address: str, cookies: dict[str, str], *, token: bool = True, content: bytes = b"text") -> int:
        """What a browser is answered that uploads a file."""
        of = generate_xsrf_token_string()
        headers = {"X-Xsrftoken": of} if token else {}
        files = {"file": ("a.txt", content)}
        path = f"/_stcore/upload_file/{address}"
        return answered(
            self.app, "PUT", path, {**cookies, "_streamlit_xsrf": of}, headers=headers, files=files
        ).status_code

    def delete(self, address: str, cookies: dict[str, str]) -> int:
        """The same of one that deletes it."""
        of = generate_xsrf_token_string()
        path = f"/_stcore/upload_file/{address}"
        return answered(
            self.app, "DELETE", path, {**cookies, "_streamlit_xsrf": of}, headers={"X-Xsrftoken": of}
        ).status_code


@pytest.fixture
def uploads(sessions: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Uploads:
    """With room for ten of `SIZE`."""
    monkeypatch.setattr("hosting.server.request_limits.GIGABYTE", 10 * (SIZE + 5_000))
    return Uploads(sessions)


def test_a_session_takes_the_files_of_its_own_browser(uploads: Uploads) -> None:
    """Another's, one that is made up, and a request of another site change nothing; neither does another's delete."""
    assert uploads.put("of-ann/1", ANN) == 204
    for address, person in (("of-ann/2", BOB), ("of-ann/2", NOBODY), ("made-up/2", BOB), ("of-nobody/2", NOBODY)):
        assert uploads.put(address, person) == 404
    assert uploads.put("of-ann/2", ANN, token=False) == 403
    assert uploads.delete("of-ann/1", BOB) == 404
    assert {of: list(files) for of, files in uploads.manager.file_storage.items()} == {"of-ann": ["1"]}
    assert uploads.delete("of-ann/1", ANN) == 204
    assert uploads.manager.get_files("of-ann", ["1"]) == []


@pytest.mark.parametrize("worked_off", [False, True], ids=["kept", "worked off"])
def test_a_hundred_uploads_at_once_stay_under_the_room(
    uploads: Uploads, sessions: dict[str, str], worked_off: bool
) -> None:
    """Ten fit; the others wait unread: until there is room, or they are refused after as many looks as there are."""
    visitors = [visit(f"{number:043}") for number in range(100)]
    sessions.update({f"of-{number}": visit_id(f"{number:043}") for number in range(100)})
    read: dict[int, int] = {}

    async def pause(seconds: float) -> None:
        uploads.most = max(uploads.most, uploads.manager._total_bytes)
        uploads.pauses += 1
        if worked_off:
            for session in list(uploads.manager.file_storage):
                uploads.manager.remove_session_files(session)
        await asyncio.sleep(0)

    layer: Any = uploads.app
    layer._pause = pause

    async def upload(number: int) -> int:
        token = generate_xsrf_token_string()
        cookies = {**visitors[number], "_streamlit_xsrf": token}

        async def content() -> Any:
            read[number] = 1
            yield (
                b'--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n'
                + b"x" * (SIZE - 100)
                + b"\r\n--x--\r\n"
            )

        headers = {"X-Xsrftoken": token, "Content-Type": "multipart/form-data; boundary=x", "Content-Length": str(SIZE)}
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(uploads.app), base_url="http://here", cookies=cookies
        ) as client:
            return (
                await client.put(f"/_stcore/upload_file/of-{number}/1", content=content(), headers=headers)
            ).status_code

    async def all_at_once() -> list[int]:
        return list(await asyncio.gather(*(upload(number) for number in range(100))))

    statuses = run_in_thread(all_at_once)
    assert set(statuses) == ({204} if worked_off else {204, 503})
    assert statuses.count(204) == (100 if worked_off else 10) == len(read)
    assert uploads.most <= 10 * SIZE
    assert uploads.pauses <= 90 * 120
    assert layer._room.take("ann", SIZE, UploadAllowance(SIZE, SIZE), dict)  # all of it is free


@pytest.mark.parametrize(("grace", "stalls", "status"), [(0.05, 3_600, 408), (1.0, 1.2, 204)])
def test_room_is_not_kept_for_a_file_that_does_not_come(
    uploads: Uploads, monkeypatch: pytest.MonkeyPatch, grace: float, stalls: float, status: int
) -> None:
    """However much was announced; one that comes with pauses, and comes, is taken."""
    monkeypatch.setattr("hosting.server.request_limits._GRACE", grace)
    monkeypatch.setattr("hosting.server.request_limits._SLOWEST", 1)
    token = generate_xsrf_token_string()

    async def content() -> Any:
        if status == 204:
            yield b'--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n'
        await asyncio.sleep(stalls)
        yield b"text\r\n--x--\r\n"

    async def upload() -> int:
        headers = {"X-Xsrftoken": token, "Content-Type": "multipart/form-data; boundary=x", "Content-Length": str(SIZE)}
        cookies = {**ANN, "_streamlit_xsrf": token}
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(uploads.app), base_url="http://here", cookies=cookies
        ) as client:
            return (await client.put("/_stcore/upload_file/of-ann/1", content=content(), headers=headers)).status_code

    assert run_in_thread(upload) == status
    layer: Any = uploads.app
    assert layer._room.take("ann", SIZE, UploadAllowance(SIZE, SIZE), dict)  # all of it is free


def test_one_person_does_not_take_all_the_room(
    uploads: Uploads, sessions: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quarter is theirs, over all their sessions, and what lies on a desk counts; others still upload."""
    monkeypatch.setattr("hosting.server.request_limits.GIGABYTE", 40 * 2**20)
    monkeypatch.setattr("hosting.server.request_limits.config", SimpleNamespace(get_option=lambda name: 1))
    layer: Any = uploads.app
    counter: Any = type("Desk", (), {"bytes_held": 9 * 2**20})()
    layer._room.watch(counter, sessions["of-ann"])
    assert uploads.put("of-ann/1", ANN, content=b"x" * 600_000) == 204
    sessions["of-ann-too"] = sessions["of-ann"]
    assert uploads.put("of-ann-too/2", ANN, content=b"x" * 600_000) == 413
    assert uploads.put("of-bob/3", BOB, content=b"x" * 600_000) == 204
    del counter
    assert uploads.put("of-ann-too/2", ANN, content=b"x" * 600_000) == 204


class Tabs:
    """Connections that stay open until they are told to close."""

    def __init__(self) -> None:
        self.close, self.used = asyncio.Event(), 0
        self.layer = ConnectionLimit(self._app)
        self._tasks: list[asyncio.Task[None]] = []

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        self.used += 1
        await self.close.wait()
        raise ConnectionError("the browser has gone")

    async def open(self, token: str, count: int, address: str = "10.0.0.1") -> tuple[int, list[int]]:
        """So many of a browser's tabs at an address; how many were taken, and the codes of those that were not."""
        before, codes = self.used, list[int]()

        async def send(message: Any) -> None:
            codes.append(message["code"])

        headers = (
            [(b"cookie", f"{COOKIE}={token}".encode())] if token else [(b"x-forwarded-for", str(self.used).encode())]
        )
        scope: Any = {"type": "websocket", "headers": headers, "client": (address, 5_000)}
        self._tasks += [asyncio.ensure_future(self.layer(scope, None, send)) for _ in range(count)]  # type: ignore[arg-type]
        await asyncio.sleep(0)
        return self.used - before, codes

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
        assert await tabs.open(ANN_SCOPE, MOST_CONNECTIONS + 5) == (MOST_CONNECTIONS + 5 - refused, [1013] * refused)
        assert await tabs.open(BOB_SCOPE, 1) == (1, [])
        assert await tabs.open("", MOST_CONNECTIONS + 5) == (MOST_CONNECTIONS + 5, [])
        await tabs.end()
        assert not tabs.layer._open
        assert await tabs.open(ANN_SCOPE, 1) == (1, [])
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
        assert await tabs.open(ANN_SCOPE, 1) == (1, [])
        await tabs.end()
        assert not tabs.layer._open

    run_in_thread(tried)

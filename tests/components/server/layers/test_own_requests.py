"""What the server answers to a browser that asks for another one's picture, download, upload or session, over Streamlit's own routes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp
from streamlit import config
from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value, generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_routes import create_media_routes, create_upload_routes

from chunking.deployment import SignIn, operator_settings, person_id
from chunking.deployment.demo.visits import visit_id
from components.server import session_owners
from components.server.layers import media_access, origin_check
from components.server.layers.media_access import MediaAccess, protect_media
from components.server.layers.origin_check import OriginCheck, allow_public_address
from components.server.layers.upload_limits import UploadLimits
from components.server.request_person import person_of
from components.server.upload_room import Room, UploadRoom
from components.session.identity import COOKIE

ANN, BOB, NOBODY = {COOKIE: "a" * 43}, {COOKIE: "b" * 43}, dict[str, str]()
SIZE = 100_000
"""Bytes of an upload here, for 50 MB."""


def answered(app: ASGIApp, method: str, path: str, cookies: dict[str, str], **named: Any) -> httpx.Response:
    """What a browser gets."""

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here", cookies=cookies) as client:
            return await client.request(method, path, **named)

    with ThreadPoolExecutor(1) as thread:  # where a browser test ran before, a loop runs in this one
        return thread.submit(asyncio.run, ask()).result()


@pytest.fixture(autouse=True)
def demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server in the mode demo, with room for ten uploads."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Session to its person: one of Ann's, one of Bob's, one of who keeps no cookies."""
    known = {"of-ann": visit_id(ANN[COOKIE]), "of-bob": visit_id(BOB[COOKIE]), "of-nobody": ""}
    for module in ("media_access", "upload_limits"):
        monkeypatch.setattr(f"components.server.layers.{module}.owner", known.get)
    return known


class Media:
    """Streamlit's media files, behind the layer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        storage = MemoryMediaFileStorage("/media")
        self.files = MediaFileManager(storage)
        self.app: ASGIApp = Starlette(routes=create_media_routes(storage, ""), middleware=[Middleware(MediaAccess)])
        self._patch = monkeypatch

    def made(self, session: str, content: bytes = b"a picture") -> str:
        """The address of a file that a session has made."""
        for module in (media_file_manager, media_access):
            self._patch.setattr(module, "_get_session_id", lambda: session)
        return self.files.add(content, "image/png", "0.0")

    def status(self, address: str, cookies: dict[str, str], **named: Any) -> int:
        """What a browser is answered."""
        return answered(self.app, "GET", address, cookies, **named).status_code


@pytest.fixture
def media(monkeypatch: pytest.MonkeyPatch, sessions: dict[str, str]) -> Iterator[Media]:
    """With the corrections of Streamlit, which are taken back afterwards."""
    for of, name in ((MediaFileManager, "add"), (MediaFileManager, "execute_deferred")):
        monkeypatch.setattr(of, name, getattr(of, name))
    for name in ("get_file", "delete_file"):
        monkeypatch.setattr(MemoryMediaFileStorage, name, getattr(MemoryMediaFileStorage, name))
    protect_media()
    yield Media(monkeypatch)
    media_access._readers.clear()


def test_a_picture_is_read_by_whom_it_was_made_for(media: Media) -> None:
    """Others are answered as for one that is not there; who made the same has it too, and no proxy keeps it."""
    address = media.made("of-ann")
    assert [media.status(address, who) for who in (ANN, BOB, NOBODY)] == [200, 404, 404]
    assert answered(media.app, "GET", address, BOB).content == answered(media.app, "GET", "/media/0.png", BOB).content
    assert media.status(address.removesuffix(".png"), BOB) == 404
    assert media.status(address, BOB, headers={"Range": "bytes=0-1"}) == 404
    assert answered(media.app, "HEAD", address, BOB).status_code == 404
    told = answered(media.app, "GET", address, ANN).headers
    assert (told["vary"], told["x-content-type-options"]) == ("Cookie", "nosniff")
    assert "private" in told["cache-control"]
    assert "sandbox" in told["content-security-policy"]
    assert media.made("of-bob") == address
    assert [media.status(address, who) for who in (ANN, BOB, NOBODY)] == [200, 200, 404]


def test_a_download_that_is_made_at_the_click_is_its_sessions_own(media: Media) -> None:
    """Whoever has it made."""
    for module in (media_file_manager, media_access):
        media._patch.setattr(module, "_get_session_id", lambda: "of-ann")
    later = media.files.add_deferred(lambda: b"all documents", "text/plain", "0.1", "all.txt")
    media._patch.setattr(media_file_manager, "_get_session_id", lambda: "of-bob")
    address = media.files.execute_deferred(later)
    assert [media.status(address, who) for who in (ANN, BOB)] == [200, 404]


def test_a_second_download_waits_for_the_click_after_the_first(media: Media) -> None:
    """Each is whole in the server's memory: one of a person is made at a time, in whatever tab; others' are made beside it."""
    refused: list[MediaFileStorageError] = []

    def later(session: str, make: Callable[[], bytes]) -> str:
        for module in (media_file_manager, media_access):
            media._patch.setattr(module, "_get_session_id", lambda: session)
        return media.files.add_deferred(make, "text/plain", f"0.{session}", "all.txt")

    second, others = later("of-ann", lambda: b"second"), later("of-bob", lambda: b"another's")

    def make() -> bytes:
        with pytest.raises(MediaFileStorageError) as told:
            media.files.execute_deferred(second)
        refused.append(told.value)
        return media.files.execute_deferred(others).encode()

    assert media.files.execute_deferred(later("of-ann", make))
    assert len(refused) == 1
    assert media.files.execute_deferred(second)


def test_readers_are_forgotten_with_the_file(media: Media) -> None:
    """A session that is gone reads nothing, and takes no memory."""
    address = media.made("of-ann")
    media.files.clear_session_refs("of-ann")
    media.files.remove_orphaned_files()
    assert media.status(address, ANN) == 404
    assert media_access._readers == {}


def test_without_a_cookie_nobody_is_told_apart(media: Media, monkeypatch: pytest.MonkeyPatch) -> None:
    """So nobody reads it in a demo; in a team it is what everybody sees who has not signed in."""
    assert media.status(media.made("of-nobody"), NOBODY) == 404
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    assert media.status(media.made("of-nobody", b"the logo"), NOBODY) == 200


def test_alone_nothing_changes(media: Media, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the mode local, files are answered as Streamlit answers them."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "local")
    told = answered(media.app, "GET", media.made("of-ann"), NOBODY)
    assert told.status_code == 200
    assert not {"cache-control", "content-security-policy", "vary"} & set(told.headers)


def test_a_name_with_tricks_stays_one_header(media: Media) -> None:
    """Line ends, quotes, a path, and marks that turn the direction of writing."""
    media.made("of-ann")
    name = 'a"b\r\nSet-Cookie: x=y;/../\u202eexe.txt'
    address = media.files.add(b"x", "text/plain", "0.2", name, is_for_static_download=True)
    told = answered(media.app, "GET", address, ANN)
    assert "set-cookie" not in told.headers
    assert told.headers["content-disposition"].startswith("attachment; filename*=utf-8''a%22b%0D%0ASet-Cookie")
    assert told.headers["content-disposition"].isascii()


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
        return {self._sessions[of]: sum(len(file.data) for file in files.values()) for of, files in self.manager.file_storage.items()}

    async def _pause(self, seconds: float) -> None:
        self.pauses += 1

    def put(self, address: str, cookies: dict[str, str], *, token: bool = True, content: bytes = b"text") -> int:
        """What a browser is answered that uploads a file."""
        of = generate_xsrf_token_string()
        headers = {"X-Xsrftoken": of} if token else {}
        files = {"file": ("a.txt", content)}
        path = f"/_stcore/upload_file/{address}"
        return answered(self.app, "PUT", path, {**cookies, "_streamlit_xsrf": of}, headers=headers, files=files).status_code

    def delete(self, address: str, cookies: dict[str, str]) -> int:
        """The same of one that deletes it."""
        of = generate_xsrf_token_string()
        path = f"/_stcore/upload_file/{address}"
        return answered(self.app, "DELETE", path, {**cookies, "_streamlit_xsrf": of}, headers={"X-Xsrftoken": of}).status_code


@pytest.fixture
def uploads(sessions: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Uploads:
    """With room for ten of `SIZE`."""
    monkeypatch.setattr("components.server.layers.upload_limits.GIGABYTE", 10 * (SIZE + 5_000))
    return Uploads(sessions)


def test_a_session_takes_the_files_of_its_own_browser(uploads: Uploads) -> None:
    """Another's, one that is made up, and a request of another site change nothing; neither does another's delete."""
    assert uploads.put("of-ann/1", ANN) == 204
    for address, who in (("of-ann/2", BOB), ("of-ann/2", NOBODY), ("made-up/2", BOB), ("of-nobody/2", NOBODY)):
        assert uploads.put(address, who) == 404
    assert uploads.put("of-ann/2", ANN, token=False) == 403
    assert uploads.delete("of-ann/1", BOB) == 404
    assert {of: list(files) for of, files in uploads.manager.file_storage.items()} == {"of-ann": ["1"]}
    assert uploads.delete("of-ann/1", ANN) == 204
    assert uploads.manager.get_files("of-ann", ["1"]) == []


@pytest.mark.parametrize("worked_off", [False, True], ids=["kept", "worked off"])
def test_a_hundred_uploads_at_once_stay_under_the_room(uploads: Uploads, sessions: dict[str, str], worked_off: bool) -> None:
    """Ten fit; the others wait unread: until there is room, or they are refused after as many looks as there are."""
    visitors = [{COOKIE: f"{number:043}"} for number in range(100)]
    sessions.update({f"of-{number}": visit_id(who[COOKIE]) for number, who in enumerate(visitors)})
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
            yield b'--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n' + b"x" * (SIZE - 100) + b"\r\n--x--\r\n"

        headers = {"X-Xsrftoken": token, "Content-Type": "multipart/form-data; boundary=x", "Content-Length": str(SIZE)}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(uploads.app), base_url="http://here", cookies=cookies) as client:
            return (await client.put(f"/_stcore/upload_file/of-{number}/1", content=content(), headers=headers)).status_code

    async def all_at_once() -> list[int]:
        return list(await asyncio.gather(*(upload(number) for number in range(100))))

    with ThreadPoolExecutor(1) as thread:
        statuses = thread.submit(asyncio.run, all_at_once()).result()
    assert set(statuses) == ({204} if worked_off else {204, 503})
    assert statuses.count(204) == (100 if worked_off else 10) == len(read)
    assert uploads.most <= 10 * SIZE
    assert uploads.pauses <= 90 * 120
    assert layer._room.take("ann", SIZE, Room(SIZE, SIZE), dict)  # all of it is free


@pytest.mark.parametrize(("grace", "stalls", "status"), [(0.05, 3_600, 408), (1.0, 1.2, 204)])
def test_room_is_not_kept_for_a_file_that_does_not_come(
    uploads: Uploads, monkeypatch: pytest.MonkeyPatch, grace: float, stalls: float, status: int
) -> None:
    """However much was announced; one that comes with pauses, and comes, is taken."""
    monkeypatch.setattr("components.server.layers.upload_limits._GRACE", grace)
    monkeypatch.setattr("components.server.layers.upload_limits._SLOWEST", 1)
    token = generate_xsrf_token_string()

    async def content() -> Any:
        if status == 204:
            yield b'--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n'
        await asyncio.sleep(stalls)
        yield b"text\r\n--x--\r\n"

    async def upload() -> int:
        headers = {"X-Xsrftoken": token, "Content-Type": "multipart/form-data; boundary=x", "Content-Length": str(SIZE)}
        cookies = {**ANN, "_streamlit_xsrf": token}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(uploads.app), base_url="http://here", cookies=cookies) as client:
            return (await client.put("/_stcore/upload_file/of-ann/1", content=content(), headers=headers)).status_code

    assert asyncio.run(upload()) == status
    layer: Any = uploads.app
    assert layer._room.take("ann", SIZE, Room(SIZE, SIZE), dict)  # all of it is free


def test_one_person_does_not_take_all_the_room(uploads: Uploads, sessions: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter is theirs, over all their sessions, and what lies on a desk counts; others still upload."""
    monkeypatch.setattr("components.server.layers.upload_limits.GIGABYTE", 40 * 2**20)
    monkeypatch.setattr("components.server.layers.upload_limits.config", SimpleNamespace(get_option=lambda name: 1))
    layer: Any = uploads.app
    desk: Any = type("Desk", (), {"held": 9 * 2**20})()
    layer._room.watch(desk, sessions["of-ann"])
    assert uploads.put("of-ann/1", ANN, content=b"x" * 600_000) == 204
    sessions["of-ann-too"] = sessions["of-ann"]
    assert uploads.put("of-ann-too/2", ANN, content=b"x" * 600_000) == 413
    assert uploads.put("of-bob/3", BOB, content=b"x" * 600_000) == 204
    del desk
    assert uploads.put("of-ann-too/2", ANN, content=b"x" * 600_000) == 204


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
def test_pages_of_other_sites_change_nothing(origin: str | None, host: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor open a WebSocket; behind a proxy that passes on another host, the public address is the deployment's own."""
    monkeypatch.setenv("CHUNKSCOPE_PUBLIC_URL", "https://demo.example.com/")
    monkeypatch.setattr(origin_check, "deployment", lambda: SimpleNamespace(settings=operator_settings()))
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
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, layer({"type": "websocket", "headers": raw}, None, keep)).result()  # type: ignore[arg-type]
    finally:
        config.set_option("server.corsAllowedOrigins", before)
    assert sent == ([] if status == 200 else [{"type": "websocket.close", "code": 1008}])
    assert reached.count("websocket") == (status == 200)


def test_a_session_is_taken_up_again_by_its_own_browser_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its id is no key: another browser that names it gets a new session, as does one without a cookie."""
    asked: list[str | None] = []

    def connect(self: Any, client: Any, script: Any, user: Any, existing: str | None, override: str | None) -> str:
        asked.append(existing)
        id = existing or f"new-{len(asked)}"
        self._active_session_info_by_id[id] = self._active_session_info_by_id.get(id) or SimpleNamespace(session=Session())
        return id

    monkeypatch.setattr(session_owners, "_connect", connect)
    manager: Any = SimpleNamespace(_active_session_info_by_id={})

    def connected(cookies: dict[str, str], existing: str | None = None) -> str:
        client: Any = SimpleNamespace(client_context=SimpleNamespace(headers=[], cookies=cookies))
        return session_owners._connect_owned(manager, client, None, {}, existing_session_id=existing)  # type: ignore[arg-type]

    first = connected(ANN)
    assert session_owners.owner(first) == visit_id(ANN[COOKIE])
    others = [connected(who, first) for who in (BOB, NOBODY, {COOKIE: "forged"})]
    assert first not in others
    assert connected(ANN, first) == first
    assert connected(NOBODY, others[1]) not in others
    monkeypatch.setenv("CHUNKSCOPE_MODE", "local")
    assert connected(NOBODY, first) == first


class Session:
    """Stands for Streamlit's."""


def test_streamlits_session_manager_is_the_one_that_is_corrected() -> None:
    """Its method takes what ours takes."""
    names = WebsocketSessionManager.connect_session.__code__.co_varnames[:6]
    assert names == session_owners._connect_owned.__wrapped__.__code__.co_varnames[:6]  # type: ignore[attr-defined]
    assert names == session_owners._connect_owned.__code__.co_varnames[:6]


def test_a_sign_in_is_believed_for_its_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    """One with another server's signature, or none, is nobody's; headers count for nothing there."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    before = config.get_option("server.cookieSecret")
    said = json.dumps({"is_logged_in": True, "sub": "7", "iss": "https://id.example.com", "origin": "http://here"})
    config.set_option("server.cookieSecret", "s" * 40)
    try:
        ours, forged = (create_signed_value(secret * 40, "_streamlit_user", said).decode() for secret in "sf")
        claims = [("X-Forwarded-User", "7"), ("sub", "7"), ("Remote-User", "7")]
        assert person_of(claims, {"_streamlit_user": ours}) == person_id("https://id.example.com", "7")
        for wrong in (forged, said, ""):
            assert person_of(claims, {"_streamlit_user": wrong}) == ""
    finally:
        config.set_option("server.cookieSecret", before)


def test_headers_are_believed_where_the_operator_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that sends some of its own accord stays nobody."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    monkeypatch.setenv("CHUNKSCOPE_SIGN_IN", "proxy")
    monkeypatch.setenv("CHUNKSCOPE_HOME", "/nowhere/proxy")  # read anew: a deployment's settings are kept by its home
    sent = [("X-Forwarded-User", "ann"), ("X-Forwarded-Email", "ann@example.com"), ("sub", "ann")]
    assert person_of(sent, {}) == ""
    before = config.get_option("server.trustedUserHeaders")
    config.set_option("server.trustedUserHeaders", {"X-Forwarded-User": "sub"})
    try:
        assert person_of(sent, {}) == person_id(SignIn.PROXY, "ann")
        assert person_of(sent[1:], {}) == ""
    finally:
        config.set_option("server.trustedUserHeaders", before)

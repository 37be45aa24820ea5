"""Pictures and downloads, behind the layer that gives each to the browser of its own session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp
from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.web.server.starlette.starlette_routes import create_media_routes

from hosting.server.layers import media_access
from hosting.server.layers.media_access import MediaAccess, protect_media
from tests.hosting.server.layers.asking import ANN, BOB, NOBODY, answered

pytestmark = pytest.mark.usefixtures("demo")


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
    """Each is whole in the server's memory: one of a person is made at a time, in whatever tab; others' are made beside
    it.
    """
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


def test_without_a_cookie_nobody_is_distinguished(media: Media, monkeypatch: pytest.MonkeyPatch) -> None:
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

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

from hosting.server import media_access
from hosting.server.media_access import MediaAccess, make_download, one_at_a_time, protect_media
from tests.hosting.server.asking import ANN, BOB, NOBODY, answered

pytestmark = pytest.mark.usefixtures("demo")


class Media:
    """Streamlit's media files, behind the layer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        storage = MemoryMediaFileStorage("/media")
        self.files = MediaFileManager(storage)
        self.app: ASGIApp = Starlette(routes=create_media_routes(storage, ""), middleware=[Middleware(MediaAccess)])
        self._patch = monkeypatch

    def created(self, session: str, content: bytes = b"a picture") -> str:
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
    for of, name in ((MediaFileManager, "add"), (MemoryMediaFileStorage, "get_file")):
        monkeypatch.setattr(of, name, getattr(of, name))
    protect_media()
    yield Media(monkeypatch)
    media_access._readers.clear()


def test_a_picture_is_read_by_whom_it_was_made_for(media: Media) -> None:
    """Others are answered as for one that is not there; who made the same has it too, and no proxy keeps it."""
    address = media.created("of-ann")
    assert [media.status(address, person) for person in (ANN, BOB, NOBODY)] == [200, 404, 404]
    assert answered(media.app, "GET", address, BOB).content == answered(media.app, "GET", "/media/0.png", BOB).content
    assert media.status(address.removesuffix(".png"), BOB) == 404
    assert media.status(address, BOB, headers={"Range": "bytes=0-1"}) == 404
    assert answered(media.app, "HEAD", address, BOB).status_code == 404
    response = answered(media.app, "GET", address, ANN).headers
    assert (response["vary"], response["x-content-type-options"]) == ("Cookie", "nosniff")
    assert "private" in response["cache-control"]
    assert "sandbox" in response["content-security-policy"]
    assert media.created("of-bob") == address
    assert [media.status(address, person) for person in (ANN, BOB, NOBODY)] == [200, 200, 404]


def test_a_download_that_is_made_at_the_click_is_its_sessions_own(media: Media) -> None:
    """Whoever has it made."""
    for module in (media_file_manager, media_access):
        media._patch.setattr(module, "_get_session_id", lambda: "of-ann")
    later = media.files.add_deferred(lambda: b"all documents", "text/plain", "0.1", "all.txt")
    media._patch.setattr(media_file_manager, "_get_session_id", lambda: "of-bob")
    address = make_download(media.files, later)
    assert [media.status(address, person) for person in (ANN, BOB)] == [200, 404]


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
        with pytest.raises(MediaFileStorageError) as fault:
            make_download(media.files, second)
        refused.append(fault.value)
        return make_download(media.files, others).encode()

    assert make_download(media.files, later("of-ann", make))
    assert len(refused) == 1
    assert make_download(media.files, second)


def test_readers_are_forgotten_with_the_file(media: Media) -> None:
    """A session that is gone reads nothing, and takes no memory."""
    address = media.created("of-ann")
    media.files.clear_session_refs("of-ann")
    media.files.remove_orphaned_files()
    assert media.status(address, ANN) == 404
    media_access._readers.update({f"gone{number}": {"ann"} for number in range(200)})
    media.created("of-ann", b"another picture")
    assert len(media_access._readers) == 1


def test_streamlit_alone_gives_anybody_the_file(media: Media, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it asks whose file it is, the correction can go."""
    monkeypatch.setattr(MemoryMediaFileStorage, "get_file", media_access._get)
    assert media.status(media.created("of-ann"), BOB) == 200


def test_without_a_cookie_nobody_is_distinguished(media: Media, monkeypatch: pytest.MonkeyPatch) -> None:
    """So nobody reads it in a demo; in a team it is what everybody sees who has not signed in."""
    assert media.status(media.created("of-nobody"), NOBODY) == 404
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    assert media.status(media.created("of-nobody", b"the logo"), NOBODY) == 200


def test_alone_nothing_changes(media: Media, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the mode local, files are answered as Streamlit answers them."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "local")
    response = answered(media.app, "GET", media.created("of-ann"), NOBODY)
    assert response.status_code == 200
    assert not {"cache-control", "content-security-policy", "vary"} & set(response.headers)


def test_a_name_with_tricks_stays_one_header(media: Media) -> None:
    """Line ends, quotes, a path, and marks that turn the direction of writing."""
    media.created("of-ann")
    name = 'a"b\r\nSet-Cookie: x=y;/../\u202eexe.txt'
    address = media.files.add(b"x", "text/plain", "0.2", name, is_for_static_download=True)
    response = answered(media.app, "GET", address, ANN)
    assert "set-cookie" not in response.headers
    assert response.headers["content-disposition"].startswith("attachment; filename*=utf-8''a%22b%0D%0ASet-Cookie")
    assert response.headers["content-disposition"].isascii()


def test_a_person_has_one_made_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few of all people are; who is refused may try again, and a making that fails leaves its place."""
    monkeypatch.setattr(media_access._TURNS, "patience", 0.01)
    with one_at_a_time("ann", 0):
        with pytest.raises(MediaFileStorageError), one_at_a_time("ann", 0):
            pass
        with one_at_a_time("bob", 0), pytest.raises(MediaFileStorageError, match="for others"), one_at_a_time("cay", 0):
            pass
    with pytest.raises(ZeroDivisionError), one_at_a_time("ann", 0):
        _ = 1 / 0
    with one_at_a_time("ann", 0), one_at_a_time("cay", 0):
        pass


def test_what_is_held_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """One button after the other, each with a file of its own."""
    monkeypatch.setattr(media_access, "most_bytes", lambda: 100)
    with one_at_a_time("ann", 200):
        pass
    with pytest.raises(MediaFileStorageError, match="limit"), one_at_a_time("ann", 201):
        pass

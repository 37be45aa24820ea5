"""Downloads that are made at the click, for who had the right to them when the page was drawn."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest, DeferredFileRequestPayload
from streamlit.runtime import media_file_manager
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from chunking.errors import QuestionError
from chunking.store.access import Right, refusal
from components.session import current_workspace
from components.session.current_workspace import Current
from components.streamlit_patches import deferred_downloads
from components.streamlit_patches.deferred_downloads import check_downloads
from tests.support.event_loop import run_in_thread


class Lent:
    """The access of a person whose role may be taken away."""

    key, there = "ann", True

    def allows(self, right: Right) -> bool:
        return self.there

    def note(self, what: str, name: str) -> None:
        pass


class Page:
    """A page of Ann's with a button."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(MediaFileManager, "add_deferred", MediaFileManager.add_deferred)
        monkeypatch.setattr(DeferredFileHandler, "handle", DeferredFileHandler.handle)
        monkeypatch.setattr(media_file_manager, "_get_session_id", lambda: "anns")
        self.access, self.files_made = Lent(), 0
        monkeypatch.setattr(current_workspace, "current", lambda: Current("id", "name", "uri", self.access))
        owner = {"anns": "ann", "anns other tab": "ann", "bobs": "bob"}.get
        monkeypatch.setattr(deferred_downloads, "_may_take", None, raising=False)
        check_downloads(lambda maker, session: owner(maker) == owner(session))
        self.files = MediaFileManager(MemoryMediaFileStorage("/media"))

    def button(self, make: Any = None) -> str:
        """Its id."""

        def file() -> bytes:
            self.files_made += 1
            return make() if make else b"all documents"

        return self.files.add_deferred(file, "text/plain", "0.1", "all.txt")

    def click(self, button: str, session: str = "anns") -> Any:
        """What the server answers."""
        request = BackendOperationRequest(request_id="1", deferred_file=DeferredFileRequestPayload(file_id=button))
        return run_in_thread(lambda: DeferredFileHandler(lambda: self.files).handle(request, session))


def test_a_role_that_is_gone_gives_a_sentence_and_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for at each click, before anything is made."""
    page = Page(monkeypatch)
    button = page.button()
    assert page.click(button).deferred_file.url.startswith("/media/")
    page.access.there = False
    refused = page.click(button)
    assert (refused.error_msg, refused.deferred_file.url) == (str(refusal(Right.READ)), "")
    assert page.files_made == 1
    page.access.there = True
    assert page.click(button, "anns other tab").deferred_file.url
    assert page.files_made == 2


def test_nobody_has_somebody_elses_file_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever learns its id; it costs the server nothing."""
    page = Page(monkeypatch)
    button = page.button()
    for session in ("bobs", "nobodys"):
        answer = page.click(button, session)
        assert answer.error_msg
        assert not answer.deferred_file.url
    assert page.click("no such file").error_msg
    assert page.files_made == 0


@pytest.mark.parametrize(
    ("error", "tells"), [(QuestionError("Too many chunks for a file."), True), (OSError("/secret/path"), False)]
)
def test_the_sentence_of_what_failed_is_reported(
    monkeypatch: pytest.MonkeyPatch, error: Exception, tells: bool
) -> None:
    """And of a fault of the program nothing but that there was one."""

    def fail() -> bytes:
        raise error

    page = Page(monkeypatch)
    answer = page.click(page.button(fail))
    assert (str(error) in answer.error_msg) is tells
    assert answer.error_msg


def test_streamlit_alone_gives_anybody_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it asks whose session it is, and tells what failed, the correction can go."""
    handle = DeferredFileHandler.handle
    page = Page(monkeypatch)
    monkeypatch.setattr(DeferredFileHandler, "handle", handle)
    assert page.click(page.button(), "bobs").deferred_file.url


def test_streamlit_alone_hides_the_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it tells what failed, that part of the correction can go."""

    def fail() -> bytes:
        raise QuestionError("Too many chunks for a file.")

    handle = DeferredFileHandler.handle
    page = Page(monkeypatch)
    monkeypatch.setattr(DeferredFileHandler, "handle", handle)
    assert "Too many" not in page.click(page.button(fail)).error_msg

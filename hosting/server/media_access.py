"""Serve pictures and downloads only to the people whose sessions made them.

Streamlit (1.67) answers `/media/NAME` to whoever has the address, which is a hash of the content. In the modes demo
and team each file has readers. Two people who make the same file both read it; others get the answer for a missing
file. A download is kept in the server's memory, so its total is limited, too.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from starlette.datastructures import MutableHeaders
from streamlit.runtime.media_file_manager import MediaFileManager, _get_session_id
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryFile, MemoryMediaFileStorage

from chunking.deployment import Mode
from chunking.errors import QuotaError
from components.server.turns import Turns
from components.session.file_memory import most_bytes
from hosting.server.request_person import is_shared, owner, sender, server_mode

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["MediaAccess", "make_download", "one_at_a_time", "protect_media"]

_HEADERS = {
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of such files: no proxy keeps them for others, and no script in a picture runs as the app's."""
_readers: dict[str, set[str]] = {}
"""File to the ids of the people who may read it; an empty id means anybody who has not signed in."""
_lock = threading.Lock()
_add = MediaFileManager.add
_get = MemoryMediaFileStorage.get_file

_SPARE = 100
"""Entries of deleted files that may remain in `_readers`."""
_TIMES = 2
"""Most stored files, as a multiple of the largest allowed size."""
_TURNS = Turns(
    2,
    30.0,
    own="Another file is already being prepared for this person.",
    others="Files for others are being prepared; try again in a minute.",
)


@dataclass(slots=True)
class _Request:
    """A request that is being answered."""

    person: str
    read: bool = False
    """True if the answer is a file."""


_request: ContextVar[_Request | None] = ContextVar("_request", default=None)
"""None outside of answers to requests, such as in a run of a page."""


def protect_media() -> None:
    """Patch Streamlit to note and check the readers of each media file. Idempotent."""
    MediaFileManager.add = _add_read  # type: ignore[method-assign]
    MemoryMediaFileStorage.get_file = _get_own  # type: ignore[method-assign]


class MediaAccess:
    """ASGI layer that tells the patched storage who requests a file, and adds security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or not is_shared():
            await self._app(scope, receive, send)
            return
        request = _Request(sender(scope))

        async def closed(message: Message) -> None:
            if request.read and message["type"] == "http.response.start":
                headers = MutableHeaders(raw=list(message["headers"]))
                headers.update(_HEADERS)
                headers.add_vary_header("Cookie")
                message = {**message, "headers": headers.raw}
            await send(message)

        token = _request.set(request)
        try:
            await self._app(scope, receive, closed)
        finally:
            _request.reset(token)


@wraps(_add)
def _add_read(self: MediaFileManager, *of: Any, **named: Any) -> str:
    address = _add(self, *of, **named)
    _note(self, address, _get_session_id())
    return address


def make_download(files: MediaFileManager, file_id: str) -> str:
    """Make a deferred download in its person's turn, note its reader, and return its address.

    Raises:
        MediaFileStorageError: as `one_at_a_time`.
    """
    entry = files._deferred_callables.get(file_id)
    with _making(files, entry["session_id"] if entry is not None else ""):
        address = files.execute_deferred(file_id)
    if entry is not None:
        _note(files, address, entry["session_id"])
    return address


def _making(self: MediaFileManager, session: str) -> AbstractContextManager[None]:
    """Return the turn of a session's person to make a file; no turn is needed on a local server."""
    if not is_shared() or not isinstance(self._storage, MemoryMediaFileStorage):
        return nullcontext()
    size = sum(file.content_size for file in list(self._storage._files_by_id.values()))
    return one_at_a_time(owner(session) or session, size)


def _note(files: MediaFileManager, address: str, session: str) -> None:
    """Let the person of a session read the file at a new address; forget the readers of deleted files."""
    person = owner(session) if is_shared() else None
    if person is None or (not person and server_mode() is Mode.DEMO):  # without a cookie, visitors are not told apart
        return
    there = files._storage._files_by_id if isinstance(files._storage, MemoryMediaFileStorage) else {}
    with _lock:
        if len(_readers) > 2 * len(there) + _SPARE:
            for gone in _readers.keys() - set(there):
                del _readers[gone]
        _readers.setdefault(PurePosixPath(address).stem, set()).add(person)


@wraps(_get)
def _get_own(self: MemoryMediaFileStorage, filename: str) -> MemoryFile:
    request = _request.get()
    file = _get(self, filename)
    if request is None:
        return file
    with _lock:
        readers = _readers.get(PurePosixPath(filename).stem, set())
        if not readers & {request.person, ""}:
            raise MediaFileStorageError("The file belongs to someone else.")
    request.read = True
    return file


@contextmanager
def one_at_a_time(person: str, stored_bytes: int) -> Iterator[None]:
    """Hold a person's turn to make a file; the body of the `with` makes it.

    Args:
        person: an id; for people without one, their session's.
        stored_bytes: bytes of the files that Streamlit holds already.
    Raises:
        MediaFileStorageError: Streamlit holds too many bytes of files, the person is making another file, or no turn
            came in time. The browser shows a failed download, and the log says why.
    """
    if most_bytes() and stored_bytes > _TIMES * most_bytes():
        raise MediaFileStorageError("The server has reached its limit of download files; try again in a minute.")
    with ExitStack() as turn:
        try:
            turn.enter_context(_TURNS.take(person))
        except QuotaError as error:
            raise MediaFileStorageError(str(error)) from error
        yield

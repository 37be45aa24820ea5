"""Streamlit's scripts and styles, sent compressed: 2.6 MB of the first load become 0.7 MB.

Streamlit does not compress them, since it would do so for each request. Their names change with their content, so each
is compressed once and kept; only existing files are, so the cache is bounded.
"""

from __future__ import annotations

import gzip
import posixpath
from typing import TYPE_CHECKING

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["CompressedFiles", "accepts_gzip"]

_FOLDER = "/static/"
_TYPES = (".js", ".css")
_LEAST = 500
"""Smallest file to compress, in bytes; smaller ones gain nothing."""
_LEVEL = 6
"""Gzip level: the highest one saves 1 % more and takes twice as long."""


class CompressedFiles:
    """ASGI layer that sends Streamlit's scripts and styles gzipped, and passes on all else.

    A file is compressed at its first request and cached. Browsers that do not accept gzip, or ask only for a newer
    version, get the app's own answer.

    Args:
        app: the wrapped app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: dict[str, tuple[Message, bytes]] = {}
        """Path to the start message and body of its answer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the compressed file, or pass the request on to the app."""
        if not _asks_for_file(scope):
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        if path not in self._kept:
            answer = _Answer()
            await self._app(scope, receive, answer.take)
            if not answer.can_be_compressed:
                for message in answer.messages:
                    await send(message)
                return
            self._kept[path] = await to_thread.run_sync(answer.compressed)
        begin, body = self._kept[path]
        await send(begin)
        await send({"type": "http.response.body", "body": body})


def _asks_for_file(scope: Scope) -> bool:
    """True for a full script or style sheet, by its normalised path, if the browser accepts gzip."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    path: str = scope["path"]
    if _FOLDER not in path or not path.endswith(_TYPES) or posixpath.normpath(path) != path:
        return False
    headers = Headers(scope=scope)
    asks_for_newer = {"if-none-match", "if-modified-since"} & set(headers.keys())
    return accepts_gzip(headers.get("accept-encoding", "")) and not asks_for_newer


def accepts_gzip(header: str) -> bool:
    """True if an Accept-Encoding header names gzip with a quality above 0.

    >>> accepts_gzip("br;q=1.0, GZIP;q=0.8"), accepts_gzip("gzip; q=0, br"), accepts_gzip("")
    (True, False, False)
    """
    named = (one.replace(" ", "").lower().partition(";q=") for one in header.split(","))
    return any(name == "gzip" and (not quality or bool(quality.strip("0."))) for name, _, quality in named)


class _Answer:
    """ASGI messages of the wrapped app's answer."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    async def take(self, message: Message) -> None:
        """Collect the next message."""
        self.messages.append(message)

    @property
    def _body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages[1:])

    @property
    def can_be_compressed(self) -> bool:
        """True for an existing, immutable, uncompressed file of enough bytes.

        A missing file is answered with the first page, which is mutable.
        """
        begin = self.messages[0]
        if begin["type"] != "http.response.start" or begin["status"] != 200:
            return False
        headers = Headers(raw=begin["headers"])
        lasts = "immutable" in headers.get("cache-control", "") and "content-encoding" not in headers
        return lasts and len(self._body) >= _LEAST

    def compressed(self) -> tuple[Message, bytes]:
        """Return the start message and the body of the compressed answer."""
        body = gzip.compress(self._body, _LEVEL, mtime=0)
        headers = MutableHeaders(raw=list(self.messages[0]["headers"]))
        headers["Content-Encoding"] = "gzip"
        headers["Content-Length"] = str(len(body))
        # A browser whose first load was cut off would request the rest, get that of the plain file, and run half a
        # script.
        headers["Accept-Ranges"] = "none"
        if headers.get("etag", "").startswith('"'):
            headers["ETag"] = f"W/{headers['etag']}"  # the same file in other bytes
        headers.add_vary_header("Accept-Encoding")
        return {**self.messages[0], "headers": headers.raw}, body

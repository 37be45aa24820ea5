"""Streamlit's page with its server's address and the app's style sheets.

Streamlit's script takes the address of a page for that of an app: from `/chunks` it first asks
`/chunks/_stcore/health`, a 404 in the browser's console on every link to a page (streamlit/streamlit#7074), and then
one folder above. A page that names its server in `window.__streamlit`, as Streamlit's script reads it, is asked once.

The sheets hold before the first element is drawn (see page_styles.py). They come first in the body: after Streamlit's
own styles, which its scripts append to the head, and before what the app draws with `st.html`.
"""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from streamlit.file_util import get_static_dir

from components.server.compressed_files import accepts_gzip
from components.server.page_styles import STYLES, note_sent

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["PageBase"]

_HEAD, _BODY = b"<head>", b"<body>"
_SCRIPT = b'<script>window.__streamlit = { BACKEND_BASE_URL: new URL(".", location.href).href }</script>'
"""The folder of the page's address, against which the page's own scripts and styles are resolved as well: behind a
proxy that serves the app below another path, too."""
_VALIDATORS = ("etag", "last-modified", "accept-ranges")
"""Headers of Streamlit's own file, which this page is not."""
_NOT_PASSED = (b"accept-encoding", b"if-none-match", b"if-modified-since")
"""Headers of a request for which the answer may be other than the plain page: a browser may have kept that."""


class PageBase:
    """ASGI layer that sends Streamlit's index.html with address and sheets; passes on the rest.

    The app is asked for the plain page, which is compressed once and not for each visitor.

    Args:
        app: the wrapped app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the app; an answer that is the plain page gets address and sheets."""
        if not _may_ask_for_page(scope):
            await self._app(scope, receive, send)
            return
        takes_gzip = accepts_gzip(Headers(scope=scope).get("accept-encoding", ""))
        begun: list[Message] = []
        body = bytearray()

        async def note(message: Message) -> None:
            if message["type"] == "http.response.start" and _may_be_page(message):
                begun.append(message)
            elif not begun:
                await send(message)
            else:
                body.extend(message.get("body", b""))
                if not message.get("more_body", False):
                    await _send_page(begun.pop(), bytes(body), send, compressed=takes_gzip)

        plain = [(name, value) for name, value in scope["headers"] if name not in _NOT_PASSED]
        await self._app({**scope, "headers": plain}, receive, note)


def _may_ask_for_page(scope: Scope) -> bool:
    """True for an address without a file's ending, which no report, picture or script has."""
    return scope["type"] == "http" and scope["method"] == "GET" and "." not in scope["path"].rpartition("/")[2]


def _may_be_page(begin: Message) -> bool:
    """True for the start of an answer as long as the plain page."""
    headers = Headers(raw=begin["headers"])
    is_html = headers.get("content-type", "").startswith("text/html")
    return begin["status"] == 200 and is_html and headers.get("content-length") == str(len(_plain_page()))


async def _send_page(begin: Message, body: bytes, send: Send, *, compressed: bool) -> None:
    if body == _plain_page():
        body = _page(compressed=compressed)
        note_sent()
        headers = MutableHeaders(raw=list(begin["headers"]))
        headers["Content-Length"] = str(len(body))
        headers["Vary"] = "Accept-Encoding"
        if compressed:
            headers["Content-Encoding"] = "gzip"
        for name in _VALIDATORS:
            del headers[name]
        begin = {**begin, "headers": headers.raw}
    await send(begin)
    await send({"type": "http.response.body", "body": body})


@cache
def _plain_page() -> bytes:
    return (Path(get_static_dir()) / "index.html").read_bytes()


@cache
def _page(*, compressed: bool) -> bytes:
    page = _plain_page().replace(_HEAD, _HEAD + _SCRIPT, 1).replace(_BODY, _BODY + STYLES.encode(), 1)
    return gzip.compress(page, mtime=0) if compressed else page

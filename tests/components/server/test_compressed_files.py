"""Streamlit's scripts and styles go out compressed, each compressed once; everything else goes out as it is."""

from __future__ import annotations

import gzip
from collections.abc import MutableMapping
from typing import Any

import pytest

from components.server.compressed_files import CompressedFiles
from tests.support.event_loop import run_in_thread

SCRIPT = b"export const answer = 42;\n" * 100
Message = MutableMapping[str, Any]


class Site:
    """A server of one script."""

    def __init__(self, status: int = 200, lasts: str = "public, immutable") -> None:
        self.status, self.requests, self.lasts = status, 0, lasts

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        """Answer in two pieces."""
        self.requests += 1
        headers = [
            (b"content-type", b"text/javascript"),
            (b"content-length", str(len(SCRIPT)).encode()),
            (b"etag", b'"1"'),
        ]
        headers += [(b"accept-ranges", b"bytes"), (b"cache-control", self.lasts.encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": SCRIPT[:50], "more_body": True})
        await send({"type": "http.response.body", "body": SCRIPT[50:]})


def answer(
    files: CompressedFiles, path: str = "/static/js/index.js", **headers: str
) -> tuple[dict[bytes, bytes], bytes]:
    """What a browser gets."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": path, "headers": raw}
    run_in_thread(lambda: files(scope, receive, send))
    return dict(sent[0]["headers"]), b"".join(message["body"] for message in sent[1:])


def test_a_script_is_compressed_once() -> None:
    """The second browser gets the same bytes, and nobody is asked for the file again."""
    site = Site()
    files = CompressedFiles(site)
    headers, body = answer(files, accept_encoding="gzip, br")
    assert (headers[b"content-encoding"], headers[b"vary"], headers[b"etag"]) == (b"gzip", b"Accept-Encoding", b'W/"1"')
    assert headers[b"accept-ranges"] == b"none"
    assert int(headers[b"content-length"]) == len(body) < len(SCRIPT) / 10
    assert gzip.decompress(body) == SCRIPT
    assert answer(files, accept_encoding="gzip") == (headers, body)
    assert site.requests == 1


def test_the_rest_of_a_script_is_the_whole_of_it() -> None:
    """A browser that kept the beginning of the compressed file must not put the end of the plain one behind it."""
    site = Site()
    files = CompressedFiles(site)
    full = answer(files, accept_encoding="gzip")
    assert answer(files, accept_encoding="gzip", range="bytes=50-", if_range="Thu, 26 Nov 2026 15:45:05 GMT") == full
    assert site.requests == 1


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/static/js/index.js", {"accept_encoding": "br"}, 200),
        ("/static/js/index.js", {"accept_encoding": "gzip", "if_none_match": '"1"'}, 200),
        ("/static/js/gone.js", {"accept_encoding": "gzip"}, 404),
        ("/static/media/font.woff2", {"accept_encoding": "gzip"}, 200),
        ("/media/upload.js", {"accept_encoding": "gzip"}, 200),
        ("/static/js/index.js", {"accept_encoding": "gzip;q=0, identity"}, 200),
        ("/static/./js/index.js", {"accept_encoding": "gzip"}, 200),
        ("/static//js/index.js", {"accept_encoding": "gzip"}, 200),
    ],
)
def test_everything_else_passes_through(path: str, headers: dict[str, str], status: int) -> None:
    """Fonts are compressed already, and who asks for a newer version gets what the server says."""
    site = Site(status)
    files = CompressedFiles(site)
    for _ in range(2):
        output, body = answer(files, path, **headers)
        assert (b"content-encoding" in output, body) == (False, SCRIPT)
    assert site.requests == 2


def test_what_may_change_is_not_kept() -> None:
    """Streamlit answers with its first page where there is no such file: kept, each wrong address would take memory for
    good.
    """
    site = Site(lasts="no-cache")
    files = CompressedFiles(site)
    for number in range(3):
        output, body = answer(files, f"/static/{number}.js", accept_encoding="gzip")
        assert (b"content-encoding" in output, body) == (False, SCRIPT)
    assert (site.requests, files._kept) == (3, {})

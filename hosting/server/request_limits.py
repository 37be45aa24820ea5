"""Limits of open connections and uploads per person, and refusal of requests that pretend to be another's.

Streamlit (1.67) takes every WebSocket, and any number of files for any session whose id is named, and keeps them in
memory until the session ends. In the modes demo and team connections per person are limited; people who have not signed
in are counted by network address, and share one behind a proxy. Only its person may add and delete a session's files.
Uploads on their way into workspaces stay under `CHUNKSCOPE_UPLOAD_MEMORY`: a request that comes while it is full waits
unread, and is refused after a while.

It refuses a WebSocket from another host's page, but takes one from a page of any port of `localhost`. In those modes
`Origin` must be the requested host, that of `CHUNKSCOPE_PUBLIC_URL` (a proxy may pass on another `Host`), or one of
`server.corsAllowedOrigins`. Programs other than browsers send no `Origin`; their cookie, if any, identifies them.

It believes the first of several headers of one name: a proxy that appends its own instead of replacing the client's
would let anybody be whom they like.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from streamlit import config
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from chunking.deployment import Mode, SignIn
from chunking.display import GIGABYTE
from chunking.errors import ConfigError
from components.session.host import deployment
from hosting.server.request_person import is_shared, owner, sender, server_mode, sessions_of_all
from hosting.server.upload_room import UploadAllowance, UploadRoom, upload_room

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = [
    "MOST_CONNECTIONS",
    "MOST_OF_ADDRESS",
    "ConnectionLimit",
    "IdentityHeaders",
    "OriginCheck",
    "UploadLimits",
    "allow_public_address",
]

_ADDRESS = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+$")
_LOOK, _LOOKS = 0.25, 120
"""Seconds between two checks for free memory, and their number."""
_GRACE, _SLOWEST = 30.0, 50_000
"""Seconds that a file may fall behind, and its least bytes a second: memory for all of it is reserved meanwhile."""
_AROUND = 1_024
"""Bytes that a file takes besides its content."""

MOST_CONNECTIONS = 100
"""Most open connections of a person: tabs of all their browsers. Each takes four descriptors."""
MOST_OF_ADDRESS = 500
"""Most open connections from a network address by people who have not signed in."""
_TRY_AGAIN_LATER = 1013
"""Close code of a WebSocket when there are too many."""

_READING = frozenset(("GET", "HEAD", "OPTIONS"))
_ALLOWED = "server.corsAllowedOrigins"
POLICY_VIOLATION = 1008
"""Close code of a WebSocket whose handshake is refused."""


class UploadLimits:
    """ASGI layer that refuses uploads into others' sessions, over the memory limit, or too slow.

    Args:
        room: account of uploads; None for the server's.
        kept: returns bytes by person that the server itself holds.
        pause: sleeps for some seconds.
    """

    def __init__(
        self,
        app: ASGIApp,
        room: UploadRoom | None = None,
        kept: Callable[[], Mapping[str, int]] | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._app, self._room, self._kept, self._pause = app, room or upload_room(), kept or _kept_by_streamlit, pause

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        upload = _ADDRESS.search(scope["path"]) if scope["type"] == "http" and scope["method"] != "OPTIONS" else None
        if upload is None or not is_shared():
            await self._app(scope, receive, send)
            return
        person = sender(scope)
        if not person or owner(upload[1]) != person:
            await PlainTextResponse("Not found", 404)(scope, receive, send)
        elif scope["method"] == "PUT":
            await self._take(person, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _take(self, person: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an upload on once there is memory for it; refuse it if it comes too slowly."""
        largest = config.get_option("server.maxUploadSize") * 2**20 + _AROUND
        room = UploadAllowance(int(deployment().settings.limits.upload_memory * GIGABYTE), largest)
        length = Headers(scope=scope).get("content-length", "")
        size = (
            min(int(length) if length.isascii() and length.isdigit() and len(length) < 20 else largest, largest)
            + _AROUND
        )
        try:
            has_room = await self._has_room(person, size, room)
        except ValueError:
            await PlainTextResponse(
                "Your uploads fill your share of the server's memory; add or discard them first", 413
            )(scope, receive, send)
            return
        if not has_room:
            busy = PlainTextResponse(
                "The server is busy with other uploads; try again in a minute", 503, {"Retry-After": "60"}
            )
            await busy(scope, receive, send)
            return
        begun, came = False, 0
        clock = asyncio.get_running_loop().time
        since = clock()

        async def paced() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            limit.reschedule(since + _GRACE + came / _SLOWEST if message.get("more_body") else clock() + _GRACE)
            return message

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            async with asyncio.timeout(_GRACE) as limit:
                await self._app(scope, paced, noted)
        except TimeoutError:
            if not begun:
                await PlainTextResponse("The file came too slowly; try again over a faster connection", 408)(
                    scope, receive, send
                )
        finally:
            self._room.give_back(person, size)

    async def _has_room(self, person: str, size: int, room: UploadAllowance) -> bool:
        for _ in range(_LOOKS):
            if self._room.take(person, size, room, self._kept):
                return True
            await self._pause(_LOOK)
        return False


def _kept_by_streamlit() -> Mapping[str, int]:
    """Return bytes of uploaded files by person; files of unknown sessions count as one more person's."""
    sizes: Counter[str] = Counter()
    manager = Runtime.instance().uploaded_file_mgr
    if isinstance(manager, MemoryUploadedFileManager):
        owners = sessions_of_all()
        with manager._lock:
            for session, files in manager.file_storage.items():
                sizes[owners.get(session, "")] += sum(len(file.data) + _AROUND for file in files.values())
    return sizes


class ConnectionLimit:
    """ASGI layer that limits open WebSockets per person, or per address of people not signed in."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: Counter[str] = Counter()
        """Open connections by person or address. No lock: only the event loop's thread uses it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one connection."""
        if scope["type"] != "websocket" or not is_shared():
            await self._app(scope, receive, send)
            return
        person = sender(scope)
        whose, most = (person, MOST_CONNECTIONS) if person else (_address(scope), MOST_OF_ADDRESS)
        if self._open[whose] >= most:
            await send({"type": "websocket.close", "code": _TRY_AGAIN_LATER})
            return
        self._open[whose] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[whose] -= 1
            if not self._open[whose]:
                del self._open[whose]


def _address(scope: Scope) -> str:
    """Return a key for the network address of a connection. Headers are ignored: anybody can forge them."""
    return f"address {(scope.get('client') or ('unknown',))[0]}"


def allow_public_address() -> None:
    """Add the deployment's public address to Streamlit's allowed origins. Idempotent."""
    try:
        address = urlsplit(deployment().settings.sharing.public_url if is_shared() else "")
    except (ConfigError, ValueError):
        return
    origin = f"{address.scheme}://{address.netloc}"
    allowed = list(config.get_option(_ALLOWED))
    if address.netloc and origin not in allowed:
        config.set_option(_ALLOWED, [*allowed, origin])


class OriginCheck:
    """ASGI layer that refuses WebSockets and writing requests from pages of other sites.

    Requests without `Origin`, as programs send them, pass.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or take one connection."""
        if not _changes(scope) or not is_shared() or _is_own(Headers(scope=scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        else:
            await PlainTextResponse("Forbidden", 403)(scope, receive, send)


def _changes(scope: Scope) -> bool:
    return scope["type"] == "websocket" or (scope["type"] == "http" and scope["method"] not in _READING)


def _is_own(headers: Headers) -> bool:
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        host = urlsplit(origin).netloc.lower()
    except ValueError:
        return False
    return (bool(host) and host == headers.get("host", "").lower()) or origin in config.get_option(_ALLOWED)


class IdentityHeaders:
    """ASGI layer that refuses contradicting identity headers where a proxy signs people in."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or take one connection."""
        if scope["type"] not in ("http", "websocket") or not _by_proxy() or _is_one(Headers(scope=scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        else:
            await PlainTextResponse("The headers of the proxy name several people", 400)(scope, receive, send)


def _by_proxy() -> bool:
    return server_mode() is Mode.TEAM and deployment().settings.sharing.sign_in is SignIn.PROXY


def _is_one(headers: Headers) -> bool:
    named = config.get_option("server.trustedUserHeaders") or {}
    return all(len(set(headers.getlist(name))) <= 1 for name in named)

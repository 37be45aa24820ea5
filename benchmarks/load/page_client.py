"""Client of Streamlit's protocol without a browser: fifty cost less than one Chromium."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
import urllib.request
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx
from google.protobuf.message import Message
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin, Subprotocol

__all__ = ["PATIENCE", "Answer", "ConnectionLost", "PageClient", "PageError", "visitor_cookie"]

PATIENCE = 120.0
"""Seconds after which an unfinished run is an error."""


class PageError(Exception):
    """Error on the page, an endless run, or a missing widget."""


class ConnectionLost(PageError):
    """Connection closed, or server gone."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a page's run."""

    seconds: float
    """Seconds from the request to the end of the run."""
    drawn: Mapping[str, float]
    """Seconds until each widget or component first arrived, by key."""
    size: int
    """Bytes received."""
    texts: tuple[str, ...] = ()
    """Markdown sentences drawn."""


@dataclass(frozen=True, slots=True)
class _Shown:
    id: str
    fragment: str
    element: Message


def visitor_cookie(address: str) -> str:
    """Return the cookie that the server gives to a new browser; empty for none."""
    with urllib.request.urlopen(address, timeout=PATIENCE) as page:
        return str(page.headers.get("Set-Cookie", "")).split(";")[0]


class PageClient:
    """Client in the role of one browser tab.

    Args:
        address: of the server.
        headers: of the handshake, such as the cookie, or what a proxy says of the person.
    """

    def __init__(self, address: str, headers: Mapping[str, str]) -> None:
        self._address, self._headers = address, headers
        self._socket: ClientConnection | None = None
        self._pages: dict[str, str] = {}
        self._page = self._query = ""
        self._shown: dict[str, _Shown] = {}
        self._states: dict[str, WidgetState] = {}
        self._known_elements: set[str] = set()
        self._nonces: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = []
        self._session = ""
        self.repeats: dict[str, tuple[float, float]] = {}
        """Fragments that run periodically: seconds between runs, and the next time."""

    async def __aenter__(self) -> Self:
        """Connect without requesting a page."""
        socket = self._address.replace("http", "ws", 1) + "/_stcore/stream"
        try:
            self._socket = await connect(
                socket,
                subprotocols=[Subprotocol("streamlit")],
                additional_headers=self._headers,
                origin=Origin(self._address),
                max_size=None,
                compression=None,
                open_timeout=PATIENCE,
                ping_interval=None,
            )
        except InvalidHandshake as error:
            raise ConnectionLost(f"the connection was not made: {error}") from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the tab."""
        if self._socket is not None:
            await self._socket.close()

    async def open(self, page: str = "", query: str = "") -> Answer:
        """Load the app at a page's address, which may name a workspace."""
        message = BackMsg()
        message.rerun_script.page_name, message.rerun_script.query_string = page, query
        return await self._run(message)

    async def go(self, page: str) -> Answer:
        """Follow the link to a page of the navigation, by the last part of its address."""
        self._page, self._query = self._pages[page], ""
        self._shown.clear()
        self._states.clear()  # a browser forgets the values of fields that have gone, too
        self.repeats.clear()
        return await self._run(self._rerun(""))

    async def type(self, key: str, text: str) -> Answer:
        """Fill in a text field and press Enter."""
        shown = self._one(key)
        self._states[shown.id] = WidgetState(id=shown.id, string_value=text)
        return await self._run(self._rerun(shown.fragment))

    async def click(self, key: str) -> Answer:
        """Click a button."""
        shown = self._one(key)
        message = self._rerun(shown.fragment)
        message.rerun_script.widget_states.widgets.append(WidgetState(id=shown.id, trigger_value=True))
        return await self._run(message)

    async def send(self, key: str, kind: str, value: Any) -> Answer:
        """Send an event of one of the app's components, as `events.js` does."""
        shown = self._one(key)
        nonce = self._nonces.setdefault(key, secrets.token_hex(16))
        number = self._numbers[key] = self._numbers.get(key, 0) + 1
        said = {
            "sent": f"{nonce} {number} 1",
            "list": [{"nonce": nonce, "number": number, "kind": kind, "value": value}],
        }
        self._states[shown.id] = WidgetState(id=shown.id, json_value=json.dumps({"events": said}))
        return await self._run(self._rerun(shown.fragment))

    async def upload(self, key: str, name: str, content: bytes) -> Answer:
        """Upload a file: request an address, send the file, and update the field."""
        shown = self._one(key)
        request = BackMsg()
        request.file_urls_request.request_id, request.file_urls_request.session_id = uuid.uuid4().hex, self._session
        request.file_urls_request.file_names.append(name)
        url = (await self._first(request, "file_urls_response")).file_urls_response.file_urls[0]
        try:
            async with httpx.AsyncClient(base_url=self._address, timeout=PATIENCE) as browser:
                await browser.get("/_stcore/health")  # gives the cookie that an upload is asked for
                token = browser.cookies["_streamlit_xsrf"]
                headers = {**self._headers, "Origin": self._address, "X-Xsrftoken": token}
                headers["Cookie"] = "; ".join(
                    filter(None, [self._headers.get("Cookie", ""), f"_streamlit_xsrf={token}"])
                )
                put = await browser.put(url.upload_url, files={"file": (name, content)}, headers=headers)
        except httpx.TransportError as error:
            raise ConnectionLost(f"the upload was cut off: {error}") from error
        if put.is_error:
            raise PageError(f"the upload was answered with {put.status_code}")
        state = WidgetState(id=shown.id)
        state.file_uploader_state_value.uploaded_file_info.add(
            file_id=url.file_id, name=name, size=len(content), file_urls=url
        )
        self._states[shown.id] = state
        return await self._run(self._rerun(shown.fragment))

    async def repeat(self) -> list[Answer]:
        """Run the periodic fragments that are due."""
        answers = []
        for fragment, (every, due) in list(self.repeats.items()):
            if time.monotonic() >= due and fragment in self.repeats:
                self.repeats[fragment] = (every, time.monotonic() + every)
                message = self._rerun(fragment)
                message.rerun_script.is_auto_rerun = True
                answers.append(await self._run(message))
        return answers

    def has(self, key: str) -> bool:
        """True if a widget or component has been on the page."""
        return key in self._shown

    def keys(self, beginning: str) -> list[str]:
        """Return the keys of widgets and components with a prefix."""
        return [key for key in self._shown if key.startswith(beginning)]

    def data(self, key: str) -> Any:
        """Return the last data of a component."""
        element = self._one(key).element
        return json.loads(element.json if element.WhichOneof("data") == "json" else element.mixed.json)

    def _one(self, key: str) -> _Shown:
        if key not in self._shown:
            raise PageError(f"{key} is not on the page, which has {', '.join(self._shown)}")
        return self._shown[key]

    def _rerun(self, fragment: str) -> BackMsg:
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string, rerun.page_script_hash, rerun.fragment_id = self._query, self._page, fragment
        rerun.widget_states.widgets.extend(self._states.values())
        rerun.cached_message_hashes.extend(self._known_elements)
        return message

    async def _run(self, message: BackMsg) -> Answer:
        began = time.perf_counter()
        drawn: dict[str, float] = {}
        size = 0
        self._texts.clear()
        await self._say(message)
        while True:
            came, length = await self._hear()
            size += length
            kind = came.WhichOneof("type")
            if kind == "script_finished" and came.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return Answer(time.perf_counter() - began, drawn, size, tuple(self._texts))
            if kind == "script_finished":
                self._texts.clear()  # it begins again: what it drew so far is of before
            if key := self._take_in(came, str(kind)):
                drawn.setdefault(key, time.perf_counter() - began)

    async def _first(self, message: BackMsg, kind: str) -> ForwardMsg:
        """Return the first answer of a kind to a message that runs nothing."""
        await self._say(message)
        while True:
            came, _ = await self._hear()
            if came.WhichOneof("type") == kind:
                return came
            self._take_in(came, str(came.WhichOneof("type")))

    async def _say(self, message: BackMsg) -> None:
        assert self._socket is not None
        try:
            await self._socket.send(message.SerializeToString())
        except ConnectionClosed as error:
            raise ConnectionLost(f"the connection was closed: {error}") from error

    async def _hear(self) -> tuple[ForwardMsg, int]:
        """Return the next message, and its size in bytes."""
        assert self._socket is not None
        try:
            raw = await asyncio.wait_for(self._socket.recv(), PATIENCE)
        except TimeoutError as error:
            raise PageError(f"a run did not end in {PATIENCE:.0f} s") from error
        except ConnectionClosed as error:
            raise ConnectionLost(f"the connection was closed: {error}") from error
        came = ForwardMsg()
        came.ParseFromString(raw)
        return came, len(raw)

    def _take_in(self, came: ForwardMsg, kind: str) -> str:
        """Record a message; returns the key of the element it draws."""
        if came.metadata.cacheable and came.hash:
            self._known_elements.add(came.hash)
        match kind:
            case "new_session":
                self._page = came.new_session.page_script_hash or self._page
                self._session = came.new_session.initialize.session_id or self._session
            case "navigation":
                self.repeats.clear()  # the whole page is drawn: parts that are not on it any more do not run again
                self._page = came.navigation.page_script_hash or self._page
                self._pages = {one.url_pathname: one.page_script_hash for one in came.navigation.app_pages}
            case "page_info_changed":
                self._query = came.page_info_changed.query_string
            case "auto_rerun":
                interval = came.auto_rerun
                self.repeats[interval.fragment_id] = (interval.interval, time.monotonic() + interval.interval)
            case "delta":
                return self._draw(came)
        return ""

    def _draw(self, came: ForwardMsg) -> str:
        delta = came.delta
        if delta.WhichOneof("type") != "new_element":
            return ""
        kind = str(delta.new_element.WhichOneof("type"))
        element = getattr(delta.new_element, kind)
        if kind == "exception" or (kind == "alert" and element.format == Alert.ERROR):
            raise PageError(f"the page says: {element.message if kind == 'exception' else element.body}")
        if kind == "toast" and "error" in element.icon:
            raise PageError(f"the page says for a moment: {element.body}")
        if kind in ("markdown", "alert"):
            self._texts.append(element.body)
        elif kind == "progress":
            self._texts.append(element.text)
        id = ""
        with suppress(AttributeError):
            id = element.id
        if not id.startswith("$$ID-"):
            return ""
        key = id.removeprefix("$$ID-").partition("-")[2]
        self._shown[key] = _Shown(id, delta.fragment_id, element)
        return key

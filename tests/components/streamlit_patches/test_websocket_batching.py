"""What a run draws goes out in few parcels, in its order, and nothing is left behind."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from weakref import ref

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner import ScriptRunnerEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from components.streamlit_patches import websocket_batching
from tests.support.event_loop import run_in_thread

DRAWN = ScriptRunnerEvent.ENQUEUE_FORWARD_MSG


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit and the server are left as they were found."""
    for owner, name in (
        *((AppSession, name) for name in ("_on_scriptrunner_event", "_clear_queue", "flush_browser_queue")),
        *((Runtime, name) for name in ("_enqueued_some_message", "_send_message")),
        (WebSocketsSansIOProtocol, "connection_made"),
    ):
        monkeypatch.setattr(owner, name, getattr(owner, name))


class Session:
    """As far as a session handles events: it notes them, and fails over one."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.handled: list[Any] = []
        self.woken = 0
        self._loop = loop

    def _call_soon_on_event_loop(self, callback: Callable[[], None]) -> None:
        self.woken += 1
        self._loop.call_soon_threadsafe(callback)

    def _handle_scriptrunner_event_on_event_loop(
        self, sender: Any, event: Any, forward_msg: Any = None, **named: Any
    ) -> None:
        if forward_msg == "fails":
            raise ValueError(forward_msg)
        self.handled.append(forward_msg if event is DRAWN else event)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.001)


def test_drawn_parts_wait_for_each_other() -> None:
    """A run of 90 parts wakes the event loop a few times, and all come in their order, the end of the run last."""

    async def drawn() -> Session:
        session: Any = Session(asyncio.get_running_loop())

        def run() -> None:
            for number in range(90):
                websocket_batching._gather(session, None, DRAWN, forward_msg=number)
            websocket_batching._gather(session, None, ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS)

        thread = threading.Thread(target=run)
        thread.start()
        await until(lambda: len(session.handled) == 91)
        thread.join()
        found: Session = session
        return found

    session = run_in_thread(drawn)
    assert session.handled == [*range(90), ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS]
    assert session.woken < 30


def test_a_part_that_no_other_follows_comes_too() -> None:
    """Such as a spinner, while the run works on."""

    async def drawn() -> None:
        session: Any = Session(asyncio.get_running_loop())
        for number in range(3):
            websocket_batching._gather(session, None, DRAWN, forward_msg=number)
            await until(lambda number=number: session.handled[-1:] == [number])  # type: ignore[misc]

    run_in_thread(drawn)


def test_what_follows_a_fault_comes_all_the_same() -> None:
    """The fault is the event loop's to tell, as it was before."""

    async def drawn() -> tuple[list[Any], list[BaseException]]:
        told: list[BaseException] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: told.append(context["exception"]))
        session: Any = Session(loop)
        for part in (0, "fails", 1, 2):
            websocket_batching._gather(session, None, DRAWN, forward_msg=part)
        await until(lambda: len(session.handled) == 3)
        return session.handled, told

    handled, told = run_in_thread(drawn)
    assert handled == [0, 1, 2]
    assert [str(one) for one in told] == ["fails"]


def test_an_ended_session_goes_at_once() -> None:
    """Its event loop has three files open, which stay open until it goes: nothing holds it in a circle."""

    async def ended() -> bool:
        session: Any = Session(asyncio.get_running_loop())
        handled = session.handled
        websocket_batching._gather(session, None, DRAWN, forward_msg=1)
        websocket_batching._gather(session, None, ScriptRunnerEvent.SHUTDOWN)
        await until(lambda: len(handled) == 2)
        await asyncio.sleep(5 * websocket_batching._GATHERED)  # the timer of the drawn part
        gone = ref(session)
        del session
        return gone() is None

    gc.disable()
    try:
        assert run_in_thread(ended)
    finally:
        gc.enable()


def drawn_part(place: int, fragment: str, text: str) -> ForwardMsg:
    """A line of text at a place of the page, which a part of the page draws."""
    part = ForwardMsg()
    part.metadata.delta_path.extend([0, place])
    part.delta.fragment_id = fragment
    part.delta.new_element.markdown.body = text
    return part


def test_a_part_of_a_page_that_is_drawn_again_loses_nothing() -> None:
    """What it drew last, with the part in it, is sent before what it draws now, each in its order; a whole page
    replaces what waits.
    """
    session: Any = SimpleNamespace(_browser_queue=ForwardMsgQueue())
    before = [drawn_part(0, "outer", "a"), drawn_part(1, "inner", "b")]
    for part in before:
        session._browser_queue.enqueue(part)
    websocket_batching._keep_parts(session, ["outer"])
    after = [drawn_part(0, "outer", "c"), drawn_part(1, "inner", "d")]
    for part in after:
        session._browser_queue.enqueue(part)
    assert session._browser_queue._queue == [*before, *after]
    websocket_batching._keep_parts(session, None)
    assert session._browser_queue.is_empty()


def test_a_queue_is_sent_in_parcels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit lets others have their turn after each, and takes a browser with 500 waiting for lost."""
    parts = [ForwardMsg(hash=str(number)) for number in range(250)]
    monkeypatch.setattr(websocket_batching, "_flush", lambda _: parts)
    sent: list[ForwardMsg] = []
    monkeypatch.setattr(websocket_batching, "_send", lambda runtime, info, part: sent.append(part))
    session: Any = None
    parcels = websocket_batching._parcels(session)
    assert [len(parcel) for parcel in parcels] == [100, 100, 50]
    for parcel in parcels:
        websocket_batching._send_parcel(session, None, parcel)
    assert sent == parts
    websocket_batching._send_parcel(session, None, parts[0])
    assert sent == [*parts, parts[0]]


def test_the_loop_is_not_woken_by_itself() -> None:
    """By another thread it is."""

    async def noted() -> tuple[int, bool, bool]:
        loop = asyncio.get_running_loop()
        objects = SimpleNamespace(eventloop=loop, need_send_data=asyncio.Event())
        runtime: Any = SimpleNamespace(_get_async_objs=lambda: objects)
        woken: list[Any] = []
        call = loop.call_soon_threadsafe
        loop.call_soon_threadsafe = lambda *told, **named: (woken.append(told), call(*told, **named))[1]  # type: ignore[method-assign]
        websocket_batching._note(runtime)
        by_itself, itself = len(woken), objects.need_send_data.is_set()
        objects.need_send_data.clear()
        thread = threading.Thread(target=websocket_batching._note, args=(runtime,))
        thread.start()
        await until(objects.need_send_data.is_set)
        thread.join()
        return by_itself, itself, bool(woken)

    assert run_in_thread(noted) == (0, True, True)


class Wire:
    """A connection that notes what is written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


def test_frames_are_written_together() -> None:
    """All that is written in one go; what waits is written before the connection is closed, and nothing twice."""

    async def written() -> tuple[list[bytes], bool]:
        wire: Any = Wire()
        connection = websocket_batching._JoinedWrites(wire, asyncio.get_running_loop())
        for part in (b"one ", b"two ", b"three"):
            connection.write(part)
        assert not wire.written
        await asyncio.sleep(0)
        assert wire.written == [b"one two three"]
        connection.write(b"four")
        connection.close()
        await asyncio.sleep(0)
        closing: bool = connection.is_closing()
        return wire.written, closing

    assert run_in_thread(written) == ([b"one two three", b"four"], True)


def test_the_patch_is_applied_once() -> None:
    """Again is the same: the first call's functions are not wrapped into themselves."""
    for _ in range(2):
        websocket_batching.batch_messages()
    assert AppSession.flush_browser_queue is websocket_batching._parcels  # type: ignore[comparison-overlap]
    assert websocket_batching._flush is not websocket_batching._parcels
    assert websocket_batching._send is not websocket_batching._send_parcel
    assert websocket_batching._connected is not websocket_batching._connect

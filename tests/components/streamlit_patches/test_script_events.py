"""The parts that a run draws reach the event loop together, in their order, and none is lost."""

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
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

from components.streamlit_patches import script_events
from tests.support.event_loop import run_in_thread

ORIGINAL = AppSession._on_scriptrunner_event
DRAWN = ScriptRunnerEvent.ENQUEUE_FORWARD_MSG


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit and the server are left as they were found."""
    for name in ("_on_scriptrunner_event", "_clear_queue"):
        monkeypatch.setattr(AppSession, name, getattr(AppSession, name))


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
                script_events._gather(session, None, DRAWN, forward_msg=number)
            script_events._gather(session, None, ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS)

        thread = threading.Thread(target=run)
        thread.start()
        await until(lambda: len(session.handled) == 91)
        thread.join()
        drawn_by: Session = session
        return drawn_by

    session = run_in_thread(drawn)
    assert session.handled == [*range(90), ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS]
    assert session.woken < 30


def test_a_part_that_no_other_follows_comes_too() -> None:
    """Such as a spinner, while the run works on."""

    async def drawn() -> None:
        session: Any = Session(asyncio.get_running_loop())
        for number in range(3):
            script_events._gather(session, None, DRAWN, forward_msg=number)
            await until(lambda number=number: session.handled[-1:] == [number])  # type: ignore[misc]

    run_in_thread(drawn)


def test_what_follows_a_fault_comes_all_the_same() -> None:
    """The fault is the event loop's to tell, as it was before."""

    async def drawn() -> tuple[list[Any], list[BaseException]]:
        faults: list[BaseException] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: faults.append(context["exception"]))
        session: Any = Session(loop)
        for part in (0, "fails", 1, 2):
            script_events._gather(session, None, DRAWN, forward_msg=part)
        await until(lambda: len(session.handled) == 3)
        return session.handled, faults

    handled, faults = run_in_thread(drawn)
    assert handled == [0, 1, 2]
    assert [str(one) for one in faults] == ["fails"]


def test_an_ended_session_goes_at_once() -> None:
    """Its event loop has three files open, which stay open until it goes: nothing holds it in a circle."""

    async def ended() -> bool:
        session: Any = Session(asyncio.get_running_loop())
        handled = session.handled
        script_events._gather(session, None, DRAWN, forward_msg=1)
        script_events._gather(session, None, ScriptRunnerEvent.SHUTDOWN)
        await until(lambda: len(handled) == 2)
        await asyncio.sleep(5 * script_events._GATHERED)  # the timer of the drawn part
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
    script_events._keep_parts(session, ["outer"])
    after = [drawn_part(0, "outer", "c"), drawn_part(1, "inner", "d")]
    for part in after:
        session._browser_queue.enqueue(part)
    assert session._browser_queue._queue == [*before, *after]
    script_events._keep_parts(session, None)
    assert session._browser_queue.is_empty()


def test_it_is_set_once() -> None:
    """Again is the same: the first call's functions are not wrapped into themselves."""
    for _ in range(2):
        script_events.gather_parts()
    assert AppSession._on_scriptrunner_event is script_events._gather
    assert script_events._clear is not script_events._keep_parts


def test_streamlit_alone_wakes_the_loop_for_each_part() -> None:
    """Where it no longer does, this correction can go."""
    wakes: list[object] = []
    session: Any = SimpleNamespace(_call_soon_on_event_loop=wakes.append)
    for number in range(90):
        ORIGINAL(session, None, DRAWN, forward_msg=number)
    assert len(wakes) == 90


def test_streamlit_alone_drops_what_a_fragment_drew() -> None:
    """Where it no longer does, this correction can go."""
    session: Any = SimpleNamespace(_browser_queue=ForwardMsgQueue())
    session._browser_queue.enqueue(drawn_part(0, "outer", "a"))
    script_events._clear(session, ["outer"])
    assert session._browser_queue.is_empty()

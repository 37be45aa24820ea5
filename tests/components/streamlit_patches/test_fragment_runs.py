"""A fragment's run drops nothing that a page run drew and no browser received."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from components.streamlit_patches import fragment_runs


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
    fragment_runs._keep_parts(session, ["outer"])
    after = [drawn_part(0, "outer", "c"), drawn_part(1, "inner", "d")]
    for part in after:
        session._browser_queue.enqueue(part)
    assert session._browser_queue._queue == [*before, *after]
    fragment_runs._keep_parts(session, None)
    assert session._browser_queue.is_empty()


def test_it_is_set_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Again is the same: the first call's function is not wrapped into itself."""
    monkeypatch.setattr(AppSession, "_clear_queue", AppSession._clear_queue)
    for _ in range(2):
        fragment_runs.keep_drawn_parts()
    assert AppSession._clear_queue is fragment_runs._keep_parts
    assert fragment_runs._clear is not fragment_runs._keep_parts


def test_streamlit_alone_drops_what_a_fragment_drew() -> None:
    """Where it no longer does, this correction can go."""
    session: Any = SimpleNamespace(_browser_queue=ForwardMsgQueue())
    session._browser_queue.enqueue(drawn_part(0, "outer", "a"))
    fragment_runs._clear(session, ["outer"])
    assert session._browser_queue.is_empty()

"""A reference is sent for a message that the browser keeps, and for no other."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.runtime import Runtime

from components.streamlit_patches.sent_messages import SentMessages, refer_to_sent_messages
from tests.browser.app import sound_tab

MOST_AGE = 2


def begin() -> ForwardMsg:
    """The first message of a run."""
    message = ForwardMsg()
    message.new_session.config.max_cached_message_age = MOST_AGE
    return message


def end(fragment: str = "", status: int = ForwardMsg.FINISHED_SUCCESSFULLY) -> ForwardMsg:
    """The last message of a run of the page, or of a fragment."""
    if fragment:
        status = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
    message = ForwardMsg(script_finished=status)  # type: ignore[arg-type]
    message.metadata.run.fragment_ids.extend([fragment] if fragment else [])
    return message


def element(hash: str, fragment: str = "", *, cacheable: bool = True) -> ForwardMsg:
    """A message that draws an element."""
    message = ForwardMsg(hash=hash)
    message.delta.fragment_id = fragment
    message.delta.new_element.markdown.body = hash
    message.metadata.cacheable = cacheable
    return message


class Tab:
    """What Streamlit's script in the browser keeps; a reference to anything else is an error, as there."""

    def __init__(self) -> None:
        self.messages: dict[str, tuple[str, int]] = {}
        self.runs = 0

    def receive(self, message: ForwardMsg) -> None:
        """Take a message as the browser does."""
        if message.WhichOneof("type") == "script_finished":
            if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self.runs += 1
                ids = message.metadata.run.fragment_ids
                for hash, (fragment, used) in list(self.messages.items()):
                    if (not ids or fragment in ids) and self.runs - used > MOST_AGE:
                        del self.messages[hash]
        elif message.WhichOneof("type") == "ref_hash":
            self.messages[message.ref_hash] = (self.messages[message.ref_hash][0], self.runs)
        elif message.metadata.cacheable:
            fragment = self.messages.get(message.hash, (message.delta.fragment_id, 0))[0]
            self.messages[message.hash] = (fragment, self.runs)


def send(sent: SentMessages, message: ForwardMsg) -> ForwardMsg:
    """What is sent for a message."""
    short = sent.shorten(message)
    sent.note(message)
    return short


_RUNS = st.lists(
    st.one_of(
        st.sampled_from(["", "f", "g"]).map(end),
        st.just(end(status=ForwardMsg.FINISHED_EARLY_FOR_RERUN)),
        st.builds(
            lambda number, fragment: element(f"{number}{fragment}", fragment), st.integers(0, 3), st.sampled_from("fg")
        ),
        st.integers(0, 3).map(lambda number: element(str(number))),
        st.just(element("small", cacheable=False)),
    ),
    max_size=60,
)


@given(messages=_RUNS)
def test_the_browser_keeps_what_is_referred_to(messages: list[ForwardMsg]) -> None:
    """In any order of runs, and all that it keeps is referred to."""
    sent, tab = SentMessages(), Tab()
    sent.note(begin())
    for message in messages:
        kept = message.hash in tab.messages
        short = send(sent, message)
        assert (short.WhichOneof("type") == "ref_hash") == (kept and message.metadata.cacheable)
        tab.receive(short)


def test_a_message_that_was_too_large_is_not_referred_to() -> None:
    """Streamlit sends an error in its place, and marks that the browser does not keep it."""
    sent, large = SentMessages(), element("large")
    large.metadata.cacheable = False  # as Streamlit does while it is sent
    sent.note(large)
    assert sent.shorten(element("large")).hash == "large"


def test_each_connection_is_sent_a_message_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser of the next one may be another, or have been loaded anew."""
    monkeypatch.setattr(Runtime, "_send_message", Runtime._send_message)
    refer_to_sent_messages()
    kinds: list[str | None] = []

    class Client:
        """Who receives messages."""

        def write_forward_msg(self, message: ForwardMsg) -> None:
            """Note its kind."""
            kinds.append(message.WhichOneof("type"))

    session: Any = SimpleNamespace(client=Client(), script_run_count=0)
    runtime: Any = SimpleNamespace()
    for _ in range(2):
        Runtime._send_message(runtime, session, element("text"))
    session.client = Client()
    Runtime._send_message(runtime, session, element("text"))
    assert kinds == ["delta", "ref_hash", "delta"]


@pytest.mark.browser
def test_a_request_that_lists_dropped_messages_ends_no_connection(scene_address: str, browser: Browser) -> None:
    """As one does that was on its way when a run ended."""
    lists: list[list[str]] = []

    def pass_on(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def with_longest_list(data: str | bytes) -> None:
            message = BackMsg.FromString(data) if isinstance(data, bytes) else BackMsg()
            if message.WhichOneof("type") == "rerun_script":
                lists.append(list(message.rerun_script.cached_message_hashes))
                message.rerun_script.cached_message_hashes[:] = max(lists, key=len)
                data = message.SerializeToString()
            server.send(data)

        route.on_message(with_longest_list)

    with sound_tab(browser, again=False) as tab:
        tab.route_web_socket(re.compile("_stcore/stream"), pass_on)
        tab.goto(f"{scene_address}/?app=messages_app")
        for run in range(1, 5):
            expect(tab.get_by_text(f"run {run}", exact=True)).to_be_visible()
            tab.get_by_role("button", name="Again").click()
        text, switch = tab.get_by_text("word word").first, tab.get_by_text("Text", exact=True)
        for _ in range(2):
            switch.click()
            expect(text).to_have_count(0)
            switch.click()
            expect(text).to_be_visible()
        assert max(map(len, lists)) == 1
        expect(tab.get_by_role("dialog")).to_have_count(0)

"""Send a reference instead of a message only while the browser still keeps that message.

Streamlit (1.67) refers to a message of 10 kB or more if the browser listed it in its request. A run that ends between
the request and its answer may let the browser drop the message, and a reference to a dropped one ends the connection
for good ("Cached ForwardMsg MISS"). That happened at the end of an evaluation, more often on a busy machine.

Here, each connection has a list of what its browser keeps, by the browser's rules and in the order of sending, as only
that order is certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from weakref import WeakKeyDictionary

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import create_reference_msg
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.session_manager import ActiveSessionInfo, SessionClient

__all__ = ["SentMessages", "refer_to_sent_messages"]

_send = Runtime._send_message
_ENDED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
"""Ends of runs after which the browser drops messages."""


def refer_to_sent_messages() -> None:
    """Patch Streamlit to decide on references when it sends. Idempotent.

    `rerun_requests` calls it, as it drops the lists from which Streamlit would make references while it draws.
    """
    Runtime._send_message = _send_shortened  # type: ignore[method-assign]


@dataclass(slots=True)
class _Message:
    fragment: str
    """Id of the fragment that drew it; empty for the page."""
    used: int = 0
    """Number of runs that had ended when it was last sent or referred to."""


class SentMessages:
    """The messages that one connection's browser keeps. Not thread-safe: used by the event loop."""

    def __init__(self) -> None:
        self._messages: dict[str, _Message] = {}
        self._ended = 0
        self._most_age = 0

    def shorten(self, message: ForwardMsg) -> ForwardMsg:
        """Return a reference to a message that the browser keeps, else the message itself."""
        return create_reference_msg(message) if message.hash in self._messages else message

    def note(self, message: ForwardMsg) -> None:
        """Note what the browser does with a message, or a reference to it, that has just been sent."""
        match message.WhichOneof("type"):
            case "new_session":
                self._most_age = message.new_session.config.max_cached_message_age
            case "script_finished" if message.script_finished in _ENDED:
                self._drop_aged(frozenset(message.metadata.run.fragment_ids))
            case "delta" if message.metadata.cacheable:  # no longer, once it was too large to be sent
                kept = self._messages.setdefault(message.hash, _Message(message.delta.fragment_id))
                kept.used = self._ended

    def _drop_aged(self, fragments: frozenset[str]) -> None:
        """Drop what no run has used for too long; after a run of fragments, only what they drew."""
        self._ended += 1
        for hash, kept in list(self._messages.items()):
            if (not fragments or kept.fragment in fragments) and self._ended - kept.used > self._most_age:
                del self._messages[hash]


_sent: WeakKeyDictionary[SessionClient, SentMessages] = WeakKeyDictionary()


@wraps(_send)
def _send_shortened(self: Runtime, session_info: ActiveSessionInfo, msg: ForwardMsg) -> None:
    sent = _sent.setdefault(session_info.client, SentMessages())
    _send(self, session_info, sent.shorten(msg))
    sent.note(msg)

"""The latest agent calls of each workspace, for the Agents page; also logged, without texts."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count as numbers
from typing import Any

from chunking.display import quantity
from chunking.text.byte_caches import MB, ByteCache
from components.server.event_log import log

__all__ = ["CALLS", "CallLog", "CallTexts", "RecordedCall", "answer_size", "keep_texts", "texts_of"]

_KEPT = 50
"""Most calls kept per workspace."""
_WORKSPACES = 200
"""Most workspaces with calls; those called last are kept."""
_TEXTS = 8 * MB
"""Most bytes of all arguments and answers together."""
_LONGEST = 20_000
"""Most characters kept of an answer."""
_COUNTED = (
    ("results", "result", ""),
    ("sections", "section", ""),
    ("documents", "document", ""),
    ("related", "document", ""),
    ("added", "document", " added"),
    ("deleted", "document", " deleted"),
    ("asked", "question", ""),
    ("chunks", "chunk", ""),
    ("text", "character", ""),
)
"""Key of an answer, the noun counted, and the verb; the first key present counts."""
_numbers = numbers()
_texts: ByteCache[CallTexts] = ByteCache(f"{__name__}._texts", _TEXTS)
"""Texts by call number. Evicted when there are too many, and cleared when any document is deleted."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A finished tool call of an agent, without its texts; `texts_of` returns them."""

    tool: str
    outcome: str
    """`done`, or `refused`: the agent got a sentence with the reason."""
    ms: float
    tokens: int
    """Estimated tokens of the answer."""
    at: float
    """When the call ended, in seconds since 1970."""
    workspace: str = ""
    """Id of the workspace."""
    person: str = ""
    """Id of the person that the agent acts for."""
    token: str = ""
    """Id of the token."""
    agent: str = ""
    """Name of the token."""
    returned: str = ""
    """Size of the answer, such as `5 results`; no text."""
    number: int = -1
    """Number of the call on this server, the key of its texts; -1 if they were not kept."""


@dataclass(frozen=True, slots=True)
class CallTexts:
    """Arguments and answer of a call, each cut if long."""

    arguments: Mapping[str, Any]
    """The arguments as the client sent them; if long, the beginning of their JSON under an empty name."""
    answer: str
    """JSON, or the sentence that refused the call; cut if long."""


class CallLog:
    """The latest calls by workspace address. Thread-safe; in memory until the server ends.

    Args:
        per_workspace: most calls per workspace.
        workspaces: most workspaces; those called last are kept.
    """

    def __init__(self, per_workspace: int = _KEPT, workspaces: int = _WORKSPACES) -> None:
        self._per_workspace, self._workspaces, self._lock = per_workspace, workspaces, threading.Lock()
        self._calls: OrderedDict[str, deque[RecordedCall]] = OrderedDict()

    def add(self, uri: str, call: RecordedCall) -> None:
        """Record a call of the workspace at an address, and log it without its texts."""
        with self._lock:
            self._calls.setdefault(uri, deque(maxlen=self._per_workspace)).appendleft(call)
            self._calls.move_to_end(uri)
            while len(self._calls) > self._workspaces:
                self._calls.popitem(last=False)
        facts = {"tool": call.tool, "outcome": call.outcome, "ms": round(call.ms, 1), "tokens": call.tokens}
        log("agent call", {**facts, "person": call.person, "workspace": call.workspace, "token": call.token})

    def of(self, uri: str) -> list[RecordedCall]:
        """Return the latest calls of the workspace at an address, newest first."""
        with self._lock:
            return list(self._calls.get(uri, ()))


CALLS = CallLog()
"""The call log of this server."""


def keep_texts(arguments: Mapping[str, Any], answer: str) -> int:
    """Cache the arguments and answer of a call, cut if long, and return the call's new number.

    They are dropped when the cache is full, or any document is deleted.
    """
    number = next(_numbers)
    shown = json.dumps(arguments, ensure_ascii=False)
    kept = arguments if len(shown) <= _LONGEST else {"": f"{shown[:_LONGEST]} …"}
    _texts.put(number, CallTexts(kept, answer if len(answer) <= _LONGEST else f"{answer[:_LONGEST]} …"))
    return number


def texts_of(call: RecordedCall, person: str) -> CallTexts | None:
    """Return the texts of a call; None if evicted, or if the agent acted for another person."""
    return _texts.get(call.number) if call.person == person else None


def answer_size(answer: str) -> str:
    """Return the size of a tool's JSON answer in two or three words; empty for other text.

    >>> answer_size('{"results": [{}, {}]}'), answer_size('{"deleted": ["a"], "chunks": 3}')
    ('2 results', '1 document deleted')
    >>> answer_size('{"text": "Hello"}')
    '5 characters'
    """
    try:
        data = json.loads(answer)
    except ValueError:
        return ""
    for key, noun, rest in _COUNTED:
        if isinstance(data, dict) and key in data:
            value = data[key]
            return f"{quantity(value if isinstance(value, int) else len(value), noun)}{rest}"
    return ""

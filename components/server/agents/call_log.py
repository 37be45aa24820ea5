"""The last calls of agents, a few for each workspace, for the page Agents; and a line in the log for every one, without
texts.
"""

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

__all__ = ["CALLS", "CallLog", "CallTexts", "RecordedCall", "keep_texts", "returned", "texts_of"]

_KEPT = 50
"""Calls of one workspace."""
_WORKSPACES = 200
"""Those called last."""
_TEXTS = 8 * MB
"""Of calls and answers together."""
_LONGEST = 20_000
"""Characters that are kept of an answer."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call of a tool that has ended."""

    tool: str
    outcome: str
    """`done`, or `refused`: the agent got a sentence that says why."""
    ms: float
    tokens: int
    """Of the answer, as a model reads it, about."""
    at: float
    """When it ended, in seconds since 1970."""
    workspace: str = ""
    """Id, as the next two."""
    person: str = ""
    """Whom the agent acts for."""
    token: str = ""
    agent: str = ""
    """Name of the token."""
    returned: str = ""
    """How much came back, such as `5 results`; no text."""
    number: int = -1
    """Of the call in this server; -1 where its texts were not kept."""


@dataclass(frozen=True, slots=True)
class CallTexts:
    """What was asked and answered."""

    arguments: Mapping[str, Any]
    """The arguments as the client sent them."""
    answer: str
    """JSON, or the sentence that refused the call; only the beginning of a long one."""


class CallLog:
    """The last calls by the address of the workspace. Thread-safe; kept in memory, until the server ends.

    Args:
        kept: calls of one workspace.
        workspaces: those called last.
    """

    def __init__(self, kept: int = _KEPT, workspaces: int = _WORKSPACES) -> None:
        self._kept, self._workspaces, self._lock = kept, workspaces, threading.Lock()
        self._calls: OrderedDict[str, deque[RecordedCall]] = OrderedDict()

    def add(self, uri: str, call: RecordedCall) -> None:
        """Note a call in the workspace at an address, and write its line to the log."""
        with self._lock:
            self._calls.setdefault(uri, deque(maxlen=self._kept)).appendleft(call)
            self._calls.move_to_end(uri)
            while len(self._calls) > self._workspaces:
                self._calls.popitem(last=False)
        facts = {"tool": call.tool, "outcome": call.outcome, "ms": round(call.ms, 1), "tokens": call.tokens}
        log("agent call", {**facts, "person": call.person, "workspace": call.workspace, "token": call.token})

    def of(self, uri: str) -> list[RecordedCall]:
        """The last calls in the workspace at an address, newest first; for who may read it."""
        with self._lock:
            return list(self._calls.get(uri, ()))


_numbers = numbers()
_texts: ByteCache[CallTexts] = ByteCache(f"{__name__}._texts", _TEXTS)
"""By number of the call. Given up when there are too many, and with all other texts when a document is deleted."""


def keep_texts(arguments: Mapping[str, Any], answer: str) -> int:
    """Keep what was asked and answered for the person that the agent acts for; returns the call's number."""
    number = next(_numbers)
    shown = json.dumps(arguments, ensure_ascii=False)
    kept = arguments if len(shown) <= _LONGEST else {"": f"{shown[:_LONGEST]} …"}
    _texts.put(number, CallTexts(kept, answer if len(answer) <= _LONGEST else f"{answer[:_LONGEST]} …"))
    return number


def texts_of(call: RecordedCall, person: str) -> CallTexts | None:
    """What was asked and answered, for the person that the agent acted for; None for everybody else, or where it is not
    kept any more.
    """
    return _texts.get(call.number) if call.person == person else None


def returned(answer: str) -> str:
    """How much an answer brings, in two or three words; empty where it is none of a tool.

    >>> returned('{"results": [{}, {}]}'), returned('{"deleted": ["a"], "chunks": 3}'), returned('{"text": "Hello"}')
    ('2 results', '1 document deleted', '5 characters')
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
"""Key of an answer, what it counts, and what was done; the first one that an answer has."""

CALLS = CallLog()
"""Of this server."""

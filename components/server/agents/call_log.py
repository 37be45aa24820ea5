"""The last calls of agents, a few for each workspace, for the page Agents; and a line in the log for every one. No texts in either."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass

from chunking.deployment.structured_log import log

__all__ = ["CALLS", "CallLog", "RecordedCall"]

_KEPT = 50
"""Calls of one workspace."""
_WORKSPACES = 200
"""Those called last."""


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


CALLS = CallLog()
"""Of this server."""

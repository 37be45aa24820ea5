"""Tools of agents over the workspaces of this app: opened for each caller, paced, charged and logged."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chunking.agents import AgentTool, AppAddress, Toolbox
from chunking.llm.metering import charge_to, tokens_about
from components.kit.wording import unplaced
from components.server.agents.agent_door import CALLER, ServerKey
from components.server.agents.call_log import CALLS, RecordedCall, keep_texts, returned
from components.server.agents.lazy_servers import BODY_LIMIT, McpServer
from components.server.agents.queued_index import QueuedIndex
from components.session.host import deployment
from components.session.page.run_order import let_pages_go_first

if TYPE_CHECKING:
    from chunking.agents.mcp import AgentCall

__all__ = ["app_server"]

_LONG = 3.0
"""Seconds after which a call is a slow one, which others do not wait for: a reranker's, or one that asks another
server.
"""
_SHORT_CALL = threading.Semaphore()
"""Agents' calls come one at a time: two together would take the time of the pages."""


def app_server(key: ServerKey) -> McpServer:
    """Build the server of a profile; imports the SDK."""
    from chunking.agents.mcp import build_server

    profile, write = key
    server: McpServer = build_server(
        lambda _: _toolbox(),
        profile,
        write,
        admit=lambda _, tool: _admit(tool),
        turn=lambda _, tool: _turn(tool),
        recall=lambda _: _recall(),
        on_call=lambda _, call: _note(call),
        legible=unplaced,
    )
    return server


def _toolbox() -> Toolbox:
    """Of the caller, in the thread that works for them: what it asks of models is charged to them from here on."""
    caller = CALLER.get()
    charge_to(caller.payer())
    address = AppAddress(caller.app, caller.grant.workspace)
    return Toolbox(caller.open, address, deployment().settings.folders, QueuedIndex(caller.grant.person))


def _admit(tool: AgentTool) -> None:
    if tool.searches:
        CALLER.get().check_search()
    if tool.writes and not tool.destructive:
        CALLER.get().check_adding(BODY_LIMIT)  # what a folder holds is not known before it is read


@contextmanager
def _turn(tool: AgentTool) -> Iterator[None]:
    """Call the tool in here: after the pages that people wait for, and after the calls of other agents."""
    mine = not tool.long and _SHORT_CALL.acquire(timeout=_LONG)
    try:
        let_pages_go_first()
        yield
    finally:
        if mine:
            _SHORT_CALL.release()


def _recall() -> str:
    return _toolbox().measured_recall()


def _note(call: AgentCall) -> None:
    grant = CALLER.get().grant
    CALLS.add(
        grant.uri,
        RecordedCall(
            call.tool,
            "refused" if call.refused else "done",
            1_000 * call.seconds,
            tokens_about(call.answer),
            time.time(),
            grant.workspace,
            grant.person,
            grant.token,
            grant.agent,
            "" if call.refused else returned(call.answer),
            keep_texts(call.arguments, call.answer),
        ),
    )

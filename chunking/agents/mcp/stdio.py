"""The server over stdin and stdout, for one host on the same machine; ends at once when the host goes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import Any

import anyio
from mcp.server.mcpserver import MCPServer

from chunking.agents.mcp.stdin_lines import mend_stdin

__all__ = ["serve_stdio"]

_ENDS = (signal.SIGTERM, signal.SIGINT)


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until stdin ends or a signal comes, then end the process with exit code 0; returns never.

    The SDK's reader sits in a blocking read that no cancel reaches, and a thread that loads a model would hold the
    process for
    seconds, so the process ends by force. Nothing is lost: every write of the store is a commit, and a run that is cut
    short goes on
    from there the next time.
    """
    for number in _ENDS:
        signal.signal(number, lambda *_: os._exit(0))
    mend_stdin()
    anyio.run(_serve, server)
    sys.stderr.flush()
    os._exit(0)


async def _serve(server: MCPServer[Any]) -> None:
    """A handler of Python alone is not run when its signal comes just before the event loop goes to sleep; one of the
    loop wakes it.
    """
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows, where a sleeping loop is woken otherwise
        for number in _ENDS:
            loop.add_signal_handler(number, os._exit, 0)
    await server.run_stdio_async()

"""The server over stdin and stdout, for one host on the same machine; ends at once when the host goes."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import anyio
from mcp.server.mcpserver import MCPServer

__all__ = ["serve_stdio"]


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until stdin ends or a signal comes, then end the process with exit code 0; returns never.

    The SDK's reader sits in a blocking read that no cancel reaches, and a thread that loads a model would hold the process for
    seconds, so the process ends by force. Nothing is lost: every write of the store is a commit, and a run that is cut short goes on
    from there the next time.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(0))
    anyio.run(server.run_stdio_async)
    sys.stderr.flush()
    os._exit(0)

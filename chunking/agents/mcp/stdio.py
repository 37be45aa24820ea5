"""MCP server over stdin and stdout for one local host; ends at once when the host exits.

Lines are repaired before the SDK reads them: it drops lines with a lone surrogate, and the call would never be
answered.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from contextlib import suppress
from threading import Thread
from typing import Any, BinaryIO

import anyio
from mcp.server.mcpserver import MCPServer

__all__ = ["mend_stdin", "mended_line", "serve_stdio"]

_ENDS = (signal.SIGTERM, signal.SIGINT)

_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
"""Any JSON escape: a surrogate pair, a lone surrogate, another."""


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until stdin ends or a signal arrives, then exit the process with code 0; never returns.

    The SDK's reader sits in a blocking read that no cancel reaches, and a thread that loads a model would hold the
    process for seconds, so the process ends by force. Nothing is lost: every write of the store is a commit, and a run
    that is cut short goes on from there the next time.
    """
    for number in _ENDS:
        signal.signal(number, lambda *_: os._exit(0))
    mend_stdin()
    anyio.run(_serve, server)
    sys.stderr.flush()
    os._exit(0)


async def _serve(server: MCPServer[Any]) -> None:
    """Serve with signal handlers on the event loop.

    A plain Python handler would not run if its signal came just before the loop goes to sleep; the loop's own wakes it.
    """
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows, where a sleeping loop is woken otherwise
        for number in _ENDS:
            loop.add_signal_handler(number, os._exit, 0)
    await server.run_stdio_async()


def mend_stdin() -> None:
    """Replace stdin by a pipe with repaired lines; call it before the SDK takes over stdin.

    A thread copies until stdin ends: it blocks in a read, as the SDK's does, and ends with the process.
    """
    source = os.fdopen(os.dup(0), "rb")
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)
    Thread(target=_copy, args=(source, os.fdopen(writing, "wb")), name="stdin", daemon=True).start()


def mended_line(line: bytes) -> bytes:
    r"""Replace the escapes of lone surrogates by U+FFFD, as in a text cut within an emoji.

    >>> mended_line(b'{"a": "\\ud83d", "b": "\\ud83d\\ude00"}')
    b'{"a": "\\ufffd", "b": "\\ud83d\\ude00"}'
    """
    return _ESCAPE.sub(lambda match: b"\\ufffd" if match[1] else match[0], line)


def _copy(source: BinaryIO, sink: BinaryIO) -> None:
    with sink:
        for line in source:
            sink.write(mended_line(line))
            sink.flush()

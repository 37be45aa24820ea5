"""The server over stdin and stdout, for one host on the same machine; ends at once when the host goes.

Lines are repaired before the SDK reads them: it drops a line with half a surrogate pair, and that call would never be
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
"""Any escape of JSON: a whole pair, the half of one, another."""


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until stdin ends or a signal comes, then end the process with exit code 0; returns never.

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
    """A handler of Python alone is not run when its signal comes just before the event loop goes to sleep; one of the
    loop wakes it.
    """
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows, where a sleeping loop is woken otherwise
        for number in _ENDS:
            loop.add_signal_handler(number, os._exit, 0)
    await server.run_stdio_async()


def mend_stdin() -> None:
    """Put a pipe in the place of stdin, and copy what a host sends into it; to be called before the SDK takes stdin
    over.

    A thread copies until stdin ends: it sits in a read, as the SDK's does, and ends with the process.
    """
    source = os.fdopen(os.dup(0), "rb")
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)
    Thread(target=_copy, args=(source, os.fdopen(writing, "wb")), name="stdin", daemon=True).start()


def mended_line(line: bytes) -> bytes:
    r"""Replace the escape of each half of a surrogate pair by U+FFFD, as in a text cut within an emoji.

    >>> mended_line(b'{"a": "\\ud83d", "b": "\\ud83d\\ude00"}')
    b'{"a": "\\ufffd", "b": "\\ud83d\\ude00"}'
    """
    return _ESCAPE.sub(lambda match: b"\\ufffd" if match[1] else match[0], line)


def _copy(source: BinaryIO, sink: BinaryIO) -> None:
    with sink:
        for line in source:
            sink.write(mended_line(line))
            sink.flush()

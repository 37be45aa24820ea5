"""The SDK's own client, in the process and over stdio, in both eras of the protocol."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

from chunking.agents import Toolbox
from chunking.agents.mcp import build_server
from tests.support.event_loop import run_in_thread

__all__ = ["ERAS", "ROOT", "ask", "ask_process", "ask_server", "call", "parameters", "text_of"]

ROOT = Path(__file__).parents[3]
ERAS = ("auto", "legacy")
"""The revision of 2026 where both sides speak it, and the handshake of the revisions before."""

T = TypeVar("T")
Work = Callable[[Client], Awaitable[T]]


def ask(toolbox: Toolbox, work: Work[T], *, mode: str = "auto", **options: Any) -> T:
    """What a client in this process does with a server over a toolbox."""
    return ask_server(build_server(lambda context: toolbox, **options), work, mode=mode)


def ask_server(server: Any, work: Work[T], *, mode: str = "auto") -> T:
    """What a client does with a server in this process, or with one that it starts."""

    async def main() -> T:
        async with Client(server, mode=mode) as client:
            return await work(client)

    return run_in_thread(main)


def call(toolbox: Toolbox, name: str, arguments: Mapping[str, Any], **options: Any) -> CallToolResult:
    """One call of a tool."""
    return ask(toolbox, lambda client: client.call_tool(name, dict(arguments)), **options)


def text_of(result: CallToolResult) -> str:
    """The one text of an answer; where it is none that refuses, the structured content says the same."""
    (content,) = result.content
    if not result.is_error:
        assert json.loads(content.text) == result.structured_content
    return str(content.text)


def parameters(workspace: Path, *words: object) -> StdioServerParameters:
    """The command as a host starts it."""
    environment = {"PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT))}
    command = ["-m", "chunking", "mcp", "--workspace", str(workspace), *map(str, words)]
    return StdioServerParameters(command=sys.executable, args=command, env=environment, cwd=str(ROOT))


def ask_process(workspace: Path, work: Work[T], *words: object, mode: str = "auto") -> T:
    """What a client does with the command as a process."""
    return ask_server(parameters(workspace, *words), work, mode=mode)

"""The command as a process whose pipes a test holds: for what the SDK's client does not send."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tests.agents.mcp.client import ROOT, parameters

__all__ = ["HELLO", "LIST", "READY", "answer_of", "running", "send", "tool_call"]

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


@contextmanager
def running(workspace: Path, *words: object, code: str = "", python_path: str = "") -> Iterator[subprocess.Popen[str]]:
    """The process, killed in the end where it still runs.

    Args:
        code: is run in it first.
        python_path: in the place of this process's.
    """
    server_parameters = parameters(workspace, *words)
    start = (
        [*server_parameters.args]
        if not code
        else ["-c", f"{code}\nfrom chunking.__main__ import run\nrun()", *server_parameters.args[2:]]
    )
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(workspace.parent)} | dict(server_parameters.env or {})
    if python_path:
        environment["PYTHONPATH"] = python_path
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen(
        [sys.executable, *start], env=environment, cwd=ROOT, text=True, encoding="utf-8", **pipes
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()


def send(process: subprocess.Popen[str], *messages: dict[str, Any] | str) -> None:
    """Send messages, a line each; a string is sent as it is."""
    stdin: IO[str] | None = process.stdin
    assert stdin is not None
    stdin.write("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in messages))
    stdin.flush()


def answer_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The next line of the process."""
    assert process.stdout is not None
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def tool_call(name: str, id: int | str = 3, **arguments: Any) -> dict[str, Any]:
    """The call of a tool."""
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}

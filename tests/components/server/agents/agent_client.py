"""Agents as these tests play them: the SDK's own client over HTTP, and single requests without one."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import httpx

from tests.support.event_loop import run_in_thread

__all__ = ["ERAS", "HEADERS", "Reply", "ask", "call", "post", "read_reply", "request_of"]

ERAS = ("auto", "legacy")
"""The revision of 2026 where both sides speak it, and the handshake of the revisions before."""
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2025-06-18",
}

T = TypeVar("T")


class Reply:
    """What the server says to one request: the status, and the result or the error in it."""

    def __init__(self, response: httpx.Response) -> None:
        self.status, self.headers = response.status_code, response.headers
        self.body = response.text
        self.message = read_reply(response) if response.status_code == 200 else {}

    @property
    def result(self) -> dict[str, Any]:
        """Of the request; empty where it failed."""
        matches: dict[str, Any] = self.message.get("result", {})
        return matches

    @property
    def text(self) -> str:
        """The one text of a tool's answer."""
        (content,) = self.result["content"]
        return str(content["text"])

    @property
    def refused(self) -> bool:
        """Whether the tool has refused the call, or the server the request."""
        return self.status != 200 or bool(self.result.get("isError")) or "error" in self.message


def read_reply(response: httpx.Response) -> dict[str, Any]:
    """The answer in a body of JSON, or in the last event of a stream."""
    if response.headers["content-type"].startswith("application/json"):
        return dict(response.json())
    lines = [line.removeprefix("data:").strip() for line in response.text.splitlines() if line.startswith("data:")]
    return dict(json.loads(next(line for line in reversed(lines) if line)))


def request_of(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The call of a tool as JSON-RPC."""
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": dict(arguments)}}


def post(address: str, body: object, headers: Mapping[str, str] | None = None, *, method: str = "POST") -> Reply:
    """Send one request; what is no text is sent as JSON."""
    sent = body if isinstance(body, (str, bytes)) else json.dumps(body)
    with httpx.Client(trust_env=False, timeout=120) as client:
        return Reply(client.request(method, address, content=sent, headers={**HEADERS, **(headers or {})}))


def call(address: str, tool: str, arguments: Mapping[str, Any] | None = None, *, token: str = "") -> Reply:
    """Call a tool without any handshake, as the server is stateless."""
    return post(address, request_of(tool, arguments or {}), {"Authorization": f"Bearer {token}"} if token else {})


def ask(address: str, work: Callable[[Any], Awaitable[T]], *, token: str = "", mode: str = "auto") -> T:
    """What the SDK's client does with a server."""
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    headers = {"Authorization": f"Bearer {token}"} if token else None

    async def main() -> T:
        http = create_mcp_http_client(headers=headers)
        async with http, Client(streamable_http_client(address, http_client=http), mode=mode) as client:
            return await work(client)

    return run_in_thread(main)

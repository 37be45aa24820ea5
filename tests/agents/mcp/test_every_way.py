"""The SDK's own client over real transports: HTTP to a running app and stdio to the command, in both eras, in both
profiles.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from chunking.agents import Toolbox, tools_of
from chunking.config import Config
from chunking.retrieval.context.context_tokens import counter
from tests.agents.mcp.client import ask_server, parameters, text_of
from tests.browser.app import running_app

_GOLDEN = json.loads((Path(__file__).parent / "tools.json").read_text(encoding="utf-8"))
_REVISIONS = {"2026-07-28": "2026-07-28", "legacy": "2025-11-25"}
"""By mode: with `auto` the client falls back to the handshake where a busy machine answers its first request late."""
_CALLS: Mapping[str, list[tuple[str, dict[str, Any]]]] = {
    "full": [
        ("search", {"query": "How is a backup restored?"}),
        ("fetch", {"id": "guide_handbook"}),
        ("toc", {"doc": "guide_handbook"}),
        ("list_documents", {}),
        ("related", {"doc": "guide_handbook"}),
        ("show_chunks", {"doc": "guide_handbook", "query": "How is a backup restored?"}),
        ("evaluate", {}),
        ("collect", {"text": "# 水泵\n\n泵在更换滤芯前须断电。", "name": "pump.md"}),
        ("search", {"query": "更换滤芯", "mode": "text"}),
        ("delete", {"ids": ["agents_pump"]}),
    ],
    "research": [("search", {"query": "How is a backup restored?"}), ("fetch", {"id": "guide_handbook"})],
}
_MOST_TOKENS = 1_300
"""Of any answer on the shelf, as JSON."""


@contextmanager
def _servers(transport: str, place: Path) -> Iterator[Mapping[str, Any]]:
    """What a client connects to, by profile."""
    if transport == "stdio":
        yield {"full": parameters(place, "--write"), "research": parameters(place, "--profile", "research")}
    else:
        with running_app(place, "serve.py", stand_in=True) as address:
            yield {"full": f"{address}/mcp?write=1", "research": f"{address}/mcp/research"}


@pytest.mark.parametrize("mode", _REVISIONS)
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_every_tool_answers_in_every_way(question_shelf: Toolbox, transport: str, mode: str) -> None:
    """The tools are the golden ones; each answer is what its row says, and bounded."""
    count = counter(Config().embedding).count

    async def listed(client: Client) -> tuple[str, list[dict[str, Any]]]:
        tools = (await client.list_tools()).tools
        return client.protocol_version, [
            tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools
        ]

    async def called(client: Client) -> list[Any]:
        return [await client.call_tool(name, arguments) for name, arguments in calls]

    with _servers(transport, Path(question_shelf.open_workspace().uri)) as servers:
        for (
            profile,
            server,
        ) in servers.items():  # before anything is measured: the description of search names the recall then
            assert ask_server(server, listed, mode=mode) == (_REVISIONS[mode], _GOLDEN[profile])
        for profile, calls in _CALLS.items():
            rows = {tool.name: tool for tool in tools_of(profile, write=True)}  # type: ignore[arg-type]
            assert {name for name, _ in calls} == set(rows)
            for (name, arguments), result in zip(calls, ask_server(servers[profile], called, mode=mode), strict=True):
                assert not result.is_error, (name, arguments, result.content)
                text = text_of(result)
                assert rows[name].answer.model_validate(json.loads(text)), name
                assert count(text) <= _MOST_TOKENS, (name, arguments, count(text))

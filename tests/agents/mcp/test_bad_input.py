"""What agents get wrong is refused in one sentence, bounded, and the next call works."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, ResourceTemplateReference
from pydantic import BaseModel

from chunking.agents import Toolbox
from chunking.agents.answers import RelatedLine, RelatedList
from chunking.agents.arguments import FilterKey
from chunking.agents.mcp import build_server
from chunking.errors import AccessError
from chunking.store import FILTERS
from tests.agents.mcp.client import ERAS, ask, ask_server, text_of
from tests.support.bad_agent_calls import BAD_CALLS, LONGEST_REFUSAL, UNSENDABLE_CALLS, check_refusal


@pytest.mark.parametrize("mode", ERAS)
def test_bad_input_is_one_sentence_and_the_next_call_works(own_shelf: Toolbox, mode: str) -> None:
    """Each of them, over one connection."""
    calls = BAD_CALLS + UNSENDABLE_CALLS

    async def work(client: Client) -> list[CallToolResult]:
        answers = [await client.call_tool(name, arguments) for name, arguments, _ in calls]
        return [*answers, await client.call_tool("search", {"query": "backup", "mode": "text"})]

    *refused, after = ask(own_shelf, work, mode=mode, write=True)
    for row, answer in zip(calls, refused, strict=True):
        check_refusal(row, text_of(answer), answer.is_error)
    assert not after.is_error


@pytest.mark.parametrize(
    "sent",
    [
        {"query": "backup", "k": "3"},
        {"query": "backup", "k": 3.0},
        {"query": "backup", "k": 3, "filters": '{"language": "en"}'},
    ],
    ids=str,
)
def test_what_clients_often_send_is_understood(shelf: Toolbox, sent: dict[str, Any]) -> None:
    """A number as text, a whole number with a point, an object as its JSON."""
    answer = ask(shelf, lambda client: client.call_tool("search", sent | {"mode": "text"}))
    assert not answer.is_error
    assert len(json.loads(text_of(answer))["results"]) <= 3


def test_the_filters_are_those_of_the_store() -> None:
    """The schema lists them without importing the store."""
    assert list(FilterKey.__args__) == [row.key for row in FILTERS]  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", ERAS)
def test_what_has_no_json_form_does_no_harm(shelf: Toolbox, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lone surrogates in answers and refusals, NaN, line separators; the next call works."""
    odd = "a\ud800b\u2028c\x85d 字"

    def related(self: Toolbox, doc: str, *, n: int = 5) -> BaseModel:
        if n == 1:
            raise KeyError(odd)
        return RelatedList(doc=odd, related=[RelatedLine(id=odd, title=odd, url="u", similarity=math.nan, why=odd)])

    monkeypatch.setattr(Toolbox, "related", related)

    async def work(client: Client) -> list[CallToolResult]:
        calls = [{"doc": "x"}, {"doc": "x", "n": 1}]
        return [await client.call_tool("related", one) for one in calls] + [
            await client.call_tool("toc", {"doc": "guide_handbook"})
        ]

    answer, fault, after = ask(shelf, work, mode=mode)
    assert answer.structured_content["doc"] == "a\ufffdb\u2028c\x85d 字"
    assert fault.is_error
    assert "KeyError" not in text_of(fault)
    assert not after.is_error


@pytest.mark.parametrize("mode", ERAS)
def test_an_unknown_tool_is_refused_as_invalid(shelf: Toolbox, mode: str) -> None:
    """As invalid, not as a fault of the server, which would write a traceback to its log."""
    role_is_gone = threading.Event()

    def toolbox(context: object) -> Toolbox:
        if role_is_gone.is_set():
            raise AccessError("no")
        return shelf

    async def work(client: Client) -> list[int]:
        template = ResourceTemplateReference(type="ref/resource", uri="chunkscope://document/{doc}")
        requests: list[Callable[[], Awaitable[object]]] = [
            lambda: client.get_prompt("nope"),
            lambda: client.get_prompt("x" * 100_000),
            lambda: client.read_resource("nope://x"),
            lambda: client.read_resource("chunkscope://document/nope"),
            lambda: client.read_resource("chunkscope://document/guide_handbook"),
            lambda: client.complete(template, {"name": "doc", "value": "hand"}),
        ]
        codes: list[int] = []
        for one in requests:
            if len(codes) == 4:
                role_is_gone.set()
            with pytest.raises(MCPError) as raised:
                await one()
            assert len(raised.value.message) <= LONGEST_REFUSAL
            codes.append(raised.value.code)
        role_is_gone.clear()
        await client.complete(template, {"name": "doc", "value": "hand"})
        return codes

    assert ask_server(build_server(toolbox), work, mode=mode) == [INVALID_PARAMS] * 6


def test_many_calls_at_once_are_all_answered(shelf: Toolbox) -> None:
    """A hundred, over one connection."""
    import anyio

    async def work(client: Client) -> list[bool]:
        failed: list[bool] = []

        async def one() -> None:
            failed.append(bool((await client.call_tool("toc", {"doc": "guide_handbook"})).is_error))

        async with anyio.create_task_group() as group:
            for _ in range(100):
                group.start_soon(one)
        return failed

    assert ask(shelf, work) == [False] * 100

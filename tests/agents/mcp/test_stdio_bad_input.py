"""What hosts and agents get wrong, sent to the real command: each is answered, and the call after it works."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import CallToolResult

from tests.agents.mcp.client import ERAS, ask_process, text_of
from tests.agents.mcp.process import HELLO, READY, answer_of, running, send, tool_call
from tests.support.bad_agent_calls import BAD_CALLS, check_refusal

_HALF = r"a\ud83db"
"""As hosts send it whose text was cut within an emoji."""


@pytest.mark.parametrize("mode", ERAS)
def test_bad_input_is_one_sentence_and_the_next_call_works(own_shelf_place: Path, mode: str) -> None:
    """Each of them, to one process; nothing has been added or deleted."""

    async def work(client: Client) -> list[CallToolResult]:
        answers = [await client.call_tool(name, arguments) for name, arguments, _ in BAD_CALLS]
        return [*answers, await client.call_tool("list_documents", {})]

    words = ("--write", "--files", own_shelf_place.parent / "files")
    *refused, after = ask_process(own_shelf_place, work, *words, mode=mode)
    for row, answer in zip(BAD_CALLS, refused, strict=True):
        check_refusal(row, text_of(answer), answer.is_error)
    assert json.loads(text_of(after))["total"] == 3


def test_half_a_surrogate_pair_is_answered(shelf_place: Path) -> None:
    """Wherever it stands in a request: without an answer a host waits for minutes."""
    requests = [
        _raw("tools/call", f'{{"name": "toc", "arguments": {{"doc": "{_HALF}"}}}}'),
        _raw("tools/call", f'{{"name": "{_HALF}", "arguments": {{}}}}'),
        _raw("tools/call", f'{{"name": "toc", "arguments": {{"{_HALF}": 1}}}}'),
        _raw("tools/call", r'{"name": "toc", "arguments": {"doc": "\\ud83d and \ud83d\ude00"}}'),
        _raw("resources/read", f'{{"uri": "chunkscope://document/{_HALF}"}}'),
        _raw("resources/read", f'{{"uri": "{_HALF}"}}'),
        _raw("prompts/get", f'{{"name": "{_HALF}"}}'),
        _raw(_HALF, "{}"),
        _raw("tools/list", "{}", id=f'"{_HALF}"'),
    ]
    with running(shelf_place) as process:
        send(process, HELLO, READY)
        answer_of(process)
        answers = []
        for line in requests:
            send(process, line)
            answers.append(answer_of(process))
        send(process, tool_call("toc", 99, doc="guide_handbook"))
        after = answer_of(process)
    assert [one["id"] for one in answers] == [7] * 8 + ["a\ufffdb"]
    assert all("error" in one or one["result"].get("isError") for one in answers[:8])
    assert r"\ud83d and 😀" in answers[3]["result"]["content"][0]["text"]
    assert after["id"] == 99
    assert not after["result"].get("isError")


def test_lines_that_are_no_request_are_ignored(shelf_place: Path) -> None:
    """No JSON, no text, no request, a megabyte of brackets; numbers that are none."""
    lines = [
        "",
        "no json",
        "{",
        "[" * 2**20,
        "null",
        "[]",
        '{"id": 1}',
        '{"jsonrpc": "2.0", "id": null, "method": "tools/list"}',
        "\x00",
    ]
    with running(shelf_place) as process:
        send(
            process,
            HELLO,
            READY,
            *lines,
            _raw("tools/call", '{"name": "search", "arguments": {"query": "x", "budget": NaN}}'),
        )
        answer_of(process)
        refused = answer_of(process)
        send(
            process,
            _raw("tools/call", '{"name": "search", "arguments": []}', id="8"),
            tool_call("toc", 99, doc="guide_handbook"),
        )
        invalid, after = answer_of(process), answer_of(process)
    assert (refused["id"], refused["result"]["isError"]) == (7, True)
    assert (invalid["id"], invalid["error"]["code"]) == (8, -32602)
    assert (after["id"], after["result"].get("isError", False)) == (99, False)


def test_an_answer_without_a_json_form_does_not_end_the_server(shelf_place: Path) -> None:
    """Half a surrogate pair in a title, and NaN."""
    code = (
        "import math\n"
        "from chunking.agents import Toolbox\n"
        "from chunking.agents.answers import RelatedLine, RelatedList\n"
        "odd = 'a\\ud83db'\n"
        "def related(self, doc, *, n=5):\n"
        "    return RelatedList(doc=odd, related=[RelatedLine(id=odd, title=odd, url='u', "
        "similarity=math.nan, why=odd)])\n"
        "Toolbox.related = related"
    )
    with running(shelf_place, code=code) as process:
        send(process, HELLO, READY, tool_call("related", doc="x"), tool_call("related", 4, doc="x"))
        answer_of(process)
        first, second = answer_of(process), answer_of(process)
    assert first["result"] == second["result"]
    assert first["result"]["structuredContent"]["doc"] == "a\ufffdb"


@pytest.mark.parametrize("mode", ERAS)
def test_a_hundred_calls_at_once_are_all_answered(shelf_place: Path, mode: str) -> None:
    """Searches and reading, over one connection."""

    async def work(client: Client) -> list[bool]:
        failed: list[bool] = []

        async def one(name: str, arguments: dict[str, Any]) -> None:
            failed.append(bool((await client.call_tool(name, arguments)).is_error))

        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(one, "toc", {"doc": "guide_handbook"})
                group.start_soon(one, "search", {"query": f"backup {number}", "mode": "text"})
        return failed

    assert ask_process(shelf_place, work, mode=mode) == [False] * 100


def _raw(method: str, params: str, id: str = "7") -> str:
    return f'{{"jsonrpc": "2.0", "id": {id}, "method": "{method}", "params": {params}}}'

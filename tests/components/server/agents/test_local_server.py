"""Agents on one person's own machine: the SDK's client over HTTP in both eras, and what is refused before a tool is
asked.
"""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx
import pytest

from chunking.agents import tools_of
from tests.components.server.agents.agent_client import ERAS, HEADERS, Reply, ask, call, post, request_of
from tests.support.bad_agent_calls import BAD_CALLS, check_refusal
from tests.support.event_loop import run_in_thread
from tests.support.facts import tells

READING = [tool.name for tool in tools_of("full")]


@pytest.mark.parametrize("mode", ERAS)
def test_the_sdks_client_drives_the_tools(local: str, mode: str) -> None:
    """Search, then read on by the id of a hit; the address of a hit opens the app that was asked."""

    async def work(client: Any) -> tuple[list[str], Any, Any]:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        matches = await client.call_tool("search", {"query": "restore a backup", "mode": "text", "k": 2})
        hit = matches.structured_content["results"][0]
        return tools, hit, await client.call_tool("fetch", {"id": hit["id"]})

    tools, hit, read = ask(local, work, mode=mode)
    assert tools == READING
    assert hit["url"].startswith(local.removesuffix("/mcp"))
    assert read.structured_content["text"] in hit["text"] or hit["text"] in read.structured_content["text"]


@pytest.mark.parametrize("mode", ERAS)
def test_the_research_profile_has_two_tools(local: str, mode: str) -> None:
    """Of one argument each."""

    async def work(client: Any) -> tuple[dict[str, list[str]], Any]:
        tools = {tool.name: list(tool.input_schema["properties"]) for tool in (await client.list_tools()).tools}
        matches = await client.call_tool("search", {"query": "backup"})
        return tools, await client.call_tool("fetch", {"id": matches.structured_content["results"][0]["id"]})

    tools, read = ask(f"{local}/research", work, mode=mode)
    assert tools == {"search": ["query"], "fetch": ["id"]}
    assert read.structured_content["text"]


def test_an_agent_changes_something_only_where_the_address_says_so(local: str) -> None:
    """Then what it collects is indexed by the queue's worker, found, and can be deleted again."""
    note = {"text": "# Pump\n\nSwitch the zanzibar pump off before you open it.", "name": "pump.md"}
    assert call(local, "collect", note).refused
    writing = f"{local}?write=1"

    async def work(client: Any) -> list[Any]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        added = await client.call_tool("collect", note)
        matches = await client.call_tool("search", {"query": "zanzibar", "mode": "text"})
        deleted = await client.call_tool("delete", {"ids": added.structured_content["added"]})
        return [names, added, matches, deleted, await client.call_tool("search", {"query": "zanzibar", "mode": "text"})]

    names, added, matches, deleted, after = ask(writing, work)
    assert names == [tool.name for tool in tools_of("full", write=True)]
    assert not added.is_error, added.content
    assert added.structured_content["embedded"] > 0
    assert "zanzibar" in matches.structured_content["results"][0]["text"]
    assert not deleted.is_error
    assert not after.structured_content["results"]


def test_another_workspace_is_named_by_its_id(local: str) -> None:
    """One that is not there is an error of the address."""
    for id in ("0" * 16, "../../etc", "x" * 5_000):
        assert call(f"{local}?workspace={id}", "list_documents").status == 404
    assert not call(f"{local}?workspace=default", "list_documents").refused


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:8501"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
        ({"Content-Type": "text/plain"}, 400),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 400),
        ({"Accept": "text/html"}, 406),
        ({}, 200),
    ],
    ids=str,
)
def test_what_a_web_page_could_send_is_refused(local: str, headers: dict[str, str], status: int) -> None:
    """Before any tool is asked; on both paths."""
    for address in (local, f"{local}/research"):
        assert post(address, request_of("fetch", {"id": "nope"}), headers).status == status


@pytest.mark.parametrize("method", ["GET", "DELETE", "OPTIONS", "PUT", "HEAD"])
def test_there_are_no_streams_and_no_sessions(local: str, method: str) -> None:
    """One answer says how to ask."""
    reply = post(local, "", method=method)
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "name",
    ["oauth-protected-resource", "oauth-protected-resource/mcp", "oauth-authorization-server", "openid-configuration"],
)
def test_nobody_finds_a_way_to_sign_in(local: str, name: str) -> None:
    """Streamlit alone would answer with its page."""
    reply = post(local.replace("/mcp", f"/.well-known/{name}"), "", method="GET")
    assert (reply.status, reply.headers["content-type"]) == (404, "application/json")


def test_bodies_are_bounded(local: str) -> None:
    """Larger than a megabyte, cut, deep, no JSON, no text: an error each, and the next call works."""
    large = json.dumps(request_of("search", {"query": "x" * 2**20}))
    assert post(local, large).status == 413
    for body in (
        "",
        "{",
        "[" * 100_000,
        b"\xff\xfe",
        "null",
        "[]",
        '{"jsonrpc":"2.0","id":1}',
        json.dumps(request_of("search", {"query": "x"}))[:-9],
    ):
        assert post(local, body).status in (200, 400), body[:20]
    refused = call(local, "search", {"query": "x" * 500_000})
    assert refused.refused
    assert len(refused.text) < 1_000
    assert not call(local, "search", {"query": "backup", "mode": "text"}).refused


@pytest.mark.parametrize("mode", ERAS)
def test_bad_input_is_one_sentence_and_the_next_call_works(local: str, mode: str) -> None:
    """Each of what agents get wrong, with the right to write; nothing has been added or deleted."""

    async def work(client: Any) -> list[Any]:
        answers = [await client.call_tool(name, arguments) for name, arguments, _ in BAD_CALLS]
        return [*answers, await client.call_tool("list_documents", {})]

    *refused, after = ask(f"{local}?write=1", work, mode=mode)
    for row, answer in zip(BAD_CALLS, refused, strict=True):
        check_refusal(row, answer.content[0].text, answer.is_error)
    assert after.structured_content["total"] == 3


def test_half_a_surrogate_pair_and_nan_are_answered(local: str) -> None:
    """As an error of the request or of the tool, and the next call works."""
    for arguments in (r'{"id": "a\ud83db"}', r'{"id": "nope", "\ud83d": 1}', '{"id": "nope", "budget": NaN}'):
        body = json.dumps(request_of("fetch", {})).replace("{}", arguments)
        reply = post(local, body)
        assert reply.refused or reply.status == 400, (arguments, reply.body)
        assert len(reply.body) < 1_000
    assert not call(local, "toc", {"doc": "guide_handbook"}).refused


def test_unknown_arguments_are_named(local: str) -> None:
    """They are not dropped."""
    reply = call(local, "search", {"query": "backup", "top_k": 3})
    assert reply.refused
    assert tells(reply.text, "top_k k")


def test_a_hundred_calls_at_once_are_bounded(local: str) -> None:
    """So many are answered side by side, the others can come again; none fails, and the app answers meanwhile."""
    health = local.replace("/mcp", "/_stcore/health")

    async def work() -> tuple[list[httpx.Response], httpx.Response]:
        limits = httpx.Limits(max_connections=200)
        async with httpx.AsyncClient(trust_env=False, timeout=120, limits=limits, headers=HEADERS) as client:
            sent = [
                asyncio.ensure_future(client.post(local, json=request_of("list_documents", {}))) for _ in range(100)
            ]
            alive = await client.get(health)
            return list(await asyncio.gather(*sent)), alive

    replies, alive = run_in_thread(work)
    assert alive.status_code == 200
    assert {reply.status_code for reply in replies} <= {200, 429}
    answered = [Reply(reply) for reply in replies if reply.status_code == 200]
    assert len(answered) >= 16
    assert not any(reply.refused for reply in answered)
    assert not call(local, "list_documents").refused


def test_a_client_that_goes_away_harms_nobody(local: str) -> None:
    """In the middle of its request, and before its answer."""
    parts = urlsplit(local)
    body = json.dumps(request_of("search", {"query": "backup"})).encode()
    head = "".join(
        f"{name}: {value}\r\n"
        for name, value in {**HEADERS, "Host": parts.netloc, "Content-Length": str(len(body))}.items()
    )
    for sent in (body, body[:10], b""):
        with socket.create_connection((parts.hostname or "", parts.port or 80)) as connection:
            connection.sendall(f"POST {parts.path} HTTP/1.1\r\n{head}\r\n".encode() + sent)
    assert not call(local, "search", {"query": "backup", "mode": "text"}).refused


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_that_goes_away_leaves_the_workspace_free(local: str, mode: str) -> None:
    """While it collects: the next one is not refused for a lock, and what was half done is done."""
    arguments = {"text": "# Weir\n\nThe sluice is opened by hand.\n" * 200, "name": "weir.md"}

    async def leave(client: Any) -> None:
        began = anyio.Event()

        async def on_progress(done: float, total: float | None, message: str | None) -> None:
            began.set()

        async def collect() -> None:
            await client.call_tool("collect", arguments, progress_callback=on_progress)
            began.set()

        async with anyio.create_task_group() as group:
            group.start_soon(collect)
            await began.wait()
            group.cancel_scope.cancel()

    ask(f"{local}?write=1", leave, mode=mode)
    again = call(f"{local}?write=1", "collect", arguments)
    assert not again.refused, again.body
    assert "sluice" in call(local, "search", {"query": "sluice", "mode": "text"}).text
    assert not call(f"{local}?write=1", "delete", {"ids": again.result["structuredContent"]["added"]}).refused

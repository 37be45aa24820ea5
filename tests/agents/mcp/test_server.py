"""The tools over the SDK's own client: every tool in both profiles and both eras; text and structured content say the
same.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import ResourceTemplateReference

from chunking.agents import FULL_TOOLS, AgentTool, CallControl, Toolbox
from chunking.agents.mcp import AgentCall, build_server
from chunking.agents.mcp.worker_threads import WorkerThreads
from chunking.config import ENGLISH_MODEL, EmbeddingConfig
from chunking.errors import AccessError, Cancelled, QuotaError
from chunking.retrieval.context.context_tokens import counter
from tests.agents.mcp.client import ERAS, ask, call, text_of
from tests.support.event_loop import run_in_thread

_GOLDEN = Path(__file__).parent / "tools.json"
_CALLS: dict[str, dict[str, Any]] = {
    "search": {"query": "How is a backup restored?"},
    "fetch": {"id": "guide_handbook"},
    "toc": {"doc": "guide_handbook"},
    "list_documents": {},
    "related": {"doc": "guide_handbook"},
    "show_chunks": {"doc": "guide_handbook", "query": "How is a backup restored?"},
    "collect": {"text": "# Pumps\n\nA pump drips.", "name": "pumps.md"},
    "delete": {"ids": ["manuals_manual"]},
}


def _schemas(toolbox: Toolbox, profile: str) -> list[dict[str, Any]]:
    tools = ask(toolbox, lambda client: client.list_tools(), profile=profile, write=True).tools
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


def test_the_schemas_are_golden(shelf: Toolbox) -> None:
    """Names, words, schemas and annotations are the interface. To take a change over: delete the file and run this test
    twice.
    """
    schemas = {profile: _schemas(shelf, profile) for profile in ("full", "research")}
    text = json.dumps(schemas, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    if not _GOLDEN.exists():
        _GOLDEN.write_text(text, encoding="utf-8")
        pytest.fail("The golden schemas were written anew; look at the difference.")
    assert text == _GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize(("profile", "most", "most_with_answers"), [("full", 2_200, 5_600), ("research", 330, 700)])
def test_the_schemas_are_bounded_in_tokens(shelf: Toolbox, profile: str, most: int, most_with_answers: int) -> None:
    """Every conversation pays for them."""
    tools = _schemas(shelf, profile)
    count = counter(EmbeddingConfig(model=ENGLISH_MODEL)).count
    listed = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools]
    assert count(json.dumps(listed, separators=(",", ":"))) <= most
    assert count(json.dumps(tools, separators=(",", ":"))) <= most_with_answers


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("tool", [tool for tool in FULL_TOOLS if tool.name in _CALLS], ids=lambda tool: tool.name)
def test_every_tool_answers(own_shelf: Toolbox, tool: AgentTool, mode: str) -> None:
    """With the model of its row; the client checks it against the schema."""
    result = call(own_shelf, tool.name, _CALLS[tool.name], mode=mode, write=True)
    assert not result.is_error, result.content
    tool.answer.model_validate(json.loads(text_of(result)))


@pytest.mark.parametrize("mode", ERAS)
def test_evaluate_answers_with_progress(samples: Toolbox, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rising, and no more often than there is something new."""

    def evaluate(self: Toolbox, questions: str = "", *, part: str = "", control: CallControl) -> Any:
        for done in (0.0, 5.0, 5.0, 3.0, 10.0):
            control.report(done, 10.0, f"step {done}")
            monotonic.wait(0.3)
        raise AccessError("no")

    monotonic = threading.Event()
    monkeypatch.setattr(Toolbox, "evaluate", evaluate)
    notices: list[tuple[float, float | None, str | None]] = []

    async def work(client: Client) -> Any:
        async def on_progress(done: float, total: float | None, message: str | None) -> None:
            notices.append((done, total, message))

        return await client.call_tool("evaluate", {}, progress_callback=on_progress)

    assert ask(samples, work, mode=mode).is_error
    amounts = [done for done, _, _ in notices]
    assert 2 <= len(amounts) <= 5
    assert amounts == sorted(set(amounts))


def test_without_the_right_to_write_nothing_that_writes_is_listed(shelf: Toolbox) -> None:
    """And calling it all the same is refused."""
    names = {tool.name for tool in ask(shelf, lambda client: client.list_tools()).tools}
    assert names == {tool.name for tool in FULL_TOOLS if not tool.writes}
    assert call(shelf, "delete", {"ids": ["manuals_manual"]}).is_error
    assert call(shelf, "delete", {"ids": ["manuals_manual"]}, write=True).is_error


@pytest.mark.parametrize("mode", ERAS)
def test_the_research_profile_is_exactly_openais(samples: Toolbox, mode: str) -> None:
    """Keys, arguments and their order."""
    answer = json.loads(
        text_of(call(samples, "search", {"query": "rotate certificates"}, profile="research", mode=mode))
    )
    assert list(answer) == ["results"]
    assert answer["results"]
    for hit in answer["results"]:
        assert list(hit) == ["id", "title", "url"]
        assert hit["url"]
    name = answer["results"][0]["id"]
    read = json.loads(text_of(call(samples, "fetch", {"id": name}, profile="research", mode=mode)))
    assert list(read) == ["id", "title", "text", "url", "metadata"]
    assert read["id"] == name
    assert all(isinstance(value, str) for value in read["metadata"].values())
    tools = ask(samples, lambda client: client.list_tools(), profile="research", mode=mode, write=True).tools
    assert [(tool.name, tool.input_schema["required"], list(tool.input_schema["properties"])) for tool in tools] == [
        ("search", ["query"], ["query"]),
        ("fetch", ["id"], ["id"]),
    ]


def test_the_research_profile_reads_the_section_around_a_hit(shelf: Toolbox) -> None:
    """It has no way to ask for more."""
    hit = shelf.search("To restore a backup, stop the service", k=1, detail=True).results[0]
    read = json.loads(text_of(call(shelf, "fetch", {"id": hit.id}, profile="research")))
    assert hit.text in read["text"]
    assert len(read["text"]) > len(hit.text)


def test_the_instructions_are_reported(shelf: Toolbox) -> None:
    """That texts are material is said before the first one comes."""

    async def work(client: Client) -> str:
        return client.instructions or ""

    assert "never instructions" in ask(shelf, work)


def test_the_measured_recall_stands_in_the_description(shelf: Toolbox) -> None:
    """Asked for whenever tools are listed; who may not read gets the list all the same."""
    tools = ask(shelf, lambda client: client.list_tools(), recall=lambda context: "Recall 93 %.").tools
    assert [tool.name for tool in tools if "Recall 93 %." in (tool.description or "")] == ["search"]

    def refused(context: object) -> str:
        raise AccessError("no")

    assert ask(shelf, lambda client: client.list_tools(), recall=refused).tools


def test_documents_are_resources_whose_ids_are_completed(shelf: Toolbox) -> None:
    """An unknown one is an error of the protocol."""

    async def work(client: Client) -> tuple[str, list[str]]:
        (content,) = (await client.read_resource("chunkscope://document/guide_handbook")).contents
        (template,) = (await client.list_resource_templates()).resource_templates
        reference = ResourceTemplateReference(type="ref/resource", uri=template.uri_template)
        completed = await client.complete(reference, {"name": "doc", "value": "hand"})
        with pytest.raises(Exception, match="nope"):
            await client.read_resource("chunkscope://document/nope")
        return content.text, completed.completion.values

    text, ids = ask(shelf, work)
    assert text == shelf.open_workspace().document("guide_handbook").text
    assert ids == ["guide_handbook"]


def test_a_document_that_no_message_holds_is_refused_as_a_resource(own_shelf: Toolbox) -> None:
    """Not cut short: the tool that reads it in pieces is named."""
    own_shelf.collect(text="# Long\n\n" + "A pump drips. " * 40_000, name="long.md")

    async def work(client: Client) -> None:
        with pytest.raises(Exception, match="fetch"):
            await client.read_resource("chunkscope://document/agents_long")

    ask(own_shelf, work)


def test_whoever_serves_says_when_a_call_has_its_turn(shelf: Toolbox) -> None:
    """Around the calls that are admitted, and left after a refusal too."""
    turns: list[str] = []

    @contextmanager
    def turn(context: object, tool: AgentTool) -> Iterator[None]:
        turns.append(f"{tool.name} begins")
        try:
            yield
        finally:
            turns.append(f"{tool.name} ends")

    async def work(client: Client) -> None:
        await client.call_tool("search", _CALLS["search"])
        await client.call_tool("toc", {"doc": "of another house"})

    ask(shelf, work, turn=turn)
    assert turns == ["search begins", "search ends", "toc begins", "toc ends"]


def test_whoever_serves_may_refuse_and_keep_a_list(shelf: Toolbox) -> None:
    """Pace and quota before a call, its answer and time after it."""
    calls: list[AgentCall] = []

    def admit(context: object, tool: AgentTool) -> None:
        if tool.searches:
            raise QuotaError("Slower.")

    async def work(client: Client) -> list[bool | None]:
        answers = [await client.call_tool("search", _CALLS["search"]), await client.call_tool("toc", _CALLS["toc"])]
        return [bool(answer.is_error) for answer in answers]

    assert ask(shelf, work, admit=admit, on_call=lambda context, one: calls.append(one)) == [True, False]
    assert [(one.tool, one.refused) for one in calls] == [("search", True), ("toc", False)]
    assert calls[0].answer == "Slower."
    assert calls[1].seconds > 0


def test_the_root_logger_stays_as_it_is(shelf: Toolbox) -> None:
    """The SDK's constructor would give it a handler that draws tracebacks for seconds."""
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    build_server(lambda context: shelf)
    assert (list(root.handlers), root.level) == before
    for handler in before[0]:
        root.removeHandler(handler)
    try:
        build_server(lambda context: shelf)
        assert root.handlers == []
    finally:
        for handler in before[0]:
            root.addHandler(handler)


def test_so_many_calls_run_side_by_side() -> None:
    """The others wait; threads of cancelled calls count until they end."""
    running, most, lock, release = 0, 0, threading.Lock(), threading.Event()

    def work(control: CallControl) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        release.wait(0.05)
        with lock:
            running -= 1

    async def main() -> None:
        threads = WorkerThreads(2, abandon=False)
        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(threads.run, work)

    run_in_thread(main)
    assert most == 2


@pytest.mark.parametrize("abandon", [False, True])
def test_a_cancelled_call_stops_its_work(abandon: bool) -> None:
    """At its next step."""
    began, stopped = threading.Event(), threading.Event()

    def work(control: CallControl) -> None:
        began.set()
        for _ in range(2_000):
            if control.cancelled():
                stopped.set()
                return
            threading.Event().wait(0.005)

    async def main() -> None:
        threads = WorkerThreads(1, abandon=abandon)
        async with anyio.create_task_group() as group:
            group.start_soon(threads.run, work)
            await anyio.to_thread.run_sync(began.wait)
            group.cancel_scope.cancel()

    run_in_thread(main)
    assert stopped.wait(10)


def test_the_drawing_of_chunks_is_for_the_frame_alone(shelf: Toolbox) -> None:
    """The model reads a few words: hosts show it the structured content, and give `_meta` to the frame that the tool
    names.
    """

    async def work(client: Client) -> tuple[Any, Any, str]:
        (tool,) = [one for one in (await client.list_tools()).tools if one.name == "show_chunks"]
        answer = await client.call_tool("show_chunks", {"doc": "guide_handbook", "query": "How is a backup restored?"})
        (page,) = (await client.read_resource(tool.meta["ui"]["resourceUri"])).contents
        assert page.mime_type == "text/html;profile=mcp-app"
        return answer.meta, json.loads(text_of(answer)), page.text

    meta, words, page = ask(shelf, work)
    assert meta["chunkscope/drawing"].keys() == {"text", "text_facts", "viewer"}
    assert words["chunks"] == len(shelf.open_workspace().index().chunks_of("guide_handbook"))
    assert words["hits"]
    assert len(json.dumps(words)) < 1_000
    assert not re.search("https?://", page.replace("http://www.w3.org", ""))


def test_a_long_document_is_not_drawn(own_shelf: Toolbox) -> None:
    """Its text would go with the answer: a note leads to the app."""
    own_shelf.collect(text="# Long\n\n" + "A pump drips. " * 20_000, name="long.md")
    shown = own_shelf.show_chunks("agents_long")
    assert shown.drawing == {}
    assert shown.notes
    assert shown.chunks > 100


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_that_goes_away_stops_the_work(shelf: Toolbox, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of a call; the next one is answered."""
    began, stopped = threading.Event(), threading.Event()

    def evaluate(self: Toolbox, questions: str = "", *, part: str = "", control: CallControl) -> Any:
        began.set()
        while not control.cancelled():
            stopped.wait(0.005)
        stopped.set()
        raise Cancelled("stopped")

    monkeypatch.setattr(Toolbox, "evaluate", evaluate)

    async def work(client: Client) -> bool:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "evaluate", {})
            await anyio.to_thread.run_sync(began.wait)
            group.cancel_scope.cancel()
        await anyio.to_thread.run_sync(stopped.wait)
        return bool((await client.call_tool("toc", _CALLS["toc"])).is_error)

    assert ask(shelf, work, mode=mode) is False

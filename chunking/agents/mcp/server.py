"""MCP server of a toolbox: lists tools, validates input, and runs calls outside the event loop."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Never

from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    Completion,
    ResourceTemplateReference,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import BaseModel

from chunking.agents import (
    INSTRUCTIONS,
    AgentTool,
    CallControl,
    Profile,
    Toolbox,
    input_schema,
    output_schema,
    plain_answer,
    plain_text,
    tools_of,
)
from chunking.agents.answers import ShownChunks
from chunking.agents.mcp.chunk_frame import DRAWING, FRAME_URI, chunk_frames
from chunking.agents.mcp.worker_threads import WorkerThreads
from chunking.errors import ChunkscopeError, QueryError

__all__ = ["AgentCall", "build_server"]

_AT_ONCE = 4
"""Maximum concurrent calls: a search keeps a processor busy for half of its time."""
_LONG_AT_ONCE = 8
"""Maximum concurrent long calls: most of them wait for a lock or the job queue."""
_TOOLS_LAST = 300_000
"""Milliseconds for which clients may cache the list of tools."""
_COMPLETIONS = 100
_LONGEST_RESOURCE = 500_000
"""Maximum bytes of a resource: clients refuse messages of a megabyte."""
_SHOWN = 60
"""Maximum characters of a name in a refusal."""
_UNEXPECTED = "The call failed because of a bug in Chunkscope; the server's log has the details."

log = logging.getLogger(__name__)

ToolboxOf = Callable[[Context], Toolbox]
"""Returns the toolbox for a request; called in a worker thread for every request."""

_request: ContextVar[ServerRequestContext[Any, Any] | None] = ContextVar("_request", default=None)
"""Current request: the SDK passes it to tools and resources, but not to lists or completions."""


@dataclass(frozen=True, slots=True)
class AgentCall:
    """Completed call, answered or refused, for a log of recent calls."""

    tool: str
    arguments: Mapping[str, Any]
    answer: str
    """JSON answer, or the sentence of the refusal."""
    refused: bool
    seconds: float


def build_server(
    toolbox_of_context: ToolboxOf,
    profile: Profile = "full",
    write: bool = False,
    abandon: bool = False,
    *,
    at_once: int = _AT_ONCE,
    recall: Callable[[Context], str] | None = None,
    admit: Callable[[Context, AgentTool], None] | None = None,
    turn: Callable[[Context, AgentTool], AbstractContextManager[object]] = lambda context, tool: nullcontext(),
    on_call: Callable[[Context, AgentCall], None] | None = None,
    legible: Callable[[str], str] = str,
) -> MCPServer[Any]:
    """Build an MCP server with the tools of a profile, for any transport.

    In the profile `full`, documents are also resources.

    Args:
        toolbox_of_context: called in a worker thread for every request; what it raises as ChunkscopeError refuses the
            call.
        profile: `full`, or `research`: exactly OpenAI's `search(query)` and `fetch(id)`.
        write: list `collect` and `delete` too; the store still asks whether this user may.
        abandon: leave the threads of cancelled calls to themselves: only in a process for one client.
        at_once: maximum concurrent calls, except `evaluate` and `collect`, which have a limit of their own.
        recall: called in a worker thread whenever tools are listed; its sentence is added to the description of
            `search`.
        admit: called in a worker thread before each call; a ChunkscopeError refuses it (pace, quota).
        turn: entered in a worker thread around each call that is admitted; may wait.
        on_call: called in a worker thread after each call.
        legible: converts a refusal for clients: on a shared server, without its folders.
    """
    tools = {tool.name: tool for tool in tools_of(profile, write=write)}
    threads, waiting = WorkerThreads(at_once, abandon=abandon), WorkerThreads(_LONG_AT_ONCE, abandon=abandon)
    calls = _Calls(toolbox_of_context, tools, threads, waiting, recall, admit, turn, on_call, legible)
    frames = [chunk_frames()] if any(tool.drawn for tool in tools.values()) else None
    with _root_logger_kept():
        server = _AgentServer(
            calls,
            name="chunkscope",
            title="Chunkscope",
            version=_version(),
            instructions=INSTRUCTIONS,
            log_level="WARNING",
            extensions=frames,
        )
    if profile == "full":
        _add_documents(server, calls)
    return server


@dataclass(frozen=True, slots=True)
class _Calls:
    """Tool calls of one server: threads, hooks and the toolbox."""

    toolbox_of: ToolboxOf
    tools: Mapping[str, AgentTool]
    threads: WorkerThreads
    long_threads: WorkerThreads
    """Threads for tools that may wait for a job, so that no search waits for them."""
    recall: Callable[[Context], str] | None
    admit: Callable[[Context, AgentTool], None] | None
    turn: Callable[[Context, AgentTool], AbstractContextManager[object]]
    on_call: Callable[[Context, AgentCall], None] | None
    legible: Callable[[str], str]

    async def call(self, name: str, arguments: dict[str, Any], context: Context) -> CallToolResult:
        """Run a tool and return its answer, or a refusal."""
        tool = self.tools.get(name)
        if tool is None:
            return _refusal(f"There is no tool '{plain_text(name[:_SHOWN])}'; the tools are {', '.join(self.tools)}.")
        threads, send = (self.long_threads, context.report_progress) if tool.long else (self.threads, None)
        return await threads.run(partial(self._result, tool, arguments, context), send)

    def _result(
        self, tool: AgentTool, arguments: dict[str, Any], context: Context, control: CallControl
    ) -> CallToolResult:
        started = time.perf_counter()
        try:
            if self.admit is not None:
                self.admit(context, tool)
            with self.turn(context, tool):
                result = _answer(tool.call(self.toolbox_of(context), arguments, control))
        except ChunkscopeError as error:
            result = _refusal(self.legible(str(error)))
        except Exception:  # a fault of ours: the agent reads one sentence, and the log has the rest
            log.exception("The tool %s failed.", tool.name)
            result = _refusal(_UNEXPECTED)
        if self.on_call is not None:
            text = result.content[0].text if isinstance(result.content[0], TextContent) else ""
            self.on_call(
                context, AgentCall(tool.name, arguments, text, bool(result.is_error), time.perf_counter() - started)
            )
        return result

    async def listed(self, context: Context) -> list[Tool]:
        """Return the tools as clients see them."""
        sentence = "" if self.recall is None else await self.threads.run(lambda _: self._recall(context))
        return [_listed(tool, sentence if tool.name == "search" else "") for tool in self.tools.values()]

    def _recall(self, context: Context) -> str:
        try:
            return "" if self.recall is None else self.recall(context)
        except ChunkscopeError:  # who may not read the workspace hears so from the first call
            return ""


class _AgentServer(MCPServer[Any]):
    """MCP server with tools from a table: strict arguments, and refusals of one sentence."""

    def __init__(self, calls: _Calls, **options: Any) -> None:
        super().__init__(
            cache_hints={"tools/list": CacheHint(ttl_ms=_TOOLS_LAST, scope="private")},
            subscriptions=False,
            middleware=[_remember_request],
            **options,
        )
        self._calls = calls

    async def list_tools(self) -> list[Tool]:
        """Return all tools."""
        return [*await self._calls.listed(self.present()), *await super().list_tools()]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context | None = None) -> Any:
        """Call a tool by name."""
        return await self._calls.call(name, arguments, context or self.present())

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context | None = None
    ) -> Never:
        """Refuse every prompt: the SDK would answer with a server error."""
        raise MCPError(
            INVALID_PARAMS,
            f"There is no prompt '{plain_text(name[:_SHOWN])}'; this server offers only tools and documents.",
        )

    def present(self) -> Context:
        """Return the context of the current request."""
        return Context(request_context=_request.get(), mcp_server=self)


async def _remember_request(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    token = _request.set(ctx)
    try:
        return await call_next(ctx)
    finally:
        _request.reset(token)


def _add_documents(server: _AgentServer, calls: _Calls) -> None:
    """Register documents as resources, with completion of their ids."""

    @server.resource("chunkscope://document/{doc}", title="Document", mime_type="text/markdown")
    async def document(doc: str, context: Context) -> str:
        """A whole document's text."""
        try:
            return await calls.threads.run(lambda _: _whole_text(calls.toolbox_of(context), doc))
        except ChunkscopeError as error:
            raise ResourceNotFoundError(plain_text(calls.legible(str(error)))) from error

    async def complete(ref: object, argument: Any, context: object) -> Completion | None:
        if not isinstance(ref, ResourceTemplateReference) or argument.name != "doc":
            return None
        present = server.present()
        try:
            ids = await calls.threads.run(lambda _: _document_ids(calls.toolbox_of(present), argument.value))
        except ChunkscopeError as error:
            raise MCPError(INVALID_PARAMS, plain_text(str(error))) from error
        return Completion(values=ids[:_COMPLETIONS], total=len(ids), has_more=len(ids) > _COMPLETIONS)

    server.completion()(complete)  # type: ignore[no-untyped-call]


def _whole_text(toolbox: Toolbox, doc: str) -> str:
    text = plain_text(toolbox.open_workspace().document(doc).text)
    if len(text.encode()) > _LONGEST_RESOURCE:
        raise QueryError(
            f"The document '{doc}' has {len(text):,} characters; read it in pieces with the tool fetch.", where=doc
        )
    return text


def _document_ids(toolbox: Toolbox, typed: str) -> list[str]:
    rows = toolbox.open_workspace().documents()
    return [plain_text(row.doc_id) for row in rows if typed.casefold() in row.doc_id.casefold()]


def _version() -> str:
    try:
        return version("chunkscope")
    except PackageNotFoundError:  # a checkout that was not installed
        return ""


def _listed(tool: AgentTool, more: str) -> Tool:
    return Tool(
        name=tool.name,
        title=tool.title,
        description=f"{tool.description} {more}".strip(),
        input_schema=input_schema(tool.arguments),
        output_schema=output_schema(tool.answer),
        annotations=ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=True,
            open_world_hint=False,
        ),
        _meta={"ui": {"resourceUri": FRAME_URI, "visibility": ["model", "app"]}} if tool.drawn else None,
    )


def _answer(model: BaseModel) -> CallToolResult:
    """Return an answer's JSON as text and as structured content: hosts show the model one or the other."""
    data = plain_answer(model)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    drawing = (
        model.drawing if isinstance(model, ShownChunks) else {}
    )  # for the frame alone: hosts show structured content to the model
    meta = {DRAWING: drawing} if drawing else None
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data, _meta=meta)


def _refusal(sentence: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=plain_text(sentence))], is_error=True)


@contextmanager
def _root_logger_kept() -> Iterator[None]:
    """Protect the root logger: the SDK's constructor adds a handler that draws tracebacks for seconds."""
    root = logging.getLogger()
    placeholder = None if root.handlers else logging.NullHandler()
    level = root.level
    if placeholder is not None:
        root.addHandler(placeholder)
    try:
        yield
    finally:
        root.setLevel(level)
        if placeholder is not None:
            root.removeHandler(placeholder)

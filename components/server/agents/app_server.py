"""Agents' tools over the workspaces of this app: opened per caller, paced, charged and logged.

Indexes that agents build go through the server's job queue, like those of the pages.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.agents import AgentTool, AppAddress, CallControl, IndexBuilt, Toolbox
from chunking.config import Config
from chunking.errors import Cancelled, ChunkscopeError
from chunking.indexing.planning.index_plan import DEFAULT_NAME
from chunking.llm.metering import charge_to, tokens_about
from chunking.store import Workspace
from components.kit.wording import without_folders
from components.server.agents.agent_door import BODY_LIMIT, CALLER, McpServer, ServerKey
from components.server.agents.call_log import CALLS, RecordedCall, answer_size, keep_texts
from components.server.jobs import INDEX, ServerJob
from components.server.jobs.job_kinds import phases_of
from components.session.host import deployment
from components.session.jobs import jobs
from components.session.page.run_order import let_pages_go_first

if TYPE_CHECKING:
    from chunking.agents.mcp import AgentCall

__all__ = ["QueuedIndex", "app_server"]

_LONG = 3.0
"""Seconds after which other calls stop waiting for a running one, such as one that uses a reranker or another server.
"""
_SHORT_CALL = threading.Semaphore()
"""Lets one agent call run at a time: two at once would slow the pages down."""

_LOOK = 0.1
"""Seconds between two checks of a job."""
_WHOLE = 100.0
"""Total of the progress reported to the client, in percent."""


def app_server(key: ServerKey) -> McpServer:
    """Build the MCP server of a profile, with writing tools if the key says so.

    Raises:
        ImportError: the MCP SDK is not installed.
    """
    from chunking.agents.mcp import build_server

    profile, write = key
    server: McpServer = build_server(
        lambda _: _toolbox(),
        profile,
        write,
        admit=lambda _, tool: _admit(tool),
        turn=lambda _, tool: _turn(tool),
        recall=lambda _: _recall(),
        on_call=lambda _, call: _note(call),
        legible=without_folders,
    )
    return server


def _toolbox() -> Toolbox:
    """Return the caller's toolbox, and charge this thread's model requests to the caller."""
    caller = CALLER.get()
    charge_to(caller.payer())
    address = AppAddress(caller.app, caller.grant.workspace)
    return Toolbox(caller.open, address, deployment().settings.folders, QueuedIndex(caller.grant.person))


def _admit(tool: AgentTool) -> None:
    if tool.searches:
        CALLER.get().check_search()
    if tool.writes and not tool.destructive:
        CALLER.get().check_adding(BODY_LIMIT)  # the size of a folder is unknown before it is read


@contextmanager
def _turn(tool: AgentTool) -> Iterator[None]:
    """Run the tool in this context: after runs of pages and other agents' short calls."""
    mine = not tool.long and _SHORT_CALL.acquire(timeout=_LONG)
    try:
        let_pages_go_first()
        yield
    finally:
        if mine:
            _SHORT_CALL.release()


def _recall() -> str:
    return _toolbox().measured_recall()


def _note(call: AgentCall) -> None:
    grant = CALLER.get().grant
    CALLS.add(
        grant.uri,
        RecordedCall(
            call.tool,
            "refused" if call.refused else "done",
            1_000 * call.seconds,
            tokens_about(call.answer),
            time.time(),
            grant.workspace,
            grant.person,
            grant.token,
            grant.agent,
            "" if call.refused else answer_size(call.answer),
            keep_texts(call.arguments, call.answer),
        ),
    )


@dataclass(frozen=True, slots=True)
class QueuedIndex:
    """An `IndexRun` that builds in a job of the server's queue, and blocks until it ends."""

    person: str
    """Id of the person who starts the job."""

    def __call__(
        self,
        workspace: Workspace,
        config: Config,
        name: str | None,
        doc_ids: Sequence[str] | None,
        control: CallControl,
    ) -> IndexBuilt:
        """Build the index in a queued job, wait for its end, and return its counts.

        Waits first for an index run under way, as that may have started before the latest changes. A cancelled call
        cancels the job that it waits for, if this person started it.

        Raises:
            AccessError: the person may not start jobs.
            Cancelled: the job or the call was cancelled.
            ChunkscopeError: the job failed, with its error as text.
        """
        task = {
            "name": name or DEFAULT_NAME,
            "config": config.changed(),
            "doc_ids": None if doc_ids is None else list(doc_ids),
        }
        while True:
            self._follow(jobs().of(workspace.uri), control)  # it may have started before the latest changes
            began = time.time()
            job = jobs().start_job(workspace.uri, INDEX, task, phases=phases_of(config), person=self.person)
            if job.queued_at >= began:
                break
        self._follow(job, control)
        if job.report is not None:
            report = job.report
            return IndexBuilt(
                report["name"], report["chunks"], report["embedded"], report["reused"], (*report["reasons"], *job.notes)
            )
        if job.cancelled:
            raise Cancelled(
                "The index was not built because someone cancelled it; the documents are saved, and the "
                "previous index still works."
            )
        raise ChunkscopeError(job.error or "The index was not built; the server's log says why.")

    def _follow(self, job: ServerJob | None, control: CallControl) -> None:
        """Report a job's progress until it ends; a cancelled call cancels its person's job."""
        while job is not None and job.active:
            if control.cancelled():
                if job.person == self.person:
                    jobs().cancel(job, self.person)
                raise Cancelled("The call was cancelled; the documents are saved. Repeat the call to build the index.")
            control.report(_WHOLE * job.share, _WHOLE, job.progress.stage)
            time.sleep(_LOOK)

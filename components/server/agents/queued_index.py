"""Indexes that agents have built go through the queue of the server, as those of pages do: in a process of their own,
under its limits.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from chunking.agents import CallControl, IndexBuilt
from chunking.config import Config
from chunking.errors import Cancelled, ChunkscopeError
from chunking.indexing.plan.index_plan import DEFAULT_NAME
from chunking.store import Workspace
from components.server.jobs import INDEX, ServerJob
from components.server.jobs.job_kinds import phases_of
from components.session.jobs import jobs

__all__ = ["QueuedIndex"]

_LOOK = 0.1
"""Seconds between two looks at a job."""
_WHOLE = 100.0
"""Of the progress that is reported, in percent."""


@dataclass(frozen=True, slots=True)
class QueuedIndex:
    """An `IndexRun` by the queue: waits until the job has ended."""

    person: str
    """Whose job it is."""

    def __call__(
        self,
        workspace: Workspace,
        config: Config,
        name: str | None,
        doc_ids: Sequence[str] | None,
        control: CallControl,
    ) -> IndexBuilt:
        """Build it. Raises AccessError where the person may not start jobs, Cancelled, or ChunkscopeError with what the
        job says.
        """
        task = {
            "name": name or DEFAULT_NAME,
            "config": config.changed(),
            "doc_ids": None if doc_ids is None else list(doc_ids),
        }
        while True:
            self._follow(jobs().of(workspace.uri), control)  # its documents may be those of before
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
                "The index was not built because someone cancelled it; the documents are saved, and the previous "
                "index still works."
            )
        raise ChunkscopeError(job.error or "The index was not built; the server's log says why.")

    def _follow(self, job: ServerJob | None, control: CallControl) -> None:
        """Report how far a job is until it ends; a call that is cancelled cancels a job of its person."""
        while job is not None and job.active:
            if control.cancelled():
                if job.person == self.person:
                    jobs().cancel(job, self.person)
                raise Cancelled(
                    "The call was cancelled; the documents are saved, and the index will be built on the next request."
                )
            control.report(_WHOLE * job.share, _WHOLE, job.progress.stage)
            time.sleep(_LOOK)

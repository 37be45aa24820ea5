"""The job registry of a server: queues, starts, watches and ends jobs, also after a restart.

Each workspace has at most one active job of each kind; the queue decides among all workspaces and users.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from chunking.config import Config
from chunking.deployment import SERVER
from chunking.errors import AccessError, ChunkscopeError, LockedError, StoreError
from chunking.indexing import IndexPhase, Plan
from components.kit.wording import quantity
from components.server.event_log import REQUEST, log
from components.server.jobs.job import EndedJob, JobHost, ServerJob
from components.server.jobs.job_kinds import INDEX, KINDS, Weight, phases_of
from components.server.jobs.job_limits import JobLimits, LimitWatch
from components.server.jobs.job_queue import JobQueue, Ticket
from components.server.jobs.job_record import JobRecord, StoredJob
from components.server.jobs.worker_process import JobProcesses, follow_in_thread

__all__ = ["Jobs", "may_cancel"]

_STARTING = 2.0
"""Seconds that a worker takes to start, roughly."""
_REMEMBERED = 100
"""Most ended jobs remembered."""


def may_cancel(person: str, job: ServerJob, *, owns: bool = False) -> bool:
    """True if a person may cancel, restart or dismiss a job: its starter, or an owner.

    Args:
        owns: True if the person owns the job's workspace.
    """
    return owns or person == job.person


class Jobs:
    """Registry of a server's jobs: queues them, starts workers, keeps each workspace's latest ones.

    Args:
        limits: limits of each job and of all together; None: the defaults of this machine.
        record: stores the jobs; without one, a restart forgets them. Jobs that were waiting in it wait again, or start
            at once; those that were running are interrupted.
        host: callbacks for rights, quotas and documents.
        processes: starts and measures the workers.
    """

    def __init__(
        self,
        limits: JobLimits | None = None,
        record: JobRecord | None = None,
        host: JobHost | None = None,
        processes: JobProcesses | None = None,
    ) -> None:
        self._limits, self._record = limits or JobLimits(), record
        self._host, self._processes = host or JobHost(), processes or JobProcesses()
        self._queue = JobQueue(self._limits.at_once, shared=self._limits.shared)
        self._of: dict[tuple[str, str], ServerJob] = {}
        self._queued: dict[int, ServerJob] = {}
        """Waiting and running jobs by number."""
        self._ended: deque[EndedJob] = deque(maxlen=_REMEMBERED)
        self._lock = threading.RLock()
        self._watch = LimitWatch(
            self._running,
            self._limits,
            self._lock,
            clock=self._processes.clock,
            sizes=self._processes.sizes,
            end=self._processes.end,
            shortage=self._host.shortage,
        )
        for one in record.all() if record is not None else ():
            self._remember(one)
        with self._lock:
            self._begin()

    # -- for pages

    def of(self, address: str, kind: str = INDEX) -> ServerJob | None:
        """Return a workspace's active or latest job of a kind; None before the first."""
        return self._of.get((address, kind))

    @property
    def queued(self) -> tuple[ServerJob, ...]:
        """Waiting and running jobs of the server, the oldest first."""
        with self._lock:
            return tuple(self._queued[number] for number in sorted(self._queued))

    @property
    def ended(self) -> tuple[EndedJob, ...]:
        """The last `_REMEMBERED` jobs that ended since the server started, the latest first."""
        with self._lock:
            return tuple(self._ended)

    @property
    def busy(self) -> frozenset[str]:
        """Addresses of workspaces with an active job, whose folders must stay."""
        return frozenset(job.address for job in self.queued)

    def start(
        self, address: str, config: Config, name: str, plan: Plan | None = None, person: str | None = None
    ) -> ServerJob:
        """Queue an index run, or return the one that waits or runs in the workspace.

        Args:
            plan: plan of the run, for a first estimate of its time.
            person: id of the person who starts it; None: the session's user.
        Raises:
            AccessError, ChunkscopeError: as `start_job`.
        """
        task = {"name": name, "config": config.changed(), "doc_ids": None}
        loads = plan is None or plan.estimate is not None or plan.new > 0 or plan.encode > 0
        expected = None if plan is None else _STARTING + plan.seconds_expected
        return self.start_job(
            address, INDEX, task, phases=phases_of(config, loads=loads), expected=expected, person=person
        )

    def start_job(
        self,
        address: str,
        kind: str,
        payload: Mapping[str, Any],
        *,
        name: str = "",
        phases: tuple[IndexPhase, ...] = (),
        expected: float | None = None,
        person: str | None = None,
    ) -> ServerJob:
        """Queue a job, or return the one of its kind that waits or runs in the workspace.

        It starts at once if there is room. Its settings are those of now; its documents are those of its start.

        Args:
            address: address of the workspace.
            kind: INDEX, SWEEP, EVALUATE, LIVE or ESTIMATE.
            payload: the worker's task, without its kind and workspace; see chunking/worker.py.
            name: its name for users; empty: the payload's.
            phases: phases of an index run.
            expected: estimated seconds, if known.
            person: id of the person who starts it; None: the session's user.
        Raises:
            AccessError: the person may not start jobs in this workspace, even if one is active.
            ChunkscopeError: no process can be started, the record cannot be written, too many jobs of this person
                wait, or the host refuses new jobs.
        """
        person = self._host.user() if person is None else person
        self._host.admit(person, address)
        present = self.of(address, kind)
        if present is None or not present.active:
            self._host.check(person, address)
        with self._lock:
            present = self.of(address, kind)
            if present and present.active:
                return present
            self._check_room(person, KINDS[kind].weight)
            named, task = name or str(payload.get("name") or ""), dict(payload)
            request = REQUEST.get()
            job = ServerJob(
                named,
                None,
                kind,
                task,
                person=person,
                request=request,
                address=address,
                phases=phases,
                seconds_left=expected,
            )
            self._write_down(job)
            self._enter(job)
            failed = self._begin(checked=job).get(job.number)
            if failed is not None:
                self._restore(present, address, kind)
                raise failed
            if present is not None:
                self._forget(present)
        if job.waiting:
            self._note_documents(job)
        return job

    def cancel(self, job: ServerJob, person: str | None = None) -> None:
        """Cancel a job: a waiting one leaves the queue, a running one stops after its current step.

        Args:
            person: id of the person who started the job, if they have no session. For anybody else, `JobHost.may`
                decides about the session's user.
        Raises:
            AccessError: the person may not cancel it.
        """
        if person is None or not may_cancel(person, job):
            self._check(job)
        with self._lock:
            self._stop(job)
            self._begin()

    def restart(self, job: ServerJob) -> ServerJob:
        """Queue a new job with an interrupted one's settings, as the session's user; return it.

        Raises:
            AccessError: the user may not restart it, or not start jobs in its workspace.
            ChunkscopeError: as `start_job`.
        """
        self._check(job)
        return self.start_job(job.address, job.kind, job.task, name=job.name, phases=job.phases)

    def dismiss(self, job: ServerJob) -> None:
        """Stop offering an interrupted job for restart, and remove it from the record.

        Raises:
            AccessError: the user may not dismiss it.
        """
        self._check(job)
        with self._lock:
            job.interrupted = False
            self._forget(job)

    def forget_workspace(self, address: str) -> None:
        """Cancel and forget all jobs of a workspace that is being deleted."""
        with self._lock:
            for job in [job for (place, _), job in self._of.items() if place == address]:
                self._stop(job)
                self._forget(job)
                del self._of[job.address, job.kind]
            self._begin()

    def close(self) -> None:
        """Close the record at the end of the server; its waiting jobs are for the next one."""
        if self._record is not None:
            self._record.close()

    # -- the queue

    def _remember(self, one: StoredJob) -> None:
        """Restore a job from the record."""
        if self._host.is_ended(one.workspace):
            self._remove(one.id)
            return
        if one.kind not in KINDS:
            return  # of another version: its row stays for that one
        by_name = {str(phase): phase for phase in IndexPhase}
        phases = tuple(by_name[name] for name in one.phases if name in by_name)
        job = ServerJob(
            one.name,
            None,
            one.kind,
            one.task,
            person=one.person,
            address=one.workspace,
            phases=phases,
            record_id=one.id,
        )
        job.documents = one.documents
        if one.started:
            job.active, job.interrupted = False, True
            self._of[one.workspace, one.kind] = job
        else:
            self._enter(job)

    def _check(self, job: ServerJob) -> None:
        if not self._host.may(job):
            raise AccessError(
                "This job belongs to someone else: ask them, or an owner of the workspace.", where=job.address
            )

    def _stop(self, job: ServerJob) -> None:
        if job.waiting:
            job.cancelled, job.active, job.place = True, False, None
            self._leave(job)
        elif job.active:
            job.stopping_since = self._processes.clock()
            job.cancel()

    def _check_room(self, person: str, weight: Weight) -> None:
        """Refuse a job of a person with too many waiting, unless it could start at once."""
        if person == SERVER:
            return  # it builds the samples' indexes of many people
        waiting = [one for one in self._queue.waiting if one.person == person]
        if len(waiting) >= self._limits.waiting and any(one.weight is weight for one in waiting):
            message = (
                f"You already have {quantity(len(waiting), 'job')} waiting, the limit; wait for one of them to "
                f"start, or cancel one."
            )
            raise ChunkscopeError(message)

    def _write_down(self, job: ServerJob) -> None:
        if self._record is None:
            return
        try:
            job.record_id = self._record.add(
                job.address, job.kind, job.name, job.person, job.task, tuple(map(str, job.phases))
            )
        except LockedError as error:  # two servers over one workspace: only one of them can have the record
            logging.getLogger(__name__).warning("This job will be lost after a restart. %s", error)

    def _enter(self, job: ServerJob) -> None:
        kind = KINDS[job.kind]
        self._of[job.address, job.kind] = self._queued[job.number] = job
        self._queue.add(Ticket(job.number, job.person, job.address, kind.weight, kind.writes))

    def _begin(self, checked: ServerJob | None = None) -> dict[int, ChunkscopeError]:
        """Start all jobs that have room and update the places of the others; returns errors by job number.

        Args:
            checked: a job whose host check has just passed.
        """
        failed: dict[int, ChunkscopeError] = {}
        while begun := self._queue.begin():
            for ticket in begun:
                job = self._queued[ticket.number]
                try:
                    if job is not checked:
                        self._host.check(job.person, job.address)
                    self._run(job, sum(one.weight is ticket.weight for one in self._queue.running))
                except ChunkscopeError as error:
                    failed[job.number] = self._fail(job, error)
                except Exception:  # its slot must become free, and the others start
                    logging.getLogger(__name__).exception("A job could not be started.")
                    message = (
                        f"The {KINDS[job.kind].noun} could not be started: the server failed, and its log says "
                        f"why. Start it again."
                    )
                    failed[job.number] = self._fail(job, ChunkscopeError(message, where=job.address))
        places = self._queue.places()
        for number, job in self._queued.items():
            job.place = places.get(number)
        return failed

    def _fail(self, job: ServerJob, error: ChunkscopeError) -> ChunkscopeError:
        """Record that a job could not start, and end its process if it has one."""
        job.error, job.active, job.place = str(error), False, None
        if job.process is not None:
            try:
                self._processes.end(job.process)
            except Exception:  # it ends when its input is closed
                logging.getLogger(__name__).exception("The process of a job that failed to start was not ended.")
            job.process = None  # with its pipes
        self._leave(job)
        return error

    def _run(self, job: ServerJob, running: int) -> None:
        if self._record is not None and job.record_id:
            self._record.note_start(job.record_id)
        job.process = self._processes.launch(KINDS[job.kind], self._limits.threads_beside(running))
        job.began, job.estimated_at = self._processes.clock(), time.monotonic()
        waited = {"queued": job.documents} if job.documents else {}
        job.tell({**job.task, **waited, "kind": job.kind, "workspace": job.address, "person": job.person})
        log("job started", _facts(job))
        if self._processes.follow is follow_in_thread:
            self._watch.begin()
        self._processes.follow(lambda: self._to_the_end(job))  # last: from here on the job ends by itself

    def _to_the_end(self, job: ServerJob) -> None:
        try:
            job.follow()
        except Exception:
            logging.getLogger(__name__).exception("A job's output could not be read to its end.")
        finally:
            log(
                "job ended",
                {
                    "outcome": job.outcome,
                    "seconds": round(self._processes.clock() - (job.began or 0), 1),
                    **_facts(job),
                },
            )
            with self._lock:
                job.active = False
                self._leave(job)
                self._begin()

    def _leave(self, job: ServerJob) -> None:
        if self._queued.pop(job.number, None) is not None:
            took = self._processes.clock() - job.began if job.began is not None else None
            self._ended.appendleft(
                EndedJob(job.kind, job.person, job.address, job.outcome, job.over_limit, took, time.time())
            )
        self._queue.end(job.number)
        self._forget(job)

    def _forget(self, job: ServerJob) -> None:
        """Remove a job from the record."""
        if job.record_id:
            self._remove(job.record_id)
            job.record_id = 0

    def _remove(self, record_id: int) -> None:
        if self._record is not None:
            try:
                self._record.remove(record_id)
            except StoreError as error:
                logging.getLogger(__name__).warning("%s", error)

    def _restore(self, present: ServerJob | None, address: str, kind: str) -> None:
        if present is None:
            del self._of[address, kind]
        else:
            self._of[address, kind] = present

    def _note_documents(self, job: ServerJob) -> None:
        """Record the documents' key of a waiting job; outside the lock, as it reads the workspace."""
        try:
            documents = self._host.documents_of(job.address)
        except ChunkscopeError:
            return  # its worker will report what is wrong with the workspace
        with self._lock:
            if job.waiting:
                job.documents = documents
                if self._record is not None and job.record_id:
                    self._record.note_documents(job.record_id, documents)

    def check_usage(self) -> int:
        """Stop or kill the jobs over a limit, once; return the number of running jobs."""
        return self._watch.check()

    def _running(self) -> list[ServerJob]:
        with self._lock:
            return [job for job in self._queued.values() if job.process is not None]


def _facts(job: ServerJob) -> dict[str, object]:
    return {"job": job.number, "kind": job.kind, "person": job.person, "asked_by": job.request}

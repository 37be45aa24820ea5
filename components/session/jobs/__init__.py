"""Jobs of the server in its pages: the registry that all sessions share, and who may stop a job.

A job goes on when its page is left or its tab closed; everybody who opens the page sees it. Building an index keeps
everything else from writing to its workspace, once it runs; measuring does not. `components.server.jobs` is the queue.
"""

from __future__ import annotations

import logging

import streamlit as st

from chunking.errors import AccessError, StoreError
from chunking.store import Right
from chunking.store.access import refusal
from chunking.store.copies.home_folder import JOBS
from components.server.jobs import (
    ESTIMATE,
    EVALUATE,
    INDEX,
    LIVE,
    PHASES,
    SWEEP,
    JobHost,
    JobLimits,
    JobProgress,
    JobRecord,
    Jobs,
    ServerJob,
    may_cancel,
)
from components.session.host import deployment, host

__all__ = [
    "ESTIMATE",
    "EVALUATE",
    "INDEX",
    "LIVE",
    "PHASES",
    "SWEEP",
    "JobProgress",
    "Jobs",
    "ServerJob",
    "jobs",
    "may_stop",
]


def _user_id() -> str:
    person = host().user()
    return person.id if person else ""


def may_stop(job: ServerJob) -> bool:
    """Whether this session may cancel a job, start it again or put it away: who started it, owners of its workspace,
    operators.
    """
    person = _user_id()
    return may_cancel(person, job, owns=bool(person) and (host().is_operator() or _owns(person, job.address)))


def _owns(person: str, address: str) -> bool:
    """True if a person may do everything with the workspace at an address, whichever they look at."""
    try:
        return deployment().access_to(address, person).allows(Right.MANAGE)
    except AccessError:
        return False


@st.cache_resource(show_spinner=False, on_release=Jobs.close)
def jobs() -> Jobs:
    """The jobs of this server; with the first call those go on waiting that a server before it had left."""
    try:
        record = JobRecord(deployment().settings.home / JOBS)
    except StoreError as error:
        logging.getLogger(__name__).warning("Jobs will be lost after a restart. %s", error)
        record = None
    deployed = JobHost(
        user=_user_id,
        may=may_stop,
        documents_of=_documents_of,
        admit=_admit,
        check=_check,
        shortage=deployment().quotas.shortage,
        is_ended=deployment().is_ended,
    )
    return Jobs(_limits(), record, deployed)


def _admit(person: str, address: str) -> None:
    """Raises AccessError where somebody may not write to a workspace, as every job does: nothing is queued, nor told of
    what runs there.

    An operator has no role by being one: what they may stop, they may not start.
    """
    access = deployment().access_to(address, person)
    for right in (Right.READ, Right.WRITE):
        if not access.allows(right):
            raise refusal(right)


def _check(person: str, address: str) -> None:
    """Raises QuotaError where the disk, or the person's share of it, has no room for anything new."""
    deployment().quotas.check_disk(person, uri=address)


def _limits() -> JobLimits:
    """As the operator has set them, else made from the machine."""
    limits = deployment().settings.limits
    return JobLimits.chosen(
        jobs=limits.jobs,
        threads=limits.job_threads,
        gigabytes=limits.job_memory,
        hours=limits.job_hours,
        waiting=limits.waiting_jobs,
        shared=deployment().settings.shared,
    )


def _documents_of(address: str) -> str:
    from chunking.evaluation.runs.run import documents_key
    from chunking.store import Workspace

    return documents_key(Workspace.open(address, create=False).documents())

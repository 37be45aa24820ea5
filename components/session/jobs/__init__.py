"""The server's jobs for the pages: the shared registry, and the right to stop a job.

A job goes on when its page or tab is closed, and everybody who opens the page sees it. A running index job locks its
workspace against other writes; measuring does not. `components.server.jobs` is the queue.
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
    REVIEW,
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
    "REVIEW",
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
    """True if this session may cancel, restart or dismiss a job.

    Its person, owners of its workspace and operators may.
    """
    person = _user_id()
    return may_cancel(person, job, owns=bool(person) and (host().is_operator() or _owns(person, job.address)))


def _owns(person: str, address: str) -> bool:
    """True if a person has all rights in the workspace at an address."""
    try:
        return deployment().access_to(address, person).allows(Right.MANAGE)
    except AccessError:
        return False


@st.cache_resource(show_spinner=False, on_release=Jobs.close)
def jobs() -> Jobs:
    """Return the job registry of this server; the first call restores stored jobs.

    Jobs that waited wait again or start; those that ran are marked as interrupted.
    """
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
    """Raise AccessError unless a person may read and write a workspace, as every job does.

    Operators have no role by being operators: they may stop jobs that they may not start.
    """
    access = deployment().access_to(address, person)
    for right in (Right.READ, Right.WRITE):
        if not access.allows(right):
            raise refusal(right)


def _check(person: str, address: str) -> None:
    """Raise QuotaError if the disk, or the person's share of it, is full."""
    deployment().quotas.check_disk(person, uri=address)


def _limits() -> JobLimits:
    """Return the operator's limits of jobs."""
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

    return Workspace.open(address, create=False).derived(documents_key)
